// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl schedules clusters, a point of which is all that is computed there; the
// tree is then pulled back to the statements and filled in below.

#include "Clusters.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Tree.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYSCHEDULE
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

static std::string getClusterName(size_t number) {
  return "G" + std::to_string(number);
}

/// From a member's instances to the points of the cluster.
static isl::MultiAff getContraction(const isl::Ctx &ctx,
                                    const ClusterMember &member,
                                    StringRef cluster) {
  ClusterMember copy = member;
  isl::Set domain = getDomain(ctx, copy.statement);
  isl::Space space(isl_set_get_space(domain.get()));
  isl::MultiAff map(isl_multi_aff_identity_on_domain_space(space.copy()));
  isl_aff_list *affs = isl_aff_list_alloc(ctx.get(), member.dims.size());
  for (unsigned dim : member.dims)
    affs = isl_aff_list_add(affs, isl_multi_aff_get_aff(map.get(), dim));
  isl::Space range(isl_space_set_alloc(ctx.get(), 0, member.dims.size()));
  range.reset(isl_space_set_tuple_name(range.take(), isl_dim_set,
                                       cluster.str().c_str()));
  isl::Space target(
      isl_space_map_from_domain_and_range(space.take(), range.take()));
  return isl::MultiAff(isl_multi_aff_from_aff_list(target.take(), affs));
}

/// A band over the given dimensions of a statement, not yet in a tree.
static isl::MultiUnionPwAff getIdentityBand(const isl::Ctx &ctx,
                                            const isl::Set &domain,
                                            ArrayRef<unsigned> dims) {
  isl::MultiAff map(
      isl_multi_aff_identity_on_domain_space(isl_set_get_space(domain.get())));
  isl_aff_list *affs = isl_aff_list_alloc(ctx.get(), dims.size());
  for (unsigned dim : dims)
    affs = isl_aff_list_add(affs, isl_multi_aff_get_aff(map.get(), dim));
  isl::Space range(isl_space_set_alloc(ctx.get(), 0, dims.size()));
  isl::Space target(isl_space_map_from_domain_and_range(
      isl_set_get_space(domain.get()), range.take()));
  isl::MultiAff band(isl_multi_aff_from_aff_list(target.take(), affs));
  return isl::MultiUnionPwAff(
      isl_multi_union_pw_aff_from_multi_aff(band.take()));
}

namespace {
class Scheduler {
public:
  Scheduler(const isl::Ctx &ctx, ScopOp scop, ArrayRef<Cluster> clusters)
      : ctx(ctx), scop(scop), clusters(clusters) {}

  LogicalResult run(uint64_t budget);

private:
  isl::Schedule scheduleClusters(uint64_t budget);
  isl::Schedule orderClusters();
  bool hasSingleRow() const;
  isl::Node fill(isl::Node leaf);
  isl::Node fillMember(isl::Node leaf, const ClusterMember &member);

  const isl::Ctx &ctx;
  ScopOp scop;
  ArrayRef<Cluster> clusters;
  /// Points of clusters, and from instances to them.
  isl::UnionSet points;
  isl::UnionMap contraction;
};
} // namespace

isl::Schedule Scheduler::scheduleClusters(uint64_t budget) {
  isl::UnionMap dependences(isl_union_map_apply_range(
      isl_union_map_apply_range(isl_union_map_reverse(contraction.copy()),
                                getDependences(ctx, scop).take()),
      contraction.copy()));
  isl::UnionMap between = ctx.parseUnionMap("{ }");
  if (failed(isl::forEachMap(dependences, [&](isl::Map map) {
        if (isl::tupleName(map, isl_dim_in) != isl::tupleName(map, isl_dim_out))
          between.reset(isl_union_map_add_map(between.take(), map.take()));
        return success();
      })))
    return isl::Schedule();
  isl::ScheduleConstraints constraints(
      isl_schedule_constraints_on_domain(points.copy()));
  constraints.reset(isl_schedule_constraints_set_validity(constraints.take(),
                                                          between.copy()));
  constraints.reset(isl_schedule_constraints_set_coincidence(constraints.take(),
                                                             between.copy()));
  constraints.reset(isl_schedule_constraints_set_proximity(constraints.take(),
                                                           between.take()));
  // Clusters that could share a loop do so already.
  isl_options_set_schedule_serialize_sccs(ctx.get(), 1);
  isl_options_set_schedule_outer_coincidence(ctx.get(), 1);
  isl_options_set_schedule_maximize_coincidence(ctx.get(), 1);
  isl_options_set_schedule_treat_coalescing(ctx.get(), 1);
  unsigned long whole = isl_ctx_get_max_operations(ctx.get());
  isl_ctx_reset_operations(ctx.get());
  isl_ctx_set_max_operations(ctx.get(), budget);
  isl::Schedule schedule(
      isl_schedule_constraints_compute_schedule(constraints.take()));
  isl_ctx_set_max_operations(ctx.get(), whole);
  if (!schedule) {
    scop.emitRemark() << "no schedule was found (" << ctx.lastError()
                      << "); loops keep the order of the operator; raise "
                         "'budget' to search longer";
    isl_ctx_reset_error(ctx.get());
    isl_ctx_reset_operations(ctx.get());
  }
  return schedule;
}

