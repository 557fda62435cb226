// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The file that keeps the fastest plan of each problem. Several tuners may have
// one: each reads it again under a lock (a file beside it, whose name ends with
// .lock) before it writes, and readers see whole files only.

#ifndef GC_TOOLS_GC_TUNE_DATABASE_H
#define GC_TOOLS_GC_TUNE_DATABASE_H

#include "Dialect/Poly/Transforms/KernelPlan.h"

namespace gc::tune {

/// The plans of a file for a machine with this fingerprint; none if there is no
/// file. An error if it is something else, or for something else.
llvm::Expected<poly::PlanFile> readDatabase(llvm::StringRef path,
                                            llvm::StringRef machine);

/// Adds a measured plan. A plan of its problem that takes fewer cycles stays.
llvm::Error addToDatabase(llvm::StringRef path, llvm::StringRef machine,
                          poly::KernelPlan plan);

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_DATABASE_H
