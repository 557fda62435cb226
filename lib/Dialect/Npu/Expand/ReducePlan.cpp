// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReducePlan.h"
#include "Dialect/Npu/IR/ReduceCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

/// Blocks of a repeat: results of a group reduction.
static constexpr int64_t kBlocks = kRepeatBytes / kBlockBytes;

static VectorKind shift(VectorKind first, ReduceKind kind) {
  return static_cast<VectorKind>(static_cast<int>(first) +
                                 static_cast<int>(kind));
}

VectorKind ReducePlanner::getBinaryKind() const {
  return kind == ReduceKind::sum   ? VectorKind::add
         : kind == ReduceKind::max ? VectorKind::max
                                   : VectorKind::min;
}
VectorKind ReducePlanner::getRepeatKind() const {
  return shift(VectorKind::reduce_sum, kind);
}
VectorKind ReducePlanner::getGroupKind() const {
  return shift(VectorKind::group_sum, kind);
}

DType ReducePlanner::getGroupType(DType type) const {
  return result == DType::f32 ? DType::f32 : type;
}

int64_t ReducePlanner::getMainRows() const {
  if (rows % kBlocks == 0)
    return rows;
  int64_t unit = std::max(kBlocks, getC0(result));
  return rows / unit * unit;
}

int64_t ReducePlanner::getMaxRepeat(int64_t bytes) const {
  int64_t unit = std::max<int64_t>(1, kBlockBytes / bytes);
  return machine.maxRepeat / unit * unit;
}

int64_t ReducePlanner::getStepCycles(VectorKind op, DType target, DType source,
                                     int64_t instructions,
                                     int64_t repeats) const {
  Cost cost = getCost(machine, makeVector(op, target, source, 1, std::nullopt));
  return cost.head + (instructions - 1) * cost.busyHead + repeats * cost.busy +
         cost.tail;
}

int64_t ReducePlanner::getConversionCycles(DType type) const {
  return getStepCycles(VectorKind::convert, type, result, 1,
                       llvm::divideCeil(rows * getBytes(result), kRepeatBytes));
}

bool ReducePlanner::isRounded(const RowState &state) {
  if (kind != ReduceKind::sum || result != DType::f16)
    return false;
  std::optional<ReduceChoice> choice = choose(state);
  return !choice || (choice->step != ReduceStep::blocks &&
                     choice->step != ReduceStep::repeats);
}

int64_t ReducePlanner::getRepeats(int64_t columns, DType type) const {
  int64_t lanes = kRepeatBytes / getBytes(type);
  return std::min<int64_t>(rows * llvm::divideCeil(columns, lanes),
                           llvm::divideCeil(rows, kBlocks) *
                               llvm::divideCeil(columns, getC0(type)));
}

int64_t ReducePlanner::getBlocksCycles(DType type) const {
  int64_t main = getMainRows(), rest = rows - main;
  int64_t cycles = 0;
  if (main > 0)
    cycles += getStepCycles(getGroupKind(), result, type, 1, main / kBlocks);
  if (rest > kBlocks)
    cycles += getStepCycles(getRepeatKind(), result, type, 1, rest);
  else if (rest > 0)
    cycles += getStepCycles(getGroupKind(), result, type, 1, 1);
  return cycles;
}

/// So that elements without a counterpart need not be copied.
static bool isInPlace(const RowState &state, const ReduceChoice &choice) {
  return choice.step == ReduceStep::fold && state.isScratch &&
         state.columns != 2 * choice.columns;
}

RowState ReducePlanner::getNext(const RowState &state,
                                const ReduceChoice &choice) const {
  RowState next = state;
  next.columns = choice.columns;
  if (choice.step == ReduceStep::split)
    return next;
  if (choice.step == ReduceStep::groups)
    next.type = getGroupType(state.type);
  if (choice.step == ReduceStep::widen)
    next.type = DType::f32;
  if (!isInPlace(state, choice))
    next.strideBlocks = llvm::divideCeil(next.columns, getC0(next.type));
  next.isScratch = true;
  return next;
}

RowState ReducePlanner::getRest(const RowState &state,
                                const ReduceChoice &choice) const {
  RowState rest = state;
  rest.columns = state.columns - choice.columns;
  return rest;
}

void ReducePlanner::consider(std::optional<ReduceChoice> &best,
                             const RowState &state, ReduceChoice choice) {
  bool isLast =
      choice.step == ReduceStep::blocks || choice.step == ReduceStep::repeats;
  if (!isLast) {
    std::optional<ReduceChoice> next = choose(getNext(state, choice));
    if (!next)
      return;
    choice.cycles += next->cycles;
  }
  if (choice.step == ReduceStep::split) {
    std::optional<ReduceChoice> rest = choose(getRest(state, choice));
    if (!rest)
      return;
    choice.cycles += rest->cycles;
  }
  if (!best || choice.cycles < best->cycles)
    best = choice;
}

