// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verify.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

int64_t Tile::getNumElements() const { return type.getNumElements(); }

bool Tile::isContiguous(int64_t dims) const {
  int64_t expected = 1;
  for (int64_t dim = getRank() - 1;
       dim >= std::max<int64_t>(0, getRank() - dims); --dim) {
    if (shape[dim] != 1 && strides[dim] != expected)
      return false;
    expected *= shape[dim];
  }
  return true;
}

int64_t Tile::getStride(int64_t dim) const {
  if (shape[dim] != 1)
    return strides[dim];
  return dim + 1 == getRank() ? 1 : shape[dim + 1] * getStride(dim + 1);
}

std::optional<Tile> gc::npu::getTile(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  std::optional<MemorySpace> space = getSpace(value);
  std::optional<DType> dtype = getDType(value.getType());
  if (!type || !space || !dtype || !type.hasStaticShape() ||
      type.getNumElements() == 0)
    return std::nullopt;
  Tile tile{type, *space, *dtype, llvm::to_vector(type.getShape()), {}};
  int64_t offset;
  if (failed(type.getStridesAndOffset(tile.strides, offset)))
    return std::nullopt;
  for (auto [size, stride] : llvm::zip(tile.shape, tile.strides))
    if (size != 1 && (ShapedType::isDynamic(stride) || stride < 0))
      return std::nullopt;
  return tile;
}

FailureOr<Tile> gc::npu::getTile(Operation *op, Value value, StringRef label) {
  if (std::optional<Tile> tile = getTile(value))
    return *tile;
  return op->emitOpError()
         << "(" << label
         << ") needs a memref of f16, f32, i8 or i32 in a space "
         << "of the machine with static sizes of at least 1 and static "
            "strides, "
         << "not " << value.getType();
}

std::optional<int64_t> gc::npu::getConstant(Value index) {
  IntegerAttr value;
  if (!index || !matchPattern(index, m_Constant(&value)))
    return std::nullopt;
  return value.getInt();
}

int64_t gc::npu::getKnownOffset(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  std::optional<DType> dtype = getDType(type);
  if (!dtype || failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return 0;
  offset *= getBytes(*dtype);
  auto alloc = getBaseBuffer(memref).getDefiningOp<AllocOp>();
  if (alloc && alloc.getAddress())
    offset += *alloc.getAddress();
  return offset;
}

/// Address bits that each operand's own address range covers: more than any
/// memref needs.
static constexpr int kOperandShift = 34;

/// Whether what the instruction touches is within the memrefs.
static LogicalResult verifyExtents(InstructionOpInterface op, StringRef label) {
  SmallVector<Value> operands;
  auto getIndex = [&](Value value) {
    auto *it = llvm::find(operands, value);
    int64_t index = it - operands.begin();
    if (it == operands.end())
      operands.push_back(value);
    return index;
  };
  Instruction instruction = op.getInstruction([&](Value value) {
    return Address(static_cast<Space>(*getSpace(value)), getIndex(value)
                                                             << kOperandShift)
        .bits;
  });
  SmallVector<int64_t> ends(operands.size(), 0);
  forEachRange(instruction, [&](Address address, int64_t bytes, Access) {
    int64_t offset = address.getOffset();
    size_t index = offset >> kOperandShift;
    // An access that starts before the memref, or far past it, gets a wrong
    // index.
    if (index >= ends.size())
      return;
    ends[index] = std::max(
        ends[index],
        offset - (static_cast<int64_t>(index) << kOperandShift) + bytes);
  });
  for (auto [value, end] : llvm::zip(operands, ends)) {
    std::optional<int64_t> extent =
        getExtent(cast<MemRefType>(value.getType()));
    if (!extent)
      continue;
    // Buffers of the core are whole blocks.
    if (*getSpace(value) != MemorySpace::gm)
      extent = llvm::alignTo(*extent, kBlockBytes);
    if (end > *extent)
      return op->emitOpError()
             << "(" << label << ") touches " << end << " bytes of "
             << value.getType() << ", which has " << *extent;
  }
  return success();
}

LogicalResult gc::npu::verifyInstruction(Operation *op,
                                         ArrayRef<Label> labels) {
  auto instructionOp = cast<InstructionOpInterface>(op);
  auto getLabel = [&](ErrorKind kind) {
    for (const Label &label : labels)
      if (label.kind == kind)
        return label.label;
    return labels.back().label;
  };
  if (!instructionOp.getPipe())
    return op->emitOpError() << "(" << getLabel(ErrorKind::path)
                             << ") no path of the machine joins the memories";
  FailureOr<Machine> machine = getMachine(op);
  if (failed(machine))
    return failure();
  Instruction instruction = instructionOp.getInstruction([](Value value) {
    bool isGlobal = *getSpace(value) == MemorySpace::gm;
    return Address(static_cast<Space>(*getSpace(value)),
                   isGlobal ? 0 : getKnownOffset(value))
        .bits;
  });
  if (std::optional<Error> error = check(*machine, instruction))
    return op->emitOpError()
           << "(" << getLabel(error->kind) << ") " << error->message;
  return verifyExtents(instructionOp, getLabel(ErrorKind::capacity));
}

LogicalResult gc::npu::verifyUpTo(Operation *op, ValueRange upTo,
                                  ArrayRef<int64_t> most, StringRef label) {
  if (upTo.empty())
    return success();
  if (upTo.size() != most.size())
    return op->emitOpError() << "(" << label << ") has " << upTo.size()
                             << " sizes in up_to, not " << most.size();
  for (auto [value, limit] : llvm::zip(upTo, most))
    if (std::optional<int64_t> size = getConstant(value);
        size && (*size < 1 || *size > limit))
      return op->emitOpError() << "(" << label << ") size " << *size
                               << " in up_to is not between 1 and " << limit;
  return success();
}
