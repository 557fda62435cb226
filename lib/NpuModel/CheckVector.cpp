// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The errors of a vector instruction.

#include "Check.h"

using namespace gc::npu;

bool Checker::checkVectorTypes() {
  VectorOp op = in.vectorOp;
  if (op == VectorOp::convert)
    return in.type != in.dstType ||
           fail(ErrorKind::type,
                std::string("source and destination are ") + getName(in.type));
  if (op == VectorOp::dup)
    return checkType(in.dstType, {DType::f16, DType::f32, DType::s32},
                     "elements");
  if (op == VectorOp::transpose) {
    if (!checkType(in.type, {DType::f16, DType::f32, DType::s32}, "elements"))
      return false;
  } else if (op == VectorOp::copy) {
    if (!checkType(in.type, {DType::f16, DType::f32, DType::s32}, "elements"))
      return false;
  } else if (!checkType(in.type, {DType::f16, DType::f32}, "elements")) {
    return false;
  }
  bool wideSum = (op == VectorOp::reduceSum || op == VectorOp::groupSum) &&
                 in.dstType == DType::f32;
  if (isCompare(op) || wideSum || in.type == in.dstType)
    return true;
  return fail(ErrorKind::type, std::string("source is ") + getName(in.type) +
                                   ", destination " + getName(in.dstType));
}

bool Checker::checkVectorOperand(const char *what, Address address, DType type,
                                 int64_t block, int64_t repeat, bool written) {
  // Names are built only if they are needed: this runs for each instruction
  // that is simulated.
  auto checkStride = [&](const char *which, int64_t stride, int64_t least) {
    return (stride >= least && stride <= machine.maxStride) ||
           checkRange((std::string(what) + which).c_str(), stride, least,
                      machine.maxStride, ErrorKind::limit);
  };
  if (!checkStride(" block stride", block, written ? 1 : 0) ||
      !checkStride(" repeat stride", repeat,
                   written && in.vector.repeat > 1 ? 1 : 0))
    return false;
  int64_t blocks, lastBytes = kBlockBytes;
  if (in.vectorOp == VectorOp::transpose) {
    blocks = getC0(type);
  } else {
    Mask mask = getMask(in);
    if (!mask.low && !mask.high)
      return checkLocal(what, address, 0);
    int64_t last = mask.high ? 127 - __builtin_clzll(mask.high)
                             : 63 - __builtin_clzll(mask.low);
    int64_t end = (last + 1) * getBytes(type);
    blocks = ceilDiv(end, kBlockBytes);
    lastBytes = end - (blocks - 1) * kBlockBytes;
  }
  return checkLocal(what, address,
                    ((in.vector.repeat - 1) * repeat + (blocks - 1) * block) *
                            kBlockBytes +
                        lastBytes);
}

void Checker::checkVector() {
  const Instruction::Vector &vector = in.vector;
  VectorOp op = in.vectorOp;
  int sources = getNumSources(op);
  if (!checkSpace("the destination", in.dst, {Space::ub}) ||
      (sources > 0 && !checkSpace("source 0", in.src0, {Space::ub})) ||
      (sources > 1 && !checkSpace("source 1", in.src1, {Space::ub})) ||
      (sources > 2 && !checkSpace("source 2", in.src2, {Space::ub})) ||
      !checkVectorTypes() ||
      !checkRange("repeat", vector.repeat, 1, machine.maxRepeat,
                  ErrorKind::limit))
    return;
  if (sources > 0 &&
      !checkVectorOperand("source 0", in.src0, in.type, vector.src0Block,
                          vector.src0Repeat, false))
    return;
  if (sources > 1 &&
      !checkVectorOperand("source 1", in.src1, in.type, vector.src1Block,
                          vector.src1Repeat, false))
    return;
  int64_t bits = vector.repeat * getLanes(in) / 8;
  if (sources > 2 && !checkLocal("source 2", in.src2, bits))
    return;
  if (isCompare(op)) {
    checkLocal("the destination", in.dst, bits);
    return;
  }
  if (isRepeatReduce(op)) {
    checkLocal("the destination", in.dst, vector.repeat * getBytes(in.dstType));
    return;
  }
  if (isGroupReduce(op)) {
    checkLocal("the destination", in.dst,
               vector.repeat * getActiveBlocks(in) * getBytes(in.dstType));
    return;
  }
  checkVectorOperand("the destination", in.dst, in.dstType, vector.dstBlock,
                     vector.dstRepeat, true);
}
