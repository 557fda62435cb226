// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a package looks like to its users: names, types and sizes, and the texts
// that are made of them.

#ifndef GC_LIB_DRIVER_PACKAGE_INTERFACE_H
#define GC_LIB_DRIVER_PACKAGE_INTERFACE_H

#include "Driver/Driver.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace gc {

struct PackageTensor {
  /// In the graph, and as a parameter.
  std::string name, identifier;
  /// As GC spells the type of an element, as safetensors does, and in C.
  std::string type, fileType, cType;
  std::vector<int64_t> shape;
  /// In elements; empty: row-major.
  std::vector<int64_t> strides;
  /// From the first to the last element.
  int64_t bytes = 0;
  bool isConstant = false;
  /// Its value is in the file of weights: not a parameter.
  bool isInFile = false;

  /// "f32 [128, 479]"
  std::string describe() const;
};

/// A tensor in the file of weights.
struct PackageWeight {
  std::string name, fileType;
  std::vector<int64_t> shape;
  /// An input of the module, or one of its folded buffers.
  int64_t index = 0;
  bool isFolded = false;
  llvm::ArrayRef<char> data;
};

struct PackageInterface {
  std::string name;
  std::string source, machine;
  /// Instruction sets that the code uses.
  std::vector<std::string> features;
  int64_t threads = 1;
  /// All inputs of the module.
  std::vector<PackageTensor> inputs;
  std::vector<PackageTensor> outputs;
  std::vector<PackageWeight> weights;
  /// Contents of folded buffers that the code contains; empty: none.
  std::vector<llvm::ArrayRef<char>> folded;
  int64_t arenaSharedBytes = 0, arenaThreadBytes = 0, arenaAlignment = 64;
  int64_t constantBytes = 0;

  bool hasFile() const { return !weights.empty(); }
};

/// Describes a function's inputs and outputs; fails for element types that C
/// has no name for.
llvm::Error describeTensors(mlir::func::FuncOp entry,
                            PackageInterface &package);

/// Gives every parameter an identifier of its own.
void nameParameters(PackageInterface &package);

/// Name, threads and tensors, for programs that call the shared library without
/// reading the header.
void describePackage(const PackageInterface &package, llvm::json::OStream &os);

/// NAME.h.
std::string writePackageHeader(const PackageInterface &package);
/// NAMEConfig.cmake. `needsKernels`: the code calls libxsmm.
std::string writePackageConfig(const PackageInterface &package, bool isShared);
/// LLVM IR of the functions that the header declares.
std::string writePackageFunctions(const PackageInterface &package);
/// The bytes of NAME.safetensors. Data begins at multiples of 64 bytes.
std::string writeWeights(const PackageInterface &package);

} // namespace gc

#endif // GC_LIB_DRIVER_PACKAGE_INTERFACE_H
