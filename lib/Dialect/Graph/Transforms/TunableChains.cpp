// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TunableChains.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

namespace {
/// What becomes of the rows of a tunable op's result.
struct RowUses {
  bool reduced = false;
  SmallVector<TunableOpInterface> readers;
};
} // namespace

/// Whether the last dimension of the shape, and only that, may differ.
static bool haveSameRows(Type a, Type b) {
  ArrayRef<int64_t> left = cast<ShapedType>(a).getShape(),
                    right = cast<ShapedType>(b).getShape();
  return left.size() == right.size() && !left.empty() &&
         left.drop_back() == right.drop_back();
}

/// Whether the op's rows are those of the value that it reads as operand 0.
static bool readsRows(TunableOpInterface op, Value value) {
  auto matmul = dyn_cast<MatmulOp>(op.getOperation());
  return matmul && matmul.getSrc() == value && !matmul.getTransposeA() &&
         haveSameRows(value.getType(), matmul.getType());
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
      // With several readers the rows have to be kept for all of them.
      if (uses.readers.size() == 1 && !placed.contains(uses.readers[0]))
        next = uses.readers[0];
    }
  }
  return chains;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {

/// Cycles that threads take to meet at the end of a parallel loop.
constexpr double kBarrierCycles = 12000;
/// Bytes per cycle and core by the cache that holds what is handed from one op
/// to the next, and the part of that time that shows.
constexpr double kBytesPerCycleL2 = 32, kBytesPerCycleL3 = 12,
                 kBytesPerCycleMemory = 4, kVisibleTraffic = 0.4;

/// The templates of some neighbours with their cost.
struct Choice {
  double cycles = HUGE_VAL;
  SmallVector<TemplateAttrInterface> templates;
};

class ChainChooser {
public:
  ChainChooser(ArrayRef<ChainLink> chain, const Machine &machine,
               const TemplateOptions &options)
      : chain(chain), machine(machine), options(options),
        threads(options.threads ? options.threads : machine.cores) {
    auto type = cast<RankedTensorType>(chain[0].op->getResult(0).getType());
    int64_t rank = type.getRank();
    rows = rank >= 2 ? type.getDimSize(rank - 2) : 1;
    for (int64_t size : type.getShape().drop_back(std::min<int64_t>(rank, 2)))
      batch *= size;
  }

  /// The cheapest sequence of groups.
  FailureOr<Choice> choose() const {
    SmallVector<Choice> best(chain.size() + 1);
    best[0].cycles = 0;
    for (size_t end = 1; end <= chain.size(); ++end)
      for (size_t begin = end - std::min(end, kMaxMergeGroup); begin < end;
           ++begin) {
        FailureOr<Choice> group =
            end - begin == 1 ? chooseAlone(begin) : chooseJointly(begin, end);
        if (failed(group))
          return failure();
        double cycles = best[begin].cycles + group->cycles;
        if (end < chain.size())
          cycles += getHandOver(end - 1);
        if (cycles >= best[end].cycles)
          continue;
        best[end].cycles = cycles;
        best[end].templates = best[begin].templates;
        best[end].templates.append(group->templates);
      }
    return best.back();
  }

private:
  static int64_t getBytes(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getNumElements() *
           llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  }

  double getTraffic(double bytes, double total) const {
    double rate = total <= machine.l2Bytes / 2   ? kBytesPerCycleL2
                  : total <= machine.l3Bytes / 2 ? kBytesPerCycleL3
                                                 : kBytesPerCycleMemory;
    return kVisibleTraffic * bytes / rate;
  }

  /// What it costs that the result of an op goes through memory to the next
  /// one: written, read, and a barrier between.
  double getHandOver(size_t index) const {
    double bytes = getBytes(chain[index].op->getResult(0).getType());
    int64_t sharers = std::min(threads, batch * rows);
    return kBarrierCycles + getTraffic(2 * bytes / sharers, bytes);
  }

  FailureOr<Choice> chooseAlone(size_t index) const {
    TemplateOptions own = options;
    own.wholeRows = chain[index].needsWholeRows;
    Choice choice;
    own.cycles = &choice.cycles;
    TunableOpInterface op = chain[index].op;
    auto chosen = op.selectTemplate(machine, own);
    if (failed(chosen))
      return failure();
    choice.templates.push_back(*chosen);
    return choice;
  }

  /// All of a group with one split of the rows, over a few such splits.
  FailureOr<Choice> chooseJointly(size_t begin, size_t end) const {
    Choice best;
    int64_t parts = llvm::divideCeil(threads, std::min(batch, threads));
    for (int64_t mpn = std::min(parts, rows); mpn >= 1; --mpn) {
      int64_t share = llvm::divideCeil(rows, mpn);
      llvm::SmallSetVector<int64_t, 8> blocks;
      for (int64_t target : {16, 24, 32, 48, 64, 96, 128})
        blocks.insert(llvm::divideCeil(share, llvm::divideCeil(share, target)));
      for (int64_t mb : blocks) {
        if (mb * (mpn - 1) >= rows)
          continue;
        // The loops over blocks of rows merge as well, or only those around
        // them.
        for (bool mergeRows : {true, false}) {
          FailureOr<Choice> choice =
              chooseGroup(begin, end, mpn, mb, mergeRows);
          if (failed(choice))
            return failure();
          if (choice->cycles < best.cycles)
            best = *choice;
        }
      }
      // Fewer parts than threads are not worth a look where there is a choice.
      if (mpn == parts && !best.templates.empty())
        break;
    }
    return best;
  }

  FailureOr<Choice> chooseGroup(size_t begin, size_t end, int64_t mpn,
                                int64_t mb, bool mergeRows) const {
    auto getResident = [&](size_t i) {
      double bytes = 0;
      auto type = cast<RankedTensorType>(chain[i].op->getResult(0).getType());
      int64_t rank = type.getRank();
      // One panel of the result, and all of operand 1 of one batch element.
      bytes += double(mb) * type.getDimSize(rank - 1) *
               type.getElementTypeBitWidth() / 8;
      auto weights =
          cast<RankedTensorType>(chain[i].op->getOperand(1).getType());
      int64_t matrices = 1;
      for (int64_t size : weights.getShape().drop_back(
               std::min<int64_t>(weights.getRank(), 2)))
        matrices *= size;
      return bytes + double(getBytes(weights)) / matrices;
    };
    SmallVector<double> resident;
    if (mergeRows)
      for (size_t i = begin; i < end; ++i)
        resident.push_back(getResident(i));
    Choice choice;
    choice.cycles = 0;
    for (size_t i = begin; i < end; ++i) {
      TemplateOptions own = options;
      own.wholeRows = chain[i].needsWholeRows;
      own.readsPanel = i > begin && chain[i - 1].needsWholeRows;
      own.rowParts = mpn;
      own.rowBlock = mb;
      if (mergeRows)
        for (size_t other = begin; other < end; ++other)
          if (other != i)
            own.neighbourBytes += resident[other - begin];
      double cycles;
      own.cycles = &cycles;
      TunableOpInterface op = chain[i].op;
      auto chosen = op.selectTemplate(machine, own);
      if (failed(chosen))
        return failure();
      choice.templates.push_back(*chosen);
      choice.cycles += cycles;
      if (i + 1 == end)
        continue;
      // What is handed on: a panel, or all rows of the core.
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      double bytes = getBytes(type) / double(batch);
      double kept = mergeRows ? bytes * mb / rows : bytes / mpn;
      choice.cycles += llvm::divideCeil(batch * mpn, threads) *
                       getTraffic(2 * bytes / mpn, kept);
    }
    return choice;
  }

  ArrayRef<ChainLink> chain;
  const Machine &machine;
  const TemplateOptions &options;
  int64_t threads, rows, batch = 1;
};

} // namespace

LogicalResult chooseTemplates(ArrayRef<ChainLink> chain, const Machine &machine,
                              const TemplateOptions &options) {
  // What is chosen already divides a chain.
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
    FailureOr<Choice> choice = ChainChooser(part, machine, options).choose();
    if (failed(choice))
      return failure();
    for (auto [link, chosen] : llvm::zip_equal(part, choice->templates))
      link.op->setAttr("template_params", chosen);
  }
  return success();
}

} // namespace gc::graph
