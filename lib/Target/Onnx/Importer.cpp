// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds a function of the Graph dialect from a model.

#include "Importer.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Tensors.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// Versions of the standard operator set whose operators are known.
static constexpr int64_t kMinOpset = 1, kMaxOpset = 24;

Importer::Importer(::onnx::ModelProto &model, Location loc,
                   const OnnxOptions &options, StringRef folder,
                   const SplitModel *split, std::shared_ptr<const void> owner)
    : graph(*model.mutable_graph()), model(model), split(split),
      owner(std::move(owner)), loc(loc), options(options),
      state{OpBuilder(loc.getContext()), {}, folder.str(), options.maxFoldBytes,
            options.maxFoldBytes,        {}} {}

static bool isStandard(StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::string gc::onnxio::getFullName(const ::onnx::NodeProto &node) {
  return isStandard(node.domain()) ? node.op_type()
                                   : node.domain() + "." + node.op_type();
}

LogicalResult Importer::findOpset() {
  for (const auto &import : model.opset_import())
    if (isStandard(import.domain()))
      opset = import.version();
  if (opset < kMinOpset || opset > kMaxOpset)
    return emitError(loc) << "operator set " << opset << " is not one of "
                          << kMinOpset << " to " << kMaxOpset;
  return success();
}

void Importer::addUnsupported(const Nodes &nodes, int64_t opset) {
  for (const ::onnx::NodeProto &node : nodes) {
    if (::onnx::FunctionProto *function = findFunction(node)) {
      if (checked.insert(function).second)
        addUnsupported(function->node(), opset);
      continue;
    }
    bool standard = isStandard(node.domain());
    if (standard && node.op_type() == "If")
      continue; // Only the branch that is chosen is imported.
    const OpEntry *op = findOp(node.domain(), node.op_type());
    if (!op || (standard && opset < op->since))
      ++unsupported[getFullName(node)];
  }
}

/// Reports all operators that are not imported in one error.
LogicalResult Importer::checkOps() {
  addUnsupported(graph.node(), opset);
  if (unsupported.empty())
    return success();
  writeReport();
  InFlightDiagnostic diag = emitError(loc);
  diag << "operators that are not supported (operator set " << opset << "): ";
  llvm::interleaveComma(unsupported, diag, [&](const auto &entry) {
    diag << entry.first;
    if (entry.second > 1)
      diag << " (" << entry.second << " nodes)";
  });
  return diag;
}

LogicalResult Importer::addConstants(::onnx::GraphProto &of) {
  if (of.sparse_initializer_size() > 0)
    return emitError(loc) << "sparse initializers are not supported";
  for (auto [i, tensor] : llvm::enumerate(*of.mutable_initializer())) {
    const StringRef *data =
        split && &of == &graph ? split->getRawData(i) : nullptr;
    auto constant =
        takeTensor(tensor, data, owner, state.folder, loc.getContext());
    if (!constant)
      return emitError(loc) << "initializer '" << StringRef(tensor.name())
                            << "' " << llvm::toString(constant.takeError());
    if (!state.tensors.try_emplace(tensor.name(), Tensor{nullptr, *constant})
             .second)
      return emitError(loc) << "initializer '" << StringRef(tensor.name())
                            << "' is there twice";
  }
  return success();
}

/// A node's number is its line, which tells remarks of different nodes apart.
Location Importer::getNextLoc(const ::onnx::NodeProto &proto) {
  Location nodeLoc = loc;
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    nodeLoc = FileLineColLoc::get(file.getFilename(), ++numNodes, /*column=*/0);
  if (!proto.name().empty())
    nodeLoc = NameLoc::get(state.builder.getStringAttr(proto.name()), nodeLoc);
  return nodeLoc;
}

LogicalResult Importer::importNode(::onnx::NodeProto &proto, int64_t opset) {
  NodeBuilder node(state, proto, opset, getNextLoc(proto));
  return importNode(node, proto, opset);
}

LogicalResult Importer::importNode(NodeBuilder &node, ::onnx::NodeProto &proto,
                                   int64_t opset) {
  if (--nodesLeft < 0)
    return node.fail("the model has too many nodes");
  if (::onnx::FunctionProto *function = findFunction(proto))
    return importCall(node, proto, *function);
  if (isStandard(proto.domain()) && proto.op_type() == "If")
    return importIf(node, proto, opset);
  // Those of branches have not been checked.
  const OpEntry *op = findOp(proto.domain(), proto.op_type());
  if (!op || (isStandard(proto.domain()) && opset < op->since))
    return node.fail("is not supported (operator set " + Twine(opset) + ")");
  for (unsigned i = 0; i < node.getNumOperands(); ++i)
    if ((!op->takesShapes && failed(node.checkShape(i))) ||
        (!op->takesSizes && failed(node.checkElements(i))))
      return failure();
  FailureOr<bool> evaluated = node.evaluate(op->evaluator);
  if (failed(evaluated) || (!*evaluated && failed(op->import(node))) ||
      failed(node.finish()))
    return failure();
  bool isFolded = llvm::all_of(proto.output(), [&](const std::string &name) {
    return name.empty() || !state.tensors[name].value;
  });
  ++(isFolded ? folded : mapped)[getFullName(proto)];
  return success();
}

void Importer::writeReport() {
  if (!options.report)
    return;
  std::map<std::string, std::string> lines;
  auto add = [&](const std::map<std::string, int> &counts, StringRef what) {
    for (const auto &[name, count] : counts) {
      std::string &line = lines[name];
      line += (line.empty() ? "" : ", ") + std::to_string(count) + " ";
      line += what;
    }
  };
  add(mapped, "mapped");
  add(folded, "folded");
  add(unsupported, "refused");
  for (const auto &[name, line] : lines)
    *options.report << name << ": " << line << "\n";
}

LogicalResult Importer::importNodes(Nodes &nodes, int64_t opset) {
  for (::onnx::NodeProto &proto : nodes)
    if (failed(importNode(proto, opset)))
      return failure();
  return success();
}

LogicalResult Importer::addResults(func::FuncOp function) {
  // An output that is known becomes a value as an operand would.
  ::onnx::NodeProto outputs;
  outputs.set_op_type("output");
  for (const ::onnx::ValueInfoProto &output : graph.output())
    *outputs.add_input() = output.name();
  NodeBuilder node(state, outputs, opset, loc);
  SmallVector<Value> results;
  for (int i = 0; i < graph.output_size(); ++i) {
    FailureOr<Value> value = node.getOperand(i);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  func::ReturnOp::create(state.builder, loc, results);
  function.setFunctionType(state.builder.getFunctionType(
      function.getBody().getArgumentTypes(), ValueRange(results).getTypes()));
  return success();
}

/// Ends a function that computes the whole graph.
LogicalResult Importer::finishFunction(func::FuncOp function) {
  if (failed(addResults(function)))
    return failure();
  for (auto [i, name] : llvm::enumerate(argumentNames))
    function.setArgAttr(i, graph::GraphDialect::kNameAttr,
                        state.builder.getStringAttr(name));
  return declareSizes(function);
}

LogicalResult Importer::importWhole(func::FuncOp function) {
  return failed(importNodes(*graph.mutable_node(), opset))
             ? failure()
             : finishFunction(function);
}

OwningOpRef<ModuleOp> Importer::import() {
  // Parts leave out what is not supported.
  if (failed(findOpset()) || (!options.partition && failed(checkOps())) ||
      failed(addConstants(graph)))
    return nullptr;
  OpBuilder &builder = state.builder;
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main",
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  if (failed(addInputs(function)) ||
      failed(options.partition ? importParts(function)
                               : importWhole(function)) ||
      failed(verify(*module)))
    return nullptr;
  writeReport();
  return module;
}

static OwningOpRef<ModuleOp> importBytes(llvm::MemoryBufferRef buffer,
                                         std::shared_ptr<const void> owner,
                                         MLIRContext *context,
                                         const OnnxOptions &options) {
  context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  StringRef name = buffer.getBufferIdentifier();
  Location loc = FileLineColLoc::get(context, name, /*line=*/0, /*column=*/0);
  // Protobuf writes to standard error what it thinks of a file.
  google::protobuf::LogSilencer silencer;
  ::onnx::ModelProto model;
  StringRef bytes = buffer.getBuffer();
  auto split = owner ? SplitModel::create(bytes) : std::nullopt;
  if (bytes.size() > INT_MAX ||
      !(split ? split->parse(model)
              : model.ParseFromArray(bytes.data(), bytes.size()))) {
    emitError(loc) << "is not an ONNX model";
    return nullptr;
  }
  if (!model.has_graph()) {
    emitError(loc) << "the model has no graph";
    return nullptr;
  }
  return Importer(model, loc, options, llvm::sys::path::parent_path(name),
                  split ? &*split : nullptr, std::move(owner))
      .import();
}

OwningOpRef<ModuleOp> gc::importOnnx(llvm::MemoryBufferRef model,
                                     MLIRContext *context,
                                     const OnnxOptions &options) {
  return importBytes(model, nullptr, context, options);
}

OwningOpRef<ModuleOp> gc::importOnnx(std::unique_ptr<llvm::MemoryBuffer> model,
                                     MLIRContext *context,
                                     const OnnxOptions &options) {
  std::shared_ptr<llvm::MemoryBuffer> shared = std::move(model);
  return importBytes(shared->getMemBufferRef(), shared, context, options);
}
