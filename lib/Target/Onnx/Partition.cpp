// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Imports the nodes that are supported, and names the rest. All nodes are first
// imported into one function, whose arguments are the inputs of the graph and
// what nodes outside compute. It is then split.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Importer.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

static bool isStated(const ::onnx::TypeProto &type) {
  return type.has_tensor_type()
             ? type.tensor_type().elem_type() != ::onnx::TensorProto::UNDEFINED
             : type.value_case() != ::onnx::TypeProto::VALUE_NOT_SET;
}

std::string Importer::addOutside(func::FuncOp function, StringRef name,
                                 Tensor &tensor) {
  std::string subject = ("tensor '" + name + "'").str();
  if (const ::onnx::NodeProto *node = outside.lookup(name))
    subject += ", which " + NodeBuilder::describe(*node) + " computes outside";
  ArgumentType type{nullptr, {}, "has no type; value_info gives it one", true};
  for (const auto *infos :
       {&graph.input(), &graph.value_info(), &graph.output()})
    for (const ::onnx::ValueInfoProto &info : *infos)
      if (info.name() == name && !type.type && isStated(info.type()))
        type = getType(info);
  if (type.type) {
    tensor.value = function.getBody().front().addArgument(type.type, loc);
    state.sizes.setShape(tensor.value, type.sizes);
    argumentNames.push_back(name.str());
    return "";
  }
  isModelError = type.isOpen;
  return subject + ": " + type.problem +
         (type.isOpen ? " (or run onnx.shape_inference before)" : "");
}

LogicalResult Importer::tryNode(::onnx::NodeProto &proto, PartNode &record) {
  NodeBuilder node(state, proto, opset, record.loc);
  for (const std::string &name : proto.output())
    if (!name.empty() && state.tensors.contains(name))
      return node.fail("'" + name + "' is defined before");
  auto counts = std::pair(mapped, folded);
  int64_t foldBytes = state.foldBytes;
  Block &body = *state.builder.getInsertionBlock();
  Operation *last = body.empty() ? nullptr : &body.back();
  std::string reason;
  LogicalResult imported = [&] {
    ScopedDiagnosticHandler handler(
        loc.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          reason = diagnostic.str();
          return success();
        });
    if (succeeded(importNode(node, proto, opset)))
      return success();
    // What fails in a function or a branch is a reason of the node.
    return node.hasFailed() ? failure() : node.fail(std::string(reason));
  }();
  if (succeeded(imported)) {
    auto first = last ? std::next(last->getIterator()) : body.begin();
    for (Operation &op : llvm::make_range(first, body.end()))
      if (!isa<graph::ConstantOp>(op))
        record.ops.push_back(&op);
    return success();
  }
  if (isModelError || nodesLeft < 0)
    return emitError(record.loc) << reason;
  emitRemark(record.loc) << reason;
  // Ops that were built are left behind, and not taken over into any part.
  std::tie(mapped, folded) = counts;
  state.foldBytes = foldBytes;
  record.isOutside = true;
  ++unsupported[getFullName(proto)];
  for (const std::string &name : proto.output())
    if (!name.empty()) {
      state.tensors[name] = Tensor();
      outside[name] = &proto;
    }
  return success();
}

LogicalResult Importer::importParts(func::FuncOp function) {
  state.addOutside = [&](StringRef name, Tensor &tensor) {
    return addOutside(function, name, tensor);
  };
  std::vector<PartNode> nodes;
  for (::onnx::NodeProto &proto : *graph.mutable_node()) {
    nodes.push_back({&proto, getNextLoc(proto)});
    if (failed(tryNode(proto, nodes.back())))
      return failure();
  }
  if (unsupported.empty()) {
    if (failed(finishFunction(function)))
      return failure();
    function.setName("part0");
    for (auto [i, output] : llvm::enumerate(graph.output()))
      function.setResultAttr(i, graph::GraphDialect::kNameAttr,
                             state.builder.getStringAttr(output.name()));
    return success();
  }
  auto parts =
      splitFunction(function, argumentNames, nodes, graph, state, opset);
  if (failed(parts)) {
    writeReport();
    return failure();
  }
  function.erase();
  for (func::FuncOp part : *parts)
    if (failed(declareSizes(part, /*isPart=*/true)))
      return failure();
  return success();
}
