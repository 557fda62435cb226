// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "FuseProducers.h"
#include "JoinedProducts.h"
#include "KernelCutter.h"
#include "KernelFunction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace gc {
#define GEN_PASS_DEF_POLYCUTKERNELS
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace gc;
using namespace gc::graph;

namespace {
struct CutKernels : gc::impl::PolyCutKernelsBase<CutKernels> {
  using PolyCutKernelsBase::PolyCutKernelsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isDeclaration() || function.isPrivate() ||
          !function.getBody().hasOneBlock() || !isGraph(function))
        continue;
      copyReturned(function);
      Cutter cutter(function, fuse);
      cutter.cut();
      SmallVector<Kernel> kernels = cutter.takeKernels();
      if (fuse)
        fuseProducers(function, kernels, producers);
      for (Operation &op : function.getBody().front())
        op.removeAttr(kJoinedAttr);
      if (kernels.size() > 1)
        apply(function, kernels, symbols);
    }
  }

  /// Whether all of the function is of the graph dialect, with known shapes.
  static bool isGraph(func::FuncOp function) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    return llvm::all_of(function.getArgumentTypes(), isStatic) &&
           llvm::all_of(function.getBody().front().without_terminator(),
                        [&](Operation &op) {
                          return isa_and_nonnull<GraphDialect>(
                                     op.getDialect()) &&
                                 llvm::all_of(op.getResultTypes(), isStatic);
                        });
  }

  /// Arguments that are returned, and what is returned before, are seen through
  /// a reshape, which a kernel copies.
  static void copyReturned(func::FuncOp function) {
    Operation *end = function.getBody().front().getTerminator();
    OpBuilder builder(end);
    llvm::DenseSet<Value> returned;
    for (OpOperand &operand : end->getOpOperands()) {
      Value value = operand.get();
      if (!isa<BlockArgument>(value) && returned.insert(value).second)
        continue;
      auto type = cast<RankedTensorType>(value.getType());
      operand.set(StaticReshapeOp::create(builder, end->getLoc(), type, value,
                                          type.getShape(), false));
    }
  }

  /// Moves the ops into kernels that the function calls.
  static void apply(func::FuncOp function, ArrayRef<Kernel> kernels,
                    SymbolTable &symbols) {
    Block &block = function.getBody().front();
    OpBuilder builder(block.getTerminator());
    for (size_t number = 0; number < kernels.size(); ++number) {
      const Kernel &kernel = kernels[number];
      SmallVector<Value> results = getKernelResults(function, kernel);
      SmallVector<Value> arguments;
      std::string name = (function.getName() + "_" + Twine(number)).str();
      func::FuncOp made =
          buildKernel(function, name, kernel, results, arguments);
      symbols.insert(made, function->getIterator());
      auto call = func::CallOp::create(builder, made.getLoc(), made, arguments);
      for (auto [from, to] : llvm::zip_equal(results, call.getResults()))
        from.replaceUsesWithIf(to, [&](OpOperand &use) {
          return !kernel.contains(use.getOwner());
        });
    }
    SmallVector<Operation *> moved;
    for (Operation &op : block.without_terminator())
      if (!isa<func::CallOp>(op))
        moved.push_back(&op);
    for (Operation *op : llvm::reverse(moved))
      op->erase();
  }
};
} // namespace
