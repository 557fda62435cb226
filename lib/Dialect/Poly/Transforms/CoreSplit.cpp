// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreSplit.h"
#include "Tree.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether index `index` of an access is dimension `dim` of the iterations,
/// whatever the domain.
static bool isDimension(const isl::Map &access, unsigned index, unsigned dim) {
  isl::Map equal(
      isl_map_equate(access.copy(), isl_dim_in, dim, isl_dim_out, index));
  return isl_map_is_equal(equal.get(), access.get()) == isl_bool_true;
}

/// Whether an index other than `index` depends on dimension `dim`.
static bool dependsOn(const isl::Map &access, const isl::Set &domain,
                      std::optional<unsigned> index, unsigned dim) {
  isl::Map rest = access.clone();
  if (index)
    rest.reset(isl_map_project_out(rest.take(), isl_dim_out, *index, 1));
  rest.reset(isl_map_gist_domain(rest.take(), domain.copy()));
  return isl_map_involves_dims(rest.get(), isl_dim_in, dim, 1) !=
         isl_bool_false;
}

/// The only index that depends on dimension `dim`, if it is the dimension.
static std::optional<unsigned> findIndex(const isl::Map &access,
                                         const isl::Set &domain, unsigned dim) {
  for (unsigned i = 0, e = isl_map_dim(access.get(), isl_dim_out); i < e; ++i)
    if (isDimension(access, i, dim) && !dependsOn(access, domain, i, dim))
      return i;
  return std::nullopt;
}

