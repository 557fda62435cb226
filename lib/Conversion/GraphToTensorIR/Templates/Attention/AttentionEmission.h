// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop nest of the attention template while it is emitted: panels of query
// rows, blocks of keys within them, tiles of scores.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_ATTENTIONEMISSION_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_ATTENTIONEMISSION_H

#include "AttentionRows.h"
#include "Dialect/Graph/IR/ElementBounds.h"
#include "RegionEmitter.h"

namespace gc {

class AttentionEmission {
public:
  AttentionEmission(RegionEmitter &emitter, graph::AttentionOp op);

  llvm::LogicalResult emit();

private:
  /// Checks the anchors and what the template requires of its operands.
  llvm::LogicalResult prepare();
  void makeBuffers();

  /// The panels of one part of the rows.
  void emitPanels(mlir::Value part);
  /// The same where panels may differ in how much they have to do.
  void emitDealtPanels(mlir::Value part, int64_t panels);
  void emitPanel(const Coord &panel);
  void emitKeys(const Coord &firstKey, int64_t keys);
  void emitUnmaskedKeys(const Coord &firstKey, int64_t keys);
  void emitTile(mlir::Value tile, const Coord &firstKey, int64_t keys);
  void emitUnmaskedTile(const Coord &firstKey, int64_t keys);

  /// Runs body where some row of `rows` has weights other than 0 for the keys;
  /// the rows are at `local` in a panel.
  void forUnmasked(const BoxDim &rows, const Coord &local,
                   const Coord &firstKey, int64_t keys,
                   llvm::function_ref<void()> body);
  /// The highest logit that the rows can have among the keys, as f32.
  mlir::Value emitHighestLogit(const BoxDim &rows, const Coord &firstKey,
                               int64_t keys);
  /// The lowest of the largest logits that rows of the panel have had so far.
  mlir::Value emitLowestMaximum(const BoxDim &rows, const Coord &local);
  /// The element of a value per head, in the compute type; null if it is not in
  /// memory.
  mlir::Value emitScalar(mlir::Value value);
  /// The element of a key that is the same for all rows, in the compute type.
  mlir::Value emitElement(const Buffer &buffer, const Coord &key);
  /// The bounds of integers or booleans of which there is one for each key,
  /// among the given keys; null for other values.
  graph::ElementBounds emitKeyBounds(mlir::Value value, const Coord &firstKey,
                                     int64_t keys);

  /// Copies elements of an operand to a buffer of the thread, or computes them
  /// there; `row` and `column` are in the operand's own orientation.
  void emitCopy(unsigned operand, const Buffer &to, const BoxDim &row,
                const BoxDim &column);
  /// Runs body for the static number of rows of the current tile.
  void forTileRows(llvm::function_ref<void(int64_t rows)> body);
  /// Runs body for the blocks of `size`, the last of which may be shorter.
  void
  forBlocks(int64_t size, int64_t block,
            llvm::function_ref<void(const Coord &start, int64_t size)> body);
  /// Runs body for each of the rows of a box dimension, relative to its start.
  void forRows(const BoxDim &rows, llvm::function_ref<void(mlir::Value)> body);
  /// Copies a block of values, whose rows fill whole groups.
  void emitValues(const Coord &firstKey, int64_t keys);
  void emitScores(int64_t rows, int64_t keys);
  void emitLogits(const Coord &firstKey, int64_t keys);
  void emitProducts(int64_t rows, int64_t keys);
  void emitKernel(int64_t rows, int64_t columns, int64_t reduced,
                  const Buffer &a, llvm::ArrayRef<Coord> aCoords,
                  const Buffer &b, llvm::ArrayRef<Coord> bCoords,
                  const Buffer &c, llvm::ArrayRef<Coord> cCoords,
                  bool accumulate);
  void emitPostOps();
  AttentionRows getRows();

  /// Columns that a kernel computes: whole vectors, which all buffers have room
  /// for.
  int64_t getKernelColumns(int64_t columns) const;

  RegionEmitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  graph::AttentionOp op;
  graph::AttentionTemplateAttr params;
  graph::AttentionSizes sizes;
  int64_t lanes;

  /// Types of both kernels' operands.
  KernelSpec types;
  /// The weights are in the scores where both are f32.
  Buffer query, key, value, scores, weights, result, max, sum;
  /// What computes an operand, in order.
  llvm::SmallVector<mlir::Operation *> preOps[3];

  llvm::SmallVector<Coord> batch;
  /// Rows of the current panel, and of the current tile in its panel.
  BoxDim panelRows = {0, 0}, tileRows = {0, 0};
  /// Number of tiles in a panel that may be the last one; whether the current
  /// tile is the one with the remaining rows.
  mlir::Value tiles, isRest;
  llvm::LogicalResult status = llvm::success();
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_ATTENTIONEMISSION_H
