// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers, flags and scalars: verifiers and builders.

#include "Verify.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

//===----------------------------------------------------------------------===//
// alloc and slot
//===----------------------------------------------------------------------===//

int64_t AllocOp::getSlotBytes(const Machine &machine) {
  MemRefType type = getBuffer().getType();
  int64_t bytes = type.getNumElements() * npu::getBytes(*getDType(type));
  int64_t alignment = machine.getAlignment(static_cast<Space>(*getSpace(type)));
  return (bytes + alignment - 1) / alignment * alignment;
}

int64_t AllocOp::getBytes(const Machine &machine) {
  return (getSlots() - 1) * getSlotBytes(machine) +
         *getExtent(getBuffer().getType());
}

LogicalResult AllocOp::verify() {
  MemRefType type = getBuffer().getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      llvm::is_contained(type.getShape(), 0) || !getDType(type))
    return emitOpError("(C1) needs a static shape of at least one element, the "
                       "identity layout and elements of f16, f32, i8 or i32");
  std::optional<MemorySpace> space = getSpace(type);
  if (!space || *space == MemorySpace::gm)
    return emitOpError("(C2) needs a memory space of the core: #npu.space<l1>, "
                       "<ub>, <l0a>, <l0b> or <l0c>");
  if (static_cast<int64_t>(getSlots()) < 1)
    return emitOpError("(C5) has no slots");
  if (getSlots() > 1)
    for (Operation *user : getBuffer().getUsers())
      if (!isa<SlotOp>(user))
        return emitOpError("(C5) of several slots is used by '")
               << user->getName() << "', not npu.slot";
  FailureOr<Machine> machine = getMachine(*this);
  if (failed(machine))
    return failure();
  // A buffer without an address may be too large: npu-plan-memory says by how
  // much.
  constexpr int64_t kAnyCapacity = int64_t(1) << 40;
  int64_t capacity = getAddress()
                         ? machine->getCapacity(static_cast<Space>(*space))
                         : kAnyCapacity;
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(elements, size, elements) || elements > kAnyCapacity)
      return emitOpError("(C4) has more elements than any memory");
  int64_t alignment = machine->getAlignment(static_cast<Space>(*space));
  int64_t address = getAddress().value_or(0);
  if (address % alignment != 0)
    return emitOpError("(C3) address ")
           << address << " is not a multiple of " << alignment;
  int64_t bytes = getSlotBytes(*machine), slots = getSlots();
  // Not slots * bytes, which may overflow.
  if (address < 0 || address > capacity || slots > (capacity - address) / bytes)
    return emitOpError("(C4) ")
           << getSlots() << " x " << bytes << " bytes at " << address
           << " do not fit into the " << capacity << " of "
           << stringifyMemorySpace(*space);
  return success();
}

/// The type of a slot: the buffer's, anywhere.
static MemRefType getSlotType(MemRefType buffer) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(buffer.getStridesAndOffset(strides, offset)))
    return {};
  auto layout = StridedLayoutAttr::get(buffer.getContext(),
                                       ShapedType::kDynamic, strides);
  return MemRefType::get(buffer.getShape(), buffer.getElementType(), layout,
                         buffer.getMemorySpace());
}

void SlotOp::build(OpBuilder &builder, OperationState &state, Value buffer,
                   Value index) {
  build(builder, state, getSlotType(cast<MemRefType>(buffer.getType())), buffer,
        index);
}

LogicalResult SlotOp::verify() {
  if (!getBuffer().getDefiningOp<AllocOp>())
    return emitOpError("(C1) the buffer is not the result of npu.alloc");
  MemRefType expected = getSlotType(cast<MemRefType>(getBuffer().getType()));
  if (getResult().getType() != expected)
    return emitOpError("(C2) gives ") << expected;
  if (std::optional<int64_t> index = getConstant(getIndex());
      index && *index < 0)
    return emitOpError("(C3) has the negative index ") << *index;
  return success();
}

//===----------------------------------------------------------------------===//
// Flags, barriers, scalars
//===----------------------------------------------------------------------===//

static LogicalResult verifyFlag(Operation *op, PipeKind from, PipeKind to,
                                Value event) {
  if (from == to)
    return op->emitOpError("(C1) joins a pipe with itself");
  FailureOr<Machine> machine = getMachine(op);
  if (failed(machine))
    return failure();
  std::optional<int64_t> constant = getConstant(event);
  if (constant && (*constant < 0 || *constant >= machine->flagsPerPair))
    return op->emitOpError("(C2) has event ")
           << *constant << "; a pair of pipes has flags 0 to "
           << machine->flagsPerPair - 1;
  return success();
}

LogicalResult SetFlagOp::verify() {
  return verifyFlag(*this, getFrom(), getTo(), getEvent());
}

LogicalResult WaitFlagOp::verify() {
  return verifyFlag(*this, getFrom(), getTo(), getEvent());
}

LogicalResult BarrierOp::verify() {
  if (getPipe() == PipeKind::s)
    return emitOpError("(C1) pipe s has no queue to wait for");
  return success();
}

Instruction
LoadScalarOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Instruction instruction(Opcode::loadScalar);
  instruction.type = *getDType(getSource().getType());
  instruction.src0 = Address(address(getSource()));
  return instruction;
}

SmallVector<RunTimeNumber> LoadScalarOp::getRunTimeNumbers() {
  auto type = cast<MemRefType>(getSource().getType());
  int64_t bytes = getBytes(*getDType(type)), offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return {RunTimeNumber()};
  SmallVector<RunTimeNumber> numbers;
  for (auto [index, stride] : llvm::zip(getIndices(), strides)) {
    Value operand = ShapedType::isDynamic(stride) ? Value() : index;
    numbers.push_back(
        {operand, [step = stride * bytes](Instruction &in, int64_t number) {
           in.src0 = in.src0 + number * step;
         }});
  }
  return numbers;
}

LogicalResult LoadScalarOp::verify() {
  if (getSpace(getSource()) != MemorySpace::ub)
    return emitOpError("(C1) reads from ub, not ") << getSource().getType();
  auto type = cast<MemRefType>(getSource().getType());
  if (static_cast<int64_t>(getIndices().size()) != type.getRank())
    return emitOpError("(C2) has ")
           << getIndices().size() << " indices for " << type;
  if (getResult().getType() != type.getElementType())
    return emitOpError("(C3) gives an element of ") << type;
  return success();
}
