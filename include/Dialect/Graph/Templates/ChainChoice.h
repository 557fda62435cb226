// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The joint choice of templates for ops that follow each other row by row: the
// cheapest way to divide such a chain into groups that share the split of rows
// among the cores, and single ops.

#ifndef GC_DIALECT_GRAPH_TEMPLATES_CHAINCHOICE_H
#define GC_DIALECT_GRAPH_TEMPLATES_CHAINCHOICE_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/CostModel.h"

#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace gc::graph {

/// Maximum number of ops in a group. Another barrier after that many costs
/// little, whereas considering all groups of a deep graph, and compiling loop
/// bodies of hundreds of layers, takes minutes.
constexpr size_t kMaxMergeGroup = 32;

/// One op of a chain, or of several into which an op would be expanded.
struct ChainItem {
  /// The candidates under some options, cheapest first.
  std::function<llvm::SmallVector<TemplateCandidate>(const TemplateOptions &)>
      getCandidates;
  mlir::RankedTensorType result;
  /// Bytes of the operands that every block of rows reads whole, for one index
  /// of the leading dimensions.
  double wholeBytes;
  /// Ops after it reduce rows of the result.
  bool needsWholeRows;
  /// How one of the candidates divides the result among the cores; may be null
  /// if nothing outside the group reads it.
  std::function<Partition(mlir::Attribute)> getPartition;
};

/// How the rows are divided among cores: how many parts there are, how many
/// rows a block has, and whether the loops over blocks of rows become one.
struct RowSplit {
  int64_t parts, block;
  bool mergeRows;
};

struct ChainChoice {
  double cycles = HUGE_VAL;
  /// One per item; fewer if there is no choice.
  llvm::SmallVector<mlir::Attribute> templates;
  /// Of a group: the parts of the rows that its items have in common.
  int64_t rowParts = 1;
};

class ChainChooser {
public:
  /// Options that the chain as a whole must respect: the first item reads a
  /// panel if they say so, and the neighbours' bytes are those outside the
  /// chain.
  ChainChooser(llvm::ArrayRef<ChainItem> items, const Machine &machine,
               const TemplateOptions &options);

  /// The cheapest sequence of groups. If an item has no template even on its
  /// own, there is no choice, and `missing` is its number.
  ChainChoice choose(size_t &missing);

  /// Items [begin, end) with one split of the rows; no choice if an item has no
  /// template with that split.
  ChainChoice chooseGroup(size_t begin, size_t end, RowSplit split);

  /// The same with the cheapest split.
  ChainChoice chooseJointly(size_t begin, size_t end);

  /// Parts of the rows of one batch item that keep all threads busy.
  int64_t getWantedParts() const;
  /// Into how many parts the rows may be divided, the highest number first: the
  /// wanted number, or fewer, larger parts if that does not work.
  llvm::SmallVector<int64_t> getParts(int64_t wanted) const;
  /// The blocks of rows that are worth comparing, each with and without merged
  /// loops over blocks.
  llvm::SmallVector<RowSplit> getSplits(int64_t parts) const;

private:
  /// The same with single items divided by rows into `ownParts`, or freely if
  /// that is 0.
  ChainChoice choosePath(int64_t ownParts, size_t &missing);
  ChainChoice chooseAlone(size_t index, std::optional<Partition> source,
                          int64_t rowParts);
  /// The best candidate of an item under the split; searched for once.
  const TemplateCandidate &find(size_t index, RowSplit split, bool readsPanel,
                                double neighbourBytes);
  double getHandOver(size_t index) const;
  double getTraffic(double bytes, double coreBytes, double teamBytes) const;
  /// How the previous item was written, according to its template.
  std::optional<Partition> getSource(size_t index,
                                     llvm::ArrayRef<mlir::Attribute> chosen);
  /// What it costs a group with common row parts to read data that other cores
  /// wrote.
  double getExchange(size_t begin, int64_t rowParts,
                     std::optional<Partition> source) const;

  llvm::ArrayRef<ChainItem> items;
  const Machine &machine;
  const TemplateOptions &options;
  CostModel model;
  int64_t threads, rows, batch = 1;
  using Key = std::tuple<size_t, int64_t, int64_t, bool, bool, int64_t>;
  std::map<Key, TemplateCandidate> known;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TEMPLATES_CHAINCHOICE_H
