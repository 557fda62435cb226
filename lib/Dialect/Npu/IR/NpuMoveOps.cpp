// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves that are one instruction: which one, and what its operands must be.

#include "Verify.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

static bool isSpace(const Tile &tile, std::initializer_list<MemorySpace> list) {
  return llvm::is_contained(list, tile.space);
}

//===----------------------------------------------------------------------===//
// dma, load2d
//===----------------------------------------------------------------------===//

static constexpr Label kDmaLabels[] = {
    {ErrorKind::path, "C1"},  {ErrorKind::limit, "C2"},
    {ErrorKind::shape, "C2"}, {ErrorKind::alignment, "C3"},
    {ErrorKind::type, "C5"},  {ErrorKind::capacity, "C4"}};

Instruction DmaOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Instruction instruction(Opcode::dma);
  instruction.type = *getDType(getTarget().getType());
  instruction.dstType = instruction.type;
  instruction.accumulate = getAtomic();
  instruction.src0 = Address(address(getSource()));
  instruction.dst = Address(address(getTarget()));
  uint64_t adjacent = llvm::alignTo(getLength(), kBlockBytes);
  instruction.dma = {
      static_cast<int64_t>(getBursts()), static_cast<int64_t>(getLength()),
      static_cast<int64_t>(getTargetStride().value_or(adjacent)),
      static_cast<int64_t>(getSourceStride().value_or(adjacent))};
  return instruction;
}

SmallVector<RunTimeNumber> DmaOp::getRunTimeNumbers() {
  if (getUpTo().empty())
    return {};
  auto setBursts = [](Instruction &instruction, int64_t number) {
    instruction.dma.bursts = number;
  };
  auto setBytes = [](Instruction &instruction, int64_t number) {
    instruction.dma.bytes = number;
  };
  return {{getUpTo()[0], setBursts, static_cast<int64_t>(getBursts())},
          {getUpTo()[1], setBytes, static_cast<int64_t>(getLength())}};
}

LogicalResult DmaOp::verify() {
  for (Value value : {getSource(), getTarget()})
    if (!getSpace(value) || !getDType(value.getType()))
      return emitOpError("(C1) ")
             << value.getType() << " is not in a memory of the machine";
  if (getAtomic() && getSpace(getTarget()) != MemorySpace::gm)
    return emitOpError("(C5) adds in global memory only");
  if (getPipe() == PipeKind::v)
    return emitOpError("(C1) a copy from ub to ub is npu.vector copy");
  if (static_cast<int64_t>(getLength()) < 1)
    return emitOpError("(C2) has bursts of ")
           << static_cast<int64_t>(getLength()) << " bytes";
  if (failed(verifyUpTo(*this, getUpTo(),
                        {static_cast<int64_t>(getBursts()),
                         static_cast<int64_t>(getLength())},
                        "C6")))
    return failure();
  if (!getUpTo().empty() && (!getSourceStride() || !getTargetStride()))
    return emitOpError("(C6) needs both strides, since the length of a burst "
                       "is not known");
  return verifyInstruction(*this, kDmaLabels);
}

static constexpr Label kLoad2dLabels[] = {{ErrorKind::path, "C1"},
                                          {ErrorKind::limit, "C2"},
                                          {ErrorKind::shape, "C2"},
                                          {ErrorKind::type, "C4"},
                                          {ErrorKind::capacity, "C3"}};

Instruction Load2dOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Instruction instruction(Opcode::load2d);
  instruction.type = *getDType(getTarget().getType());
  instruction.dstType = instruction.type;
  instruction.transpose = getTransposed();
  instruction.src0 = Address(address(getSource()));
  instruction.dst = Address(address(getTarget()));
  instruction.load2d = {static_cast<int64_t>(getFractals()),
                        static_cast<int64_t>(getTargetStride()),
                        static_cast<int64_t>(getSourceStride())};
  return instruction;
}

SmallVector<RunTimeNumber> Load2dOp::getRunTimeNumbers() {
  if (getUpTo().empty())
    return {};
  auto set = [](Instruction &instruction, int64_t number) {
    instruction.load2d.fractals = number;
  };
  return {{getUpTo()[0], set, static_cast<int64_t>(getFractals())}};
}

LogicalResult Load2dOp::verify() {
  for (Value value : {getSource(), getTarget()})
    if (!getSpace(value) || !getDType(value.getType()))
      return emitOpError("(C1) ")
             << value.getType() << " is not in a memory of the machine";
  if (failed(verifyUpTo(*this, getUpTo(), {static_cast<int64_t>(getFractals())},
                        "C5")))
    return failure();
  return verifyInstruction(*this, kLoad2dLabels);
}

