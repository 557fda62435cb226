// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHCONVOLUTIONOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHCONVOLUTIONOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

def Graph_ConvolutionOp : Graph_InferredOp<"convolution", [
    DeclareOpInterfaceMethods<TunableOpInterface>,
    DeclareOpInterfaceMethods<ComplexOpInterface,
                              ["decomposesToContractions"]>]> {
  let summary = "convolution in one to three dimensions";
  let description = [{
    dst[n, o, x] = bias[o] + sum over i and k of
    src[n, g * I + i, x * stride + k * dilation - pad_begin] * weights[o, i, k],
    where x and k have a dimension per spatial dimension of src, elements outside
    of src are 0, I is the number of input channels of a group and g the group of
    output channel o: channels are cut into `groups` runs of equal length.

    Src and dst are [n, x..., channel] for data_format "NXC", [n, channel, x...]
    for "NCX"; weights are [k..., i, o] for weights_format "XIO", [o, i, k...] for
    "OIX". The size of dst is
    (x + pad_begin + pad_end - ((k - 1) * dilation + 1)) / stride + 1, rounded
    down. With auto_pad "valid" there are no pads; with "same_upper" and
    "same_lower" the size of dst is x / stride, rounded up, and the pads that
    this takes are equal at both ends, or one larger at the end ("same_upper")
    or at the beginning ("same_lower"); pads_begin and pads_end are then
    ignored.

    - (C1) src and weights have the same number of dimensions, three to five.
    - (C2) data_format is "NXC" or "NCX", weights_format "XIO" or "OIX", auto_pad
      "none", "same_upper", "same_lower" or "valid".
    - (C3) strides, pads_begin, pads_end and dilations have one element per spatial
      dimension; strides and dilations are positive, pads are not negative.
    - (C4) groups is positive and divides the numbers of input and output channels;
      weights have the input channels of one group.
    - (C5) every spatial dimension of dst has at least one element.
    - (C6) bias is one-dimensional with one element per output channel.
    - (C7) the element types of src and weights are equal; that of dst is the same
      or f32; that of bias is that of src or f32. For si8, an extension of the
      operation set, dst and bias are si32.
  }];
  let onednnKind = "Convolution";
  let anyCaseAttrs = ["auto_pad"];
  let arguments = (ins Graph_ConvolutionTensor:$src, Graph_ConvolutionTensor:$weights,
    Optional<Graph_NumberTensor>:$bias, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end,
    DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedStrAttr<StrAttr, "XIO">:$weights_format);
  let results = (outs Graph_NumberTensor:$dst);
  let extraClassDeclaration = castingTypes;
  let hasVerifier = 1;
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHCONVOLUTIONOPS_TD
