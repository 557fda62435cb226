// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The lowering of a graph to machine code, and of an NPU program to
// instructions, each as one pipeline of named phases.

#ifndef GC_TRANSFORMS_PIPELINES_H
#define GC_TRANSFORMS_PIPELINES_H

#include "Conversion/Passes.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace gc {

/// Phases of the CPU pipeline, in order; one can stop after any.
enum class CpuPhase {
#define GC_PHASE(word, promise, alive) word,
#include "Transforms/CpuPhases.def"
};

/// Phases of the NPU pipeline, in order; one can stop after any.
enum class NpuPhase {
#define GC_PHASE(word, promise, alive) word,
#include "Transforms/NpuPhases.def"
};

/// A phase on the command line and in documentation.
struct PhaseInfo {
  llvm::StringRef word, promise;
  /// Dialects that are alive after it, separated by blanks.
  llvm::StringRef alive;
};

/// The phases of a pipeline, in order.
llvm::ArrayRef<PhaseInfo> getCpuPhases();
llvm::ArrayRef<PhaseInfo> getNpuPhases();

/// Name of a phase on the command line.
inline llvm::StringRef getPhaseName(CpuPhase phase) {
  return getCpuPhases()[static_cast<size_t>(phase)].word;
}
inline llvm::StringRef getPhaseName(NpuPhase phase) {
  return getNpuPhases()[static_cast<size_t>(phase)].word;
}

/// The words of an option that takes a phase.
llvm::cl::ValuesClass getCpuPhaseValues();
llvm::cl::ValuesClass getNpuPhaseValues();

/// How softmax between matmuls is compiled: a graph.attention with the cheapest
/// template, one with online softmax, or none.
enum class AttentionMode { automatic, always, never };

