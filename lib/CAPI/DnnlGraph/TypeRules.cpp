// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TypeRules.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace gc;
using namespace gc::dnnlgraph;
using graph::OpSpec;
using llvm::StringRef;

namespace {
/// Groups of tensors that have one type each, by their names in the table. What
/// precedes a group says how its type relates to those of the groups before:
///
///   '|'  equal, or one is f32 and the other a narrower float
///   '='  f32 if any of them is, else equal
///   '>'  f32 or equal
///   '^'  f32, or bf16 where they are bf16
struct TypeRule {
  dnnl_graph_op_kind_t kind;
  llvm::StringLiteral groups;
};

/// A tensor with what the table calls it.
struct NamedTensor {
  StringRef name;
  StringRef elements;
  dnnl_data_type_t type;
};
} // namespace

/// The other ops have one type: that of the first input for all that may have
/// the same types as it.
static constexpr TypeRule kRules[] = {
    {dnnl_graph_op_add, "src_0|src_1=dst"},
    {dnnl_graph_op_subtract, "src_0|src_1=dst"},
    {dnnl_graph_op_multiply, "src_0|src_1=dst"},
    {dnnl_graph_op_divide, "src_0|src_1=dst"},
    {dnnl_graph_op_matmul, "src weights bias>dst"},
    {dnnl_graph_op_convolution, "src weights bias dst"},
    {dnnl_graph_op_softmax, "src|dst"},
    {dnnl_graph_op_softmax_backward, "diff_dst dst>diff_src"},
    {dnnl_graph_op_layer_norm, "src dst^gamma beta mean variance"},
    {dnnl_graph_op_group_norm, "src dst^gamma beta mean variance"},
    {dnnl_graph_op_rms_norm, "src dst>gamma"},
    {dnnl_graph_op_layer_norm_backward,
     "src diff_dst diff_src^mean variance gamma beta diff_gamma diff_beta"},
    {dnnl_graph_op_batch_norm_inference, "src dst^gamma beta mean variance"},
    {dnnl_graph_op_batch_norm_forward_training,
     "src dst^mean variance gamma beta running_mean running_variance "
     "batch_mean batch_variance"},
    {dnnl_graph_op_batch_norm_backward,
     "src diff_dst diff_src^mean variance gamma diff_gamma diff_beta"},
    {dnnl_graph_op_greater_equal, "src_0 src_1"},
    {dnnl_graph_op_select, "src_0 src_1 dst"},
    // Types of both sides are independent.
    {dnnl_graph_op_type_cast, ""},
    {dnnl_graph_op_quantize, ""},
    {dnnl_graph_op_dequantize, ""},
    {dnnl_graph_op_dynamic_quantize, ""},
    {dnnl_graph_op_dynamic_dequantize, "scales dst"},
};

static llvm::SmallVector<NamedTensor, 8> nameTensors(const Op &op,
                                                     const OpSpec &spec) {
  llvm::SmallVector<NamedTensor, 8> tensors;
  auto add = [&](llvm::ArrayRef<LT> list,
                 llvm::ArrayRef<graph::ValueSpec> specs) {
    for (auto [i, lt] : llvm::enumerate(list)) {
      const graph::ValueSpec &value = specs[std::min(i, specs.size() - 1)];
      tensors.push_back({value.name, value.elements, lt.data_type});
    }
  };
  llvm::ArrayRef<LT> inputs = op.inputs, outputs = op.outputs;
  if (const onednn::ExtraTensor *extra = findExtraTensor(op)) {
    llvm::ArrayRef<LT> &list = extra->isOutput ? outputs : inputs;
    list = list.drop_back();
  }
  add(inputs, spec.operands);
  add(outputs, spec.results);
  return tensors;
}

static std::string describe(const NamedTensor &a, const NamedTensor &b) {
  return (a.name + " is " + dnnl_dt2str(a.type) + " and " + b.name + " is " +
          dnnl_dt2str(b.type))
      .str();
}

/// Whether one is f32 and the other a narrower float.
static bool areCastable(dnnl_data_type_t a, dnnl_data_type_t b) {
  if (a != dnnl_f32)
    std::swap(a, b);
  return a == dnnl_f32 && (b == dnnl_bf16 || b == dnnl_f16);
}

/// Products of integers are the dialect's own: its verifier knows them.
static bool isNarrowInteger(const NamedTensor &tensor) {
  return tensor.type == dnnl_s8 || tensor.type == dnnl_u8 ||
         tensor.type == dnnl_s4 || tensor.type == dnnl_u4;
}

/// The conflict of an op with one type.
static std::string compareWithFirst(llvm::ArrayRef<NamedTensor> tensors) {
  for (const NamedTensor &tensor : tensors)
    if (tensor.elements == tensors.front().elements &&
        tensor.type != tensors.front().type)
      return describe(tensors.front(), tensor);
  return {};
}

/// Whether a type fits that of a group before it.
static bool fits(dnnl_data_type_t before, dnnl_data_type_t type, char relation,
                 bool isAnyF32) {
  switch (relation) {
  case '|':
    return before == type || areCastable(before, type);
  case '=':
    return type == (isAnyF32 ? dnnl_f32 : before);
  case '^':
    if (type == dnnl_f16)
      return false;
    [[fallthrough]];
  default:
    return before == type || (type == dnnl_f32 && areCastable(before, type));
  }
}

static std::string applyRule(StringRef rule,
                             llvm::ArrayRef<NamedTensor> tensors) {
  // Of each group, the first tensor that is there.
  llvm::SmallVector<const NamedTensor *, 4> firsts;
  char relation = '|';
  while (!rule.empty()) {
    size_t end = rule.find_first_of("|=>^");
    llvm::SmallVector<StringRef> names;
    rule.take_front(end).split(names, ' ');
    const NamedTensor *first = nullptr;
    for (const NamedTensor &tensor : tensors) {
      if (!llvm::is_contained(names, tensor.name))
        continue;
      if (isNarrowInteger(tensor))
        return {};
      if (first && first->type != tensor.type)
        return describe(*first, tensor);
      first = first ? first : &tensor;
    }
    bool isAnyF32 = llvm::any_of(firsts, [](const NamedTensor *before) {
      return before->type == dnnl_f32;
    });
    for (const NamedTensor *before : firsts)
      if (first && !fits(before->type, first->type, relation, isAnyF32))
        return describe(*before, *first);
    if (first)
      firsts.push_back(first);
    relation = end == StringRef::npos ? '|' : rule[end];
    rule = end == StringRef::npos ? StringRef() : rule.drop_front(end + 1);
  }
  return {};
}

std::string dnnlgraph::findTypeConflict(const Op &op, const OpSpec &spec) {
  auto tensors = nameTensors(op, spec);
  if (tensors.empty())
    return {};
  const TypeRule *rule = llvm::find_if(
      kRules, [&](const TypeRule &rule) { return rule.kind == op.kind; });
  return rule == std::end(kRules) ? compareWithFirst(tensors)
                                  : applyRule(rule->groups, tensors);
}
