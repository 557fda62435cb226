// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of the graph interface for C++ that describes and holds tensors:
// allocators, logical tensors, tensors. Programs include dnnl_graph.hpp.

#ifndef ONEAPI_DNNL_DNNL_GRAPH_TENSOR_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_TENSOR_HPP

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

#include <cstdint>
#include <vector>

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_allocator_t> {
  static dnnl_status_t destructor(dnnl_graph_allocator_t object) {
    // A shared pointer that is reset to null calls its deleter too.
    return object ? dnnl_graph_allocator_destroy(object) : dnnl_success;
  }
};
template <>
struct handle_traits<dnnl_graph_tensor_t> {
  static dnnl_status_t destructor(dnnl_graph_tensor_t object) {
    return dnnl_graph_tensor_destroy(object);
  }
};

namespace graph {

using dnnl::engine;
using dnnl::error;
using dnnl::fpmath_mode;
using dnnl::status;
using dnnl::stream;

/// Callbacks for memory.
class allocator : public handle<dnnl_graph_allocator_t> {
public:
  using handle<dnnl_graph_allocator_t>::handle;

  allocator(dnnl_graph_host_allocate_f host_malloc,
            dnnl_graph_host_deallocate_f host_free) {
    create(host_malloc, host_free);
  }
  /// The library's own.
  allocator() { create(nullptr, nullptr); }

private:
  void create(dnnl_graph_host_allocate_f host_malloc,
              dnnl_graph_host_deallocate_f host_free) {
    dnnl_graph_allocator_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_allocator_create(&object, host_malloc, host_free),
        "could not create an allocator");
    reset(object);
  }
};

inline engine make_engine_with_allocator(engine::kind kind, size_t index,
                                         const allocator &alloc) {
  dnnl_engine_t object = nullptr;
  error::wrap_c_api(dnnl_graph_make_engine_with_allocator(
                        &object, convert_to_c(kind), index, alloc.get()),
                    "could not make an engine with an allocator");
  return engine(object);
}

/// Id, type, sizes, property and layout of a tensor.
class logical_tensor {
public:
  using dim = dnnl_dim_t;
  using dims = std::vector<dim>;

  enum class data_type {
    undef = dnnl_data_type_undef,
    f16 = dnnl_f16,
    bf16 = dnnl_bf16,
    f32 = dnnl_f32,
    s32 = dnnl_s32,
    s8 = dnnl_s8,
    u8 = dnnl_u8,
    f64 = dnnl_f64,
    boolean = dnnl_boolean,
    f8_e5m2 = dnnl_f8_e5m2,
    f8_e4m3 = dnnl_f8_e4m3,
    s4 = dnnl_s4,
    u4 = dnnl_u4,
    e8m0 = dnnl_e8m0,
    f4_e2m1 = dnnl_f4_e2m1,
    f4_e3m0 = dnnl_f4_e3m0,
    s64 = dnnl_s64
  };
  enum class layout_type {
    undef = dnnl_graph_layout_type_undef,
    any = dnnl_graph_layout_type_any,
    strided = dnnl_graph_layout_type_strided,
    opaque = dnnl_graph_layout_type_opaque
  };
  enum class property_type {
    undef = dnnl_graph_tensor_property_undef,
    variable = dnnl_graph_tensor_property_variable,
    constant = dnnl_graph_tensor_property_constant,
    host_scalar = dnnl_graph_tensor_property_host_scalar
  };

  dnnl_graph_logical_tensor_t data;

  logical_tensor() : data() {}
  explicit logical_tensor(const dnnl_graph_logical_tensor_t &c_data)
      : data(c_data) {}
  logical_tensor(const logical_tensor &other) = default;
  logical_tensor &operator=(const logical_tensor &other) = default;

