// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of elementwise functions. A NaN in src is on neither side of a
// kink: the first case of the formula is taken.

#ifndef GC_DIALECT_GRAPH_IR_GRAPHBACKWARDOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHBACKWARDOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

// diff_src = diff_dst * f'(src), computed in f32.
//
// - (C1) the shapes of both operands are equal.
// - (C2) the element types of both operands are equal.
class Graph_GradientOp<string mnemonic>
    : Graph_InferredOp<mnemonic,
        [DeclareOpInterfaceMethods<FusibleOpInterface>,
         DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst);
  let results = (outs Graph_FloatTensor:$diff_src);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::gc::graph::inferGradientType(loc, operands.getTypes(), types);
    }
  }];
}

def Graph_AbsBackwardOp : Graph_GradientOp<"abs_backward"> {
  let summary = "gradient of abs";
  let description = [{
    diff_src = src > 0 ? diff_dst : src < 0 ? -diff_dst : 0, element by element.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "AbsBackward";
}

def Graph_ClampBackwardOp : Graph_GradientOp<"clamp_backward"> {
  let summary = "gradient of clamp";
  let description = [{
    diff_src = min < x < max ? diff_dst : 0, element by element. x is the result
    of clamp, or its operand if `use_dst` is false.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
    - (C3) min <= max.
  }];
  let onednnKind = "ClampBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    F32Attr:$min, F32Attr:$max, DefaultValuedAttr<BoolAttr, "true">:$use_dst);
  let hasVerifier = 1;
}

def Graph_EluBackwardOp : Graph_GradientOp<"elu_backward"> {
  let summary = "gradient of elu";
  let description = [{
    diff_src = d > 0 ? diff_dst : diff_dst * (d + alpha), element by element,
    where d is the result of elu. If `use_dst` is false, diff_src = x > 0 ?
    diff_dst : diff_dst * alpha * exp(x), where x is the operand of elu.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
    - (C3) alpha >= 0.
  }];
  let onednnKind = "EluBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    F32Attr:$alpha, DefaultValuedAttr<BoolAttr, "true">:$use_dst);
  let hasVerifier = 1;
}

def Graph_GeluBackwardOp : Graph_GradientOp<"gelu_backward"> {
  let summary = "gradient of gelu";
  let description = [{
    diff_src = diff_dst * (0.5 * (1 + erf(x / sqrt(2))) + x * exp(-x^2 / 2) /
    sqrt(2 * pi)) for mode gelu_erf, diff_dst * 0.5 * (1 + t + x * (1 - t^2) *
    sqrt(2 / pi) * (1 + 0.134145 * x^2)) with t = tanh(sqrt(2 / pi) * (x +
    0.044715 * x^3)) for mode gelu_tanh, element by element, where x is src.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
    - (C3) mode is "gelu_erf" or "gelu_tanh".
  }];
  let onednnKind = "GELUBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DefaultValuedStrAttr<StrAttr, "gelu_erf">:$mode);
  let hasVerifier = 1;
}

def Graph_HardSigmoidBackwardOp : Graph_GradientOp<"hard_sigmoid_backward"> {
  let summary = "gradient of hard_sigmoid";
  let description = [{
    diff_src = 0 < alpha * src + beta < 1 ? diff_dst * alpha : 0, element by
    element.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "HardSigmoidBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    F32Attr:$alpha, F32Attr:$beta);
}

def Graph_HardSwishBackwardOp : Graph_GradientOp<"hard_swish_backward"> {
  let summary = "gradient of hard_swish";
  let description = [{
    diff_src = src > 3 ? diff_dst : src > -3 ? diff_dst * (2 * src + 3) / 6 : 0,
    element by element.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "HardSwishBackward";
}

def Graph_MishBackwardOp : Graph_GradientOp<"mish_backward"> {
  let summary = "gradient of mish";
  let description = [{
    diff_src = diff_dst * (t + src * sigmoid(src) * (1 - t^2)) with t =
    tanh(softplus(src)), element by element. This equals the specification's
    quotient of exponentials, but does not overflow.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "MishBackward";
}

def Graph_ReluBackwardOp : Graph_GradientOp<"relu_backward"> {
  let summary = "gradient of relu";
  let description = [{
    diff_src = x > 0 ? diff_dst : 0, element by element. x is the result of
    relu, or its operand if `use_dst` is false.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "ReLUBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DefaultValuedAttr<BoolAttr, "true">:$use_dst);
}

def Graph_SigmoidBackwardOp : Graph_GradientOp<"sigmoid_backward"> {
  let summary = "gradient of sigmoid";
  let description = [{
    diff_src = diff_dst * d * (1 - d), element by element, where d is the result
    of sigmoid; if `use_dst` is false, d = sigmoid(src).

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "SigmoidBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DefaultValuedAttr<BoolAttr, "true">:$use_dst);
}

def Graph_SoftPlusBackwardOp : Graph_GradientOp<"soft_plus_backward"> {
  let summary = "gradient of soft_plus";
  let description = [{
    diff_src = diff_dst * sigmoid(beta * src), element by element.

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
    - (C3) beta is not 0.
  }];
  let onednnKind = "SoftPlusBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DefaultValuedAttr<F32Attr, "1.0f">:$beta);
  let hasVerifier = 1;
}

def Graph_SqrtBackwardOp : Graph_GradientOp<"sqrt_backward"> {
  let summary = "gradient of sqrt";
  let description = [{
    diff_src = diff_dst / (2 * d), element by element, where d is the result of
    sqrt; if `use_dst` is false, d = sqrt(src).

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "SqrtBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DefaultValuedAttr<BoolAttr, "true">:$use_dst);
}

def Graph_TanhBackwardOp : Graph_GradientOp<"tanh_backward"> {
  let summary = "gradient of tanh";
  let description = [{
    diff_src = diff_dst * (1 - d^2), element by element, where d is the result
    of tanh; if `use_dst` is false, d = tanh(src).

    - (C1) the shapes of both operands are equal.
    - (C2) the element types of both operands are equal.
  }];
  let onednnKind = "TanhBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DefaultValuedAttr<BoolAttr, "true">:$use_dst);
}

//===----------------------------------------------------------------------===//
// PReLU, bias
//===----------------------------------------------------------------------===//

def Graph_PreluOp : Graph_ComplexOp<"prelu"> {
  let summary = "y = x >= 0 ? x : slope * x, with a slope per channel or element";
  let description = [{
    dst = src >= 0 ? src : slope * src, element by element, where slope
    broadcasts to src by numpy's rules. With `per_channel_broadcast`, a
    one-dimensional slope has one element per channel. Channels are the last
    dimension for data_format "NXC", the second for "NCX".

    - (C1) data_format is "NXC" or "NCX".
    - (C2) slope broadcasts to the shape of src.
    - (C3) the element types are equal.
  }];
  let onednnKind = "PReLU";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$slope,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedAttr<BoolAttr, "true">:$per_channel_broadcast);
  let results = (outs Graph_FloatTensor:$dst);
}

def Graph_PreluBackwardOp : Graph_ComplexOp<"prelu_backward"> {
  let summary = "gradients of prelu";
  let description = [{
    diff_src = src > 0 ? diff_dst : diff_dst * slope; diff_slope = the sum of
    src > 0 ? 0 : diff_dst * src over the elements that share an element of
    slope. slope broadcasts to src by numpy's rules; a one-dimensional slope has
    one element per channel. Channels are the last dimension for data_format
    "NXC", the second for "NCX".

    - (C1) data_format is "NXC" or "NCX".
    - (C2) slope broadcasts to the shape of src.
    - (C3) the element types are equal.
    - (C4) the shapes of src and diff_dst are equal.
  }];
  let onednnKind = "PReLUBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$slope,
    Graph_FloatTensor:$diff_dst,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$diff_src,
    Graph_FloatTensor:$diff_slope);
}

def Graph_BiasAddBackwardOp : Graph_ComplexOp<"bias_add_backward"> {
  let summary = "gradient of bias_add with respect to the bias";
  let description = [{
    diff_bias = the sum of diff_dst over all dimensions except the channels,
    which are the last dimension for data_format "NXC", the second for "NCX".

    - (C1) data_format is "NXC" or "NCX".
    - (C2) diff_dst has at least one dimension, at least two for "NCX".
  }];
  let onednnKind = "BiasAddBackward";
  let arguments = (ins Graph_FloatTensor:$diff_dst,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$diff_bias);
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHBACKWARDOPS_TD
