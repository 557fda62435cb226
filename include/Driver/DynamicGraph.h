// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs with sizes that vary between executions: compiled for each size when
// it is needed.

#ifndef GC_DRIVER_DYNAMICGRAPH_H
#define GC_DRIVER_DYNAMICGRAPH_H

#include "Dialect/Graph/IR/NamedDims.h"
#include "Driver/Driver.h"

#include <list>
#include <map>
#include <mutex>

namespace gc {

/// Sizes of a graph's named dimensions, in the order of the dimensions.
using DimSizes = std::vector<int64_t>;

/// "batch=1,16,64": the name and its sizes, which need not be valid ones of a
/// graph. The error says what is wrong.
llvm::Expected<std::pair<std::string, DimSizes>>
parseDimSizes(llvm::StringRef text);

/// What is wrong with a function with named dimensions where sizes have to be
/// fixed: "the sizes of @f vary: batch from 1 to 64; ...".
std::string describeOpenSizes(mlir::func::FuncOp function);

/// Fixes sizes of all functions of a module that declare them, or of the one
/// named `only`. The error carries the diagnostics.
llvm::Error specializeModule(mlir::ModuleOp module,
                             const graph::NamedSizes &sizes,
                             llvm::StringRef only = "");

/// A graph whose arguments have named dimensions (`graph.dims`). For each tuple
/// of sizes there is a graph of static shape, compiled like any other when it
/// is first executed, or in advance; the least recently used ones are dropped.
/// Constants that they have in common, including folded ones, are in memory
/// once. Several threads may use it at the same time: a thread that needs a new
/// size compiles while the others execute.
class DynamicGraph {
public:
  /// `mutex` guards the function's context, which serves one thread at a time,
  /// and keeps context and function alive; the caller holds it during the call.
  /// Only what the function declares is checked here.
  static llvm::Expected<std::unique_ptr<DynamicGraph>>
  create(mlir::func::FuncOp entry, const CompileOptions &options,
         std::shared_ptr<std::mutex> mutex);

  llvm::ArrayRef<graph::NamedDim> getDims() const { return dims; }
  /// Sizes that vary are dynamic in the types.
  llvm::ArrayRef<ValueInfo> getInputs() const { return inputs; }
  llvm::ArrayRef<ValueInfo> getOutputs() const { return outputs; }

  /// The sizes that follow from the arguments' shapes. Reports a wrong rank, a
  /// size that is out of bounds, and shapes that contradict the graph or each
  /// other.
  llvm::Expected<DimSizes>
  getSizes(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes) const;
  /// The sizes of an argument.
  llvm::Expected<std::vector<int64_t>> getInputShape(const DimSizes &sizes,
                                                     size_t input) const;
  /// The sizes of a result; nothing is compiled.
  llvm::Expected<std::vector<int64_t>> getOutputShape(const DimSizes &sizes,
                                                      size_t output);

  /// The graph of these sizes, compiled if it is not there yet; it stays usable
  /// after it is dropped here.
  llvm::Expected<std::shared_ptr<CompiledGraph>> get(const DimSizes &sizes);

  /// How many sizes are kept, at least 1 (default: 16).
  void setCapacity(size_t count);
  /// For all sizes, now and later: gc_instance_invalidate and
  /// gc_instance_set_capacity.
  gc_status invalidate();
  gc_status setConstantCapacity(int64_t sets);

  struct Statistics {
    /// Tuples of sizes in memory, and compilations so far.
    int64_t sizes = 0, compilations = 0;
    /// Wall time of all compilations, in milliseconds.
    double compileMs = 0;
    /// Bytes of constants of the graph, and of what was folded, each content
    /// counted once; and what the folded ones would be without sharing.
    int64_t constantBytes = 0, foldedBytes = 0, unsharedBytes = 0;
  };
  Statistics getStatistics() const;
  /// The graph that was used last, or null.
  std::shared_ptr<CompiledGraph> getLatest() const;

private:
  DynamicGraph() = default;
  llvm::Error checkSizes(const DimSizes &sizes) const;
  /// getSizes() if every size that varies is just a name and nothing is wrong.
  std::optional<DimSizes>
  matchSizes(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes) const;
  /// The function of these sizes in a module of its own. Needs the context.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  specialize(const DimSizes &sizes) const;

  /// A tuple of sizes. Its mutex is held while it is compiled.
  struct Entry {
    explicit Entry(const DimSizes &sizes) : sizes(sizes) {}
    DimSizes sizes;
    std::mutex mutex;
    std::shared_ptr<CompiledGraph> graph;
  };
  using Entries = std::list<std::shared_ptr<Entry>>;
  std::shared_ptr<Entry> find(const DimSizes &sizes);
  /// Drops an entry that could not be compiled.
  void forget(const Entry &entry);
  void trim();

  mlir::func::FuncOp function;
  CompileOptions options;
  std::shared_ptr<std::mutex> contextMutex;
  std::vector<graph::NamedDim> dims;
  std::vector<ValueInfo> inputs, outputs;
  /// The sizes of each input, and the index in `dims` of those that are just a
  /// dimension; -1 for others.
  std::vector<std::vector<graph::SizeExpr>> inputSizes;
  std::vector<std::vector<int64_t>> inputDims;

  /// Guards what follows; held only for short times.
  mutable std::mutex mutex;
  /// The most recently used one comes first.
  Entries entries;
  std::map<DimSizes, Entries::iterator> index;
  std::map<DimSizes, std::vector<std::vector<int64_t>>> outputShapes;
  size_t capacity = 16;
  int64_t constantCapacity = 0;
  int64_t compilations = 0;
  double compileMs = 0;
};

} // namespace gc

#endif // GC_DRIVER_DYNAMICGRAPH_H
