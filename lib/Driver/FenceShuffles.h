// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transpositions in registers that the code generator takes as they are.

#ifndef GC_DRIVER_FENCESHUFFLES_H
#define GC_DRIVER_FENCESHUFFLES_H

namespace llvm {
class Function;
} // namespace llvm

namespace gc {

/// Puts an `llvm.arithmetic.fence` after every shuffle of two vectors of 32-bit
/// elements that comes between two others of the same size. The network that
/// transposes 16 vectors of 16 such elements is optimal as emitted; the code
/// generator would spend most of its time looking for a better one across
/// several stages, and not find it. Shuffles of narrower elements are not
/// single instructions, and are left to it. A fence is not an instruction of
/// the processor.
void fenceShuffles(llvm::Function &function);

} // namespace gc

#endif // GC_DRIVER_FENCESHUFFLES_H
