// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which tests have which operations, by element type, as their text says.

#ifndef GC_TOOLS_GC_TRANSLATE_OPTESTS_H
#define GC_TOOLS_GC_TRANSLATE_OPTESTS_H

#include "Dialect/Graph/IR/OpTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>

namespace gc {

/// The element types of which an operation has a row each: those of the first
/// operand that is required and has a choice, or else of the first such result.
llvm::SmallVector<llvm::StringRef> getRowTypes(const graph::OpSpec &spec);

class OpTests {
public:
  /// Reads the programs (.mlir) of a folder.
  static llvm::Expected<OpTests> read(llvm::StringRef folder);

  /// The file that has the operation most often with this element type of the
  /// operand or result that getRowTypes chooses; empty if none has.
  llvm::StringRef find(const graph::OpSpec &spec, llvm::StringRef type) const;
  /// The types of an operation whose operands may be of any.
  llvm::SmallVector<llvm::StringRef> getTypes(const graph::OpSpec &spec) const;

private:
  void readLine(llvm::StringRef file, llvm::StringRef line);

  /// By operation and element type: files with the number of occurrences.
  llvm::StringMap<std::map<std::string, std::map<std::string, int>>> counts;
};

} // namespace gc

#endif // GC_TOOLS_GC_TRANSLATE_OPTESTS_H
