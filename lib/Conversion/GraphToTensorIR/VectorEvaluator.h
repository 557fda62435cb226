// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates fusible ops on one vector of the iteration space: loads what is in
// memory, uses what is known about the row, computes the rest.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTOREVALUATOR_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTOREVALUATOR_H

#include "PassPlan.h"

namespace gc {

/// What is known about a row: row values, and operands that do not vary in it.
/// One lane, or as many as a columnwise pass has.
struct RowValues {
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> operands;
};

class VectorEvaluator {
public:
  VectorEvaluator(mlir::OpBuilder &builder, mlir::Location loc,
                  const PassPlan &plan, const BufferMap &buffers)
      : builder(builder), loc(loc), plan(plan), buffers(buffers) {}

  /// Starts a vector. `row` is what is known about its row; `given` are
  /// operands that have been loaded by other means.
  void
  start(const Position &at, unsigned stageNumber, const RowValues &row,
        const llvm::DenseMap<mlir::OpOperand *, mlir::Value> *given = nullptr);
  /// States a value at the position.
  void set(mlir::Value value, mlir::Value vector) { computed[value] = vector; }

  /// The value at the position, as a vector of the compute type, rounded to its
  /// tensor's type; null after an error, which is reported.
  mlir::Value get(mlir::Value value);
  /// What an op reads.
  mlir::Value get(mlir::OpOperand &operand);
  /// Whether none of a vector's lanes has an element: windows are outside
  /// there. It is a constant, and so is what it was multiplied by.
  bool isAbsent(mlir::Value vector) const { return absent.contains(vector); }
  /// Stores vectors; all are evaluated before the first is stored.
  llvm::LogicalResult store(llvm::ArrayRef<Store> stores,
                            llvm::ArrayRef<mlir::Value> kept);
  /// Of several vectors all are evaluated before the first is stored, so that
  /// what they share is loaded once: their stores wait until `writeWaiting`.
  bool defersStores = false;
  void writeWaiting();

  /// Vectors of at most this many lanes start at multiples of their lanes in a
  /// row, longer ones at multiples of these, so that stores of streamed results
  /// may be marked aligned; 0: anywhere, and nothing is streamed.
  int64_t alignedLanes = 0;
  /// The lanes of a vector that ends a blocked dimension, and by the memref
  /// that it is stored to how many are written: the others are zeros.
  int64_t tailLanes = 0;
  llvm::DenseMap<mlir::Value, int64_t> paddedLanes;

private:
  /// Computes all results of an op; if that is impossible, reports why.
  llvm::LogicalResult compute(mlir::Operation *op);
  mlir::Value getIndexVector(mlir::Operation *op, unsigned dim);
  mlir::Value load(const Access &access);
  mlir::Value loadValue(mlir::Value value, const Access &access);
  /// Marks what fills a gap as a vector without elements, if that is certain.
  mlir::Value noteAbsent(mlir::Value vector, const Access &access);
  /// The result of an op without elements, if it is known from its operands:
  /// what has none takes no part in a sum of products, whatever the other
  /// factor is.
  mlir::Value foldAbsent(mlir::Operation *graphOp, mlir::Value result,
                         mlir::ValueRange operands);
  /// A vector of one lane as one of as many as the position has.
  mlir::Value widen(mlir::Value vector);

  /// A vector that is to be stored.
  struct Waiting {
    mlir::Value vector;
    Access access;
    Position position;
  };

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const PassPlan &plan;
  const BufferMap &buffers;

  Position position;
  std::vector<Waiting> waiting;
  unsigned stage = 0;
  const RowValues *row = nullptr;
  const llvm::DenseMap<mlir::OpOperand *, mlir::Value> *given = nullptr;
  llvm::DenseMap<mlir::Value, mlir::Value> computed;
  llvm::DenseSet<mlir::Value> absent;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_VECTOREVALUATOR_H
