// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

def Graph_AttentionOp : Graph_InferredOp<"attention", [SingleBlock,
    DeclareOpInterfaceMethods<TunableOpInterface,
      ["keepsRows", "packsByBlocks"]>,
    DeclareOpInterfaceMethods<ComplexOpInterface, ["isComplex"]>]> {
  let summary = "two matrix products with a softmax between them";
  let description = [{
    scores[..., m, s] = sum over d of query[..., m, d] * key[..., d, s] (with
    `transpose_key` key is [..., s, d]); the region turns them into logits,
    element by element (scale, mask, select); the result is
    dst[..., m, :] = sum over s of softmax(logits)[..., m, s] * value[..., s, :],
    where softmax is over s: e^(logits - max) divided by its sum. A row with a
    logit that is NaN or +inf is NaN; a row whose logits are all -inf is NaN
    with mode "none" and 0 with mode "inf_as_zero". With mode "unshifted" the
    maximum is not subtracted: logits must be in [-64, 64]. Leading dimensions
    broadcast as in numpy. The softmax is computed in f32; its results are
    rounded to the element type before they are multiplied by the values. Online
    softmax rounds before the division by the sum.

    The products are one op because its templates keep the scores in the cache
    of a core: panels of whole rows (`#graph.attention_panel_template`), or
    blocks of rows and keys (`#graph.attention_template`).
    `graph-form-attention` builds the op from simpler ones; the region may use
    values from outside.

    - (C1) query, key and value have at least two dimensions.
    - (C2) query and key have the same number of columns d, key and value the
      same number of rows s.
    - (C3) the leading dimensions of query and key broadcast, and those of value
      broadcast to the result.
    - (C4) the element types are equal.
    - (C5) the region has one argument, the scores [..., m, s] in the plain
      layout.
    - (C6) its ops are elementwise, broadcast or cast ops over the shape of the
      scores that read the scores at their own indices.
    - (C7) it ends in a `graph.yield` of one tensor of the shape of the scores, in
      their element type or in f32.
    - (C8) mode is "none", "inf_as_zero" or "unshifted".
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
    Graph_FloatTensor:$value,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_key,
    DefaultValuedStrAttr<StrAttr, "none">:$mode,
    OptionalAttr<TemplateAttrInterface>:$template_params);
  let results = (outs Graph_FloatTensor:$dst);
  let regions = (region SizedRegion<1>:$body);
  let extensionAttrs = ["transpose_key", "template_params"];
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = compatibleTypes # [{
    /// The scores as the region sees them.
    ::mlir::BlockArgument getScores() { return getBody().getArgument(0); }
    /// The operand of the softmax: a value of the region, or the scores.
    ::mlir::Value getLogits();
    /// Whether a value that the region reads from outside has one element for
    /// all rows and keys.
    bool isPerHead(::mlir::Value value);
    ::gc::graph::SoftmaxMode getSoftmaxMode() {
      return *::gc::graph::symbolizeSoftmaxMode(getMode());
    }
  }];
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS_TD
