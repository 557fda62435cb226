// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of operations in files, which are of several versions of the
// specification.

#ifndef GC_LIB_TARGET_ONEDNNGRAPH_KINDS_H
#define GC_LIB_TARGET_ONEDNNGRAPH_KINDS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gc::onednn {

/// Replaces names of the specification's first versions: "...Backprop" is
/// "...Backward", "...BackpropFilters" is "...BackwardWeights".
std::string normalizeKind(llvm::StringRef kind);

} // namespace gc::onednn

#endif // GC_LIB_TARGET_ONEDNNGRAPH_KINDS_H
