// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text for pages of HTML. Names come from users.

#ifndef GC_LIB_DRIVER_HTML_H
#define GC_LIB_DRIVER_HTML_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace gc {

/// Text for elements and quoted attributes; what is not UTF-8, or no character
/// of XML, is replaced.
inline std::string escapeHtml(llvm::StringRef text) {
  std::string result;
  for (char c : llvm::json::fixUTF8(text)) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      bool isControl =
          static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
      result += isControl ? '?' : c;
    }
  }
  return result;
}

} // namespace gc

#endif // GC_LIB_DRIVER_HTML_H