//===----------------------------------------------------------------------===//
// pack, unpack
//===----------------------------------------------------------------------===//

/// Rows from one column of fractals to the next.
static int64_t getLocalRows(const Tile &tile) {
  return tile.getStride(0) / tile.shape[2];
}

static constexpr Label kPackLabels[] = {{ErrorKind::path, "C1"},
                                        {ErrorKind::limit, "C3"},
                                        {ErrorKind::type, "C1"},
                                        {ErrorKind::shape, "C2"}};

Instruction PackOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Tile from = *getTile(getSource()), to = *getTile(getTarget());
  Instruction instruction(Opcode::pack);
  instruction.type = instruction.dstType = to.dtype;
  instruction.transpose = getTransposed();
  instruction.src0 = Address(address(getSource()));
  instruction.dst = Address(address(getTarget()));
  instruction.box = {from.shape[0],    from.shape[1], from.getStride(0),
                     getLocalRows(to), to.shape[2],   to.shape[1],
                     to.shape[0]};
  return instruction;
}

/// Rows and columns of a box.
static SmallVector<RunTimeNumber> getBoxSizes(ValueRange upTo,
                                              ArrayRef<int64_t> shape) {
  if (upTo.empty())
    return {};
  auto setRows = [](Instruction &instruction, int64_t number) {
    instruction.box.rows = number;
  };
  auto setColumns = [](Instruction &instruction, int64_t number) {
    instruction.box.columns = number;
  };
  return {{upTo[0], setRows, shape[0]}, {upTo[1], setColumns, shape[1]}};
}

SmallVector<RunTimeNumber> PackOp::getRunTimeNumbers() {
  return getBoxSizes(getUpTo(),
                     cast<MemRefType>(getSource().getType()).getShape());
}

LogicalResult PackOp::verify() {
  FailureOr<Tile> from = getTile(*this, getSource(), "C1"),
                  to = getTile(*this, getTarget(), "C1");
  if (failed(from) || failed(to))
    return failure();
  if (!isSpace(*from, {MemorySpace::gm}) || from->getRank() != 2 ||
      !from->isContiguous(1))
    return emitOpError("(C1) the source is a matrix in gm with adjacent "
                       "columns, not ")
           << from->type;
  if (!isSpace(*to, {MemorySpace::l1, MemorySpace::ub}) || to->getRank() != 3 ||
      !to->isContiguous(2) || from->dtype != to->dtype)
    return emitOpError("(C1) the target is [blocks, rows, C0] in l1 or ub, of "
                       "the source's type, the last two dimensions contiguous, "
                       "not ")
           << to->type;
  int64_t c0 = getC0(to->dtype);
  bool transposed = getTransposed();
  int64_t rows = from->shape[transposed ? 1 : 0],
          columns = from->shape[transposed ? 0 : 1];
  int64_t blocks = llvm::divideCeil(columns, c0);
  if (to->shape[2] != c0 || to->getStride(0) % c0 != 0 || to->shape[1] < rows ||
      to->shape[0] < blocks)
    return emitOpError("(C2) needs a target of at least [")
           << blocks << ", " << rows << ", " << c0 << "]";
  if (failed(verifyUpTo(*this, getUpTo(), from->shape, "C4")))
    return failure();
  return verifyInstruction(*this, kPackLabels);
}

static constexpr Label kUnpackLabels[] = {{ErrorKind::path, "C1"},
                                          {ErrorKind::limit, "C3"},
                                          {ErrorKind::type, "C3"},
                                          {ErrorKind::shape, "C2"}};

Instruction UnpackOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Tile from = *getTile(getSource()), to = *getTile(getTarget());
  Instruction instruction(Opcode::unpack);
  instruction.type = instruction.dstType = from.dtype;
  instruction.accumulate = getAtomic();
  instruction.src0 = Address(address(getSource()));
  instruction.dst = Address(address(getTarget()));
  instruction.box = {to.shape[0],
                     to.shape[1],
                     to.getStride(0),
                     getLocalRows(from),
                     from.shape[2],
                     0,
                     0};
  return instruction;
}

SmallVector<RunTimeNumber> UnpackOp::getRunTimeNumbers() {
  return getBoxSizes(getUpTo(),
                     cast<MemRefType>(getTarget().getType()).getShape());
}

LogicalResult UnpackOp::verify() {
  FailureOr<Tile> from = getTile(*this, getSource(), "C1"),
                  to = getTile(*this, getTarget(), "C1");
  if (failed(from) || failed(to))
    return failure();
  if (!isSpace(*to, {MemorySpace::gm}) || to->getRank() != 2 ||
      !to->isContiguous(1))
    return emitOpError("(C1) the target is a matrix in gm with adjacent "
                       "columns, not ")
           << to->type;
  if (!isSpace(*from, {MemorySpace::ub}) || from->getRank() != 3 ||
      !from->isContiguous(2) || from->dtype != to->dtype)
    return emitOpError(
               "(C1) the source is [blocks, rows, width] in ub, of the "
               "target's type, the last two dimensions contiguous, not ")
           << from->type;
  int64_t width = from->shape[2] == 32 ? 32 : 16;
  int64_t blocks = llvm::divideCeil(to->shape[1], width);
  if (from->shape[2] != width || from->getStride(0) % width != 0 ||
      from->shape[1] < to->shape[0] || from->shape[0] != blocks)
    return emitOpError("(C2) needs a source of [")
           << blocks << ", " << to->shape[0] << " or more, " << width << "]";
  if (failed(verifyUpTo(*this, getUpTo(), to->shape, "C4")))
    return failure();
  return verifyInstruction(*this, kUnpackLabels);
}

//===----------------------------------------------------------------------===//
// img2col
//===----------------------------------------------------------------------===//

static constexpr Label kImg2colLabels[] = {{ErrorKind::path, "C1"},
                                           {ErrorKind::type, "C2"},
                                           {ErrorKind::capacity, "C2"},
                                           {ErrorKind::alignment, "C2"},
                                           {ErrorKind::limit, "C3"}};

Instruction Img2colOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Tile from = *getTile(getSource()), to = *getTile(getTarget());
  Instruction instruction(Opcode::load3d);
  instruction.type = instruction.dstType = to.dtype;
  instruction.src0 = Address(address(getSource()));
  instruction.dst = Address(address(getTarget()));
  instruction.load3d = {from.shape[1],
                        from.shape[2],
                        getKernel()[0],
                        getKernel()[1],
                        getStrides()[0],
                        getStrides()[1],
                        getPads()[0],
                        getPads()[1],
                        static_cast<int64_t>(getOutputWidth()),
                        getConstant(getM()).value_or(0),
                        to.shape[0] * 16,
                        getConstant(getK()).value_or(0),
                        to.shape[1] * to.shape[3]};
  return instruction;
}

SmallVector<RunTimeNumber> Img2colOp::getRunTimeNumbers() {
  auto setM = [](Instruction &instruction, int64_t number) {
    instruction.load3d.mStart = number;
  };
  auto setK = [](Instruction &instruction, int64_t number) {
    instruction.load3d.kStart = number;
  };
  SmallVector<RunTimeNumber> numbers = {{getM(), setM}, {getK(), setK}};
  auto setCount = [](Instruction &instruction, int64_t number) {
    instruction.load3d.mCount = number;
  };
  if (!getUpTo().empty())
    numbers.push_back(
        {getUpTo()[0], setCount,
         cast<MemRefType>(getTarget().getType()).getDimSize(0) * 16});
  return numbers;
}

LogicalResult Img2colOp::verify() {
  FailureOr<Tile> from = getTile(*this, getSource(), "C1"),
                  to = getTile(*this, getTarget(), "C1");
  if (failed(from) || failed(to))
    return failure();
  if (!isSpace(*from, {MemorySpace::l1}) || !from->isContiguous() ||
      !isSpace(*to, {MemorySpace::l0a}) || !to->isContiguous())
    return emitOpError("(C1) goes from l1 to l0a, both without gaps");
  int64_t c0 = getC0(to->dtype);
  if (from->getRank() != 4 || from->shape[3] != c0 || to->getRank() != 4 ||
      to->shape[2] != 16 || to->shape[3] != c0 || from->dtype != to->dtype)
    return emitOpError("(C2) takes an image [C1, H, W, ")
           << c0 << "] to [M / 16, K / " << c0 << ", 16, " << c0
           << "] of the same element type";
  if (getKernel().size() != 2 || getStrides().size() != 2 ||
      getPads().size() != 2 || getKernel()[0] < 1 || getKernel()[1] < 1 ||
      getStrides()[0] < 1 || getStrides()[1] < 1 ||
      static_cast<int64_t>(getOutputWidth()) < 1)
    return emitOpError("(C3) needs two positive kernel sizes, two positive "
                       "strides, two pads and a positive output_width");
  if (std::optional<int64_t> k = getConstant(getK()); k && *k % c0 != 0)
    return emitOpError("(C3) column ") << *k << " is not a multiple of " << c0;
  if (failed(verifyUpTo(*this, getUpTo(), {to->shape[0] * 16}, "C4")))
    return failure();
  return verifyInstruction(*this, kImg2colLabels);
}
