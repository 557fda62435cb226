// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element types of kernels as MLIR types, and the other way round.

#ifndef GC_SUPPORT_DATATYPES_H
#define GC_SUPPORT_DATATYPES_H

#include "Machine/KernelSpec.h"
#include "mlir/IR/Types.h"

#include <optional>

namespace gc {

/// The kernel's type for elements of a tensor (f32, ui8, ...), or nothing for
/// elements that no kernel has.
std::optional<DataType> getDataType(mlir::Type element);
/// The element type of tensors.
mlir::Type getElementType(mlir::MLIRContext *context, DataType type);

} // namespace gc

#endif // GC_SUPPORT_DATATYPES_H
