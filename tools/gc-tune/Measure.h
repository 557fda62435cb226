// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cycles of a kernel that a plan gives.

#ifndef GC_TOOLS_GC_TUNE_MEASURE_H
#define GC_TOOLS_GC_TUNE_MEASURE_H

#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Simulator/Simulator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace gc::tune {

/// A kernel as poly-conv-to-fractal leaves it, alone in a module with its
/// reference.
using Kernel = mlir::OwningOpRef<mlir::ModuleOp>;

/// The kernels of the module's graphs, in order.
llvm::Expected<std::vector<Kernel>> extractKernels(mlir::ModuleOp module);

poly::ScopOp getScop(mlir::ModuleOp kernel);

/// What became of a plan.
struct Attempt {
  /// Of a plan that cannot be had; else empty.
  std::string error;
  /// On the simulator; none for a program that takes longer than the limit, or
  /// after an error.
  std::optional<int64_t> cycles;
  /// All that was chosen, what the given plan left open included; after an
  /// error as much of it as was chosen before.
  poly::KernelPlan plan;
  /// Names of the choices in the order in which they are made.
  std::vector<std::string> order;

  bool isLegal() const { return error.empty(); }
};

/// Compiles a kernel with plans and runs the programs on the simulator.
class Measurer {
public:
  /// An error if the kernel has no schedule.
  static llvm::Expected<Measurer> create(mlir::ModuleOp kernel);

  /// Programs that take longer than `limit` are cut off; flags are not placed
  /// in one whose instructions alone take longer. A program that was measured
  /// before is not run again.
  Attempt measure(const poly::KernelPlan &plan, int64_t limit = INT64_MAX);
  /// The same with all checks of the simulator, and without a limit.
  Attempt check(const poly::KernelPlan &plan);

private:
  /// A kernel before poly-promote. Plans that differ only in choices
  /// which are made from there on share it.
  struct Tiled {
    Kernel kernel;
    /// What was asked for, and what was chosen by then.
    poly::KernelPlan asked, made;
    std::vector<std::string> order;

    bool isOf(const poly::KernelPlan &plan) const;
    /// A copy for the plan.
    Kernel get(const poly::KernelPlan &plan) const;
  };

  /// Takes a scheduled kernel to poly-promote, and keeps a copy.
  mlir::LogicalResult tile(mlir::ModuleOp module, const poly::KernelPlan &plan,
                           std::vector<std::string> &order);
  Kernel compile(const poly::KernelPlan &plan, Attempt &attempt);
  llvm::Expected<int64_t> run(mlir::ModuleOp module, llvm::StringRef kernel,
                              const npu::Options &options) const;

  /// The kernel after poly-schedule, by the choice `schedule`: only the first
  /// one if both are the same.
  std::map<int64_t, Kernel> scheduled;
  std::string problem;
  /// The last one.
  std::optional<Tiled> tiled;
  /// Cycles of plans with nothing left open, or the limit that they exceed.
  std::map<std::string, std::pair<std::optional<int64_t>, int64_t>> known;
};

} // namespace gc::tune

#endif // GC_TOOLS_GC_TUNE_MEASURE_H
