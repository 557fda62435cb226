// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Templates/ChainChoice.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

/// How much less a loop of its own for the reductions of rows has to take.
constexpr double kSeparationWeight = 1.1;

static int64_t getBytes(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

ChainChooser::ChainChooser(ArrayRef<ChainItem> items, const Machine &machine,
                           const TemplateOptions &options)
    : items(items), machine(machine), options(options),
      model(machine, options.threads), threads(model.getThreads()) {
  RankedTensorType type = items[0].result;
  int64_t rank = type.getRank();
  rows = rank >= 2 ? type.getDimSize(rank - 2) : 1;
  for (int64_t size : type.getShape().drop_back(std::min<int64_t>(rank, 2)))
    batch *= size;
}

ChainChoice ChainChooser::choose(size_t &missing) {
  ChainChoice best = choosePath(/*ownParts=*/0, missing);
  if (items.size() == 1 || best.templates.empty())
    return best;
  // What is cheapest for an item alone may divide it in another way than its
  // neighbours, to whom its result then has to pass.
  size_t ignored;
  ChainChoice aligned = choosePath(getParts(getWantedParts())[0], ignored);
  return aligned.cycles < best.cycles ? aligned : best;
}

int64_t ChainChooser::getWantedParts() const {
  return llvm::divideCeil(threads, std::min(batch, threads));
}

ChainChoice ChainChooser::choosePath(int64_t ownParts, size_t &missing) {
  SmallVector<ChainChoice> best(items.size() + 1);
  best[0].cycles = 0;
  for (size_t end = 1; end <= items.size(); ++end) {
    for (size_t begin = end - std::min(end, kMaxMergeGroup); begin < end;
         ++begin) {
      bool isAlone = end - begin == 1;
      std::optional<Partition> source = getSource(begin, best[begin].templates);
      ChainChoice group = isAlone ? chooseAlone(begin, source, ownParts)
                                  : chooseJointly(begin, end);
      if (!isAlone && !group.templates.empty())
        group.cycles += getExchange(begin, group.rowParts, source);
      if (isAlone && group.templates.empty()) {
        missing = begin;
        return {};
      }
      double cycles = best[begin].cycles + group.cycles;
      if (end < items.size())
        cycles += getHandOver(end - 1);
      if (cycles >= best[end].cycles)
        continue;
      best[end].cycles = cycles;
      best[end].templates = best[begin].templates;
      best[end].templates.append(group.templates);
    }
  }
  return best.back();
}

std::optional<Partition> ChainChooser::getSource(size_t index,
                                                 ArrayRef<Attribute> chosen) {
  if (chosen.empty() || !items[index - 1].getPartition)
    return std::nullopt;
  return items[index - 1].getPartition(chosen.back());
}

double ChainChooser::getExchange(size_t begin, int64_t rowParts,
                                 std::optional<Partition> source) const {
  if (!source)
    return 0;
  int64_t sharers = std::min(threads, batch * rowParts);
  double bytes = static_cast<double>(getBytes(items[begin - 1].result));
  return model.getExchangeCycles(bytes / sharers *
                                 source->getForeignPart(rowParts, 1));
}

/// What it costs a core to write bytes and to read them again, besides its
/// arithmetic, if it touches `coreBytes` in between, and the team `teamBytes`.
double ChainChooser::getTraffic(double bytes, double coreBytes,
                                double teamBytes) const {
  MemoryLevel level = model.getLevel(coreBytes, teamBytes);
  return (model.getWrite(bytes, level) + model.getRead(bytes, level))
      .getVisibleCycles();
}

/// The cost of passing the result of an op through memory to the next one:
/// written, read, and a barrier between.
double ChainChooser::getHandOver(size_t index) const {
  double bytes = getBytes(items[index].result);
  int64_t sharers = std::min(threads, batch * rows);
  return model.getBarrierCycles() +
         getTraffic(bytes / sharers, bytes / sharers, bytes);
}

ChainChoice ChainChooser::chooseAlone(size_t index,
                                      std::optional<Partition> source,
                                      int64_t rowParts) {
  TemplateOptions own = options;
  if (rowParts)
    own.rowParts = rowParts;
  own.source = source;
  own.readsPanel = index == 0 && options.readsPanel;
  ChainChoice best;
  auto consider = [&](bool wholeRows) {
    own.wholeRows = wholeRows;
    auto candidates = items[index].getCandidates(own);
    if (candidates.empty())
      return;
    double cycles = candidates.front().cycles, weight = 1;
    // Reductions are then in a loop of their own. Where both take about as
    // long, they stay with the op.
    if (!wholeRows && items[index].needsWholeRows) {
      cycles += getHandOver(index);
      weight = kSeparationWeight;
    }
    if (weight * cycles < best.cycles)
      best = {cycles, {candidates.front().params}};
  };
  consider(items[index].needsWholeRows);
  if (items[index].needsWholeRows)
    consider(/*wholeRows=*/false);
  return best;
}

SmallVector<int64_t> ChainChooser::getParts(int64_t wanted) const {
  constexpr size_t kMost = 6;
  SmallVector<int64_t> parts = {std::min(wanted, rows)};
  for (int64_t share = llvm::divideCeil(rows, parts[0]);
       share <= rows && parts.size() < kMost; ++share) {
    int64_t count = llvm::divideCeil(rows, share);
    if (count < parts.back())
      parts.push_back(count);
  }
  return parts;
}

SmallVector<RowSplit> ChainChooser::getSplits(int64_t parts) const {
  int64_t share = llvm::divideCeil(rows, parts);
  llvm::SmallSetVector<int64_t, 8> blocks;
  for (int64_t target : {8, 16, 24, 32, 48, 64, 96, 128})
    blocks.insert(llvm::divideCeil(share, llvm::divideCeil(share, target)));
  SmallVector<RowSplit> splits;
  for (int64_t block : blocks) {
    if (block * (parts - 1) >= rows ||
        (options.maxRowBlock && block > options.maxRowBlock))
      continue;
    // The loops over blocks of rows merge as well, or only those around them.
    for (bool mergeRows : {true, false})
      splits.push_back({parts, block, mergeRows});
  }
  return splits;
}

ChainChoice ChainChooser::chooseJointly(size_t begin, size_t end) {
  ChainChoice best;
  int64_t wanted = getWantedParts();
  auto consider = [&](int64_t parts) {
    for (RowSplit split : getSplits(parts)) {
      ChainChoice choice = chooseGroup(begin, end, split);
      if (choice.cycles < best.cycles)
        best = std::move(choice);
    }
  };
  for (int64_t parts : getParts(wanted)) {
    // If no thread is left idle, larger parts are not worth considering.
    if (!best.templates.empty() && wanted <= rows)
      break;
    consider(parts);
  }
  for (int64_t parts : model.getFinerParts(batch, wanted))
    if (parts <= rows)
      consider(parts);
  return best;
}

const TemplateCandidate &ChainChooser::find(size_t index, RowSplit split,
                                            bool readsPanel,
                                            double neighbourBytes) {
  // Everything that uses up the whole cache counts the same.
  neighbourBytes = std::min<double>(neighbourBytes, machine.l2Bytes);
  auto [place, isNew] =
      known.try_emplace(Key{index, split.parts, split.block, split.mergeRows,
                            readsPanel, static_cast<int64_t>(neighbourBytes)});
  if (!isNew)
    return place->second;
  TemplateOptions own = options;
  own.alternatives = 0;
  own.wholeRows = items[index].needsWholeRows;
  own.readsPanel = readsPanel;
  own.rowParts = split.parts;
  own.rowBlock = split.block;
  own.mergeRows = split.mergeRows;
  own.neighbourBytes = static_cast<int64_t>(neighbourBytes);
  auto candidates = items[index].getCandidates(own);
  if (!candidates.empty())
    place->second = candidates.front();
  else
    place->second = {Attribute(), HUGE_VAL};
  return place->second;
}

ChainChoice ChainChooser::chooseGroup(size_t begin, size_t end,
                                      RowSplit split) {
  // One panel of the result, and what each panel reads whole.
  auto getResident = [&](const ChainItem &item) {
    double panel = static_cast<double>(split.block) *
                   item.result.getShape().back() *
                   item.result.getElementTypeBitWidth() / 8;
    return panel + item.wholeBytes;
  };
  double resident = options.neighbourBytes;
  if (split.mergeRows)
    for (const ChainItem &item : items.slice(begin, end - begin))
      resident += getResident(item);
  ChainChoice choice;
  choice.cycles = 0;
  choice.rowParts = split.parts;
  for (size_t i = begin; i < end; ++i) {
    const ChainItem &item = items[i];
    bool readsPanel =
        i > begin ? items[i - 1].needsWholeRows : i == 0 && options.readsPanel;
    double others = split.mergeRows ? resident - getResident(item)
                                    : double(options.neighbourBytes);
    const TemplateCandidate &best = find(i, split, readsPanel, others);
    if (!best.params)
      return {};
    choice.templates.push_back(best.params);
    choice.cycles += best.cycles;
    if (i + 1 == end)
      continue;
    // What is passed on: a panel, or all rows of the core.
    double bytes = getBytes(item.result) / static_cast<double>(batch);
    double kept =
        split.mergeRows ? bytes * split.block / rows : bytes / split.parts;
    choice.cycles += llvm::divideCeil(batch * split.parts, threads) *
                     getTraffic(bytes / split.parts, kept, kept * threads);
  }
  return choice;
}

} // namespace gc::graph
