// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the library does with logical tensors.

#ifndef GC_LIB_CAPI_DNNLGRAPH_LOGICALTENSOR_H
#define GC_LIB_CAPI_DNNLGRAPH_LOGICALTENSOR_H

#include "Target/OneDNNGraph/GraphFile.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace gc::dnnlgraph {

using LT = dnnl_graph_logical_tensor_t;

constexpr int64_t kUnknown = DNNL_GRAPH_UNKNOWN_DIM;

inline llvm::ArrayRef<int64_t> getDims(const LT &lt) {
  return {lt.dims, lt.ndims > 0 ? static_cast<size_t>(lt.ndims) : 0};
}

/// Bits of an element; 0 for undef and for what is not a type.
unsigned getBits(dnnl_data_type_t type);

/// Whether the fields are in the ranges that they have.
bool isWellFormed(const LT &lt);

/// Whether rank and sizes are known.
bool hasShape(const LT &lt);

/// Row-major strides, where a size of 0 counts as 1. False if they overflow.
bool getRowMajorStrides(llvm::ArrayRef<int64_t> dims, int64_t *strides);

/// Bytes that tensors of known sizes and strides are said to have: those of the
/// longest dimension with its stride. SIZE_MAX if that overflows.
size_t getStridedBytes(llvm::ArrayRef<int64_t> dims, const int64_t *strides,
                       dnnl_data_type_t type);

/// What a tensor needs: at least what dnnl_graph_logical_tensor_get_mem_size()
/// says, and up to the last element where strides overlap. SIZE_MAX if unknown.
size_t getAllocationBytes(const LT &lt);

/// Id, type, sizes, property and layout.
bool areEqual(const LT &a, const LT &b);

/// Appends what areEqual() compares, in a form that is equal where it is.
void appendKey(std::string &key, const LT &lt);

/// The element type in the dialect. Types that no op of the dialect has become
/// others of the same width, which are only good for `graph-partition`.
mlir::Type getElementType(dnnl_data_type_t type, mlir::MLIRContext *context);

/// The tensor in the form that graphs are imported from.
onednn::LogicalTensor convert(const LT &lt, mlir::MLIRContext *context);

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_LOGICALTENSOR_H
