// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tile of a cluster touches and costs, as numbers for given tile sizes.

#ifndef GC_DIALECT_POLY_TRANSFORMS_TILEMODEL_H
#define GC_DIALECT_POLY_TRANSFORMS_TILEMODEL_H

#include "Clusters.h"
#include "NpuModel/Machine.h"
#include "VectorCost.h"
#include "llvm/ADT/BitVector.h"

#include <vector>

namespace gc::poly {

/// Sizes of a tile, one for each common loop of a cluster.
using TileSizes = llvm::SmallVector<int64_t>;

/// How many slices of an operand stay in L1 for all tiles that use them: all of
/// them if two slices of the other operand fit beside them, else what room is
/// left by three slices of both. `own` and `other` are the bytes of a slice.
int64_t getResidentSlices(int64_t slices, int64_t own, int64_t other,
                          int64_t capacity);

/// Whether a statement only converts the elements of `array` to f16, or to i8
/// with saturation.
bool isConversionOf(StatementOp statement, llvm::StringRef array);

/// Parts of the rows of a tile of the cube unit, which are drained one by one.
int64_t getNumParts(int64_t rows);
/// Whether the last tile of a product may have this many rows instead of being
/// a whole one that overlaps the one before.
bool canBeTail(int64_t rows, int64_t parts);

class TileModel {
public:
  TileModel(const isl::Ctx &ctx, ScopOp scop, const Cluster &cluster,
            const npu::Machine &machine);

  /// The number of values of a common loop.
  int64_t getExtent(unsigned loop) const { return extents[loop]; }
  unsigned getRank() const { return extents.size(); }
  /// Whether elements of an array that differ in this loop only are neighbours
  /// in memory: tiles need whole blocks of 32 bytes of them.
  bool isInnermost(unsigned loop) const;
  /// Whether it is that of a matrix in global memory.
  bool isInnermostOfMatrix(unsigned loop) const;

  /// Whether statements are single instructions, which need no other buffers,
  /// or comparisons, whose buffers are counted.
  bool hasSimpleBodies() const;

  /// Whether a result is computed in the buffer of an input.
  bool isInPlace() const;

  /// Bytes that a vector tile needs in UB with `slots` buffers for what is
  /// loaded and stored, and one for each temporary that is alive.
  int64_t getUbBytes(const TileSizes &sizes, int64_t slots) const;
  /// Packages that one tile moves.
  int64_t getTilePackages(const TileSizes &sizes) const;
  /// Cycles of the vector unit for one tile: of members `first` and later.
  double getVectorCycles(const TileSizes &sizes, size_t first = 0) const;
  /// The array with the most bytes in a tile, for errors.
  ArrayOp getLargestArray(const TileSizes &sizes) const;

  int64_t countTiles(const TileSizes &sizes) const;
  /// Whether stores of tiles wait for each other: some overlap, and no loop
  /// whose tiles do not overlap is innermost instead of the last one.
  bool hasSerialStores(const TileSizes &sizes) const;

  struct Member {
    StatementOp statement;
    /// The common loop that each dimension is; nothing for the others.
    llvm::SmallVector<std::optional<unsigned>> loops;
    llvm::SmallVector<int64_t> extents;
    BodySteps body;
    /// Bytes of other tiles that the body needs for each element.
    int64_t scratch = 0;
    /// Bytes of an element of the widest array that it uses.
    int64_t bytes = 2;
    /// The dimensions that the indices of each read, and of the result, depend
    /// on.
    std::vector<llvm::BitVector> argumentDims = {};
    llvm::BitVector resultDims = {};
  };
  struct Use {
    size_t member;
    bool isWrite;
    /// Whether the last dimension of the iterations is an index, but not the
    /// last one.
    bool isMoved = false;
    /// Per dimension of the array: coefficients of the statement's dimensions;
    /// nothing if the index is not linear.
    llvm::SmallVector<std::optional<llvm::SmallVector<int64_t>>> indices;
  };
  struct Array {
    ArrayOp op;
    llvm::SmallVector<Use> uses;
    /// Whether it is loaded from or stored to global memory.
    bool isExternal;
    /// The array in whose buffer it is computed, if not in one of its own.
    std::optional<size_t> taken = std::nullopt;
  };
  llvm::ArrayRef<Member> getMembers() const { return members; }
  llvm::ArrayRef<Array> getArrays() const { return arrays; }
  const Array *findArray(llvm::StringRef name) const;
  /// Sizes of the box that a tile touches.
  llvm::SmallVector<int64_t> getBox(const Array &array,
                                    const TileSizes &sizes) const;
  static int64_t getBytes(const Array &array, llvm::ArrayRef<int64_t> box);
  int64_t getPackages(const Array &array, llvm::ArrayRef<int64_t> box) const;
  /// How many tiles in a row load the array anew: tiles of the loops down to
  /// the last one that its box depends on.
  int64_t countLoads(const Array &array, const TileSizes &sizes) const;

private:
  bool isInnermost(const Array &array, unsigned loop) const;
  void addUse(const isl::Ctx &ctx, ScopOp scop, size_t member,
              llvm::StringRef array, isl::Map map, bool isWrite,
              bool isFactor = false);
  /// Bytes of what the steps of a reduction leave.
  int64_t getReductionBytes(const Member &member, const TileSizes &sizes) const;
  /// Whether index `dim` of a use does.
  bool dependsOn(const Use &use, unsigned dim, unsigned loop) const;
  bool dependsOn(const Array &array, unsigned loop) const;
  void findTaken();
  /// The array whose buffer an array has.
  size_t getBuffer(size_t array) const;

  npu::Machine machine;
  llvm::SmallVector<int64_t> extents;
  std::vector<Member> members;
  llvm::SmallVector<Array> arrays;
};

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_TILEMODEL_H
