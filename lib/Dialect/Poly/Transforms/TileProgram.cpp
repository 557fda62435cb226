// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileProgram.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "TileViews.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

TileProgram::TileProgram(const isl::Ctx &ctx, ScopOp scop, bool promotes,
                         bool skews, bool hasBuffers)
    : ctx(ctx), scop(scop), promotes(promotes), skews(skews), symbols(scop),
      promoted(llvm::to_vector(scop.getBody().getOps<BufferOp>())),
      hasBuffers(hasBuffers) {}

std::string TileProgram::makeName(StringRef base) {
  std::string name = base.str();
  for (unsigned number = 1; symbols.lookup(name); ++number)
    name = base.str() + "_" + std::to_string(number);
  return name;
}

isl::Schedule TileProgram::addTile(
    StringRef base, const isl::Set &domain,
    llvm::function_ref<LogicalResult(ImplicitLocOpBuilder &, ValueRange)>
        fill) {
  std::string name = makeName(base);
  isl::Set named(isl_set_set_tuple_name(domain.copy(), name.c_str()));
  named = isl::Set(isl_set_coalesce(named.take()));
  if (failed(ctx.check(bool(named), "the tiles are too complicated",
                       [&] { return scop.emitOpError(); })))
    return isl::Schedule();
  auto b =
      ImplicitLocOpBuilder::atBlockEnd(scop.getLoc(), &scop.getBody().front());
  auto tile = TileOp::create(b, name, isl::str(named));
  symbols.insert(tile);
  Block &block = tile.getBody().emplaceBlock();
  for (int i = 0, e = isl_set_dim(named.get(), isl_dim_set); i < e; ++i)
    block.addArgument(b.getIndexType(), scop.getLoc());
  b.setInsertionPointToStart(&block);
  if (failed(fill(b, block.getArguments())))
    return isl::Schedule();
  return isl::Schedule(
      isl_schedule_from_domain(isl_union_set_from_set(named.take())));
}

BufferOp TileProgram::addBuffer(StringRef name, ArrayOp array,
                                MemRefType type) {
  if (!hasBuffers || hasError)
    return addScratch(name, array, type);
  if (nextBuffer < promoted.size()) {
    BufferOp buffer = promoted[nextBuffer++];
    if (buffer.getArray() == array.getSymName() &&
        buffer.getMemRefType() == type)
      return buffer;
    buffer.emitOpError("is ")
        << buffer.getMemRefType() << " of @" << buffer.getArray()
        << ", but tiles need " << type << " of @" << array.getSymName()
        << "; poly-promote makes it";
  } else {
    scop.emitOpError("has no buffer for ")
        << type << " of @" << array.getSymName() << "; poly-promote makes it";
  }
  hasError = true;
  return addScratch(name, array, type);
}

LogicalResult TileProgram::checkBuffers() {
  if (!hasError && hasBuffers && nextBuffer < promoted.size()) {
    promoted[nextBuffer].emitOpError("is a buffer that no tile needs");
    hasError = true;
  }
  return failure(hasError);
}

BufferOp TileProgram::addScratch(StringRef name, ArrayOp array,
                                 MemRefType type) {
  auto b =
      ImplicitLocOpBuilder::atBlockEnd(scop.getLoc(), &scop.getBody().front());
  auto buffer = BufferOp::create(b, makeName(name), array.getSymName(), type,
                                 IntegerAttr());
  symbols.insert(buffer);
  return buffer;
}

Value TileProgram::refer(ImplicitLocOpBuilder &b, ArrayOp array) {
  return RefOp::create(b, getGlobalType(array), array.getSymName());
}

Value TileProgram::refer(ImplicitLocOpBuilder &b, BufferOp buffer) {
  return RefOp::create(b, buffer.getMemRefType(), buffer.getSymName());
}

isl::Schedule TileProgram::sequence(isl::Schedule first, isl::Schedule second) {
  if (!first)
    return second;
  if (!second)
    return first;
  return isl::Schedule(isl_schedule_sequence(first.take(), second.take()));
}

isl::Schedule TileProgram::mark(isl::Schedule schedule, StringRef text) {
  isl::Node node(isl_schedule_get_root(schedule.get()));
  node = isl::Node(isl_schedule_node_child(node.take(), 0));
  isl::Id id(isl_id_alloc(isl_schedule_get_ctx(schedule.get()),
                          text.str().c_str(), nullptr));
  node = isl::Node(isl_schedule_node_insert_mark(node.take(), id.take()));
  return isl::Schedule(isl_schedule_node_get_schedule(node.get()));
}

/// Coordinate `depth` of the instances of a set, plus a number.
static isl::Aff getCoordinate(isl_space *domain, unsigned depth,
                              int64_t delay = 0) {
  isl::Aff coordinate(isl_aff_var_on_domain(isl_local_space_from_space(domain),
                                            isl_dim_set, depth));
  return isl::Aff(isl_aff_add_constant_si(coordinate.take(), delay));
}

