// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The level of a node is the highest one of the tensors that it reads; what a
// node outside computes is one level higher for the nodes in parts. So nothing
// that a node needs of another one of its level goes through a node outside,
// and parts in the order of their levels have no cycles.

#include "Parts.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

using Names = llvm::SetVector<std::string, std::vector<std::string>,
                              std::set<std::string>>;

static void addNamesRead(const ::onnx::NodeProto &node, Names &names);

/// Adds the tensors of the graphs around it that a graph reads.
static void addNamesRead(const ::onnx::GraphProto &graph, Names &names) {
  llvm::StringSet<> defined;
  for (const ::onnx::ValueInfoProto &input : graph.input())
    defined.insert(input.name());
  for (const ::onnx::TensorProto &constant : graph.initializer())
    defined.insert(constant.name());
  for (const auto &constant : graph.sparse_initializer())
    defined.insert(constant.values().name());
  auto addOthers = [&](const std::string &name) {
    if (!defined.contains(name))
      names.insert(name);
  };
  for (const ::onnx::NodeProto &node : graph.node()) {
    Names read;
    addNamesRead(node, read);
    llvm::for_each(read, addOthers);
    for (const std::string &output : node.output())
      defined.insert(output);
  }
  for (const ::onnx::ValueInfoProto &output : graph.output())
    addOthers(output.name());
}

/// Adds the tensors that a node reads, in its subgraphs too.
static void addNamesRead(const ::onnx::NodeProto &node, Names &names) {
  for (const std::string &input : node.input())
    if (!input.empty())
      names.insert(input);
  for (const ::onnx::AttributeProto &attr : node.attribute()) {
    if (attr.has_g())
      addNamesRead(attr.g(), names);
    for (const ::onnx::GraphProto &graph : attr.graphs())
      addNamesRead(graph, names);
  }
}

namespace {

struct Part {
  /// Its own ops, then the constant ones that they use.
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> arguments;
  SmallVector<std::pair<Value, std::string>> results;
};

class Splitter {
public:
  Splitter(func::FuncOp whole, ArrayRef<std::string> arguments,
           ArrayRef<PartNode> nodes, const ::onnx::GraphProto &graph,
           GraphState &state)
      : whole(whole), body(whole.getBody().front()), arguments(arguments),
        nodes(nodes), graph(graph), state(state) {}

  FailureOr<SmallVector<func::FuncOp>> run(int64_t opset);

private:
  void findConstantOps();
  LogicalResult findLevels();
  int getLevel(Value value) const;
  void findNeeded();
  void findLive();
  void makeParts();
  void addOperands(Part &part, std::optional<unsigned> index = {});
  void addResults();
  LogicalResult addOutputs(int64_t opset);
  func::FuncOp build(Part &part, unsigned number);

  /// The node that computes a value at run time; nothing for arguments and for
  /// what depends on constants only.
  std::optional<unsigned> getOwner(Value value) const {
    auto it = owners.find(value.getDefiningOp());
    return it == owners.end() ? std::nullopt : std::optional(it->second);
  }
  bool isConstant(Value value) const {
    return constantOps.contains(value.getDefiningOp());
  }
  Value getValue(StringRef name) const {
    return state.tensors.lookup(name).value;
  }
  /// Whether ops compute the tensor. Others are known, arguments, or other
  /// names of these.
  bool isComputed(StringRef name) const {
    Tensor tensor = state.tensors.lookup(name);
    return tensor.value && tensor.value.getDefiningOp() && !tensor.constant;
  }

  func::FuncOp whole;
  Block &body;
  ArrayRef<std::string> arguments;
  ArrayRef<PartNode> nodes;
  const ::onnx::GraphProto &graph;
  GraphState &state;

  DenseSet<Operation *> constantOps;
  DenseMap<Operation *, unsigned> owners;
  /// Of each node: the tensors that it reads, and its level.
  std::vector<Names> reads;
  std::vector<int> levels;
  /// The level at which nodes outside can read a tensor; 0 if it is not here.
  llvm::StringMap<int> nameLevels;
  llvm::StringSet<> outsideNames;
  /// What nodes outside read, and the graph's outputs.
  llvm::StringSet<> needed, outputs;
  /// Nodes in parts of which something is used.
  DenseSet<unsigned> live;
  std::vector<Part> parts;
  /// The part of each node that has ops.
  DenseMap<unsigned, unsigned> partOf;
  /// Values that another part than their own reads.
  DenseSet<Value> crossing;
  DenseMap<Value, std::string> names;
};

} // namespace

