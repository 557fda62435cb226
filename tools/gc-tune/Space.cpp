// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Space.h"
#include "Dialect/Poly/IR/Scop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace gc;
using namespace gc::tune;

/// Sizes for a loop: all of it, balanced parts, and powers of two; multiples of
/// 16 from there on.
static llvm::SmallVector<int64_t> getSizes(int64_t extent, int64_t own) {
  llvm::SmallVector<int64_t> sizes{extent, own};
  for (int64_t size = 1; size < extent; size *= 2) {
    sizes.push_back(size);
    int64_t parts = llvm::divideCeil(extent, size);
    int64_t balanced = llvm::divideCeil(extent, parts);
    sizes.push_back(balanced < 16 ? balanced : llvm::alignTo(balanced, 16));
    if (size >= 32)
      sizes.push_back(size + size / 2);
  }
  llvm::erase_if(sizes, [&](int64_t size) { return size > extent; });
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

Space::Space(poly::ScopOp scop, const poly::KernelPlan &plan) : base(plan) {
  // Buffers follow from tile sizes.
  base.hierarchy = {};
  isl::Ctx ctx;
  for (auto [number, list] : llvm::enumerate(plan.tiles)) {
    poly::StatementOp statement = poly::findStatement(scop, list.statement);
    if (!statement)
      continue;
    isl::Set domain = poly::getDomain(ctx, statement);
    for (poly::Level level : poly::kLevels)
      for (auto [loop, own] : llvm::enumerate(list.get(level))) {
        // Only terms are cut again for L0.
        bool isCut = loop >= list.l0.size() || loop >= list.l1.size() ||
                     list.l0[loop] != list.l1[loop];
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
        dimension.isForL0 = level == poly::Level::l1 && !isCut;
        dimension.values = getSizes(*last + 1, own);
        dimensions.push_back(dimension);
      }
  }
  for (const poly::Choice &choice : plan.choices) {
    // How much is resident follows from what is.
    if (choice.alternatives.size() < 2 ||
        llvm::StringRef(choice.name).starts_with("resident"))
      continue;
    Dimension dimension;
    dimension.choice = choice.name;
    dimension.values = choice.alternatives;
    llvm::sort(dimension.values);
    dimensions.push_back(dimension);
  }
}

Point Space::getOrigin() const {
  Point point;
  for (const Dimension &dimension : dimensions) {
    int64_t value =
        dimension.choice.empty()
            ? base.tiles[dimension.list].get(dimension.level)[dimension.loop]
            : base.find(dimension.choice)->value;
    const int64_t *found = llvm::find(dimension.values, value);
    point.push_back(found == dimension.values.end()
                        ? dimension.values.size() - 1
                        : found - dimension.values.begin());
  }
  return point;
}

poly::KernelPlan Space::getPlan(const Point &point) const {
  poly::KernelPlan plan = base;
  plan.choices.clear();
  for (auto [dimension, index] : llvm::zip_equal(dimensions, point)) {
    int64_t value = dimension.values[index];
    if (dimension.choice.empty()) {
      poly::TileSizeList &list = plan.tiles[dimension.list];
      list.get(dimension.level)[dimension.loop] = value;
      if (dimension.isForL0)
        list.l0[dimension.loop] = value;
    } else
      plan.choices.push_back({dimension.choice, value, {}});
  }
  return plan;
}

double Space::getSize() const {
  double size = 1;
  for (const Dimension &dimension : dimensions)
    size *= double(dimension.values.size());
  return size;
}
