// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of the primitive interface that graph programs use, for C++: memory
// with strides and reorders.

#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dnnl {

template <>
struct handle_traits<dnnl_memory_desc_t> {
  static dnnl_status_t destructor(dnnl_memory_desc_t object) {
    return dnnl_memory_desc_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_memory_t> {
  static dnnl_status_t destructor(dnnl_memory_t object) {
    return dnnl_memory_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_primitive_desc_t> {
  static dnnl_status_t destructor(dnnl_primitive_desc_t object) {
    return dnnl_primitive_desc_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_primitive_t> {
  static dnnl_status_t destructor(dnnl_primitive_t object) {
    return dnnl_primitive_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_primitive_attr_t> {
  static dnnl_status_t destructor(dnnl_primitive_attr_t object) {
    return dnnl_primitive_attr_destroy(object);
  }
};

/// Elements with a description, in memory of the caller or of its own.
struct memory : public handle<dnnl_memory_t> {
  using handle<dnnl_memory_t>::handle;

  using dim = dnnl_dim_t;
  using dims = std::vector<dim>;

  template <typename T>
  static void validate_dims(const std::vector<T> &values, int min_size = 0) {
    if (values.size() < static_cast<size_t>(min_size) ||
        values.size() > DNNL_MAX_NDIMS)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "the number of dimensions is out of range");
  }

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

  static size_t data_type_size(data_type adata_type) {
    return dnnl_data_type_size(static_cast<dnnl_data_type_t>(adata_type));
  }

  enum class format_kind {
    undef = dnnl_format_kind_undef,
    any = dnnl_format_kind_any,
    blocked = dnnl_blocked
  };

  enum class format_tag {
    undef = dnnl_format_tag_undef,
    any = dnnl_format_tag_any,
    a = dnnl_a,
    ab = dnnl_ab,
    abc = dnnl_abc,
    abcd = dnnl_abcd,
    abcde = dnnl_abcde,
    abcdef = dnnl_abcdef,
    abcdefg = dnnl_abcdefg,
    abcdefgh = dnnl_abcdefgh,
    abcdefghi = dnnl_abcdefghi,
    abcdefghij = dnnl_abcdefghij,
    abcdefghijk = dnnl_abcdefghijk,
    abcdefghijkl = dnnl_abcdefghijkl,
    x = a,
    nc = ab,
    ncw = abc,
    nchw = abcd,
    ncdhw = abcde
  };

  /// Shape, element type and strides.
  struct desc : public handle<dnnl_memory_desc_t> {
    using handle<dnnl_memory_desc_t>::handle;
    friend struct memory;

    desc() = default;
    desc(const dims &adims, data_type adata_type, format_tag aformat_tag,
         bool allow_empty = false) {
      validate_dims(adims);
      dnnl_memory_desc_t object = nullptr;
      dnnl_status_t status = dnnl_memory_desc_create_with_tag(
          &object, static_cast<int>(adims.size()), adims.data(),
          static_cast<dnnl_data_type_t>(adata_type),
          static_cast<dnnl_format_tag_t>(aformat_tag));
      if (!allow_empty)
        error::wrap_c_api(status,
                          "could not describe memory with a format tag");
      reset(object);
    }
    desc(const dims &adims, data_type adata_type, const dims &strides,
         bool allow_empty = false) {
      validate_dims(adims);
      if (!strides.empty() && strides.size() != adims.size())
        DNNL_THROW_ERROR(dnnl_invalid_arguments,
                         "memory has as many strides as sizes");
      dnnl_memory_desc_t object = nullptr;
      dnnl_status_t status = dnnl_memory_desc_create_with_strides(
          &object, static_cast<int>(adims.size()), adims.data(),
          static_cast<dnnl_data_type_t>(adata_type),
          strides.empty() ? nullptr : strides.data());
      if (!allow_empty)
        error::wrap_c_api(status, "could not describe memory with strides");
      reset(object);
    }

    int get_ndims() const { return query<int>(dnnl_query_ndims_s32); }
    dims get_dims() const { return query_dims(dnnl_query_dims); }
    dims get_padded_dims() const { return query_dims(dnnl_query_padded_dims); }
    dims get_strides() const { return query_dims(dnnl_query_strides); }
    data_type get_data_type() const {
      return static_cast<data_type>(
          query<dnnl_data_type_t>(dnnl_query_data_type));
    }
    format_kind get_format_kind() const {
      return static_cast<format_kind>(
          query<dnnl_format_kind_t>(dnnl_query_format_kind));
    }
    int get_inner_nblks() const {
      return query<int>(dnnl_query_inner_nblks_s32);
    }
    size_t get_size(int index = 0) const {
      return dnnl_memory_desc_get_size_v2(get(true), index);
    }
    bool is_zero() const { return get_ndims() == 0; }

    bool operator==(const desc &other) const {
      return dnnl_memory_desc_equal(get(true), other.get(true)) != 0;
    }
    bool operator!=(const desc &other) const { return !(*this == other); }

  private:
    template <typename T>
    T query(dnnl_query_t what) const {
      T result{};
      if (!get(true))
        return result;
      return dnnl_memory_desc_query_v2(get(), what, 0, &result) == dnnl_success
                 ? result
                 : T{};
    }
    dims query_dims(dnnl_query_t what) const {
      auto values = query<const dnnl_dims_t *>(what);
      if (!values)
        return {};
      return dims(*values, *values + get_ndims());
    }
  };

  memory() = default;
  memory(const desc &md, const engine &aengine, void *handle) {
    create(md, aengine, handle);
  }
  /// Allocates memory that lives as long as the object.
  memory(const desc &md, const engine &aengine) {
    create(md, aengine, DNNL_MEMORY_ALLOCATE);
  }

  desc get_desc() const {
    const_dnnl_memory_desc_t borrowed = nullptr;
    error::wrap_c_api(dnnl_memory_get_memory_desc(get(), &borrowed),
                      "could not get the description of memory");
    dnnl_memory_desc_t copy = nullptr;
    error::wrap_c_api(dnnl_memory_desc_clone(&copy, borrowed),
                      "could not copy the description of memory");
    return desc(copy);
  }
  engine get_engine() const {
    dnnl_engine_t object = nullptr;
    error::wrap_c_api(dnnl_memory_get_engine(get(), &object),
                      "could not get the engine of memory");
    return engine(object, true);
  }
  void *get_data_handle(int index = 0) const {
    void *handle = nullptr;
    error::wrap_c_api(dnnl_memory_get_data_handle_v2(get(), &handle, index),
                      "could not get the data handle of memory");
    return handle;
  }
  void set_data_handle(void *handle, int index = 0) const {
    error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), handle, index),
                      "could not set the data handle of memory");
  }
  template <typename T = void>
  T *map_data() const {
    void *mapped = nullptr;
    error::wrap_c_api(dnnl_memory_map_data(get(), &mapped),
                      "could not map memory");
    return static_cast<T *>(mapped);
  }
  void unmap_data(void *mapped_ptr) const {
    error::wrap_c_api(dnnl_memory_unmap_data(get(), mapped_ptr),
                      "could not unmap memory");
  }

private:
  void create(const desc &md, const engine &aengine, void *handle) {
    dnnl_memory_t object = nullptr;
    error::wrap_c_api(
        dnnl_memory_create_v2(&object, md.get(true), aengine.get(), 1, &handle),
        "could not create memory");
    reset(object);
  }
};

/// Settings of a primitive, of which there are none.
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
  using handle<dnnl_primitive_attr_t>::handle;

  primitive_attr() {
    dnnl_primitive_attr_t object = nullptr;
    error::wrap_c_api(dnnl_primitive_attr_create(&object),
                      "could not create the attributes of a primitive");
    reset(object);
  }
};

/// A computation that is ready to run.
struct primitive : public handle<dnnl_primitive_t> {
  using handle<dnnl_primitive_t>::handle;

  primitive() = default;
  explicit primitive(const_dnnl_primitive_desc_t c_pd) {
    dnnl_primitive_t object = nullptr;
    error::wrap_c_api(dnnl_primitive_create(&object, c_pd),
                      "could not create a primitive");
    reset(object);
  }

  void execute(const stream &astream,
               const std::unordered_map<int, memory> &args) const {
    std::vector<dnnl_exec_arg_t> c_args;
    for (const auto &entry : args)
      c_args.push_back({entry.first, entry.second.get(true)});
    error::wrap_c_api(dnnl_primitive_execute(get(), astream.get(),
                                             static_cast<int>(c_args.size()),
                                             c_args.data()),
                      "could not execute a primitive");
  }
};

/// Copies and converts elements.
struct reorder : public primitive {
  struct primitive_desc : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    primitive_desc() = default;
    primitive_desc(const engine &src_engine, const memory::desc &src_md,
                   const engine &dst_engine, const memory::desc &dst_md,
                   const primitive_attr &attr = primitive_attr(),
                   bool allow_empty = false) {
      dnnl_primitive_desc_t object = nullptr;
      dnnl_status_t status = dnnl_reorder_primitive_desc_create(
          &object, src_md.get(true), src_engine.get(), dst_md.get(true),
          dst_engine.get(), attr.get(true));
      if (!allow_empty)
        error::wrap_c_api(status, "could not describe a reorder");
      reset(object);
    }
    primitive_desc(const memory &src, const memory &dst,
                   const primitive_attr &attr = primitive_attr(),
                   bool allow_empty = false)
        : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(),
                         dst.get_desc(), attr, allow_empty) {}
  };

  reorder() = default;
  explicit reorder(const primitive_desc &pd) : primitive(pd.get()) {}
  reorder(const memory &src, const memory &dst,
          const primitive_attr &attr = primitive_attr())
      : primitive(primitive_desc(src, dst, attr).get()) {}

  using primitive::execute;
  void execute(const stream &astream, memory &src, memory &dst) const {
    primitive::execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
  }
};

enum class cpu_isa {
  isa_default = dnnl_cpu_isa_default,
  sse41 = dnnl_cpu_isa_sse41,
  avx = dnnl_cpu_isa_avx,
  avx2 = dnnl_cpu_isa_avx2,
  avx2_vnni = dnnl_cpu_isa_avx2_vnni,
  avx512_core = dnnl_cpu_isa_avx512_core,
  avx512_core_vnni = dnnl_cpu_isa_avx512_core_vnni,
  avx512_core_bf16 = dnnl_cpu_isa_avx512_core_bf16,
  avx512_core_fp16 = dnnl_cpu_isa_avx512_core_fp16
};

inline cpu_isa get_effective_cpu_isa() {
  return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_HPP
