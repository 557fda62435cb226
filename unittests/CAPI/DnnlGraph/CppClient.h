// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tests through the C++ header share.

#ifndef GC_UNITTESTS_CAPI_DNNLGRAPH_CPPCLIENT_H
#define GC_UNITTESTS_CAPI_DNNLGRAPH_CPPCLIENT_H

#include "oneapi/dnnl/dnnl_graph.hpp"

#include <functional>

namespace gc::dnnltest {

using LT = dnnl::graph::logical_tensor;

constexpr auto f32 = LT::data_type::f32;
constexpr auto strided = LT::layout_type::strided;

/// The status of the exception that the action throws, if it does.
inline dnnl_status_t getStatus(const std::function<void()> &action) {
  try {
    action();
  } catch (const dnnl::error &thrown) {
    return thrown.status;
  }
  return dnnl_success;
}

} // namespace gc::dnnltest

#endif // GC_UNITTESTS_CAPI_DNNLGRAPH_CPPCLIENT_H
