// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Remarks about what the user gave to the compiler and the compiler does not
// use, such as a file of plans for another machine: tools show these without
// being asked for remarks.

#ifndef GC_SUPPORT_NOTICE_H
#define GC_SUPPORT_NOTICE_H

#include "mlir/IR/Diagnostics.h"

namespace gc {

/// A remark that is a notice.
mlir::InFlightDiagnostic emitNotice(mlir::Location location);

bool isNotice(mlir::Diagnostic &diagnostic);

} // namespace gc

#endif // GC_SUPPORT_NOTICE_H
