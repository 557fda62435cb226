// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileTree.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

std::optional<unsigned> Linear::getOnlyLoop() const {
  std::optional<unsigned> result;
  for (auto [loop, factor] : llvm::enumerate(factors)) {
    if (factor == 0)
      continue;
    if (result)
      return std::nullopt;
    result = loop;
  }
  return constant == 0 ? result : std::nullopt;
}

bool Linear::operator==(const Linear &other) const {
  if (constant != other.constant)
    return false;
  for (unsigned i = 0, e = std::max(factors.size(), other.factors.size());
       i < e; ++i)
    if (getFactor(i) != other.getFactor(i))
      return false;
  return true;
}

unsigned Box::getDepth() const {
  unsigned depth = 0;
  for (const Linear &offset : offsets)
    for (auto [loop, factor] : llvm::enumerate(offset.factors))
      if (factor != 0)
        depth = std::max<unsigned>(depth, loop + 1);
  return depth;
}

std::optional<int64_t> gc::poly::getLargest(const isl::Set &set, unsigned dim) {
  return isl::toInt(isl::Val(isl_set_dim_max_val(set.copy(), dim)));
}

/// The function of the input dimensions; none if isl needs divisions for it.
static std::optional<Linear> toLinear(const isl::Aff &aff) {
  if (!aff || isl_aff_dim(aff.get(), isl_dim_div) != 0)
    return std::nullopt;
  auto constant = isl::toInt(isl::Val(isl_aff_get_constant_val(aff.get())));
  if (!constant)
    return std::nullopt;
  Linear result;
  result.constant = *constant;
  for (int dim = 0, e = isl_aff_dim(aff.get(), isl_dim_in); dim < e; ++dim) {
    auto factor = isl::toInt(
        isl::Val(isl_aff_get_coefficient_val(aff.get(), isl_dim_in, dim)));
    if (!factor)
      return std::nullopt;
    result.factors.push_back(*factor);
  }
  return result;
}

