// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes that keep a kernel, or a buffer of it, to less than the core has.

#ifndef GC_DIALECT_NPU_IR_KERNELLIMITS_H
#define GC_DIALECT_NPU_IR_KERNELLIMITS_H

#include "llvm/ADT/StringRef.h"

namespace gc::npu {

/// Attribute of a kernel or a scop, a dictionary: bytes of each memory that it
/// may use, `{l1 = 524288 : i64}`. Passes see a machine of that size.
constexpr llvm::StringLiteral kMemoryAttr = "npu.memory";
/// Attribute of npu.alloc (integer): the most slots that npu-double-buffer
/// gives it.
constexpr llvm::StringLiteral kMostSlotsAttr = "npu.most_slots";

} // namespace gc::npu

#endif // GC_DIALECT_NPU_IR_KERNELLIMITS_H
