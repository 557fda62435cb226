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

/// What there is before a step: rows of `columns` elements.
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
  /// One block a row: a group reduction makes the results. The last step.
  blocks,
  /// One repeat a row. The last step.
  repeats,
  /// A group reduction makes each block an element.
  groups,
  /// The second half of each row onto the first.
  fold,
  /// First columns and rest apart, then both results.
  split,
  /// A copy in f32.
  widen,
  /// A copy without gaps between rows.
  pack,
};

struct ReduceChoice {
  ReduceStep step;
  /// Columns of the part that the step leaves; of the first one of `split`.
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

  /// What `choice` leaves: of `split`, its first part.
  RowState getNext(const RowState &state, const ReduceChoice &choice) const;
  RowState getRest(const RowState &state, const ReduceChoice &choice) const;

  VectorKind getBinaryKind() const;
  VectorKind getRepeatKind() const;
  VectorKind getGroupKind() const;
  /// Element type that a group reduction of `type` gives.
  DType getGroupType(DType type) const;

  /// Rows of the first part of ReduceStep::blocks; the others are a part of
  /// their own, since results begin at blocks.
  int64_t getMainRows() const;
  /// Repeats of one instruction whose results are `bytes` a repeat, so that the
  /// next instruction's begin at a block.
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
