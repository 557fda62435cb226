// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that tools write.

#ifndef GC_DRIVER_FILES_H
#define GC_DRIVER_FILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace gc {

/// Writes a file that appears under its name when it is complete; "-" is
/// standard output.
llvm::Error
writeFile(llvm::StringRef path,
          llvm::function_ref<llvm::Error(llvm::raw_pwrite_stream &)> write);

/// Whether a file can be created here; checked before any expensive work.
llvm::Error checkFolder(llvm::StringRef path);

/// The same for a file, which must not be one of those that are read.
llvm::Error checkOutput(llvm::StringRef path,
                        llvm::ArrayRef<llvm::StringRef> inputs);

/// Checks a file that is written besides what is printed: standard output must
/// not be redirected to it. Each would overwrite the other.
llvm::Error checkNotStandardOutput(llvm::StringRef path);

/// Checks that no two of the files that are written are one. Empty names are
/// none; what goes to standard output and to devices is appended.
llvm::Error checkDistinct(llvm::ArrayRef<llvm::StringRef> paths);

} // namespace gc

#endif // GC_DRIVER_FILES_H
