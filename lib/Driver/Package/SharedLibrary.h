// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared libraries, by the system's own linker.

#ifndef GC_LIB_DRIVER_PACKAGE_SHAREDLIBRARY_H
#define GC_LIB_DRIVER_PACKAGE_SHAREDLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gc {

/// Links an object file and the static runtime into a shared library that
/// exports what the package's header declares. `linker`: a compiler driver, by
/// default the first of c++, g++ and clang++ on PATH.
llvm::Error linkSharedLibrary(llvm::StringRef object, llvm::StringRef library,
                              llvm::StringRef name, bool needsKernels,
                              llvm::StringRef linker);

} // namespace gc

#endif // GC_LIB_DRIVER_PACKAGE_SHAREDLIBRARY_H
