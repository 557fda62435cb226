// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TEMPLATES_ATTENTIONPANELTEMPLATE_TD
#define GC_DIALECT_GRAPH_TEMPLATES_ATTENTIONPANELTEMPLATE_TD

include "Dialect/Graph/IR/GraphAttrs.td"
include "Dialect/Graph/Templates/Matmul/MatmulTemplate.td"

def Graph_AttentionPanelTemplateAttr
    : Graph_Attr<"AttentionPanelTemplate", "attention_panel_template",
                 [DeclareAttrInterfaceMethods<TemplateAttrInterface,
                                              ["expand"]>]> {
  let summary = "attention as two products with panels of whole rows between them";
  let description = [{
    A core computes all scores of a panel of query rows, softmax runs over whole
    rows while the panel is in its cache, and the second product reads the panel
    from there. The parameters are those of the two products: `scores`, with
    whole rows (NPN = 1, order m, k, n), and `product`, which reads the panel.

    The template is not emitted itself: `graph-expand-templates` turns the op into
    two matmuls with these templates and basic ops between them.

    - (C1) `scores` and `product` fit their products: M x S x D and M x Dv x S.
  }];
  let parameters = (ins "::gc::graph::MatmulTemplateAttr":$scores,
    "::gc::graph::MatmulTemplateAttr":$product);
  let assemblyFormat = [{
    `<` `scores` `=` $scores `,` `product` `=` $product `>`
  }];
  let extraClassDeclaration = [{
    /// The name of the op that it is a template of.
    static ::llvm::StringRef getTunedOp();
  }];
}

#endif // GC_DIALECT_GRAPH_TEMPLATES_ATTENTIONPANELTEMPLATE_TD
