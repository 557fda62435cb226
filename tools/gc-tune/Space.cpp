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

void Space::addSizes(poly::ScopOp scop, size_t number, poly::Level level) {
  const poly::TileSizeList &list = base.tiles[number];
  poly::StatementOp statement = poly::findStatement(scop, list.statement);
  if (!statement)
    return;
  isl::Ctx ctx;
  isl::Set domain = poly::getDomain(ctx, statement);
  const std::optional<poly::CubeSizes> &cube = cubes[number];
  for (auto [loop, own] : llvm::enumerate(list.get(level))) {
    bool isCut = (cube && loop == cube->term) || loop >= list.l0.size() ||
                 loop >= list.l1.size() || list.l0[loop] != list.l1[loop];
    if (level == poly::Level::l0 && !isCut)
      continue;
    if (cube && level != poly::Level::ub && own == 1 &&
        llvm::is_contained(cube->singles, unsigned(loop)))
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
  isl::Ctx ctx;
  for (const poly::TileSizeList &list : base.tiles) {
    poly::StatementOp statement = poly::findStatement(scop, list.statement);
    cubes.push_back(statement ? poly::CubeSizes::get(ctx, statement)
                              : std::nullopt);
  }
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

std::optional<size_t> Space::find(size_t list, poly::Level level, size_t loop,
                                  size_t count) const {
  for (size_t i = 0; i < std::min(sizes, count); ++i)
    if (dimensions[i].list == list && dimensions[i].level == level &&
        dimensions[i].loop == loop)
      return i;
  return std::nullopt;
}

bool Space::isPossible(llvm::ArrayRef<int64_t> point) const {
  for (size_t list = 0; list < cubes.size(); ++list) {
    const auto &cube = cubes[list];
    if (!cube)
      continue;
    auto get = [&](poly::Level level, size_t loop) -> std::optional<int64_t> {
      if (auto found = find(list, level, loop, point.size()))
        return point[*found];
      return std::nullopt;
    };
    std::optional<int64_t> slice = get(poly::Level::l1, cube->term),
                           step = get(poly::Level::l0, cube->term);
    if (slice && step && !cube->canDivide(*slice, *step))
      return false;
    if (!cube->image)
      continue;
    std::optional<int64_t> images = get(poly::Level::l1, *cube->image),
                           positions = get(poly::Level::l1, cube->position);
    if (images && positions && !cube->canHave(*images, *positions))
      return false;
  }
  return true;
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
