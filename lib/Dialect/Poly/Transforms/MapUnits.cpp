// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fork: contractions with their initialisation to the cube unit, all other
// statements to the vector unit, each with loops of its own.

#include "Clusters.h"
#include "ColumnSums.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/Passes.h"
#include "KernelHierarchy.h"
#include "Policy.h"
#include "Tree.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace gc::poly {
#define GEN_PASS_DEF_POLYMAPUNITS
#include "Dialect/Poly/Transforms/Passes.h.inc"
} // namespace gc::poly

namespace {
/// Statements that follow each other on one unit.
struct Unit {
  bool isCube;
  SmallVector<StatementOp> statements;
};

class UnitMapper {
public:
  UnitMapper(const isl::Ctx &ctx, ScopOp scop, const Policy &policy)
      : ctx(ctx), scop(scop), policy(policy) {}

  LogicalResult run();

private:
  SmallVector<StatementOp> getStatementsBelow(const isl::Node &node) const;
  LogicalResult chooseSums();
  bool isOnCube(StatementOp statement) const;
  LogicalResult checkGivenUnits();
  SmallVector<Unit> fork(ArrayRef<StatementOp> statements) const;
  void recordLoops(const isl::Node &points);
  isl::Node build(isl::Node leaf, ArrayRef<Unit> units);
  isl::Node buildUnit(isl::Node leaf, const Unit &unit);
  isl::Node buildParts(isl::Node leaf, const Unit &unit);
  isl::Node buildStatement(isl::Node leaf, StatementOp statement);
  isl::Node mapExtension(isl::Node sequence);
  isl::Node mapPoints(isl::Node points);

  /// A band or a mark of the old tree.
  struct Loops {
    isl::MultiUnionPwAff partial;
    std::string mark;
  };

  const isl::Ctx &ctx;
  ScopOp scop;
  const Policy &policy;
  bool areSumsProducts = false;
  /// Whether the tile is for L1, with parts of it in UB.
  bool hasCubeTile = false;
  /// The loops over points of all statements, which are distributed.
  isl::MultiUnionPwAff common;
  /// For each contraction the loops over slices of its terms.
  llvm::StringMap<SmallVector<Loops>> slices;
};
} // namespace

/// The filter around a leaf; nothing if there is none.
static isl::UnionSet getFilterAround(isl::Node node) {
  while (node && isl_schedule_node_has_parent(node.get()) == isl_bool_true) {
    node.reset(isl_schedule_node_parent(node.take()));
    if (isl_schedule_node_get_type(node.get()) == isl_schedule_node_filter)
      return isl::UnionSet(isl_schedule_node_filter_get_filter(node.get()));
  }
  return isl::UnionSet();
}

/// isl does not say which instances get to nodes below extensions; filters do,
/// and where there is none, the domain of the nearest band.
SmallVector<StatementOp>
UnitMapper::getStatementsBelow(const isl::Node &node) const {
  isl::UnionSet found = ctx.parseUnionSet("{ }");
  if (isl_schedule_node_get_type(node.get()) == isl_schedule_node_leaf)
    if (isl::UnionSet filter = getFilterAround(isl::Node(node.copy())))
      found = std::move(filter);
  (void)isl::walkTopDown(node, [&](const isl::Node &child) -> FailureOr<bool> {
    switch (isl_schedule_node_get_type(child.get())) {
    case isl_schedule_node_filter:
      found.reset(isl_union_set_union(
          found.take(), isl_schedule_node_filter_get_filter(child.get())));
      return false;
    case isl_schedule_node_band: {
      isl::UnionMap map(
          isl_schedule_node_band_get_partial_schedule_union_map(child.get()));
      found.reset(
          isl_union_set_union(found.take(), isl_union_map_domain(map.take())));
      return false;
    }
    default:
      return true;
    }
  });
  return getStatements(scop, found);
}

