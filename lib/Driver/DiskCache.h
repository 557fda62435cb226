// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code in a folder, for the next process that compiles the same
// graph.

#ifndef GC_LIB_DRIVER_DISKCACHE_H
#define GC_LIB_DRIVER_DISKCACHE_H

#include "Driver/Driver.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gc {

/// What compiling a graph leaves besides its inputs and outputs.
struct CachedCode {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  /// What the objects refer to.
  std::vector<NamedData> constants;
  int64_t fusedOps = 0, parallelRegions = 0;
  std::vector<RegionInfo> regions;
  std::optional<double> predictedMs;
  std::vector<Remark> remarks;
  std::vector<std::pair<int64_t, int64_t>> inPlace;
};

/// A folder of files, one for each graph, machine, set of options and build of
/// the compiler. Several processes may use it at the same time: a file appears
/// under its name when it is complete. Whatever is wrong with the folder or
/// with a file, the graph is compiled as if there were no cache.
class DiskCache {
public:
  /// The folder that the options or GC_CACHE name; nothing if they name none.
  static std::optional<DiskCache> open(const CompileOptions &options);

  /// A hash of everything that decides what the code is.
  static std::string makeKey(mlir::ModuleOp module, llvm::StringRef entry,
                             const Machine &machine,
                             const CompileOptions &options);

  /// Nothing if there is no file, or not a sound one of this user.
  std::optional<CachedCode> load(llvm::StringRef key) const;
  /// Also removes files that were not used for the longest time, until the
  /// folder is within its limit.
  void store(llvm::StringRef key, const CachedCode &code) const;

private:
  std::string getPath(llvm::StringRef key) const;
  void trim() const;

  std::string folder;
  uint64_t limit = 0;
};

} // namespace gc

#endif // GC_LIB_DRIVER_DISKCACHE_H
