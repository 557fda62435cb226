// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Diagnostics of MLIR as errors that a caller can handle.

#ifndef GC_DRIVER_DIAGNOSTICS_H
#define GC_DRIVER_DIAGNOSTICS_H

#include "Driver/Remarks.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gc {

/// Collects the diagnostics of a context while it lives: errors with their
/// notes, separately from remarks and warnings. Each starts with
/// file:line:column if that is known.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// The errors so far, or `fallback` if there were none.
  llvm::Error takeError(const llvm::Twine &fallback);
  std::vector<Remark> takeRemarks() { return std::move(remarks); }

private:
  std::string errors;
  std::vector<Remark> remarks;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace gc

#endif // GC_DRIVER_DIAGNOSTICS_H