std::optional<ReduceChoice> ReducePlanner::choose(const RowState &state) {
  if (auto it = known.find(state); it != known.end())
    return it->second;
  std::optional<ReduceChoice> best;
  DType type = state.type;
  int64_t columns = state.columns, blockLanes = getC0(type);
  int64_t lanes = kRepeatBytes / getBytes(type);
  // Sums into f32 are in f32 from the first addition on.
  bool isWide = type != result;

  bool isReachable = rows == 1 || state.strideBlocks <= machine.maxStride;
  bool isGrouped =
      isReachable &&
      (rows <= kBlocks || state.strideBlocks * kBlocks <= machine.maxStride);
  if (columns <= blockLanes && isGrouped)
    consider(best, state, make(ReduceStep::blocks, 1, getBlocksCycles(type)));
  if (columns <= lanes && isReachable)
    consider(
        best, state,
        make(ReduceStep::repeats, 1,
             getStepCycles(getRepeatKind(), result, type,
                           llvm::divideCeil(rows, machine.maxRepeat), rows)));

  DType groupType = getGroupType(type);
  // Whole repeats, and results that fill blocks.
  int64_t unit = std::max(lanes, blockLanes * getC0(groupType));
  if (columns % unit == 0) {
    int64_t repeats = rows * columns / lanes;
    int64_t instructions = llvm::divideCeil(repeats, machine.maxRepeat);
    if (!state.isContiguous() && rows > 1)
      instructions =
          rows * llvm::divideCeil(columns / lanes, machine.maxRepeat);
    consider(best, state,
             make(ReduceStep::groups, columns / blockLanes,
                  getStepCycles(getGroupKind(), groupType, type, instructions,
                                repeats)));
  } else if (columns > unit) {
    consider(best, state,
             make(ReduceStep::split, columns / unit * unit,
                  getStepCycles(getBinaryKind(), result, result, 1,
                                getRepeats(1, result))));
  }
  if (isWide && columns > lanes && columns % lanes != 0)
    consider(best, state,
             make(ReduceStep::split, columns / lanes * lanes,
                  getStepCycles(getBinaryKind(), result, result, 1,
                                getRepeats(1, result))));

  if (columns > blockLanes && !isWide) {
    int64_t half = llvm::alignTo(llvm::divideCeil(columns, 2), blockLanes);
    int64_t repeats = getRepeats(columns - half, type);
    int64_t cycles =
        getStepCycles(getBinaryKind(), type, type,
                      llvm::divideCeil(repeats, machine.maxRepeat), repeats);
    if ((columns - half) % blockLanes != 0)
      cycles += machine.partialMaskCycles;
    if (!state.isScratch && columns != 2 * half)
      cycles +=
          getStepCycles(VectorKind::copy, type, type, 1,
                        getRepeats(2 * half - columns + blockLanes - 1, type));
    consider(best, state, make(ReduceStep::fold, half, cycles));
  }
  if (isWide) {
    int64_t repeats = getRepeats(columns, DType::f32);
    consider(best, state,
             make(ReduceStep::widen, columns,
                  getStepCycles(VectorKind::convert, DType::f32, type,
                                llvm::divideCeil(repeats, machine.maxRepeat),
                                repeats)));
  }
  bool isLoose = state.strideBlocks >
                 static_cast<int64_t>(llvm::divideCeil(columns, blockLanes));
  if (isLoose && !state.isScratch && rows > 1) {
    int64_t repeats = getRepeats(columns, type);
    consider(best, state,
             make(ReduceStep::pack, columns,
                  getStepCycles(VectorKind::copy, type, type,
                                llvm::divideCeil(repeats, machine.maxRepeat),
                                repeats)));
  }
  known[state] = best;
  return best;
}

int64_t ReducePlanner::countBytes(const RowState &state, int64_t own) {
  ReduceChoice choice = *choose(state);
  if (choice.step == ReduceStep::blocks || choice.step == ReduceStep::repeats)
    return own;
  RowState next = getNext(state, choice);
  if (choice.step == ReduceStep::split) {
    int64_t rest = own + rows * getBytes(result);
    return std::max(countBytes(next, own),
                    countBytes(getRest(state, choice), rest));
  }
  if (isInPlace(state, choice))
    return countBytes(next, own);
  int64_t left = rows * next.strideBlocks * kBlockBytes;
  return std::max(own + left, countBytes(next, left));
}

//===----------------------------------------------------------------------===//
// What a reduction takes
//===----------------------------------------------------------------------===//

std::optional<ReduceCost> gc::npu::getReduceCost(const Machine &machine,
                                                 ReduceKind kind, DType source,
                                                 DType result, int64_t rows,
                                                 int64_t columns) {
  int64_t blocks = llvm::divideCeil(columns, getC0(source));
  RowState state{columns, source, blocks, false};
  ReducePlanner direct(machine, kind, result, rows);
  if (!direct.isRounded(state)) {
    std::optional<ReduceChoice> choice = direct.choose(state);
    if (!choice)
      return std::nullopt;
    return ReduceCost{choice->cycles, direct.countBytes(state)};
  }
  // In f32, and then the cast.
  ReducePlanner wide(machine, kind, DType::f32, rows);
  std::optional<ReduceChoice> choice = wide.choose(state);
  if (!choice)
    return std::nullopt;
  return ReduceCost{choice->cycles + wide.getConversionCycles(result),
                    wide.countBytes(state) + rows * getBytes(DType::f32)};
}
