// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHQUANTIZEOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHQUANTIZEOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

def Graph_ByteTensor : Graph_TensorOf<[SI<8>, UI<8>], "s8 u8">;
def Graph_QuantizedTensor
    : Graph_TensorOf<[SI<8>, UI<8>, F8E5M2, F8E4M3FN],
                     "s8 u8 f8_e5m2 f8_e4m3">;
def Graph_SmallIntegerTensor
    : Graph_TensorOf<[SI<8>, UI<8>, SI<4>, UI<4>], "s8 u8 s4 u4">;
def Graph_ZeroPointTensor
    : Graph_TensorOf<[SI<8>, UI<8>, SI<4>, UI<4>, SI<32>], "s8 u8 s4 u4 s32">;

// The element type of the result does not follow from the operands.
class Graph_QuantizationOp<string mnemonic>
    : Graph_Op<mnemonic, [Pure, Graph_KeepsShape,
        DeclareOpInterfaceMethods<QuantizationOpInterface>,
        DeclareOpInterfaceMethods<ComplexOpInterface>]> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_QuantizeOp : Graph_QuantizationOp<"quantize"> {
  let summary = "converts floats to 8-bit numbers with constant scales";
  let description = [{
    dst = round(src / scale + zp), halves to even, saturated to the range of dst.
    For qtype "per_tensor" there is one scale and one zero point, for
    "per_channel" one per index in dimension `axis`. Without zps they are 0.
    Floating-point numbers of 8 bits (OCP OFP8) are rounded to nearest even and
    not saturated: too large a number becomes infinite in f8_e5m2, NaN in
    f8_e4m3.

    - (C1) the shapes of src and dst are equal.
    - (C2) qtype is "per_tensor" or "per_channel"; axis is in range.
    - (C3) there are as many scales, and zero points if any, as qtype requires.
    - (C4) scales are positive.
    - (C5) zero points of floating-point numbers are 0.
  }];
  let onednnKind = "Quantize";
  let arguments = (ins Graph_F32Tensor:$src,
    DefaultValuedStrAttr<StrAttr, "per_tensor">:$qtype,
    DefaultValuedAttr<I64Attr, "1">:$axis, DenseF32ArrayAttr:$scales,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$zps);
  let results = (outs Graph_QuantizedTensor:$dst);
}

def Graph_DequantizeOp : Graph_QuantizationOp<"dequantize"> {
  let summary = "converts 8-bit numbers to floats with constant scales";
  let description = [{
    dst = (src - zp) * scale. For qtype "per_tensor" there is one scale and one
    zero point, for "per_channel" one per index in dimension `axis`. Without zps
    they are 0.

    - (C1) the shapes of src and dst are equal.
    - (C2) qtype is "per_tensor" or "per_channel"; axis is in range.
    - (C3) there are as many scales, and zero points if any, as qtype requires.
    - (C4) scales are positive.
    - (C5) zero points of floating-point numbers are 0.
  }];
  let onednnKind = "Dequantize";
  let arguments = (ins Graph_QuantizedTensor:$src,
    DefaultValuedStrAttr<StrAttr, "per_tensor">:$qtype,
    DefaultValuedAttr<I64Attr, "1">:$axis, DenseF32ArrayAttr:$scales,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$zps);
  let results = (outs Graph_F32Tensor:$dst);
}

def Graph_DynamicQuantizeOp : Graph_QuantizationOp<"dynamic_quantize"> {
  let summary = "converts floats to 8-bit integers with scales as operands";
  let description = [{
    dst = round(src / scales + zps), halves to even, saturated to the range of
    dst. scales and zps have one element for qtype "per_tensor", and are
    one-dimensional with an element per index in dimension `axis` for
    "per_channel".

    - (C1) the shapes of src and dst are equal.
    - (C2) qtype is "per_tensor" or "per_channel"; axis is in range.
    - (C3) scales, and zps if any, have the shape that qtype requires.
  }];
  let onednnKind = "DynamicQuantize";
  let arguments = (ins Graph_F32Tensor:$src, Graph_F32Tensor:$scales,
    Optional<Graph_ZeroPointTensor>:$zps,
    DefaultValuedStrAttr<StrAttr, "per_tensor">:$qtype,
    DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs Graph_ByteTensor:$dst);
}

def Graph_DynamicDequantizeOp : Graph_QuantizationOp<"dynamic_dequantize"> {
  let summary = "converts small integers to floats with scales as operands";
  let description = [{
    dst = (src - zps) * scales. scales and zps have one element for qtype
    "per_tensor", and are one-dimensional with an element per index in dimension
    `axis` for "per_channel". For "per_group", `group_shape` has a size per
    dimension of src, and scales and zps have the shape of src divided by it:
    each of their elements is for one group.

    - (C1) the shapes of src and dst are equal.
    - (C2) qtype is "per_tensor", "per_channel" or "per_group"; axis is in range.
    - (C3) scales, and zps if any, have the shape that qtype requires.
    - (C4) group_shape is given only for "per_group", with positive sizes that
      divide those of src.
    - (C5) the element types of scales and dst are equal.
  }];
  let onednnKind = "DynamicDequantize";
  let arguments = (ins Graph_SmallIntegerTensor:$src, Graph_FloatTensor:$scales,
    Optional<Graph_ZeroPointTensor>:$zps,
    DefaultValuedStrAttr<StrAttr, "per_tensor">:$qtype,
    DefaultValuedAttr<I64Attr, "1">:$axis,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$group_shape);
  let results = (outs Graph_FloatTensor:$dst);
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHQUANTIZEOPS_TD
