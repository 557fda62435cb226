// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Space.h"
#include "Dialect/Poly/IR/Scop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace gc;
using namespace gc::tune;

static void sortUnique(llvm::SmallVector<int64_t> &values) {
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
}

llvm::SmallVector<int64_t> tune::getGrid(int64_t extent) {
  llvm::SmallVector<int64_t> sizes{extent};
  for (int64_t size = 1; size < extent; size *= 2) {
    int64_t parts = llvm::divideCeil(extent, size);
    int64_t balanced = llvm::divideCeil(extent, parts);
    for (int64_t candidate :
         {size, balanced < 16 ? balanced : int64_t(llvm::alignTo(balanced, 16)),
          size >= 32 ? size + size / 2 : size})
      if (candidate <= extent)
        sizes.push_back(candidate);
  }
  sortUnique(sizes);
  return sizes;
}

/// Of the dimensions of a contraction's terms the last one, which tiles cut;
/// nothing for other statements.
static std::optional<unsigned> getTerm(const isl::Ctx &ctx,
                                       poly::StatementOp statement) {
  if (!poly::isContraction(statement))
    return std::nullopt;
  isl::Map write = poly::getWrite(ctx, statement);
  std::optional<unsigned> term;
  for (unsigned i = 0, e = isl_map_dim(write.get(), isl_dim_in); i < e; ++i)
    if (isl_map_involves_dims(write.get(), isl_dim_in, i, 1) == isl_bool_false)
      term = i;
  return term;
}

void Space::addSizes(poly::ScopOp scop, size_t number, poly::Level level) {
  const poly::TileSizeList &list = base.tiles[number];
  poly::StatementOp statement = poly::findStatement(scop, list.statement);
  if (!statement)
    return;
  isl::Ctx ctx;
  isl::Set domain = poly::getDomain(ctx, statement);
  std::optional<unsigned> term = getTerm(ctx, statement);
  for (auto [loop, own] : llvm::enumerate(list.get(level))) {
    bool isCut = loop == term || loop >= list.l0.size() ||
                 loop >= list.l1.size() || list.l0[loop] != list.l1[loop];
    if (level == poly::Level::l0 && !isCut)
      continue;
    auto last = isl::toInt(
        isl::Val(isl_set_dim_max_val(domain.copy(), unsigned(loop))));
    if (!last || *last == 0)
      continue;
    Dimension dimension;
    dimension.list = number;
    dimension.level = level;
    dimension.loop = loop;
    dimension.extent = *last + 1;
    dimension.isForL0 = level == poly::Level::l1 && !isCut;
    dimension.values = getGrid(*last + 1);
    // What the cube unit takes in fractals, unlike the loops around a product.
    if (level != poly::Level::ub && (own % 16 == 0 || own > *last))
      llvm::erase_if(dimension.values, [&](int64_t size) {
        return size % 16 != 0 && size <= *last;
      });
    dimension.values.push_back(std::min(own, *last + 1));
    sortUnique(dimension.values);
    dimensions.push_back(dimension);
  }
}

Space::Space(poly::ScopOp scop, const poly::KernelPlan &plan) : base(plan) {
  // Buffers follow from tile sizes.
  base.hierarchy = {};
  base.choices.clear();
  for (size_t number = 0; number < base.tiles.size(); ++number)
    for (poly::Level level : poly::kLevels)
      addSizes(scop, number, level);
  sizes = dimensions.size();
  addChoices(plan);
}

void Space::addChoices(const poly::KernelPlan &plan) {
  for (const poly::Choice &choice : plan.choices) {
    if (choice.alternatives.size() < 2)
      continue;
    auto found = llvm::find_if(dimensions, [&](const Dimension &dimension) {
      return dimension.choice == choice.name;
    });
    if (found == dimensions.end()) {
      Dimension dimension;
      dimension.choice = choice.name;
      dimension.values = {kOpen};
      found = dimensions.insert(found, dimension);
    }
    found->values.append(choice.alternatives);
    sortUnique(found->values);
  }
}

Point Space::getOrigin() const {
  Point point = getPoint(base);
  point.resize(sizes);
  return point;
}

poly::KernelPlan Space::getPlan(llvm::ArrayRef<int64_t> point) const {
  poly::KernelPlan plan = base;
  for (auto [dimension, value] : llvm::zip(dimensions, point)) {
    if (dimension.choice.empty()) {
      poly::TileSizeList &list = plan.tiles[dimension.list];
      list.get(dimension.level)[dimension.loop] = value;
      if (dimension.isForL0)
        list.l0[dimension.loop] = value;
    } else if (value != kOpen)
      plan.choices.push_back({dimension.choice, value, {}});
  }
  return plan;
}

Point Space::getPoint(const poly::KernelPlan &plan) const {
  Point point;
  for (const Dimension &dimension : dimensions) {
    if (dimension.choice.empty()) {
      int64_t size =
          plan.tiles[dimension.list].get(dimension.level)[dimension.loop];
      point.push_back(std::min(size, dimension.extent));
      continue;
    }
    const poly::Choice *choice = plan.find(dimension.choice);
    point.push_back(choice && choice->alternatives.size() > 1 ? choice->value
                                                              : kOpen);
  }
  return point;
}

double Space::getSize(bool hasChoices) const {
  double size = 1;
  for (const Dimension &dimension : dimensions)
    if (dimension.choice.empty())
      size *= double(dimension.values.size());
    else if (hasChoices)
      size *= double(dimension.values.size() - 1);
  return size;
}
