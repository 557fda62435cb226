// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.h"
#include "Next.h"
#include "Status.h"

#include <memory>

using namespace gc::dnnlgraph;

static dnnl_status_t describe(dnnl_memory_desc_t *result, int ndims,
                              const int64_t *dims, dnnl_data_type_t type,
                              const int64_t *strides) {
  if (!result || ndims < 0 || ndims > DNNL_MAX_NDIMS || (!dims && ndims > 0))
    return dnnl_invalid_arguments;
  LT lt;
  dnnl_status_t status =
      strides ? dnnl_graph_logical_tensor_init_with_strides(
                    &lt, 0, type, ndims, dims, strides,
                    dnnl_graph_tensor_property_undef)
              : dnnl_graph_logical_tensor_init_with_dims(
                    &lt, 0, type, ndims, dims, dnnl_graph_layout_type_strided,
                    dnnl_graph_tensor_property_undef);
  if (status)
    return status;
  if (!hasShape(lt) || getAllocationBytes(lt) == SIZE_MAX)
    return fail(dnnl_invalid_arguments,
                "memory has unknown or too large sizes or strides");
  return guard([&] {
    *result = new dnnl_memory_desc{lt};
    return dnnl_success;
  });
}

dnnl_status_t dnnl_memory_desc_create_with_strides(
    dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
    dnnl_data_type_t data_type, const dnnl_dims_t strides) {
  GC_FORWARD(dnnl_memory_desc_create_with_strides, memory_desc, ndims, dims,
             data_type, strides);
  return describe(memory_desc, ndims, dims, data_type, strides);
}

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc,
                                               int ndims,
                                               const dnnl_dims_t dims,
                                               dnnl_data_type_t data_type,
                                               dnnl_format_tag_t tag) {
  GC_FORWARD(dnnl_memory_desc_create_with_tag, memory_desc, ndims, dims,
             data_type, tag);
  if (tag == dnnl_format_tag_undef)
    return dnnl_invalid_arguments;
  // Tags of row-major orders follow each other.
  if (tag < dnnl_a || tag > dnnl_abcdefghijkl)
    return fail(dnnl_unimplemented, "only row-major format tags are known");
  if (tag - dnnl_a + 1 != ndims)
    return dnnl_invalid_arguments;
  return describe(memory_desc, ndims, dims, data_type, /*strides=*/nullptr);
}

dnnl_status_t
dnnl_memory_desc_clone(dnnl_memory_desc_t *memory_desc,
                       const_dnnl_memory_desc_t existing_memory_desc) {
  GC_FORWARD(dnnl_memory_desc_clone, memory_desc, existing_memory_desc);
  if (!memory_desc || !existing_memory_desc)
    return dnnl_invalid_arguments;
  return guard([&] {
    *memory_desc = new dnnl_memory_desc(*existing_memory_desc);
    return dnnl_success;
  });
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc) {
  GC_FORWARD(dnnl_memory_desc_destroy, memory_desc);
  delete memory_desc;
  return dnnl_success;
}

int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs,
                           const_dnnl_memory_desc_t rhs) {
  GC_FORWARD_OR(0, dnnl_memory_desc_equal, lhs, rhs);
  return lhs == rhs || (lhs && rhs && areEqual(lhs->lt, rhs->lt));
}

size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc,
                                    int index) {
  GC_FORWARD_OR(0, dnnl_memory_desc_get_size_v2, memory_desc, index);
  return memory_desc && index == 0 ? getAllocationBytes(memory_desc->lt) : 0;
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc) {
  GC_FORWARD_OR(0, dnnl_memory_desc_get_size, memory_desc);
  return dnnl_memory_desc_get_size_v2(memory_desc, 0);
}

size_t dnnl_data_type_size(dnnl_data_type_t data_type) {
  GC_FORWARD_OR(0, dnnl_data_type_size, data_type);
  return (getBits(data_type) + 7) / 8;
}

dnnl_status_t dnnl_memory_desc_query_v2(const_dnnl_memory_desc_t memory_desc,
                                        dnnl_query_t what, int index,
                                        void *result) {
  GC_FORWARD(dnnl_memory_desc_query_v2, memory_desc, what, index, result);
  if (!memory_desc || !result || index != 0)
    return dnnl_invalid_arguments;
  static const dnnl_dims_t zeros = {};
  const LT &lt = memory_desc->lt;
  auto answer = [&](auto value) {
    *static_cast<decltype(value) *>(result) = value;
    return dnnl_success;
  };
  switch (what) {
  case dnnl_query_ndims_s32:
    return answer(lt.ndims);
  case dnnl_query_dims:
  case dnnl_query_padded_dims:
    return answer(&lt.dims);
  case dnnl_query_data_type:
    return answer(lt.data_type);
  case dnnl_query_submemory_offset_s64:
    return answer(dnnl_dim_t(0));
  case dnnl_query_padded_offsets:
  case dnnl_query_inner_blks:
  case dnnl_query_inner_idxs:
    return answer(&zeros);
  case dnnl_query_format_kind:
    return answer(dnnl_blocked);
  case dnnl_query_inner_nblks_s32:
    return answer(0);
  case dnnl_query_strides:
    return answer(&lt.layout.strides);
  default:
    return dnnl_unimplemented;
  }
}

dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t memory_desc,
                                     dnnl_query_t what, void *result) {
  GC_FORWARD(dnnl_memory_desc_query, memory_desc, what, result);
  return dnnl_memory_desc_query_v2(memory_desc, what, 0, result);
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory,
                                    const_dnnl_memory_desc_t memory_desc,
                                    dnnl_engine_t engine, int nhandles,
                                    void **handles) {
  GC_FORWARD(dnnl_memory_create_v2, memory, memory_desc, engine, nhandles,
             handles);
  if (!memory || !memory_desc || !engine || nhandles != 1 || !handles)
    return dnnl_invalid_arguments;
  return guard([&]() -> dnnl_status_t {
    auto result = std::make_unique<dnnl_memory>();
    result->desc = *memory_desc;
    result->engine = EngineUser(engine);
    result->handle = *handles;
    if (*handles == DNNL_MEMORY_ALLOCATE) {
      size_t bytes = getAllocationBytes(memory_desc->lt);
      result->owned = getAllocator(engine).allocate(bytes, kTensorAlignment);
      if (!result->owned && bytes > 0)
        return dnnl_out_of_memory;
      result->handle = result->owned;
    }
    *memory = result.release();
    return dnnl_success;
  });
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
                                 const_dnnl_memory_desc_t memory_desc,
                                 dnnl_engine_t engine, void *handle) {
  GC_FORWARD(dnnl_memory_create, memory, memory_desc, engine, handle);
  return dnnl_memory_create_v2(memory, memory_desc, engine, 1, &handle);
}

dnnl_status_t
dnnl_memory_get_memory_desc(const_dnnl_memory_t memory,
                            const_dnnl_memory_desc_t *memory_desc) {
  GC_FORWARD(dnnl_memory_get_memory_desc, memory, memory_desc);
  if (!memory || !memory_desc)
    return dnnl_invalid_arguments;
  *memory_desc = &memory->desc;
  return dnnl_success;
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory,
                                     dnnl_engine_t *engine) {
  GC_FORWARD(dnnl_memory_get_engine, memory, engine);
  if (!memory || !engine)
    return dnnl_invalid_arguments;
  *engine = memory->engine.get();
  return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory,
                                             void **handle, int index) {
  GC_FORWARD(dnnl_memory_get_data_handle_v2, memory, handle, index);
  if (!memory || !handle || index != 0)
    return dnnl_invalid_arguments;
  *handle = memory->handle;
  return dnnl_success;
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory,
                                          void **handle) {
  GC_FORWARD(dnnl_memory_get_data_handle, memory, handle);
  return dnnl_memory_get_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void *handle,
                                             int index) {
  GC_FORWARD(dnnl_memory_set_data_handle_v2, memory, handle, index);
  if (!memory || index != 0)
    return dnnl_invalid_arguments;
  memory->handle = handle;
  return dnnl_success;
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle) {
  GC_FORWARD(dnnl_memory_set_data_handle, memory, handle);
  return dnnl_memory_set_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory,
                                   void **mapped_ptr) {
  GC_FORWARD(dnnl_memory_map_data, memory, mapped_ptr);
  return dnnl_memory_get_data_handle(memory, mapped_ptr);
}

dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory,
                                     void *mapped_ptr) {
  GC_FORWARD(dnnl_memory_unmap_data, memory, mapped_ptr);
  return memory ? dnnl_success : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
  GC_FORWARD(dnnl_memory_destroy, memory);
  if (memory && memory->owned)
    getAllocator(memory->engine.get()).free(memory->owned);
  delete memory;
  return dnnl_success;
}
