// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The library of the primitive interface that comes after this one in the
// search order of symbols: libdnnl, in a process that has both. Engines,
// streams, memory and primitives are then its objects, and the functions for
// them pass its callers on; only the graph functions are those of this library.

#ifndef GC_LIB_CAPI_DNNLGRAPH_NEXT_H
#define GC_LIB_CAPI_DNNLGRAPH_NEXT_H

#include "oneapi/dnnl/dnnl_common_types.h"

namespace gc::dnnlgraph {

/// Whether there is one, of major version 3. Others have other objects, and are
/// not called. Decided once, by the first call of this library.
bool hasNext();

/// Its function of this name; null if it has none.
void *findNextSymbol(const char *name);

/// The same as a pointer to a function of the type of `mine`.
template <typename Function>
Function *findNext(Function *mine, const char *name) {
  (void)mine;
  return reinterpret_cast<Function *>(findNextSymbol(name));
}

/// Says that the next library lacks a function.
dnnl_status_t reportMissing(const char *name) noexcept;

} // namespace gc::dnnlgraph

/// In a function of the interface: returns what the function of the next
/// library returns, if there is such a library, or `missing` if it lacks the
/// function.
#define GC_FORWARD_OR(missing, function, ...)                                  \
  do {                                                                         \
    if (gc::dnnlgraph::hasNext()) {                                            \
      static auto *const next =                                                \
          gc::dnnlgraph::findNext(&::function, #function);                     \
      return next ? next(__VA_ARGS__) : (missing);                             \
    }                                                                          \
  } while (false)

/// The same for a function that returns a status.
#define GC_FORWARD(function, ...)                                              \
  GC_FORWARD_OR(gc::dnnlgraph::reportMissing(#function), function, __VA_ARGS__)

#endif // GC_LIB_CAPI_DNNLGRAPH_NEXT_H
