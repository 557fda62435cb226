// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHWINDOWOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHWINDOWOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

def Graph_WindowsOp : Graph_InferredOp<"windows", [
    DeclareOpInterfaceMethods<FusibleOpInterface,
      ["getFusibleKind", "getOperandMap", "getGaps"]>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface>]> {
  let summary = "windows that slide over a tensor";
  let description = [{
    dst[n, p..., k..., c] = src[n, x..., c] with a dimension of p, k and x for
    each of the dimensions of src between the first and the last, and

        x = (p * stride + k * dilation + offset) / spacing.

    For gaps "fill", elements that are not in src are `fill`: where x is outside
    of src, and where the division has a remainder. For gaps "clamp" the
    quotient is rounded down and clamped to the nearest index of src. Where
    windows are multiplied and summed along k, elements that are not in src may
    be skipped, even if the other factor is infinite or NaN.

    Pooling is a reduction of windows; a slice, a pad, and the spread image of a
    transposed convolution are windows of one element. Nothing has to be copied:
    the op is computed where its elements are read.

    - (C1) src has at least three dimensions.
    - (C2) kernel, positions, strides, dilations, offsets and spacing have an
      element for each dimension of src except the first and the last; kernel,
      positions and spacing are positive.
    - (C3) the indices that arise are less than 2^40 in magnitude.
    - (C4) gaps is "fill" or "clamp".
    - (C5) fill is a number of the element type; for floating-point numbers it may
      be infinite or NaN.
  }];
  let extensionAttrs = ["kernel", "positions", "strides", "dilations", "offsets",
                        "spacing", "gaps", "fill"];
  let arguments = (ins Graph_AnyTensor:$src, DenseI64ArrayAttr:$kernel,
    DenseI64ArrayAttr:$positions, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$offsets,
    DenseI64ArrayAttr:$spacing, DefaultValuedStrAttr<StrAttr, "fill">:$gaps,
    DefaultValuedAttr<F64Attr, "0.0">:$fill);
  let results = (outs Graph_AnyTensor:$dst);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

class Graph_PoolOp<string mnemonic> : Graph_ComplexOp<mnemonic> {
  let anyCaseAttrs = ["auto_pad"];
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDeclaration = castingTypes;
}

def Graph_MaxPoolOp : Graph_PoolOp<"max_pool"> {
  let summary = "largest element of each window";
  let description = [{
    dst[n, x, c] = max over k of src[n, x * stride + k * dilation - pad_begin,
    c], where x and k have a dimension per spatial dimension of src. Elements
    outside of src do not count; a window without elements in src gives
    -infinity. NaN is the maximum of any window that contains it.

    Src and dst are [n, x..., c] for data_format "NXC", [n, c, x...] for "NCX". The
    size of dst is (x + pad_begin + pad_end - ((k - 1) * dilation + 1)) / stride +
    1, rounded as rounding_type says; for auto_pad see `graph.convolution`.

    - (C1) src has three to five dimensions.
    - (C2) data_format is "NXC" or "NCX", rounding_type "floor" or "ceil", auto_pad
      "none", "same_upper", "same_lower" or "valid".
    - (C3) kernel, strides, pads_begin, pads_end and dilations have one element
      per spatial dimension; kernel, strides and dilations are positive, pads are
      not negative. Without dilations they are 1.
    - (C4) every spatial dimension of dst has at least one element.
  }];
  let onednnKind = "MaxPool";
  let arguments = (ins Graph_FloatTensor:$src, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end,
    DenseI64ArrayAttr:$kernel,
    DefaultValuedStrAttr<StrAttr, "floor">:$rounding_type,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
}

def Graph_AvgPoolOp : Graph_PoolOp<"avg_pool"> {
  let summary = "mean of each window";
  let description = [{
    dst[n, x, c] = sum over k of src[n, x * stride + k - pad_begin, c] / count,
    where x and k have a dimension per spatial dimension of src and elements
    outside of src are 0. The count is the number of the window's elements in
    src with exclude_pad, otherwise that of the kernel's elements. A window
    without elements in src gives 0. Formats, sizes and constraints are those of
    `graph.max_pool`.

    - (C1) src has three to five dimensions.
    - (C2) data_format is "NXC" or "NCX", rounding_type "floor" or "ceil", auto_pad
      "none", "same_upper", "same_lower" or "valid".
    - (C3) kernel, strides, pads_begin and pads_end have one element per spatial
      dimension; kernel and strides are positive, pads are not negative.
    - (C4) every spatial dimension of dst has at least one element.
  }];
  let onednnKind = "AvgPool";
  let arguments = (ins Graph_FloatTensor:$src, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end,
    DenseI64ArrayAttr:$kernel, BoolAttr:$exclude_pad,
    DefaultValuedStrAttr<StrAttr, "floor">:$rounding_type,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
}

def Graph_MaxPoolBackwardOp : Graph_ComplexOp<"max_pool_backward"> {
  let summary = "gradient of max_pool";
  let description = [{
    diff_src[n, x, c] = sum of diff_dst over the windows of src whose maximum is
    this element. Of equal elements, the first one in row-major order counts as
    the maximum. Windows are those of `graph.max_pool`, one for each element of
    diff_dst.

    - (C1) src has three to five dimensions, diff_dst as many.
    - (C2) data_format is "NXC" or "NCX", auto_pad "none", "same_upper",
      "same_lower" or "valid".
    - (C3) kernel, strides, pads_begin, pads_end and dilations have one element
      per spatial dimension; kernel, strides and dilations are positive, pads are
      not negative. Without dilations they are 1.
    - (C4) diff_dst has the shape that `graph.max_pool` gives, rounded down or up.
    - (C5) the element types of src and diff_dst are equal.
  }];
  let onednnKind = "MaxPoolBackward";
  let anyCaseAttrs = ["auto_pad"];
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads_begin,
    DenseI64ArrayAttr:$pads_end, DenseI64ArrayAttr:$kernel,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilations,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$diff_src);
  let hasVerifier = 1;
}

def Graph_AvgPoolBackwardOp : Graph_ComplexOp<"avg_pool_backward"> {
  let summary = "gradient of avg_pool";
  let description = [{
    diff_src[n, x, c] = sum of diff_dst / count over the windows that contain
    the element. Windows and counts are those of `graph.avg_pool` of a tensor of
    shape `src_shape`, whose order is that of data_format.

    - (C1) diff_dst has three to five dimensions, src_shape has as many sizes,
      which are positive.
    - (C2) data_format is "NXC" or "NCX", auto_pad "none", "same_upper",
      "same_lower" or "valid".
    - (C3) kernel, strides, pads_begin and pads_end have one element per spatial
      dimension; kernel and strides are positive, pads are not negative.
    - (C4) diff_dst has the shape that `graph.avg_pool` gives for src_shape,
      rounded down or up.
  }];
  let onednnKind = "AvgPoolBackward";
  let anyCaseAttrs = ["auto_pad"];
  let arguments = (ins Graph_FloatTensor:$diff_dst, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$pads_begin, DenseI64ArrayAttr:$pads_end,
    DenseI64ArrayAttr:$kernel, BoolAttr:$exclude_pad,
    DefaultValuedStrAttr<StrAttr, "none">:$auto_pad,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format,
    DenseI64ArrayAttr:$src_shape);
  let results = (outs Graph_FloatTensor:$diff_src);
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

def Graph_InterpolateOp : Graph_ComplexOp<"interpolate"> {
  let summary = "resizes an image";
  let description = [{
    The spatial dimensions of src with other sizes: `sizes`, or those of src times
    `scales`, rounded down. Element y of Y in dst is at position
    t = (y + 0.5) * X / Y - 0.5 of X in src ("half_pixel"), or at
    t = y * (X - 1) / (Y - 1), 0 for Y = 1 ("align_corners").

    Mode "nearest" takes the element nearest to t, the later one of two that are
    equally near. "linear" weights the elements before and after t by their
    distance along each dimension; positions before the first or after the last
    element take that element. "bilinear" and "trilinear" are "linear" for two
    and three spatial dimensions. Src and dst are [n, x..., c] for data_format
    "NXC", [n, c, x...] for "NCX".

    - (C1) src has three to five dimensions.
    - (C2) data_format is "NXC" or "NCX", coordinate_transformation_mode
      "half_pixel" or "align_corners", mode "nearest", "linear", or the one of
      "bilinear" and "trilinear" that fits the number of spatial dimensions.
    - (C3) either sizes or scales are given, positive and one per spatial
      dimension.
    - (C4) every spatial dimension of dst has at least one element.
  }];
  let onednnKind = "Interpolate";
  let arguments = (ins Graph_FloatTensor:$src, StrAttr:$mode,
    DefaultValuedStrAttr<StrAttr, "half_pixel">:$coordinate_transformation_mode,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$sizes,
    DefaultValuedAttr<DenseF32ArrayAttr, "{}">:$scales,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDeclaration = castingTypes;
}

def Graph_InterpolateBackwardOp : Graph_ComplexOp<"interpolate_backward"> {
  let summary = "gradient of interpolate";
  let description = [{
    diff_src[n, x, c] = sum of diff_dst times the weight that element x has in each
    element of `graph.interpolate` of src. The elements of src are not read.

    - (C1) src has three to five dimensions, diff_dst as many.
    - (C2) data_format is "NXC" or "NCX", coordinate_transformation_mode
      "half_pixel" or "align_corners", mode "nearest", "linear", or the one of
      "bilinear" and "trilinear" that fits the number of spatial dimensions.
    - (C3) either sizes or scales are given, positive and one per spatial
      dimension.
    - (C4) diff_dst has the shape of `graph.interpolate` of src.
    - (C5) the element types of src and diff_dst are equal.
  }];
  let onednnKind = "InterpolateBackward";
  let arguments = (ins Graph_FloatTensor:$src, Graph_FloatTensor:$diff_dst,
    StrAttr:$mode,
    DefaultValuedStrAttr<StrAttr, "half_pixel">:$coordinate_transformation_mode,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$sizes,
    DefaultValuedAttr<DenseF32ArrayAttr, "{}">:$scales,
    DefaultValuedStrAttr<StrAttr, "NXC">:$data_format);
  let results = (outs Graph_FloatTensor:$diff_src);
  let hasVerifier = 1;
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHWINDOWOPS_TD
