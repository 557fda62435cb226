// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors in .npy files (NumPy's array format, versions 1.0 to 3.0).

#ifndef GC_REFERENCE_NPY_H
#define GC_REFERENCE_NPY_H

#include "Reference/Tensor.h"

namespace gc::reference {

/// Reads a .npy file: little-endian f4 f8 f2 i1 u1 i4 b1, bf16 as V2 or u2, and
/// floats of 8 bits (V1 or f1) as u1; i8 as i4, which all values have to fit,
/// as those of models with int64 do; C or Fortran order (the result is
/// row-major). Fails with a message that names the file, also when the file is
/// shorter or longer than its header says.
mlir::FailureOr<Tensor> readNpy(llvm::StringRef path, std::string &error);

/// Reads a .npy file into a tensor of `type`, strides included. Fails too when
/// shape or element type differ; si4 is read from i1 and ui4 from u1, whose
/// values must fit. f8E5M2 and f8E4M3FN are read from u1, as their bits.
mlir::FailureOr<Tensor>
readNpy(llvm::StringRef path, mlir::RankedTensorType type, std::string &error);

/// Writes a tensor in C order (bf16 as V2, si4 as i1, ui4 and floats of 8 bits
/// as u1). The file appears under its name only when it is complete.
llvm::LogicalResult writeNpy(llvm::StringRef path, const Tensor &tensor,
                             std::string &error);

} // namespace gc::reference

#endif // GC_REFERENCE_NPY_H
