// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The vector code of online softmax: what happens to one row of scores between
// the two products, and to a row of the result before and after all keys.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_ATTENTIONROWS_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_ATTENTIONROWS_H

#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gc {

/// Rows in buffers of one thread, for softmax of one kind. After some keys have
/// been processed, with logits x and m the largest of them, `max` holds m,
/// `sum` the sum of e^(x - m), and `result` the sum of e^(x - m) times the row
/// of values (M. Milakov, N. Gimelshein, "Online normalizer calculation for
/// softmax", 2018). A row whose logits are all -inf has the sum 0, so its
/// result becomes NaN, or 0 with inf_as_zero. With unshifted, m is 0 and there
/// is not `max`.
class AttentionRows {
public:
  /// `scores` [RB, SB], `result` [MB, columns], `max` and `sum` [MB], all f32;
  /// `weights` [RB, SB], which may be `scores`; rows have room for whole
  /// vectors of `lanes` lanes. Scores are rounded to `logits` when they are
  /// read.
  AttentionRows(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
                graph::SoftmaxMode mode, mlir::Type logits, mlir::Value scores,
                mlir::Value weights, mlir::Value result, mlir::Value max,
                mlir::Value sum)
      : builder(builder), loc(loc), lanes(lanes), mode(mode), logits(logits),
        scores(scores), weights(weights), result(result), max(max), sum(sum),
        type(mlir::VectorType::get(lanes, builder.getF32Type())) {}

  /// No key has been processed for row `row`.
  void emitStart(mlir::Value row);
  /// The weights of `keys` logits of row `scoreRow` become e^(x - m); maximum,
  /// sum and result of row `row` are rescaled to the new maximum m. The last
  /// vector of weights, and the last group of 32 bits, are filled with 0.
  void emitBlock(mlir::Value scoreRow, mlir::Value row, int64_t keys);
  /// Divides row `row` of the result by its sum.
  void emitEnd(mlir::Value row);

private:
  using Body =
      llvm::function_ref<void(int64_t accumulator, mlir::Value column)>;

  mlir::Value constant(double value);
  mlir::Value constantVector(double value);
  mlir::Value index(int64_t value);
  /// Walks through `columns` (whole vectors), as many at a time as there are
  /// `values`, each of which the body replaces with a new one.
  void walk(int64_t columns, llvm::SmallVectorImpl<mlir::Value> &values,
            Body body);
  /// Replaces each vector of a row of the result.
  void updateResult(mlir::Value row,
                    llvm::function_ref<mlir::Value(mlir::Value)> update);
  /// Combines the maximum of `columns` logits of row `scoreRow` with that of
  /// row `row`, and rescales the row's sum and result to it. Returns what to
  /// subtract from the logits, as a vector, and the sum.
  std::pair<mlir::Value, mlir::Value>
  emitMaximum(mlir::Value scoreRow, mlir::Value row, int64_t columns);
  mlir::Value loadScores(mlir::Value scoreRow, mlir::Value column);
  mlir::Value exponential(mlir::Value x);
  mlir::Value larger(mlir::Value a, mlir::Value b);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t lanes;
  graph::SoftmaxMode mode;
  mlir::Type logits;
  mlir::Value scores, weights, result, max, sum;
  mlir::VectorType type;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_ATTENTIONROWS_H
