// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reverse strategy: from what a tile reads to the instances that write it.

#include "Clusters.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "Tree.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYFUSE
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

namespace {
class Fuser {
public:
  Fuser(const isl::Ctx &ctx, ScopOp scop, ArrayRef<Cluster> clusters)
      : ctx(ctx), scop(scop), clusters(clusters) {}

  LogicalResult run();

private:
  isl::UnionMap getAccesses(StatementOp statement, bool isWrite) const;
  isl::Node fusePart(isl::Node part);
  isl::Node graft(isl::Node points, const Cluster &cluster,
                  isl::UnionMap extension);

  const isl::Ctx &ctx;
  ScopOp scop;
  ArrayRef<Cluster> clusters;
  /// Intermediate clusters that tiles compute, and which of their instances.
  SmallVector<const Cluster *> fused;
  isl::UnionSet computedByTiles;
};
} // namespace

static SmallVector<StatementOp> getStatements(const Cluster &cluster) {
  return llvm::map_to_vector(cluster.members, [](const ClusterMember &member) {
    return member.statement;
  });
}

isl::UnionMap Fuser::getAccesses(StatementOp statement, bool isWrite) const {
  isl::UnionMap all = isWrite ? getWrites(ctx, scop) : getReads(ctx, scop);
  return isl::UnionMap(isl_union_map_intersect_domain(
      all.take(), getFilter(ctx, statement).take()));
}

/// Inserts the instances of a cluster that a tile needs before what it computes
/// itself, with loops over points.
isl::Node Fuser::graft(isl::Node points, const Cluster &cluster,
                       isl::UnionMap extension) {
  isl::Node node(isl_schedule_node_from_extension(extension.take()));
  node.reset(isl_schedule_node_child(node.take(), 0));
  auto insertLoops = [&](isl::Node leaf, StatementOp statement) {
    isl::Set domain = getDomain(ctx, statement);
    SmallVector<unsigned> dims(isl_set_dim(domain.get(), isl_dim_set));
    std::iota(dims.begin(), dims.end(), 0);
    leaf.reset(isl_schedule_node_insert_partial_schedule(
        leaf.take(), getBandOf(ctx, statement, dims).take()));
    leaf.reset(isl_schedule_node_band_set_permutable(leaf.take(), 1));
    SmallVector<unsigned> parallel = getParallelDims(ctx, statement);
    for (unsigned dim : dims)
      leaf.reset(isl_schedule_node_band_member_set_coincident(
          leaf.take(), dim, llvm::is_contained(parallel, dim)));
    return leaf;
  };
  SmallVector<StatementOp> statements = ::getStatements(cluster);
  if (statements.size() == 1) {
    node = insertLoops(std::move(node), statements[0]);
  } else {
    isl_union_set_list *filters =
        isl_union_set_list_alloc(ctx.get(), statements.size());
    for (StatementOp statement : statements)
      filters =
          isl_union_set_list_add(filters, getFilter(ctx, statement).take());
    node.reset(isl_schedule_node_insert_sequence(node.take(), filters));
    for (auto [i, statement] : llvm::enumerate(statements)) {
      node.reset(isl_schedule_node_grandchild(node.take(), i, 0));
      node = insertLoops(std::move(node), statement);
      node.reset(isl_schedule_node_grandparent(node.take()));
    }
  }
  node.reset(isl_schedule_node_parent(node.take()));
  return isl::Node(isl_schedule_node_graft_before(points.take(), node.take()));
}