/// A band above the tree whose loops have no dependence with a distance, as
/// those that the statements of a cluster share.
static isl::Schedule insertBand(isl::Schedule tree,
                                isl::MultiUnionPwAff partial) {
  tree.reset(isl_schedule_insert_partial_schedule(tree.take(), partial.take()));
  isl::Node band(isl_schedule_get_root(tree.get()));
  band.reset(isl_schedule_node_child(band.take(), 0));
  band.reset(isl_schedule_node_band_set_permutable(band.take(), 1));
  for (int i = 0, e = isl_schedule_node_band_n_member(band.get()); i < e; ++i)
    band.reset(isl_schedule_node_band_member_set_coincident(band.take(), i, 1));
  return isl::Schedule(isl_schedule_node_get_schedule(band.get()));
}

/// Clusters one after the other, loops as they are.
isl::Schedule Scheduler::orderClusters() {
  isl::Schedule schedule;
  for (auto [number, cluster] : llvm::enumerate(clusters)) {
    isl::Space space(isl_space_set_alloc(ctx.get(), 0, cluster.getRank()));
    space.reset(isl_space_set_tuple_name(space.take(), isl_dim_set,
                                         getClusterName(number).c_str()));
    isl::UnionSet own(isl_union_set_intersect(
        points.copy(), isl_union_set_from_set(isl_set_universe(space.take()))));
    isl::Set set(isl_set_from_union_set(own.copy()));
    isl::Schedule tree(isl_schedule_from_domain(own.take()));
    SmallVector<unsigned> dims(cluster.getRank());
    std::iota(dims.begin(), dims.end(), 0);
    if (!dims.empty())
      tree = insertBand(std::move(tree), getIdentityBand(ctx, set, dims));
    schedule.reset(schedule
                       ? isl_schedule_sequence(schedule.take(), tree.take())
                       : tree.take());
  }
  return schedule;
}

/// The loops of a statement that its cluster does not share. Terms of a
/// reduction may be added in any order.
isl::Node Scheduler::fillMember(isl::Node leaf, const ClusterMember &member) {
  StatementOp statement = member.statement;
  isl::Set domain = getDomain(ctx, statement);
  SmallVector<unsigned> rest;
  for (unsigned i = 0, e = isl_set_dim(domain.get(), isl_dim_set); i < e; ++i)
    if (!llvm::is_contained(member.dims, i))
      rest.push_back(i);
  if (rest.empty())
    return leaf;
  leaf.reset(isl_schedule_node_insert_partial_schedule(
      leaf.take(), getIdentityBand(ctx, domain, rest).take()));
  leaf.reset(isl_schedule_node_band_set_permutable(leaf.take(), 1));
  SmallVector<unsigned> parallel = getParallelDims(ctx, statement);
  for (auto [i, dim] : llvm::enumerate(rest))
    leaf.reset(isl_schedule_node_band_member_set_coincident(
        leaf.take(), i, llvm::is_contained(parallel, dim)));
  return leaf;
}

