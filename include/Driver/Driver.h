// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compile a graph and run it: what tools and language bindings build on.

#ifndef GC_DRIVER_DRIVER_H
#define GC_DRIVER_DRIVER_H

#include "Driver/Explain.h"
#include "Driver/JitCode.h"
#include "Driver/Processor.h"
#include "Driver/Regions.h"
#include "Driver/Remarks.h"
#include "Machine/Machine.h"
#include "Runtime/Runtime.h"
#include "Transforms/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_pwrite_stream;
} // namespace llvm

namespace gc {

class SharedConstants;

struct CompileOptions {
  /// They include the machine to compile for; by default it is the one the
  /// module describes, else GC_MACHINE's, else the host.
  CpuPipelineOptions pipeline;
  /// Processor to compile for instead of the machine's, whose instruction set
  /// it replaces; by default none.
  Processor processor;
  /// Triple of the system that the code is for; empty: this process's.
  std::string triple;
  /// Collect what an explanation needs; this costs the passes some time.
  bool explain = false;
  /// Append the functions to the map file that perf reads.
  bool perfMap = false;
  /// Folder that keeps generated code for other processes; empty: that of the
  /// environment variable GC_CACHE, if it is set. Not with `explain`.
  std::string cacheFolder;
  /// The most that the folder may hold, in bytes; 0: GC_CACHE_BYTES, else 1
  /// GiB.
  int64_t cacheBytes = 0;
  /// The caller knows the blocked layouts of arguments and results; otherwise
  /// they are refused.
  bool blockedArguments = false;
  /// Where constants are kept that other graphs have too; null: the graph keeps
  /// its own.
  std::shared_ptr<SharedConstants> constants;
};

/// What a caller needs to know of an argument or a result.
struct ValueInfo {
  /// `graph.name`, else argN or resultN.
  std::string name;
  mlir::RankedTensorType type;
  /// The same in every call (`graph.const_arg`).
  bool isConstant = false;
};

/// The function named `entry`; with an empty name the only public function,
/// else `main`. Functions without a body do not count. The error lists what
/// there is.
llvm::Expected<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                             llvm::StringRef entry);

/// Arguments and results of a function on tensors of static shape; fails if
/// there are others.
llvm::Expected<std::vector<ValueInfo>> getInputInfo(mlir::func::FuncOp entry);
llvm::Expected<std::vector<ValueInfo>> getOutputInfo(mlir::func::FuncOp entry);

/// The same with named dimensions (`graph.dims`), whose sizes are dynamic.
llvm::Expected<std::vector<ValueInfo>>
getDynamicInputInfo(mlir::func::FuncOp entry);
llvm::Expected<std::vector<ValueInfo>>
getDynamicOutputInfo(mlir::func::FuncOp entry);

/// A function's arguments once the layouts that are left to the compiler
/// (`any`) are chosen.
struct ArgumentLayouts {
  std::vector<mlir::RankedTensorType> types;
  /// Of one execution; nothing if there is no region.
  std::optional<double> predictedMs;
};

/// Runs the passes that decide on the layouts and groups of ops. The function
/// is not changed.
llvm::Expected<ArgumentLayouts>
chooseArgumentLayouts(mlir::func::FuncOp entry, const CompileOptions &options);

/// The function and those that it refers to, in a module of their own, after
/// the last phase that the options name.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
runPhases(mlir::func::FuncOp entry, const CompileOptions &options);