/// Constants, and what is computed from nothing else.
void Splitter::findConstantOps() {
  for (Operation &op : body)
    if (llvm::all_of(op.getOperands(),
                     [&](Value operand) { return isConstant(operand); }))
      constantOps.insert(&op);
  for (auto [i, node] : llvm::enumerate(nodes))
    for (Operation *op : node.ops)
      if (!constantOps.contains(op))
        owners[op] = i;
}

int Splitter::getLevel(Value value) const {
  if (auto owner = getOwner(value))
    return levels[*owner];
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return 0;
  StringRef name = arguments[argument.getArgNumber()];
  return nameLevels.lookup(name) + (outsideNames.contains(name) ? 1 : 0);
}

LogicalResult Splitter::findLevels() {
  for (const ::onnx::ValueInfoProto &input : graph.input())
    nameLevels[input.name()] = 0;
  for (const ::onnx::TensorProto &constant : graph.initializer())
    nameLevels[constant.name()] = 0;
  for (const PartNode &node : nodes) {
    Names &read = reads.emplace_back();
    addNamesRead(*node.proto, read);
    int level = 0, outsideLevel = 0;
    for (const std::string &name : read) {
      if (node.isOutside && !nameLevels.contains(name))
        return emitError(node.loc)
               << NodeBuilder::describe(*node.proto)
               << ": nothing before it defines '" << name << "'";
      outsideLevel = std::max(outsideLevel, nameLevels.lookup(name));
    }
    unsigned index = levels.size();
    for (Operation *op : node.ops)
      for (Value operand : op->getOperands())
        if (getOwner(operand) != index)
          level = std::max(level, getLevel(operand));
    levels.push_back(node.isOutside ? outsideLevel : level);
    for (const std::string &name : node.proto->output()) {
      if (name.empty())
        continue;
      nameLevels[name] =
          isComputed(name) ? getLevel(getValue(name)) : outsideLevel;
      if (node.isOutside)
        outsideNames.insert(name);
    }
  }
  return success();
}

/// What is folded, and other names of inputs, are computed by nodes outside
/// that need them, which then need what these are computed from.
void Splitter::findNeeded() {
  for (size_t i = nodes.size(); i-- > 0;) {
    bool isRead =
        nodes[i].isOutside ||
        llvm::any_of(nodes[i].proto->output(), [&](const std::string &name) {
          return needed.contains(name) && !isComputed(name);
        });
    if (isRead)
      for (const std::string &name : reads[i])
        needed.insert(name);
  }
}

void Splitter::findLive() {
  for (const ::onnx::ValueInfoProto &output : graph.output())
    outputs.insert(output.name());
  for (size_t i = nodes.size(); i-- > 0;) {
    for (const std::string &name : nodes[i].proto->output())
      if (isComputed(name) && (needed.contains(name) || outputs.contains(name)))
        if (auto owner = getOwner(getValue(name)))
          live.insert(*owner);
    if (!live.contains(i))
      continue;
    for (Operation *op : nodes[i].ops)
      for (Value operand : op->getOperands())
        if (auto owner = getOwner(operand))
          live.insert(*owner);
  }
}

/// The nodes of a level that have tensors in common, large constants included,
/// are one part.
void Splitter::makeParts() {
  llvm::EquivalenceClasses<unsigned> classes;
  std::map<std::pair<int, void *>, unsigned> firstReader;
  auto connects = [&](Value value) {
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    return !constant || constant.getType().getNumElements() > 1;
  };
  for (auto [i, node] : llvm::enumerate(nodes))
    for (Operation *op : node.ops) {
      if (constantOps.contains(op) || !live.contains(i))
        continue;
      classes.insert(i);
      for (Value operand : op->getOperands()) {
        auto owner = getOwner(operand);
        if (owner && levels[*owner] == levels[i])
          classes.unionSets(i, *owner);
        else if (connects(operand))
          classes.unionSets(
              i, firstReader
                     .try_emplace({levels[i], operand.getAsOpaquePointer()}, i)
                     .first->second);
      }
    }
  // In the order of levels, then of first nodes.
  std::map<std::pair<int, unsigned>, SmallVector<unsigned>> groups;
  DenseMap<unsigned, unsigned> first;
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (classes.contains(i)) {
      unsigned leader = classes.getLeaderValue(i);
      groups[{levels[i], first.try_emplace(leader, i).first->second}].push_back(
          i);
    }
  for (const auto &[key, members] : groups) {
    Part &part = parts.emplace_back();
    for (unsigned member : members) {
      partOf[member] = parts.size() - 1;
      for (Operation *op : nodes[member].ops)
        if (!constantOps.contains(op))
          part.ops.insert(op);
    }
  }
  for (unsigned i = 0; i < parts.size(); ++i)
    addOperands(parts[i], i);
}

