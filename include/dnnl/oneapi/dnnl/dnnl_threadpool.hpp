// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Streams on the threads of the application, for C++.

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_HPP

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

namespace dnnl {
namespace threadpool_interop {

/// A stream that runs on a pool, which must outlive it.
inline dnnl::stream make_stream(const dnnl::engine &aengine,
                                threadpool_iface *threadpool) {
  dnnl_stream_t object = nullptr;
  dnnl::error::wrap_c_api(
      dnnl_threadpool_interop_stream_create(&object, aengine.get(), threadpool),
      "could not create a stream on a thread pool");
  return dnnl::stream(object);
}

/// The pool of a stream.
inline threadpool_iface *get_threadpool(const dnnl::stream &astream) {
  void *pool = nullptr;
  dnnl::error::wrap_c_api(
      dnnl_threadpool_interop_stream_get_threadpool(astream.get(), &pool),
      "could not get the thread pool of a stream");
  return static_cast<threadpool_iface *>(pool);
}

} // namespace threadpool_interop
} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_THREADPOOL_HPP
