// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operations that can be imported, as data: one row per oneDNN Graph kind.
// What an op computes and which types it takes is the dialect's business.

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_OPTABLE_H
#define GC_LIB_TARGET_ONEDNNGRAPH_OPTABLE_H

#include "GraphFile.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace gc::onednn {

enum class AttrUse {
  Required, // an error where it is missing
  Optional, // the dialect's default where it is missing
  Hint      // checked and dropped: any value allows what the dialect does
};

/// An attribute; it has the same name in the file and in the dialect.
struct AttrSpec {
  llvm::StringLiteral name;
  AttrType type;
  AttrUse use;
  /// A string whose case does not matter; the dialect has it in lower case.
  bool anyCase = false;
};

struct OpSpec {
  /// The kind as the specification spells it.
  llvm::StringLiteral kind;
  /// The op's full name in the dialect.
  llvm::StringLiteral opName;
  unsigned minInputs, maxInputs;
  unsigned minOutputs, maxOutputs;
  llvm::ArrayRef<AttrSpec> attrs;
  /// Whether attributes that are not listed are dropped without an error.
  bool anyAttrs = false;
};

/// All rows.
llvm::ArrayRef<OpSpec> getOpTable();

/// The row of a kind, whose case does not matter and which may be one of the
/// names of the specification's first versions; null if there is none.
const OpSpec *findOp(llvm::StringRef kind);

/// Replaces names of the specification's first versions: "...Backprop" is
/// "...Backward", "...BackpropFilters" is "...BackwardWeights".
std::string normalizeKind(llvm::StringRef kind);

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_OPTABLE_H
