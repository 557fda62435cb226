// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Short names of long texts, by which files refer to functions and machines.

#ifndef GC_SUPPORT_FINGERPRINT_H
#define GC_SUPPORT_FINGERPRINT_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace gc {

/// Sixteen hexadecimal digits that are the same for equal texts.
std::string getFingerprint(llvm::StringRef text);

/// The same of a function with its body and those attributes of its arguments
/// that are named in `argumentAttributes`. Other attributes, names and the
/// elements of large constants do not count.
std::string
getFingerprint(mlir::FunctionOpInterface function,
               llvm::ArrayRef<llvm::StringRef> argumentAttributes = {});

} // namespace gc

#endif // GC_SUPPORT_FINGERPRINT_H
