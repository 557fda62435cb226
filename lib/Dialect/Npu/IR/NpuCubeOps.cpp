// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cube unit: matmul and drain.

#include "Verify.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

/// Elements of a fractal of a 4-dimensional tile.
static int64_t getFractalElements(const Tile &tile) {
  return tile.shape[2] * tile.shape[3];
}

/// Fractals from one index of the first dimension to the next.
static int64_t getFractalStride(const Tile &tile) {
  return tile.getStride(0) / getFractalElements(tile);
}

/// Whether it is a matrix of fractals of which only the first dimension may
/// have gaps, of whole fractals.
static bool isFractalMatrix(const Tile &tile) {
  return tile.getRank() == 4 && tile.isContiguous(3) &&
         tile.getStride(0) % getFractalElements(tile) == 0;
}

/// Each of `sizes` ends in the last of its fractals, whose sizes are `units`.
static LogicalResult verifySizes(Operation *op,
                                 std::optional<ArrayRef<int64_t>> sizes,
                                 ArrayRef<int64_t> fractals,
                                 ArrayRef<int64_t> units) {
  if (!sizes)
    return success();
  if (sizes->size() != units.size())
    return op->emitOpError("(C4) has ")
           << sizes->size() << " sizes, not " << units.size();
  for (auto [size, count, unit] : llvm::zip(*sizes, fractals, units))
    if (size <= (count - 1) * unit || size > count * unit)
      return op->emitOpError("(C4) size ")
             << size << " does not end in the last of " << count
             << " fractals of " << unit;
  return success();
}

static constexpr Label kMatmulLabels[] = {{ErrorKind::path, "C1"},
                                          {ErrorKind::type, "C2"},
                                          {ErrorKind::alignment, "C3"},
                                          {ErrorKind::capacity, "C3"},
                                          {ErrorKind::shape, "C4"}};

Instruction MatmulOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Tile a = *getTile(getA()), b = *getTile(getB()), c = *getTile(getC());
  Instruction instruction(Opcode::mad);
  instruction.type = a.dtype;
  instruction.dstType = c.dtype;
  instruction.src0 = Address(address(getA()));
  instruction.src1 = Address(address(getB()));
  instruction.dst = Address(address(getC()));
  // An initialise that is known only at run time may read the accumulator.
  instruction.initialise =
      getInitialised() || getConstant(getInitialise()).value_or(0) != 0;
  int64_t sizes[] = {c.shape[1] * 16, c.shape[0] * 16, a.shape[1] * a.shape[3]};
  if (getSizes())
    llvm::copy(*getSizes(), sizes);
  auto [m, n, k] = sizes;
  instruction.mad = {
      m, k, n, getFractalStride(a), getFractalStride(b), getFractalStride(c)};
  return instruction;
}

SmallVector<RunTimeNumber> MatmulOp::getRunTimeNumbers() {
  SmallVector<RunTimeNumber> numbers;
  // An op that overwrites must wait for everything that an op that adds must
  // wait for.
  if (getInitialise())
    numbers.push_back({getInitialise(),
                       [](Instruction &instruction, int64_t number) {
                         instruction.initialise = number != 0;
                       },
                       /*strictest=*/1});
  if (getUpTo().empty())
    return numbers;
  // What a smaller product leaves as it was, a larger one has to wait for.
  Tile a = *getTile(getA()), c = *getTile(getC());
  numbers.push_back({getUpTo()[0],
                     [](Instruction &instruction, int64_t number) {
                       instruction.mad.m = number;
                     },
                     c.shape[1] * 16});
  numbers.push_back({getUpTo()[1],
                     [](Instruction &instruction, int64_t number) {
                       instruction.mad.n = number;
                     },
                     c.shape[0] * 16});
  numbers.push_back({getUpTo()[2],
                     [](Instruction &instruction, int64_t number) {
                       instruction.mad.k = number;
                     },
                     a.shape[1] * a.shape[3]});
  return numbers;
}

