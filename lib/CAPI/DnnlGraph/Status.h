// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How errors and exceptions become statuses.

#ifndef GC_LIB_CAPI_DNNLGRAPH_STATUS_H
#define GC_LIB_CAPI_DNNLGRAPH_STATUS_H

#include "oneapi/dnnl/dnnl_common.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <exception>
#include <new>

namespace gc::dnnlgraph {

/// Returns the status; prints the reason when dnnl_set_verbose asks for it.
dnnl_status_t fail(dnnl_status_t status, const llvm::Twine &reason) noexcept;
dnnl_status_t fail(dnnl_status_t status, llvm::Error reason) noexcept;

/// Calls a function that returns a status; no exception escapes.
template <typename Function>
dnnl_status_t guard(Function &&function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return dnnl_out_of_memory;
  } catch (const std::exception &exception) {
    return fail(dnnl_runtime_error, exception.what());
  } catch (...) {
    return fail(dnnl_runtime_error, "an unknown exception");
  }
}

} // namespace gc::dnnlgraph

#endif // GC_LIB_CAPI_DNNLGRAPH_STATUS_H
