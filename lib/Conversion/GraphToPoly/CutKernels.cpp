// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "DivideKernels.h"
#include "FuseProducers.h"
#include "JoinedProducts.h"
#include "KernelCutter.h"
#include "KernelFunction.h"
#include "ReadObstacles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
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
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && !function.isPrivate() &&
          function.getBody().hasOneBlock() && isGraph(function))
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      func::FuncOp fold;
      if (auto name = function->getAttrOfType<FlatSymbolRefAttr>(
              GraphDialect::kFoldFunctionAttr)) {
        fold = symbols.lookup<func::FuncOp>(name.getAttr());
        if (failed(checkFold(function, fold)))
          return signalPassFailure();
      }
      FailureOr<SmallVector<Kernel>> kernels = findKernels(function);
      if (failed(kernels))
        return signalPassFailure();
      if (kernels->size() > 1 && !fold)
        apply(function, *kernels, symbols);
      if (fold && failed(applyWithFold(function, *kernels, fold, symbols)))
        return signalPassFailure();
    }
  }

  FailureOr<SmallVector<Kernel>> findKernels(func::FuncOp function) {
    copyReturned(function);
    Cutter cutter(function, fuse);
    cutter.cut();
    SmallVector<Kernel> kernels = cutter.takeKernels();
    if (fuse) {
      fuseProducers(function, kernels, producers);
      if (failed(divideKernels(function, kernels)))
        return failure();
    }
    for (Operation &op : function.getBody().front())
      op.removeAttr(kJoinedAttr);
    return kernels;
  }

  /// Which result of the fold function an argument is, if any.
  static std::optional<int64_t> getFoldedIndex(BlockArgument argument) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto index = function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), GraphDialect::kFoldedAttr);
    return index ? std::optional(index.getInt()) : std::nullopt;
  }

  /// Whether the fold function computes the arguments that say so, from the
  /// constant ones.
  static LogicalResult checkFold(func::FuncOp function, func::FuncOp fold) {
    auto isRight = [&] {
      if (!fold || !fold.getBody().hasOneBlock() || !isGraph(fold))
        return false;
      int64_t numResults = fold.getNumResults();
      SmallVector<Type> inputs;
      for (BlockArgument argument : function.getArguments()) {
        std::optional<int64_t> index = getFoldedIndex(argument);
        if (index && (*index < 0 || *index >= numResults ||
                      fold.getResultTypes()[*index] != argument.getType()))
          return false;
        if (!index && isConstantValue(argument))
          inputs.push_back(argument.getType());
      }
      return llvm::equal(inputs, fold.getArgumentTypes());
    };
    if (isRight())
      return success();
    return function.emitOpError()
           << "has no fold function that computes its arguments with '"
           << GraphDialect::kFoldedAttr << "' from the constant ones";
  }

  /// Calls the kernels of the fold function first, then the function's own.
  LogicalResult applyWithFold(func::FuncOp function, ArrayRef<Kernel> kernels,
                              func::FuncOp fold, SymbolTable &symbols) {
    OpBuilder builder(function.getContext());
    // What runs repeatedly, as a graph: what its kernels are measured against.
    func::FuncOp repeated = function.clone();
    repeated.setName((function.getName() + "_repeated").str());
    repeated.setPrivate();
    repeated->removeAttr(GraphDialect::kFoldFunctionAttr);
    symbols.insert(repeated, function->getIterator());
    apply(function, kernels, symbols);
    FailureOr<SmallVector<Kernel>> once = findKernels(fold);
    if (failed(once))
      return failure();
    apply(fold, *once, symbols);

    IRMapping mapping;
    Block &block = function.getBody().front();
    auto input = fold.getArguments().begin();
    for (BlockArgument argument : block.getArguments())
      if (!getFoldedIndex(argument) && isConstantValue(argument))
        mapping.map(*input++, argument);
    builder.setInsertionPointToStart(&block);
    for (Operation &op : fold.getBody().front().without_terminator())
      builder.clone(op, mapping)
          ->setAttr(npu::NpuDialect::kOnceAttr, builder.getUnitAttr());
    ValueRange results = fold.getBody().front().getTerminator()->getOperands();
    llvm::BitVector folded(block.getNumArguments());
    for (BlockArgument argument : block.getArguments())
      if (std::optional<int64_t> index = getFoldedIndex(argument)) {
        argument.replaceAllUsesWith(mapping.lookup(results[*index]));
        folded.set(argument.getArgNumber());
      }
    (void)function.eraseArguments(folded);
    function->removeAttr(GraphDialect::kFoldFunctionAttr);
    function->setAttr(npu::NpuDialect::kRepeatedAttr,
                      FlatSymbolRefAttr::get(repeated.getNameAttr()));
    symbols.erase(fold);
    return success();
  }

  /// Whether all of the function is for the NPU, with known shapes.
  static bool isGraph(func::FuncOp function) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    return llvm::all_of(function.getArgumentTypes(), isStatic) &&
           llvm::all_of(function.getBody().front().without_terminator(),
                        [&](Operation &op) {
                          // Ops of other dialects that are not read say so
                          // later.
                          return isa_and_nonnull<GraphDialect>(op.getDialect())
                                     ? llvm::all_of(op.getResultTypes(),
                                                    isStatic)
                                     : !findReadObstacle(&op);
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
