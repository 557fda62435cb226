// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorPlan.h"

using namespace mlir;
using namespace gc::npu;

static constexpr int64_t kBlocks = kRepeatBytes / kBlockBytes;

std::array<uint64_t, 2> gc::npu::getLaneMask(int64_t lanes, int64_t blocks,
                                             int64_t blockLanes) {
  std::array<uint64_t, 2> mask = {0, 0};
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t bit = block * blockLanes + lane;
      mask[bit / 64] |= uint64_t(1) << bit % 64;
    }
  return mask;
}

Instruction gc::npu::makeVector(VectorKind kind, DType target, DType source,
                                int64_t repeat,
                                std::optional<std::array<uint64_t, 2>> mask) {
  Instruction instruction(Opcode::vector);
  instruction.vectorOp = static_cast<VectorOp>(kind);
  instruction.dstType = target;
  instruction.type = source;
  instruction.dst = instruction.src0 = instruction.src1 = instruction.src2 =
      Address(Space::ub, 0);
  uint64_t all = ~uint64_t(0);
  instruction.vector = {repeat,
                        mask ? (*mask)[0] : all,
                        mask ? (*mask)[1] : all,
                        1,
                        8,
                        1,
                        8,
                        1,
                        8,
                        0.0};
  return instruction;
}

int64_t gc::npu::getBusyCycles(const Machine &machine,
                               const Instruction &instruction) {
  Cost cost = getCost(machine, instruction);
  return cost.busyHead + cost.busy;
}

namespace {
class Planner {
public:
  Planner(const Machine &machine, const Nest &nest, VectorKind kind)
      : machine(machine), nest(nest), kind(kind) {
    for (const NestOperand &operand : nest.operands) {
      widest = std::max(widest, getBytes(operand.tile.dtype));
      isUniform &= operand.tile.dtype == nest.operands[0].tile.dtype;
    }
    laneCount = kRepeatBytes / widest;
    blockLanes = kBlockBytes / widest;
  }

  std::optional<VectorPlan> plan() {
    alongRow();
    // Rows that end within a block are cheaper side by side.
    for (size_t dim = 0; isUniform && dim + 1 < nest.dims.size(); ++dim)
      alongDim(dim);
    return best;
  }

private:
  /// The blocks of a repeat are adjacent.
  void alongRow();
  /// The blocks of a repeat are in as many rows.
  void alongDim(size_t blockDim);

  /// Whether the instruction's strides can follow `dim`.
  bool isReachable(const Dim &dim) const;
  /// Blocks from one index of `dim` to the next.
  int64_t getBlockStride(const Dim &dim, size_t operand) const {
    return nest.getStride(dim, operand) / kBlockBytes;
  }

  /// Chooses what the repeats of `piece` run along, and adds the instructions
  /// to `plan`. `piece.loops` has all dimensions that are left.
  void addRepeats(VectorPlan &plan, const VectorPiece &piece) const;
  int64_t addPiece(VectorPlan &plan, VectorPiece piece) const;
  void finish(VectorPlan plan) {
    if (isPossible && (!best || plan.cycles < best->cycles))
      best = std::move(plan);
    isPossible = true;
  }

  const Machine &machine;
  const Nest &nest;
  VectorKind kind;
  int64_t widest = 1, laneCount, blockLanes;
  bool isUniform = true;
  mutable bool isPossible = true;
  std::optional<VectorPlan> best;
};
} // namespace

/// Cuts `dim` into pieces of `size` indices, which one piece loops over, and a
/// remainder. `fn` gets both, if there are any, with the indices in their
/// boxes.
static void split(const VectorPiece &piece, const Dim &dim, int64_t size,
                  llvm::function_ref<void(VectorPiece, int64_t)> fn) {
  int64_t full = dim.size / size, rest = dim.size % size;
  if (full > 0) {
    VectorPiece part = piece;
    part.box.push_back(dim.withSize(size));
    part.loops.push_back(dim.every(size, full));
    fn(std::move(part), size);
  }
  if (rest > 0) {
    VectorPiece part = piece;
    part.box.push_back(dim.withSize(rest));
    part.advance(dim, full * size);
    fn(std::move(part), rest);
  }
}

bool Planner::isReachable(const Dim &dim) const {
  for (size_t index = 0; index < nest.operands.size(); ++index) {
    int64_t stride = nest.getStride(dim, index);
    if (stride % kBlockBytes != 0 || stride / kBlockBytes > machine.maxStride ||
        (index == 0 && stride == 0))
      return false;
  }
  return true;
}

