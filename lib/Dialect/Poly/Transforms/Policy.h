// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiling policies, the language of figure 4 of the AKG paper:
//
//   policy := statement*
//   statement := name `:` size `@` buffer (`,` size `@` buffer)*
//   buffer := `L1` | `L0` | `UB`
//
// The sizes of one buffer are for the statement's loops from the outermost one
// on; loops without a size are not tiled for it.

#ifndef GC_DIALECT_POLY_TRANSFORMS_POLICY_H
#define GC_DIALECT_POLY_TRANSFORMS_POLICY_H

#include "Dialect/Poly/IR/Scop.h"
#include "Dialect/Poly/Transforms/KernelPlan.h"

namespace gc::poly {

struct StatementPolicy {
  StatementOp statement;
  llvm::SmallVector<int64_t> l1, l0, ub;

  llvm::SmallVector<int64_t> &getSizes(Level level) {
    return level == Level::l1 ? l1 : level == Level::l0 ? l0 : ub;
  }
  const llvm::SmallVector<int64_t> &getSizes(Level level) const {
    return const_cast<StatementPolicy *>(this)->getSizes(level);
  }
};

struct Policy {
  llvm::SmallVector<StatementPolicy> statements;

  const StatementPolicy *find(StatementOp statement) const;
  StatementPolicy &get(StatementOp statement);
  std::string str() const;
};

/// Reads a policy for the scop; one error at the scop, which names the
/// statement, if it is wrong.
llvm::FailureOr<Policy> parsePolicy(ScopOp scop, llvm::StringRef text);

/// That of the scop's attribute; an empty one if there is none.
llvm::FailureOr<Policy> getPolicy(ScopOp scop);

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_POLICY_H
