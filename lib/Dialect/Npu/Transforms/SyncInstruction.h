// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops of an abstract program from the machine's instructions.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCINSTRUCTION_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCINSTRUCTION_H

#include "SyncProgram.h"

namespace gc::npu::sync {

/// The bytes that an instruction touches, added to `ranges`.
void addRanges(const Instruction &instruction, std::vector<Range> &ranges);

/// An op that is a different instruction in each iteration, with a fixed cost.
Op makeOp(const Machine &machine,
          std::function<Instruction(const Env &)> instruction, const Env &env);

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCINSTRUCTION_H
