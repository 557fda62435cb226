// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which pipe runs an instruction, and what it costs there.

#include "NpuModel/Instruction.h"

#include <algorithm>

using namespace gc::npu;

const char *gc::npu::getName(Opcode opcode) {
  static const char *const names[kNumOpcodes] = {
      "alloc",     "dma",     "pack",       "unpack", "load2d",
      "load3d",    "mad",     "drain",      "vector", "set_flag",
      "wait_flag", "barrier", "load_scalar"};
  return names[static_cast<int>(opcode)];
}

const char *gc::npu::getName(ErrorKind kind) {
  static const char *const names[] = {"path",
                                      "type",
                                      "shape",
                                      "alignment",
                                      "limit",
                                      "capacity",
                                      "flag",
                                      "bounds",
                                      "buffer",
                                      "read-only",
                                      "poison",
                                      "race",
                                      "flag-set",
                                      "flag-left",
                                      "wait-forever",
                                      "deadlock",
                                      "instruction-limit",
                                      "front-end"};
  return names[static_cast<int>(kind)];
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t gc::npu::getLanes(const Instruction &instruction) {
  int64_t bytes = getBytes(instruction.type);
  if (instruction.vectorOp == VectorOp::dup)
    bytes = getBytes(instruction.dstType);
  else if (instruction.vectorOp == VectorOp::convert)
    bytes = std::max(bytes, getBytes(instruction.dstType));
  return kRepeatBytes / bytes;
}

Mask gc::npu::getMask(const Instruction &instruction) {
  Mask mask = {instruction.vector.maskLow, instruction.vector.maskHigh};
  if (getLanes(instruction) <= 64)
    mask.high = 0;
  return mask;
}

bool gc::npu::isMaskPartial(const Instruction &instruction) {
  Mask mask = getMask(instruction);
  return ~mask.low || (getLanes(instruction) > 64 && ~mask.high);
}

int64_t gc::npu::getActiveBlocks(const Instruction &instruction) {
  Mask mask = getMask(instruction);
  int64_t lanes = getC0(instruction.type), count = 0;
  uint64_t block = (uint64_t(1) << lanes) - 1;
  // 16 lanes of f16, 8 of f32: blocks do not cross words.
  for (int64_t lane = 0; lane < 128; lane += lanes) {
    uint64_t word = lane < 64 ? mask.low >> lane : mask.high >> (lane - 64);
    count += (word & block) != 0;
  }
  return count;
}

Pipe gc::npu::getPipe(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::dma: {
    Space from = instruction.src0.getSpace(), to = instruction.dst.getSpace();
    if (from == Space::gm && to >= Space::l1 && to <= Space::l0b)
      return Pipe::mte2;
    if (from == Space::ub && (to == Space::gm || to == Space::l1))
      return Pipe::mte3;
    if (from == Space::l1 && to == Space::ub)
      return Pipe::mte1;
    return Pipe::s;
  }
  case Opcode::pack:
    return Pipe::mte2;
  case Opcode::unpack:
    return Pipe::mte3;
  case Opcode::load2d:
  case Opcode::load3d:
    return Pipe::mte1;
  case Opcode::mad:
    return Pipe::m;
  case Opcode::drain:
  case Opcode::vector:
    return Pipe::v;
  case Opcode::setFlag:
  case Opcode::barrier:
    return instruction.pipe;
  case Opcode::waitFlag:
    return instruction.toPipe;
  case Opcode::alloc:
  case Opcode::loadScalar:
    return Pipe::s;
  }
  return Pipe::s;
}

/// `count` runs of `bytes` adjacent bytes in global memory, `stride` bytes
/// apart; adjacent runs are one.
static void addRuns(Cost &cost, int64_t count, int64_t bytes, int64_t stride) {
  cost.gmBytes = count * bytes;
  cost.packages =
      stride == bytes ? getPackages(count * bytes) : count * getPackages(bytes);
}