/// The machine that the options name for a module, or the default if they name
/// none.
llvm::Expected<Machine> getMachine(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// Default number of threads of a team: the OpenMP setting (OMP_NUM_THREADS) if
/// there is one, else the machine's cores; if the code is to run right away, no
/// more than OpenMP has threads on the host.
int64_t getDefaultThreads(const Machine &machine, bool runsHere);

struct CachedCode;

/// A graph as loaded machine code with its folded constants.
class CompiledGraph {
public:
  /// Runs the pipeline on a copy of the module, generates code and loads it,
  /// microkernels included, so that only folding is left for the first
  /// execution. Errors carry the diagnostics: file, op and reason.
  static llvm::Expected<std::unique_ptr<CompiledGraph>>
  compile(mlir::func::FuncOp entry, const CompileOptions &options);
  ~CompiledGraph();

  /// Buffers: one pointer per input and result, laid out as the tensor types
  /// say, aligned to their elements. executor null: OpenMP; threads 0: its
  /// default; trace null: none. The first execution folds the constants.
  llvm::Error execute(void *const *inputs, void *const *outputs,
                      const gc_executor *executor = nullptr,
                      int64_t threads = 0, gc_trace *trace = nullptr);
  /// Folds constants now; `inputs` as for execute.
  llvm::Error fold(void *const *inputs, const gc_executor *executor = nullptr,
                   int64_t threads = 0);

  llvm::ArrayRef<ValueInfo> getInputs() const { return inputs; }
  llvm::ArrayRef<ValueInfo> getOutputs() const { return outputs; }
  const gc_module *getModule() const { return module; }
  gc_instance *getInstance() const { return instance; }
  /// What the compiler did not do and why, along with its warnings.
  llvm::ArrayRef<Remark> getRemarks() const { return remarks; }

  /// With CompileOptions::explain: regions, decisions and the machine's roofs.
  const CompiledFacts &getFacts() const { return facts; }

  /// Bytes of temporaries for a team of `threads`.
  int64_t getArenaBytes(int64_t threads) const;
  /// Bytes of folded constants.
  int64_t getConstantBytes() const;
  int64_t getFusedOps() const { return fusedOps; }
  int64_t getParallelRegions() const { return parallelRegions; }
  /// Inputs and outputs, by number, that may share memory: an execution reads
  /// each element before it overwrites it.
  llvm::ArrayRef<std::pair<int64_t, int64_t>> getInPlace() const {
    return inPlace;
  }
  /// Parallel loops with predicted times, in order, and the predicted time of
  /// one execution.
  llvm::ArrayRef<RegionInfo> getRegions() const { return regions; }
  std::optional<double> getPredictedMs() const { return predictedMs; }

  /// Whether the code came from the cache on disk, so that nothing was
  /// compiled.
  bool isFromCache() const { return fromCache; }

  /// Wall time of compile() and of its steps, in milliseconds.
  struct Times {
    double total = 0;
    double passes = 0;
    double optimize = 0;
    double codegen = 0;
    double load = 0;
  };
  const Times &getTimes() const { return times; }

private:
  CompiledGraph() = default;
  llvm::Error load(CachedCode compiled, mlir::func::FuncOp entry,
                   const CompileOptions &options);

  std::vector<ValueInfo> inputs, outputs;
  std::vector<Remark> remarks;
  CompiledFacts facts;
  int64_t fusedOps = 0;
  int64_t parallelRegions = 0;
  std::vector<RegionInfo> regions;
  std::vector<std::pair<int64_t, int64_t>> inPlace;
  std::optional<double> predictedMs;
  bool fromCache = false;
  Times times;
  std::unique_ptr<JitCode> code;
  const gc_module *module = nullptr;
  gc_instance *instance = nullptr;
};

enum class EmitKind { mlir, llvm, assembly, object, c };

/// Writes what the compiler makes of the module instead of running it: MLIR
/// after the last phase that the pipeline options name, LLVM IR after
/// optimisation, assembly, an object file, or C for one thread. `entry` names a
/// function that is compiled even if it has no graph ops; it may be empty.
/// Remarks and warnings are appended to `remarks`.
llvm::Error emit(mlir::ModuleOp module, llvm::StringRef entry,
                 const CompileOptions &options, EmitKind kind,
                 llvm::raw_pwrite_stream &os, std::vector<Remark> &remarks);

/// The pipeline that these options stand for, as text.
std::string printPipeline(const CompileOptions &options);

} // namespace gc

#endif // GC_DRIVER_DRIVER_H
