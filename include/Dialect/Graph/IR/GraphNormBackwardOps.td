// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of softmax and norms, and batch norm that computes its statistics.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHNORMBACKWARDOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHNORMBACKWARDOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

class Graph_SoftmaxGradientOp<string mnemonic, string defaultAxis>
    : Graph_ComplexOp<mnemonic> {
  let arguments = (ins Graph_FloatTensor:$diff_dst, Graph_FloatTensor:$dst,
    DefaultValuedAttr<I64Attr, defaultAxis>:$axis);
  let results = (outs Graph_FloatTensor:$diff_src);
  code dimension = [{
    /// `axis` counted from the first dimension.
    int64_t getDimension() {
      int64_t axis = getAxis();
      return axis < 0 ? axis + getDst().getType().getRank() : axis;
    }
  }];
}

def Graph_SoftmaxBackwardOp
    : Graph_SoftmaxGradientOp<"softmax_backward", "1"> {
  let summary = "gradient of softmax";
  let description = [{
    diff_src = dst * (diff_dst - sum(diff_dst * dst)) with the sum along `axis`;
    dst is the result of softmax.

    - (C1) axis is in range.
    - (C2) the shapes of both operands are equal.
    - (C3) the element types of both operands are equal; that of diff_src is the
      same or f32.
  }];
  let onednnKind = "SoftmaxBackward";
  let extraClassDeclaration = castingTypes # dimension;
}

def Graph_LogSoftmaxBackwardOp
    : Graph_SoftmaxGradientOp<"log_softmax_backward", "-1"> {
  let summary = "gradient of log_softmax";
  let description = [{
    diff_src = diff_dst - exp(dst) * sum(diff_dst) with the sum along `axis`; dst
    is the result of log_softmax.

    - (C1) axis is in range.
    - (C2) the shapes of both operands are equal.
    - (C3) the element types of both operands are equal.
  }];
  let onednnKind = "LogSoftmaxBackward";
  let extraClassDeclaration = compatibleTypes # dimension;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

// An op whose results after the first may be left out, but only all together.
class Graph_NormGradientOp<string mnemonic> : Graph_ComplexOp<mnemonic> {
  let variadicResults = ["diff_gamma", "diff_beta"];
  let results = (outs Graph_FloatTensor:$diff_src,
    Variadic<Graph_FloatTensor>:$diff_affine);
  let extraClassDeclaration = refinesNothing # [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange l,
                                        ::mlir::TypeRange r) {
      return (r.size() == 1 || r.size() == l.size()) &&
             ::gc::graph::areCompatibleTypes(l.take_front(r.size()), r);
    }
  }];
}

def Graph_LayerNormBackwardOp : Graph_NormGradientOp<"layer_norm_backward"> {
  let summary = "gradients of layer_norm";
  let description = [{
    With y = (src - mean) / sqrt(variance + epsilon) and g = diff_dst * gamma,
    diff_src = (g - m(g) - y * m(g * y)) / sqrt(variance + epsilon), where m is
    the mean over the dimensions from `begin_norm_axis` to the last. diff_gamma
    and diff_beta are the sums of diff_dst * y and of diff_dst over the other
    dimensions. mean and variance are results of layer_norm. With `use_affine` the
    operands gamma and beta follow variance, and diff_gamma and diff_beta may
    follow diff_src.

    - (C1) begin_norm_axis is in range.
    - (C2) epsilon is positive.
    - (C3) gamma and beta are given if and only if `use_affine` is set.
    - (C4) diff_dst has the shape of src, mean and variance that of the
      dimensions that are not normalised, gamma and beta that of the others.
    - (C5) src and diff_dst have equal element types, and so have mean,
      variance, gamma and beta: f32, or bf16 if src is bf16.
  }];
  let onednnKind = "LayerNormBackward";
  let variadicOperands = ["gamma", "beta"];
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    Graph_FloatTensor:$mean, Graph_FloatTensor:$variance,
    Variadic<Graph_FloatTensor>:$affine,
    DefaultValuedAttr<I64Attr, "-1">:$begin_norm_axis,
    DefaultValuedAttr<BoolAttr, "true">:$use_affine,
    DefaultValuedAttr<F32Attr, "1e-5f">:$epsilon);
}

def Graph_BatchNormForwardTrainingOp
    : Graph_ComplexOp<"batch_norm_forward_training"> {
  let summary = "normalises each channel to mean 0 and variance 1";
  let description = [{
    dst = gamma * (src - batch_mean) / sqrt(batch_variance + epsilon) + beta,
    where batch_mean and batch_variance are taken over all elements of a channel.
    running_mean = momentum * mean + (1 - momentum) * batch_mean, and
    running_variance likewise. Channels are the last dimension for data_format
    "NXC", the second for "NCX". gamma and beta may be left out.

    - (C1) data_format is "NXC" or "NCX".
    - (C2) src has at least two dimensions.
    - (C3) epsilon and momentum are positive.
    - (C4) either both gamma and beta are given, or neither is.
    - (C5) mean, variance, gamma and beta are one-dimensional with an element
      per channel.
    - (C6) their element types are equal: f32, or bf16 if src is bf16.
  }];
  let onednnKind = "BatchNormForwardTraining";
  let variadicOperands = ["gamma", "beta"];
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$mean,
    Graph_FloatTensor:$variance, Variadic<Graph_FloatTensor>:$affine,
    F32Attr:$epsilon, DefaultValuedAttr<F32Attr, "0.5f">:$momentum,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$dst, Graph_FloatTensor:$running_mean,
    Graph_FloatTensor:$running_variance, Graph_FloatTensor:$batch_mean,
    Graph_FloatTensor:$batch_variance);
}

def Graph_BatchNormTrainingBackwardOp
    : Graph_NormGradientOp<"batch_norm_training_backward"> {
  let summary = "gradients of batch_norm_forward_training";
  let description = [{
    With y = (src - mean) / sqrt(variance + epsilon), diff_gamma and diff_beta are
    the sums of diff_dst * y and of diff_dst over the elements of a channel, and
    diff_src = gamma * (diff_dst - diff_beta / n - y * diff_gamma / n) /
    sqrt(variance + epsilon), where n is the number of these elements. mean and
    variance are those of the batch. Channels are the last dimension for
    data_format "NXC", the second for "NCX". gamma counts as 1 if it is left
    out, and if diff_gamma and diff_beta are.

    - (C1) data_format is "NXC" or "NCX".
    - (C2) src has at least two dimensions.
    - (C3) epsilon is positive.
    - (C4) diff_dst has the shape of src; mean, variance and gamma are
      one-dimensional with an element per channel.
    - (C5) src and diff_dst have equal element types, and so have mean, variance
      and gamma: f32, or bf16 if src is bf16.
  }];
  let onednnKind = "BatchNormTrainingBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    Graph_FloatTensor:$mean, Graph_FloatTensor:$variance,
    Optional<Graph_FloatTensor>:$gamma, F32Attr:$epsilon,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHNORMBACKWARDOPS_TD
