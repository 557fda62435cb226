// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Opaque layouts: the blocked ones of the compiler. Each has a number that
// means the same in the whole process.

#ifndef GC_LIB_CAPI_DNNLGRAPH_LAYOUTS_H
#define GC_LIB_CAPI_DNNLGRAPH_LAYOUTS_H

#include "Dialect/Graph/IR/GraphOps.h"

#include <cstddef>

namespace gc::dnnlgraph {

/// The number of a blocked layout.
size_t getLayoutId(graph::LayoutAttr layout);

/// Whether a number is that of a layout of tensors with `ndims` dimensions.
bool isLayoutOf(size_t id, int ndims);

/// Elements of a tensor with its padding. The number is that of a layout of as
/// many dimensions, and sizes are not negative. SIZE_MAX if that overflows.
size_t getBlockedElements(size_t id, llvm::ArrayRef<int64_t> dims);

/// The layout of a number that is known.
graph::LayoutAttr makeLayout(size_t id, mlir::MLIRContext *context);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_LAYOUTS_H