/// Column sums go to the unit that takes fewer cycles.
LogicalResult UnitMapper::chooseSums() {
  std::optional<ColumnSums> sums = findColumnSums(ctx, scop);
  if (!sums)
    return success();
  FailureOr<npu::Machine> machine = npu::getMachine(scop);
  if (failed(machine))
    return failure();
  StatementOp update = sums->sums.front().update;
  // Products need all rows of a block of columns in a tile.
  const StatementPolicy *own = policy.find(update);
  bool hasTiles = own && own->ub.size() == sums->extents.size();
  for (auto [dim, isReduced] : llvm::enumerate(sums->isReduced)) {
    if (!hasTiles)
      break;
    int64_t needed = isReduced ? sums->extents[dim] : 1;
    if (dim + 1 == sums->extents.size())
      needed = sums->getSlices(*machine).columns;
    hasTiles = own->ub[dim] == needed;
  }
  areSumsProducts = hasTiles && prefersCube(scop, *sums, *machine);
  auto options =
      remark::RemarkOpts::name("ColumnSums").category("poly-map-units");
  ArrayOp input = sums->input;
  auto count = [](double cycles) { return std::to_string(int64_t(cycles)); };
  std::string cube = count(sums->getCubeCycles(*machine)),
              vector = count(sums->getVectorCycles(*machine));
  if (areSumsProducts)
    remark::passed(update.getLoc(), options)
        << remark::add("sums of the columns of @{0} are products of the cube "
                       "unit",
                       input.getSymName())
        << remark::reason("{0} cycles instead of {1} of the vector unit", cube,
                          vector);
  else
    remark::missed(update.getLoc(), options)
        << remark::add("sums of the columns of @{0} stay on the vector unit",
                       input.getSymName())
        << (hasTiles
                ? remark::reason("{0} cycles instead of {1} of the cube unit",
                                 vector, cube)
                : remark::reason("tiles do not have all rows of a block of "
                                 "columns"));
  return success();
}

bool UnitMapper::isOnCube(StatementOp statement) const {
  if (areSumsProducts || isContraction(statement))
    return true;
  // An initialisation goes where its sum is computed.
  return statement.getReadArrays().empty() &&
         llvm::any_of(
             ScopOp(scop).getOps<StatementOp>(), [&](StatementOp other) {
               return isContraction(other) &&
                      other.getWrittenArray() == statement.getWrittenArray();
             });
}

/// Units that the memory hierarchy gives to statements are those that these
/// have. Sums of rows in a nest of two products are one of them, too.
LogicalResult UnitMapper::checkGivenUnits() {
  bool isChain = llvm::count_if(scop.getOps<StatementOp>(), isContraction) > 1;
  for (auto statement : scop.getOps<StatementOp>()) {
    std::optional<HierarchyItem> unit =
        getGivenUnit(scop, statement.getSymName());
    if (!unit || (unit->kind == HierarchyKind::cube) == isOnCube(statement) ||
        (isChain && isUpdate(statement)))
      continue;
    InFlightDiagnostic error = refuse(scop, *unit);
    if (unit->kind == HierarchyKind::cube)
      return error << "the cube unit takes contractions with the zeros that "
                      "they begin with, and sums of columns of f16 in tiles "
                      "of all rows";
    return error << "contractions and what belongs to them run on the cube "
                    "unit";
  }
  return success();
}

SmallVector<Unit> UnitMapper::fork(ArrayRef<StatementOp> statements) const {
  if (areSumsProducts)
    return {{true, SmallVector<StatementOp>(statements)}};
  SmallVector<Unit> units;
  for (StatementOp statement : statements) {
    bool isCube = isOnCube(statement);
    if (units.empty() || units.back().isCube != isCube)
      units.push_back({isCube, {}});
    units.back().statements.push_back(statement);
  }
  return units;
}

/// Remembers the loops below the band of tiles, which are taken apart.
void UnitMapper::recordLoops(const isl::Node &points) {
  (void)isl::walkTopDown(points, [&](const isl::Node &node) -> FailureOr<bool> {
    if (!StringRef(getMark(node)).starts_with("tile:"))
      return true;
    isl::Node band(isl_schedule_node_get_child(node.get(), 0));
    SmallVector<StatementOp> own = getStatementsBelow(band);
    if (own.size() != 1)
      return true;
    slices[own[0].getSymName()].push_back(
        {isl::MultiUnionPwAff(
             isl_schedule_node_band_get_partial_schedule(band.get())),
         getMark(node)});
    return true;
  });
}

