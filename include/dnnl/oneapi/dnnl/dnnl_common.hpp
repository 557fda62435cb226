// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the C++ forms of graphs and primitives share: errors, handles, engines
// and streams.

#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

#include "oneapi/dnnl/dnnl_common.h"

// Includes more than is used here: programs written for oneDNN rely on its
// header for these.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

#if DNNL_ENABLE_EXCEPTIONS
#define DNNL_THROW_ERROR(status, message) throw ::dnnl::error(status, message)
#else
#include <cstdio>
#define DNNL_THROW_ERROR(status, message)                                      \
  do {                                                                         \
    (void)(status);                                                            \
    std::fputs(message, stderr);                                               \
    std::abort();                                                              \
  } while (0)
#endif

namespace dnnl {

/// Thrown when a function of the C interface fails.
struct error : public std::exception {
  dnnl_status_t status;
  const char *message;

  error(dnnl_status_t status, const char *message)
      : status(status), message(message) {}
  const char *what() const noexcept override { return message; }

  static void wrap_c_api(dnnl_status_t status, const char *message) {
    if (status != dnnl_success)
      DNNL_THROW_ERROR(status, message);
  }
};

/// How a C handle of type T is destroyed.
template <typename T>
struct handle_traits {};

/// A C object that all copies share, or none. A weak handle does not own its
/// object.
template <typename T, typename traits = handle_traits<T>>
struct handle {
  handle() = default;
  handle(const handle &) = default;
  handle(handle &&) = default;
  handle &operator=(const handle &) = default;
  handle &operator=(handle &&) = default;
  explicit handle(T object, bool weak = false) { reset(object, weak); }

  void reset(T object, bool weak = false) {
    if (weak)
      data.reset(object, [](T) { return dnnl_success; });
    else
      data.reset(object, traits::destructor);
  }

  T get(bool allow_empty = false) const {
    T object = data.get();
    if (!allow_empty && !object)
      DNNL_THROW_ERROR(dnnl_invalid_arguments, "the object is empty");
    return object;
  }

  explicit operator T() const { return get(true); }
  explicit operator bool() const { return get(true) != nullptr; }

  bool operator==(const handle &other) const {
    return data.get() == other.data.get();
  }
  bool operator!=(const handle &other) const { return !(*this == other); }

protected:
  bool operator==(const T other) const { return data.get() == other; }
  bool operator!=(const T other) const { return data.get() != other; }

private:
  std::shared_ptr<typename std::remove_pointer<T>::type> data;
};

enum class status {
  success = dnnl_success,
  out_of_memory = dnnl_out_of_memory,
  invalid_arguments = dnnl_invalid_arguments,
  unimplemented = dnnl_unimplemented,
  last_impl_reached = dnnl_last_impl_reached,
  runtime_error = dnnl_runtime_error,
  not_required = dnnl_not_required,
  invalid_graph = dnnl_invalid_graph,
  invalid_graph_op = dnnl_invalid_graph_op,
  invalid_shape = dnnl_invalid_shape,
  invalid_data_type = dnnl_invalid_data_type
};

enum class fpmath_mode {
  strict = dnnl_fpmath_mode_strict,
  bf16 = dnnl_fpmath_mode_bf16,
  f16 = dnnl_fpmath_mode_f16,
  any = dnnl_fpmath_mode_any,
  tf32 = dnnl_fpmath_mode_tf32
};

inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode) {
  return static_cast<dnnl_fpmath_mode_t>(mode);
}

enum class accumulation_mode {
  strict = dnnl_accumulation_mode_strict,
  relaxed = dnnl_accumulation_mode_relaxed,
  any = dnnl_accumulation_mode_any,
  s32 = dnnl_accumulation_mode_s32,
  f32 = dnnl_accumulation_mode_f32,
  f16 = dnnl_accumulation_mode_f16
};

inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode) {
  return static_cast<dnnl_accumulation_mode_t>(mode);
}

template <>
struct handle_traits<dnnl_engine_t> {
  static dnnl_status_t destructor(dnnl_engine_t object) {
    return dnnl_engine_destroy(object);
  }
};

/// A device.
struct engine : public handle<dnnl_engine_t> {
  using handle<dnnl_engine_t>::handle;

  enum class kind { any = dnnl_any_engine, cpu = dnnl_cpu, gpu = dnnl_gpu };

  engine() = default;
  engine(kind akind, size_t index) {
    dnnl_engine_t object = nullptr;
    error::wrap_c_api(dnnl_engine_create(&object,
                                         static_cast<dnnl_engine_kind_t>(akind),
                                         index),
                      "could not create an engine");
    reset(object);
  }

  static size_t get_count(kind akind) {
    return dnnl_engine_get_count(static_cast<dnnl_engine_kind_t>(akind));
  }

  kind get_kind() const {
    dnnl_engine_kind_t result = dnnl_any_engine;
    error::wrap_c_api(dnnl_engine_get_kind(get(), &result),
                      "could not get the kind of an engine");
    return static_cast<kind>(result);
  }
};

inline dnnl_engine_kind_t convert_to_c(engine::kind kind) {
  return static_cast<dnnl_engine_kind_t>(kind);
}

template <>
struct handle_traits<dnnl_stream_t> {
  static dnnl_status_t destructor(dnnl_stream_t object) {
    return dnnl_stream_destroy(object);
  }
};

/// Where executions are submitted.
struct stream : public handle<dnnl_stream_t> {
  using handle<dnnl_stream_t>::handle;

  enum class flags : unsigned {
    in_order = dnnl_stream_in_order,
    out_of_order = dnnl_stream_out_of_order,
    profiling = dnnl_stream_profiling,
    default_flags = dnnl_stream_default_flags
  };

  stream() = default;
  explicit stream(const engine &aengine, flags aflags = flags::default_flags) {
    dnnl_stream_t object = nullptr;
    error::wrap_c_api(dnnl_stream_create(&object, aengine.get(),
                                         static_cast<unsigned>(aflags)),
                      "could not create a stream");
    reset(object);
  }

  engine get_engine() const {
    dnnl_engine_t object = nullptr;
    error::wrap_c_api(dnnl_stream_get_engine(get(), &object),
                      "could not get the engine of a stream");
    return engine(object, true);
  }

  stream &wait() {
    error::wrap_c_api(dnnl_stream_wait(get()), "could not wait for a stream");
    return *this;
  }
};

inline stream::flags operator|(stream::flags l, stream::flags r) {
  return static_cast<stream::flags>(static_cast<unsigned>(l) |
                                    static_cast<unsigned>(r));
}
inline stream::flags operator&(stream::flags l, stream::flags r) {
  return static_cast<stream::flags>(static_cast<unsigned>(l) &
                                    static_cast<unsigned>(r));
}

using version_t = dnnl_version_t;
inline const version_t *version() { return dnnl_version(); }

inline status set_verbose(int level) {
  return static_cast<status>(dnnl_set_verbose(level));
}

inline fpmath_mode get_default_fpmath_mode() {
  dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
  error::wrap_c_api(dnnl_get_default_fpmath_mode(&mode),
                    "could not get the default floating-point mode");
  return static_cast<fpmath_mode>(mode);
}

inline status set_default_fpmath_mode(fpmath_mode mode) {
  return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_COMMON_HPP
