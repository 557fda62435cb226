// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The list of operations: the dialect's table, and which targets run them.

#ifndef GC_TOOLS_GC_TRANSLATE_OPLIST_H
#define GC_TOOLS_GC_TRANSLATE_OPLIST_H

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

enum class OpListFormat { text, markdown, json };

void printOpList(OpListFormat format, llvm::raw_ostream &os);

} // namespace gc

#endif // GC_TOOLS_GC_TRANSLATE_OPLIST_H
