// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Helpers on tensor types and shapes that ops, attributes and passes share:
// layouts as encodings, numpy broadcasting, sizes.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHTYPES_H
#define GC_DIALECT_GRAPH_IR_GRAPHTYPES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeRange.h"

#include <optional>

namespace gc::graph {

class LayoutAttr;

/// The tensor type without its layout.
mlir::Type dropLayout(mlir::Type type);

/// The layout of a tensor type; null means plain.
LayoutAttr getLayout(mlir::Type type);

/// The tensor type with another layout (null: plain).
mlir::RankedTensorType withLayout(mlir::Type type, LayoutAttr layout);

/// Whether two lists of tensor types have equal element types and compatible
/// shapes; layouts are ignored, a dynamic size is compatible with any size.
bool areCompatibleTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);

/// The same, but element types may also be f32 on one side and bf16 or f16 on
/// the other.
bool areCastableTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);

/// The signless type in which elements are stored in memory: booleans and 4-bit
/// integers take a byte each (but see sharesBytes).
mlir::Type getStorageType(mlir::Type element);

/// Whether two elements share a byte, the first of them in its lower half:
/// 4-bit integers in a layout that kernels read, whose innermost block is a
/// group of neighbours of a dimension that is already blocked.
bool sharesBytes(mlir::RankedTensorType type);

/// The type in which elements are computed: f32 for floating-point numbers, i1
/// for booleans, else the storage type.
mlir::Type getComputeType(mlir::Type element);
/// The element of a constant with equal elements, in the compute type.
mlir::TypedAttr getComputeScalar(mlir::SplatElementsAttr splat);

/// Whether two tensors have the same rows: they have equal rank, and only the
/// last dimension may differ.
bool haveSameRows(mlir::Type a, mlir::Type b);

/// Row-major element strides of a static shape.
llvm::SmallVector<int64_t> getPlainStrides(llvm::ArrayRef<int64_t> shape);

/// Whether a microkernel can read the matrices in the last two dimensions of a
/// tensor of static shape in place: the elements of a row must be adjacent, and
/// rows must not overlap. With `transposed` the last dimension is the rows.
bool isReadableInPlace(mlir::RankedTensorType type, bool transposed);

/// The shape that numpy broadcasting gives, or nothing if there is none.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Result type of a binary op with broadcasting; reports (C1), (C2) at `loc`.
llvm::LogicalResult
inferBroadcastType(std::optional<mlir::Location> loc, mlir::Type lhs,
                   mlir::Type rhs, llvm::StringRef autoBroadcast,
                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Result type of the gradient of an elementwise function, from those of src
/// and diff_dst; reports (C1), (C2) at `loc`.
llvm::LogicalResult inferGradientType(std::optional<mlir::Location> loc,
                                      mlir::TypeRange operands,
                                      llvm::SmallVectorImpl<mlir::Type> &types);

/// The shape of a slope of prelu, with a size for each dimension of `src` (1
/// where it is broadcast); null if it does not broadcast to it.
std::optional<llvm::SmallVector<int64_t>>
getSlopeShape(llvm::ArrayRef<int64_t> src, llvm::ArrayRef<int64_t> slope,
              llvm::StringRef dataFormat, bool perChannel);

/// Reports (C2) of a binary op with broadcasting: the element types of its
/// operands and its result.
llvm::LogicalResult verifyBroadcastElements(mlir::Operation *op);

/// The element type of sums of products of `element`, or null: the result type
/// of a contraction unless the program asks for f32.
mlir::Type getSumType(mlir::Type element);

/// Checks the element types of a contraction of operands of type `element`:
/// those of the result and the bias (null: there is none). Reports at `op` with
/// the label of the constraint.
llvm::LogicalResult verifyContractionElements(mlir::Operation *op,
                                              llvm::StringRef label,
                                              mlir::Type element,
                                              mlir::Type result,
                                              mlir::Type bias);

/// Axes counted from the first dimension, in ascending order. They are valid.
llvm::SmallVector<int64_t> resolveAxes(llvm::ArrayRef<int64_t> axes,
                                       int64_t rank);

/// Result type of a reduction of `src` over `axes`; the first axis is reduced
/// in parts of `partSize` unless that is 0. Reports (C1) and (C2) at `loc`.
llvm::LogicalResult inferReductionType(std::optional<mlir::Location> loc,
                                       mlir::Type src,
                                       llvm::ArrayRef<int64_t> axes,
                                       bool keepDims,
                                       llvm::SmallVectorImpl<mlir::Type> &types,
                                       int64_t partSize = 0);

/// Map from the `rank` dimensions that a reduction iterates over to the indices
/// of its result: 0 in reduced dimensions, which are dropped unless `keepDims`,
/// and the number of the part in the first of them if there are parts. `axes`
/// are resolved.
mlir::AffineMap getReductionMap(mlir::MLIRContext *context, int64_t rank,
                                llvm::ArrayRef<int64_t> axes, bool keepDims,
                                int64_t partSize = 0);

/// Map from an iteration space to the indices of a tensor that numpy rules
/// broadcast to it: aligned at the last dimension, 0 where the size is 1 but
/// that of the space is not.
mlir::AffineMap getBroadcastMap(mlir::ShapedType type,
                                llvm::ArrayRef<int64_t> space);

/// The sizes that blocks of a dimension have: that of whole blocks, if there
/// are any, and that of the remainder, if there is one.
llvm::SmallVector<int64_t, 2> getBlockSizes(int64_t size, int64_t block);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_GRAPHTYPES_H
