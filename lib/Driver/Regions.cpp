// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Regions.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Machine/CostModel.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

static CostAttr getCost(Operation *op) {
  return op->getAttrOfType<CostAttr>(GraphDialect::kCostAttr);
}

std::vector<RegionInfo> gc::getRegions(func::FuncOp function,
                                       const Machine &machine) {
  CostModel model(machine);
  std::vector<RegionInfo> regions;
  Attribute lastGroup;
  int64_t longest = 0;
  for (auto fused : function.getOps<FusedOp>()) {
    CostAttr cost = getCost(fused);
    if (!cost)
      continue;
    Attribute group = fused->getAttr(GraphDialect::kMergeGroupAttr);
    bool joins = group && group == lastGroup;
    lastGroup = group;
    if (!joins) {
      regions.emplace_back();
      longest = -1;
    }
    RegionInfo &region = regions.back();
    StringRef name = fused.getName().value_or("");
    if (joins && !region.name.empty() && !name.empty())
      region.name += "|";
    region.name += name;
    region.flops += cost.getFlops();
    region.bytes += cost.getBytes();
    region.predictedMs += model.getMs(cost.getCycles());
    if (cost.getCycles() > longest) {
      longest = cost.getCycles();
      region.boundBy = stringifyBound(cost.getBound()).str();
    }
  }
  return regions;
}

std::optional<double> gc::getPredictedMs(func::FuncOp function,
                                         const Machine &machine) {
  CostAttr cost = getCost(function);
  if (!cost)
    return std::nullopt;
  return CostModel(machine).getMs(cost.getCycles());
}

std::vector<std::optional<double>>
gc::getMeasuredMs(ArrayRef<RegionInfo> regions, const gc_module &module,
                  const gc_trace &trace) {
  std::vector<std::optional<double>> result(regions.size());
  // Loops are in the order of the regions, so equal names do not matter. A
  // region may have several, of which all but the last have a space and more
  // after the name, or none.
  auto isLoopOf = [](StringRef loop, StringRef region) {
    return !region.empty() && loop.consume_front(region) &&
           (loop.empty() || loop.front() == ' ');
  };
  size_t next = 0;
  for (uint32_t loop = 0; loop < module.num_regions; ++loop) {
    StringRef name = module.region_names[loop];
    size_t found = next;
    while (found < regions.size() && !isLoopOf(name, regions[found].name))
      ++found;
    if (found == regions.size())
      continue;
    double ms = gc_trace_region_ms(&trace, loop);
    if (ms >= 0)
      result[found] = result[found].value_or(0) + ms;
    next = name == regions[found].name ? found + 1 : found;
  }
  return result;
}