static Cost getVectorCost(const Machine &machine,
                          const Instruction &instruction) {
  const VectorCost &vector = machine.getCost(instruction.vectorOp);
  Cost cost;
  cost.head = vector.head;
  cost.busyHead = std::min(vector.head, machine.busyHeadV);
  cost.busy = vector.slope * instruction.vector.repeat;
  // Two squares of 8 x 8 are as many bytes as one of 16 x 16.
  if (instruction.vectorOp == VectorOp::transpose &&
      getBytes(instruction.type) == 4)
    cost.busy = ceilDiv(cost.busy, 2);
  if (isBinary(instruction.vectorOp) && isMaskPartial(instruction))
    cost.busy += machine.partialMaskCycles;
  cost.tail = vector.tail;
  return cost;
}

Cost gc::npu::getCost(const Machine &machine, const Instruction &instruction) {
  Cost cost;
  switch (instruction.opcode) {
  case Opcode::dma: {
    const Instruction::Dma &dma = instruction.dma;
    Space from = instruction.src0.getSpace(), to = instruction.dst.getSpace();
    if (from == Space::gm)
      addRuns(cost, dma.bursts, dma.bytes, dma.srcStride);
    else if (to == Space::gm)
      addRuns(cost, dma.bursts, dma.bytes, dma.dstStride);
    else
      cost.busy = ceilDiv(dma.bursts * dma.bytes,
                          from == Space::l1 ? machine.l1ToUb : machine.ubToL1);
    break;
  }
  case Opcode::pack:
  case Opcode::unpack: {
    const Instruction::Box &box = instruction.box;
    int64_t bytes = getBytes(instruction.type);
    addRuns(cost, box.rows, box.columns * bytes, box.pitch * bytes);
    break;
  }
  case Opcode::load2d:
    cost.busy =
        ceilDiv(instruction.load2d.fractals * kFractalBytes,
                instruction.dst.getSpace() == Space::l0a ? machine.l1ToL0a
                                                         : machine.l1ToL0b);
    break;
  case Opcode::load3d:
    cost.busy = ceilDiv(instruction.load3d.mCount * instruction.load3d.kCount *
                            getBytes(instruction.type),
                        machine.l1ToL0a);
    break;
  case Opcode::mad:
    cost.head = machine.madHead;
    cost.busyHead = std::min(machine.madHead, machine.busyHeadM);
    cost.busy = ceilDiv(instruction.mad.m, 16) *
                ceilDiv(instruction.mad.n, 16) *
                ceilDiv(instruction.mad.k, getC0(instruction.type));
    break;
  case Opcode::drain:
    cost.busy =
        ceilDiv(ceilDiv(instruction.drain.m, 16) *
                    ceilDiv(instruction.drain.n, 16) * kAccumulatorFractalBytes,
                machine.l0cToUb);
    break;
  case Opcode::vector:
    return getVectorCost(machine, instruction);
  case Opcode::alloc:
  case Opcode::setFlag:
  case Opcode::waitFlag:
  case Opcode::barrier:
  case Opcode::loadScalar:
    break;
  }
  if (instruction.accumulate)
    cost.packages *= 2;
  return cost;
}

int64_t gc::npu::getGlobalExtent(const Instruction &instruction) {
  if (instruction.opcode == Opcode::dma) {
    const Instruction::Dma &dma = instruction.dma;
    if (instruction.src0.getSpace() == Space::gm)
      return (dma.bursts - 1) * dma.srcStride + dma.bytes;
    if (instruction.dst.getSpace() == Space::gm)
      return (dma.bursts - 1) * dma.dstStride + dma.bytes;
  }
  if (instruction.opcode == Opcode::pack ||
      instruction.opcode == Opcode::unpack) {
    const Instruction::Box &box = instruction.box;
    return ((box.rows - 1) * box.pitch + box.columns) *
           getBytes(instruction.type);
  }
  return 0;
}
