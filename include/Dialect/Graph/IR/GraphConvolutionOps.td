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
    where x and k have a dimension per spatial dimension of src, elements
    outside of src are 0, I is the number of input channels of a group, and g is
    the group of output channel o: the channels are divided into `groups` runs
    of equal length.

    Src and dst are [n, x..., channel] for data_format "NXC", [n, channel, x...]
    for "NCX"; weights are [k..., i, o] for weights_format "XIO", [o, i, k...] for
    "OIX". The size of dst is
    (x + pad_begin + pad_end - ((k - 1) * dilation + 1)) / stride + 1, rounded
    down. With auto_pad "valid" there are no pads; with "same_upper" and
    "same_lower" the size of dst is x / stride, rounded up, and the pads that
    this needs are equal at both ends, or larger by one at the end
    ("same_upper") or at the beginning ("same_lower"). pads_begin and pads_end
    are then ignored.

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

// Transposed convolution and the gradients of convolutions. A convolution of an
// image describes each of them: the op computes the image, the output or the
// weights from the other two.
class Graph_ReversedConvolutionOp<string mnemonic>
    : Graph_InferredOp<mnemonic,
        [DeclareOpInterfaceMethods<ComplexOpInterface,
                                   ["decomposesToContractions"]>]> {
  let anyCaseAttrs = ["auto_pad"];
  let extraClassDeclaration = castingTypes # [{
    static ::llvm::LogicalResult infer(::std::optional<::mlir::Location> loc,
                                       ::mlir::ValueRange operands,
                                       Adaptor adaptor,
                                       ::llvm::SmallVectorImpl<::mlir::Type> &);
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return infer(loc, operands,
                   Adaptor(operands, attributes, properties, regions), types);
    }
  }];
  let hasVerifier = 1;
}

def Graph_ConvTransposeOp : Graph_ReversedConvolutionOp<"conv_transpose"> {
  let summary = "transposed convolution";
  let description = [{
    dst[n, g * O + o, x] = bias[g * O + o] + sum over i, k and y with
    x = y * stride + k * dilation - pad_begin of
    src[n, g * I + i, y] * weights[g * I + i, o, k], where x, y and k have a
    dimension per spatial dimension of src, I and O are the numbers of input and
    output channels of a group, and g is the group.

    Src and dst are [n, x..., channel] for data_format "NXC", [n, channel, x...]
    for "NCX". Weights have the output channels of one group: they are
    [k..., i, o] for weights_format "XIO", [o, i, k...] for "OIX",
    [i, o, k...] for "IOX" and [k..., o, i] for "XOI". The size of dst is
    (y - 1) * stride + (k - 1) * dilation + 1 - pad_begin - pad_end +
    output_padding. With auto_pad "valid" there are no pads; with "same_upper"
    and "same_lower" the size is y * stride, and the pads are those of a
    convolution from dst to src.

    - (C1) src and weights have the same number of dimensions, three to five.
    - (C2) data_format is "NXC" or "NCX", weights_format "XIO", "OIX", "IOX" or
      "XOI", auto_pad "none", "same_upper", "same_lower" or "valid".
    - (C3) strides, pads_begin, pads_end and dilations have one element per
      spatial dimension, output_padding has as many or none, and any further
      elements of it are 0; strides and dilations are positive, the others are
      not negative.
    - (C4) groups is positive and divides the number of input channels, which src
      and weights agree on.
    - (C5) a convolution of dst has the size of src.
    - (C6) bias is one-dimensional with one element per output channel.
    - (C7) the element types of src and weights are equal; that of dst is the same
      or f32; that of bias is that of src or f32.
  }];
  let onednnKind = "ConvTranspose";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$weights,
    Optional<Graph_FloatTensor>:$bias, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end,
    DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_padding,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedStrAttr<StrAttr, "XIO">:$weights_format);
  let results = (outs Graph_FloatTensor:$dst);
}

def Graph_ConvTransposeBackwardDataOp
    : Graph_ReversedConvolutionOp<"conv_transpose_backward_data"> {
  let summary = "gradient of conv_transpose with respect to src";
  let description = [{
    diff_src[n, g * I + i, y] = sum over o and k of
    diff_dst[n, g * O + o, y * stride + k * dilation - pad_begin] *
    weights[g * I + i, o, k]: a convolution of diff_dst. Attributes are those of
    `graph.conv_transpose`.

    - (C1) diff_dst and weights have the same number of dimensions, three to five.
    - (C2) data_format, weights_format and auto_pad are as in
      `graph.conv_transpose`.
    - (C3) strides, pads_begin, pads_end and dilations have one element per
      spatial dimension, output_padding has as many or none, and any further
      elements of it are 0; strides and dilations are positive, the others are
      not negative.
    - (C4) groups is positive and divides the numbers of input and output channels;
      weights have the output channels of one group.
    - (C5) every spatial dimension of diff_src has at least one element.
    - (C7) the element types of diff_dst and weights are equal; that of diff_src is
      the same or f32.
  }];
  let onednnKind = "ConvTransposeBackwardData";
  let arguments = (ins Graph_FloatTensor:$diff_dst, Graph_FloatTensor:$weights,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads_begin,
    DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_padding,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedStrAttr<StrAttr, "XIO">:$weights_format);
  let results = (outs Graph_FloatTensor:$diff_src);
}

