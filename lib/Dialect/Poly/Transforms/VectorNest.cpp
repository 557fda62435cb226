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
    tile.buffer = program.addBuffer(
        name.str() + "_ub", op,
        getBufferType(getTileShape(tile), element, npu::MemorySpace::ub));
    tiles[name] = tile;
  }
  return success();
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
    BufferOp buffer = tile->buffer;
    body = TileProgram::mark(std::move(body),
                             ("buffer:" + buffer.getSymName()).str());
  }
  return body;
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
  return TileProgram::loop(std::move(body), node->depth, 3);
}

isl::Schedule VectorNest::emit() {
  if (failed(makeTiles()))
    return isl::Schedule();
  findDropped();
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