isl::Node Scheduler::fill(isl::Node leaf) {
  isl::UnionSet reaching(isl_schedule_node_get_domain(leaf.get()));
  const Cluster *cluster = llvm::find_if(clusters, [&](const Cluster &cluster) {
    isl::UnionSet first(isl_union_set_from_set(
        getDomain(ctx, StatementOp(cluster.members[0].statement)).take()));
    return isl_union_set_is_disjoint(first.get(), reaching.get()) ==
           isl_bool_false;
  });
  if (cluster == clusters.end())
    return leaf;
  if (cluster->members.size() == 1)
    return fillMember(std::move(leaf), cluster->members[0]);
  isl_union_set_list *filters =
      isl_union_set_list_alloc(ctx.get(), cluster->members.size());
  for (const ClusterMember &member : cluster->members) {
    isl::Set domain = getDomain(ctx, StatementOp(member.statement));
    filters =
        isl_union_set_list_add(filters, isl_union_set_from_set(isl_set_universe(
                                            isl_set_get_space(domain.get()))));
  }
  isl::Node node(isl_schedule_node_insert_sequence(leaf.take(), filters));
  for (auto [i, member] : llvm::enumerate(cluster->members)) {
    isl::Node child(isl_schedule_node_grandchild(node.take(), i, 0));
    child = fillMember(std::move(child), member);
    node.reset(isl_schedule_node_grandparent(child.take()));
  }
  return node;
}

/// Whether the loops that a cluster shares have one iteration, as where all
/// elements are reduced to one. There is nothing to schedule then, and isl
/// leaves such loops out.
bool Scheduler::hasSingleRow() const {
  return llvm::any_of(clusters, [&](const Cluster &cluster) {
    const ClusterMember &first = cluster.members.front();
    return cluster.getRank() > 0 && llvm::all_of(first.dims, [&](unsigned dim) {
             return getExtent(ctx, first.statement, dim) == 1;
           });
  });
}

LogicalResult Scheduler::run(uint64_t budget) {
  points = ctx.parseUnionSet("{ }");
  contraction = ctx.parseUnionMap("{ }");
  isl::UnionPwMultiAff pull(isl_union_pw_multi_aff_empty_ctx(ctx.get()));
  for (auto [number, cluster] : llvm::enumerate(clusters))
    for (const ClusterMember &member : cluster.members) {
      isl::MultiAff map = getContraction(ctx, member, getClusterName(number));
      isl::Map asMap(isl_map_from_multi_aff(map.copy()));
      isl::Set domain = getDomain(ctx, StatementOp(member.statement));
      points.reset(isl_union_set_add_set(
          points.take(), isl_set_apply(domain.copy(), asMap.copy())));
      contraction.reset(isl_union_map_add_map(
          contraction.take(),
          isl_map_intersect_domain(asMap.take(), domain.take())));
      pull.reset(isl_union_pw_multi_aff_add_pw_multi_aff(
          pull.take(), isl_pw_multi_aff_from_multi_aff(map.take())));
    }
  points.reset(isl_union_set_coalesce(points.take()));
  // 1: isl's schedule; 0: the operator's own order.
  FailureOr<std::optional<int64_t>> given = getChoice(scop, "schedule", {0, 1});
  if (failed(given))
    return failure();
  isl::Schedule schedule;
  if (given->value_or(1) == 1)
    schedule = hasSingleRow() ? orderClusters() : scheduleClusters(budget);
  recordChoice(scop, "schedule", {0, 1}, bool(schedule));
  if (!schedule)
    schedule = orderClusters();
  schedule.reset(
      isl_schedule_pullback_union_pw_multi_aff(schedule.take(), pull.take()));
  schedule.reset(isl_schedule_intersect_domain(schedule.take(),
                                               getDomain(ctx, scop).take()));
  isl::Node root(isl_schedule_get_root(schedule.get()));
  root = isl::mapBottomUp(std::move(root), [&](isl::Node node) {
    return isl_schedule_node_get_type(node.get()) == isl_schedule_node_leaf
               ? fill(std::move(node))
               : std::move(node);
  });
  return setSchedule(ctx, scop,
                     isl::Schedule(isl_schedule_node_get_schedule(root.get())),
                     "the schedule cannot be pulled back to the statements");
}

namespace {
struct PolySchedulePass : gc::poly::impl::PolyScheduleBase<PolySchedulePass> {
  using PolyScheduleBase::PolyScheduleBase;

  void runOnOperation() override {
    isl::Ctx ctx;
    FailureOr<SmallVector<Cluster>> clusters =
        findClusters(ctx, getOperation());
    if (failed(clusters) ||
        failed(Scheduler(ctx, getOperation(), *clusters).run(budget)))
      signalPassFailure();
  }
};
} // namespace
