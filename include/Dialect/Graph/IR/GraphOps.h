// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations of the Graph dialect.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHOPS_H
#define GC_DIALECT_GRAPH_IR_GRAPHOPS_H

#include "Dialect/Graph/IR/GraphAttrs.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "Dialect/Graph/IR/InferredTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gc::graph {

/// The sizes of a matrix product: batch dimensions of the result, M, N, K. A
/// one-dimensional operand counts as a row or column.
struct MatmulSizes {
  llvm::SmallVector<int64_t> batch;
  int64_t m, n, k;
  /// For windows of an image: the rows of one line of positions, the channels
  /// of a group (0: these are not windows), the columns of a window, and the
  /// number of elements of the image as a fraction of those of factor 0.
  int64_t line = 1, channels = 0, windowColumns = 1;
  double ownPart = 1;
};

/// The sizes of an attention: batch dimensions of the result, queries, keys,
/// and columns of queries and of values.
struct AttentionSizes {
  llvm::SmallVector<int64_t> batch;
  int64_t m, s, d, dv;
};

/// The sizes of a convolution. Spatial dimensions have the same index in all
/// lists.
struct ConvolutionSizes {
  int64_t batch, groups;
  /// Channels of one group.
  int64_t inputChannels, outputChannels;
  llvm::SmallVector<int64_t> input, kernel, output;
  llvm::SmallVector<int64_t> strides, dilations;
  /// Elements before the first one and after the last one; auto_pad has been
  /// applied.
  llvm::SmallVector<int64_t> padsBegin, padsEnd;
  /// Dimensions of src and dst, and of weights.
  int64_t channelDim, firstSpatialDim;
  int64_t weightsInputDim, weightsOutputDim, firstKernelDim;
};

/// The sizes of a pooling op. Spatial dimensions have the same index in all
/// lists.
struct PoolSizes {
  /// Sizes of the tensor that windows slide over, and the numbers of windows.
  llvm::SmallVector<int64_t> input, output;
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  /// Elements before the first one; auto_pad has been applied.
  llvm::SmallVector<int64_t> padsBegin;
  /// Dimensions of both tensors.
  int64_t channelDim, firstSpatialDim;
};

} // namespace gc::graph

namespace gc::graph {

/// Decomposes a reduction without keep_dims into one that keeps dimensions and
/// a reshape; one without axes becomes a copy.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
decomposeToKeptDims(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// Whether a value is computed from sliding windows, element by element, by a
/// few ops.
bool isOfWindows(mlir::Value value);

/// Implements FusibleOpInterface::reduceInSteps for a reduction with the
/// attributes `axes`, `keep_dims` and `part_size` that combines its own results
/// as it combines elements. Null if it drops dimensions or is in parts already.
/// Elements between the steps are of the type `between`, by default f32.
mlir::Value reduceInSteps(mlir::OpBuilder &builder, mlir::Operation *op,
                          llvm::ArrayRef<int64_t> later, int64_t partSize,
                          mlir::Type between = {});

} // namespace gc::graph

#define GET_OP_CLASSES
#include "Dialect/Graph/IR/GraphOps.h.inc"

namespace gc::graph {

/// Sizes of a matmul with static shapes.
MatmulSizes getMatmulSizes(MatmulOp op);
/// The types of the op's microkernels and the packing of B, or nothing if no
/// kernel supports the types.
std::optional<KernelSpec> getKernelTypes(MatmulOp op);
/// The same for factors of these element types.
std::optional<KernelSpec> getKernelTypes(mlir::Type a, mlir::Type b);
/// Whether the template's kernels read weights that are stored transposed in
/// place, along k.
bool readsAlongK(MatmulOp op, MatmulTemplateAttr params);

/// Sizes of a convolution with static shapes.
ConvolutionSizes getConvolutionSizes(ConvolutionOp op);
/// The same for the convolution that describes the op: its image, output and
/// weights are the op's operands and result.
ConvolutionSizes getConvolutionSizes(ConvTransposeOp op);
ConvolutionSizes getConvolutionSizes(ConvTransposeBackwardDataOp op);
ConvolutionSizes getConvolutionSizes(ConvTransposeBackwardWeightsOp op);
ConvolutionSizes getConvolutionSizes(ConvolutionBackwardDataOp op);
ConvolutionSizes getConvolutionSizes(ConvolutionBackwardWeightsOp op);

/// Sizes of a pooling op, or of a gradient of one, with static shapes.
PoolSizes getPoolSizes(MaxPoolOp op);
PoolSizes getPoolSizes(AvgPoolOp op);
PoolSizes getPoolSizes(MaxPoolBackwardOp op);
PoolSizes getPoolSizes(AvgPoolBackwardOp op);

/// Sizes of an attention with static shapes.
AttentionSizes getAttentionSizes(AttentionOp op);
/// Whether a permutation exchanges rows and columns, the last two dimensions,
/// and nothing else.
bool swapsMatrices(llvm::ArrayRef<int64_t> order);
/// An operand of an attention as its products read it: of a transpose of
/// matrices that nothing else needs, they read the columns.
struct AttentionFactor {
  mlir::Value value;
  bool isTransposed;
};
AttentionFactor getAttentionFactor(mlir::Value operand);
/// The types of the microkernels of online softmax on tensors of f32, bf16 or
/// f16, and the packing of keys and values.
inline KernelSpec getAttentionKernelTypes(mlir::Type element) {
  return *getKernelTypes(element, element);
}
/// Whether templates can read rows of this many elements along k in place: they
/// are whole groups.
inline bool fillsGroups(int64_t columns, mlir::Type element) {
  return columns % getAttentionKernelTypes(element).packB == 0;
}

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_GRAPHOPS_H
