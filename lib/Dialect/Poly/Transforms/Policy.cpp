// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Policy.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

const StatementPolicy *Policy::find(StatementOp statement) const {
  const auto *found =
      llvm::find_if(statements, [&](const StatementPolicy &policy) {
        return policy.statement == statement;
      });
  return found == statements.end() ? nullptr : found;
}

StatementPolicy &Policy::get(StatementOp statement) {
  if (const StatementPolicy *found = find(statement))
    return const_cast<StatementPolicy &>(*found);
  statements.push_back({statement, {}, {}, {}});
  return statements.back();
}

std::string Policy::str() const {
  std::vector<TileSizeList> sizes;
  for (const StatementPolicy &policy : statements) {
    StatementOp statement = policy.statement;
    sizes.push_back(
        {statement.getSymName().str(), policy.l1, policy.l0, policy.ub});
  }
  return printTileSizes(sizes);
}

FailureOr<Policy> gc::poly::parsePolicy(ScopOp scop, StringRef text) {
  auto error = [&] {
    return scop.emitOpError() << "has a wrong tiling policy: ";
  };
  llvm::Expected<std::vector<TileSizeList>> sizes = parseTileSizes(text);
  if (!sizes)
    return error() << llvm::toString(sizes.takeError());
  Policy policy;
  isl::Ctx ctx;
  for (const TileSizeList &list : *sizes) {
    StatementOp statement = findStatement(scop, list.statement);
    if (!statement)
      return error() << "there is no statement '" << list.statement << "'";
    unsigned loops = isl_set_dim(getDomain(ctx, statement).get(), isl_dim_set);
    for (Level level : kLevels)
      if (list.get(level).size() > loops)
        return error() << "'" << list.statement << "' has " << loops
                       << " loops, but more sizes for " << getName(level);
    policy.statements.push_back({statement, list.l1, list.l0, list.ub});
  }
  return policy;
}

FailureOr<Policy> gc::poly::getPolicy(ScopOp scop) {
  Attribute attribute = scop->getAttr(kPolicyAttr);
  if (!attribute)
    return Policy();
  auto text = dyn_cast<StringAttr>(attribute);
  if (!text)
    return scop.emitOpError() << "has a tiling policy that is not a string";
  return parsePolicy(scop, text.getValue());
}
