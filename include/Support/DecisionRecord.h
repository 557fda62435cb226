// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a pass chose, what else there was, and why not: an analysis remark named
// "Decision" with named arguments, so that every reader of remarks sees it. Off
// unless a tool asks for analysis remarks; passes look at that before they
// write down alternatives.

#ifndef GC_SUPPORT_DECISIONRECORD_H
#define GC_SUPPORT_DECISIONRECORD_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

#include <optional>

namespace gc {

/// Names of the arguments, in the order in which they appear; those of an
/// alternative follow it.
namespace decision {
inline constexpr llvm::StringLiteral kRemark = "Decision";
inline constexpr llvm::StringLiteral kKind = "Kind";
inline constexpr llvm::StringLiteral kSubject = "Subject";
inline constexpr llvm::StringLiteral kChosen = "Chosen";
inline constexpr llvm::StringLiteral kAlternative = "Alternative";
inline constexpr llvm::StringLiteral kCycles = "Cycles";
inline constexpr llvm::StringLiteral kWhy = "Why";
inline constexpr llvm::StringLiteral kForce = "Force";
} // namespace decision

/// One decision; it is recorded when this goes out of scope.
class DecisionRecord {
public:
  /// `kind` is what was decided ("template", "anchor"), `pass` who did it.
  DecisionRecord(mlir::Operation *op, llvm::StringRef pass,
                 llvm::StringRef kind);

  /// Whether anybody listens; without, everything else does nothing.
  explicit operator bool() const { return bool(remark); }

  /// What was chosen, at how many predicted cycles where they are known, and
  /// why where that is not the cost.
  void choose(const llvm::Twine &what,
              std::optional<double> cycles = std::nullopt,
              const llvm::Twine &why = "");
  /// What was not, at which cost, or why it cannot be.
  void reject(const llvm::Twine &what,
              std::optional<double> cycles = std::nullopt,
              const llvm::Twine &why = "");
  /// The option or the attribute that decides instead of the pass.
  void forcedBy(const llvm::Twine &what);

private:
  void add(llvm::StringRef key, const llvm::Twine &value);
  void addChoice(llvm::StringRef key, const llvm::Twine &what,
                 std::optional<double> cycles, const llvm::Twine &why);

  mlir::remark::detail::InFlightRemark remark;
};

} // namespace gc

#endif // GC_SUPPORT_DECISIONRECORD_H
