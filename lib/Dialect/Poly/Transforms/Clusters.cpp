// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Clusters.h"
#include "Tree.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

isl::UnionMap gc::poly::getDependences(const isl::Ctx &ctx, ScopOp scop) {
  isl::UnionMap all(isl_union_map_apply_range(
      getWrites(ctx, scop).take(),
      isl_union_map_reverse(getReads(ctx, scop).take())));
  isl::UnionMap result = ctx.parseUnionMap("{ }");
  if (failed(isl::forEachMap(all, [&](isl::Map map) {
        if (isl::tupleName(map, isl_dim_in) != isl::tupleName(map, isl_dim_out))
          result.reset(isl_union_map_add_map(result.take(), map.take()));
        return success();
      })))
    return isl::UnionMap();
  return result;
}

int64_t gc::poly::countInstances(const isl::Ctx &ctx, StatementOp statement) {
  // isl counts the points of a set by visiting them; a box needs only bounds.
  int64_t count = 1;
  unsigned rank = isl_set_dim(getDomain(ctx, statement).get(), isl_dim_set);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (llvm::MulOverflow(count, getExtent(ctx, statement, dim), count))
      return INT64_MAX;
  return count;
}

SmallVector<unsigned> gc::poly::getParallelDims(const isl::Ctx &ctx,
                                                StatementOp statement) {
  isl::Map write = getWrite(ctx, statement);
  SmallVector<unsigned> dims;
  unsigned rank = isl_map_dim(write.get(), isl_dim_in);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isl_map_involves_dims(write.get(), isl_dim_in, dim, 1) ==
            isl_bool_true ||
        !isUpdate(statement))
      dims.push_back(dim);
  return dims;
}

namespace {
class Clustering {
public:
  Clustering(const isl::Ctx &ctx, ScopOp scop) : ctx(ctx), scop(scop) {}

  FailureOr<SmallVector<Cluster>> run();

private:
  /// What a statement reads from another one.
  struct Edge {
    unsigned from, to;
    isl::Map map;
  };
  /// For each common loop of a cluster the dimension of the statement that it
  /// would be; nothing where there is none.
  using Match = SmallVector<std::optional<unsigned>>;

  LogicalResult findEdges();
  Match match(unsigned cluster, unsigned statement) const;
  bool isJoinable(unsigned cluster, unsigned statement) const;
  /// Puts the statement into a new cluster together with others; false if
  /// they would share no loop.
  bool join(unsigned statement, ArrayRef<unsigned> others);
  /// The members of a cluster without which other clusters cannot read its
  /// temporaries.
  SmallVector<bool> findNeeded(unsigned cluster) const;
  /// Tiles compute the temporaries that they read, which they cannot if their
  /// cluster is live-out: what computes these becomes a cluster of its own.
  void splitLiveOut(unsigned cluster);
  /// The clusters in order; nothing if they depend on each other in a circle.
  std::optional<SmallVector<unsigned>> sort() const;
  unsigned indexOf(StatementOp statement) const {
    return llvm::find(statements, statement) - statements.begin();
  }

  const isl::Ctx &ctx;
  ScopOp scop;
  SmallVector<StatementOp> statements;
  SmallVector<int64_t> counts;
  SmallVector<bool> areInitialisations, areContractions;
  std::vector<Edge> edges;
  /// By number; those that have been merged into others are empty.
  SmallVector<Cluster> clusters;
  /// The cluster of a statement.
  SmallVector<unsigned> homes;
};
} // namespace

