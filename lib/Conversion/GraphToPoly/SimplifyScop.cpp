// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fewer dimensions: smaller problems for isl, longer rows for the machine.

#include "ScopModel.h"

using namespace mlir;
using namespace gc;

/// The map without the results that `drop` says.
static AffineMap dropResults(AffineMap map, ArrayRef<bool> drop) {
  SmallVector<AffineExpr> results;
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    if (!drop[i])
      results.push_back(result);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

/// Which of the sizes are 1, except for the last if all of them are.
static SmallVector<bool> findUnits(ArrayRef<int64_t> sizes) {
  SmallVector<bool> units;
  for (int64_t size : sizes)
    units.push_back(size == 1);
  if (!units.empty() && !llvm::is_contained(units, false))
    units.back() = false;
  return units;
}

static void dropUnits(ScopModel &scop) {
  SmallVector<SmallVector<bool>> unitsOfArrays;
  for (ScopArray &array : scop.arrays)
    unitsOfArrays.push_back(findUnits(array.shape));
  // An index into a single element may be outside of it.
  for (ScopStatement &statement : scop.statements)
    statement.forEachAccess([&](const ScopAccess &access) {
      if (!access.hasPads)
        return;
      for (auto [index, unit] :
           llvm::zip(access.map.getResults(), unitsOfArrays[access.array]))
        if (!isa<AffineDimExpr>(index))
          unit = false;
    });
  for (ScopArray &array : scop.arrays) {
    SmallVector<int64_t> shape;
    for (auto [size, unit] :
         llvm::zip(array.shape, unitsOfArrays[&array - scop.arrays.data()]))
      if (!unit)
        shape.push_back(size);
    array.shape = shape;
  }
  for (ScopStatement &statement : scop.statements) {
    SmallVector<bool> units = findUnits(statement.space);
    SmallVector<AffineExpr> replacements;
    SmallVector<int64_t> space;
    MLIRContext *context = statement.write.map.getContext();
    for (auto [size, unit] : llvm::zip(statement.space, units)) {
      replacements.push_back(unit ? getAffineConstantExpr(0, context)
                                  : getAffineDimExpr(space.size(), context));
      if (!unit)
        space.push_back(size);
    }
    statement.forEachAccess([&](ScopAccess &access) {
      AffineMap map =
          access.map.replaceDimsAndSymbols(replacements, {}, space.size(), 0);
      access.map = dropResults(map, unitsOfArrays[access.array]);
    });
    statement.space = space;
  }
}

/// Whether a reduction leaves one element of all.
static bool reducesAll(const ScopStatement &statement) {
  bool isUpdate = llvm::any_of(statement.reads, [&](const ScopAccess &read) {
    return read.array == statement.write.array;
  });
  return isUpdate && llvm::all_of(statement.write.map.getResults(),
                                  llvm::IsaPred<AffineConstantExpr>);
}

/// Statements that share no loop have no tiles in common. Where one reduces all
/// elements, or has no loop at all, they get one of a single iteration: the
/// only row.
static void addRow(ScopModel &scop) {
  if (llvm::none_of(scop.statements, [](const ScopStatement &statement) {
        return statement.space.empty() || reducesAll(statement);
      }))
    return;
  auto isSingle = [&](unsigned array) {
    return llvm::all_of(scop.arrays[array].shape,
                        [](int64_t size) { return size == 1; });
  };
  for (ScopStatement &statement : scop.statements) {
    MLIRContext *context = statement.write.map.getContext();
    // The single iteration that there is already.
    bool hasRow = statement.space.size() == 1 && statement.space[0] == 1;
    if (!hasRow)
      statement.space.insert(statement.space.begin(), 1);
    statement.forEachAccess([&](ScopAccess &access) {
      AffineMap map = access.map;
      if (!hasRow)
        map = map.shiftDims(1);
      if (isSingle(access.array))
        map = AffineMap::get(statement.space.size(), 0,
                             getAffineDimExpr(0, context));
      access.map = map;
    });
  }
  for (ScopArray &array : scop.arrays)
    if (isSingle(&array - scop.arrays.data()))
      array.shape = {1};
}

namespace {
/// Which neighbours become one dimension: those that are read and written as
/// neighbours everywhere. Begins with all and gives up until nothing changes.
class Merger {
public:
  explicit Merger(ScopModel &scop) : scop(scop) {
    for (ScopArray &array : scop.arrays)
      arrays.emplace_back(array.shape.size(), true);
    for (ScopStatement &statement : scop.statements)
      spaces.emplace_back(statement.space.size(), true);
    // An entry is about its dimension and the one after it.
    for (auto *lists : {&arrays, &spaces})
      for (SmallVector<bool> &merges : *lists)
        if (!merges.empty())
          merges.back() = false;
  }

  void run() {
    for (bool changes = true; changes;) {
      changes = false;
      for (unsigned i = 0, e = scop.statements.size(); i < e; ++i) {
        ScopStatement &statement = scop.statements[i];
        statement.forEachAccess([&](ScopAccess &access) {
          changes |= giveUp(access, spaces[i], statement.space);
        });
      }
    }
    for (auto [number, statement] : llvm::enumerate(scop.statements)) {
      statement.forEachAccess([&, number = number](ScopAccess &access) {
        merge(access, spaces[number]);
      });
      statement.space = mergeSizes(statement.space, spaces[number]);
    }
    for (auto [array, merges] : llvm::zip(scop.arrays, arrays))
      array.shape = mergeSizes(array.shape, merges);
  }

private:
  /// The dimension that an index is; nothing for other expressions.
  static std::optional<unsigned> getDim(AffineExpr index) {
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      return dim.getPosition();
    return std::nullopt;
  }

  /// Whether index `result` and the next are dimension `dim` and the next, over
  /// all of the array, and used nowhere else.
  bool areNeighbours(const ScopAccess &access, ArrayRef<int64_t> space,
                     unsigned result, unsigned dim) const {
    ArrayRef<int64_t> shape = scop.arrays[access.array].shape;
    for (unsigned i : {0, 1})
      if (getDim(access.map.getResult(result + i)) != dim + i ||
          shape[result + i] != space[dim + i])
        return false;
    for (auto [i, index] : llvm::enumerate(access.map.getResults()))
      if (i != result && i != result + 1 &&
          (index.isFunctionOfDim(dim) || index.isFunctionOfDim(dim + 1)))
        return false;
    return true;
  }

  bool giveUp(const ScopAccess &access, SmallVector<bool> &space,
              ArrayRef<int64_t> sizes) {
    SmallVector<bool> &array = arrays[access.array];
    bool changes = false;
    for (unsigned result = 0; result + 1 < array.size(); ++result) {
      std::optional<unsigned> dim = getDim(access.map.getResult(result));
      if (array[result] && (!dim || *dim + 1 >= space.size() || !space[*dim] ||
                            !areNeighbours(access, sizes, result, *dim))) {
        array[result] = false;
        changes = true;
      }
    }
    for (unsigned dim = 0; dim + 1 < space.size(); ++dim) {
      if (!space[dim] || (!access.map.isFunctionOfDim(dim) &&
                          !access.map.isFunctionOfDim(dim + 1)))
        continue;
      bool keeps = false;
      for (unsigned result = 0; result + 1 < array.size(); ++result)
        keeps |= array[result] && areNeighbours(access, sizes, result, dim);
      if (!keeps) {
        space[dim] = false;
        changes = true;
      }
    }
    return changes;
  }

  static SmallVector<int64_t> mergeSizes(ArrayRef<int64_t> sizes,
                                         ArrayRef<bool> merges) {
    SmallVector<int64_t> merged;
    int64_t product = 1;
    for (auto [size, merge] : llvm::zip(sizes, merges)) {
      product *= size;
      if (merge)
        continue;
      merged.push_back(product);
      product = 1;
    }
    return merged;
  }

  void merge(ScopAccess &access, ArrayRef<bool> space) {
    MLIRContext *context = access.map.getContext();
    // A dimension that merges with the next one is not used any more: the last
    // of the merged ones stands for all.
    SmallVector<AffineExpr> replacements;
    unsigned count = 0;
    for (bool merges : space) {
      replacements.push_back(getAffineDimExpr(count, context));
      count += !merges;
    }
    access.map = dropResults(
        access.map.replaceDimsAndSymbols(replacements, {}, count, 0),
        arrays[access.array]);
  }

  ScopModel &scop;
  SmallVector<SmallVector<bool>> arrays, spaces;
};
} // namespace

void ScopModel::simplify() {
  dropUnits(*this);
  addRow(*this);
  Merger(*this).run();
}
