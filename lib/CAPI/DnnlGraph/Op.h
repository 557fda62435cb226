// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_CAPI_DNNLGRAPH_OP_H
#define GC_LIB_CAPI_DNNLGRAPH_OP_H

#include "LogicalTensor.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace gc::dnnlgraph {

/// In the order of graph::AttrType.
using AttrValue = std::variant<bool, int64_t, std::vector<int64_t>, float,
                               std::vector<float>, std::string>;

} // namespace gc::dnnlgraph

/// An op as its owner described it.
struct dnnl_graph_op {
  size_t id;
  dnnl_graph_op_kind_t kind;
  std::string name;
  std::vector<gc::dnnlgraph::LT> inputs, outputs;
  std::map<dnnl_graph_op_attr_t, gc::dnnlgraph::AttrValue> attrs;
};

namespace gc::dnnlgraph {

using Op = dnnl_graph_op;

/// "MatMul (id 7)"
std::string describe(const Op &op);

/// What the op has that the dialect does not have, its last input or output;
/// null if there is nothing. No target runs such an op.
const onednn::ExtraTensor *findExtraTensor(const Op &op);

/// Checks counts, element types and attributes against the specification, as
/// far as they can be checked before shapes are known: dnnl_invalid_graph_op.
dnnl_status_t checkSchema(const Op &op);

/// Appends all that the code of an op depends on but the shapes of its tensors.
void appendKey(std::string &key, const Op &op);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_OP_H