struct CpuPipelineOptions
    : public mlir::PassPipelineOptions<CpuPipelineOptions> {
  CpuPipelineOptions() = default;
  CpuPipelineOptions(const CpuPipelineOptions &other) : PassPipelineOptions() {
    copyOptionValuesFrom(other);
  }
  CpuPipelineOptions &operator=(const CpuPipelineOptions &other) {
    copyOptionValuesFrom(other);
    return *this;
  }

  /// The options that a command-line text sets ("kernel=vector threads=2"). An
  /// error names the option, its value and what it accepts.
  static llvm::Expected<CpuPipelineOptions> parse(llvm::StringRef text);

  /// Calls `fn` with every option that takes one of several words.
  template <typename Fn>
  void forEachEnum(Fn &&fn) {
    fn(kernel);
    fn(stopAfter);
    fn(abi);
    fn(attention);
    fn(stream);
    fn(prefetch);
  }
  /// Calls `fn` with every option that takes a list.
  template <typename Fn>
  void forEachList(Fn &&fn) {
    fn(forceTemplates);
  }

  Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc(
          "Threads to divide the work among (0: the machine's cores)"),
      llvm::cl::init(0)};
  Option<std::string> machine{
      *this, "machine",
      llvm::cl::desc(
          "Machine to compile for, a preset or a JSON file (default: "
          "what the module describes, else GC_MACHINE, else the "
          "host)"),
      llvm::cl::init("")};
  Option<KernelPreference> kernel{
      *this, "kernel", llvm::cl::desc("Which microkernels are called"),
      llvm::cl::init(KernelPreference::automatic),
      llvm::cl::values(
          clEnumValN(KernelPreference::automatic, "auto",
                     "libxsmm, or vector code where libxsmm is slow"),
          clEnumValN(KernelPreference::library, "libxsmm", "libxsmm"),
          clEnumValN(KernelPreference::vector, "vector",
                     "Generated vector code"))};
  Option<CpuPhase> stopAfter{
      *this, "stop-after", llvm::cl::desc("Last phase to run"),
      llvm::cl::init(CpuPhase::machine), getCpuPhaseValues()};
  Option<CallAbi> abi{
      *this, "abi", llvm::cl::desc("How compiled graphs are called"),
      llvm::cl::init(CallAbi::pointers),
      llvm::cl::values(
          clEnumValN(CallAbi::pointers, "pointers",
                     "By the runtime, with bare pointers"),
          clEnumValN(CallAbi::memref, "memref",
                     "By function name, with tensors as memrefs"))};
  // Graph-level optimisations can be turned off to measure their effect;
  // results are correct without any of them.
  Option<bool> coarseGrain{
      *this, "coarse-grain",
      llvm::cl::desc("Merge the parallel loops of neighbouring regions"),
      llvm::cl::init(true)};
  Option<bool> fineGrain{
      *this, "fine-grain",
      llvm::cl::desc("Fuse ops into regions (false: one loop nest per op)"),
      llvm::cl::init(true)};
  // Limits of one region.
  Option<int64_t> maxOps{
      *this, "max-ops",
      llvm::cl::desc("Maximum number of fusible ops in a region"),
      llvm::cl::init(graph::GraphFuseOptions().maxOps)};
  Option<int64_t> maxReductions{
      *this, "max-reductions",
      llvm::cl::desc("Maximum number of reductions in a region"),
      llvm::cl::init(graph::GraphFuseOptions().maxReductions)};
  Option<int64_t> maxReorders{
      *this, "max-reorders",
      llvm::cl::desc("Maximum number of reorders in a region, not counting "
                     "those of the tunable op's operands"),
      llvm::cl::init(graph::GraphFuseOptions().maxReorders)};
  Option<int64_t> maxInputBytes{
      *this, "max-input-bytes",
      llvm::cl::desc(
          "Maximum bytes of additional inputs of a region (0: no limit)"),
      llvm::cl::init(graph::GraphFuseOptions().maxInputBytes)};
  Option<int64_t> splitElements{
      *this, "split-elements",
      llvm::cl::desc("Least elements of a reduction that is split because it "
                     "leaves too few rows to the threads (0: never, -1: as "
                     "many as make it faster)"),
      llvm::cl::init(graph::GraphSplitReductionsOptions().splitElements)};
  Option<bool> lowPrecision{
      *this, "low-precision",
      llvm::cl::desc("Integer matmuls of dequantized operands (false: in f32)"),
      llvm::cl::init(true)};
  Option<bool> propagateLayout{
      *this, "propagate-layout",
      llvm::cl::desc(
          "Blocked layouts between ops (false: reorder at every use)"),
      llvm::cl::init(true)};
  // How regions run: each decision of graph-select-schedule.
  Option<graph::ScheduleSwitch> stream{
      *this, "stream",
      llvm::cl::desc(
          "Whether results of templates are written with non-temporal stores"),
      llvm::cl::init(graph::ScheduleSwitch::automatic),
      llvm::cl::values(
          clEnumValN(graph::ScheduleSwitch::automatic, "auto",
                     "Where they would not stay in the last-level cache"),
          clEnumValN(graph::ScheduleSwitch::always, "always",
                     "Wherever passes store whole cache lines"),
          clEnumValN(graph::ScheduleSwitch::never, "never", "Nowhere"))};
  Option<graph::ScheduleSwitch> prefetch{
      *this, "prefetch",
      llvm::cl::desc(
          "Whether operands are fetched ahead: of the next batch item, "
          "and by kernels that read them once"),
      llvm::cl::init(graph::ScheduleSwitch::automatic),
      llvm::cl::values(
          clEnumValN(graph::ScheduleSwitch::automatic, "auto",
                     "Where two items fit the L2 cache and not all do, and by "
                     "kernels that read a matrix once"),
          clEnumValN(graph::ScheduleSwitch::always, "always",
                     "Wherever there is a next one"),
          clEnumValN(graph::ScheduleSwitch::never, "never", "Nowhere"))};
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc(
          "The width of a vector of f32, from 4 to 64 bytes (0: what "
          "the machine has)"),
      llvm::cl::init(graph::GraphSelectScheduleOptions().vectorBytes)};
  Option<int64_t> vectorDim{
      *this, "vector-dim",
      llvm::cl::desc("The dimension of vectors in regions without a tunable op "
                     "that have it (-1: the best one)"),
      llvm::cl::init(graph::GraphSelectScheduleOptions().vectorDim)};
  Option<int64_t> tasks{
      *this, "tasks",
      llvm::cl::desc("Tasks of a region without a tunable op, as far as its "
                     "sizes allow (0: 16 per thread)"),
      llvm::cl::init(graph::GraphSelectScheduleOptions().tasks)};
  Option<bool> fixedPoint{
      *this, "fixed-point",
      llvm::cl::desc("Whether generated kernels may convert rows of f32 to "
                     "fixed point to multiply them by 4-bit weights"),
      llvm::cl::init(graph::GraphSelectScheduleOptions().fixedPoint)};
  Option<int64_t> unroll{
      *this, "unroll",
      llvm::cl::desc("Rows, or vectors of columns, that passes which reduce "
                     "compute together (0: what registers allow)"),
      llvm::cl::init(graph::GraphSelectScheduleOptions().unroll)};
  Option<int64_t> recompute{
      *this, "recompute",
      llvm::cl::desc("The most instructions per vector that passes compute "
                     "again after a reduction rather than keep the value (-1: "
                     "by the size of a row)"),
      llvm::cl::init(graph::GraphSelectScheduleOptions().recompute)};
  Option<bool> bufferReuse{
      *this, "buffer-reuse",
      llvm::cl::desc("Temporaries that do not live at the same time share "
                     "memory"),
      llvm::cl::init(true)};
  Option<AttentionMode> attention{
      *this, "attention",
      llvm::cl::desc("How softmax between matmuls is compiled"),
      llvm::cl::init(AttentionMode::automatic),
      llvm::cl::values(
          clEnumValN(AttentionMode::automatic, "auto",
                     "One graph.attention with the cheapest template"),
          clEnumValN(AttentionMode::always, "always",
                     "One graph.attention with online softmax"),
          clEnumValN(AttentionMode::never, "never",
                     "No graph.attention is formed"))};
  ListOption<std::string> forceTemplates{
      *this, "force-templates",
      llvm::cl::desc("Templates to force on their ops, by attribute name")};
  Option<std::string> templateDatabase{
      *this, "template-database", llvm::cl::value_desc("file"),
      llvm::cl::desc("Templates of graphs that gc-tune has measured; used for "
                     "those that it has"),
      llvm::cl::init("")};
  Option<std::string> exportTemplates{
      *this, "export-templates", llvm::cl::value_desc("file"),
      llvm::cl::desc("Write the templates of graphs to this file, which "
                     "template-database reads"),
      llvm::cl::init("")};
  Option<bool> fastSoftmax{
      *this, "fast-softmax",
      llvm::cl::desc("Bounded softmax without the maximum of each row (see "
                     "graph-decompose for its error)"),
      llvm::cl::init(false)};
  Option<bool> trace{*this, "trace",
                     llvm::cl::desc("Record every parallel loop at run time"),
                     llvm::cl::init(false)};
  ListOption<std::string> features{
      *this, "features",
      llvm::cl::desc(
          "Instruction sets to check for when the code is loaded, by "
          "LLVM's names")};
};

