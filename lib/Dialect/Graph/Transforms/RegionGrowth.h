// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Forms the regions of fused ops: which ops may join a region, and the
// rewriting that groups them. graph-fuse grows regions with it.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_REGIONGROWTH_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_REGIONGROWTH_H

#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Machine/Machine.h"
#include "ReductionSteps.h"
#include "llvm/ADT/SetVector.h"

namespace gc::graph {

/// Limits of one region (paper, section V).
struct FusionLimits {
  int64_t maxOps = 32;
  int64_t maxReductions = 4;
  int64_t maxReorders = 1;
  /// Bytes of tensors that are read besides the tunable op's; 0: no limit.
  int64_t maxInputBytes = 0;
};

/// Why an op does not join a region, and what would help.
struct Obstacle {
  std::string reason;
  std::string suggestion;
  /// The op iterates over different elements from the region.
  bool hasNoPlace = false;
};

/// Reports a decision against fusing, merging or a template.
void reportMissed(mlir::Operation *op, llvm::StringRef name,
                  llvm::StringRef category, const std::string &message,
                  llvm::StringRef suggestion);

/// Whether the template commits post-ops on whole rows of its result somewhere.
/// Without a chosen template this is undecided, and the result is true.
bool givesWholeRows(TunableOpInterface tunable);

/// Whether the chosen template is faster than any that has whole rows at once.
bool takesMoreForWholeRows(TunableOpInterface tunable, const Machine &machine);

/// Groups ops of one block into one fused op, in block order, and keeps the
/// block sorted. Values that other ops read become its results.
FusedOp createRegion(llvm::ArrayRef<mlir::Operation *> ops);

/// Puts the ops of a fused op back in its place.
void dissolveRegion(FusedOp fused);

/// Results of regions that others compute again from what the region reads,
/// where that takes less than storing them, as far as the regions may grow.
void cloneIntoReaders(mlir::Block &block, const FusionLimits &limits);

class RegionGrowth {
public:
  RegionGrowth(const FusionLimits &limits, const Machine &machine,
               llvm::StringRef category)
      : limits(limits), machine(machine), category(category) {}

  /// Regions around all tunable ops of the block that are in none.
  void fuseTunable(mlir::Block &block);

  /// Regions of the fusible ops that are in none, as few as possible.
  void fuseFusible(mlir::Block &block);

private:
  struct Region {
    explicit Region(RegionSpace space) : space(std::move(space)) {}

    llvm::SetVector<mlir::Operation *> ops;
    TunableOpInterface tunable;
    RegionSpace space;
    int64_t fusible = 0, reductions = 0, reorders = 0, inputBytes = 0;
  };
  using Obstacles = llvm::MapVector<mlir::Operation *, Obstacle>;

  void growPostOps(Region &region, Obstacles &obstacles);
  void addPreOps(Region &region, Obstacles &obstacles);
  void growAround(Region &region, Obstacles &obstacles);
  bool growFrom(FusibleOpInterface op, Region &region, Obstacles &obstacles);
  llvm::SmallVector<FusibleOpInterface> getFreeUsers(mlir::Value value,
                                                     mlir::Block *block);

  /// Adds the op, or says why not.
  std::optional<Obstacle> tryPostOp(FusibleOpInterface op, Region &region);
  std::optional<Obstacle> tryPreOp(unsigned operand, Region &region);
  std::optional<Obstacle> tryAround(FusibleOpInterface op, Region &region);
  std::optional<Obstacle> checkLimits(FusibleOpInterface op,
                                      const Region &region);
  std::optional<Obstacle> checkWork(FusibleOpInterface op,
                                    const RegionSpace &space);
  void insert(FusibleOpInterface op, Region &region);
  void report(const Region &region, const Obstacles &obstacles);

  const FusionLimits &limits;
  const Machine &machine;
  llvm::StringRef category;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<FusibleOpInterface>> freeUsers;
  ReductionSides sides;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_REGIONGROWTH_H
