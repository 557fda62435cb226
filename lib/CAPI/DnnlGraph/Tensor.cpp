// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensor.h"
#include "Status.h"
#include "oneapi/dnnl/dnnl_types.h"

#include <cstring>
#include <memory>

using namespace gc::dnnlgraph;

static bool isHostScalar(const LT &lt) {
  return lt.property == dnnl_graph_tensor_property_host_scalar;
}

dnnl_status_t dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor,
                                       const LT *logical_tensor,
                                       dnnl_engine_t engine, void *handle) {
  if (!tensor || !logical_tensor || !engine || !isWellFormed(*logical_tensor) ||
      isHostScalar(*logical_tensor))
    return dnnl_invalid_arguments;
  return guard([&]() -> dnnl_status_t {
    auto result = std::make_unique<dnnl_graph_tensor>(*logical_tensor);
    result->engine = EngineUser(engine);
    result->handle = handle;
    if (handle == DNNL_MEMORY_ALLOCATE) {
      if (result->bytes == SIZE_MAX)
        return fail(dnnl_invalid_arguments,
                    "memory of unknown size cannot be allocated");
      result->allocator = getAllocator(engine);
      result->owned =
          result->allocator.allocate(result->bytes, kTensorAlignment);
      if (!result->owned && result->bytes > 0)
        return dnnl_out_of_memory;
      result->handle = result->owned;
    }
    *tensor = result.release();
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_tensor_create_scalar(dnnl_graph_tensor_t *tensor,
                                              const LT *logical_tensor,
                                              void *scalar) {
  if (!tensor || !logical_tensor || !scalar || !isWellFormed(*logical_tensor) ||
      !isHostScalar(*logical_tensor) || logical_tensor->ndims != 0)
    return dnnl_invalid_arguments;
  return guard([&] {
    auto result = std::make_unique<dnnl_graph_tensor>(*logical_tensor);
    result->isScalar = true;
    std::memcpy(result->scalar, scalar, getBits(logical_tensor->data_type) / 8);
    *tensor = result.release();
    return dnnl_success;
  });
}

dnnl_status_t dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor) {
  if (tensor && tensor->owned)
    tensor->allocator.free(tensor->owned);
  delete tensor;
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_tensor_get_data_handle(const_dnnl_graph_tensor_t tensor,
                                  void **handle) {
  if (!tensor || !handle)
    return dnnl_invalid_arguments;
  *handle = tensor->handle;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor,
                                                void *handle) {
  if (!tensor || tensor->isScalar)
    return dnnl_invalid_arguments;
  tensor->handle = handle;
  return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_get_engine(const_dnnl_graph_tensor_t tensor,
                                           dnnl_engine_t *engine) {
  if (!tensor || !engine)
    return dnnl_invalid_arguments;
  *engine = tensor->engine.get();
  return dnnl_success;
}

dnnl_status_t
dnnl_graph_tensor_get_logical_tensor(const_dnnl_graph_tensor_t tensor,
                                     LT *logical_tensor) {
  if (!tensor || !logical_tensor)
    return dnnl_invalid_arguments;
  *logical_tensor = tensor->lt;
  return dnnl_success;
}
