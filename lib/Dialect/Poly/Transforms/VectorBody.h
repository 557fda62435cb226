// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a statement, operations on scalars, as ops on tiles in UB.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORBODY_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORBODY_H

#include "Dialect/Poly/Transforms/VectorUnit.h"
#include "VectorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace gc::poly {

/// The instruction that computes an operation, or nothing.
std::optional<npu::BinaryKind> getBinaryKind(mlir::Operation *op);
std::optional<npu::UnaryKind> getUnaryKind(mlir::Operation *op);
std::optional<npu::ComparePredicate> getPredicate(mlir::arith::CmpFOp compare);

/// Whether an operation casts an element to another type.
bool isCast(mlir::Operation *op);
/// Casts are one instruction, or two of which the first casts to f16.
enum class CastPath { direct, throughF16 };
/// How an element is cast; nothing if the vector unit cannot do it.
std::optional<CastPath> getCastPath(mlir::Type from, mlir::Type to);

/// Evaluates values of a body, each once. Emits errors at `anchor`.
class BodyEvaluator {
public:
  BodyEvaluator(TileBuilder &tiles, mlir::Operation *anchor)
      : tiles(tiles), anchor(anchor) {}

  /// Says what a value, an argument of the body, is.
  void set(mlir::Value value, const TileValue &tile) { known[value] = tile; }

  /// The tile of `value`, over its own dimensions; if they are all of `dims`,
  /// it is written to `target`.
  mlir::FailureOr<TileValue> evaluate(mlir::Value value, DimMask dims,
                                      mlir::Value target = {});
  /// Writes `value` to `target`, over all of `dims`.
  mlir::LogicalResult write(mlir::Value value, DimMask dims,
                            mlir::Value target);

private:
  mlir::FailureOr<TileValue> evaluateOp(mlir::Operation *op, DimMask dims,
                                        mlir::Value target);
  mlir::FailureOr<TileValue> evaluateBinary(mlir::Operation *op,
                                            npu::BinaryKind kind,
                                            mlir::Type element, DimMask dims,
                                            mlir::Value target);
  mlir::FailureOr<TileValue> evaluateCast(mlir::Operation *op, DimMask dims,
                                          mlir::Value target);
  mlir::FailureOr<TileValue> evaluateSelect(mlir::Operation *op,
                                            mlir::Value whenTrue,
                                            mlir::Value whenFalse,
                                            mlir::Type element, DimMask dims,
                                            mlir::Value target);
  mlir::FailureOr<TileValue> evaluateCompare(mlir::Operation *op, DimMask dims);
  /// The operand in another type of the machine if that is exact: the f16 that
  /// it was extended from, a constant.
  mlir::Value narrow(mlir::Value value, mlir::Type element);
  /// Whether operand `number` of an operation, rounded to `element`, is a
  /// register of f32 for each row of the other one, a tile of `element`.
  bool isRegister(mlir::Operation *op, unsigned number, mlir::Type element,
                  DimMask dims);
  /// Uses of a value are counted, so that its buffer becomes free.
  void use(mlir::Value value);

  TileBuilder &tiles;
  mlir::Operation *anchor;
  llvm::DenseMap<mlir::Value, TileValue> known;
  llvm::DenseMap<mlir::Value, int> uses;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORBODY_H
