// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFunction.h"
#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "OpLoops.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

SmallVector<Value> gc::graph::getKernelResults(func::FuncOp function,
                                               const Kernel &kernel) {
  Operation *end = function.getBody().front().getTerminator();
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

func::FuncOp gc::graph::buildKernel(func::FuncOp function, StringRef name,
                                    const Kernel &kernel,
                                    ArrayRef<Value> results,
                                    SmallVectorImpl<Value> &arguments) {
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
    if (op &&
        (kernel.contains(op) || op->hasTrait<RowMajorView>() || isNumber(op))) {
      // Bodies read numbers from outside, too.
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
            self(self, operand);
      });
      builder.clone(*op, mapping);
      return;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    attributes.push_back(argument
                             ? function.getArgAttrDict(argument.getArgNumber())
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
  made.setFunctionType(builder.getFunctionType(ValueRange(arguments).getTypes(),
                                               ValueRange(results).getTypes()));
  for (auto [number, attribute] : llvm::enumerate(attributes))
    if (attribute)
      made.setArgAttrs(number, attribute);
  return made;
}

poly::KernelPrice gc::graph::priceKernel(func::FuncOp function,
                                         const Kernel &kernel) {
  OpBuilder builder(function.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, function.getLoc());
  (*module)->setAttrs(function->getParentOfType<ModuleOp>()->getAttrs());
  SmallVector<Value> arguments;
  module->push_back(buildKernel(function, "kernel", kernel,
                                getKernelResults(function, kernel), arguments));
  return poly::priceKernels(*module, [](OpPassManager &manager) {
    manager.addPass(createPolyExtract());
  });
}
