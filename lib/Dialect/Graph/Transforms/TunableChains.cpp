// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TunableChains.h"
#include "Dialect/Graph/Templates/ChainChoice.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

namespace {
/// What happens to the rows of a tunable op's result.
struct RowUses {
  bool reduced = false;
  SmallVector<TunableOpInterface> readers;
};
} // namespace

/// Whether the op's rows are those of a value that it reads.
static bool readsRows(TunableOpInterface op, Value value) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == value && op.keepsRows(operand.getOperandNumber());
  });
}

/// Follows the result through fusible ops that keep the rows where they are.
static RowUses getRowUses(TunableOpInterface op) {
  RowUses uses;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  llvm::SmallSetVector<Value, 16> values;
  values.insert(op->getResult(0));
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (user->getBlock() != op->getBlock())
        continue;
      if (auto tunable = dyn_cast<TunableOpInterface>(user)) {
        if (readsRows(tunable, values[i]) &&
            !llvm::is_contained(uses.readers, tunable))
          uses.readers.push_back(tunable);
        continue;
      }
      auto fusible = dyn_cast<FusibleOpInterface>(user);
      if (!fusible || fusible.getFusibleKind() == FusibleKind::transpose ||
          !haveSameRows(user->getResult(0).getType(), type))
        continue;
      uses.reduced |= fusible.getFusibleKind() == FusibleKind::reduction;
      values.insert(user->getResult(0));
    }
  return uses;
}

SmallVector<SmallVector<ChainLink>> getTunableChains(Block &block) {
  SmallVector<SmallVector<ChainLink>> chains;
  llvm::SmallPtrSet<Operation *, 16> placed;
  for (auto op : block.getOps<TunableOpInterface>()) {
    if (placed.contains(op))
      continue;
    SmallVector<ChainLink> &chain = chains.emplace_back();
    TunableOpInterface next = op;
    while (next) {
      placed.insert(next);
      RowUses uses = getRowUses(next);
      chain.push_back({next, uses.reduced});
      next = {};
      // With several readers the rows must be kept for all of them.
      if (uses.readers.size() == 1 && !placed.contains(uses.readers[0]))
        next = uses.readers[0];
    }
  }
  return chains;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Bytes of the operands that every block of rows reads whole, for one index of
/// the leading dimensions.
static double getWholeBytes(TunableOpInterface op) {
  double bytes = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.readsWhole(operand.getOperandNumber()))
      continue;
    auto type = cast<RankedTensorType>(operand.get().getType());
    double size = 1;
    for (int64_t extent :
         type.getShape().take_back(std::min<int64_t>(type.getRank(), 2)))
      size *= extent;
    bytes += size * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

static bool hasStaticTypes(TunableOpInterface op) {
  auto isStatic = [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

/// Unknown loops may assign any part to any core.
static Partition getPartition(TunableOpInterface op, Attribute chosen,
                              const Machine &machine,
                              const TemplateOptions &options) {
  if (auto loops = cast<TemplateAttrInterface>(chosen).getOuterLoops(op))
    return {loops->rowParts, loops->columnParts};
  return {1, options.threads ? options.threads : machine.cores};
}

/// Bytes of what a function reads, what its tunable ops compute and what it
/// returns; fusible ops between them leave nothing behind. 0 if a size is open.
static double getGraphBytes(func::FuncOp function) {
  llvm::SetVector<Value> values;
  for (BlockArgument argument : function.getArguments())
    if (!argument.use_empty())
      values.insert(argument);
  function.walk([&](Operation *op) {
    if (isa<TunableOpInterface>(op) || op->hasTrait<OpTrait::ConstantLike>())
      values.insert(op->result_begin(), op->result_end());
    if (isa<func::ReturnOp>(op))
      values.insert(op->operand_begin(), op->operand_end());
  });
  double bytes = 0;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return 0;
    bytes += static_cast<double>(type.getNumElements()) *
             llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

TemplateOptions getTemplateOptions(func::FuncOp function, int64_t threads,
                                   KernelPreference kernels, bool fixedPoint,
                                   ArrayRef<std::string> forced) {
  TemplateOptions options;
  options.graphBytes = getGraphBytes(function);
  options.threads = threads;
  options.kernels = kernels;
  options.fixedPoint = fixedPoint;
  options.forced = forced;
  return options;
}

FailureOr<SmallVector<ChainItem>>
getChainItems(ArrayRef<ChainLink> links, const Machine &machine,
              const TemplateOptions &options) {
  SmallVector<ChainItem> items;
  for (const ChainLink &link : links) {
    TunableOpInterface op = link.op;
    if (!hasStaticTypes(op))
      return reportNoTemplate(op, machine, options);
    items.push_back({[op, &machine](const TemplateOptions &own) {
                       return findTemplates(op, machine, own);
                     },
                     cast<RankedTensorType>(op->getResult(0).getType()),
                     getWholeBytes(op), link.needsWholeRows,
                     [op, &machine, &options](Attribute chosen) {
                       return getPartition(op, chosen, machine, options);
                     }});
  }
  return items;
}

LogicalResult chooseTemplates(ArrayRef<ChainLink> chain, const Machine &machine,
                              const TemplateOptions &options) {
  // An op whose template is already chosen divides a chain.
  while (!chain.empty()) {
    auto isChosen = [](const ChainLink &link) {
      TunableOpInterface op = link.op;
      return static_cast<bool>(op.getChosenTemplate());
    };
    ArrayRef<ChainLink> part =
        chain.take_until([&](const ChainLink &link) { return isChosen(link); });
    chain = chain.drop_front(std::min(part.size() + 1, chain.size()));
    if (part.empty())
      continue;
    auto items = getChainItems(part, machine, options);
    if (failed(items))
      return failure();
    size_t missing = 0;
    ChainChoice choice = ChainChooser(*items, machine, options).choose(missing);
    if (choice.templates.empty())
      return reportNoTemplate(part[missing].op, machine, options);
    for (auto [link, chosen] : llvm::zip_equal(part, choice.templates)) {
      TunableOpInterface op = link.op;
      op.setChosenTemplate(cast<TemplateAttrInterface>(chosen));
    }
  }
  return success();
}

} // namespace gc::graph