LogicalResult MatmulOp::verify() {
  FailureOr<Tile> a = getTile(*this, getA(), "C2"),
                  b = getTile(*this, getB(), "C2"),
                  c = getTile(*this, getC(), "C2");
  if (failed(a) || failed(b) || failed(c))
    return failure();
  if (a->space != MemorySpace::l0a || b->space != MemorySpace::l0b ||
      c->space != MemorySpace::l0c)
    return emitOpError("(C1) needs A in l0a, B in l0b and C in l0c");
  bool isTyped = (a->dtype == DType::f16 && c->dtype == DType::f32) ||
                 (a->dtype == DType::s8 && c->dtype == DType::s32);
  if (!isTyped || a->dtype != b->dtype)
    return emitOpError("(C2) multiplies f16 into f32 or i8 into i32");
  int64_t k0 = getC0(a->dtype);
  if (a->getRank() != 4 || b->getRank() != 4 || c->getRank() != 4 ||
      a->shape != SmallVector<int64_t>{c->shape[1], b->shape[0], 16, k0} ||
      b->shape != SmallVector<int64_t>{a->shape[1], c->shape[0], 16, k0} ||
      c->shape != SmallVector<int64_t>{b->shape[1], a->shape[0], 16, 16})
    return emitOpError("(C2) multiplies [M1, K1, 16, ")
           << k0 << "] by [K1, N1, 16, " << k0 << "] into [N1, M1, 16, 16]";
  if (!isFractalMatrix(*a) || !isFractalMatrix(*b) || !isFractalMatrix(*c))
    return emitOpError("(C3) only the first dimension of an operand may have "
                       "gaps, of whole fractals");
  if (getInitialise() && getInitialised())
    return emitOpError("(C5) has both initialise and initialised");
  if (failed(verifySizes(*this, getSizes(),
                         {a->shape[0], b->shape[1], a->shape[1]},
                         {16, 16, k0})) ||
      failed(verifyUpTo(*this, getUpTo(),
                        {c->shape[1] * 16, c->shape[0] * 16, a->shape[1] * k0},
                        "C6")))
    return failure();
  if (getSizes() && !getUpTo().empty())
    return emitOpError("(C6) has both sizes and up_to");
  return verifyInstruction(*this, kMatmulLabels);
}

static constexpr Label kDrainLabels[] = {{ErrorKind::path, "C1"},
                                         {ErrorKind::shape, "C2"},
                                         {ErrorKind::type, "C3"},
                                         {ErrorKind::alignment, "C1"}};

Instruction DrainOp::getInstruction(function_ref<uint64_t(Value)> address) {
  Tile from = *getTile(getSource()), to = *getTile(getTarget());
  Instruction instruction(Opcode::drain);
  instruction.type = from.dtype;
  instruction.dstType = to.dtype;
  instruction.relu = getRelu();
  instruction.src0 = Address(address(getSource()));
  instruction.dst = Address(address(getTarget()));
  int64_t width = to.shape[2];
  int64_t sizes[] = {from.shape[1] * 16, from.shape[0] * 16};
  if (getSizes())
    llvm::copy(*getSizes(), sizes);
  instruction.drain = {sizes[0], sizes[1], getFractalStride(from),
                       to.getStride(0) / width, width};
  return instruction;
}

SmallVector<RunTimeNumber> DrainOp::getRunTimeNumbers() {
  if (getUpTo().empty())
    return {};
  auto setM = [](Instruction &instruction, int64_t number) {
    instruction.drain.m = number;
  };
  auto setN = [](Instruction &instruction, int64_t number) {
    instruction.drain.n = number;
  };
  Tile from = *getTile(getSource());
  return {{getUpTo()[0], setM, from.shape[1] * 16},
          {getUpTo()[1], setN, from.shape[0] * 16}};
}

LogicalResult DrainOp::verify() {
  FailureOr<Tile> from = getTile(*this, getSource(), "C1"),
                  to = getTile(*this, getTarget(), "C1");
  if (failed(from) || failed(to))
    return failure();
  if (from->space != MemorySpace::l0c || !isFractalMatrix(*from) ||
      to->space != MemorySpace::ub || to->getRank() != 3 ||
      !to->isContiguous(2))
    return emitOpError(
        "(C1) goes from [N1, M1, 16, 16] in l0c to [N / W, M, W] "
        "in ub, of which only the first dimensions may have "
        "gaps");
  if (failed(verifySizes(*this, getSizes(), {from->shape[1], from->shape[0]},
                         {16, 16})) ||
      failed(verifyUpTo(*this, getUpTo(),
                        {from->shape[1] * 16, from->shape[0] * 16}, "C5")))
    return failure();
  if (getSizes() && !getUpTo().empty())
    return emitOpError("(C5) has both sizes and up_to");
  int64_t width = to->shape[2] == 32 ? 32 : 16;
  int64_t m = getSizes() ? (*getSizes())[0] : from->shape[1] * 16;
  int64_t n = getSizes() ? (*getSizes())[1] : from->shape[0] * 16;
  int64_t blocks = llvm::divideCeil(n, width);
  if (from->shape[2] != 16 || from->shape[3] != 16 || to->shape[2] != width ||
      to->getStride(0) % width != 0 || to->shape[1] < m ||
      to->shape[0] != blocks)
    return emitOpError("(C2) takes [N1, M1, 16, 16] to [")
           << blocks << ", " << m << " or more, " << width << "]";
  return verifyInstruction(*this, kDrainLabels);
}