/// A loop in which each instance has the iteration that `place` says, a
/// function of the instances of a tile.
static isl::Schedule
insertLoop(isl::Schedule schedule,
           llvm::function_ref<isl::Aff(StringRef tile, isl_space *)> place) {
  isl::UnionSet domain(isl_schedule_get_domain(schedule.get()));
  isl::UnionPwAff places(
      isl_union_pw_aff_empty_space(isl_union_set_get_space(domain.get())));
  if (failed(isl::forEachSet(domain, [&](isl::Set set) -> LogicalResult {
        isl::Aff own = place(isl_set_get_tuple_name(set.get()),
                             isl_set_get_space(set.get()));
        isl::PwAff piece(isl_pw_aff_from_aff(own.take()));
        piece =
            isl::PwAff(isl_pw_aff_intersect_domain(piece.take(), set.take()));
        places = isl::UnionPwAff(
            isl_union_pw_aff_add_pw_aff(places.take(), piece.take()));
        return success(bool(places));
      })))
    return isl::Schedule();
  isl::MultiUnionPwAff partial(
      isl_multi_union_pw_aff_from_union_pw_aff(places.take()));
  schedule = isl::Schedule(
      isl_schedule_insert_partial_schedule(schedule.take(), partial.take()));
  // One loop for all tiles, with conditions where they differ.
  isl::Node node(isl_schedule_get_root(schedule.get()));
  node = isl::Node(isl_schedule_node_child(node.take(), 0));
  node = isl::Node(isl_schedule_node_band_member_set_ast_loop_type(
      node.take(), 0, isl_ast_loop_atomic));
  return isl::Schedule(isl_schedule_node_get_schedule(node.get()));
}

isl::Schedule TileProgram::loop(isl::Schedule schedule, unsigned depth,
                                int64_t pipeline) {
  isl::UnionSet domain(isl_schedule_get_domain(schedule.get()));
  bool isOne = true;
  if (failed(isl::forEachSet(domain, [&](isl::Set set) -> LogicalResult {
        isOne &= getLargest(set, depth) == 0;
        return success();
      })))
    return isl::Schedule();
  if (isOne)
    return schedule;
  schedule = insertLoop(std::move(schedule), [&](StringRef, isl_space *space) {
    return getCoordinate(space, depth);
  });
  return schedule ? markLoop(std::move(schedule), pipeline) : isl::Schedule();
}

isl::Schedule TileProgram::skewedLoop(isl::Schedule schedule,
                                      ArrayRef<int64_t> counts,
                                      const llvm::StringMap<int64_t> &delays) {
  return insertLoop(std::move(schedule), [&](StringRef tile, isl_space *space) {
    isl::Aff number(isl_aff_val_on_domain_space(
        isl_space_copy(space),
        isl_val_int_from_si(isl_space_get_ctx(space), delays.lookup(tile))));
    int64_t stride = 1;
    for (unsigned depth = counts.size(); depth-- > 0;) {
      number.reset(isl_aff_set_coefficient_si(number.take(), isl_dim_in, depth,
                                              int(stride)));
      stride *= counts[depth];
    }
    isl_space_free(space);
    return number;
  });
}

isl::Schedule TileProgram::spreadLoop(isl::Schedule schedule, unsigned depth,
                                      const llvm::StringMap<int64_t> &delayed,
                                      int64_t iterations, int64_t parts) {
  return insertLoop(std::move(schedule), [&](StringRef tile, isl_space *space) {
    if (!delayed.count(tile))
      return getCoordinate(space, depth);
    isl_ctx *ctx = isl_space_get_ctx(space);
    // In the middle of its share.
    isl::Aff place = getCoordinate(space, depth);
    place.reset(isl_aff_scale_val(place.take(),
                                  isl_val_int_from_si(ctx, 2 * iterations)));
    place.reset(isl_aff_add_constant_si(place.take(), int(iterations)));
    place.reset(isl_aff_scale_down_val(place.take(),
                                       isl_val_int_from_si(ctx, 2 * parts)));
    return isl::Aff(isl_aff_floor(place.take()));
  });
}

isl::Schedule TileProgram::markLoop(isl::Schedule schedule, int64_t pipeline) {
  return mark(std::move(schedule), "pipeline:" + std::to_string(pipeline));
}

LogicalResult TileProgram::setDelay(const isl::Schedule &schedule,
                                    int64_t delay,
                                    llvm::StringMap<int64_t> &delays) {
  isl::UnionSet domain(isl_schedule_get_domain(schedule.get()));
  return isl::forEachSet(domain, [&](isl::Set set) -> LogicalResult {
    delays[isl_set_get_tuple_name(set.get())] = delay;
    return success();
  });
}

FailureOr<int64_t> TileProgram::choose(StringRef name, ArrayRef<int64_t> legal,
                                       int64_t own) {
  std::string full = name.str();
  if (nest > 1)
    full += "." + std::to_string(nest);
  return poly::choose(scop, full, legal, own);
}

LogicalResult TileProgram::finish(const isl::Schedule &schedule) {
  for (auto statement :
       llvm::make_early_inc_range(scop.getBody().getOps<StatementOp>()))
    statement.erase();
  return setSchedule(ctx, scop, schedule, "poly-tile-statements");
}
