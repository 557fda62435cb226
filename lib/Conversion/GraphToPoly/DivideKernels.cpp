// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DivideKernels.h"
#include "JoinedProducts.h"
#include "KernelFunction.h"
#include "OpLoops.h"
#include "ReductionSize.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

/// What a kernel stores that does not depend on its reductions, with all that
/// this is computed from.
static Kernel findStored(func::FuncOp function, const Kernel &kernel) {
  llvm::DenseSet<Operation *> reduced, stored;
  for (Operation *op : kernel)
    if (isReduction(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return reduced.contains(operand.getDefiningOp());
        }))
      reduced.insert(op);
  for (Value value : getKernelResults(function, kernel)) {
    Operation *op = value.getDefiningOp();
    // Results have the shape that reshapes give them.
    while (op && op->hasTrait<RowMajorView>())
      op = op->getOperand(0).getDefiningOp();
    if (!reduced.contains(op))
      stored.insert(op);
  }
  for (Operation *op : llvm::reverse(kernel.getArrayRef()))
    if (stored.contains(op))
      for (Value operand : op->getOperands())
        if (kernel.contains(operand.getDefiningOp()))
          stored.insert(operand.getDefiningOp());
  Kernel result;
  for (Operation *op : kernel)
    if (stored.contains(op))
      result.insert(op);
  return result;
}

LogicalResult gc::graph::divideKernels(func::FuncOp function,
                                       SmallVectorImpl<Kernel> &kernels) {
  FailureOr<npu::Machine> machine = npu::getMachine(function);
  if (failed(machine))
    return failure();
  for (size_t number = 0; number < kernels.size(); ++number) {
    const Kernel &kernel = kernels[number];
    const auto *reduction = llvm::find_if(kernel, [&](Operation *op) {
      std::optional<ReductionSize> size;
      if (isReduction(op) && !op->hasAttr(kJoinedAttr))
        size = getReductionSize(op, *machine);
      return size && size->isLarge();
    });
    if (reduction == kernel.end())
      continue;
    Kernel first = findStored(function, kernel), second;
    for (Operation *op : kernel)
      if (!first.contains(op))
        second.insert(op);
    if (first.empty())
      continue;
    poly::KernelPrice whole = priceKernel(function, kernel);
    if (whole.cycles || !priceKernel(function, first).cycles ||
        !priceKernel(function, second).cycles)
      continue;
    remark::missed(
        (*reduction)->getLoc(),
        remark::RemarkOpts::name("Divide").category("poly-cut-kernels"))
        << remark::add("'{0}' is not in the kernel of '{1}'",
                       (*reduction)->getName().getStringRef(),
                       first.back()->getName().getStringRef())
        << remark::reason("{0}", whole.problem);
    kernels[number] = std::move(first);
    kernels.insert(kernels.begin() + ++number, std::move(second));
  }
  return success();
}
