// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Policy.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static constexpr Level levels[] = {Level::l1, Level::l0, Level::ub};

StringRef gc::poly::getName(Level level) {
  return level == Level::l1 ? "L1" : level == Level::l0 ? "L0" : "UB";
}

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
  std::string text;
  for (const StatementPolicy &policy : statements) {
    StatementOp statement = policy.statement;
    text += (text.empty() ? "" : " ") + statement.getSymName().str() + " :";
    bool isFirst = true;
    for (Level level : levels)
      for (int64_t size : policy.getSizes(level)) {
        text += (isFirst ? " " : ", ") + std::to_string(size) + " @ " +
                getName(level).str();
        isFirst = false;
      }
  }
  return text;
}

namespace {
class PolicyParser {
public:
  PolicyParser(ScopOp scop, StringRef text) : scop(scop), rest(text) {}

  FailureOr<Policy> run() {
    Policy policy;
    rest = rest.ltrim();
    while (!rest.empty()) {
      name = takeWord();
      if (name.empty())
        return error() << "expected the name of a statement at '" << rest
                       << "'";
      StatementOp statement = findStatement(scop, name);
      if (!statement)
        return error() << "there is no statement '" << name << "'";
      if (policy.find(statement))
        return error() << "statement '" << name << "' has two lists of sizes";
      if (!take(":"))
        return error() << "expected ':' after '" << name << "'";
      StatementPolicy &own = policy.get(statement);
      do
        if (failed(parseSize(own)))
          return failure();
      while (take(","));
    }
    return policy;
  }

private:
  InFlightDiagnostic error() {
    return scop.emitOpError() << "has a wrong tiling policy: ";
  }
  bool take(StringRef token) {
    bool taken = rest.consume_front(token);
    rest = rest.ltrim();
    return taken;
  }
  StringRef takeWord() {
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size()).ltrim();
    return word;
  }

  LogicalResult parseSize(StatementPolicy &policy) {
    StringRef number = takeWord();
    int64_t size;
    if (number.getAsInteger(10, size) || size < 1)
      return error() << "'" << number << "' is not a valid tile size, in the sizes of '"
                     << name << "'";
    if (!take("@"))
      return error() << "expected '@' after " << size << ", in the sizes of '"
                     << name << "'";
    StringRef buffer = takeWord();
    isl::Ctx ctx;
    for (Level level : levels) {
      if (buffer != getName(level))
        continue;
      SmallVector<int64_t> &sizes = policy.getSizes(level);
      unsigned loops =
          isl_set_dim(getDomain(ctx, policy.statement).get(), isl_dim_set);
      if (sizes.size() == loops)
        return error() << "'" << name << "' has " << loops
                       << " loops, but more sizes for " << buffer;
      sizes.push_back(size);
      return success();
    }
    return error() << "'" << buffer
                   << "' is not a buffer for tiles, in the sizes of '" << name
                   << "'; there are L1, L0 and UB";
  }

  ScopOp scop;
  StringRef rest, name;
};
} // namespace

FailureOr<Policy> gc::poly::parsePolicy(ScopOp scop, StringRef text) {
  return PolicyParser(scop, text).run();
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
