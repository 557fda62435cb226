// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the compiler did not do, and why: upstream's optimisation remarks,
// warnings and plain remarks of passes, collected as values.

#ifndef GC_DRIVER_REMARKS_H
#define GC_DRIVER_REMARKS_H

#include "mlir/IR/Location.h"

#include <optional>
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
  /// Something given to the compiler is not used: shown also to people who did
  /// not ask for remarks.
  bool isNotice = false;

  /// One line: "location: [category] message; reason: ...; suggestion: ...".
  std::string str() const;
};

/// What a pass chose, and the alternatives (Support/DecisionRecord.h).
struct Decision {
  struct Choice {
    std::string what;
    /// Predicted; nothing where the pass knows no cost.
    std::optional<int64_t> cycles;
    /// What decided, if not the cost; for a rejected choice, why it is not
    /// possible, or not better though it costs less.
    std::string why;
  };

  /// The pass, and what it decided: "template", "layout".
  std::string category, kind;
  /// The op in question, by name, and its function, without @.
  std::string subject, function;
  /// file:line:column; empty where it is not known.
  std::string location;
  Choice chosen;
  std::vector<Choice> alternatives;
  /// The option or attribute that forces it; empty where there is none.
  std::string force;
};

/// file:line:column of a location, or MLIR's notation where it has none; empty
/// for unknown locations.
std::string formatLocation(mlir::Location location);

/// Collects the optimisation remarks of a context while it lives. A context
/// that has a remark engine already keeps it, and nothing is collected. The
/// context has to be used by one thread. Decisions are collected separately,
/// and only on request: recording them costs the passes time.
class RemarkCollector {
public:
  explicit RemarkCollector(mlir::MLIRContext *context,
                           bool wantsDecisions = false);
  ~RemarkCollector();

  /// Records which pass is running, on which function (empty: a whole module),
  /// for remarks that do not say so themselves.
  void enterPass(llvm::StringRef pass, llvm::StringRef function);

  std::vector<Remark> take() { return std::move(remarks); }
  std::vector<Decision> takeDecisions() { return std::move(decisions); }

private:
  class Streamer;

  mlir::MLIRContext *context;
  bool installed = false;
  std::string pass, function;
  std::vector<Remark> remarks;
  std::vector<Decision> decisions;
};

} // namespace gc

#endif // GC_DRIVER_REMARKS_H
