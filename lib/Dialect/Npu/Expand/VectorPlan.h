// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How vector instructions cover a nest: which dimension the blocks of a repeat
// run along, which one the repeats, and which are left for loops.

#ifndef GC_LIB_DIALECT_NPU_EXPAND_VECTORPLAN_H
#define GC_LIB_DIALECT_NPU_EXPAND_VECTORPLAN_H

#include "Nest.h"

namespace gc::npu {

/// Instructions of one form. The box of the piece has all that one covers.
struct VectorPiece : Piece {
  int64_t repeat = 1;
  /// Lanes of a repeat; all if the mask is not given.
  std::optional<std::array<uint64_t, 2>> mask;
  /// Blocks: of target, source 0 and source 1, from block to block and from
  /// repeat to repeat.
  std::array<int64_t, 6> strides = {1, 8, 1, 8, 1, 8};
};

struct VectorPlan {
  llvm::SmallVector<VectorPiece, 0> pieces;
  /// Cycles that V is busy; every head except the first is that of a busy pipe.
  int64_t cycles = 0;
};

/// Bits of lanes: `lanes` of each of `blocks` blocks of `blockLanes`.
std::array<uint64_t, 2> getLaneMask(int64_t lanes, int64_t blocks,
                                    int64_t blockLanes);

/// Cycles of one instruction that follows another one on the pipe.
int64_t getBusyCycles(const Machine &machine, const Instruction &instruction);

/// A vector instruction without addresses, to ask what it costs.
Instruction makeVector(VectorKind kind, DType target, DType source,
                       int64_t repeat,
                       std::optional<std::array<uint64_t, 2>> mask);

/// The cheapest plan for an elementwise op on a nest: target first, then one or
/// two sources, or none. None if no instruction can address the rows.
std::optional<VectorPlan> planElementwise(const Machine &machine,
                                          const Nest &nest, VectorKind kind);

/// The instruction of `piece` on these operands.
void emitVector(mlir::OpBuilder &builder, mlir::Location loc, VectorKind kind,
                mlir::ValueRange sources, mlir::Value target,
                mlir::Value scalar, const VectorPiece &piece);

/// Plans and emits an elementwise op on tiles. Returns none, and emits nothing,
/// if no instruction can address the rows; else the cycles.
std::optional<int64_t> emitElementwise(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       const Machine &machine, VectorKind kind,
                                       mlir::ValueRange sources,
                                       mlir::Value target,
                                       mlir::Value scalar = {});

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_EXPAND_VECTORPLAN_H