/// Adds the arguments of a part, and the constant ops that it uses. `index` is
/// that of a part with nodes.
void Splitter::addOperands(Part &part, std::optional<unsigned> index) {
  auto add = [&](Value value) {
    auto owner = getOwner(value);
    if (owner && partOf.lookup(*owner) == index)
      return;
    if (isConstant(value)) {
      part.ops.insert(value.getDefiningOp());
      return;
    }
    part.arguments.insert(value);
    if (owner)
      crossing.insert(value);
  };
  for (const auto &[value, name] : part.results)
    add(value);
  for (size_t i = 0; i < part.ops.size(); ++i)
    llvm::for_each(part.ops[i]->getOperands(), add);
}

/// What depends on constants only, and is a result, is that of a first part.
void Splitter::addResults() {
  for (auto [argument, name] : llvm::zip_equal(body.getArguments(), arguments))
    names[argument] = name;
  Part constants;
  for (const PartNode &node : nodes)
    for (const std::string &name : node.proto->output()) {
      if (!isComputed(name))
        continue;
      Value value = getValue(name);
      auto owner = getOwner(value);
      if (owner && !live.contains(*owner))
        continue;
      Part &part = owner ? parts[partOf.lookup(*owner)] : constants;
      bool isFirst = names.try_emplace(value, name).second;
      if (needed.contains(name) || outputs.contains(name) ||
          (isFirst && crossing.contains(value)))
        part.results.push_back({value, name});
    }
  if (constants.results.empty())
    return;
  addOperands(constants);
  parts.insert(parts.begin(), std::move(constants));
}

/// Outputs of the graph that are known, or another name of an argument, are
/// results of a last part.
LogicalResult Splitter::addOutputs(int64_t opset) {
  ::onnx::NodeProto outputs;
  outputs.set_op_type("output");
  Part part;
  for (const ::onnx::ValueInfoProto &output : graph.output()) {
    auto it = state.tensors.find(output.name());
    if (it != state.tensors.end() && it->second.isOutside())
      continue;
    *outputs.add_input() = output.name();
    NodeBuilder node(state, outputs, opset, whole.getLoc());
    FailureOr<Value> value = node.getOperand(outputs.input_size() - 1);
    if (failed(value))
      return failure();
    if (Operation *op = value->getDefiningOp();
        isa_and_nonnull<graph::ConstantOp>(op))
      constantOps.insert(op);
    if (!isComputed(output.name()) && names.lookup(*value) != output.name())
      part.results.push_back({*value, output.name()});
  }
  if (part.results.empty())
    return success();
  addOperands(part);
  parts.push_back(std::move(part));
  return success();
}

func::FuncOp Splitter::build(Part &part, unsigned number) {
  OpBuilder builder(whole);
  Location loc = whole.getLoc();
  auto getTypes = [](auto &&values) {
    return llvm::map_to_vector(values,
                               [](Value value) { return value.getType(); });
  };
  SmallVector<Value> results;
  for (const auto &[value, name] : part.results)
    results.push_back(value);
  auto function = func::FuncOp::create(
      builder, loc, "part" + std::to_string(number),
      builder.getFunctionType(getTypes(part.arguments), getTypes(results)));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (auto [value, argument] :
       llvm::zip_equal(part.arguments, function.getArguments())) {
    mapping.map(value, argument);
    state.sizes.setShape(argument, state.sizes.getShape(value));
    function.setArgAttr(argument.getArgNumber(), graph::GraphDialect::kNameAttr,
                        builder.getStringAttr(names.lookup(value)));
  }
  SmallVector<Operation *> ops = part.ops.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  for (auto [i, result] : llvm::enumerate(part.results)) {
    results[i] = mapping.lookup(result.first);
    function.setResultAttr(i, graph::GraphDialect::kNameAttr,
                           builder.getStringAttr(result.second));
  }
  func::ReturnOp::create(builder, loc, results);
  return function;
}

FailureOr<SmallVector<func::FuncOp>> Splitter::run(int64_t opset) {
  findConstantOps();
  if (failed(findLevels()))
    return failure();
  findNeeded();
  findLive();
  makeParts();
  addResults();
  if (parts.empty())
    return emitError(whole.getLoc()) << "no part of the model is supported";
  if (failed(addOutputs(opset)))
    return failure();
  SmallVector<func::FuncOp> functions;
  for (auto [i, part] : llvm::enumerate(parts))
    functions.push_back(build(part, i));
  return functions;
}

FailureOr<SmallVector<func::FuncOp>>
gc::onnxio::splitFunction(func::FuncOp whole, ArrayRef<std::string> arguments,
                          ArrayRef<PartNode> nodes,
                          const ::onnx::GraphProto &graph, GraphState &state,
                          int64_t opset) {
  return Splitter(whole, arguments, nodes, graph, state).run(opset);
}
