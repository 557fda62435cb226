// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutlineBlock.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/PartitionGrowth.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

using namespace mlir;
using namespace gc;

namespace {

/// An op of the block.
struct Node {
  Operation *op;
  /// What converting it reads, if it can be converted.
  SmallVector<Value> read;
  bool isConvertible = false, isContraction = false;
  /// Ops that compute something, and the elements of their results.
  int64_t numOps = 0, numElements = 0;
};

/// Ops that become one function.
struct Group {
  SmallVector<unsigned> nodes;
  func::FuncOp function;
  /// What is passed, and the values that the results are.
  SmallVector<Value> arguments, results;
};

class BlockOutliner {
public:
  BlockOutliner(Block &block, func::FuncOp host, SymbolTable &symbols,
                const OutlineOptions &options)
      : block(block), host(host), symbols(symbols), options(options) {}

  bool run();

private:
  void tryConversions();
  SmallVector<Value> getRead(const Node &node, bool isConverted) const;
  std::vector<bool> findLive(function_ref<bool(unsigned)> isConverted) const;
  bool isReadElsewhere(Value value) const;
  std::vector<Group> findGroups();
  void findResults(std::vector<Group> &groups);
  bool build(Group &group, unsigned number);
  void call(Group &group);
  void sort();

  Block &block;
  func::FuncOp host;
  SymbolTable &symbols;
  const OutlineOptions &options;
  std::vector<Node> nodes;
  llvm::DenseMap<Operation *, unsigned> indices;
  /// Calls, and casts around them, by the op where they are.
  llvm::DenseMap<Operation *, Operation *> calls;
  /// What is read instead of values that functions compute.
  llvm::DenseMap<Value, Value> replacements;
};

} // namespace

/// The order of these ops among each other matters.
static bool isOrdered(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(op);
}

//===----------------------------------------------------------------------===//
// What can be converted
//===----------------------------------------------------------------------===//

/// Converts every op by itself, into a block that is thrown away.
void BlockOutliner::tryConversions() {
  Block scratch;
  OpBuilder builder(host.getContext());
  builder.setInsertionPointToStart(&scratch);
  GraphBuilder graph(
      builder, [&](GraphBuilder &b, Value value, RankedTensorType type) {
        Value argument = scratch.addArgument(type, value.getLoc());
        b.define(value, argument);
        return argument;
      });
  for (Operation &op : block) {
    indices[&op] = nodes.size();
    Node &node = nodes.emplace_back(Node{&op, {}});
    if (!options.conversions.contains(&op) || isConstantLike(&op))
      continue;
    graph.begin(&op);
    LogicalResult result = options.conversions.convert(&op, graph);
    for (Operation *built : graph.getBuilt()) {
      if (failed(result))
        break;
      if (auto obstacle = options.support.getObstacle(built)) {
        result = graph.fail(*obstacle);
        break;
      }
      if (isa<graph::ContractionOpInterface>(built))
        node.isContraction = true;
      auto complex = dyn_cast<graph::ComplexOpInterface>(built);
      if (isa<graph::TunableOpInterface>(built) ||
          (complex && complex.decomposesToContractions()))
        node.isContraction = true;
      if (built->hasTrait<OpTrait::ConstantLike>() ||
          built->hasTrait<graph::RowMajorView>())
        continue;
      ++node.numOps;
      node.numElements += getTensorType(built->getResult(0)).getNumElements();
    }
    // A boolean is a bit upstream and a byte in compiled graphs. Selections
    // take the comparison that makes it.
    auto isBoolean = [](Value value) {
      return getElementTypeOrSelf(value.getType()).isInteger(1);
    };
    if (succeeded(result) && (llvm::any_of(graph.getOperands(), isBoolean) ||
                              llvm::any_of(op.getResults(), isBoolean)))
      result = graph.fail("tensors of booleans cannot be passed");
    if (succeeded(result)) {
      node.isConvertible = true;
      node.read.assign(graph.getOperands().begin(), graph.getOperands().end());
    } else {
      remark::missed(
          op.getLoc(),
          remark::RemarkOpts::name("NotConverted").category(options.pass))
          << remark::add("'{0}' stays", op.getName().getStringRef())
          << remark::reason("{0}", graph.getReason());
    }
    graph.undo();
  }
}

//===----------------------------------------------------------------------===//
// Who reads what
//===----------------------------------------------------------------------===//

/// What the op reads, converted or as it is, also in its regions.
SmallVector<Value> BlockOutliner::getRead(const Node &node,
                                          bool isConverted) const {
  if (isConverted)
    return node.read;
  SmallVector<Value> read;
  node.op->walk([&](Operation *inner) {
    read.append(inner->operand_begin(), inner->operand_end());
  });
  return read;
}

bool BlockOutliner::isReadElsewhere(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !block.findAncestorOpInBlock(*user);
  });
}

/// The ops that somebody needs if these are converted.
std::vector<bool>
BlockOutliner::findLive(function_ref<bool(unsigned)> isConverted) const {
  std::vector<bool> live(nodes.size(), false);
  for (unsigned i = nodes.size(); i-- > 0;) {
    Operation *op = nodes[i].op;
    if (!live[i] && !isOrdered(op) &&
        llvm::none_of(op->getResults(),
                      [&](Value value) { return isReadElsewhere(value); }))
      continue;
    live[i] = true;
    for (Value value : getRead(nodes[i], isConverted(i)))
      if (auto it = indices.find(value.getDefiningOp()); it != indices.end())
        live[it->second] = true;
  }
  return live;
}

//===----------------------------------------------------------------------===//
// Sets of ops
//===----------------------------------------------------------------------===//

std::vector<Group> BlockOutliner::findGroups() {
  std::vector<bool> live =
      findLive([&](unsigned i) { return nodes[i].isConvertible; });
  std::vector<graph::PartitionNode> parts;
  std::vector<unsigned> partOf(nodes.size());
  SmallVector<unsigned> nodeOf;
  // What an op depends on. Ops that only others read which are converted, and
  // do not read them then, are passed through: they may yet stay.
  std::vector<llvm::SmallSetVector<unsigned, 4>> producers(nodes.size());
  std::optional<unsigned> lastOrdered;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    for (bool isConverted : {true, false})
      for (Value value : getRead(nodes[i], isConverted)) {
        auto it = indices.find(value.getDefiningOp());
        if (it == indices.end() || it->second == i)
          continue;
        if (live[it->second])
          producers[i].insert(partOf[it->second]);
        else
          producers[i].insert_range(producers[it->second]);
      }
    if (!live[i])
      continue;
    partOf[i] = parts.size();
    nodeOf.push_back(i);
    if (isOrdered(nodes[i].op)) {
      if (lastOrdered)
        producers[i].insert(*lastOrdered);
      lastOrdered = partOf[i];
    }
    parts.push_back({nodes[i].op,
                     nodes[i].isConvertible ? graph::PartitionRole::other
                                            : graph::PartitionRole::alone,
                     llvm::to_vector(producers[i])});
  }
  std::vector<unsigned> partitions = graph::growPartitions(parts);
  std::vector<Group> all(parts.size()), groups;
  for (auto [part, partition] : llvm::enumerate(partitions))
    if (nodes[nodeOf[part]].isConvertible)
      all[partition].nodes.push_back(nodeOf[part]);
  for (Group &group : all) {
    if (group.nodes.empty())
      continue;
    int64_t numOps = 0, numElements = 0;
    bool hasContraction = false;
    for (unsigned i : group.nodes) {
      numOps += nodes[i].numOps;
      numElements += nodes[i].numElements;
      hasContraction |= nodes[i].isContraction;
    }
    if (hasContraction ||
        (numOps >= options.minOps && numElements >= options.minElements)) {
      groups.push_back(std::move(group));
      continue;
    }
    remark::missed(nodes[group.nodes[0]].op->getLoc(),
                   remark::RemarkOpts::name("TooCheap").category(options.pass))
        << remark::add("{0} ops that could be a graph stay", group.nodes.size())
        << remark::reason("they are {0} graph ops that compute {1} elements, "
                          "less than min-ops = {2} or min-elements = {3}",
                          numOps, numElements, options.minOps,
                          options.minElements);
  }
  return groups;
}

/// Values of a group that others read.
void BlockOutliner::findResults(std::vector<Group> &groups) {
  std::vector<int64_t> groupOf(nodes.size(), -1);
  for (auto [number, group] : llvm::enumerate(groups))
    for (unsigned i : group.nodes)
      groupOf[i] = number;
  auto isConverted = [&](unsigned i) { return groupOf[i] >= 0; };
  std::vector<bool> live = findLive(isConverted);
  llvm::SmallPtrSet<Value, 16> needed;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    if (!live[i])
      continue;
    for (Value value : getRead(nodes[i], isConverted(i))) {
      auto it = indices.find(value.getDefiningOp());
      if (it != indices.end() && groupOf[it->second] >= 0 &&
          groupOf[it->second] != groupOf[i])
        needed.insert(value);
    }
  }
  for (Group &group : groups)
    for (unsigned i : group.nodes)
      for (Value value : nodes[i].op->getResults())
        if (needed.contains(value) || isReadElsewhere(value))
          group.results.push_back(value);
}

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

/// Builds the function of a group. Returns whether it has results.
bool BlockOutliner::build(Group &group, unsigned number) {
  OpBuilder builder(host.getContext());
  auto function =
      func::FuncOp::create(builder, nodes[group.nodes[0]].op->getLoc(),
                           (host.getName() + "_graph_" + Twine(number)).str(),
                           builder.getFunctionType({}, {}));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  GraphBuilder graph(builder,
                     [&](GraphBuilder &b, Value value, RankedTensorType type) {
                       Value argument = body->addArgument(type, value.getLoc());
                       group.arguments.push_back(value);
                       b.define(value, argument);
                       return argument;
                     });
  for (unsigned i : group.nodes) {
    graph.begin(nodes[i].op);
    auto results = options.conversions.convert(nodes[i].op, graph);
    if (failed(results)) {
      function.erase();
      return false;
    }
    for (auto [result, value] :
         llvm::zip_equal(nodes[i].op->getResults(), *results))
      if (value)
        graph.define(result, value);
  }
  // Results that are constants stay what they are.
  SmallVector<Value> returned, results;
  for (Value result : group.results) {
    Value value = graph.lookup(result);
    if (!value || value.getDefiningOp<graph::ConstantOp>() ||
        isa<BlockArgument>(value))
      continue;
    returned.push_back(value);
    results.push_back(result);
  }
  group.results = results;
  if (returned.empty()) {
    function.erase();
    return false;
  }
  func::ReturnOp::create(builder, function.getLoc(), returned);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  // What only ops read that are gone is not passed.
  llvm::BitVector unread(body->getNumArguments());
  SmallVector<Value> arguments;
  for (BlockArgument argument : body->getArguments()) {
    if (argument.use_empty())
      unread.set(argument.getArgNumber());
    else
      arguments.push_back(group.arguments[argument.getArgNumber()]);
  }
  body->eraseArguments(unread);
  group.arguments = arguments;
  function.setFunctionType(builder.getFunctionType(
      body->getArgumentTypes(), ValueRange(returned).getTypes()));
  for (auto [i, value] : llvm::enumerate(arguments))
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner()->getParentOp() == host &&
        argument.getOwner()->isEntryBlock())
      if (Attribute mark = host.getArgAttr(argument.getArgNumber(),
                                           graph::GraphDialect::kConstArgAttr))
        function.setArgAttr(i, graph::GraphDialect::kConstArgAttr, mark);
  symbols.insert(function, Block::iterator(host));
  group.function = function;
  return true;
}

/// Calls the function instead of computing its results.
void BlockOutliner::call(Group &group) {
  OpBuilder builder(block.getTerminator());
  Location loc = group.function.getLoc();
  SmallVector<Value> operands;
  for (auto [value, type] : llvm::zip_equal(
           group.arguments, group.function.getFunctionType().getInputs())) {
    // Groups are in the order in which they depend on each other.
    Value known = replacements.lookup(value);
    value = known ? known : value;
    operands.push_back(value);
    if (value.getType() != type)
      operands.back() = tensor::BitcastOp::create(builder, loc, type, value);
  }
  auto call = func::CallOp::create(builder, loc, group.function, operands);
  Operation *last = nodes[group.nodes.back()].op;
  calls[call] = last;
  for (Value operand : operands)
    if (auto bitcast = operand.getDefiningOp<tensor::BitcastOp>();
        bitcast && !indices.contains(bitcast))
      calls[bitcast] = last;
  for (auto [value, result] :
       llvm::zip_equal(group.results, call.getResults())) {
    Value replacement = result;
    if (value.getType() != result.getType()) {
      auto bitcast =
          tensor::BitcastOp::create(builder, loc, value.getType(), result);
      calls[bitcast] = last;
      replacement = bitcast;
    }
    value.replaceAllUsesWith(replacement);
    replacements[value] = replacement;
  }
}

/// Orders the ops of the block by what they depend on, else as they were; a
/// call is where the last of its ops was.
void BlockOutliner::sort() {
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> missing;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> readers;
  Operation *lastOrdered = nullptr;
  for (Operation &op : block) {
    ops.push_back(&op);
    unsigned &count = missing[&op];
    auto depend = [&](Operation *on) {
      if (!on || on == &op)
        return;
      ++count;
      readers[on].push_back(&op);
    };
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *definition = operand.getDefiningOp();
            definition && definition->getBlock() == &block)
          depend(definition);
    });
    if (isOrdered(&op) && !calls.contains(&op)) {
      depend(lastOrdered);
      lastOrdered = &op;
    }
  }
  auto getRank = [&](Operation *op) -> unsigned {
    Operation *last = calls.lookup(op);
    return last ? indices.lookup(last) * 2 + 1 : indices.lookup(op) * 2;
  };
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  llvm::DenseMap<Operation *, unsigned> places;
  for (auto [i, op] : llvm::enumerate(ops)) {
    places[op] = i;
    if (missing[op] == 0)
      ready.push({getRank(op), i});
  }
  Operation *terminator = block.getTerminator();
  while (!ready.empty()) {
    Operation *op = ops[ready.top().second];
    ready.pop();
    if (op != terminator)
      op->moveBefore(terminator);
    for (Operation *reader : readers[op])
      if (--missing[reader] == 0)
        ready.push({getRank(reader), places[reader]});
  }
}

bool BlockOutliner::run() {
  tryConversions();
  std::vector<Group> groups = findGroups();
  findResults(groups);
  unsigned number = 0;
  llvm::erase_if(groups, [&](Group &group) {
    while (symbols.lookup((host.getName() + "_graph_" + Twine(number)).str()))
      ++number;
    return !build(group, number);
  });
  if (groups.empty())
    return false;
  for (Group &group : groups)
    call(group);
  sort();
  // What nothing reads any more.
  for (const Node &node : llvm::reverse(nodes))
    if (options.conversions.contains(node.op) || isConstantLike(node.op))
      if (isOpTriviallyDead(node.op))
        node.op->erase();
  return true;
}

bool gc::outlineBlock(Block &block, func::FuncOp host, SymbolTable &symbols,
                      const OutlineOptions &options) {
  return BlockOutliner(block, host, symbols, options).run();
}
