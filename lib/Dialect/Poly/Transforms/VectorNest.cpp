// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorNest.h"
#include "TileViews.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// Tiles of arrays
//===----------------------------------------------------------------------===//

LogicalResult VectorNest::makeTiles() {
  for (auto &[name, array] : plan.arrays) {
    ArrayOp op = array.array;
    StatementOp user = array.users.front()->getStatement();
    if (!array.isWritten && op.isTemporary())
      return user.emitOpError("reads @")
             << name
             << ", which another nest computes; temporaries must stay on the "
                "core, so both have to be in one nest";
    if (isUpdate(user) && !op.getInputAttr())
      return user.emitOpError("adds to or compares with elements of @")
             << name
             << ", which another nest initialises: no loop is around both, as "
                "where all elements are reduced to one";
    Type element = op.getTensorType().getElementType();
    if (!npu::getDType(element))
      return user.emitOpError("uses @") << name << " of " << element
                                        << ", which the machine does not have";
    Tile tile;
    tile.plan = &array;
    for (auto [dim, size] : llvm::enumerate(array.box.sizes))
      if (size > 1)
        tile.kept.push_back(dim);
    if (failed(findOrder(tile)))
      return failure();
    tiles[name] = tile;
  }
  llvm::StringMap<StringRef> taken = findTaken();
  for (auto &[name, tile] : tiles) {
    // A buffer whose elements are dead has been made before.
    auto other = taken.find(name);
    if (other != taken.end()) {
      tile.buffer = tiles.find(other->second)->second.buffer;
      tile.isShared = true;
      continue;
    }
    ArrayOp op = tile.plan->array;
    Type element = op.getTensorType().getElementType();
    tile.buffer = program.addBuffer(
        name.str() + "_ub", op,
        getBufferType(getTileShape(tile), element, npu::MemorySpace::ub));
  }
  return success();
}

/// Arrays that are computed in the buffer of one that is read for the last time
/// then, element by element; the name of that one for each of them.
llvm::StringMap<StringRef> VectorNest::findTaken() {
  // A register for each row holds the front end up, so that many tiles have to
  // be under way: there is no room for separate results.
  bool hasRows = llvm::any_of(
      plan.leaves, [](auto &leaf) { return isUpdate(leaf->getStatement()); });
  llvm::StringMap<StringRef> taken;
  for (auto &leaf : plan.leaves) {
    StatementOp statement = leaf->getStatement();
    StringRef written = statement.getWrittenArray();
    const Tile &to = tiles.find(written)->second;
    SmallVector<TileNode *> loops = getLoops(leaf->node);
    if (isUpdate(statement) || to.plan->users.front() != leaf.get() ||
        to.plan->home != (loops.empty() ? nullptr : loops.back()))
      continue;
    auto isSame = [&](unsigned number, const Tile &from) {
      if (from.kept.size() != to.kept.size() ||
          leaf->writeBox.sizes != to.plan->box.sizes ||
          leaf->readBoxes[number].offsets != from.plan->box.offsets ||
          leaf->readBoxes[number].sizes != from.plan->box.sizes)
        return false;
      for (auto [source, target] : llvm::zip(from.kept, to.kept))
        if (leaf->reads[number].dims[source] != leaf->write.dims[target] ||
            from.plan->box.sizes[source] != to.plan->box.sizes[target])
          return false;
      return true;
    };
    SmallVector<StringRef> reads;
    for (auto read : statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())
      reads.push_back(read.getValue());
    for (auto [number, name] : llvm::enumerate(reads)) {
      const Tile &from = tiles.find(name)->second;
      ArrayOp source = from.plan->array, target = to.plan->array;
      if (from.isMoved || source.getOutputAttr() ||
          llvm::count(reads, name) > 1 ||
          from.plan->users.back() != leaf.get() ||
          from.plan->home != to.plan->home ||
          (!from.plan->isWritten && !hasRows) ||
          source.getTensorType().getElementType() !=
              target.getTensorType().getElementType() ||
          !isSame(number, from))
        continue;
      taken[written] = name;
      break;
    }
  }
  return taken;
}