/// Fuses producers into the tiles of a part whose band of tiles, below its
/// mark, is the node. Returns some node of the changed tree.
isl::Node Fuser::fusePart(isl::Node band) {
  isl::UnionSet instances(isl_schedule_node_get_domain(band.get()));
  isl::UnionMap tiles(
      isl_schedule_node_band_get_partial_schedule_union_map(band.get()));
  tiles.reset(isl_union_map_intersect_domain(tiles.take(), instances.copy()));
  // From a tile to the elements that it reads.
  isl::UnionMap needed(isl_union_map_apply_range(
      isl_union_map_reverse(tiles.take()), getReads(ctx, scop).take()));
  SmallVector<std::pair<const Cluster *, isl::UnionMap>> extensions;
  for (const Cluster &cluster : llvm::reverse(clusters)) {
    SmallVector<StatementOp> statements = ::getStatements(cluster);
    if (isLiveOut(scop, statements))
      continue;
    // What later statements of the cluster need of the earlier ones, too.
    isl::UnionMap extension = ctx.parseUnionMap("{ }");
    for (StatementOp statement : llvm::reverse(statements)) {
      isl::UnionMap own(isl_union_map_apply_range(
          needed.copy(), isl_union_map_reverse(
                             getAccesses(statement, /*isWrite=*/true).take())));
      needed.reset(isl_union_map_union(
          needed.take(),
          isl_union_map_apply_range(
              own.copy(), getAccesses(statement, /*isWrite=*/false).take())));
      extension.reset(isl_union_map_union(extension.take(), own.take()));
    }
    if (isl_union_map_is_empty(extension.get()) != isl_bool_false)
      continue;
    extension.reset(isl_union_map_coalesce(
        isl_union_map_detect_equalities(extension.take())));
    extensions.emplace_back(&cluster, std::move(extension));
  }
  isl::Node node(isl_schedule_node_child(band.take(), 0));
  for (auto &[cluster, extension] : llvm::reverse(extensions)) {
    isl::UnionSet computed(isl_union_map_range(extension.copy()));
    computedByTiles.reset(
        computedByTiles
            ? isl_union_set_union(computedByTiles.take(), computed.take())
            : computed.take());
    node = graft(std::move(node), *cluster, std::move(extension));
    if (!llvm::is_contained(fused, cluster))
      fused.push_back(cluster);
  }
  return node;
}

LogicalResult Fuser::run() {
  isl::Schedule schedule = getSchedule(ctx, scop);
  for (int number : getParts(schedule)) {
    isl::Node part = getPart(schedule, number);
    isl::UnionSet instances(isl_schedule_node_get_domain(part.get()));
    if (!isLiveOut(scop, poly::getStatements(scop, instances)) ||
        !StringRef(getMark(part)).starts_with("tile:"))
      continue;
    part.reset(isl_schedule_node_child(part.take(), 0));
    part = fusePart(std::move(part));
    schedule.reset(isl_schedule_node_get_schedule(part.get()));
  }
  if (fused.empty())
    return setSchedule(ctx, scop, schedule, "producers cannot be fused");
  // The originals get a mark, and then leave the domain: isl generates code
  // below a mark like anywhere else.
  isl::UnionSet rest = getDomain(ctx, scop);
  for (const Cluster *cluster : fused)
    rest.reset(isl_union_set_subtract(
        rest.take(), getFilter(ctx, ::getStatements(*cluster)).take()));
  schedule.reset(isl_schedule_intersect_domain(schedule.take(), rest.take()));
  // What no tile reads is not computed: with a stride there are gaps.
  for (const Cluster *cluster : fused)
    for (StatementOp statement : ::getStatements(*cluster)) {
      isl::UnionSet own = getFilter(ctx, statement);
      own.reset(isl_union_set_intersect(own.take(), computedByTiles.copy()));
      isl::Set set(isl_set_coalesce(isl_set_from_union_set(own.take())));
      if (isl_set_is_equal(set.get(), getDomain(ctx, statement).get()) ==
          isl_bool_false)
        statement.setDomain(isl::str(set));
    }
  return setSchedule(ctx, scop, schedule, "producers cannot be fused");
}

namespace {
struct PolyFusePass : gc::poly::impl::PolyFuseBase<PolyFusePass> {
  void runOnOperation() override {
    isl::Ctx ctx;
    FailureOr<SmallVector<Cluster>> clusters =
        findClusters(ctx, getOperation());
    if (failed(clusters) || failed(Fuser(ctx, getOperation(), *clusters).run()))
      signalPassFailure();
  }
};
} // namespace
