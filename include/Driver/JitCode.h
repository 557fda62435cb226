// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Machine code in this process: loads an object file, resolves what it calls,
// and shows the code to debuggers and profilers.

#ifndef GC_DRIVER_JITCODE_H
#define GC_DRIVER_JITCODE_H

#include "Runtime/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace gc {

/// Data that code refers to by name, and that several pieces of code may share.
struct NamedData {
  std::string symbol;
  llvm::StringRef bytes;
  /// Keeps the bytes.
  std::shared_ptr<const void> owner;
  /// Whether fold functions alone read it.
  bool isFolded = false;
};

class JitCode {
public:
  ~JitCode();

  /// Links an object file into this process. Calls to the runtime are resolved
  /// to the runtime that this program is linked with and to `symbols`, others
  /// to the process. The code is registered with debuggers; with `perfMap` its
  /// functions are appended to the map file that perf reads
  /// (/tmp/perf-<process>.map).
  static llvm::Expected<std::unique_ptr<JitCode>>
  load(std::unique_ptr<llvm::MemoryBuffer> object, bool perfMap,
       llvm::ArrayRef<gc_symbol> symbols = {});
  /// The same for several object files that may refer to each other, and to
  /// `constants` by their symbols. The code owns the constants.
  static llvm::Expected<std::unique_ptr<JitCode>>
  load(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects, bool perfMap,
       llvm::ArrayRef<gc_symbol> symbols = {},
       std::vector<NamedData> constants = {});

  /// Gives up the constants that fold functions alone read: none may be called
  /// any more. Other functions of the code may be running.
  void dropFoldedConstants();

  /// The address of a function or object.
  llvm::Expected<void *> lookup(llvm::StringRef name);

  /// The descriptor of an entry point.
  llvm::Expected<const gc_module *> getModule(llvm::StringRef entry);

private:
  JitCode(std::unique_ptr<llvm::orc::LLJIT> jit,
          std::shared_ptr<std::string> causes);

  std::vector<NamedData> constants;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// Why linking failed.
  std::shared_ptr<std::string> causes;
};

} // namespace gc

#endif // GC_DRIVER_JITCODE_H