isl::Set VectorNest::getCounters(const ArrayPlan &array) {
  unsigned depth = array.home ? array.home->depth + 1 : 0;
  isl::Set result;
  for (LeafPlan *user : array.users) {
    isl::Set own(isl_map_domain(user->node->instances.copy()));
    unsigned dims = isl_set_dim(own.get(), isl_dim_set);
    own = isl::Set(
        isl_set_project_out(own.take(), isl_dim_set, depth, dims - depth));
    result = result ? isl::Set(isl_set_union(result.take(), own.take()))
                    : std::move(own);
  }
  return result;
}

isl::Schedule VectorNest::emitTransfer(const Tile &tile, bool isLoad) {
  ArrayOp array = tile.plan->array;
  auto fill = [&](ImplicitLocOpBuilder &b, ValueRange counters) {
    SmallVector<TileNode *> loops;
    if (TileNode *home = tile.plan->home) {
      loops = getLoops(home);
      loops.push_back(home);
    }
    TileOrigin origin(b, plan, loops, counters);
    const Box &box = tile.plan->box;
    SmallVector<bool> isDropped(box.getRank(), true);
    SmallVector<int64_t> kept;
    for (unsigned dim : tile.kept) {
      isDropped[dim] = false;
      kept.push_back(box.sizes[dim]);
    }
    // One element keeps one dimension.
    if (kept.empty()) {
      kept.push_back(1);
      if (!isDropped.empty())
        isDropped.back() = false;
    }
    Value global = takeBox(b, program.refer(b, array), origin.get(box),
                           box.sizes, isDropped);
    if (box.sizes.empty())
      global = expandUnits(b, global, {1});
    if (tile.isPacked()) {
      emitPacks(tile, b, global, program.refer(b, tile.buffer));
      return success();
    }
    SmallVector<OpFoldResult> zeros(kept.size(), b.getIndexAttr(0));
    Value local = takeBox(b, program.refer(b, tile.buffer), zeros, kept, {});
    npu::CopyOp::create(b, isLoad ? global : local, isLoad ? local : global,
                        false, ValueRange());
    return success();
  };
  std::string name = (isLoad ? "load_" : "store_") + array.getSymName().str();
  return program.addTile(name, getCounters(*tile.plan), fill);
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

isl::Schedule VectorNest::wrap(TileNode *home, isl::Schedule body) {
  SmallVector<const Tile *> own;
  for (auto &[name, tile] : tiles)
    if (tile.plan->home == home)
      own.push_back(&tile);
  isl::Schedule before, after;
  for (const Tile *tile : own) {
    ArrayOp array = tile->plan->array;
    bool isLoad = !tile->plan->isWritten;
    if (!isLoad && !array.getOutputAttr())
      continue;
    isl::Schedule transfer = emitTransfer(*tile, isLoad);
    if (!transfer)
      return transfer;
    isl::Schedule &side = isLoad ? before : after;
    side = TileProgram::sequence(std::move(side), std::move(transfer));
  }
  body = TileProgram::sequence(std::move(before), std::move(body));
  body = TileProgram::sequence(std::move(body), std::move(after));
  for (const Tile *tile : own) {
    if (tile->isShared)
      continue;
    BufferOp buffer = tile->buffer;
    body = TileProgram::mark(std::move(body),
                             ("buffer:" + buffer.getSymName()).str());
  }
  return body;
}

/// Three tiles if there is room: a load, a computation and a store. Two of
/// everything are better than three of some buffers and one of others.
int64_t VectorNest::getSlots(const npu::Machine &machine) const {
  struct Use {
    int64_t bytes = 0;
    bool isTransferred = false;
    size_t first = SIZE_MAX, last = 0;
  };
  llvm::MapVector<Operation *, Use> uses;
  for (auto &[name, tile] : tiles) {
    BufferOp buffer = tile.buffer;
    ArrayOp array = tile.plan->array;
    MemRefType type = buffer.getMemRefType();
    Use &use = uses[buffer];
    use.bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    use.isTransferred |= !array.isTemporary();
    for (auto [number, leaf] : llvm::enumerate(plan.leaves))
      if (llvm::is_contained(tile.plan->users, leaf.get())) {
        use.first = std::min(use.first, number);
        use.last = std::max(use.last, number);
      }
  }
  int64_t transferred = 0;
  SmallVector<int64_t> alive(plan.leaves.size(), 0);
  for (auto &[buffer, use] : uses) {
    if (use.isTransferred)
      transferred += use.bytes;
    for (size_t i = use.first; i <= use.last && !use.isTransferred; ++i)
      alive[i] += use.bytes;
  }
  int64_t tiles = 1;
  for (auto &[node, loop] : plan.loops)
    tiles *= loop.count;
  int64_t most = *llvm::max_element(alive);
  auto fits = [&](int64_t slots) {
    return slots * transferred + most <= machine.ubBytes * 7 / 8;
  };
  // Without waiting for one of the others if there are so few.
  if (tiles == 4 && fits(4))
    return 4;
  return fits(3) ? 3 : 2;
}

isl::Schedule VectorNest::emitNode(TileNode *node) {
  if (node->kind == TileNode::leaf) {
    const LeafPlan *leaf = plan.lookup(node);
    if (dropped.contains(leaf))
      return isl::Schedule();
    return emitLeaf(*leaf);
  }
  isl::Schedule body;
  for (auto &child : node->children) {
    isl::Schedule part = emitNode(child.get());
    bool isEmpty = child->kind == TileNode::leaf &&
                   dropped.contains(plan.lookup(child.get()));
    if (!part && !isEmpty)
      return part;
    body = TileProgram::sequence(std::move(body), std::move(part));
  }
  if (node->kind == TileNode::sequence)
    return body;
  body = wrap(node, std::move(body));
  if (!body)
    return body;
  return TileProgram::loop(std::move(body), node->depth, slots);
}

LogicalResult VectorNest::decide() {
  if (failed(makeTiles()))
    return failure();
  findDropped();
  FailureOr<npu::Machine> machine = npu::getMachine(program.scop);
  if (failed(machine))
    return failure();
  FailureOr<int64_t> chosen =
      program.choose("slots", {1, 2, 3, 4}, getSlots(*machine));
  if (failed(chosen))
    return failure();
  slots = *chosen;
  return success();
}

isl::Schedule VectorNest::emit() {
  isl::Schedule body = emitNode(root);
  if (!body)
    return body;
  return wrap(nullptr, std::move(body));
}

void VectorNest::findDropped() {
  for (auto &leaf : plan.leaves) {
    std::optional<Reduction> reduction = getReduction(leaf->getStatement());
    if (!reduction)
      continue;
    // All that is added up, in the one tile, along the last dimension only.
    isl::Set domain = getDomain(program.ctx, leaf->getStatement());
    bool isComplete = true, isLastReduced = false;
    for (auto [dim, size] : llvm::enumerate(leaf->box.sizes)) {
      bool isReduced = !llvm::is_contained(leaf->write.dims, int(dim));
      isLastReduced = isReduced;
      auto largest = getLargest(domain, dim);
      if (isReduced && (!largest || *largest + 1 != size))
        isComplete = false;
      if (isReduced && dim + 1 != leaf->box.sizes.size() && size > 1)
        isComplete = false;
    }
    if (!isComplete || !isLastReduced || leaf->box.sizes.back() == 1)
      continue;
    for (auto &init : plan.leaves) {
      StatementOp statement = init->getStatement();
      auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
      bool isInit = init.get() != leaf.get() &&
                    statement.getWrittenArray() ==
                        leaf->getStatement().getWrittenArray() &&
                    yield.getValue().getDefiningOp<arith::ConstantOp>() &&
                    getLoops(init->node) == getLoops(leaf->node);
      if (!isInit)
        continue;
      auto constant = dyn_cast<FloatAttr>(
          yield.getValue().getDefiningOp<arith::ConstantOp>().getValue());
      if (!constant)
        continue;
      const APFloat &value = constant.getValue();
      bool isNeutral = reduction->kind == npu::ReduceKind::sum
                           ? value.isZero()
                           : (value.isInfinity() || value.isLargest()) &&
                                 value.isNegative() ==
                                     (reduction->kind == npu::ReduceKind::max);
      if (!isNeutral)
        continue;
      dropped.insert(init.get());
      overwriting.insert(leaf.get());
    }
  }
}
