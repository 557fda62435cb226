// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiler that is not part of GC and builds on it: mlir-opt's main function,
// GC's dialects and pipelines, and one pass of its own.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Transforms/Register.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace {

/// Remarks the floating-point operations of each matmul with a known shape:
/// 2·M·N·K, times the batch.
struct ReportFlops
    : public mlir::PassWrapper<ReportFlops,
                               mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportFlops)

  llvm::StringRef getArgument() const override { return "report-flops"; }
  llvm::StringRef getDescription() const override {
    return "Remark the floating-point operations of each matmul";
  }

  void runOnOperation() override {
    getOperation().walk([](gc::graph::MatmulOp Matmul) {
      auto A = llvm::cast<mlir::ShapedType>(Matmul->getOperand(0).getType());
      auto C = llvm::cast<mlir::ShapedType>(Matmul->getResult(0).getType());
      if (!A.hasStaticShape() || !C.hasStaticShape() || A.getRank() == 0)
        return;
      int64_t K = A.getDimSize(A.getRank() - 1);
      Matmul.emitRemark() << 2 * K * C.getNumElements() << " flops";
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry Registry;
  gc::registerAllGraphCompilerDialects(Registry);
  gc::registerAllGraphCompilerPasses();
  mlir::registerCanonicalizer();
  mlir::PassRegistration<ReportFlops>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "A compiler built on GC\n", Registry));
}
