// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The comparison of a run with the reference.

#ifndef GC_TOOLS_GC_RUNNER_RUN_H
#define GC_TOOLS_GC_RUNNER_RUN_H

#include "Options.h"
#include "Reference/Tensor.h"
#include "Report.h"

namespace gc::runner {

/// Compares results with the reference's and fills in the report's check.
llvm::Error checkResults(mlir::func::FuncOp entry, const Options &options,
                         llvm::ArrayRef<reference::Tensor> inputs,
                         llvm::ArrayRef<ValueInfo> outputInfo,
                         llvm::ArrayRef<reference::Tensor> outputs,
                         Report &report);

/// Does the same for each step of the run, on the values that it read. A step
/// that fails makes the check fail.
llvm::Error checkParts(llvm::ArrayRef<ProgramPart> parts,
                       const Options &options, Report &report);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_RUN_H
