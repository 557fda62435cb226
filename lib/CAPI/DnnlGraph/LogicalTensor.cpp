// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogicalTensor.h"
#include "Layouts.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace gc;
using namespace gc::dnnlgraph;
using llvm::ArrayRef;

unsigned dnnlgraph::getBits(dnnl_data_type_t type) {
  switch (type) {
  case dnnl_s4:
  case dnnl_u4:
  case dnnl_f4_e2m1:
  case dnnl_f4_e3m0:
    return 4;
  case dnnl_s8:
  case dnnl_u8:
  case dnnl_boolean:
  case dnnl_f8_e5m2:
  case dnnl_f8_e4m3:
  case dnnl_e8m0:
    return 8;
  case dnnl_f16:
  case dnnl_bf16:
    return 16;
  case dnnl_f32:
  case dnnl_s32:
    return 32;
  case dnnl_f64:
  case dnnl_s64:
    return 64;
  default:
    return 0;
  }
}

bool dnnlgraph::isWellFormed(const LT &lt) {
  if (lt.ndims < DNNL_GRAPH_UNKNOWN_NDIMS || lt.ndims > DNNL_MAX_NDIMS)
    return false;
  if (lt.data_type != dnnl_data_type_undef && getBits(lt.data_type) == 0)
    return false;
  if (lt.property < dnnl_graph_tensor_property_undef ||
      lt.property > dnnl_graph_tensor_property_host_scalar ||
      lt.layout_type < dnnl_graph_layout_type_undef ||
      lt.layout_type > dnnl_graph_layout_type_opaque)
    return false;
  return llvm::all_of(
      getDims(lt), [](int64_t size) { return size >= 0 || size == kUnknown; });
}

bool dnnlgraph::hasShape(const LT &lt) {
  return lt.ndims >= 0 &&
         llvm::all_of(getDims(lt), [](int64_t size) { return size >= 0; });
}

bool dnnlgraph::getRowMajorStrides(ArrayRef<int64_t> dims, int64_t *strides) {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    if (llvm::MulOverflow(stride, std::max<int64_t>(dims[i], 1), stride))
      return false;
  }
  return true;
}

size_t dnnlgraph::getStridedBytes(ArrayRef<int64_t> dims,
                                  const int64_t *strides,
                                  dnnl_data_type_t type) {
  int64_t elements = 1;
  for (auto [i, size] : llvm::enumerate(dims)) {
    if (size == 0)
      return 0;
    int64_t extent;
    if (llvm::MulOverflow(size, size == 1 ? 1 : strides[i], extent))
      return SIZE_MAX;
    elements = std::max(elements, extent);
  }
  int64_t bits;
  if (llvm::MulOverflow(elements, int64_t(getBits(type)), bits))
    return SIZE_MAX;
  return llvm::divideCeil(static_cast<uint64_t>(bits), 8);
}

/// SIZE_MAX if the layout is not one of this library, for as many dimensions.
static size_t getOpaqueBytes(const LT &lt) {
  size_t id = lt.layout.layout_id;
  int64_t bits;
  if (!isLayoutOf(id, lt.ndims))
    return SIZE_MAX;
  size_t elements = getBlockedElements(id, getDims(lt));
  if (elements == SIZE_MAX ||
      llvm::MulOverflow(int64_t(elements), int64_t(getBits(lt.data_type)),
                        bits))
    return SIZE_MAX;
  return llvm::divideCeil(uint64_t(bits), 8);
}

size_t dnnlgraph::getAllocationBytes(const LT &lt) {
  size_t bytes = SIZE_MAX;
  if (dnnl_graph_logical_tensor_get_mem_size(&lt, &bytes) ||
      bytes == SIZE_MAX || bytes == 0 || lt.ndims == 0 ||
      lt.layout_type == dnnl_graph_layout_type_opaque)
    return bytes;
  int64_t last = 0;
  for (auto [i, size] : llvm::enumerate(getDims(lt))) {
    int64_t distance;
    if (llvm::MulOverflow(size - 1, lt.layout.strides[i], distance) ||
        llvm::AddOverflow(last, distance, last))
      return SIZE_MAX;
  }
  int64_t bits;
  if (llvm::MulOverflow(last + 1, int64_t(getBits(lt.data_type)), bits))
    return SIZE_MAX;
  return std::max<size_t>(bytes, llvm::divideCeil(uint64_t(bits), 8));
}

