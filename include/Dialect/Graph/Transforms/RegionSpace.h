// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The iteration space of a fused region: where every op and value of the region
// is in it, which dimensions its reductions reduce, and in which order the
// reductions must complete.

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_REGIONSPACE_H
#define GC_DIALECT_GRAPH_TRANSFORMS_REGIONSPACE_H

#include "Dialect/Graph/IR/GraphOps.h"

#include <optional>
#include <string>

namespace gc::graph {

/// One iteration space for a group of ops. It is the shape of the tunable op's
/// result; without a tunable op it is the largest iteration space of an op.
/// Every op is placed by a map from that space to the op's own one: each
/// dimension of the op is a dimension of the space or the constant 0 (a size of
/// 1). Transposes are permutations; a reduction maps what it has reduced to 0,
/// or to the number of the part.
class RegionSpace {
public:
  explicit RegionSpace(llvm::ArrayRef<int64_t> sizes)
      : sizes(sizes), partSizes(sizes.size()) {}

  /// The space of a region with all its ops placed, except those that compute
  /// operands of the tunable op. Reports the op that has no place.
  static mlir::FailureOr<RegionSpace> get(FusedOp fused);

  /// The space of some ops in program order; null and a reason if one of them
  /// has no place in the largest iteration space among them.
  static std::optional<RegionSpace> get(llvm::ArrayRef<mlir::Operation *> ops,
                                        std::string &reason,
                                        mlir::Operation *&culprit);

  /// Places a value whose indices are the space itself: the tunable op's
  /// result.
  void addRoot(mlir::Value value);

  /// Places an op using its operands (and users) that are already placed. If
  /// that is impossible, returns why and changes nothing.
  std::optional<std::string> add(FusibleOpInterface op);

  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  bool contains(mlir::Operation *op) const { return opMaps.contains(op); }
  bool contains(mlir::Value value) const { return valueMaps.contains(value); }

  /// From the region's space to the op's iteration space.
  mlir::AffineMap getOpMap(mlir::Operation *op) const;
  /// From the region's space to the indices of a value that is computed in it.
  mlir::AffineMap getValueMap(mlir::Value value) const;
  /// From the region's space to the indices of what a placed op reads.
  mlir::AffineMap getOperandMap(mlir::OpOperand &operand) const;

  /// Whether an op or value varies along a dimension of the space.
  bool varies(mlir::Operation *op, unsigned dim) const;
  bool varies(mlir::Value value, unsigned dim) const;

  /// The dimensions of the space, ascending, that a reduction reduces; none for
  /// other ops.
  llvm::SmallVector<unsigned> getReducedDims(mlir::Operation *op) const;
  /// The dimensions that any reduction reduces. All reductions of a region
  /// reduce the same ones.
  llvm::ArrayRef<unsigned> getReducedDims() const { return reduced; }
  /// The size of the parts in which the region's reductions reduce a dimension,
  /// one result each; 0 if they reduce the whole of it, or leave it alone.
  int64_t getPartSize(unsigned dim) const { return partSizes[dim]; }

  /// How many reductions, one after another, must be complete before the op can
  /// start: 0 for softmax's maximum, 1 for its exponentials and their sum.
  unsigned getStage(mlir::Operation *op) const;

  /// The dimensions, ascending, that the op or a reduction that it depends on
  /// needs as a whole.
  llvm::SmallVector<unsigned> getWholeDims(mlir::Operation *op) const;

  /// Whether the op is, or depends on, a reduction over the last dimension.
  bool needsWholeRows(mlir::Operation *op) const;

private:
  /// The map that agrees with everything that is placed, or why there is none.
  mlir::AffineMap solve(FusibleOpInterface op, std::string &reason) const;
  /// The part sizes of a value's indices.
  llvm::SmallVector<int64_t> findPartSizes(mlir::AffineMap map) const;

  llvm::SmallVector<int64_t> sizes, partSizes;
  llvm::SmallVector<unsigned> reduced;
  llvm::DenseMap<mlir::Operation *, mlir::AffineMap> opMaps;
  llvm::DenseMap<mlir::Value, mlir::AffineMap> valueMaps;
};

/// Whether the op, if there is one, is fusible and its result is smaller than
/// its iteration space.
bool isReduction(mlir::Operation *op);

/// What a fusible op reads where the map of the operand does not lead to an
/// element.
std::optional<Gaps> getGaps(mlir::OpOperand &operand);

/// What pieces of each dimension of the space must be multiples of, unless they
/// end it: the groups of neighbours that a yielded tensor holds together
/// (kernels read them so), and the columns of a block of such groups.
llvm::SmallVector<int64_t> getPieceUnits(FusedOp fused,
                                         const RegionSpace &space);

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TRANSFORMS_REGIONSPACE_H