/// What the pipeline tells graph-select-template.
graph::GraphSelectTemplateOptions
getSelectTemplateOptions(const CpuPipelineOptions &options);

/// Adds the passes from the Graph dialect to the LLVM dialect, each phase
/// followed by a verifier of what it promises. For modules; functions without
/// graph ops are left alone.
void buildCpuPipeline(mlir::OpPassManager &manager,
                      const CpuPipelineOptions &options);

struct NpuPipelineOptions
    : public mlir::PassPipelineOptions<NpuPipelineOptions> {
  NpuPipelineOptions() = default;
  NpuPipelineOptions(const NpuPipelineOptions &other) : PassPipelineOptions() {
    copyOptionValuesFrom(other);
  }
  NpuPipelineOptions &operator=(const NpuPipelineOptions &other) {
    copyOptionValuesFrom(other);
    return *this;
  }

  /// Reads options as on the command line. An error says which option or value
  /// is wrong.
  static llvm::Expected<NpuPipelineOptions> parse(llvm::StringRef text);

  /// Calls `visit` with each option whose values are words.
  void forEachEnum(llvm::function_ref<void(Option<NpuPhase> &)> visit) {
    visit(stopAfter);
  }
  /// No option takes a list.
  template <typename Fn>
  void forEachList(Fn &&) {}

  Option<NpuPhase> stopAfter{
      *this, "stop-after", llvm::cl::desc("Last phase to run"),
      llvm::cl::init(NpuPhase::sync), getNpuPhaseValues()};
  Option<int64_t> cores{
      *this, "cores",
      llvm::cl::desc("Cores that a graph's kernels are divided among, where "
                     "that is faster"),
      llvm::cl::init(1)};
  Option<std::string> importPlan{
      *this, "import-plan", llvm::cl::value_desc("file"),
      llvm::cl::desc("Plans of the kernels, as export-plan writes them")};
  Option<std::string> planDatabase{
      *this, "plan-database", llvm::cl::value_desc("file"),
      llvm::cl::desc("Plans of any kernels; used for those that it has")};
  Option<std::string> exportPlan{
      *this, "export-plan", llvm::cl::value_desc("file"),
      llvm::cl::desc("Write what was chosen for each kernel to this file")};
  Option<bool> fuse{
      *this, "fuse",
      llvm::cl::desc("Make one kernel of as many ops as possible; otherwise "
                     "each op is one"),
      llvm::cl::init(true)};
  Option<ProducerFusion> producers{
      *this, "producers",
      llvm::cl::desc("When factors of a contraction are computed in its tiles; "
                     "not without fuse"),
      llvm::cl::init(ProducerFusion::cost),
      llvm::cl::values(
          clEnumValN(ProducerFusion::cost, "cost",
                     "Where that is predicted to be faster"),
          clEnumValN(ProducerFusion::always, "always", "Where it is possible"),
          clEnumValN(ProducerFusion::never, "never", "Nowhere"))};
  Option<bool> autoTiling{
      *this, "auto-tiling",
      llvm::cl::desc("Choose sizes of tiles; otherwise those of products are "
                     "128 x 128 x 64, and others 4 KiB"),
      llvm::cl::init(true)};
  Option<bool> promote{
      *this, "promote",
      llvm::cl::desc("Keep data in the core that several tiles read"),
      llvm::cl::init(true)};
  Option<bool> doubleBuffer{
      *this, "double-buffer",
      llvm::cl::desc("Have several tiles under way, in slots of buffers"),
      llvm::cl::init(true)};
  Option<bool> flags{
      *this, "flags",
      llvm::cl::desc("Order pipes by flags; otherwise a barrier of all pipes "
                     "precedes every instruction"),
      llvm::cl::init(true)};
  Option<bool> groupFlags{*this, "group-flags",
                          llvm::cl::desc("Group flags and move them"),
                          llvm::cl::init(true)};
};

/// Adds the passes from graph functions and tile-level programs of the npu
/// dialect to instructions with addresses and flags, each phase followed by a
/// verifier of what it promises. For modules; a public graph function becomes a
/// kernel of its name, other functions that are not kernels are left alone.
void buildNpuPipeline(mlir::OpPassManager &manager,
                      const NpuPipelineOptions &options);

/// Registers `gc-cpu-pipeline` and `gc-npu-pipeline`.
void registerPipelines();

} // namespace gc

#endif // GC_TRANSFORMS_PIPELINES_H
