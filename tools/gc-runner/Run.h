// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of a compiled graph or of the reference, and the comparison of the two.

#ifndef GC_TOOLS_GC_RUNNER_RUN_H
#define GC_TOOLS_GC_RUNNER_RUN_H

#include "Options.h"
#include "Reference/Tensor.h"
#include "Report.h"

namespace gc::runner {

/// Compiles the graph and executes it, once or as a benchmark; `outputs` get
/// the results of the last run. Fills in the report.
llvm::Error runOnCpu(mlir::func::FuncOp entry, const Options &options,
                     llvm::ArrayRef<reference::Tensor> inputs,
                     llvm::ArrayRef<reference::Tensor> outputs, Report &report);

/// Evaluates the reference; returns its results.
llvm::Expected<std::vector<reference::Tensor>>
runReference(mlir::func::FuncOp entry,
             llvm::ArrayRef<reference::Tensor> inputs);

/// Compares results with the reference's and fills in the report's check.
llvm::Error checkResults(mlir::func::FuncOp entry, const Options &options,
                         llvm::ArrayRef<reference::Tensor> inputs,
                         llvm::ArrayRef<ValueInfo> outputInfo,
                         llvm::ArrayRef<reference::Tensor> outputs,
                         Report &report);

/// Multiplications and additions of the contractions in the function.
int64_t countFlops(mlir::func::FuncOp entry);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_RUN_H
