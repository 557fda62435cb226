// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHSELECTIONOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHSELECTIONOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

def Graph_SelectOp : Graph_InferredOp<"select", [
    DeclareOpInterfaceMethods<FusibleOpInterface>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface, ["getMonotonicity"]>]> {
  let summary = "y = cond ? a : b";
  let description = [{
    y = cond ? src_0 : src_1, element by element, with numpy broadcasting of all
    three operands. An element that is not chosen has no influence, even if it
    is NaN.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) the element types of src_0 and src_1 are equal.
  }];
  let onednnKind = "Select";
  let arguments = (ins Graph_BooleanTensor:$cond, Graph_FloatTensor:$src_0,
    Graph_FloatTensor:$src_1,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast);
  let results = (outs Graph_FloatTensor:$dst);
}

def Graph_GreaterEqualOp : Graph_InferredOp<"greater_equal", [
    DeclareOpInterfaceMethods<FusibleOpInterface>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface, ["getMonotonicity"]>]> {
  let summary = "y = a >= b";
  let description = [{
    y = src_0 >= src_1 as a boolean (i1, a byte per element in memory), element
    by element, with numpy broadcasting. NaN compares false.

    - (C1) the shapes broadcast to one shape; with auto_broadcast "none" they are
      equal.
    - (C2) the element types of src_0 and src_1 are equal.
  }];
  let onednnKind = "GreaterEqual";
  let arguments = (ins Graph_NumberTensor:$src_0, Graph_NumberTensor:$src_1,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast);
  let results = (outs Graph_BooleanTensor:$dst);
}

def Graph_GenIndexOp : Graph_InferredOp<"gen_index", [
    DeclareOpInterfaceMethods<FusibleOpInterface>,
    DeclareOpInterfaceMethods<ScalarBodyOpInterface,
      ["getIndexDim", "getMonotonicity"]>]> {
  let summary = "index of each element along a dimension";
  let description = [{
    dst has the shape of src; each element is its own index in dimension `axis`,
    which counts from the last dimension if negative. The elements of src are
    not read.

    - (C1) axis is in range.
  }];
  let onednnKind = "GenIndex";
  let arguments = (ins Graph_FloatTensor:$src, I64Attr:$axis);
  let results = (outs Graph_IndexTensor:$dst);
  let extraClassDeclaration = compatibleTypes # [{
    /// `axis` counted from the first dimension.
    int64_t getDimension() {
      int64_t axis = getAxis();
      return axis < 0 ? axis + getSrc().getType().getRank() : axis;
    }
  }];
}

def Graph_GatherOp : Graph_InferredOp<"gather", [
    DeclareOpInterfaceMethods<TunableOpInterface, ["readsWhole"]>]> {
  let summary = "rows of a table";
  let description = [{
    dst[i..., c] = src[index[i...], c]. Negative indices count from the end: -1
    is the last row. An index that is still out of range selects the nearest
    row.

    An embedding is such an op. Only the selected rows are read. Ops on the
    rows, such as the sum of embeddings and the norm after it, are fused with
    it.

    - (C1) src has two dimensions, and at least one and less than 2^31 rows.
    - (C2) index has at least one dimension.
  }];
  let extensionAttrs = ["template_params"];
  let arguments = (ins Graph_AnyTensor:$src, Graph_IndexTensor:$index,
    OptionalAttr<TemplateAttrInterface>:$template_params);
  let results = (outs Graph_AnyTensor:$dst);
  let hasVerifier = 1;
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHSELECTIONOPS_TD
