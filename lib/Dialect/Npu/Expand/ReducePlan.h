// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How rows become one element each: a sequence of steps, the cheapest by the
// machine's costs among those that lead to the end.

#ifndef GC_LIB_DIALECT_NPU_EXPAND_REDUCEPLAN_H
#define GC_LIB_DIALECT_NPU_EXPAND_REDUCEPLAN_H

#include "VectorPlan.h"
#include <map>
#include <tuple>

namespace gc::npu {

/// The state before a step: rows of `columns` elements.
struct RowState {
  int64_t columns;
  DType type;
  /// Blocks of 32 bytes from one row to the next.
  int64_t strideBlocks;
  /// The rows are in a buffer of the reduction, which may be overwritten.
  bool isScratch;

  bool isContiguous() const { return strideBlocks * getC0(type) == columns; }
  bool operator<(const RowState &other) const {
    return std::tie(columns, type, strideBlocks, isScratch) <
           std::tie(other.columns, other.type, other.strideBlocks,
                    other.isScratch);
  }
};

enum class ReduceStep {
  /// One block per row: a group reduction produces the results. The last step.
  blocks,
  /// One repeat per row. The last step.
  repeats,
  /// A group reduction reduces each block to an element.
  groups,
  /// Combines the second half of each row with the first.
  fold,
  /// The first columns and the rest separately, then both results.
  split,
  /// A copy in f32.
  widen,
  /// A copy without gaps between rows.
  pack,
};

struct ReduceChoice {
  ReduceStep step;
  /// Columns of the part that the step leaves; for `split`, of the first part.
  int64_t columns = 0;
  /// Cycles from the step to the end of the reduction.
  int64_t cycles = 0;
};

class ReducePlanner {
public:
  ReducePlanner(const Machine &machine, ReduceKind kind, DType result,
                int64_t rows)
      : machine(machine), kind(kind), result(result), rows(rows) {}

  /// The step to take from `state`; none if there is no way to the end.
  std::optional<ReduceChoice> choose(const RowState &state);

  /// What `choice` leaves; for `split`, its first part.
  RowState getNext(const RowState &state, const ReduceChoice &choice) const;
  RowState getRest(const RowState &state, const ReduceChoice &choice) const;

  /// Whether partial sums would be rounded to f16, so that the rows have to be
  /// added up in f32: they are not one instruction.
  bool isRounded(const RowState &state);
  /// Cycles of the cast of all results to `type`.
  int64_t getConversionCycles(DType type) const;
  /// The most bytes of buffers that are alive at a time from `state` on, of
  /// which there is a way to the end. `own` are those of the state itself.
  int64_t countBytes(const RowState &state, int64_t own = 0);

  VectorKind getBinaryKind() const;
  VectorKind getRepeatKind() const;
  VectorKind getGroupKind() const;
  /// Element type that a group reduction of `type` gives.
  DType getGroupType(DType type) const;

  /// Rows of the first part of ReduceStep::blocks; the others form a separate
  /// part, since results begin at blocks.
  int64_t getMainRows() const;
  /// Repeats of one instruction whose results are `bytes` per repeat, so that
  /// the next instruction's results begin at a block.
  int64_t getMaxRepeat(int64_t bytes) const;

private:
  ReduceChoice make(ReduceStep step, int64_t columns, int64_t cycles) const {
    return {step, columns, cycles};
  }
  /// Cycles of a step that begins when the one before it is visible.
  int64_t getStepCycles(VectorKind op, DType target, DType source,
                        int64_t instructions, int64_t repeats) const;
  /// Repeats of an elementwise op on `columns` of each row.
  int64_t getRepeats(int64_t columns, DType type) const;
  int64_t getBlocksCycles(DType type) const;
  void consider(std::optional<ReduceChoice> &best, const RowState &state,
                ReduceChoice choice);

  const Machine &machine;
  ReduceKind kind;
  DType result;
  int64_t rows;
  std::map<RowState, std::optional<ReduceChoice>> known;
};

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_EXPAND_REDUCEPLAN_H
