// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncInstruction.h"

using namespace gc::npu;
using namespace gc::npu::sync;

void gc::npu::sync::addRanges(const Instruction &instruction,
                              std::vector<Range> &ranges) {
  forEachRange(instruction, [&](Address address, int64_t bytes, Access access) {
    ranges.push_back(
        {address.bits, address.bits + static_cast<uint64_t>(bytes), access});
  });
}

Op gc::npu::sync::makeOp(const Machine &machine,
                         std::function<Instruction(const Env &)> instruction,
                         const Env &env) {
  Op op;
  Instruction sample = instruction(env);
  op.pipe = getPipe(sample);
  op.cost = getCost(machine, sample);
  op.ranges = [instruction = std::move(instruction)](
                  const Env &env, std::vector<Range> &ranges) {
    addRanges(instruction(env), ranges);
  };
  return op;
}
