// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/OpTable.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace gc::graph;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
#include "Dialect/Graph/IR/OpTable.inc"
} // namespace

ArrayRef<OpSpec> gc::graph::getOpTable() { return kOps; }

StringRef gc::graph::stringify(AttrType type) {
  switch (type) {
  case AttrType::Bool:
    return "bool";
  case AttrType::S64:
    return "s64";
  case AttrType::S64List:
    return "s64[]";
  case AttrType::F32:
    return "f32";
  case AttrType::F32List:
    return "f32[]";
  case AttrType::String:
    return "string";
  }
  return "";
}

unsigned gc::graph::getLeast(ArrayRef<ValueSpec> values) {
  return llvm::count_if(
      values, [](const ValueSpec &value) { return value.arity == Arity::One; });
}

unsigned gc::graph::getMost(ArrayRef<ValueSpec> values) {
  bool any = llvm::any_of(
      values, [](const ValueSpec &value) { return value.arity == Arity::Any; });
  return any ? std::numeric_limits<unsigned>::max() : values.size();
}

const OpSpec *gc::graph::findOp(StringRef opName) {
  const OpSpec *spec = llvm::find_if(
      kOps, [&](const OpSpec &spec) { return spec.opName == opName; });
  return spec == std::end(kOps) ? nullptr : spec;
}

const OpSpec *gc::graph::findOpOfKind(StringRef kind) {
  const OpSpec *spec = llvm::find_if(kOps, [&](const OpSpec &spec) {
    return !spec.kind.empty() && spec.kind.equals_insensitive(kind);
  });
  return spec == std::end(kOps) ? nullptr : spec;
}
