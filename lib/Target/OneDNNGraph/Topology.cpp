// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Topology.h"
#include "mlir/IR/Diagnostics.h"

#include <queue>
#include <unordered_set>

using namespace mlir;
using namespace gc::onednn;

namespace {
class TopologyBuilder {
public:
  explicit TopologyBuilder(const GraphFile &file) : file(file) {}

  FailureOr<Topology> build() {
    if (failed(addProducers()) || failed(addConsumers()) || failed(sortOps()))
      return failure();
    findInputs();
    findOutputs();
    return std::move(result);
  }

private:
  LogicalResult addProducers();
  LogicalResult addConsumers();
  LogicalResult checkMention(const Tensor &tensor, const LogicalTensor &mention,
                             const OpNode &op);
  LogicalResult sortOps();
  LogicalResult reportCycle(ArrayRef<unsigned> missing);
  void findInputs();
  void findOutputs();

  /// The ids of a port list that name a tensor fit for it, as indices, without
  /// repetition; the others get a warning.
  std::vector<size_t> readPorts(ArrayRef<uint64_t> ports, StringRef key,
                                StringRef what,
                                function_ref<bool(const Tensor &)> fits);

  Tensor &getTensor(uint64_t id) { return result.tensors[result.byId.at(id)]; }

  const GraphFile &file;
  Topology result;
  /// Tensors whose disagreement is already reported.
  std::unordered_set<uint64_t> reported;
};
} // namespace

static bool isEnd(const OpNode &op) {
  return StringRef(op.kind).equals_insensitive("End");
}

LogicalResult TopologyBuilder::addProducers() {
  std::unordered_set<uint64_t> ids;
  for (auto [i, op] : llvm::enumerate(file.ops)) {
    if (!ids.insert(op.id).second)
      return emitError(op.loc) << op.describe() << ": another op has this id";
    for (const LogicalTensor &output : op.outputs) {
      auto [entry, isNew] =
          result.byId.try_emplace(output.id, result.tensors.size());
      if (!isNew)
        return emitError(op.loc)
               << op.describe() << ": tensor " << output.id
               << " is already produced by "
               << result.tensors[entry->second].owner->describe();
      Tensor tensor{&output, &op, i};
      tensor.constant = output.property == Property::Constant;
      result.tensors.push_back(tensor);
    }
  }
  return success();
}

LogicalResult TopologyBuilder::addConsumers() {
  for (const OpNode &op : file.ops) {
    for (const LogicalTensor &input : op.inputs) {
      auto [entry, isNew] =
          result.byId.try_emplace(input.id, result.tensors.size());
      if (isNew)
        result.tensors.push_back({&input, &op, std::nullopt});
      Tensor &tensor = result.tensors[entry->second];
      (isEnd(op) ? tensor.ended : tensor.consumed) = true;
      if (isNew)
        tensor.constant = input.property == Property::Constant;
      else if (failed(checkMention(tensor, input, op)))
        return failure();
      // Treating a constant as variable costs speed, the opposite makes the
      // result wrong.
      tensor.constant &= input.property != Property::Variable;
    }
  }
  return success();
}

LogicalResult TopologyBuilder::checkMention(const Tensor &tensor,
                                            const LogicalTensor &mention,
                                            const OpNode &op) {
  const LogicalTensor &type = *tensor.type;
  if (type.elementType != mention.elementType)
    return emitError(op.loc) << op.describe() << ": tensor " << mention.id
                             << " has a different dtype"
                             << " here than at " << tensor.owner->describe();
  bool sameShape = type.shape == mention.shape;
  bool sameStride =
      !type.strides || !mention.strides || *type.strides == *mention.strides;
  if ((!sameShape || !sameStride) && reported.insert(mention.id).second)
    emitWarning(op.loc) << op.describe() << ": tensor " << mention.id
                        << " has a different "
                        << (sameShape ? "stride" : "shape") << " here than at "
                        << tensor.owner->describe() << ", which is used";
  return success();
}

