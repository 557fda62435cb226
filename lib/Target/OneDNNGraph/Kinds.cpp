// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kinds.h"
#include "Target/OneDNNGraph/GraphFile.h"

using namespace llvm;
using namespace gc;

std::string onednn::normalizeKind(StringRef kind) {
  static constexpr StringLiteral old = "Backprop";
  size_t position = kind.find_insensitive(old);
  if (position == StringRef::npos)
    return kind.str();
  StringRef suffix = kind.drop_front(position + old.size());
  if (suffix.equals_insensitive("Filters"))
    suffix = "Weights";
  return (kind.take_front(position) + "Backward" + suffix).str();
}

const graph::OpSpec *onednn::findOp(StringRef kind) {
  return graph::findOpOfKind(normalizeKind(kind));
}
