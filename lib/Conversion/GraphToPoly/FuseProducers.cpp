// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FuseProducers.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "JoinedProducts.h"
#include "KernelFunction.h"
#include "OpLoops.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

namespace {
class ProducerFuser {
public:
  ProducerFuser(func::FuncOp function, SmallVectorImpl<Kernel> &kernels,
                ProducerFusion when)
      : function(function), kernels(kernels), when(when),
        prices(kernels.size()) {}

  void run();

private:
  /// Why an elementwise kernel does not only compute factors of the contraction
  /// of another one.
  std::optional<StringRef> findObstacle(const Kernel &kernel,
                                        const Kernel &consumer) const;
  void tryFusion(unsigned producer, unsigned consumer);
  const poly::KernelPrice &getPrice(unsigned kernel) {
    if (!prices[kernel])
      prices[kernel] = priceKernel(function, kernels[kernel]);
    return *prices[kernel];
  }

  func::FuncOp function;
  SmallVectorImpl<Kernel> &kernels;
  ProducerFusion when;
  std::vector<std::optional<poly::KernelPrice>> prices;
};
} // namespace

static Operation *findContraction(const Kernel &kernel) {
  for (Operation *op : kernel)
    if (isContraction(op) && !op->hasAttr(kJoinedAttr))
      return op;
  return nullptr;
}

std::optional<StringRef>
ProducerFuser::findObstacle(const Kernel &kernel,
                            const Kernel &consumer) const {
  // The ops that the contraction's factors come from.
  llvm::DenseSet<Operation *> before{findContraction(consumer)};
  for (Operation *op : llvm::reverse(consumer.getArrayRef()))
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return before.contains(user); }))
      before.insert(op);
  SmallVector<Operation *> pending(kernel.begin(), kernel.end());
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val()->getUsers()) {
      if (user->hasTrait<RowMajorView>())
        pending.push_back(user);
      else if (!kernel.contains(user) && !before.contains(user))
        return "others read its result, too";
    }
  return std::nullopt;
}

/// Whether the contraction of a kernel, or what computes its factors, reads a
/// result of another one.
static bool readsAsFactor(const Kernel &kernel, const Kernel &consumer) {
  SmallVector<Operation *> pending{findContraction(consumer)};
  while (!pending.empty())
    for (Value operand : pending.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (op && kernel.contains(op))
        return true;
      if (op && (consumer.contains(op) || op->hasTrait<RowMajorView>()))
        pending.push_back(op);
    }
  return false;
}

void ProducerFuser::tryFusion(unsigned producer, unsigned consumer) {
  Operation *op = kernels[producer].back();
  StringRef what = op->getName().getStringRef(),
            where =
                findContraction(kernels[consumer])->getName().getStringRef();
  auto options =
      remark::RemarkOpts::name("Producer").category("poly-cut-kernels");
  auto miss = [&](StringRef reason) {
    remark::missed(op->getLoc(), options)
        << remark::add("'{0}' is not computed in the tiles of '{1}'", what,
                       where)
        << remark::reason("{0}", reason);
  };
  if (when == ProducerFusion::never)
    return miss("producers are kernels of their own");
  if (auto obstacle = findObstacle(kernels[producer], kernels[consumer]))
    return miss(*obstacle);
  SmallVector<Operation *> ops = llvm::to_vector(kernels[producer]);
  llvm::append_range(ops, kernels[consumer]);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Kernel merged(ops.begin(), ops.end());
  poly::KernelPrice own = priceKernel(function, merged);
  const poly::KernelPrice &first = getPrice(producer),
                          &second = getPrice(consumer);
  if (!own.cycles)
    return miss(own.problem);
  // Kernels that cannot be compiled alone say so later.
  if (!first.cycles || !second.cycles)
    return miss(first.cycles ? second.problem : first.problem);
  double apart = *first.cycles + *second.cycles;
  std::string cycles = std::to_string(int64_t(*own.cycles)) +
                       " cycles instead of " + std::to_string(int64_t(apart)) +
                       " of two kernels";
  if (*own.cycles >= apart && when == ProducerFusion::cost)
    return miss(cycles);
  remark::passed(op->getLoc(), options)
      << remark::add("'{0}' is computed in the tiles of '{1}'", what, where)
      << remark::reason("{0}", cycles);
  kernels[consumer] = std::move(merged);
  prices[consumer] = own;
  kernels[producer].clear();
}

void ProducerFuser::run() {
  for (unsigned consumer = 0; consumer < kernels.size(); ++consumer)
    for (unsigned producer = consumer; producer-- > 0;)
      if (findContraction(kernels[consumer]) && !kernels[producer].empty() &&
          llvm::all_of(kernels[producer], isElementwise) &&
          readsAsFactor(kernels[producer], kernels[consumer]))
        tryFusion(producer, consumer);
  llvm::erase_if(kernels, [](const Kernel &kernel) { return kernel.empty(); });
}

void gc::graph::fuseProducers(func::FuncOp function,
                              SmallVectorImpl<Kernel> &kernels,
                              ProducerFusion when) {
  ProducerFuser(function, kernels, when).run();
}
