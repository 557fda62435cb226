// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The specification's rules for an op alone.

#include "Names.h"
#include "Op.h"
#include "Status.h"
#include "Target/OneDNNGraph/GraphFile.h"
#include "TypeRules.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "llvm/ADT/StringExtras.h"

using namespace gc;
using namespace gc::dnnlgraph;
using graph::AttrSpec;
using graph::AttrType;
using graph::AttrUse;
using graph::OpSpec;
using graph::ValueSpec;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
class SchemaCheck {
public:
  SchemaCheck(const Op &op, const OpSpec &spec)
      : op(op), spec(spec), extra(findExtraTensor(op)) {}

  dnnl_status_t run() {
    ArrayRef<LT> inputs = op.inputs, outputs = op.outputs;
    if (extra) {
      ArrayRef<LT> &list = extra->isOutput ? outputs : inputs;
      if (dnnl_dt2str(list.back().data_type) != extra->element)
        return refuse(extra->name + " is a tensor of " + extra->element);
      list = list.drop_back();
    }
    if (dnnl_status_t status = checkTensors(inputs, spec.operands, "input"))
      return status;
    if (dnnl_status_t status = checkTensors(outputs, spec.results, "output"))
      return status;
    if (std::string conflict = findTypeConflict(op, spec); !conflict.empty())
      return refuse(conflict);
    if (dnnl_status_t status = checkAttrs())
      return status;
    return checkCounts();
  }

private:
  dnnl_status_t refuse(const llvm::Twine &reason) const {
    return fail(dnnl_invalid_graph_op, describe(op) + ": " + reason);
  }

  dnnl_status_t checkTensors(ArrayRef<LT> tensors, ArrayRef<ValueSpec> specs,
                             StringRef what) const;
  dnnl_status_t checkAttrs() const;
  dnnl_status_t checkValue(StringRef name, const AttrValue &value) const;
  dnnl_status_t checkCounts() const;
  const AttrValue *getAttr(StringRef name) const;
  /// The value of a boolean attribute; nothing if the op does not have it.
  std::optional<bool> getFlag(StringRef name) const;

  const Op &op;
  const OpSpec &spec;
  const onednn::ExtraTensor *extra;
};
} // namespace

/// Types of which no op makes or reads elements.
static bool isCarriedOnly(dnnl_data_type_t type) {
  return type == dnnl_f64 || type == dnnl_e8m0 || type == dnnl_f4_e2m1 ||
         type == dnnl_f4_e3m0;
}

dnnl_status_t SchemaCheck::checkTensors(ArrayRef<LT> tensors,
                                        ArrayRef<ValueSpec> specs,
                                        StringRef what) const {
  if (tensors.size() < getLeast(specs) || tensors.size() > getMost(specs))
    return refuse("it has " + llvm::Twine(tensors.size()) + " " + what + "s");
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    // Of a list of any length the last specification is for all that follow.
    const ValueSpec &value = specs[std::min(i, specs.size() - 1)];
    llvm::SmallVector<StringRef> types;
    StringRef(value.elements).split(types, ' ');
    StringRef type = dnnl_dt2str(tensor.data_type);
    if (tensor.data_type == dnnl_s64)
      type = "u64";
    // An op that only marks a tensor takes more than there is code for.
    bool known = tensor.data_type != dnnl_data_type_undef &&
                 (op.outputs.empty() || !isCarriedOnly(tensor.data_type));
    if (!known || (value.elements != "any" && !llvm::is_contained(types, type)))
      return refuse(what + " " + llvm::Twine(i) + " (" + value.name +
                    ") has the element type " + dnnl_dt2str(tensor.data_type) +
                    "; there are " + value.elements);
  }
  return dnnl_success;
}

dnnl_status_t SchemaCheck::checkAttrs() const {
  for (const auto &[attr, value] : op.attrs) {
    const AttrName *name = findAttr(attr);
    if (!name)
      return refuse("there is no attribute " +
                    llvm::Twine(static_cast<int>(attr)));
    const auto *known = llvm::find_if(spec.attrs, [&](const AttrSpec &known) {
      return known.name == name->name;
    });
    if (known == spec.attrs.end()) {
      if (spec.anyAttrs)
        continue;
      return refuse("it has no attribute '" + name->name + "'");
    }
    if (value.index() != static_cast<size_t>(known->type))
      return refuse("attribute '" + name->name + "' is of type " +
                    graph::stringify(known->type));
    if (dnnl_status_t status = checkValue(name->name, value))
      return status;
  }
  for (const AttrSpec &known : spec.attrs)
    if (known.use == AttrUse::Required && !getAttr(known.name) &&
        !(extra && extra->name == known.name))
      return refuse("attribute '" + known.name + "' is missing");
  return dnnl_success;
}