LogicalResult Clustering::findEdges() {
  isl::UnionMap dependences = getDependences(ctx, scop);
  if (failed(isl::forEachMap(dependences, [&](isl::Map map) {
        StatementOp from = findStatement(scop, isl::tupleName(map, isl_dim_in));
        StatementOp to = findStatement(scop, isl::tupleName(map, isl_dim_out));
        if (!from || !to)
          return failure();
        edges.push_back({indexOf(from), indexOf(to), std::move(map)});
        return success();
      })))
    return scop.emitOpError()
           << "dependences cannot be computed: " << ctx.lastError();
  // isl visits maps in the order of a hash table.
  llvm::sort(edges, [](const Edge &a, const Edge &b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  for (const Edge &edge : edges)
    if (edge.from > edge.to)
      return scop.emitOpError()
             << "statement @" << statements[edge.to].getSymName()
             << " reads what @" << statements[edge.from].getSymName()
             << " writes later";
  return success();
}

Clustering::Match Clustering::match(unsigned cluster,
                                    unsigned statement) const {
  SmallVector<unsigned> parallel = getParallelDims(ctx, statements[statement]);
  Match result(clusters[cluster].getRank());
  bool isFirst = true;
  for (const Edge &edge : edges) {
    if (edge.to != statement || homes[edge.from] != cluster)
      continue;
    const auto *member =
        llvm::find_if(clusters[cluster].members, [&](const ClusterMember &m) {
          return m.statement == statements[edge.from];
        });
    for (auto [q, dim] : llvm::enumerate(member->dims)) {
      std::optional<unsigned> found;
      for (unsigned own : parallel) {
        isl::Map equal(
            isl_map_equate(edge.map.copy(), isl_dim_in, dim, isl_dim_out, own));
        if (isl_map_is_equal(equal.get(), edge.map.get()) == isl_bool_true) {
          found = own;
          break;
        }
      }
      if (isFirst)
        result[q] = found;
      else if (result[q] != found)
        result[q] = std::nullopt;
    }
    isFirst = false;
  }
  return result;
}

bool Clustering::isJoinable(unsigned cluster, unsigned statement) const {
  bool areAllInitialisations = true;
  int64_t most = 0;
  for (const ClusterMember &member : clusters[cluster].members) {
    unsigned index = indexOf(member.statement);
    areAllInitialisations &= areInitialisations[index];
    most = std::max(most, counts[index]);
  }
  return areAllInitialisations ||
         (!areContractions[statement] && most >= counts[statement]);
}

bool Clustering::join(unsigned statement, ArrayRef<unsigned> others) {
  // Two contractions have tiles of their own; poly-fuse brings them together.
  int contractions = 0;
  for (unsigned other : others)
    for (const ClusterMember &member : clusters[other].members)
      contractions += areContractions[indexOf(member.statement)];
  if (contractions > 1)
    return false;
  SmallVector<Match> matches;
  for (unsigned other : others)
    matches.push_back(match(other, statement));
  // Common loops are those that every cluster has, in the order of the first.
  SmallVector<unsigned> dims;
  for (std::optional<unsigned> dim : matches.front())
    if (dim && !llvm::is_contained(dims, *dim) &&
        llvm::all_of(matches, [&](const Match &match) {
          return llvm::is_contained(match, dim);
        }))
      dims.push_back(*dim);
  if (dims.empty() && !getParallelDims(ctx, statements[statement]).empty())
    return false;
  Cluster merged;
  for (auto [other, match] : llvm::zip(others, matches))
    for (const ClusterMember &member : clusters[other].members) {
      ClusterMember kept{member.statement, {}};
      for (unsigned dim : dims)
        kept.dims.push_back(
            member.dims[llvm::find(match, std::optional(dim)) - match.begin()]);
      merged.members.push_back(std::move(kept));
    }
  merged.members.push_back({statements[statement], dims});
  llvm::sort(merged.members,
             [&](const ClusterMember &a, const ClusterMember &b) {
               return indexOf(a.statement) < indexOf(b.statement);
             });
  SmallVector<unsigned> before = homes;
  for (const ClusterMember &member : merged.members)
    homes[indexOf(member.statement)] = clusters.size();
  clusters.push_back(std::move(merged));
  if (sort()) {
    for (unsigned other : others)
      clusters[other].members.clear();
    return true;
  }
  clusters.pop_back();
  homes = before;
  return false;
}

SmallVector<bool> Clustering::findNeeded(unsigned cluster) const {
  const Cluster &own = clusters[cluster];
  // Statements are in order, so that readers come before what they read.
  llvm::DenseSet<unsigned> needed;
  SmallVector<bool> result(own.members.size(), false);
  for (size_t i = own.members.size(); i-- > 0;) {
    StatementOp statement = own.members[i].statement;
    if (!findArray(scop, statement.getWrittenArray()).isTemporary())
      continue;
    unsigned index = indexOf(statement);
    result[i] = llvm::any_of(edges, [&](const Edge &edge) {
      return edge.from == index &&
             (homes[edge.to] != cluster || needed.contains(edge.to));
    });
    if (result[i])
      needed.insert(index);
  }
  return result;
}

void Clustering::splitLiveOut(unsigned cluster) {
  if (!isLiveOut(scop, llvm::map_to_vector(clusters[cluster].members,
                                           [](const ClusterMember &member) {
                                             return member.statement;
                                           })))
    return;
  SmallVector<bool> isNeeded = findNeeded(cluster);
  if (!llvm::is_contained(isNeeded, true))
    return;
  Cluster needed, rest;
  for (auto [member, moves] :
       llvm::zip_equal(clusters[cluster].members, isNeeded))
    (moves ? needed : rest).members.push_back(member);
  SmallVector<unsigned> before = homes;
  for (const ClusterMember &member : needed.members)
    homes[indexOf(member.statement)] = clusters.size();
  if (!sort()) {
    homes = before;
    return;
  }
  clusters[cluster] = std::move(rest);
  clusters.push_back(std::move(needed));
}

std::optional<SmallVector<unsigned>> Clustering::sort() const {
  llvm::SetVector<unsigned> pending(homes.begin(), homes.end());
  SmallVector<unsigned> order;
  while (!pending.empty()) {
    // The first one that waits for none of the others.
    const auto *next = llvm::find_if(pending, [&](unsigned cluster) {
      return llvm::none_of(edges, [&](const Edge &edge) {
        return edge.to < homes.size() && edge.from < homes.size() &&
               homes[edge.to] == cluster && homes[edge.from] != cluster &&
               pending.contains(homes[edge.from]);
      });
    });
    if (next == pending.end())
      return std::nullopt;
    order.push_back(*next);
    pending.erase(pending.begin() + (next - pending.begin()));
  }
  return order;
}

FailureOr<SmallVector<Cluster>> Clustering::run() {
  llvm::append_range(statements, scop.getOps<StatementOp>());
  for (StatementOp statement : statements) {
    counts.push_back(countInstances(ctx, statement));
    areInitialisations.push_back(statement.getReadArrays().empty());
    areContractions.push_back(isContraction(statement));
  }
  if (failed(findEdges()))
    return failure();
  for (unsigned i = 0, e = statements.size(); i < e; ++i) {
    homes.push_back(clusters.size());
    llvm::SetVector<unsigned> producers;
    for (const Edge &edge : edges)
      if (edge.to == i && isJoinable(homes[edge.from], i))
        producers.insert(homes[edge.from]);
    Cluster own;
    own.members.push_back({statements[i], getParallelDims(ctx, statements[i])});
    clusters.push_back(std::move(own));
    unsigned alone = homes.back();
    bool joined = !producers.empty() && join(i, producers.getArrayRef());
    // If not all of them, then as many as possible, the last one first: it is
    // the closest.
    for (unsigned j = producers.size(); j-- > 0 && !joined;)
      joined = join(i, producers.getArrayRef().slice(j, 1));
    if (joined)
      clusters[alone].members.clear();
  }
  // What has been split off is not live-out, and may need temporaries of
  // clusters before it.
  for (size_t i = clusters.size(); i-- > 0;)
    splitLiveOut(i);
  std::optional<SmallVector<unsigned>> order = sort();
  if (!order)
    return scop.emitOpError("statements depend on each other in a circle");
  SmallVector<Cluster> sorted;
  for (unsigned cluster : *order)
    sorted.push_back(std::move(clusters[cluster]));
  return sorted;
}

FailureOr<SmallVector<Cluster>> gc::poly::findClusters(const isl::Ctx &ctx,
                                                       ScopOp scop) {
  return Clustering(ctx, scop).run();
}
