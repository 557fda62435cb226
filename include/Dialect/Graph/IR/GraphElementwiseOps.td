// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def Graph_AbsOp : Graph_UnaryFunctionOp<"abs"> {
  let summary = "y = |x|";
  let description = [{
    y = |x|, element by element.
  }];
  let onednnKind = "Abs";
}

def Graph_ClampOp : Graph_UnaryFunctionOp<"clamp", ["getResultInterval"]> {
  let summary = "y = min(max(x, min), max)";
  let description = [{
    y = min(max(x, min), max), element by element.

    - (C1) min <= max.
  }];
  let onednnKind = "Clamp";
  let arguments = (ins Graph_FloatTensor:$src, F32Attr:$min, F32Attr:$max);
  let hasVerifier = 1;
}

def Graph_EluOp : Graph_UnaryFunctionOp<"elu"> {
  let summary = "y = x < 0 ? alpha * (exp(x) - 1) : x";
  let description = [{
    y = x < 0 ? alpha * (exp(x) - 1) : x, element by element.

    - (C1) alpha >= 0.
  }];
  let onednnKind = "Elu";
  let arguments = (ins Graph_FloatTensor:$src, F32Attr:$alpha);
  let hasVerifier = 1;
}

def Graph_ErfOp : Graph_UnaryFunctionOp<"erf", ["getResultInterval"]> {
  let summary = "erf, element by element";
  let description = [{
    y = erf(x), the error function; an extension that gelu decomposes to.
  }];
}

def Graph_ExpOp : Graph_UnaryFunctionOp<"exp", ["getResultInterval"]> {
  let summary = "y = e^x";
  let description = [{
    y = e^x, element by element.

    `at_most_one` states that no x is above 0, as when the largest element of a
    row has been subtracted from all. Results below the smallest normal number
    may then be 0: next to e^0 they are negligible. The error may be larger by
    the rounding of x, |x| 2^-24.
  }];
  let onednnKind = "Exp";
  let extensionAttrs = ["at_most_one"];
  let arguments = (ins Graph_FloatTensor:$src,
    DefaultValuedAttr<BoolAttr, "false">:$at_most_one);
}

def Graph_GeluOp : Graph_UnaryOp<"gelu", [],
    [DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "gelu, element by element";
  let description = [{
    y = 0.5 * x * (1 + erf(x / sqrt(2))) for mode gelu_erf, 0.5 * x * (1 +
    tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) for mode gelu_tanh.

    - (C1) mode is "gelu_erf" or "gelu_tanh".
  }];
  let onednnKind = "GELU";
  let arguments = (ins Graph_FloatTensor:$src, DefaultValuedStrAttr<StrAttr, "gelu_erf">:$mode);
  let hasVerifier = 1;
}

def Graph_HardSigmoidOp : Graph_UnaryOp<"hard_sigmoid", [],
    [DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "y = max(0, min(1, alpha * x + beta))";
  let description = [{
    y = max(0, min(1, alpha * x + beta)), element by element.
  }];
  let onednnKind = "HardSigmoid";
  let arguments = (ins Graph_FloatTensor:$src, F32Attr:$alpha, F32Attr:$beta);
}

def Graph_HardSwishOp : Graph_UnaryOp<"hard_swish", [],
    [DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "y = x * min(max(x + 3, 0), 6) / 6";
  let description = [{
    y = x * min(max(x + 3, 0), 6) / 6, element by element.
  }];
  let onednnKind = "HardSwish";
}

def Graph_LeakyReluOp : Graph_UnaryFunctionOp<"leaky_relu"> {
  let summary = "y = x >= 0 ? x : alpha * x";
  let description = [{
    y = x >= 0 ? x : alpha * x, element by element.
  }];
  let onednnKind = "LeakyReLU";
  let arguments = (ins Graph_FloatTensor:$src, F32Attr:$alpha);
}

def Graph_LogOp : Graph_UnaryFunctionOp<"log"> {
  let summary = "y = the natural logarithm of x";
  let description = [{
    y = the natural logarithm of x, element by element.
  }];
  let onednnKind = "Log";
}

def Graph_MishOp : Graph_UnaryOp<"mish", [],
    [DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "y = x * tanh(softplus(x))";
  let description = [{
    y = x * tanh(softplus(x)), element by element.
  }];
  let onednnKind = "Mish";
}

def Graph_PowOp : Graph_UnaryFunctionOp<"pow"> {
  let summary = "y = x^beta";
  let description = [{
    y = x^beta, element by element.
  }];
  let onednnKind = "Pow";
  let arguments = (ins Graph_FloatTensor:$src, F32Attr:$beta);
}

def Graph_ReciprocalOp : Graph_UnaryFunctionOp<"reciprocal"> {
  let summary = "y = 1 / x, infinity for 0";
  let description = [{
    y = 1 / x, infinity for 0, element by element.
  }];
  let onednnKind = "Reciprocal";
}

def Graph_ReluOp : Graph_UnaryFunctionOp<"relu", ["inferInterval"]> {
  let summary = "y = max(x, 0)";
  let description = [{
    y = max(x, 0), element by element.
  }];
  let onednnKind = "ReLU";
}

