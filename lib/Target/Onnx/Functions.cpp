// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of the model, and branches.

#include "Importer.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace gc::onnxio;
using ::onnx::AttributeProto;

/// Most calls and branches inside of each other.
static constexpr int kMaxDepth = 32;

::onnx::FunctionProto *Importer::findFunction(const ::onnx::NodeProto &node) {
  for (::onnx::FunctionProto &function : *model.mutable_functions())
    if (function.name() == node.op_type() && function.domain() == node.domain())
      return &function;
  return nullptr;
}

/// Gives attributes that refer to one of the call its value. Those that the
/// call leaves out are left out.
static void bindAttributes(::onnx::NodeProto &node,
                           const ::onnx::NodeProto &call) {
  auto &attrs = *node.mutable_attribute();
  for (int i = attrs.size() - 1; i >= 0; --i) {
    AttributeProto &attr = attrs[i];
    if (attr.has_g())
      for (::onnx::NodeProto &inner : *attr.mutable_g()->mutable_node())
        bindAttributes(inner, call);
    if (attr.ref_attr_name().empty())
      continue;
    std::string name = attr.name(), refers = attr.ref_attr_name();
    attrs.DeleteSubrange(i, 1);
    for (const AttributeProto &given : call.attribute())
      if (given.name() == refers) {
        *node.add_attribute() = given;
        node.mutable_attribute()->rbegin()->set_name(name);
        break;
      }
  }
}

LogicalResult Importer::importCall(NodeBuilder &node, ::onnx::NodeProto &proto,
                                   ::onnx::FunctionProto &function) {
  if (depth >= kMaxDepth)
    return node.fail("functions call each other too deeply");
  if (proto.input_size() > function.input_size() ||
      proto.output_size() > function.output_size())
    return node.fail("has more operands or results than its function");
  // A field that the protobuf library at hand may not know yet.
  constexpr int kAttributeDefaults = 11;
  const auto &unknown = function.GetReflection()->GetUnknownFields(function);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() == kAttributeDefaults)
      return node.fail("its function has defaults of attributes, which are not "
                       "supported");
  for (const AttributeProto &attr : proto.attribute())
    if (!llvm::is_contained(function.attribute(), attr.name()))
      return node.fail("attribute '" + attr.name() +
                       "' is not one of its function");
  int64_t inner = opset;
  for (const auto &import : function.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx")
      inner = import.version();
  // The body sees its parameters only.
  llvm::StringMap<Tensor> scope;
  for (int i = 0; i < proto.input_size(); ++i) {
    if (proto.input(i).empty())
      continue;
    Tensor *tensor = node.findTensor(proto.input(i));
    if (!tensor)
      return failure();
    scope[function.input(i)] = *tensor;
  }
  std::swap(scope, state.tensors);
  ++depth;
  LogicalResult imported = success();
  for (const ::onnx::NodeProto &original : function.node()) {
    ::onnx::NodeProto copy = original;
    bindAttributes(copy, proto);
    // An operand that the call leaves out has no name.
    for (std::string &name : *copy.mutable_input())
      for (int i = 0; i < function.input_size(); ++i)
        if (name == function.input(i) &&
            (i >= proto.input_size() || proto.input(i).empty()))
          name.clear();
    if (failed(imported = importNode(copy, inner)))
      break;
  }
  --depth;
  std::swap(scope, state.tensors);
  if (failed(imported))
    return failure();
  for (int i = 0; i < proto.output_size(); ++i) {
    auto it = scope.find(function.output(i));
    if (it == scope.end())
      return node.fail("its function does not define '" + function.output(i) +
                       "'");
    if (failed(node.setTensor(it->second)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Tensor>>
Importer::importBranch(NodeBuilder &node, ::onnx::GraphProto &branch,
                       int64_t opset) {
  // What the branch defines ends with it, also after an error.
  llvm::StringSet<> defined;
  auto define = [&](const std::string &name) {
    if (!state.tensors.contains(name))
      defined.insert(name);
  };
  for (const ::onnx::NodeProto &inner : branch.node())
    llvm::for_each(inner.output(), define);
  for (const ::onnx::TensorProto &constant : branch.initializer())
    define(constant.name());
  llvm::scope_exit leave([&] {
    for (StringRef name : defined.keys())
      state.tensors.erase(name);
  });
  ++depth;
  LogicalResult imported =
      success(succeeded(addConstants(branch)) &&
              succeeded(importNodes(*branch.mutable_node(), opset)));
  --depth;
  if (failed(imported))
    return failure();
  SmallVector<Tensor> results;
  for (const auto &output : branch.output()) {
    if (!state.tensors.contains(output.name()))
      return node.fail("nothing in the branch defines '" + output.name() + "'");
    Tensor *tensor = node.findTensor(output.name());
    if (!tensor)
      return failure();
    results.push_back(*tensor);
  }
  return results;
}

LogicalResult Importer::importIf(NodeBuilder &node, ::onnx::NodeProto &proto,
                                 int64_t opset) {
  if (depth >= kMaxDepth)
    return node.fail("branches are too deep");
  auto condition = node.getKnown(0);
  if (!condition || condition->values.size() != 1 || condition->isFloat())
    return node.fail("its condition is not known at import");
  StringRef name = condition->values[0].i ? "then_branch" : "else_branch";
  AttributeProto *attr = node.findAttr(name, AttributeProto::GRAPH);
  if (!attr)
    return node.fail("attribute '" + name + "' is missing");
  ::onnx::GraphProto &branch = *attr->mutable_g();
  if (branch.output_size() != proto.output_size())
    return node.fail("the branch has another number of results");
  FailureOr<SmallVector<Tensor>> results = importBranch(node, branch, opset);
  if (failed(results))
    return failure();
  for (const Tensor &result : *results)
    if (failed(node.setTensor(result)))
      return failure();
  return success();
}