/// Calls `visit` with each array that the statement accesses and the access,
/// the one that it writes last.
static void forEachAccess(
    const isl::Ctx &ctx, ScopOp scop, StatementOp statement,
    llvm::function_ref<void(ArrayOp, const isl::Map &, bool isWrite)> visit) {
  isl::Set domain = getDomain(ctx, statement);
  auto restrict = [&](isl::Map access) {
    return isl::Map(isl_map_intersect_domain(access.take(), domain.copy()));
  };
  for (auto [i, name] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
    visit(findArray(scop, name.getValue()),
          restrict(getRead(ctx, statement, i)), false);
  visit(findArray(scop, statement.getWrittenArray()),
        restrict(getWrite(ctx, statement)), true);
}

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

/// The first reason is the one that counts.
void CoreSplit::reject(const Twine &why) {
  if (reason.empty())
    reason = why.str();
}

CoreSplit::CoreSplit(const isl::Ctx &ctx, ScopOp scop, StatementOp statement,
                     unsigned dim)
    : ctx(ctx), scop(scop), extent(poly::getExtent(ctx, statement, dim)) {
  assign(statement, dim);
  check();
}

/// Whether the statement's instances are as many for each value of the
/// dimension, which goes from 0 to `extent` - 1.
static bool isEven(const isl::Ctx &ctx, StatementOp statement, unsigned dim,
                   int64_t extent) {
  isl::Set domain = getDomain(ctx, statement);
  isl::Set product(isl_set_eliminate(domain.copy(), isl_dim_set, dim, 1));
  product.reset(isl_set_lower_bound_val(product.take(), isl_dim_set, dim,
                                        ctx.val(0).take()));
  product.reset(isl_set_upper_bound_val(product.take(), isl_dim_set, dim,
                                        ctx.val(extent - 1).take()));
  return isl_set_is_equal(product.get(), domain.get()) == isl_bool_true;
}

void CoreSplit::assign(StatementOp statement, std::optional<unsigned> dim) {
  if (!reason.empty())
    return;
  auto [entry, isNew] = statements.insert({statement, dim});
  if (!isNew) {
    if (entry->second != dim)
      reject("@" + statement.getSymName() +
             " would have to be divided in two ways");
    return;
  }
  if (dim && !isEven(ctx, statement, *dim, extent)) {
    reject("@" + statement.getSymName() +
           " does not have the same instances in all iterations");
    return;
  }
  isl::Set domain = getDomain(ctx, statement);
  forEachAccess(
      ctx, scop, statement,
      [&](ArrayOp array, const isl::Map &access, bool isWrite) {
        if (!dim)
          return assign(array, std::nullopt);
        if (std::optional<unsigned> index = findIndex(access, domain, *dim))
          return assign(array, index);
        if (isWrite) {
          reject("@" + statement.getSymName() + " adds its iterations up");
        } else if (dependsOn(access, domain, std::nullopt, *dim)) {
          reject("@" + statement.getSymName() + " reads @" +
                 array.getSymName() +
                 " at indices that a part of the loop does not keep apart");
        } else {
          assign(array, std::nullopt);
        }
      });
}

void CoreSplit::assign(ArrayOp array, std::optional<unsigned> dim) {
  if (!reason.empty())
    return;
  auto [entry, isNew] = arrays.insert({array, dim});
  if (!isNew) {
    if (entry->second != dim)
      reject("@" + array.getSymName() +
             " would have to be divided in two ways");
    return;
  }
  if (!dim && array.getOutputAttr()) {
    reject("every core would write all of @" + array.getSymName());
    return;
  }
  if (dim && array.getTensorType().getDimSize(*dim) != extent) {
    reject("only some of @" + array.getSymName() + " is accessed");
    return;
  }
  for (auto statement : scop.getOps<StatementOp>())
    forEachAccess(ctx, scop, statement,
                  [&](ArrayOp own, const isl::Map &access, bool isWrite) {
                    if (own != array)
                      return;
                    if (dim)
                      propagate(array, statement, access);
                    else if (isWrite)
                      assign(statement, std::nullopt);
                  });
}

/// The dimension of the statement that a divided array's index is.
void CoreSplit::propagate(ArrayOp array, StatementOp statement,
                          const isl::Map &access) {
  unsigned index = *arrays.find(array)->second;
  for (unsigned d = 0, e = isl_map_dim(access.get(), isl_dim_in); d < e; ++d)
    if (isDimension(access, index, d))
      return assign(statement, d);
  reject("@" + statement.getSymName() + " reads parts of @" +
         array.getSymName() + " that are not its own");
}

void CoreSplit::check() {
  for (auto array : scop.getOps<ArrayOp>())
    if (array.getOutputAttr() && !arrays.contains(array))
      reject("@" + array.getSymName() + " does not depend on it");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

bool CoreSplit::dividesRows() const {
  return llvm::any_of(arrays, [](const auto &entry) {
    ArrayOp array = entry.first;
    return !array.isTemporary() && entry.second &&
           *entry.second + 1 == array.getTensorType().getRank();
  });
}

CoreParts CoreSplit::getParts(int64_t cores) const {
  // What a part may be longer for whole packages or fractals.
  constexpr double kMostWaste = 1.02;
  constexpr int64_t kBlock = 16;
  int64_t least = llvm::divideCeil(extent, cores);
  for (int64_t multiple : {128, 64, 32, 16, 8, 4, 2}) {
    int64_t length = llvm::alignTo(least, multiple);
    if (length <= least * kMostWaste || (multiple == kBlock && dividesRows()))
      return {extent, std::min(length, extent)};
  }
  return {extent, least};
}

LogicalResult CoreSplit::apply(ScopOp target, const CoreParts &parts,
                               int64_t first, int64_t cores,
                               int64_t length) const {
  MLIRContext *context = target.getContext();
  Builder b(context);
  for (auto [source, dim] : arrays) {
    ArrayOp array = findArray(target, ArrayOp(source).getSymName());
    if (!dim)
      continue;
    RankedTensorType type = array.getTensorType();
    SmallVector<int64_t> shape(type.getShape());
    shape[*dim] = length;
    if (!array.isTemporary()) {
      SmallVector<AffineExpr> offsets(shape.size(), b.getAffineConstantExpr(0));
      offsets[*dim] = b.getAffineDimExpr(0) * parts.length;
      array.setPartAttr(PartAttr::get(
          context, type.getShape(),
          AffineMapAttr::get(AffineMap::get(1, 0, offsets, context))));
    }
    array.setTypeAttr(
        TypeAttr::get(RankedTensorType::get(shape, type.getElementType())));
  }
  isl::UnionSet domain = ctx.parseUnionSet("{ }");
  for (auto statement : target.getOps<StatementOp>()) {
    isl::Set own = getDomain(ctx, statement);
    const auto *entry =
        statements.find(findStatement(scop, statement.getSymName()));
    if (entry != statements.end() && entry->second) {
      own.reset(isl_set_upper_bound_val(own.take(), isl_dim_set, *entry->second,
                                        ctx.val(length - 1).take()));
      statement.setDomain(isl::str(own));
    }
    domain.reset(isl_union_set_add_set(domain.take(), own.take()));
  }
  target.setFirstCoreAttr(first ? b.getI64IntegerAttr(first) : IntegerAttr());
  target.setCoresAttr(cores > 1 ? b.getI64IntegerAttr(cores) : IntegerAttr());
  target.setAllCoresAttr(b.getI64IntegerAttr(parts.getCount()));
  isl::Schedule schedule = getSchedule(ctx, target);
  schedule.reset(isl_schedule_intersect_domain(schedule.take(), domain.take()));
  return setSchedule(ctx, target, schedule, "the loops cannot be divided");
}
