// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What MLIR's text parser crashes on instead of refusing it.

#ifndef GC_SUPPORT_PARSERLIMITS_H
#define GC_SUPPORT_PARSERLIMITS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace gc {

struct ParserLimit {
  /// Counted from 1.
  int64_t line;
  std::string message;
};

/// The first place in MLIR text that the parser would crash on: brackets nested
/// so deeply that its recursion overflows the stack, or `array<index>`, a type
/// of elements that it has no case for.
std::optional<ParserLimit> findParserLimit(llvm::StringRef text);

} // namespace gc

#endif // GC_SUPPORT_PARSERLIMITS_H
