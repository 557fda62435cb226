// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants of a package: values of arguments, what goes into a file, and what
// is folded ahead of time.

#ifndef GC_LIB_DRIVER_PACKAGE_WEIGHTS_H
#define GC_LIB_DRIVER_PACKAGE_WEIGHTS_H

#include "Driver/Driver.h"
#include "Interface.h"
#include "Reference/Tensor.h"

#include <deque>

namespace llvm {
class Module;
} // namespace llvm

namespace gc {

/// An argument of the function whose value is known.
struct KnownInput {
  size_t index;
  llvm::ArrayRef<char> bytes;
};

/// Known values, with the memory that holds them.
struct KnownValues {
  std::vector<KnownInput> inputs;
  std::vector<reference::Tensor> tensors;
  std::deque<llvm::SmallVector<char, 0>> copies;

  const KnownInput *find(size_t index) const;
};

/// Reads the files of values; they become constants of the function, or with
/// `inFile` stay arguments, as large constants of the function become.
llvm::Error
bindValues(mlir::func::FuncOp function,
           llvm::ArrayRef<std::pair<std::string, std::string>> values,
           bool inFile, KnownValues &known);

/// The function's folded buffers, computed by this process: its constant inputs
/// have to be known. `threads` and all else as for compile().
llvm::Expected<std::vector<llvm::SmallVector<char, 0>>>
foldNow(mlir::ModuleOp module, llvm::StringRef name,
        const CompileOptions &options, const KnownValues &known,
        llvm::ArrayRef<PackageTensor> inputs);

/// Removes the code that folds.
void removeFold(llvm::Module &code, llvm::StringRef name);
/// Whether executions read the input themselves.
bool readsInput(llvm::Module &code, llvm::StringRef name, size_t index);
/// Defines the folded buffers that Functions.cpp declares, and adds their
/// contents to `constants`, with which the object file is filled.
void defineFolded(llvm::Module &code,
                  llvm::ArrayRef<llvm::ArrayRef<char>> folded,
                  std::vector<NamedData> &constants);

} // namespace gc

#endif // GC_LIB_DRIVER_PACKAGE_WEIGHTS_H
