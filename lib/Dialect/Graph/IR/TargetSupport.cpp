// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/TargetSupport.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace gc::graph;

TargetSupport::~TargetSupport() = default;

std::optional<std::string> TargetSupport::getObstacle(Operation *op) const {
  return getObstacle(op->getName());
}

std::optional<std::string> TargetSupport::getBorderObstacle(Type) const {
  return std::nullopt;
}

SmallVector<std::optional<std::string>>
TargetSupport::getReturnObstacles(Operation *terminator) const {
  return SmallVector<std::optional<std::string>>(terminator->getNumOperands());
}

void GraphDialect::addTarget(std::unique_ptr<TargetSupport> target) {
  // Registries may hold the same extension more than once.
  if (!findTarget(target->getName()))
    targets.push_back(std::move(target));
}

const TargetSupport *GraphDialect::findTarget(llvm::StringRef name) const {
  for (const std::unique_ptr<TargetSupport> &target : targets)
    if (target->getName() == name)
      return target.get();
  return nullptr;
}
