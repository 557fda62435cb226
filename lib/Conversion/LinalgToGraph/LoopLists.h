// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists of the loops of a structured op.

#ifndef GC_LIB_CONVERSION_LINALGTOGRAPH_LOOPLISTS_H
#define GC_LIB_CONVERSION_LINALGTOGRAPH_LOOPLISTS_H

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace gc {

using Dims = llvm::SmallVector<int64_t>;

/// The loops that the dimensions of an operand are; nothing if they are
/// anything else, or one of them twice.
std::optional<Dims> getLoops(mlir::AffineMap map);

/// Those of `loops` that satisfy the predicate.
Dims filterLoopsBy(llvm::ArrayRef<int64_t> loops,
                   llvm::function_ref<bool(int64_t)> predicate);

Dims concatLoops(std::initializer_list<llvm::ArrayRef<int64_t>> parts);

/// Where in `from` each of the loops `to` is.
Dims getLoopOrder(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// The numbers of iterations of these loops, by those of all loops, and their
/// product.
Dims getLoopSizes(llvm::ArrayRef<int64_t> loops,
                  llvm::ArrayRef<int64_t> ranges);
int64_t getLoopSize(llvm::ArrayRef<int64_t> loops,
                    llvm::ArrayRef<int64_t> ranges);

} // namespace gc

#endif // GC_LIB_CONVERSION_LINALGTOGRAPH_LOOPLISTS_H
