// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TEMPLATES_GATHERTEMPLATE_TD
#define GC_DIALECT_GRAPH_TEMPLATES_GATHERTEMPLATE_TD

include "Dialect/Graph/IR/GraphAttrs.td"

def Graph_GatherTemplateAttr
    : Graph_Attr<"GatherTemplate", "gather_template",
                 [DeclareAttrInterfaceMethods<TemplateAttrInterface>]> {
  let summary = "the template of gathers";
  let description = [{
    The indices are divided among the cores. A row at a time is copied to memory
    of the thread, where the one post-op anchor sees it. There are no parameters.
  }];
}

#endif // GC_DIALECT_GRAPH_TEMPLATES_GATHERTEMPLATE_TD