def Graph_ConvTransposeBackwardWeightsOp
    : Graph_ReversedConvolutionOp<"conv_transpose_backward_weights"> {
  let summary = "gradient of conv_transpose with respect to weights";
  let description = [{
    diff_weights[g * I + i, o, k] = sum over n and y of src[n, g * I + i, y] *
    diff_dst[n, g * O + o, y * stride + k * dilation - pad_begin]. Attributes are
    those of `graph.conv_transpose`; weights_shape is the shape of the weights in
    weights_format.

    - (C1) src and diff_dst have the same number of dimensions, three to five, and
      weights_shape has as many positive sizes.
    - (C2) data_format, weights_format and auto_pad are as in
      `graph.conv_transpose`.
    - (C3) strides, pads_begin, pads_end and dilations have one element per
      spatial dimension, output_padding has as many or none, and any further
      elements of it are 0; strides and dilations are positive, the others are
      not negative.
    - (C4) groups is positive and divides the numbers of input and output channels;
      weights have the output channels of one group.
    - (C5) a convolution of diff_dst has the size of src.
    - (C7) the element types of src and diff_dst are equal; that of diff_weights is
      the same or f32.
  }];
  let onednnKind = "ConvTransposeBackwardWeights";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads_begin,
    DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_padding,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedStrAttr<StrAttr, "XIO">:$weights_format,
    DenseI64ArrayAttr:$weights_shape);
  let results = (outs Graph_FloatTensor:$diff_weights);
}

def Graph_ConvolutionBackwardDataOp
    : Graph_ReversedConvolutionOp<"convolution_backward_data"> {
  let summary = "gradient of convolution with respect to src";
  let description = [{
    diff_src[n, g * I + i, x] = sum over o, k and y with
    x = y * stride + k * dilation - pad_begin of
    diff_dst[n, g * O + o, y] * weights[g * O + o, i, k], where I and O are the
    numbers of input and output channels of a group g. Attributes are those of
    `graph.convolution`. dst_shape is the shape of diff_src; without it, the
    sizes are those that `graph.conv_transpose` gives.

    - (C1) diff_dst and weights have the same number of dimensions, three to five.
    - (C2) data_format is "NXC" or "NCX", weights_format "XIO" or "OIX", auto_pad
      "none", "same_upper", "same_lower" or "valid".
    - (C3) strides, pads_begin, pads_end and dilations have one element per
      spatial dimension, output_padding has as many or none, and any further
      elements of it are 0; strides and dilations are positive, the others are
      not negative.
    - (C4) groups is positive and divides the number of output channels, which
      diff_dst and weights agree on.
    - (C5) a convolution of diff_src has the size of diff_dst; dst_shape has the
      batch and the channels that follow from the operands.
    - (C7) the element types of diff_dst and weights are equal; that of diff_src is
      the same or f32.
  }];
  let onednnKind = "ConvolutionBackwardData";
  let arguments = (ins Graph_FloatTensor:$diff_dst, Graph_FloatTensor:$weights,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads_begin,
    DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_padding,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedStrAttr<StrAttr, "XIO">:$weights_format,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dst_shape);
  let results = (outs Graph_FloatTensor:$diff_src);
}

def Graph_ConvolutionBackwardWeightsOp
    : Graph_ReversedConvolutionOp<"convolution_backward_weights"> {
  let summary = "gradient of convolution with respect to weights";
  let description = [{
    diff_weights[g * O + o, i, k] = sum over n and y of diff_dst[n, g * O + o, y] *
    src[n, g * I + i, y * stride + k * dilation - pad_begin]. Attributes are those
    of `graph.convolution`; weights_shape is the shape of the weights in
    weights_format.

    - (C1) src and diff_dst have the same number of dimensions, three to five, and
      weights_shape has as many positive sizes.
    - (C2) data_format is "NXC" or "NCX", weights_format "XIO" or "OIX", auto_pad
      "none", "same_upper", "same_lower" or "valid".
    - (C3) strides, pads_begin, pads_end and dilations have one element per spatial
      dimension; strides and dilations are positive, pads are not negative.
    - (C4) groups is positive and divides the numbers of input and output channels;
      weights have the input channels of one group.
    - (C5) a convolution of src has the size of diff_dst.
    - (C7) the element types of src and diff_dst are equal; that of diff_weights is
      the same or f32.
  }];
  let onednnKind = "ConvolutionBackwardWeights";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads_begin,
    DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$dilations,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DefaultValuedStrAttr<StrAttr, "XIO">:$weights_format,
    DenseI64ArrayAttr:$weights_shape);
  let results = (outs Graph_FloatTensor:$diff_weights);
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHCONVOLUTIONOPS_TD
