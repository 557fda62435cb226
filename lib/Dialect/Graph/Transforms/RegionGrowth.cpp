// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionGrowth.h"
#include "RegionDependences.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::graph {

void reportMissed(Operation *op, StringRef name, StringRef category,
                  const std::string &message, StringRef suggestion) {
  auto remark = remark::missed(
      op->getLoc(), remark::RemarkOpts::name(name).category(category));
  if (!remark)
    return;
  remark << message;
  if (!suggestion.empty())
    remark << remark::suggest("{0}", suggestion.str());
}

static int64_t getVolume(ArrayRef<int64_t> sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes)
    volume *= size;
  return volume;
}

static int64_t getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

static bool isFusedAlready(Operation *op) {
  return isa<FusedOp>(op->getParentOp());
}

/// Whether the op needs a separate pass over its elements, which is a lot of
/// code.
static bool movesElements(FusibleOpInterface op) {
  return op.getFusibleKind() == FusibleKind::reorder ||
         op.getFusibleKind() == FusibleKind::transpose;
}

/// Whether the op packs elements so that they share bytes: whole groups at a
/// time, which no other op of a region can do.
static bool sharesBytesOfResult(FusibleOpInterface op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    return sharesBytes(cast<RankedTensorType>(type));
  });
}

/// The op as a candidate for the region: fusible, in the same block, in no
/// region.
static FusibleOpInterface
getCandidate(Operation *op, const llvm::SetVector<Operation *> &ops) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  if (!fusible || op->getBlock() != ops.front()->getBlock() ||
      ops.contains(op) || sharesBytesOfResult(fusible))
    return {};
  return fusible;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The option for a limit that lets more into a region.
static std::string suggestTwice(const char *option, int64_t limit) {
  return "--pipeline-options=" + std::string(option) + "=" +
         std::to_string(std::max<int64_t>(2 * limit, 1));
}

std::optional<Obstacle> RegionGrowth::checkLimits(FusibleOpInterface op,
                                                  const Region &region) {
  auto exceeded = [](const char *what, const char *option, int64_t limit) {
    std::string setting = std::string(option) + " = " + std::to_string(limit);
    return Obstacle{std::string(what) + " " + setting,
                    suggestTwice(option, limit)};
  };
  if (region.fusible >= limits.maxOps)
    return exceeded("the number of ops exceeds", "max-ops", limits.maxOps);
  if (op.getFusibleKind() == FusibleKind::reduction &&
      region.reductions >= limits.maxReductions)
    return exceeded("the number of reductions exceeds", "max-reductions",
                    limits.maxReductions);
  if (movesElements(op) && region.reorders >= limits.maxReorders)
    return exceeded("the number of reorders and transposes exceeds",
                    "max-reorders", limits.maxReorders);
  int64_t bytes = region.inputBytes;
  for (Value operand : op->getOperands())
    if (!region.ops.contains(operand.getDefiningOp()))
      bytes += getBytes(operand.getType());
  if (limits.maxInputBytes > 0 && bytes > limits.maxInputBytes)
    return exceeded("its inputs exceed", "max-input-bytes",
                    limits.maxInputBytes);
  return std::nullopt;
}

/// In a region without a tunable op each iteration outside the reduced
/// dimensions is independent: nothing may be computed or written more than
/// once, and there must be enough iterations for the threads.
std::optional<Obstacle> RegionGrowth::checkWork(FusibleOpInterface op,
                                                const RegionSpace &space) {
  int64_t rows = 1;
  for (auto [dim, size] : llvm::enumerate(space.getSizes())) {
    int64_t part = space.getPartSize(dim);
    if (size == 1 ||
        (part == 0 && llvm::is_contained(space.getReducedDims(), dim)))
      continue;
    int64_t count = part ? llvm::divideCeil(size, part) : size;
    rows *= count;
    if (!space.varies(op, dim))
      return Obstacle{"it would be computed " + std::to_string(count) +
                          " times, once per " + (part ? "part" : "iteration") +
                          " along dimension " + std::to_string(dim),
                      ""};
  }
  if (!space.getReducedDims().empty() && rows < machine.cores &&
      getVolume(space.getSizes()) >=
          CostModel(machine).getElementsWorthThreads())
    return Obstacle{"reductions leave " + std::to_string(rows) +
                        " independent iterations for " +
                        std::to_string(machine.cores) + " threads",
                    "reduce fewer dimensions at once"};
  return std::nullopt;
}

void RegionGrowth::insert(FusibleOpInterface op, Region &region) {
  for (Value operand : op->getOperands())
    if (!region.ops.contains(operand.getDefiningOp()))
      region.inputBytes += getBytes(operand.getType());
  region.ops.insert(op);
  ++region.fusible;
  region.reductions += op.getFusibleKind() == FusibleKind::reduction;
  region.reorders += movesElements(op);
}

void RegionGrowth::report(const Region &region, const Obstacles &obstacles) {
  for (auto &[op, obstacle] : obstacles)
    if (!region.ops.contains(op))
      reportMissed(op, "NotFused", category,
                   quote(op) + " is not fused with " +
                       quote(region.ops.front()) + ": " + obstacle.reason,
                   obstacle.suggestion);
}

//===----------------------------------------------------------------------===//
// Regions with a tunable op
//===----------------------------------------------------------------------===//

/// An op that is for its readers only would be taken away from them.
static std::optional<Obstacle> checkWhereRead(FusibleOpInterface op) {
  if (!op->hasAttr(GraphDialect::kWhereReadAttr))
    return std::nullopt;
  return Obstacle{"it is done where its result is read",
                  "--pipeline-options=propagate-layout=true"};
}

std::optional<Obstacle> RegionGrowth::tryPostOp(FusibleOpInterface op,
                                                Region &region) {
  if (auto obstacle = checkWhereRead(op))
    return obstacle;
  RegionSpace space = region.space;
  if (auto reason = space.add(op))
    return Obstacle{*reason, "", /*hasNoPlace=*/true};
  unsigned last = space.getSizes().size() - 1;
  for (unsigned dim : space.getReducedDims(op))
    if (space.getPartSize(dim))
      return Obstacle{"it reduces rows in parts", "reduce them in one step"};
    else if (dim != last)
      return Obstacle{"it reduces dimension " + std::to_string(dim) +
                          ", of which a core sees only a part",
                      "reduce the last dimension of the product"};
  if (space.needsWholeRows(op) && !givesWholeRows(region.tunable))
    return Obstacle{"it needs whole rows, which the template never has at once",
                    takesMoreForWholeRows(region.tunable, machine)
                        ? ""
                        : "template_params with NPN = 1 and n inside of k"};
  for (OpOperand &operand : op->getOpOperands())
    if (!region.ops.contains(operand.get().getDefiningOp()) &&
        dependsOn(operand.get(), region.ops))
      return Obstacle{"operand " + std::to_string(operand.getOperandNumber()) +
                          " depends on the region through an op outside of it",
                      ""};
  if (auto obstacle = checkLimits(op, region))
    return obstacle;
  insert(op, region);
  region.space = std::move(space);
  return std::nullopt;
}

void RegionGrowth::growPostOps(Region &region, Obstacles &obstacles) {
  // An op that reads two values of the region is visited again after the second
  // one has joined.
  for (size_t i = 0; i < region.ops.size(); ++i) {
    SmallVector<Operation *> users(region.ops[i]->getUsers());
    llvm::erase_if(users, [&](Operation *user) {
      return !getCandidate(user, region.ops);
    });
    llvm::sort(users, isBefore);
    for (Operation *user : users) {
      if (region.ops.contains(user))
        continue;
      if (auto obstacle = tryPostOp(cast<FusibleOpInterface>(user), region))
        obstacles[user] = *obstacle;
    }
  }
}

/// Whether each element of the result is computed from one of each operand, so
/// that a block of the result needs no more than a block of the largest one.
static bool mayComputeOperand(FusibleOpInterface op) {
  auto quantization = dyn_cast<QuantizationOpInterface>(op.getOperation());
  return isPointwise(op.getFusibleKind()) ||
         (quantization && quantization.hasScalesPerGroup());
}

/// The op that computes an operand, and before it the elementwise ops that only
/// serve it, each over all elements of the operand. Casts of small tensors,
/// such as scales, come before. None if another op that could join those in
/// another region would be left alone.
static llvm::SetVector<Operation *>
getPreOps(FusibleOpInterface last, const llvm::SetVector<Operation *> &ops) {
  llvm::SetVector<Operation *> chain;
  chain.insert(last);
  constexpr int64_t kSmallPart = 8;
  auto getShape = [](Operation *op) {
    return cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  };
  // A loop of its own costs little, and nothing else is there to join.
  auto isSmall = [&](FusibleOpInterface op) {
    return isPointwise(op.getFusibleKind()) &&
           getVolume(getShape(op)) <= getVolume(getShape(last)) / kSmallPart &&
           llvm::none_of(op->getOperands(), [&](Value operand) {
             return getCandidate(operand.getDefiningOp(), ops);
           });
  };
  for (size_t i = 0; i < chain.size(); ++i)
    for (Value operand : chain[i]->getOperands()) {
      FusibleOpInterface op = getCandidate(operand.getDefiningOp(), ops);
      if (!op || chain.contains(op) || isSmall(op))
        continue;
      if (!mayComputeOperand(op) || op->getNumResults() != 1 ||
          !operand.hasOneUse() || getShape(op) != getShape(last))
        return {};
      chain.insert(op);
    }
  return chain;
}

std::optional<Obstacle> RegionGrowth::tryPreOp(unsigned index, Region &region) {
  Value value = region.tunable->getOperand(index);
  auto op = cast<FusibleOpInterface>(value.getDefiningOp());
  if (!movesElements(op) && !mayComputeOperand(op))
    return Obstacle{"only elementwise ops, casts, reorders and transposes can "
                    "join as pre-ops",
                    ""};
  if (op->getNumResults() != 1)
    return Obstacle{"it has several results", ""};
  if (!value.hasOneUse())
    return Obstacle{"its result has other uses", ""};
  // An operand that the batch shares would be packed for each of its items, as
  // only blocks of keys and values are anyway.
  auto operand = cast<RankedTensorType>(value.getType());
  auto result = cast<RankedTensorType>(region.tunable->getResult(0).getType());
  auto getBatch = [](RankedTensorType type) {
    return type.getRank() > 2 ? getVolume(type.getShape().drop_back(2)) : 1;
  };
  if (getBatch(operand) < getBatch(result) &&
      !region.tunable.packsByBlocks(index))
    return Obstacle{"the batch shares its result, which would be computed " +
                        std::to_string(getBatch(result) / getBatch(operand)) +
                        " times",
                    ""};
  llvm::SetVector<Operation *> chain;
  if (op.getFusibleKind() != FusibleKind::transpose)
    chain = getPreOps(op, region.ops);
  if (chain.empty() && mayComputeOperand(op))
    return Obstacle{"it is tied to ops that cannot join", ""};
  chain.insert(op);
  for (Operation *member : chain)
    for (OpOperand &input : member->getOpOperands())
      if (!chain.contains(input.get().getDefiningOp()) &&
          dependsOn(input.get(), region.ops))
        return Obstacle{"operand " + std::to_string(input.getOperandNumber()) +
                            (member == op.getOperation()
                                 ? std::string()
                                 : " of " + quote(member)) +
                            " depends on the region through an op outside of "
                            "it",
                        ""};
  if (region.fusible + static_cast<int64_t>(chain.size()) > limits.maxOps)
    return Obstacle{"the number of ops exceeds max-ops = " +
                        std::to_string(limits.maxOps),
                    suggestTwice("max-ops", limits.maxOps)};
  // One input of the operand's size takes its place, the others are additional.
  int64_t bytes = -getBytes(operand);
  for (Operation *member : chain)
    for (Value input : member->getOperands())
      if (!chain.contains(input.getDefiningOp()))
        bytes += getBytes(input.getType());
  bytes = region.inputBytes + std::max<int64_t>(bytes, 0);
  if (limits.maxInputBytes > 0 && bytes > limits.maxInputBytes)
    return Obstacle{"its inputs exceed max-input-bytes = " +
                        std::to_string(limits.maxInputBytes),
                    suggestTwice("max-input-bytes", limits.maxInputBytes)};
  region.ops.insert(chain.begin(), chain.end());
  region.fusible += chain.size();
  region.inputBytes = bytes;
  return std::nullopt;
}

/// What computes an operand from others does so for each block right before the
/// block is used, and packs it on the way.
void RegionGrowth::addPreOps(Region &region, Obstacles &obstacles) {
  for (unsigned i = 0; i < region.tunable->getNumOperands(); ++i) {
    Operation *producer = region.tunable->getOperand(i).getDefiningOp();
    if (FusibleOpInterface op = getCandidate(producer, region.ops))
      if (auto obstacle = tryPreOp(i, region))
        obstacles[op] = *obstacle;
  }
}

void RegionGrowth::fuseTunable(Block &block) {
  SmallVector<std::pair<Region, Obstacles>, 0> grown;
  for (auto op : llvm::to_vector(block.getOps<TunableOpInterface>())) {
    Region region{RegionSpace(
        cast<RankedTensorType>(op->getResult(0).getType()).getShape())};
    region.space.addRoot(op->getResult(0));
    region.ops.insert(op);
    region.tunable = op;
    Obstacles obstacles;
    growPostOps(region, obstacles);
    addPreOps(region, obstacles);
    createRegion(region.ops.getArrayRef());
    grown.emplace_back(std::move(region), std::move(obstacles));
  }
  // An op that does not fit one region may have joined another.
  for (auto &[region, obstacles] : grown) {
    obstacles.remove_if([](const auto &obstacle) {
      return obstacle.second.hasNoPlace && isFusedAlready(obstacle.first);
    });
    report(region, obstacles);
  }
}

//===----------------------------------------------------------------------===//
// Regions without a tunable op
//===----------------------------------------------------------------------===//

std::optional<Obstacle> RegionGrowth::tryAround(FusibleOpInterface op,
                                                Region &region) {
  if (auto obstacle = checkWhereRead(op))
    return obstacle;
  if (auto obstacle = checkLimits(op, region))
    return obstacle;
  // All positions are determined again from the ops alone, in their order.
  SmallVector<Operation *> ops(region.ops.getArrayRef());
  ops.push_back(op);
  llvm::sort(ops, isBefore);
  std::string reason;
  Operation *culprit = nullptr;
  std::optional<RegionSpace> space = RegionSpace::get(ops, reason, culprit);
  if (!space)
    return Obstacle{reason, ""};
  for (Operation *other : ops)
    if (auto obstacle = checkWork(cast<FusibleOpInterface>(other), *space))
      return obstacle;
  if (auto obstacle = checkCycle(op, region.ops))
    return obstacle;
  insert(op, region);
  region.space = std::move(*space);
  return std::nullopt;
}

/// Whether an op sees each element of its operands once, and may join others
/// that do: element by element, or reducing them.
static bool visitsElements(FusibleOpInterface op) {
  return isPointwise(op.getFusibleKind()) || isReduction(op);
}

/// Whether two ops that do not read one another iterate over the same elements.
static bool areSiblings(FusibleOpInterface a, FusibleOpInterface b) {
  return visitsElements(a) && visitsElements(b) &&
         a.getIterationSpace() == b.getIterationSpace();
}

/// The users of a value in a block that visit its elements and are in no region
/// yet, in their order; if there are very many, only the first ones, so that
/// each is examined a bounded number of times, and by regions that are near it.
SmallVector<FusibleOpInterface> RegionGrowth::getFreeUsers(Value value,
                                                           Block *block) {
  auto [found, isNew] = freeUsers.try_emplace(value);
  SmallVector<FusibleOpInterface> &users = found->second;
  if (isNew) {
    for (Operation *user : value.getUsers())
      if (auto fusible = dyn_cast<FusibleOpInterface>(user);
          fusible && user->getBlock() == block && visitsElements(fusible))
        users.push_back(fusible);
    llvm::sort(users, isBefore);
  }
  size_t most = 2 * std::max<int64_t>(limits.maxOps, 32);
  SmallVector<FusibleOpInterface> result;
  size_t seen = 0;
  while (seen < users.size() && result.size() < most)
    if (FusibleOpInterface user = users[seen++]; !isFusedAlready(user))
      result.push_back(user);
  if (seen - result.size() > most) {
    users.erase(users.begin(), users.begin() + seen);
    users.insert(users.begin(), result.begin(), result.end());
  }
  return result;
}

/// Adds the neighbours of an op: consumers, producers, and ops that read the
/// same.
bool RegionGrowth::growFrom(FusibleOpInterface op, Region &region,
                            Obstacles &obstacles) {
  bool grows = false;
  auto tryNeighbour = [&](Operation *neighbour) {
    FusibleOpInterface candidate = getCandidate(neighbour, region.ops);
    if (!candidate || sides.isApart(candidate, region.ops.getArrayRef()))
      return;
    if (auto obstacle = tryAround(candidate, region))
      obstacles[neighbour] = *obstacle;
    else
      grows = true;
  };
  llvm::SetVector<Operation *> neighbours;
  for (Operation *user : op->getUsers())
    neighbours.insert(user);
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      neighbours.insert(producer);
  for (Operation *neighbour : neighbours)
    tryNeighbour(neighbour);
  if (!visitsElements(op))
    return grows;
  for (Value operand : op->getOperands())
    for (FusibleOpInterface user : getFreeUsers(operand, op->getBlock())) {
      if (neighbours.contains(user) || !getCandidate(user, region.ops) ||
          !areSiblings(user, op))
        continue;
      tryNeighbour(user);
      // The remark about the first that does not fit stands for the others.
      if (region.fusible >= limits.maxOps && !region.ops.contains(user))
        return grows;
    }
  return grows;
}

void RegionGrowth::growAround(Region &region, Obstacles &obstacles) {
  bool grows = true;
  while (grows) {
    grows = false;
    for (size_t i = 0; i < region.ops.size(); ++i)
      grows |=
          growFrom(cast<FusibleOpInterface>(region.ops[i]), region, obstacles);
    grows &= region.fusible < limits.maxOps;
  }
}

void RegionGrowth::fuseFusible(Block &block) {
  llvm::DenseMap<Operation *, unsigned> depths = getReductionDepths(block);
  sides = getReductionSides(block);
  // The largest iteration spaces first: smaller ones find their place in them.
  // What is computed again for ops after a reduction in two steps has to join
  // them, and not those that compute the same before it.
  auto ops = llvm::to_vector(block.getOps<FusibleOpInterface>());
  llvm::sort(ops, [&](FusibleOpInterface a, FusibleOpInterface b) {
    int64_t left = getVolume(a.getIterationSpace());
    int64_t right = getVolume(b.getIterationSpace());
    if (left != right)
      return left > right;
    unsigned before = depths.lookup(a), after = depths.lookup(b);
    return before != after ? before > after : a->isBeforeInBlock(b);
  });
  for (FusibleOpInterface op : ops) {
    if (isFusedAlready(op))
      continue;
    Region region{RegionSpace(op.getIterationSpace())};
    (void)region.space.add(op);
    insert(op, region);
    Obstacles obstacles;
    if (!op->hasAttr(GraphDialect::kWhereReadAttr) && !sharesBytesOfResult(op))
      growAround(region, obstacles);
    report(region, obstacles);
    createRegion(region.ops.getArrayRef());
  }
}

} // namespace gc::graph
