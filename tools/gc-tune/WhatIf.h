// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gc-tune --what-if: what kernels take on a machine with other numbers.

#ifndef GC_TOOLS_GC_TUNE_WHATIF_H
#define GC_TOOLS_GC_TUNE_WHATIF_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gc::tune {

/// A number of the NPU by name (npu::Parameter), and what it is instead.
struct MachineChange {
  std::string field;
  int64_t value = 0;
};

/// Reads `field=number[,field=number]`. The error says which field does not
/// exist, or which number the machine cannot have.
llvm::Expected<std::vector<MachineChange>>
parseMachineChanges(llvm::StringRef text);

/// Compiles the module's graphs for the machine that it describes and for the
/// changed one, counts cycles on the simulator, and prints both for each
/// kernel, with the fractions of their bounds; lines of JSON with `json`.
/// `file` is for messages.
llvm::Error priceMachine(mlir::ModuleOp module,
                         llvm::ArrayRef<MachineChange> changes,
                         llvm::StringRef file, bool json);

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_WHATIF_H