/// All loops of a statement over the points of a tile.
isl::Node UnitMapper::buildStatement(isl::Node leaf, StatementOp statement) {
  SmallVector<unsigned> dims(
      isl_set_dim(getDomain(ctx, statement).get(), isl_dim_set));
  std::iota(dims.begin(), dims.end(), 0);
  isl::Node node(isl_schedule_node_insert_partial_schedule(
      leaf.take(), getBandOf(ctx, statement, dims).take()));
  node.reset(isl_schedule_node_band_set_permutable(node.take(), 1));
  SmallVector<unsigned> parallel = getParallelDims(ctx, statement);
  for (unsigned dim : dims)
    node.reset(isl_schedule_node_band_member_set_coincident(
        node.take(), dim, llvm::is_contained(parallel, dim)));
  for (Loops &loops : llvm::reverse(slices[statement.getSymName()])) {
    node.reset(isl_schedule_node_insert_partial_schedule(node.take(),
                                                         loops.partial.copy()));
    node.reset(isl_schedule_node_band_set_permutable(node.take(), 1));
    node = insertMark(ctx, std::move(node), loops.mark);
  }
  return node;
}

static isl_union_set_list *
makeFilters(const isl::Ctx &ctx, ArrayRef<SmallVector<StatementOp>> groups) {
  isl_union_set_list *filters =
      isl_union_set_list_alloc(ctx.get(), groups.size());
  for (ArrayRef<StatementOp> group : groups)
    filters = isl_union_set_list_add(filters, getFilter(ctx, group).take());
  return filters;
}

static isl::Node getAncestorAt(isl::Node node, int depth) {
  int own = isl_schedule_node_get_tree_depth(node.get());
  return isl::Node(isl_schedule_node_ancestor(node.take(), own - depth));
}

/// Loops over parts of the tile, if the policy has sizes for them: what the
/// cube unit computed does not fit UB as a whole.
isl::Node UnitMapper::buildParts(isl::Node leaf, const Unit &unit) {
  const StatementPolicy *own = nullptr;
  for (StatementOp statement : unit.statements)
    if (!own)
      own = policy.find(statement);
  if (!hasCubeTile || !own || own->ub.empty() || unit.isCube || !common)
    return leaf;
  isl::Node node(isl_schedule_node_insert_partial_schedule(
      leaf.take(), isl_multi_union_pw_aff_intersect_domain(
                       common.copy(), getFilter(ctx, unit.statements).take())));
  node.reset(isl_schedule_node_band_set_permutable(node.take(), 1));
  SmallVector<int64_t> sizes;
  for (auto [loop, dim] : llvm::enumerate(getBandDims(node, own->statement))) {
    node.reset(
        isl_schedule_node_band_member_set_coincident(node.take(), loop, 1));
    int64_t extent = dim ? getExtent(ctx, own->statement, *dim) : 1;
    sizes.push_back(dim && *dim < own->ub.size()
                        ? std::min(own->ub[*dim], extent)
                        : extent);
  }
  node = tileBand(ctx, std::move(node), sizes);
  node = insertMark(ctx, std::move(node), "tile:UB");
  node.reset(isl_schedule_node_grandchild(node.take(), 0, 0));
  return isl::Node(isl_schedule_node_delete(node.take()));
}

/// A mark and the statements of a unit below it. Returns the mark.
isl::Node UnitMapper::buildUnit(isl::Node leaf, const Unit &unit) {
  int depth = isl_schedule_node_get_tree_depth(leaf.get());
  isl::Node node =
      insertMark(ctx, std::move(leaf), unit.isCube ? "cube" : "local_UB");
  node.reset(isl_schedule_node_child(node.take(), 0));
  node = buildParts(std::move(node), unit);
  if (unit.statements.size() == 1) {
    node = buildStatement(std::move(node), unit.statements[0]);
  } else {
    SmallVector<SmallVector<StatementOp>> groups;
    for (StatementOp statement : unit.statements)
      groups.push_back({statement});
    node.reset(isl_schedule_node_insert_sequence(node.take(),
                                                 makeFilters(ctx, groups)));
    for (auto [i, statement] : llvm::enumerate(unit.statements)) {
      node.reset(isl_schedule_node_grandchild(node.take(), i, 0));
      node = buildStatement(std::move(node), statement);
      node.reset(isl_schedule_node_grandparent(node.take()));
    }
  }
  return getAncestorAt(std::move(node), depth);
}

