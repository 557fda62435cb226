// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A look at the text of a description before it is parsed.

#ifndef GC_LIB_MACHINE_MACHINESCAN_H
#define GC_LIB_MACHINE_MACHINESCAN_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gc {

/// Finds input that crashes LLVM's JSON parser (unlimited nesting) or that it
/// does not report (duplicate keys). The text need not be JSON. Empty if there
/// is nothing.
std::string scanMachineText(llvm::StringRef text);

} // namespace gc

#endif // GC_LIB_MACHINE_MACHINESCAN_H
