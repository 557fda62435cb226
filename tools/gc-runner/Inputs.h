// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What gc-runner reads: graphs and the values of their arguments.

#ifndef GC_TOOLS_GC_RUNNER_INPUTS_H
#define GC_TOOLS_GC_RUNNER_INPUTS_H

#include "Options.h"
#include "Reference/Tensor.h"

namespace gc::runner {

/// The values of all arguments: from files if options say so, else random.
/// `others` are those of the same graph with other sizes, or nothing: constants
/// are the same.
llvm::Expected<std::vector<reference::Tensor>>
makeInputTensors(mlir::func::FuncOp entry, llvm::ArrayRef<ValueInfo> inputs,
                 llvm::ArrayRef<reference::Tensor> others,
                 const Options &options);

/// Uninitialised tensors for the results. Rejects graphs whose arguments and
/// results do not fit into this machine's memory.
llvm::Expected<std::vector<reference::Tensor>>
makeOutputTensors(llvm::ArrayRef<ValueInfo> outputs);

/// Fails when the tensors are more than this machine's memory.
llvm::Error checkMemory(llvm::ArrayRef<ValueInfo> inputs,
                        llvm::ArrayRef<ValueInfo> outputs);

/// Writes each result as <name>.npy into the directory, which is created.
llvm::Error writeOutputs(const std::string &directory,
                         llvm::ArrayRef<ValueInfo> outputs,
                         llvm::ArrayRef<reference::Tensor> tensors);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_INPUTS_H
