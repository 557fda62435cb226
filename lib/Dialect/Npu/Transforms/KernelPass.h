// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every pass on NPU programs does first.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_KERNELPASS_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_KERNELPASS_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc::npu {

/// A pass of base class `Base` that works on functions with the attribute
/// `npu.kernel` and a body, with the machine that their module describes. It
/// leaves others alone.
template <typename Base>
struct KernelPass : Base {
  using Base::Base;

  /// Failure: an error was emitted.
  virtual mlir::LogicalResult runOnKernel(mlir::func::FuncOp kernel,
                                          const Machine &machine) = 0;

  void runOnOperation() final {
    mlir::func::FuncOp function = this->getOperation();
    if (!function->hasAttr(NpuDialect::kKernelAttr) || function.isDeclaration())
      return;
    mlir::FailureOr<Machine> machine = getMachine(function);
    if (failed(machine) || failed(runOnKernel(function, *machine)))
      this->signalPassFailure();
  }
};

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_KERNELPASS_H
