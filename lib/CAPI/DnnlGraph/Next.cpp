// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Next.h"
#include "Status.h"
#include "oneapi/dnnl/dnnl_common.h"
#include "llvm/ADT/StringRef.h"

#include <dlfcn.h>

using namespace gc::dnnlgraph;

static bool findVersion3() {
  auto *version = reinterpret_cast<decltype(&dnnl_version)>(
      dlsym(RTLD_NEXT, "dnnl_version"));
  if (!version)
    return false;
  const dnnl_version_t *answer = version();
  // A second copy of this library is not another library.
  return answer && answer->major == 3 &&
         !llvm::StringRef(answer->hash ? answer->hash : "")
              .starts_with(DNNL_VERSION_HASH);
}

bool gc::dnnlgraph::hasNext() {
  static const bool found = findVersion3();
  return found;
}

void *gc::dnnlgraph::findNextSymbol(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

dnnl_status_t gc::dnnlgraph::reportMissing(const char *name) noexcept {
  return fail(dnnl_unimplemented,
              llvm::Twine(name) + ": the primitive library does not have it");
}
