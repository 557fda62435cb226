// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileProduct.h"

using namespace mlir;
using namespace gc::poly;

/// Whether an index of the member's use of an array, one of several if it reads
/// the array more than once, depends on dimension `dim`.
static bool isUsed(const TileModel::Array &array, size_t member, unsigned dim,
                   unsigned number = 0) {
  for (const TileModel::Use &use : array.uses)
    if (use.member == member && number-- == 0)
      return llvm::any_of(use.indices, [&](const auto &index) {
        return !index || (*index)[dim] != 0;
      });
  return false;
}

TileProduct::TileProduct(const TileModel &model, size_t update) {
  const TileModel::Member &member = model.getMembers()[update];
  StatementOp statement = member.statement;
  auto getFactor = [&](unsigned number) {
    return model.findArray(
        cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]).getValue());
  };
  lhs = getFactor(0);
  rhs = getFactor(1);
  result = model.findArray(statement.getWrittenArray());
  for (unsigned dim = 0; dim < member.extents.size(); ++dim) {
    // Both factors may be one array.
    bool isLeft = isUsed(*lhs, update, dim),
         isRight = isUsed(*rhs, update, dim, lhs == rhs);
    isTerm.push_back(!isUsed(*result, update, dim));
    if (isTerm.back())
      term = dim;
    else if (isLeft && !isRight)
      row = dim;
    else if (isRight && !isLeft)
      column = dim;
  }
}