bool dnnlgraph::areEqual(const LT &a, const LT &b) {
  if (a.id != b.id || a.ndims != b.ndims || a.data_type != b.data_type ||
      a.property != b.property || a.layout_type != b.layout_type ||
      getDims(a) != getDims(b))
    return false;
  if (a.layout_type == dnnl_graph_layout_type_opaque)
    return a.layout.layout_id == b.layout.layout_id;
  if (a.layout_type == dnnl_graph_layout_type_strided && a.ndims > 0)
    return std::equal(a.layout.strides, a.layout.strides + a.ndims,
                      b.layout.strides);
  return true;
}

void dnnlgraph::appendKey(std::string &key, const LT &lt) {
  // Collected first: compilations that find their code do little else.
  char bytes[sizeof(LT)];
  size_t size = 0;
  auto append = [&](const void *data, size_t count) {
    std::memcpy(bytes + size, data, count);
    size += count;
  };
  const int fields[] = {lt.ndims, lt.data_type, lt.property, lt.layout_type};
  append(&lt.id, sizeof(lt.id));
  append(fields, sizeof(fields));
  size_t dims = getDims(lt).size() * sizeof(int64_t);
  append(lt.dims, dims);
  if (lt.layout_type == dnnl_graph_layout_type_opaque)
    append(&lt.layout.layout_id, sizeof(lt.layout.layout_id));
  if (lt.layout_type == dnnl_graph_layout_type_strided)
    append(lt.layout.strides, dims);
  key.append(bytes, size);
}

mlir::Type dnnlgraph::getElementType(dnnl_data_type_t type,
                                     mlir::MLIRContext *context) {
  mlir::Builder b(context);
  switch (type) {
  case dnnl_f16:
    return b.getF16Type();
  case dnnl_bf16:
    return b.getBF16Type();
  case dnnl_f64:
    return b.getF64Type();
  case dnnl_s32:
    return b.getIntegerType(32, /*isSigned=*/true);
  case dnnl_s8:
    return b.getIntegerType(8, /*isSigned=*/true);
  case dnnl_u8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case dnnl_s4:
    return b.getIntegerType(4, /*isSigned=*/true);
  case dnnl_u4:
    return b.getIntegerType(4, /*isSigned=*/false);
  case dnnl_boolean:
    return b.getI1Type();
  case dnnl_f8_e5m2:
    return b.getType<mlir::Float8E5M2Type>();
  case dnnl_f8_e4m3:
    return b.getType<mlir::Float8E4M3FNType>();
  case dnnl_s64:
    // Counters of random numbers, which wrap around.
    return b.getIntegerType(64, /*isSigned=*/false);
  case dnnl_e8m0:
    return b.getType<mlir::Float8E8M0FNUType>();
  case dnnl_f4_e2m1:
  case dnnl_f4_e3m0:
    return b.getType<mlir::Float4E2M1FNType>();
  default:
    return b.getF32Type();
  }
}

onednn::LogicalTensor dnnlgraph::convert(const LT &lt,
                                         mlir::MLIRContext *context) {
  onednn::LogicalTensor tensor{lt.id,
                               getElementType(lt.data_type, context),
                               {},
                               std::nullopt,
                               onednn::Property::Variable};
  // Elements of 4 bits are unpacked in every execution.
  if (lt.property == dnnl_graph_tensor_property_constant &&
      getBits(lt.data_type) >= 8)
    tensor.property = onednn::Property::Constant;
  tensor.isRanked = lt.ndims >= 0;
  for (int64_t size : getDims(lt))
    tensor.shape.push_back(size >= 0 ? size : mlir::ShapedType::kDynamic);
  if (lt.layout_type == dnnl_graph_layout_type_strided && lt.ndims > 0 &&
      std::all_of(lt.layout.strides, lt.layout.strides + lt.ndims,
                  [](int64_t stride) { return stride >= 0; }))
    tensor.strides = llvm::SmallVector<int64_t>(lt.layout.strides,
                                                lt.layout.strides + lt.ndims);
  return tensor;
}

