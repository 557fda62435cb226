// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TEMPLATES_GATHERTEMPLATE_TD
#define GC_DIALECT_GRAPH_TEMPLATES_GATHERTEMPLATE_TD

include "Dialect/Graph/IR/GraphAttrs.td"

def Graph_GatherTemplateAttr
    : Graph_Attr<"GatherTemplate", "gather_template",
                 [DeclareAttrInterfaceMethods<TemplateAttrInterface,
                                              ["getCost"]>]> {
  let summary = "the template of gathers";
  let description = [{
    The indices are divided among the cores. Rows are copied one at a time to
    memory of the thread, where the only post-op anchor sees them. There are no
    parameters.
  }];
  let extraClassDeclaration = [{
    /// The name of the op that it is a template of.
    static ::llvm::StringRef getTunedOp();
  }];
}

#endif // GC_DIALECT_GRAPH_TEMPLATES_GATHERTEMPLATE_TD
