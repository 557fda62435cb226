// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "JoinedProducts.h"
#include "KernelCutter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

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
      SmallVector<Value> results = getResults(kernel, block.getTerminator());
      SmallVector<Value> arguments;
      std::string name = (function.getName() + "_" + Twine(number)).str();
      func::FuncOp made = build(function, name, kernel, results, arguments);
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

  /// What other kernels read or the function returns. Only what is returned
  /// has the shape that reshapes give it.
  static SmallVector<Value> getResults(const Kernel &kernel, Operation *end) {
    llvm::SetVector<Value> results;
    for (Operation *op : kernel)
      for (Value value : op->getResults()) {
        SmallVector<Value> views{value};
        for (unsigned next = 0; next < views.size(); ++next)
          for (Operation *user : views[next].getUsers()) {
            if (user == end)
              results.insert(views[next]);
            else if (user->hasTrait<RowMajorView>())
              views.push_back(user->getResult(0));
            else if (!kernel.contains(user))
              results.insert(value);
          }
      }
    return results.takeVector();
  }

  /// The function of a kernel, and what it has to be called with.
  static func::FuncOp build(func::FuncOp function, StringRef name,
                            const Kernel &kernel, ArrayRef<Value> results,
                            SmallVector<Value> &arguments) {
    SmallVector<Location> locations;
    for (Operation *op : kernel)
      locations.push_back(op->getLoc());
    OpBuilder builder(function.getContext());
    auto made = func::FuncOp::create(
        builder.getFusedLoc(locations), name,
        builder.getFunctionType({}, ValueRange(results).getTypes()));
    Block *body = made.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    SmallVector<DictionaryAttr> attributes;
    auto provide = [&](auto &&self, Value value) -> void {
      if (mapping.contains(value))
        return;
      Operation *op = value.getDefiningOp();
      if (op && (kernel.contains(op) || op->hasTrait<RowMajorView>() ||
                 op->hasTrait<OpTrait::ConstantLike>())) {
        for (Value operand : op->getOperands())
          self(self, operand);
        builder.clone(*op, mapping);
        return;
      }
      auto argument = dyn_cast<BlockArgument>(value);
      attributes.push_back(
          argument ? function.getArgAttrDict(argument.getArgNumber())
                   : DictionaryAttr());
      arguments.push_back(value);
      mapping.map(value, body->addArgument(value.getType(), value.getLoc()));
    };
    for (Operation *op : kernel)
      for (Value value : op->getResults())
        provide(provide, value);
    for (Value value : results)
      provide(provide, value);
    func::ReturnOp::create(builder, function.getBody().front().back().getLoc(),
                           llvm::map_to_vector(results, [&](Value value) {
                             return mapping.lookup(value);
                           }));
    made.setFunctionType(builder.getFunctionType(
        ValueRange(arguments).getTypes(), ValueRange(results).getTypes()));
    for (auto [number, attribute] : llvm::enumerate(attributes))
      if (attribute)
        made.setArgAttrs(number, attribute);
    return made;
  }
};
} // namespace
