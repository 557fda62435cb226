// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The list of operations: the dialect's table, and which targets run them.

#ifndef GC_TOOLS_GC_TRANSLATE_OPLIST_H
#define GC_TOOLS_GC_TRANSLATE_OPLIST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gc {

enum class OpListFormat { text, markdown, json };

/// With a folder of tests, tables also say which of them have an operation;
/// fails if it cannot be read.
llvm::Error printOpList(OpListFormat format, llvm::StringRef tests,
                        llvm::raw_ostream &os);

} // namespace gc

#endif // GC_TOOLS_GC_TRANSLATE_OPLIST_H