def Graph_RoundOp : Graph_UnaryFunctionOp<"round", ["isDiscontinuous"]> {
  let summary = "y = x rounded to the nearest integer, halves to even";
  let description = [{
    y = x rounded to the nearest integer, halves to even, element by element.
  }];
  let onednnKind = "Round";
}

def Graph_SigmoidOp : Graph_UnaryFunctionOp<"sigmoid", ["getResultInterval"]> {
  let summary = "y = 1 / (1 + exp(-x))";
  let description = [{
    y = 1 / (1 + exp(-x)), element by element.
  }];
  let onednnKind = "Sigmoid";
}

def Graph_SoftPlusOp : Graph_UnaryFunctionOp<"soft_plus"> {
  let summary = "y = log(1 + exp(beta * x)) / beta";
  let description = [{
    y = log(1 + exp(beta * x)) / beta, element by element.

    - (C1) beta is not 0.
  }];
  let onednnKind = "SoftPlus";
  let arguments = (ins Graph_FloatTensor:$src, DefaultValuedAttr<F32Attr, "1.0f">:$beta);
  let hasVerifier = 1;
}

def Graph_SqrtOp : Graph_UnaryFunctionOp<"sqrt"> {
  let summary = "y = the square root of x";
  let description = [{
    y = the square root of x, element by element.
  }];
  let onednnKind = "Sqrt";
}

def Graph_SquareOp : Graph_UnaryOp<"square", [],
    [DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "y = x * x";
  let description = [{
    y = x * x, element by element.
  }];
  let onednnKind = "Square";
}

def Graph_TanhOp : Graph_UnaryFunctionOp<"tanh", ["getResultInterval"]> {
  let summary = "y = the hyperbolic tangent of x";
  let description = [{
    y = the hyperbolic tangent of x, element by element.
  }];
  let onednnKind = "Tanh";
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

def Graph_AddOp : Graph_BinaryFunctionOp<"add", ["inferInterval"],
    [Commutative], ["getMonotonicity"]> {
  let summary = "y = a + b";
  let description = [{
    y = a + b, element by element, with numpy broadcasting. si32 saturates: a
    sum that is out of range becomes the largest or the smallest integer.
    `no_overflow` states that there is no such sum, so that code need not check.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "Add";
  let extensionAttrs = ["no_overflow"];
  let arguments = (ins Graph_NumberTensor:$src_0, Graph_NumberTensor:$src_1,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast,
    DefaultValuedAttr<BoolAttr, "false">:$no_overflow);
  let hasFolder = 1;
}

def Graph_SubtractOp : Graph_BinaryFunctionOp<"subtract",
    ["getResultInterval", "inferInterval"], [], ["getMonotonicity"]> {
  let summary = "y = a - b";
  let description = [{
    y = a - b, element by element, with numpy broadcasting. si32 saturates: a
    difference that is out of range becomes the largest or the smallest integer.
    `no_overflow` states that there is no such difference.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "Subtract";
  let extensionAttrs = ["no_overflow"];
  let arguments = (ins Graph_NumberTensor:$src_0, Graph_NumberTensor:$src_1,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast,
    DefaultValuedAttr<BoolAttr, "false">:$no_overflow);
  let hasFolder = 1;
}

def Graph_MultiplyOp : Graph_BinaryFunctionOp<"multiply",
    ["scalesOperand", "inferInterval"], [Commutative], ["getMonotonicity"]> {
  let summary = "y = a * b";
  let description = [{
    y = a * b, element by element, with numpy broadcasting. si32 saturates: a
    product that is out of range becomes the largest or the smallest integer.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "Multiply";
  let hasFolder = 1;
}

def Graph_DivideOp : Graph_BinaryFunctionOp<"divide", ["scalesOperand"]> {
  let summary = "y = a / b";
  let description = [{
    y = a / b, element by element, with numpy broadcasting, for floating-point
    numbers.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "Divide";
  let arguments = (ins Graph_FloatTensor:$src_0, Graph_FloatTensor:$src_1,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast);
  let results = (outs Graph_FloatTensor:$dst);
}

def Graph_MaximumOp : Graph_BinaryFunctionOp<"maximum", ["inferInterval"],
    [Commutative]> {
  let summary = "y = max(a, b)";
  let description = [{
    y = max(a, b), element by element, with numpy broadcasting.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "Maximum";
}

def Graph_MinimumOp : Graph_BinaryFunctionOp<"minimum", ["inferInterval"],
    [Commutative]> {
  let summary = "y = min(a, b)";
  let description = [{
    y = min(a, b), element by element, with numpy broadcasting.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "Minimum";
}

def Graph_SquaredDifferenceOp : Graph_BinaryOp<"squared_difference", [],
    [DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let summary = "y = (a - b)^2";
  let description = [{
    y = (a - b)^2, element by element, with numpy broadcasting.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) operands and result have the same element type; or one operand is
      f32, the other bf16 or f16, and the result has either type.
  }];
  let onednnKind = "SquaredDifference";
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS_TD
