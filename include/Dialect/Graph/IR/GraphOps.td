// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHOPS_TD

include "Dialect/Graph/IR/GraphAttentionOps.td"
include "Dialect/Graph/IR/GraphBackwardOps.td"
include "Dialect/Graph/IR/GraphConvolutionOps.td"
include "Dialect/Graph/IR/GraphElementwiseOps.td"
include "Dialect/Graph/IR/GraphNormBackwardOps.td"
include "Dialect/Graph/IR/GraphNormOps.td"
include "Dialect/Graph/IR/GraphQuantizeOps.td"
include "Dialect/Graph/IR/GraphRandomOps.td"
include "Dialect/Graph/IR/GraphReductionOps.td"
include "Dialect/Graph/IR/GraphSelectionOps.td"
include "Dialect/Graph/IR/GraphWindowOps.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def Graph_MatmulOp : Graph_InferredOp<"matmul", [
    DeclareOpInterfaceMethods<TunableOpInterface, ["keepsRows"]>,
    DeclareOpInterfaceMethods<ContractionOpInterface,
      ["getRowWindow", "setRows", "hasZeroPoints"]>,
    DeclareOpInterfaceMethods<ComplexOpInterface, ["isComplex"]>]> {
  let summary = "batched matrix product";
  let description = [{
    dst[..., m, n] = sum over k of src[..., m, k] * weights[..., k, n], plus
    bias[n]. With `transpose_a` src is [..., k, m], with `transpose_b` weights is
    [..., n, k]. Leading dimensions broadcast as in numpy. A one-dimensional src
    is a row vector, one-dimensional weights are a column vector; the dimension
    that this adds is dropped from the result. The zero points `src_zp` and
    `weights_zp` of integers are subtracted before the multiplication.

    Weights that are narrower than an f32 src are converted to f32. With
    `weights_group`, such integers have scales, and may have zero points, for
    each column and each group of that many neighbours along k. Instead of a
    bias, scales and zps of shape [k / weights_group, n] follow weights, and src
    is multiplied by the matrix (weights[k, n] - zps[k / weights_group, n]) *
    scales[k / weights_group, n].

    With a `window`, src is an image whose windows are the rows of the matrix
    that is multiplied by weights (see `#graph.window`): a convolution.

    - (C1) operands have at least one dimension.
    - (C2) the reduced sizes of src and weights are equal.
    - (C3) the leading dimensions broadcast.
    - (C4) bias broadcasts to the result.
    - (C5) the element types of src and weights are equal; that of dst is the
      same or f32; that of bias is that of src or f32. 8-bit integers, an
      extension of the operation set, may differ in signedness; dst and bias are
      si32. An f32 src may also have narrower weights; dst and bias are then
      f32.
    - (C6) only integers have zero points, from -128 to 255.
    - (C7) with weights_group, weights are a matrix of integers and src is f32;
      weights_group divides k and is a multiple of the number of weights that
      fill 32 bits; scales and zps are f32 of the shape above, and weights_zp is
      0. Without weights_group, at most a bias follows weights.
    - (C8) weights of 4 bits are matrices with a multiple of 8 elements along k.
    - (C9) with a window, src has static shape: a batch, the window's spatial
      dimensions, and channels, which groups divide. The window has at least one
      position in every spatial dimension. Weights have at least two dimensions;
      nothing is transposed, and there is no weights_group.
  }];
  let onednnKind = "MatMul";
  let extensionAttrs = ["template_params", "src_zp", "weights_zp",
                        "weights_group", "window"];
  let variadicOperands = ["bias"];
  // Sums are always as wide as the strictest mode requires.
  let hintAttrs = ["accumulation_mode"];
  let arguments = (ins Graph_MatmulTensor:$src, Graph_WeightsTensor:$weights,
    Variadic<Graph_NumberTensor>:$extras,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_b,
    OptionalAttr<TemplateAttrInterface>:$template_params,
    DefaultValuedAttr<I64Attr, "0">:$src_zp,
    DefaultValuedAttr<I64Attr, "0">:$weights_zp,
    DefaultValuedAttr<I64Attr, "0">:$weights_group,
    OptionalAttr<Graph_WindowAttr>:$window);
  let results = (outs Graph_NumberTensor:$dst);
  let extraClassDeclaration = castingTypes # [{
    using TensorValue = ::mlir::TypedValue<::mlir::RankedTensorType>;
    /// The operands after weights; null if there is no such operand.
    TensorValue getBias();
    TensorValue getScales();
    TensorValue getZps();
  }];
  let hasVerifier = 1;
}

def Graph_BiasAddOp : Graph_InferredOp<"bias_add", [
    DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "adds a bias per channel";
  let description = [{
    dst = src + bias, where bias has one element per channel. Channels are the
    last dimension for data_format "NXC", the second for "NCX".

    - (C1) data_format is "NXC" or "NCX".
    - (C2) bias is one-dimensional with as many elements as src has channels.
    - (C3) src has at least one dimension, at least two for "NCX".
    - (C4) the element types are equal.
  }];
  let onednnKind = "BiasAdd";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$bias,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$dst);
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

def Graph_StaticReshapeOp : Graph_InferredOp<"static_reshape",
    [Graph_RowMajorView, NamedSizesOpInterface]> {
  let summary = "same elements in row-major order, different shape";
  let description = [{
    The elements of src in row-major order with the sizes in `shape`. One size
    may be -1; it is then computed. With `special_zero`, a size of 0 copies the
    size of src at that position.

    Where several sizes vary between executions, `dims` has them as sums of
    products of the function's named dimensions and numbers:

    ```mlir
    %1 = graph.static_reshape %0 {shape = array<i64: -1, -1, 64>, dims = ["batch", "past + 1", ""]} : (tensor<?x64xf32>) -> tensor<?x?x64xf32>
    ```

    - (C1) at most one size without a name is -1, the others are at least 0.
    - (C2) the number of elements stays the same.
    - (C3) with special_zero, a size of 0 has a dimension to copy from.
    - (C4) `dims` is empty, or has a string for each size. It is empty where the
      size has no name; elsewhere it is a sum of products of names and numbers,
      and the size is -1.
  }];
  let onednnKind = "StaticReshape";
  let extensionAttrs = ["dims"];
  let requiredAttrs = ["special_zero"];
  let arguments = (ins Graph_AnyTensor:$src, DenseI64ArrayAttr:$shape,
    DefaultValuedAttr<BoolAttr, "false">:$special_zero,
    DefaultValuedAttr<StrArrayAttr, "{}">:$dims);
  let results = (outs Graph_AnyTensor:$dst);
  let hasFolder = 1;
  let extraClassDeclaration = compatibleTypes # [{
    void setSize(unsigned i, int64_t size);
  }];
}

def Graph_StaticTransposeOp : Graph_InferredOp<"static_transpose", [
    DeclareOpInterfaceMethods<FusibleOpInterface,
      ["getFusibleKind", "getOperandMap"]>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface>]> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension i of dst is dimension order[i] of src; negative entries count from
    the last dimension.

    - (C1) `order` is a permutation of the dimensions of src.
  }];
  let onednnKind = "StaticTranspose";
  let arguments = (ins Graph_AnyTensor:$src, DenseI64ArrayAttr:$order);
  let results = (outs Graph_AnyTensor:$dst);
  let hasFolder = 1;
  let extraClassDeclaration = compatibleTypes # [{
    /// `order` with negative entries resolved.
    ::llvm::SmallVector<int64_t> getPermutation();
  }];
}

def Graph_ConcatOp
    : Graph_InferredOp<"concat",
        [DeclareOpInterfaceMethods<PlacementOpInterface>]> {
  let summary = "joins tensors along a dimension";
  let description = [{
    dst has the elements of all srcs, one tensor after the other along dimension
    `axis`, which counts from the last dimension if negative. The op that
    computes an operand writes it to its place in dst: nothing is copied unless
    other ops read the operand too.

    - (C1) there is at least one src, and axis is in range.
    - (C2) the shapes of srcs are equal except for the size along axis.
    - (C3) the element types of srcs are equal.
  }];
  let onednnKind = "Concat";
  let arguments = (ins Variadic<Graph_AnyTensor>:$srcs, I64Attr:$axis);
  let results = (outs Graph_AnyTensor:$dst);
  let extraClassDeclaration = compatibleTypes # [{
    /// `axis` counted from the first dimension.
    int64_t getDimension() {
      int64_t axis = getAxis();
      return axis < 0 ? axis + getType().getRank() : axis;
    }
  }];
  let hasFolder = 1;
}

