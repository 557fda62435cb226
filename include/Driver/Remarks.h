// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the compiler did not do, and why: upstream's optimisation remarks,
// warnings and plain remarks of passes, collected as values.

#ifndef GC_DRIVER_REMARKS_H
#define GC_DRIVER_REMARKS_H

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace gc {

struct Remark {
  /// "passed", "missed", "failed" or "analysis" for optimisation remarks,
  /// "remark" or "warning" for diagnostics.
  std::string kind;
  /// The pass, or the category it gives instead; empty for diagnostics outside
  /// passes.
  std::string category;
  /// What it is about within the category ("NotFused"); may be empty.
  std::string name;
  /// The function in question, without @; empty where it is not known.
  std::string function;
  std::string message;
  /// Why, and what would help; may be empty.
  std::string reason;
  std::string suggestion;
  /// file:line:column; empty where it is not known.
  std::string location;

  /// One line: "location: [category] message; reason: ...; suggestion: ...".
  std::string str() const;
};

/// file:line:column of a location, or MLIR's notation where it has none; empty
/// for unknown locations.
std::string formatLocation(mlir::Location location);

/// Collects the optimisation remarks of a context while it lives. A context
/// that has a remark engine already keeps it, and nothing is collected. The
/// context must be used by one thread only.
class RemarkCollector {
public:
  explicit RemarkCollector(mlir::MLIRContext *context);
  ~RemarkCollector();

  /// Records which pass is running, on which function (empty: a whole module),
  /// for remarks that do not say so themselves.
  void enterPass(llvm::StringRef pass, llvm::StringRef function);

  std::vector<Remark> take() { return std::move(remarks); }

private:
  class Streamer;

  mlir::MLIRContext *context;
  bool installed = false;
  std::string pass, function;
  std::vector<Remark> remarks;
};

} // namespace gc

#endif // GC_DRIVER_REMARKS_H
