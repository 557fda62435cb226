// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHNORMOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHNORMOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

def Graph_SoftmaxOp : Graph_InferredOp<"softmax", [
    DeclareOpInterfaceMethods<ComplexOpInterface, ["decomposeUnguarded"]>,
    DeclareOpInterfaceMethods<SoftmaxOpInterface>]> {
  let summary = "exponentials that add up to 1";
  let description = [{
    dst = exp(src - max) / sum(exp(src - max)) with maximum and sum along `axis`.
    A row that is all -infinity is NaN in mode "none" and zero in mode
    "inf_as_zero".

    The second result may be left out. stats = max + log(sum(exp(src - max)))
    has one element per row, and dst = exp(src - stats): gradients need nothing
    else to recompute dst. In mode "inf_as_zero", stats of a row that is all
    -infinity is the lowest finite number, for which this holds too.

    - (C1) axis is in range.
    - (C2) mode is "none" or "inf_as_zero".
    - (C3) the element type of dst is that of src, or one of the two is f32.
    - (C4) stats has the shape of src with size 1 along `axis`, in f32.
  }];
  let onednnKind = "Softmax";
  let arguments = (ins Graph_FloatTensor:$src,
    DefaultValuedAttr<I64Attr, "1">:$axis,
    DefaultValuedStrAttr<StrAttr, "none">:$mode);
  let results = (outs Graph_FloatTensor:$dst,
    Optional<Graph_F32Tensor>:$stats);
  let extraClassDeclaration = refinesNothing # axisDimension # [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange l,
                                        ::mlir::TypeRange r) {
      return (r.size() == 1 || r.size() == l.size()) &&
             ::gc::graph::areCastableTypes(l.take_front(r.size()), r);
    }
    /// decomposeUnguarded() computes exp of src limited to [-kBound, kBound],
    /// without the maximum. Its domain and error are those of the option
    /// fast-softmax of graph-decompose.
    static constexpr double kBound = 64;
  }];
}

def Graph_LogSoftmaxOp : Graph_ComplexOp<"log_softmax"> {
  let summary = "logarithm of softmax";
  let description = [{
    dst = (src - max) - log(sum(exp(src - max))) with maximum and sum along
    `axis`.

    - (C1) axis is in range.
  }];
  let onednnKind = "LogSoftmax";
  let arguments = (ins Graph_FloatTensor:$src,
    DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDeclaration = compatibleTypes # axisDimension;
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

def Graph_LayerNormOp : Graph_ComplexOp<"layer_norm"> {
  let summary = "normalises each row to mean 0 and variance 1";
  let description = [{
    dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, where mean and
    variance are taken over the dimensions from `begin_norm_axis` to the last.
    With `use_affine` the operands gamma and beta follow src. With `keep_stats`
    mean and variance are results too, without the normalised dimensions.

    - (C1) begin_norm_axis is in range.
    - (C2) epsilon is positive.
    - (C3) gamma and beta are given if and only if `use_affine` is set.
    - (C4) gamma and beta have the shape of the normalised dimensions.
    - (C5) gamma and beta have equal element types: f32, or bf16 if src is bf16.
  }];
  let onednnKind = "LayerNorm";
  let variadicOperands = ["gamma", "beta"];
  let variadicResults = ["mean", "variance"];
  let arguments = (ins Graph_FloatTensor:$src,
    Variadic<Graph_FloatTensor>:$affine,
    DefaultValuedAttr<BoolAttr, "true">:$keep_stats,
    DefaultValuedAttr<I64Attr, "-1">:$begin_norm_axis,
    DefaultValuedAttr<BoolAttr, "true">:$use_affine,
    DefaultValuedAttr<F32Attr, "1e-5f">:$epsilon);
  let results = (outs Graph_FloatTensor:$dst,
    Variadic<Graph_FloatTensor>:$stats);
  let extraClassDeclaration = compatibleTypes;
}

def Graph_GroupNormOp : Graph_ComplexOp<"group_norm"> {
  let summary = "normalises each group of channels to mean 0 and variance 1";
  let description = [{
    dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, where mean and
    variance are taken over one sample's elements of a group: the channels are
    divided into `groups` runs of equal length. Channels are the last dimension
    for data_format "NXC", the second for "NCX". With `use_affine` the operands
    gamma and beta, one element per channel, follow src. With `keep_stats` mean
    and variance, of shape [samples, groups], are results too.

    - (C1) data_format is "NXC" or "NCX".
    - (C2) src has at least two dimensions.
    - (C3) groups is positive and divides the number of channels.
    - (C4) epsilon is positive.
    - (C5) gamma and beta are given if and only if `use_affine` is set.
    - (C6) gamma and beta are one-dimensional with an element per channel.
    - (C7) gamma and beta have equal element types: f32, or bf16 if src is bf16.
  }];
  let onednnKind = "GroupNorm";
  let variadicOperands = ["gamma", "beta"];
  let variadicResults = ["mean", "variance"];
  let arguments = (ins Graph_FloatTensor:$src,
    Variadic<Graph_FloatTensor>:$affine, I64Attr:$groups,
    DefaultValuedAttr<BoolAttr, "true">:$keep_stats,
    DefaultValuedAttr<BoolAttr, "true">:$use_affine,
    DefaultValuedAttr<F32Attr, "1e-5f">:$epsilon,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$dst,
    Variadic<Graph_FloatTensor>:$stats);
  let extraClassDeclaration = compatibleTypes;
}

def Graph_BatchNormInferenceOp : Graph_ComplexOp<"batch_norm_inference"> {
  let summary = "normalises each channel by a given mean and variance";
  let description = [{
    dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, where gamma,
    mean, variance and beta have one element per channel. Channels are the last
    dimension for data_format "NXC", the second for "NCX".

    - (C1) data_format is "NXC" or "NCX".
    - (C2) src has at least two dimensions.
    - (C3) epsilon is positive.
    - (C4) gamma, beta, mean and variance are one-dimensional with an element per
      channel.
    - (C5) their element types are equal: f32, or bf16 if src is bf16.
  }];
  let onednnKind = "BatchNormInference";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$gamma,
    Graph_FloatTensor:$beta, Graph_FloatTensor:$mean,
    Graph_FloatTensor:$variance, F32Attr:$epsilon,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDeclaration = compatibleTypes;
}

def Graph_RmsNormOp : Graph_ComplexOp<"rms_norm"> {
  let summary = "divides each row by its root mean square";
  let description = [{
    dst = gamma * src / sqrt(mean(src^2) + epsilon), where the mean is taken over
    the dimensions from `begin_norm_axis` to the last. gamma may be left out.

    - (C1) begin_norm_axis is in range.
    - (C2) epsilon is positive.
    - (C3) gamma has the shape of the normalised dimensions.
    - (C4) gamma has element type f32 or that of src.
  }];
  let onednnKind = "RMSNorm";
  let arguments = (ins Graph_FloatTensor:$src,
    Optional<Graph_FloatTensor>:$gamma,
    DefaultValuedAttr<F32Attr, "1e-5f">:$epsilon,
    DefaultValuedAttr<I64Attr, "-1">:$begin_norm_axis);
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDeclaration = compatibleTypes;
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHNORMOPS_TD
