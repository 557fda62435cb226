// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles in UB as values: the result of a scalar operation of a statement's body
// for all points of a box at once.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORTILES_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORTILES_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gc::poly {

/// Dimensions of the box, one bit each, bit 0 the outermost.
using DimMask = uint32_t;

/// A value that varies over some dimensions of a box. Without any, it is a
/// constant.
struct TileValue {
  /// Of the sizes of the dimensions in `dims`, in their order; null for a
  /// constant.
  mlir::Value memref;
  DimMask dims = 0;
  mlir::Type element;
  double constant = 0;
  /// Bits of a comparison, in row-major order of all dimensions in `dims`.
  bool isBits = false;
  /// Bits of rows with what is in the gaps between them.
  bool isPadded = false;
  /// Bits that the comparison wrote: whole repeats of what it compared.
  int64_t bits = 0;
  /// Number of the temporary buffer; -1 for what must not be overwritten.
  int buffer = -1;

  bool isConstant() const { return !memref; }
};

/// Makes tile ops for a box of iterations. Temporary buffers whose value is
/// dead are used again.
class TileBuilder {
public:
  TileBuilder(mlir::ImplicitLocOpBuilder &builder,
              llvm::ArrayRef<int64_t> sizes)
      : b(builder), sizes(sizes) {}

  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<int64_t> sizes;

  unsigned getRank() const { return sizes.size(); }
  DimMask getAll() const { return (DimMask(1) << sizes.size()) - 1; }
  DimMask getLast() const { return DimMask(1) << (sizes.size() - 1); }
  llvm::SmallVector<int64_t> getSizes(DimMask dims) const;

  /// A new temporary tile, or `target` if there is one. The rows of a tile of
  /// several rows begin at multiples of 32 bytes.
  TileValue allocate(mlir::Type element, DimMask dims, mlir::Value target);
  /// The same without gaps between rows: what reductions write.
  TileValue allocateDense(mlir::Type element, DimMask dims, mlir::Value target);
  void release(const TileValue &value);

  // Each writes `target` or, without one, a temporary tile.
  TileValue fill(double constant, mlir::Type element, DimMask dims,
                 mlir::Value target = {});
  TileValue unary(npu::UnaryKind kind, const TileValue &source,
                  mlir::Value target = {});
  TileValue scalar(npu::ScalarKind kind, const TileValue &source, double value,
                   mlir::Value target = {});
  TileValue cast(const TileValue &source, mlir::Type element,
                 mlir::Value target = {});
  /// Whether an operation over `dims` takes `rows` from a register for each row
  /// of `tile`. The register is of f32, whatever `tile` is.
  bool isRegister(npu::BinaryKind kind, const TileValue &rows,
                  const TileValue &tile, DimMask dims) const;
  /// Operands may lack dimensions of the result.
  mlir::FailureOr<TileValue> binary(npu::BinaryKind kind, const TileValue &lhs,
                                    const TileValue &rhs, DimMask dims,
                                    mlir::Value target = {});
  mlir::FailureOr<TileValue> compare(npu::ComparePredicate predicate,
                                     const TileValue &lhs,
                                     const TileValue &rhs);
  /// Whether all bits exist that a selection of such elements reads.
  bool canSelect(const TileValue &condition, mlir::Type element) const;
  mlir::FailureOr<TileValue> select(const TileValue &condition,
                                    const TileValue &lhs, const TileValue &rhs,
                                    mlir::Value target = {});
  TileValue copy(const TileValue &source, mlir::Value target);
  /// Over all of `dims`, from a value that lacks some.
  TileValue broadcast(const TileValue &source, DimMask dims,
                      mlir::Value target = {});

  /// Calls `emit` in loops over the dimensions `loops`, with an index for each
  /// of them in their order.
  void
  forEach(DimMask loops,
          llvm::function_ref<void(llvm::ArrayRef<mlir::Value> indices)> emit);
  /// The part of a value at `indices` of the dimensions `loops`, over its other
  /// dimensions, at least one.
  mlir::Value getPart(const TileValue &value, DimMask loops,
                      llvm::ArrayRef<mlir::Value> indices);
  /// The element at `indices` of `loops`, which are all of its dimensions, as
  /// an f32.
  mlir::Value loadScalar(const TileValue &value, DimMask loops,
                         llvm::ArrayRef<mlir::Value> indices);

private:
  /// The memref with a dimension of size 1 for each of `dims` that it lacks.
  mlir::Value expand(const TileValue &value, DimMask dims);
  mlir::Value getF32(double value);
  /// One repeat of a constant: [1, lanes].
  mlir::Value fillRepeat(double constant, mlir::Type element);
  /// A value for each row and a tile, in shapes of which the first can be
  /// broadcast to the second; nothing if there are none.
  std::optional<std::pair<mlir::Value, mlir::Value>>
  spreadRows(const TileValue &rows, const TileValue &tile);
  /// Over all of `dims`, with zeros in the gaps between rows.
  TileValue pad(const TileValue &value, DimMask dims);
  /// An operand without the last dimension becomes a register for each row.
  TileValue combineRows(npu::BinaryKind kind, const TileValue &tile,
                        const TileValue &rows, bool isRowsLeft, DimMask dims,
                        mlir::Value target);

  struct Buffer {
    mlir::Value memref;
    mlir::Type element;
    DimMask dims;
    bool isFree;
  };
  llvm::SmallVector<Buffer> buffers;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_VECTORTILES_H
