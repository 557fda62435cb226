// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A look at JSON text before it is parsed: finds what the parser cannot report
// (where each op is written) or what would crash it (unlimited nesting).

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_JSONSCAN_H
#define GC_LIB_TARGET_ONEDNNGRAPH_JSONSCAN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gc::onednn {

/// Deepest nesting of arrays and objects that is read. A graph needs eight.
constexpr unsigned kMaxJsonDepth = 64;

/// A place in a text, both numbers from 1.
struct TextPosition {
  unsigned line = 1;
  /// 0 if the line is too long to be shown to a reader.
  unsigned column = 1;
};

struct JsonScan {
  /// The bracket that opens level kMaxJsonDepth + 1, if one does.
  std::optional<TextPosition> tooDeep;
  /// The objects in the array "graph" of the top-level object.
  llvm::SmallVector<TextPosition> ops;
};

/// Scans `text`, which need not be valid JSON, in linear time.
JsonScan scanJson(llvm::StringRef text);

/// The position of an offset, which is clamped to the text.
TextPosition getPosition(llvm::StringRef text, size_t offset);

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_JSONSCAN_H
