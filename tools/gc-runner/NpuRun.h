// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --target=npu: programs of the NPU on the simulator.

#ifndef GC_TOOLS_GC_RUNNER_NPURUN_H
#define GC_TOOLS_GC_RUNNER_NPURUN_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace gc::runner {

/// Compiles the module's program, runs it, checks and reports as the options
/// say. Returns the exit code; what the program does wrong is an error.
llvm::Expected<int> runOnNpu(mlir::ModuleOp module, const Options &options);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_NPURUN_H
