// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A look at JSON text before it is parsed: finds what the parser cannot tell
// (where each op is written) or would not survive (nesting without end).

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_JSONSCAN_H
#define GC_LIB_TARGET_ONEDNNGRAPH_JSONSCAN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gc::onednn {

/// Deepest nesting of arrays and objects that is read. A graph needs eight.
constexpr unsigned kMaxJsonDepth = 64;

struct JsonScan {
  /// Offset of the bracket that opens level kMaxJsonDepth + 1, if one does.
  std::optional<size_t> tooDeep;
  /// Offsets of the objects in the array "graph" of the top-level object.
  llvm::SmallVector<size_t> ops;
};

/// Scans `text`, which need not be valid JSON.
JsonScan scanJson(llvm::StringRef text);

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_JSONSCAN_H
