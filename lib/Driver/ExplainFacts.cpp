// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExplainFacts.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Picture.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

/// The kernels that the function's contractions call, by the first of them.
static KernelTypes getKernelTypes(func::FuncOp function) {
  KernelTypes types = KernelTypes::f32;
  function.walk([&](TunableOpInterface op) {
    auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
    if (!type)
      return WalkResult::advance();
    Type element = type.getElementType();
    if (element.isBF16())
      types = KernelTypes::bf16;
    else if (element.isF16())
      types = KernelTypes::f16;
    else if (element.isUnsignedInteger(8))
      types = KernelTypes::u8s8;
    else if (element.isInteger(8))
      types = KernelTypes::s8s8;
    return WalkResult::interrupt();
  });
  return types;
}

void gc::collectRegions(func::FuncOp function, const Machine &machine,
                        int64_t threads, CompiledFacts &facts) {
  facts.regions = getRegions(function, machine);
  facts.predictedMs = getPredictedMs(function, machine);
  facts.locations.clear();
  // Regions of one merge group are one parallel loop, as in getRegions.
  Attribute lastGroup;
  for (auto fused : function.getOps<FusedOp>()) {
    if (!fused->hasAttr(GraphDialect::kCostAttr))
      continue;
    Attribute group = fused->getAttr(GraphDialect::kMergeGroupAttr);
    if (!group || group != lastGroup)
      facts.locations.emplace_back();
    lastGroup = group;
    fused.walk([&](Operation *op) {
      std::string location = formatLocation(op->getLoc());
      if (!location.empty() &&
          !llvm::is_contained(facts.locations.back(), location))
        facts.locations.back().push_back(std::move(location));
    });
  }
  double bytes = 0;
  for (const RegionInfo &region : facts.regions)
    bytes += region.bytes;
  facts.roofline = Roofline::get(machine, threads ? threads : machine.cores,
                                 getKernelTypes(function), bytes);
  facts.picture.clear();
  llvm::raw_string_ostream os(facts.picture);
  writeGraphSvg(function, os);
}

void gc::collectLoops(func::FuncOp function, CompiledFacts &facts) {
  facts.iterations.assign(facts.regions.size(), 0);
  size_t next = 0;
  // Loops are in the order of the regions and have their names.
  function.walk<WalkOrder::PreOrder>([&](tir::ParallelOp loop) {
    StringRef name = loop.getName().value_or("");
    for (size_t i = next; i < facts.regions.size(); ++i)
      if (!name.empty() && facts.regions[i].name == name) {
        int64_t iterations = 1;
        for (int64_t size : loop.getSizes())
          iterations *= size;
        facts.iterations[i] = iterations;
        next = i + 1;
        break;
      }
    return WalkResult::skip();
  });
}
