// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Damaged texts, the same for the same random numbers.

#ifndef GC_TOOLS_GC_FUZZ_TEXTMUTANTS_H
#define GC_TOOLS_GC_FUZZ_TEXTMUTANTS_H

#include "Random.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace gc::fuzz {

/// `text` with one to three edits: bytes, tokens, numbers, pieces cut out or
/// repeated, and pieces of `other`.
std::string mutateText(Random &random, llvm::StringRef text,
                       llvm::StringRef other);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_TEXTMUTANTS_H
