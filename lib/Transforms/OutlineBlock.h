// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ops of a block become functions of their own, and how they do.

#ifndef GC_LIB_TRANSFORMS_OUTLINEBLOCK_H
#define GC_LIB_TRANSFORMS_OUTLINEBLOCK_H

#include "Conversion/ToGraph/OpConversions.h"
#include "Dialect/Graph/IR/TargetSupport.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace gc {

struct OutlineOptions {
  const OpConversions &conversions;
  const graph::TargetSupport &support;
  /// What a set of ops without a contraction has at least: ops that compute,
  /// and elements that they compute.
  int64_t minOps, minElements;
  /// The name of the pass, for remarks.
  llvm::StringRef pass;
};

/// Moves sets of convertible ops of a block to private functions, which get in
/// front of `host`, the function that the block is in. Returns whether there
/// were any.
bool outlineBlock(mlir::Block &block, mlir::func::FuncOp host,
                  mlir::SymbolTable &symbols, const OutlineOptions &options);

} // namespace gc

#endif // GC_LIB_TRANSFORMS_OUTLINEBLOCK_H
