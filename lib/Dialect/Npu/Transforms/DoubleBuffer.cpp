// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers of marked loops alternate between slots, and loads are issued ahead.

#include "DoubleBuffer.h"
#include "Dialect/Npu/Transforms/Passes.h"
#include "KernelPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace gc::npu {

#define GEN_PASS_DEF_NPUDOUBLEBUFFER
#include "Dialect/Npu/Transforms/Passes.h.inc"

int64_t getPipelineDepth(scf::ForOp loop) {
  auto depth = loop->getAttrOfType<IntegerAttr>(NpuDialect::kPipelineAttr);
  if (!depth)
    return 1;
  int64_t most = depth.getInt();
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    most = std::min<int64_t>(most, trips->getLimitedValue(depth.getInt()));
  return std::max<int64_t>(most, 1);
}

namespace {

struct DoubleBuffer : KernelPass<impl::NpuDoubleBufferBase<DoubleBuffer>> {
  using KernelPass::KernelPass;

  /// No loop is marked with more iterations than the option says.
  void limitSlots(func::FuncOp kernel) {
    Builder builder(kernel.getContext());
    kernel.walk([&](scf::ForOp loop) {
      if (mostSlots > 0 && getPipelineDepth(loop) > mostSlots)
        loop->setAttr(NpuDialect::kPipelineAttr,
                      builder.getI64IntegerAttr(mostSlots));
    });
  }

  LogicalResult runOnKernel(func::FuncOp kernel,
                            const Machine &machine) override {
    limitSlots(kernel);
    if (failed(giveSlots(kernel, machine)))
      return failure();
    flattenNests(kernel, machine);
    splitBranches(kernel);

    // Everything is decided on the program as it was written, inner loops
    // first; what the rewriting of an inner loop does not issue ahead is not
    // issued ahead in outer ones either.
    SmallVector<std::pair<scf::ForOp, Leads>> pipelines;
    kernel.walk([&](scf::ForOp loop) {
      int64_t depth = getPipelineDepth(loop);
      loop->removeAttr(NpuDialect::kPipelineAttr);
      if (depth < 2)
        return;
      Leads leads = findLeads(loop, depth, machine);
      if (!leads.empty())
        pipelines.push_back({loop, std::move(leads)});
    });
    kernel.walk([](Operation *op) { op->removeAttr(NpuDialect::kStageAttr); });
    for (size_t number = 0; number < pipelines.size(); ++number)
      rewrite(pipelines[number].first, pipelines[number].second,
              MutableArrayRef(pipelines).drop_front(number + 1));
    return success();
  }

  using Pipelines = MutableArrayRef<std::pair<scf::ForOp, Leads>>;

  /// What takes the place of the loop leads in `outer` loops as it did.
  static void rewrite(scf::ForOp loop, const Leads &leads, Pipelines outer) {
    Operation *previous = loop->getPrevNode(), *next = loop->getNextNode();
    Block *block = loop->getBlock();
    auto found = llvm::find_if(
        outer, [&](auto &pipeline) { return pipeline.second.contains(loop); });
    int64_t lead = 0;
    if (found != outer.end()) {
      lead = found->second.lookup(loop);
      found->second.erase(loop);
    }
    pipelineLoop(loop, leads);
    if (lead == 0)
      return;
    for (Operation *op = previous ? previous->getNextNode() : &block->front();
         op != next; op = op->getNextNode())
      found->second[op] = lead;
  }
};

} // namespace

} // namespace gc::npu