isl::Node UnitMapper::build(isl::Node leaf, ArrayRef<Unit> units) {
  if (units.size() == 1)
    return buildUnit(std::move(leaf), units[0]);
  SmallVector<SmallVector<StatementOp>> groups;
  for (const Unit &unit : units)
    groups.push_back(unit.statements);
  isl::Node node(
      isl_schedule_node_insert_sequence(leaf.take(), makeFilters(ctx, groups)));
  for (auto [i, unit] : llvm::enumerate(units)) {
    node.reset(isl_schedule_node_grandchild(node.take(), i, 0));
    node = buildUnit(std::move(node), unit);
    node.reset(isl_schedule_node_grandparent(node.take()));
  }
  return node;
}

/// The points of a tile: takes them apart and builds them anew.
isl::Node UnitMapper::mapPoints(isl::Node points) {
  SmallVector<StatementOp> statements = getStatementsBelow(points);
  common.reset(isl_schedule_node_get_type(points.get()) ==
                       isl_schedule_node_band
                   ? isl_schedule_node_band_get_partial_schedule(points.get())
                   : nullptr);
  slices.clear();
  recordLoops(points);
  isl::Node leaf(isl_schedule_node_cut(points.take()));
  return build(std::move(leaf), fork(statements));
}

/// Fused producers come first; the last filters are the tile's own statements.
isl::Node UnitMapper::mapExtension(isl::Node sequence) {
  int count = isl_schedule_node_n_children(sequence.get());
  // From the last to the first: sequences in sequences flatten.
  for (int i = count; i-- > 0;) {
    int depth = isl_schedule_node_get_tree_depth(sequence.get());
    sequence.reset(isl_schedule_node_grandchild(sequence.take(), i, 0));
    sequence = mapPoints(std::move(sequence));
    sequence = getAncestorAt(std::move(sequence), depth);
  }
  return sequence;
}

LogicalResult UnitMapper::run() {
  if (failed(chooseSums()) || failed(checkGivenUnits()))
    return failure();
  isl::Schedule schedule = getSchedule(ctx, scop);
  isl::Node root(isl_schedule_get_root(schedule.get()));
  isl::Node first(isl_schedule_node_get_child(root.get(), 0));
  if (isl_schedule_node_get_type(first.get()) == isl_schedule_node_leaf)
    return scop.emitOpError("has no loop over tiles; kernels of a single "
                            "element are not supported");
  for (int number : getParts(schedule)) {
    isl::Node node = getPart(schedule, number);
    std::string mark = getMark(node);
    hasCubeTile = mark == "tile:L1";
    if (StringRef(mark).starts_with("tile:"))
      node.reset(isl_schedule_node_grandchild(node.take(), 0, 0));
    if (isl_schedule_node_get_type(node.get()) == isl_schedule_node_extension) {
      node.reset(isl_schedule_node_child(node.take(), 0));
      node = mapExtension(std::move(node));
    } else {
      node = mapPoints(std::move(node));
    }
    schedule.reset(isl_schedule_node_get_schedule(node.get()));
  }
  return setSchedule(ctx, scop, schedule, "units cannot be assigned");
}

namespace {
struct PolyMapUnitsPass : gc::poly::impl::PolyMapUnitsBase<PolyMapUnitsPass> {
  void runOnOperation() override {
    isl::Ctx ctx;
    FailureOr<Policy> policy = getPolicy(getOperation());
    if (failed(policy) || failed(prepareHierarchy(getOperation())) ||
        failed(UnitMapper(ctx, getOperation(), *policy).run()))
      signalPassFailure();
  }
};
} // namespace
