// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading JSON that may be anything.

#ifndef GC_SUPPORT_JSONTEXT_H
#define GC_SUPPORT_JSONTEXT_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace gc {

/// Parses JSON. Brackets that are nested so deeply that the parser's recursion
/// might overflow the stack are an error like others.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// A text in quotes for an error, escaped and cut off.
std::string quote(llvm::StringRef text);

/// Reads members of objects. Only the first thing that is wrong is kept.
class JsonReader {
public:
  /// Remembers an error; always false.
  bool fail(const llvm::Twine &text);
  /// Whether all keys are known and the needed ones there. `where` names the
  /// object in errors.
  bool checkKeys(const llvm::json::Object &object,
                 llvm::ArrayRef<llvm::StringRef> needed,
                 llvm::ArrayRef<llvm::StringRef> others,
                 const llvm::Twine &where);
  /// A string; `text` stays as it is if the key is not there.
  bool getText(const llvm::json::Object &object, llvm::StringRef key,
               std::string &text, const llvm::Twine &where);
  /// A positive integer; `number` stays as it is if the key is not there.
  bool getCount(const llvm::json::Object &object, llvm::StringRef key,
                int64_t &number, const llvm::Twine &where);

protected:
  std::string message;
};

} // namespace gc

#endif // GC_SUPPORT_JSONTEXT_H