static dnnl_status_t initialize(LT *lt, size_t id, dnnl_data_type_t type,
                                int32_t ndims, dnnl_graph_layout_type_t layout,
                                dnnl_graph_tensor_property_t property) {
  LT result = {};
  result.id = id;
  result.ndims = ndims;
  result.data_type = type;
  result.property = property;
  result.layout_type = layout;
  std::fill_n(result.dims, DNNL_MAX_NDIMS, kUnknown);
  std::fill_n(result.layout.strides, DNNL_MAX_NDIMS, kUnknown);
  if (layout == dnnl_graph_layout_type_opaque)
    result.layout.layout_id = SIZE_MAX;
  if (!isWellFormed(result))
    return dnnl_invalid_arguments;
  if (property == dnnl_graph_tensor_property_host_scalar &&
      (ndims != 0 ||
       (type != dnnl_s32 && type != dnnl_f32 && type != dnnl_s64)))
    return dnnl_invalid_arguments;
  *lt = result;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_init(
    LT *logical_tensor, size_t tid, dnnl_data_type_t dtype, int32_t ndims,
    dnnl_graph_layout_type_t ltype, dnnl_graph_tensor_property_t ptype) {
  if (!logical_tensor)
    return dnnl_invalid_arguments;
  return initialize(logical_tensor, tid, dtype, ndims, ltype, ptype);
}

dnnl_status_t dnnl_graph_logical_tensor_init_with_dims(
    LT *logical_tensor, size_t tid, dnnl_data_type_t dtype, int32_t ndims,
    const dnnl_dims_t dims, dnnl_graph_layout_type_t ltype,
    dnnl_graph_tensor_property_t ptype) {
  if (!logical_tensor || ndims < 0 || (!dims && ndims > 0))
    return dnnl_invalid_arguments;
  LT result;
  if (dnnl_status_t status =
          initialize(&result, tid, dtype, ndims, ltype, ptype))
    return status;
  std::copy_n(dims, ndims, result.dims);
  if (!isWellFormed(result))
    return dnnl_invalid_arguments;
  if (ltype == dnnl_graph_layout_type_strided && hasShape(result) &&
      !getRowMajorStrides(getDims(result), result.layout.strides))
    return dnnl_invalid_arguments;
  *logical_tensor = result;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_init_with_strides(
    LT *logical_tensor, size_t tid, dnnl_data_type_t dtype, int32_t ndims,
    const dnnl_dims_t dims, const dnnl_dims_t strides,
    dnnl_graph_tensor_property_t ptype) {
  if (!logical_tensor || ndims < 0 || ((!dims || !strides) && ndims > 0))
    return dnnl_invalid_arguments;
  LT result;
  if (dnnl_status_t status = initialize(&result, tid, dtype, ndims,
                                        dnnl_graph_layout_type_strided, ptype))
    return status;
  std::copy_n(dims, ndims, result.dims);
  std::copy_n(strides, ndims, result.layout.strides);
  if (!isWellFormed(result))
    return dnnl_invalid_arguments;
  *logical_tensor = result;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_get_mem_size(const LT *logical_tensor,
                                                     size_t *size) {
  if (!logical_tensor || !size || !isWellFormed(*logical_tensor))
    return dnnl_invalid_arguments;
  const LT &lt = *logical_tensor;
  *size = SIZE_MAX;
  if (lt.ndims == 0)
    *size = llvm::divideCeil(getBits(lt.data_type), 8);
  else if (!hasShape(lt))
    *size = SIZE_MAX;
  else if (llvm::is_contained(getDims(lt), 0))
    *size = 0;
  else if (lt.layout_type == dnnl_graph_layout_type_opaque)
    *size = getOpaqueBytes(lt);
  else if (lt.layout_type == dnnl_graph_layout_type_strided &&
           std::all_of(lt.layout.strides, lt.layout.strides + lt.ndims,
                       [](int64_t stride) { return stride >= 0; }))
    *size = getStridedBytes(getDims(lt), lt.layout.strides, lt.data_type);
  return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_is_equal(const LT *lt1, const LT *lt2,
                                                 uint8_t *is_equal) {
  if (!lt1 || !lt2 || !is_equal)
    return dnnl_invalid_arguments;
  *is_equal = isWellFormed(*lt1) && isWellFormed(*lt2) && areEqual(*lt1, *lt2);
  return dnnl_success;
}
