// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Npu/Transforms/Passes.h"
#include "InsertSyncBuild.h"
#include "KernelPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::npu {

#define GEN_PASS_DEF_NPUINSERTSYNC
#include "Dialect/Npu/Transforms/Passes.h.inc"

namespace {

struct InsertSync : KernelPass<impl::NpuInsertSyncBase<InsertSync>> {
  using KernelPass::KernelPass;

  LogicalResult runOnKernel(func::FuncOp function,
                            const Machine &machine) override {
    FailureOr<SyncKernel> kernel = buildSyncKernel(function, machine);
    if (failed(kernel))
      return failure();
    if (!flags) {
      emitSync(*kernel, sync::getBarriers(kernel->program));
      return success();
    }
    for (auto &[op, reason] : kernel->unknown)
      remark(op, "Unknown", reason,
             "compute it from constants, loop variables and npu.core_id only");
    sync::Result result = sync::insertSync(kernel->program, machine, group);
    for (const sync::Remark &slow : result.remarks)
      remark(kernel->ops[slow.op], slow.name, slow.reason, "");
    emitSync(*kernel, result.plan);
    return success();
  }

  void remark(Operation *op, StringRef name, StringRef reason,
              StringRef suggestion) {
    auto remark =
        remark::missed(op->getLoc(), remark::RemarkOpts::name(name)
                                         .category(getArgumentName())
                                         .function(getOperation().getName()));
    remark << remark::reason("{0}", reason);
    if (!suggestion.empty())
      remark << remark::suggest("{0}", suggestion);
  }
};

} // namespace

} // namespace gc::npu