LogicalResult TopologyBuilder::sortOps() {
  size_t count = file.ops.size();
  std::vector<unsigned> missing(count, 0);
  std::vector<SmallVector<size_t, 2>> consumers(count);
  for (auto [i, op] : llvm::enumerate(file.ops)) {
    for (const LogicalTensor &input : op.inputs) {
      if (std::optional<size_t> producer = getTensor(input.id).producer) {
        consumers[*producer].push_back(i);
        ++missing[i];
      }
    }
  }
  // Of the ops that are ready, the first of the file comes next.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
  for (size_t i = 0; i < count; ++i)
    if (missing[i] == 0)
      ready.push(i);
  while (!ready.empty()) {
    size_t op = ready.top();
    ready.pop();
    result.order.push_back(op);
    for (size_t consumer : consumers[op])
      if (--missing[consumer] == 0)
        ready.push(consumer);
  }
  if (result.order.size() < count)
    return reportCycle(missing);
  return success();
}

LogicalResult TopologyBuilder::reportCycle(ArrayRef<unsigned> missing) {
  // From an op that never got ready, producers that never did lead into a
  // cycle.
  auto getBlocker = [&](size_t op) {
    for (const LogicalTensor &input : file.ops[op].inputs) {
      std::optional<size_t> producer = getTensor(input.id).producer;
      if (producer && missing[*producer] != 0)
        return *producer;
    }
    llvm_unreachable("an op that is not ready waits for another");
  };
  const auto *first = llvm::find_if(missing, [](unsigned n) { return n != 0; });
  size_t op = first - missing.begin();
  std::vector<bool> seen(file.ops.size(), false);
  for (; !seen[op]; op = getBlocker(op))
    seen[op] = true;
  // The walk followed the edges backwards.
  std::vector<size_t> cycle;
  for (size_t i = getBlocker(op); i != op; i = getBlocker(i))
    cycle.push_back(i);
  InFlightDiagnostic diag = emitError(file.ops[op].loc);
  diag << "ops form a cycle: " << file.ops[op].describe();
  constexpr size_t kShown = 8;
  for (size_t i : llvm::reverse(ArrayRef(cycle).take_back(kShown)))
    diag << " -> " << file.ops[i].describe();
  if (cycle.size() > kShown)
    diag << " -> ...";
  return diag << " -> " << file.ops[op].describe();
}

std::vector<size_t>
TopologyBuilder::readPorts(ArrayRef<uint64_t> ports, StringRef key,
                           StringRef what,
                           function_ref<bool(const Tensor &)> fits) {
  std::vector<size_t> tensors;
  std::unordered_set<uint64_t> seen;
  for (uint64_t id : ports) {
    auto entry = result.byId.find(id);
    if (entry == result.byId.end() || !fits(result.tensors[entry->second]))
      emitWarning(file.loc) << "graph: '" << key << "' lists " << id
                            << ", which is not " << what << "; ignored";
    else if (seen.insert(id).second)
      tensors.push_back(entry->second);
  }
  return tensors;
}

void TopologyBuilder::findInputs() {
  auto isInput = [](const Tensor &tensor) { return !tensor.producer; };
  if (file.inputPorts)
    result.inputs = readPorts(*file.inputPorts, "input_ports",
                              "an input of the graph", isInput);
  std::vector<bool> listed(result.tensors.size(), false);
  for (size_t i : result.inputs)
    listed[i] = true;
  for (auto [i, tensor] : llvm::enumerate(result.tensors)) {
    if (!isInput(tensor) || listed[i])
      continue;
    if (file.inputPorts)
      emitWarning(tensor.owner->loc)
          << tensor.owner->describe() << ": nothing produces tensor "
          << tensor.type->id << " and 'input_ports' does not list it; it is an "
          << "input";
    result.inputs.push_back(i);
  }
}

void TopologyBuilder::findOutputs() {
  if (file.outputPorts) {
    result.outputs =
        readPorts(*file.outputPorts, "output_ports", "a tensor of the graph",
                  [](const Tensor &) { return true; });
  }
  bool derive = result.outputs.empty();
  std::vector<bool> listed(result.tensors.size(), false);
  for (size_t i : result.outputs)
    listed[i] = true;
  for (auto [i, tensor] : llvm::enumerate(result.tensors)) {
    if (listed[i] || (tensor.consumed && !tensor.ended))
      continue;
    // An input that only End consumes is not a result unless it is listed.
    if (!tensor.producer)
      continue;
    if (derive || tensor.ended)
      result.outputs.push_back(i);
    else
      emitWarning(tensor.owner->loc)
          << tensor.owner->describe() << ": nothing consumes tensor "
          << tensor.type->id << " and 'output_ports' does not list it; it is "
          << "not an output";
  }
}

FailureOr<Topology> gc::onednn::buildTopology(const GraphFile &file) {
  return TopologyBuilder(file).build();
}