FailureOr<Box>
gc::poly::getBox(const isl::Ctx &ctx, const isl::Map &map,
                 llvm::function_ref<InFlightDiagnostic()> emitError,
                 StringRef what) {
  isl::FixedBox hull(isl_map_get_range_simple_fixed_box_hull(map.get()));
  if (failed(ctx.check(bool(hull), what, emitError)))
    return failure();
  if (isl_fixed_box_is_valid(hull.get()) != isl_bool_true)
    return emitError() << what
                       << " has no box of constant size: " << isl::str(map);
  isl::MultiAff offset(isl_fixed_box_get_offset(hull.get()));
  isl::MultiVal size(isl_fixed_box_get_size(hull.get()));
  Box box;
  for (int dim = 0, e = isl_multi_aff_size(offset.get()); dim < e; ++dim) {
    auto expr = toLinear(isl::Aff(isl_multi_aff_get_at(offset.get(), dim)));
    auto extent = isl::toInt(isl::Val(isl_multi_val_get_at(size.get(), dim)));
    if (!expr || !extent)
      return emitError() << what << " has a box that is not affine in the "
                         << "tile's indices: " << isl::str(map);
    box.offsets.push_back(*expr);
    box.sizes.push_back(*extent);
  }
  return box;
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

bool TileNode::hasMark(StringRef mark) const {
  for (const TileNode *node = this; node; node = node->parent)
    if (llvm::is_contained(node->marks, mark))
      return true;
  return false;
}

void TileNode::getLeaves(SmallVectorImpl<TileNode *> &leaves) {
  if (kind == leaf)
    leaves.push_back(this);
  for (auto &child : children)
    child->getLeaves(leaves);
}

namespace {

class TreeReader {
public:
  TreeReader(const isl::Ctx &ctx, ScopOp scop) : ctx(ctx), scop(scop) {}

  /// The nodes for what is below and including `node`; the instances that reach
  /// it have the places `prefix` in the tile loops around them.
  FailureOr<std::unique_ptr<TileNode>>
  read(const isl::Node &node, isl::UnionMap prefix, unsigned depth);

private:
  using Result = FailureOr<std::unique_ptr<TileNode>>;

  Result readBand(const isl::Node &node, isl::UnionMap prefix, unsigned depth);
  Result readSequence(const isl::Node &node, isl::UnionMap prefix,
                      unsigned depth);
  Result readLeaves(isl::UnionMap prefix, unsigned depth);
  Result readChild(const isl::Node &node, isl::UnionMap prefix,
                   unsigned depth) {
    return read(isl::Node(isl_schedule_node_get_child(node.get(), 0)),
                std::move(prefix), depth);
  }
  InFlightDiagnostic emitError() { return scop.emitOpError(); }

  const isl::Ctx &ctx;
  ScopOp scop;
  /// The mark above the next band: it is a loop over tiles.
  std::optional<std::string> level;
  bool isBelowUB = false;
};

} // namespace

static std::unique_ptr<TileNode> makeNode(TileNode::Kind kind, unsigned depth) {
  auto node = std::make_unique<TileNode>();
  node->kind = kind;
  node->depth = depth;
  return node;
}

static void addChild(TileNode &parent, std::unique_ptr<TileNode> child) {
  child->parent = &parent;
  parent.children.push_back(std::move(child));
}

TreeReader::Result TreeReader::readBand(const isl::Node &node,
                                        isl::UnionMap prefix, unsigned depth) {
  // Points of a tile have no order here: tile ops do them all at once. Nor have
  // parts of what the vector unit does in a tile: tile ops divide it.
  if (!level || isBelowUB) {
    level.reset();
    return readChild(node, std::move(prefix), depth);
  }
  std::string own = *std::exchange(level, std::nullopt);
  isl::UnionMap partial(
      isl_schedule_node_band_get_partial_schedule_union_map(node.get()));
  int members = isl_schedule_node_band_n_member(node.get());
  prefix = isl::UnionMap(
      isl_union_map_flat_range_product(prefix.take(), partial.take()));
  Result inner = readChild(node, std::move(prefix), depth + members);
  for (int member = members - 1; succeeded(inner) && member >= 0; --member) {
    auto loop = makeNode(TileNode::loop, depth + member);
    loop->level = own;
    addChild(*loop, std::move(*inner));
    inner = std::move(loop);
  }
  return inner;
}

TreeReader::Result TreeReader::readSequence(const isl::Node &node,
                                            isl::UnionMap prefix,
                                            unsigned depth) {
  auto result = makeNode(TileNode::sequence, depth);
  for (int i = 0, e = isl_schedule_node_n_children(node.get()); i < e; ++i) {
    Result child = read(isl::Node(isl_schedule_node_get_child(node.get(), i)),
                        prefix.clone(), depth);
    if (failed(child))
      return failure();
    if (*child)
      addChild(*result, std::move(*child));
  }
  if (result->children.empty())
    return std::unique_ptr<TileNode>();
  return result;
}

TreeReader::Result TreeReader::readLeaves(isl::UnionMap prefix,
                                          unsigned depth) {
  std::vector<std::unique_ptr<TileNode>> leaves;
  for (auto statement : scop.getBody().getOps<StatementOp>()) {
    isl::Set domain = getDomain(ctx, statement);
    isl::UnionMap own(isl_union_map_intersect_domain(
        prefix.copy(), isl_union_set_from_set(domain.take())));
    if (failed(ctx.check(bool(own), "its schedule is not readable",
                         [&] { return emitError(); })))
      return failure();
    if (isl_union_map_is_empty(own.get()) == isl_bool_true)
      continue;
    auto leaf = makeNode(TileNode::leaf, depth);
    leaf->statement = statement;
    leaf->instances =
        isl::Map(isl_map_reverse(isl_map_from_union_map(own.take())));
    if (failed(ctx.check(bool(leaf->instances), "its schedule is not readable",
                         [&] { return emitError(); })))
      return failure();
    leaves.push_back(std::move(leaf));
  }
  if (leaves.empty())
    return std::unique_ptr<TileNode>();
  if (leaves.size() == 1)
    return std::move(leaves.front());
  auto result = makeNode(TileNode::sequence, depth);
  for (auto &leaf : leaves)
    addChild(*result, std::move(leaf));
  return result;
}

TreeReader::Result TreeReader::read(const isl::Node &node, isl::UnionMap prefix,
                                    unsigned depth) {
  if (failed(ctx.check(node && prefix, "its schedule is not readable",
                       [&] { return emitError(); })))
    return failure();
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_band:
    return readBand(node, std::move(prefix), depth);
  case isl_schedule_node_domain:
  case isl_schedule_node_context:
  case isl_schedule_node_guard:
    return readChild(node, std::move(prefix), depth);
  case isl_schedule_node_filter: {
    isl::UnionSet filter(isl_schedule_node_filter_get_filter(node.get()));
    return readChild(node,
                     isl::UnionMap(isl_union_map_intersect_domain(
                         prefix.take(), filter.take())),
                     depth);
  }
  case isl_schedule_node_extension: {
    // By the bands around it, which must all be loops over tiles.
    isl::UnionMap extension(
        isl_schedule_node_extension_get_extension(node.get()));
    return readChild(
        node,
        isl::UnionMap(isl_union_map_union(
            prefix.take(), isl_union_map_reverse(extension.take()))),
        depth);
  }
  case isl_schedule_node_mark: {
    std::string mark =
        isl::nameOf(isl::Id(isl_schedule_node_mark_get_id(node.get())));
    StringRef text = mark;
    if (text == "skipped")
      return std::unique_ptr<TileNode>();
    if (text.consume_front("tile:")) {
      level = text.str();
      return readChild(node, std::move(prefix), depth);
    }
    llvm::SaveAndRestore below(isBelowUB, isBelowUB || text == "local_UB");
    Result child = readChild(node, std::move(prefix), depth);
    if (succeeded(child) && *child)
      (*child)->marks.insert((*child)->marks.begin(), mark);
    return child;
  }
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return readSequence(node, std::move(prefix), depth);
  case isl_schedule_node_leaf:
    level.reset();
    return readLeaves(std::move(prefix), depth);
  case isl_schedule_node_expansion:
  case isl_schedule_node_error:
    break;
  }
  return emitError() << "has a schedule tree with a node of a kind that is not "
                        "supported here: "
                     << isl::str(node);
}

FailureOr<std::unique_ptr<TileNode>> gc::poly::readTileTree(const isl::Ctx &ctx,
                                                            ScopOp scop) {
  isl::Schedule schedule = getSchedule(ctx, scop);
  isl::UnionSet domain(isl_schedule_get_domain(schedule.get()));
  isl::UnionSet origin = ctx.parseUnionSet("{ [] }");
  isl::UnionMap prefix(
      isl_union_map_from_domain_and_range(domain.take(), origin.take()));
  isl::Node root(isl_schedule_get_root(schedule.get()));
  auto result = TreeReader(ctx, scop).read(root, std::move(prefix), 0);
  if (succeeded(result) && !*result)
    return scop.emitOpError("has no statement that is executed");
  return result;
}