dnnl_status_t SchemaCheck::checkValue(StringRef name,
                                      const AttrValue &value) const {
  // Values of strings that mean the same for all ops; those of `mode` do not.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
      strings[] = {
          {"accumulation_mode", "strict relaxed any s32 f32 f16"},
          {"auto_broadcast", "none numpy"},
          {"auto_pad", "none same_upper same_lower valid"},
          {"coordinate_transformation_mode", "half_pixel align_corners"},
          {"data_format", "NXC NCX"},
          {"qtype", "per_tensor per_channel per_group"},
          {"rounding_type", "floor ceil"},
          {"weights_format", "XIO OIX IOX XOI"},
      };
  if (const auto *text = std::get_if<std::string>(&value)) {
    for (const auto &[known, values] : strings) {
      llvm::SmallVector<StringRef> words;
      StringRef(values).split(words, ' ');
      bool anyCase = name == "auto_pad";
      if (known == name && llvm::none_of(words, [&](StringRef word) {
            return anyCase ? word.equals_insensitive(*text) : word == *text;
          }))
        return refuse("attribute '" + name + "' is '" + *text +
                      "'; there are: " + values);
    }
    return dnnl_success;
  }
  const auto *numbers = std::get_if<std::vector<int64_t>>(&value);
  if (!numbers)
    return dnnl_success;
  int64_t least = std::numeric_limits<int64_t>::min();
  if (name == "strides" || name == "dilations" || name == "kernel")
    least = 1;
  if (name == "pads_begin" || name == "pads_end" || name == "output_padding")
    least = 0;
  for (int64_t number : *numbers)
    if (number < least)
      return refuse("attribute '" + name + "' has the element " +
                    llvm::Twine(number));
  return dnnl_success;
}

const AttrValue *SchemaCheck::getAttr(StringRef name) const {
  for (const auto &[attr, value] : op.attrs)
    if (findAttr(attr)->name == name)
      return &value;
  return nullptr;
}

std::optional<bool> SchemaCheck::getFlag(StringRef name) const {
  if (const AttrValue *value = getAttr(name))
    return std::get<bool>(*value);
  for (const AttrSpec &known : spec.attrs)
    if (known.name == name)
      return known.defaultValue == "true";
  return std::nullopt;
}

/// Counts that attributes decide.
dnnl_status_t SchemaCheck::checkCounts() const {
  // Mean and variance are kept together, scale and shift are used together.
  if (auto keeps = getFlag("keep_stats"))
    if (op.outputs.size() != (*keeps ? 3 : 1))
      return refuse("keep_stats is " + llvm::Twine(*keeps ? "true" : "false") +
                    " and it has " + llvm::Twine(op.outputs.size()) +
                    " outputs");
  if (auto uses = getFlag("use_affine"))
    if ((op.inputs.size() > getLeast(spec.operands)) != *uses)
      return refuse("use_affine is " + llvm::Twine(*uses ? "true" : "false") +
                    " and it has " + llvm::Twine(op.inputs.size()) + " inputs");
  // So are their gradients.
  size_t least = getLeast(spec.results);
  if (getMost(spec.results) == least + 2 && op.outputs.size() == least + 1)
    return refuse("it has one of the outputs " + spec.results[least].name +
                  " and " + spec.results[least + 1].name);
  // One scale and zero point, or one for each index.
  const AttrValue *scales = getAttr("scales"), *zps = getAttr("zps");
  if (scales && zps) {
    size_t count = std::get<std::vector<float>>(*scales).size();
    size_t points = std::get<std::vector<int64_t>>(*zps).size();
    if (points != 0 && points != count)
      return refuse("there are " + llvm::Twine(count) + " scales and " +
                    llvm::Twine(points) + " zero points");
  }
  const AttrValue *qtype = getAttr("qtype");
  if (scales && (!qtype || std::get<std::string>(*qtype) == "per_tensor") &&
      std::get<std::vector<float>>(*scales).size() != 1)
    return refuse("per_tensor needs one scale");
  return dnnl_success;
}

dnnl_status_t dnnlgraph::checkSchema(const Op &op) {
  StringRef kind = getKindName(op.kind);
  if (kind.empty())
    return fail(dnnl_invalid_graph_op, describe(op));
  if (op.kind == dnnl_graph_op_wildcard)
    return dnnl_success;
  const OpSpec *spec = onednn::findOp(kind);
  if (!spec)
    return fail(dnnl_unimplemented, describe(op) + " has no row in the table");
  return SchemaCheck(op, *spec).run();
}
