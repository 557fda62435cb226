// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Poly/IR/Scop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

isl::Map gc::poly::getRead(const isl::Ctx &ctx, StatementOp statement,
                           unsigned number) {
  return ctx.parseMap(
      cast<StringAttr>(statement.getReadMaps()[number]).getValue());
}

isl::Map gc::poly::getWrite(const isl::Ctx &ctx, StatementOp statement) {
  return ctx.parseMap(statement.getWriteMap());
}

isl::Set gc::poly::getDomain(const isl::Ctx &ctx, StatementOp statement) {
  return ctx.parseSet(statement.getDomain());
}

isl::Set gc::poly::getDomain(const isl::Ctx &ctx, TileOp tile) {
  return ctx.parseSet(tile.getDomain());
}

isl::UnionMap gc::poly::getReads(const isl::Ctx &ctx, ScopOp scop) {
  isl::UnionMap reads = ctx.parseUnionMap("{ }");
  for (auto statement : scop.getOps<StatementOp>())
    for (unsigned i = 0, e = statement.getReadMaps().size(); i < e; ++i) {
      isl::Map map(isl_map_intersect_domain(getRead(ctx, statement, i).take(),
                                            getDomain(ctx, statement).take()));
      reads.reset(isl_union_map_add_map(reads.take(), map.take()));
    }
  return reads;
}

isl::UnionMap gc::poly::getWrites(const isl::Ctx &ctx, ScopOp scop) {
  isl::UnionMap writes = ctx.parseUnionMap("{ }");
  for (auto statement : scop.getOps<StatementOp>()) {
    isl::Map map(isl_map_intersect_domain(getWrite(ctx, statement).take(),
                                          getDomain(ctx, statement).take()));
    writes.reset(isl_union_map_add_map(writes.take(), map.take()));
  }
  return writes;
}

isl::UnionSet gc::poly::getDomain(const isl::Ctx &ctx, ScopOp scop) {
  isl::UnionSet domain = ctx.parseUnionSet("{ }");
  for (auto statement : scop.getOps<StatementOp>())
    domain.reset(
        isl_union_set_add_set(domain.take(), getDomain(ctx, statement).take()));
  return domain;
}

isl::Set gc::poly::getElements(const isl::Ctx &ctx, ArrayOp array) {
  ArrayRef<int64_t> shape = array.getTensorType().getShape();
  isl::Space space(isl_space_set_alloc(ctx.get(), 0, shape.size()));
  space.reset(isl_space_set_tuple_name(space.take(), isl_dim_set,
                                       array.getSymName().str().c_str()));
  isl::Set elements(isl_set_universe(space.take()));
  for (auto [i, size] : llvm::enumerate(shape)) {
    elements.reset(isl_set_lower_bound_si(elements.take(), isl_dim_set, i, 0));
    elements.reset(isl_set_upper_bound_val(elements.take(), isl_dim_set, i,
                                           ctx.val(size - 1).take()));
  }
  return elements;
}

isl::Schedule gc::poly::getSchedule(const isl::Ctx &ctx, ScopOp scop) {
  return ctx.parseSchedule(scop.getSchedule());
}

void gc::poly::appendStatement(isl::Schedule &schedule, isl::Set domain) {
  isl::MultiUnionPwAff order(isl_multi_union_pw_aff_from_multi_aff(
      isl_multi_aff_identity_on_domain_space(isl_set_get_space(domain.get()))));
  order.reset(isl_multi_union_pw_aff_reset_tuple_id(order.take(), isl_dim_out));
  isl::Schedule tree(
      isl_schedule_from_domain(isl_union_set_from_set(domain.take())));
  tree.reset(isl_schedule_insert_partial_schedule(tree.take(), order.take()));
  schedule.reset(schedule ? isl_schedule_sequence(schedule.take(), tree.take())
                          : tree.take());
}

LogicalResult gc::poly::setSchedule(const isl::Ctx &ctx, ScopOp scop,
                                    const isl::Schedule &schedule,
                                    StringRef step) {
  if (failed(ctx.check(static_cast<bool>(schedule), step,
                       [&] { return scop.emitOpError(); })))
    return failure();
  scop.setSchedule(isl::str(schedule));
  return success();
}

ArrayOp gc::poly::findArray(ScopOp scop, StringRef name) {
  return dyn_cast_or_null<ArrayOp>(SymbolTable::lookupSymbolIn(
      scop, StringAttr::get(scop.getContext(), name)));
}

StatementOp gc::poly::findStatement(ScopOp scop, StringRef name) {
  return dyn_cast_or_null<StatementOp>(SymbolTable::lookupSymbolIn(
      scop, StringAttr::get(scop.getContext(), name)));
}

/// The number of the read that reads the element that is written.
static std::optional<unsigned> findOwnRead(StatementOp statement) {
  for (auto [i, array, map] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>(),
           statement.getReadMaps().getAsRange<StringAttr>())) {
    if (array.getValue() != statement.getWrittenArray())
      continue;
    // Text is compared first, since isl takes long to read it.
    if (map.getValue() == statement.getWriteMap())
      return i;
    isl::Ctx ctx;
    if (isl_map_is_equal(getRead(ctx, statement, i).get(),
                         getWrite(ctx, statement).get()) == isl_bool_true)
      return i;
  }
  return std::nullopt;
}

bool gc::poly::isUpdate(StatementOp statement) {
  return findOwnRead(statement).has_value();
}

/// The argument of the region that `value` is, through conversions of width.
static BlockArgument getElement(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

bool gc::poly::isContraction(StatementOp statement) {
  std::optional<unsigned> own = findOwnRead(statement);
  Block &block = statement.getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!own || !yield)
    return false;
  Operation *sum = yield.getValue().getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  for (unsigned side : {0, 1}) {
    Operation *product = sum->getOperand(1 - side).getDefiningOp();
    if (sum->getOperand(side) != block.getArgument(*own) ||
        !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
      continue;
    BlockArgument lhs = getElement(product->getOperand(0));
    BlockArgument rhs = getElement(product->getOperand(1));
    return lhs && rhs && lhs != rhs && lhs.getArgNumber() != *own &&
           rhs.getArgNumber() != *own;
  }
  return false;
}
