// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The attribute by which the plan of buffers says which arguments may be the
// same memory.

#ifndef GC_DIALECT_TENSORIR_IR_INPLACEATTR_H
#define GC_DIALECT_TENSORIR_IR_INPLACEATTR_H

#include "llvm/ADT/StringRef.h"

namespace gc::tir {

/// Of an entry function: numbers of inputs and outputs in turn, by pairs.
constexpr llvm::StringLiteral kInPlaceAttr = "tir.in_place";

} // namespace gc::tir

#endif // GC_DIALECT_TENSORIR_IR_INPLACEATTR_H
