// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Op.h"
#include "Names.h"
#include "Status.h"

using namespace gc;
using namespace gc::dnnlgraph;

std::string dnnlgraph::describe(const Op &op) {
  llvm::StringRef kind = getKindName(op.kind);
  return (kind.empty() ? "op of unknown kind" : kind.str()) + " (id " +
         std::to_string(op.id) + ")";
}

const onednn::ExtraTensor *dnnlgraph::findExtraTensor(const Op &op) {
  return onednn::findExtraTensor(getKindName(op.kind), op.inputs.size(),
                                 op.outputs.size());
}

void dnnlgraph::appendKey(std::string &key, const Op &op) {
  auto append = [&](const auto *data, size_t count) {
    key.append(reinterpret_cast<const char *>(data), count * sizeof(*data));
  };
  const size_t counts[] = {op.id, static_cast<size_t>(op.kind),
                           op.inputs.size(), op.outputs.size(),
                           op.attrs.size()};
  append(counts, std::size(counts));
  for (const auto &[attr, value] : op.attrs) {
    const size_t header[] = {static_cast<size_t>(attr), value.index()};
    append(header, std::size(header));
    std::visit(
        [&](const auto &content) {
          using Content = std::decay_t<decltype(content)>;
          if constexpr (std::is_arithmetic_v<Content>) {
            append(&content, 1);
          } else {
            size_t size = content.size();
            append(&size, 1);
            append(content.data(), size);
          }
        },
        value);
  }
  for (const auto *list : {&op.inputs, &op.outputs})
    for (const LT &lt : *list)
      appendKey(key, lt);
}

dnnl_status_t dnnl_graph_op_create(dnnl_graph_op_t *op, size_t id,
                                   dnnl_graph_op_kind_t kind,
                                   const char *verbose_name) {
  if (!op || !verbose_name)
    return dnnl_invalid_arguments;
  return guard([&] {
    *op = new dnnl_graph_op{id, kind, verbose_name, {}, {}, {}};
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_op_destroy(dnnl_graph_op_t op) {
  delete op;
  return dnnl_success;
}

static dnnl_status_t addTensor(dnnl_graph_op_t op, std::vector<LT> Op::*list,
                               const LT *lt) {
  if (!op || !lt || !isWellFormed(*lt))
    return dnnl_invalid_arguments;
  return guard([&] {
    (op->*list).push_back(*lt);
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_op_add_input(dnnl_graph_op_t op, const LT *input) {
  return addTensor(op, &Op::inputs, input);
}

dnnl_status_t dnnl_graph_op_add_output(dnnl_graph_op_t op, const LT *output) {
  return addTensor(op, &Op::outputs, output);
}

/// Sets an attribute that may be one number or a list; one that does not exist
/// is found when the op is added to a graph.
template <typename T>
static dnnl_status_t setNumbers(dnnl_graph_op_t op, dnnl_graph_op_attr_t name,
                                const T *value, size_t count,
                                graph::AttrType list) {
  const AttrName *known = findAttr(name);
  bool isList = known ? known->type == list : count != 1;
  if (!op || (!value && !(isList && count == 0)))
    return dnnl_invalid_arguments;
  return guard([&] {
    if (isList)
      op->attrs[name] = std::vector<T>(value, value + count);
    else
      op->attrs[name] = *value;
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_op_set_attr_f32(dnnl_graph_op_t op,
                                         dnnl_graph_op_attr_t name,
                                         const float *value, size_t value_len) {
  return setNumbers(op, name, value, value_len, graph::AttrType::F32List);
}

dnnl_status_t dnnl_graph_op_set_attr_s64(dnnl_graph_op_t op,
                                         dnnl_graph_op_attr_t name,
                                         const int64_t *value,
                                         size_t value_len) {
  return setNumbers(op, name, value, value_len, graph::AttrType::S64List);
}

dnnl_status_t dnnl_graph_op_set_attr_bool(dnnl_graph_op_t op,
                                          dnnl_graph_op_attr_t name,
                                          const uint8_t *value,
                                          size_t value_len) {
  if (!op || !value || value_len != 1)
    return dnnl_invalid_arguments;
  return guard([&] {
    op->attrs[name] = *value != 0;
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_op_set_attr_str(dnnl_graph_op_t op,
                                         dnnl_graph_op_attr_t name,
                                         const char *value, size_t value_len) {
  if (!op || !value || value_len == 0)
    return dnnl_invalid_arguments;
  return guard([&] {
    op->attrs[name] = std::string(value);
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_op_get_id(const_dnnl_graph_op_t op, size_t *id) {
  if (!op || !id)
    return dnnl_invalid_arguments;
  *id = op->id;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_op_get_kind(const_dnnl_graph_op_t op,
                                     dnnl_graph_op_kind_t *kind) {
  if (!op || !kind)
    return dnnl_invalid_arguments;
  *kind = op->kind;
  return dnnl_success;
}
