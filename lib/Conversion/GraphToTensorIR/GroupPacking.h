// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies into a layout whose innermost blocks are groups of neighbours that
// fill 32 bits (VNNI), vector by vector: rows along the groups are transposed
// in registers as numbers of 32 bits, rows across them are interleaved.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_GROUPPACKING_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_GROUPPACKING_H

#include "RegionEmitter.h"

namespace gc {

/// Emits the pass if it is such a copy, of whole groups; otherwise emits
/// nothing and returns false.
bool emitGroupPacking(RegionEmitter &emitter, const graph::RegionSpace &space,
                      llvm::ArrayRef<mlir::Operation *> ops,
                      llvm::ArrayRef<BoxDim> box, llvm::ArrayRef<Store> stores);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_GROUPPACKING_H