def Graph_ReorderOp : Graph_Op<"reorder", [Pure, Graph_KeepsShape,
    DeclareOpInterfaceMethods<FusibleOpInterface, ["getFusibleKind"]>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface>]> {
  let summary = "copies a tensor into another layout";
  let description = [{
    dst has the elements of src in the layout of its type. The padding of a
    blocked result is undefined, except where kernels read it: there it is 0.

    - (C1) shapes and element types of src and dst are equal.
  }];
  let onednnKind = "Reorder";
  let arguments = (ins Graph_AnyTensor:$src);
  let results = (outs Graph_AnyTensor:$dst);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($dst)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_CastTensor
    : Graph_TensorOf<[F32, BF16, F16, F8E5M2, F8E4M3FN, SI<32>, SI<8>, UI<8>,
                      SI<4>, UI<4>],
                     "f32 bf16 f16 f8_e5m2 f8_e4m3 s32 s8 u8 s4 u4">;

def Graph_TypeCastOp : Graph_Op<"type_cast", [Pure, Graph_KeepsShape,
    DeclareOpInterfaceMethods<FusibleOpInterface,
      ["getFusibleKind", "inferInterval"]>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface,
      ["getBodyCost", "getMonotonicity"]>]> {
  let summary = "converts between element types";
  let description = [{
    dst = src in another element type, rounded once, to nearest even. A
    floating-point result beyond the largest number is infinite (NaN in
    f8_e4m3). An integer result saturates, and is 0 for NaN. Integers, f8, and
    casts where neither side is f32 are an extension of the operation set.
    `bounded` states that no element of src other than NaN is beyond 2^30 in
    magnitude, so that code needs fewer limits.

    - (C1) the shapes of src and dst are equal.
    - (C2) with `bounded`, src is floating-point and dst is an integer type.
  }];
  let onednnKind = "TypeCast";
  let extensionAttrs = ["bounded"];
  let arguments = (ins Graph_CastTensor:$src,
    DefaultValuedAttr<BoolAttr, "false">:$bounded);
  let results = (outs Graph_CastTensor:$dst);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($dst)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Graph_ConstantOp : Graph_Op<"constant", [Graph_InferredTypes, Pure,
    ConstantLike, DeclareOpInterfaceMethods<InferTypeOpInterface,
                                            ["refineReturnTypes"]>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    Large data is a dense resource: `dense_resource<name>`.

    - (C1) the value is a ranked tensor in the plain layout.
  }];
  let extensionAttrs = ["value"];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_AnyTensor:$dst);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_EndOp : Graph_Op<"end",
    [DeclareOpInterfaceMethods<BoundaryOpInterface, ["isMark"]>]> {
  let summary = "marks a value as an output of the graph";
  let description = [{
    Does not compute anything. Canonicalisation removes it: the outputs are the
    values that the function returns.
  }];
  let onednnKind = "End";
  let arguments = (ins Graph_AnyTensor:$src);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition = [{
    bool $cppClass::isMark() { return true; }
  }];
}

def Graph_WildcardOp : Graph_Op<"wildcard", [BoundaryOpInterface]> {
  let summary = "an op known only to the graph's owner";
  let description = [{
    Stands for an op that has no meaning here. It can be imported and printed,
    and the ops around it can be transformed, but it cannot be compiled or
    interpreted.
  }];
  let onednnKind = "Wildcard";
  let anyAttrs = 1;
  let arguments = (ins Variadic<Graph_AnyTensor>:$srcs);
  let results = (outs Variadic<Graph_AnyTensor>:$dsts);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Graph_FusedOp : Graph_Op<"fused_op", [Pure, SingleBlock, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "ops that are lowered as one loop nest";
  let description = [{
    Groups at most one tunable op and its fusible neighbours. It only groups:
    values from outside are used directly, the template is an attribute of the
    tunable op and the anchors are attributes of the fusible ops.

    - (C1) at most one op of the region is tunable.
    - (C2) every other op is fusible; reductions have one result.
    - (C3) the region ends in a `graph.yield` of the result types.
    - (C4) the yielded values are computed in the region.
    - (C5) a `graph.schedule` fits the region: see `#graph.schedule`, C4, C6,
      C9, C10 and C13.
  }];
  let extensionAttrs = ["name"];
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let results = (outs Variadic<Graph_AnyTensor>:$dsts);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword (`->` `(` type($dsts)^ `)`)? $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The tunable op of the region, or null.
    ::gc::graph::TunableOpInterface getTunableOp();
    /// The values that the region yields, one per result.
    ::mlir::OperandRange getYielded();
    /// What graph-select-schedule has decided, or null.
    ::gc::graph::ScheduleAttr getSchedule();
    /// The tensor from outside that an operand of the tunable op is read from:
    /// the operand itself or, if ops of the region compute it, the first
    /// operand of the first one of these ops.
    ::mlir::Value getSource(unsigned operand);
  }];
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["::gc::graph::AttentionOp", "::gc::graph::FusedOp"]>]> {
  let summary = "results of a region";
  let arguments = (ins Variadic<Graph_AnyTensor>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHOPS_TD
