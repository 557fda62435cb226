// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_JOINEDPRODUCTS_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_JOINEDPRODUCTS_H

#include "llvm/ADT/StringRef.h"

namespace gc {

/// On the ops of two products that become one kernel, from poly-join-products
/// to poly-cut-kernels: the number of the pair.
constexpr llvm::StringLiteral kJoinedAttr = "poly.joined";

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_JOINEDPRODUCTS_H
