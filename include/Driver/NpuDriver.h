// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compile an NPU program for this host and run it on the simulator.

#ifndef GC_DRIVER_NPUDRIVER_H
#define GC_DRIVER_NPUDRIVER_H

#include "Driver/Driver.h"
#include "Driver/JitCode.h"
#include "Driver/Remarks.h"
#include "Simulator/Simulator.h"
#include "Transforms/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace gc {

/// Each core uses one thread of this host.
constexpr int64_t kMaxNpuCores = 64;

/// A kernel and what it has to compute.
struct NpuKernel {
  mlir::func::FuncOp kernel;
  /// The graph function that `reference` names; null without one. Its arguments
  /// and results match the kernel's arguments, in order, in shape and type.
  mlir::func::FuncOp reference;
  /// Cores that run the program.
  int64_t cores = 1;
  /// Programs of other cores that run at the same time, in the order of their
  /// cores' numbers.
  std::vector<mlir::func::FuncOp> beside;

  /// All cores.
  int64_t countCores() const;
};

/// A kernel of a program. Its arguments are tensors of the program.
struct NpuStep {
  NpuKernel kernel;
  std::vector<unsigned> tensors;
  /// It computes what depends on constants only: once, before the other steps.
  bool isOnce = false;
};

/// Kernels that run in order on one memory.
struct NpuProgram {
  /// The kernel, or the function that says in which order kernels run: it calls
  /// their references.
  mlir::func::FuncOp function;
  /// As for a kernel.
  mlir::func::FuncOp reference;
  /// What is left of the reference without the steps that run once; the
  /// reference if there are none.
  mlir::func::FuncOp repeated;
  std::vector<NpuStep> steps;
  /// Bytes of the program's tensors: inputs and results of the reference (or
  /// arguments of the kernel), then what only kernels exchange.
  std::vector<int64_t> bytes;
};

/// In a module without kernels, replaces the graph function `entry` (with an
/// empty name the only one, else `main`) with kernels on tiles, as the options
/// say except for the phase after which to stop. A single kernel has the graph
/// as its reference; several kernels are called, by the names of their
/// references, from a function that has it. Other modules are left alone, and
/// the result is false. The passes' remarks are appended.
llvm::Expected<bool> compileGraphs(mlir::ModuleOp module, llvm::StringRef entry,
                                   const NpuPipelineOptions &options,
                                   std::vector<Remark> &remarks);

/// The kernel named `entry`; with an empty name the only one, else `main`.
/// Fails when there is none, or when its reference is missing or does not
/// match.
llvm::Expected<NpuKernel> findNpuKernel(mlir::ModuleOp module,
                                        llvm::StringRef entry);

/// The same for a program of one or several kernels.
llvm::Expected<NpuProgram> findNpuProgram(mlir::ModuleOp module,
                                          llvm::StringRef entry);

/// The machine that the module describes, with the global memory costs of
/// `profile` unless that is empty ("gm64", "gm32" or "l2").
llvm::Expected<npu::Machine> getNpuMachine(mlir::ModuleOp module,
                                           llvm::StringRef profile);

/// Runs on the module's kernels those of npu-double-buffer, npu-expand-tiles,
/// npu-plan-memory and npu-insert-sync that are needed to turn them into
/// instructions: kernels of instructions with addresses stay as they are, and a
/// kernel that has flags or barriers keeps those and gets no others. Without
/// `sync` npu-insert-sync is left out: the program is then incorrect, but does
/// the same work (npu::Options::waits). Remarks are appended to `remarks`.
llvm::Error lowerToInstructions(mlir::ModuleOp module,
                                const NpuPipelineOptions &options,
                                std::vector<Remark> &remarks, bool sync = true);

/// A tensor in global memory: bytes of the caller, null in cycles-only mode.
struct NpuTensor {
  std::string name;
  void *data = nullptr;
  int64_t bytes = 0;
  /// True for outputs; writing an input is an error of the program.
  bool writable = true;
};

/// A program as loaded machine code.
class CompiledKernel {
public:
  /// Lowers a copy of the kernel's module (lowerToInstructions) and generates
  /// code. Errors carry the diagnostics. In cycles-only mode programs that need
  /// values are refused.
  static llvm::Expected<std::unique_ptr<CompiledKernel>>
  compile(const NpuKernel &kernel, npu::Mode mode,
          const NpuPipelineOptions &options = {}, bool sync = true);

  /// Runs the program on each core; one tensor per argument. The report
  /// contains no error: if the program did something wrong, this call fails
  /// with an error that names the source location.
  llvm::Expected<npu::Report> run(const npu::Machine &machine,
                                  const npu::Options &options,
                                  llvm::ArrayRef<NpuTensor> tensors) const;

  /// The location with an instruction's location number, as file:line:column;
  /// empty if unknown.
  const std::string &getLocation(int32_t number) const;
  size_t getNumLocations() const { return locations.size(); }
  /// What the passes did not do and why.
  llvm::ArrayRef<Remark> getRemarks() const { return remarks; }
  /// Wall time of compile(), in milliseconds.
  double getCompileMs() const { return compileMs; }

private:
  CompiledKernel() = default;

  std::vector<std::string> locations;
  std::vector<Remark> remarks;
  std::unique_ptr<JitCode> code;
  /// The function of each core.
  std::vector<void *> functions;
  unsigned arguments = 0;
  double compileMs = 0;
};

/// Writes what the program becomes instead of running it: the module with its
/// kernels as instructions, or host code for the processor
/// (the host's if none is named): LLVM IR, assembly or an object file. Remarks
/// are appended to `remarks`.
llvm::Error emitNpu(const NpuKernel &kernel, npu::Mode mode,
                    const NpuPipelineOptions &options,
                    const Processor &processor, EmitKind kind,
                    llvm::raw_pwrite_stream &os, std::vector<Remark> &remarks);

} // namespace gc

#endif // GC_DRIVER_NPUDRIVER_H
