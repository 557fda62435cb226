// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled graphs as files for programs without a compiler: an object file with
// a typed entry point, its C header, a CMake package, and on request a shared
// library and a file of weights.

#ifndef GC_DRIVER_PACKAGE_H
#define GC_DRIVER_PACKAGE_H

#include "Driver/Driver.h"

namespace gc {

struct PackageOptions {
  /// The name of the entry point, the files and the CMake package: a C
  /// identifier.
  std::string name;
  /// The file that the graph came from, for the header's first comment.
  std::string source;
  /// Write C and its header instead of the object file and everything else.
  bool emitC = false;
  /// Also link a shared library with the runtime inside.
  bool shared = false;
  /// The program that links it; empty: the first of c++, g++, clang++ on PATH.
  std::string linker;
  /// Keep constants in NAME.safetensors, not in the code.
  bool weightsInFile = false;
  /// Fold constants now, not at the first execution. Only for code that this
  /// host can run.
  bool prepack = false;
  /// Values of arguments, which become constants: pairs of the argument's name
  /// (graph.name or argN) and a .npy file.
  std::vector<std::pair<std::string, std::string>> values;
};

/// A C identifier like the text, which is neither empty nor a keyword of C or
/// C++: other characters become underscores.
std::string makeIdentifier(llvm::StringRef text, llvm::StringRef prefix);

/// Compiles the function and writes the folder, whole or not at all. A folder
/// of the same name is replaced if all its files are those of an earlier
/// package. Remarks of the compiler are appended to `remarks`.
llvm::Error writePackage(mlir::func::FuncOp entry,
                         const CompileOptions &options,
                         const PackageOptions &package, llvm::StringRef folder,
                         std::vector<Remark> &remarks);

/// Removes from the disk what belongs to packages that are being written. After
/// that, none can be written or finished: for a process that is about to end,
/// from a thread that does not write any.
void abandonPackages();

} // namespace gc

#endif // GC_DRIVER_PACKAGE_H
