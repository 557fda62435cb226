// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The vector instruction.

#include "Verify.h"

using namespace mlir;
using namespace gc::npu;

static VectorOp getModelOp(VectorKind kind) {
  return static_cast<VectorOp>(kind);
}

static constexpr Label kVectorLabels[] = {
    {ErrorKind::path, "C1"},  {ErrorKind::alignment, "C1"},
    {ErrorKind::limit, "C3"}, {ErrorKind::shape, "C3"},
    {ErrorKind::type, "C4"},  {ErrorKind::capacity, "C5"}};

Instruction
VectorInstructionOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Instruction instruction(Opcode::vector);
  instruction.vectorOp = getModelOp(getKind());
  instruction.dstType = *getDType(getTarget().getType());
  instruction.type = instruction.dstType;
  instruction.dst = Address(address(getTarget()));
  // The model reads a selection's bits last.
  SmallVector<Value> sources(getSources());
  if (getKind() == VectorKind::select)
    std::rotate(sources.begin(), sources.begin() + 1, sources.end());
  Address *addresses[] = {&instruction.src0, &instruction.src1,
                          &instruction.src2};
  for (auto [source, to] : llvm::zip(sources, addresses))
    *to = Address(address(source));
  if (!sources.empty())
    instruction.type = *getDType(sources.front().getType());

  int64_t strides[] = {1, 8, 1, 8, 1, 8};
  if (std::optional<ArrayRef<int64_t>> given = getStrides())
    llvm::copy(*given, strides);
  uint64_t mask[] = {~uint64_t(0), ~uint64_t(0)};
  if (std::optional<ArrayRef<int64_t>> given = getMask())
    llvm::copy(*given, mask);
  instruction.vector = {static_cast<int64_t>(getRepeat()),
                        mask[0],
                        mask[1],
                        strides[0],
                        strides[1],
                        strides[2],
                        strides[3],
                        strides[4],
                        strides[5],
                        0.0};
  return instruction;
}

LogicalResult VectorInstructionOp::verify() {
  SmallVector<Value> operands(getSources());
  operands.push_back(getTarget());
  for (Value operand : operands)
    if (getSpace(operand) != MemorySpace::ub || !getDType(operand.getType()))
      return emitOpError("(C1) works on f16, f32, i8 and i32 in ub, not on ")
             << operand.getType();
  VectorOp op = getModelOp(getKind());
  int64_t expected = getNumSources(op);
  if (static_cast<int64_t>(getSources().size()) != expected)
    return emitOpError("(C2) '")
           << stringifyVectorKind(getKind()) << "' takes " << expected
           << " sources, not " << getSources().size();
  if (takesScalar(op) != (getScalar() != nullptr))
    return emitOpError("(C2) '")
           << stringifyVectorKind(getKind()) << "' "
           << (takesScalar(op) ? "takes" : "has")
           << (takesScalar(op) ? " a register" : " no register");
  if (getMask() && getMask()->size() != 2)
    return emitOpError("(C3) a mask is [low, high]");
  if (getStrides() && getStrides()->size() != 6)
    return emitOpError(
        "(C3) strides are those of the target and two sources, a "
        "pair each");
  size_t first = getKind() == VectorKind::select ? 1 : 0;
  for (size_t i = first + 1; i < getSources().size(); ++i)
    if (getDType(getSources()[i].getType()) !=
        getDType(getSources()[first].getType()))
      return emitOpError("(C4) has sources of two element types");
  return verifyInstruction(*this, kVectorLabels);
}