int64_t Planner::addPiece(VectorPlan &plan, VectorPiece piece) const {
  // Every instruction begins at a block.
  for (size_t index = 0; index < nest.operands.size(); ++index) {
    for (const Dim &dim : piece.loops)
      if (dim.size > 1 && nest.getStride(dim, index) % kBlockBytes != 0)
        isPossible = false;
  }
  const Tile &target = nest.operands.front().tile,
             &source = nest.operands[nest.operands.size() > 1 ? 1 : 0].tile;
  int64_t cycles =
      piece.getNumInstructions() *
      getBusyCycles(machine, makeVector(kind, target.dtype, source.dtype,
                                        piece.repeat, piece.mask));
  plan.cycles += cycles;
  plan.pieces.push_back(std::move(piece));
  return cycles;
}

void Planner::addRepeats(VectorPlan &plan, const VectorPiece &piece) const {
  std::optional<VectorPlan> cheapest;
  auto consider = [&](VectorPlan candidate) {
    if (!cheapest || candidate.cycles < cheapest->cycles)
      cheapest = std::move(candidate);
  };
  for (size_t index = 0; index < piece.loops.size(); ++index) {
    const Dim &dim = piece.loops[index];
    if (dim.size == 1 || !isReachable(dim))
      continue;
    VectorPlan candidate;
    VectorPiece rest = piece;
    rest.loops.erase(rest.loops.begin() + index);
    for (size_t operand = 0; operand < nest.operands.size(); ++operand)
      rest.strides[2 * operand + 1] = getBlockStride(dim, operand);
    split(rest, dim, machine.maxRepeat, [&](VectorPiece part, int64_t count) {
      part.repeat = count;
      addPiece(candidate, std::move(part));
    });
    consider(std::move(candidate));
  }
  if (!cheapest) {
    VectorPlan candidate;
    addPiece(candidate, piece);
    consider(std::move(candidate));
  }
  llvm::append_range(plan.pieces, cheapest->pieces);
  plan.cycles += cheapest->cycles;
}

void Planner::alongRow() {
  const Dim &row = nest.dims.back();
  VectorPlan plan;
  VectorPiece piece;
  static_cast<Piece &>(piece) = nest.getWhole();
  piece.loops.append(nest.dims.begin(), nest.dims.end() - 1);
  split(piece, row, laneCount, [&](VectorPiece part, int64_t lanes) {
    if (lanes != laneCount)
      part.mask = getLaneMask(lanes, 1, blockLanes);
    addRepeats(plan, part);
  });
  finish(std::move(plan));
}

void Planner::alongDim(size_t blockDim) {
  const Dim &row = nest.dims.back(), &rows = nest.dims[blockDim];
  if (!isReachable(rows))
    return;
  VectorPlan plan;
  VectorPiece whole;
  static_cast<Piece &>(whole) = nest.getWhole();
  for (size_t dim = 0; dim + 1 < nest.dims.size(); ++dim)
    if (dim != blockDim)
      whole.loops.push_back(nest.dims[dim]);
  for (size_t operand = 0; operand < nest.operands.size(); ++operand)
    whole.strides[2 * operand] = getBlockStride(rows, operand);

  split(whole, row, blockLanes, [&](const VectorPiece &blocks, int64_t lanes) {
    split(blocks, rows, kBlocks, [&](VectorPiece part, int64_t count) {
      if (lanes != blockLanes || count != kBlocks)
        part.mask = getLaneMask(lanes, count, blockLanes);
      addRepeats(plan, part);
    });
  });
  finish(std::move(plan));
}

std::optional<VectorPlan> gc::npu::planElementwise(const Machine &machine,
                                                   const Nest &nest,
                                                   VectorKind kind) {
  return Planner(machine, nest, kind).plan();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

void gc::npu::emitVector(OpBuilder &builder, Location loc, VectorKind kind,
                         ValueRange sources, Value target, Value scalar,
                         const VectorPiece &piece) {
  DenseI64ArrayAttr mask, strides;
  if (piece.mask)
    mask =
        builder.getDenseI64ArrayAttr({static_cast<int64_t>((*piece.mask)[0]),
                                      static_cast<int64_t>((*piece.mask)[1])});
  if (piece.strides != VectorPiece().strides)
    strides = builder.getDenseI64ArrayAttr(piece.strides);
  VectorInstructionOp::create(builder, loc, kind, sources, target, scalar,
                              static_cast<uint64_t>(piece.repeat), mask,
                              strides);
}

std::optional<int64_t>
gc::npu::emitElementwise(OpBuilder &builder, Location loc,
                         const Machine &machine, VectorKind kind,
                         ValueRange sources, Value target, Value scalar) {
  SmallVector<Value> operands{target};
  llvm::append_range(operands, sources);
  Nest nest = Nest::fromTiles(builder, loc, operands);
  std::optional<VectorPlan> plan = planElementwise(machine, nest, kind);
  if (!plan)
    return std::nullopt;
  for (const VectorPiece &piece : plan->pieces)
    emit(builder, loc, nest, piece,
         [&](OpBuilder &inner, ArrayRef<Value> views) {
           emitVector(inner, loc, kind, views.drop_front(), views.front(),
                      scalar, piece);
         });
  return plan->cycles;
}