  /// Sizes and strides are unknown.
  logical_tensor(size_t tid, data_type dtype, int32_t ndims, layout_type ltype,
                 property_type ptype = property_type::undef) {
    check(dnnl_graph_logical_tensor_init(&data, tid, convert(dtype), ndims,
                                         convert(ltype), convert(ptype)));
  }
  logical_tensor(size_t tid, data_type dtype,
                 layout_type ltype = layout_type::undef)
      : logical_tensor(tid, dtype, DNNL_GRAPH_UNKNOWN_NDIMS, ltype) {}
  logical_tensor(size_t tid, data_type dtype, const dims &adims,
                 layout_type ltype,
                 property_type ptype = property_type::undef) {
    check_rank(adims);
    if (adims.empty() && ptype == property_type::host_scalar)
      check(dnnl_graph_logical_tensor_init(&data, tid, convert(dtype), 0,
                                           convert(ltype), convert(ptype)));
    else
      check(dnnl_graph_logical_tensor_init_with_dims(
          &data, tid, convert(dtype), static_cast<int>(adims.size()),
          adims.data(), convert(ltype), convert(ptype)));
  }
  logical_tensor(size_t tid, data_type dtype, const dims &adims,
                 const dims &strides,
                 property_type ptype = property_type::undef) {
    check_rank(adims);
    if (adims.size() != strides.size())
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "a logical tensor has as many strides as sizes");
    check(dnnl_graph_logical_tensor_init_with_strides(
        &data, tid, convert(dtype), static_cast<int>(adims.size()),
        adims.data(), strides.data(), convert(ptype)));
  }
  /// An opaque layout.
  logical_tensor(size_t tid, data_type dtype, const dims &adims, size_t lid,
                 property_type ptype = property_type::undef) {
    check_rank(adims);
    check(dnnl_graph_logical_tensor_init_with_dims(
        &data, tid, convert(dtype), static_cast<int>(adims.size()),
        adims.data(), dnnl_graph_layout_type_opaque, convert(ptype)));
    data.layout.layout_id = lid;
    data.layout_type = dnnl_graph_layout_type_opaque;
  }

  dims get_dims() const {
    if (data.ndims < 0)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "the number of dimensions is unknown");
    return {data.dims, data.dims + data.ndims};
  }
  size_t get_id() const { return data.id; }
  data_type get_data_type() const {
    return static_cast<data_type>(data.data_type);
  }
  property_type get_property_type() const {
    return static_cast<property_type>(data.property);
  }
  layout_type get_layout_type() const {
    return static_cast<layout_type>(data.layout_type);
  }
  size_t get_layout_id() const {
    if (get_layout_type() != layout_type::opaque)
      DNNL_THROW_ERROR(dnnl_invalid_arguments, "the layout is not opaque");
    return data.layout.layout_id;
  }
  dims get_strides() const {
    if (get_layout_type() != layout_type::strided)
      DNNL_THROW_ERROR(dnnl_invalid_arguments, "the layout is not strided");
    if (data.ndims < 0)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "the number of dimensions is unknown");
    return {data.layout.strides, data.layout.strides + data.ndims};
  }
  size_t get_mem_size() const {
    size_t size = 0;
    error::wrap_c_api(dnnl_graph_logical_tensor_get_mem_size(&data, &size),
                      "could not get the size of a logical tensor");
    return size;
  }
  bool is_equal(const logical_tensor &other) const {
    uint8_t equal = 0;
    error::wrap_c_api(
        dnnl_graph_logical_tensor_is_equal(&data, &other.data, &equal),
        "could not compare logical tensors");
    return equal != 0;
  }

private:
  static dnnl_data_type_t convert(data_type value) {
    return static_cast<dnnl_data_type_t>(value);
  }
  static dnnl_graph_layout_type_t convert(layout_type value) {
    return static_cast<dnnl_graph_layout_type_t>(value);
  }
  static dnnl_graph_tensor_property_t convert(property_type value) {
    return static_cast<dnnl_graph_tensor_property_t>(value);
  }
  static void check(dnnl_status_t status) {
    error::wrap_c_api(status, "could not create a logical tensor");
  }
  static void check_rank(const dims &sizes) {
    if (sizes.size() > DNNL_MAX_NDIMS)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "a logical tensor has at most 12 dimensions");
  }
};

/// A logical tensor and where its elements are.
class tensor : public handle<dnnl_graph_tensor_t> {
public:
  using handle<dnnl_graph_tensor_t>::handle;

  tensor() = default;
  tensor(const logical_tensor &lt, const engine &aengine, void *handle) {
    create(lt, aengine, handle);
  }
  /// Allocates memory that lives as long as the tensor.
  tensor(const logical_tensor &lt, const engine &aengine) {
    create(lt, aengine, reinterpret_cast<void *>(~static_cast<size_t>(0)));
  }

  /// Copies the value of a host scalar.
  static tensor make_scalar_tensor(const logical_tensor &lt, void *scalar) {
    dnnl_graph_tensor_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_tensor_create_scalar(&object, &lt.data, scalar),
        "could not create a scalar tensor");
    return tensor(object);
  }

  void *get_data_handle() const {
    void *handle = nullptr;
    error::wrap_c_api(dnnl_graph_tensor_get_data_handle(get(), &handle),
                      "could not get the data handle of a tensor");
    return handle;
  }
  void set_data_handle(void *handle) {
    error::wrap_c_api(dnnl_graph_tensor_set_data_handle(get(), handle),
                      "could not set the data handle of a tensor");
  }
  engine get_engine() const {
    dnnl_engine_t object = nullptr;
    error::wrap_c_api(dnnl_graph_tensor_get_engine(get(), &object),
                      "could not get the engine of a tensor");
    return engine(object, true);
  }
  logical_tensor get_logical_tensor() const {
    dnnl_graph_logical_tensor_t lt;
    error::wrap_c_api(dnnl_graph_tensor_get_logical_tensor(get(), &lt),
                      "could not get the logical tensor of a tensor");
    return logical_tensor(lt);
  }

private:
  void create(const logical_tensor &lt, const engine &aengine, void *handle) {
    dnnl_graph_tensor_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_tensor_create(&object, &lt.data, aengine.get(), handle),
        "could not create a tensor");
    reset(object);
  }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_GRAPH_TENSOR_HPP
