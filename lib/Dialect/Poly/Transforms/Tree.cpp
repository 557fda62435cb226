// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tree.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

SmallVector<StatementOp>
gc::poly::getStatements(ScopOp scop, const isl::UnionSet &instances) {
  SmallVector<std::string> names;
  (void)isl::forEachSet(instances, [&](isl::Set set) {
    names.push_back(isl::tupleName(set));
    return success();
  });
  SmallVector<StatementOp> statements;
  for (auto statement : scop.getOps<StatementOp>())
    if (llvm::is_contained(names, statement.getSymName()))
      statements.push_back(statement);
  return statements;
}

SmallVector<std::optional<unsigned>>
gc::poly::getBandDims(const isl::Node &band, StatementOp statement) {
  SmallVector<std::optional<unsigned>> dims;
  isl::MultiUnionPwAff partial(
      isl_schedule_node_band_get_partial_schedule(band.get()));
  unsigned count = isl_multi_union_pw_aff_dim(partial.get(), isl_dim_set);
  for (unsigned i = 0; i < count; ++i) {
    isl::UnionPwAff loop(
        isl_multi_union_pw_aff_get_union_pw_aff(partial.get(), i));
    // A loop of one iteration is a number in the tree, without the domain.
    isl::UnionMap map(isl_union_map_intersect_domain(
        isl_union_map_from_union_pw_aff(loop.take()),
        isl_schedule_node_get_domain(band.get())));
    std::optional<unsigned> found;
    (void)isl::forEachMap(map, [&](isl::Map own) {
      if (isl::tupleName(own, isl_dim_in) != statement.getSymName())
        return success();
      unsigned rank = isl_map_dim(own.get(), isl_dim_in);
      for (unsigned dim = 0; dim < rank && !found; ++dim) {
        isl::Map equal(
            isl_map_equate(own.copy(), isl_dim_in, dim, isl_dim_out, 0));
        if (isl_map_is_equal(equal.get(), own.get()) == isl_bool_true)
          found = dim;
      }
      return success();
    });
    dims.push_back(found);
  }
  return dims;
}

isl::MultiUnionPwAff gc::poly::getBandOf(const isl::Ctx &ctx,
                                         StatementOp statement,
                                         ArrayRef<unsigned> dims) {
  isl::Set domain = getDomain(ctx, statement);
  isl::MultiAff identity(
      isl_multi_aff_identity_on_domain_space(isl_set_get_space(domain.get())));
  isl_aff_list *affs = isl_aff_list_alloc(ctx.get(), dims.size());
  for (unsigned dim : dims)
    affs = isl_aff_list_add(affs, isl_multi_aff_get_aff(identity.get(), dim));
  isl::Space space(isl_space_map_from_domain_and_range(
      isl_set_get_space(domain.get()),
      isl_space_set_alloc(ctx.get(), 0, dims.size())));
  isl::MultiAff band(isl_multi_aff_from_aff_list(space.take(), affs));
  return isl::MultiUnionPwAff(
      isl_multi_union_pw_aff_from_multi_aff(band.take()));
}

isl::UnionSet gc::poly::getFilter(const isl::Ctx &ctx,
                                  ArrayRef<StatementOp> statements) {
  isl::UnionSet filter = ctx.parseUnionSet("{ }");
  for (StatementOp statement : statements)
    filter.reset(isl_union_set_add_set(
        filter.take(),
        isl_set_universe(isl_set_get_space(getDomain(ctx, statement).get()))));
  return filter;
}

int64_t gc::poly::getExtent(const isl::Ctx &ctx, StatementOp statement,
                            unsigned dim) {
  isl::Set domain = getDomain(ctx, statement);
  isl::Val high(isl_set_dim_max_val(domain.copy(), dim));
  isl::Val low(isl_set_dim_min_val(domain.take(), dim));
  return isl::toInt(high).value_or(0) - isl::toInt(low).value_or(0) + 1;
}

SmallVector<int> gc::poly::getParts(const isl::Schedule &schedule) {
  isl::Node root(isl_schedule_get_root(schedule.get()));
  isl::Node node(isl_schedule_node_get_child(root.get(), 0));
  if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_sequence)
    return {-1};
  SmallVector<int> parts;
  for (int i = 0, e = isl_schedule_node_n_children(node.get()); i < e; ++i)
    parts.push_back(i);
  return parts;
}

isl::Node gc::poly::getPart(const isl::Schedule &schedule, int part) {
  isl::Node node(isl_schedule_get_root(schedule.get()));
  node.reset(isl_schedule_node_child(node.take(), 0));
  if (part >= 0)
    node.reset(isl_schedule_node_grandchild(node.take(), part, 0));
  return node;
}

isl::Node gc::poly::insertMark(const isl::Ctx &ctx, isl::Node node,
                               StringRef text) {
  return isl::Node(
      isl_schedule_node_insert_mark(node.take(), ctx.id(text).take()));
}

isl::Node gc::poly::tileBand(const isl::Ctx &ctx, isl::Node band,
                             ArrayRef<int64_t> sizes) {
  isl_options_set_tile_scale_tile_loops(ctx.get(), 0);
  isl_options_set_tile_shift_point_loops(ctx.get(), 0);
  isl::Space space(isl_schedule_node_band_get_space(band.get()));
  isl::MultiVal values(isl_multi_val_zero(space.take()));
  for (auto [i, size] : llvm::enumerate(sizes))
    values.reset(isl_multi_val_set_val(values.take(), i, ctx.val(size).take()));
  return isl::Node(isl_schedule_node_band_tile(band.take(), values.take()));
}

std::string gc::poly::getMark(const isl::Node &node) {
  if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_mark)
    return "";
  return isl::nameOf(isl::Id(isl_schedule_node_mark_get_id(node.get())));
}

bool gc::poly::isLiveOut(ScopOp scop, ArrayRef<StatementOp> statements) {
  return llvm::any_of(statements, [&](StatementOp statement) {
    ArrayOp array = findArray(scop, statement.getWrittenArray());
    return array && array.getOutputAttr();
  });
}
