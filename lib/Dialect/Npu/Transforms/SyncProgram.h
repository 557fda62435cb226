// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program as npu-insert-sync sees it: nested loops and branches around ops,
// each on a pipe, with a cost and the bytes it touches. No MLIR, so that the
// algorithm can be tested on programs made of numbers.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCPROGRAM_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCPROGRAM_H

#include "NpuModel/Instruction.h"

#include <functional>
#include <vector>

namespace gc::npu::sync {

/// The current position of a run of the program: the iteration (from 0) of each
/// loop by its number, and the core.
struct Env {
  std::vector<int64_t> iteration;
  int64_t core = 0;
};

/// Bytes that an op touches: bits of an Address, `end` exclusive.
struct Range {
  uint64_t begin, end;
  Access access;
  /// False if only some of the bytes may be touched: such a write hides
  /// nothing.
  bool isSure = true;
};

struct Op {
  Pipe pipe = Pipe::v;
  Cost cost;
  /// Appends the ranges, reads before writes.
  std::function<void(const Env &, std::vector<Range> &)> ranges;
};

struct Loop {
  /// Iterations, and the same if they do not depend on other loops, else -1.
  std::function<int64_t(const Env &)> trips;
  int64_t constant = -1;
  int body = -1;
};

/// One statement of a block. `index` counts ops, loops or branches.
struct Node {
  enum Kind : uint8_t { op, loop, branch };
  Kind kind = op;
  int index = 0;
  /// Blocks: the loop's body, the branch's two sides (-1: none).
  int body = -1, other = -1;
};

struct Block {
  /// The statement around it; -1 for block 0, the program.
  int parent = -1, parentNode = -1;
  /// Loops and branches around it.
  int depth = 0;
  /// Number of its first point: the place before its first statement.
  int firstPoint = 0;
  std::vector<Node> nodes;
};

/// A point is a place between statements, or at either end, of a block; points
/// are numbered through all blocks.
class Program {
public:
  Program() : blocks(1) {}

  std::vector<Op> ops;
  std::vector<Loop> loops;
  std::vector<std::function<bool(const Env &)>> conditions;
  std::vector<Block> blocks;
  /// False if the number of a loop's iterations, or a condition, is not known.
  bool isStatic = true;
  int cores = 1;
  /// A number of iterations after which the use of slots repeats.
  int64_t period = 2;

  void addOp(int block, Op op);
  /// The body of a loop with a fixed or a computed number of iterations.
  int addLoop(int block, int64_t trips);
  int addLoop(int block, std::function<int64_t(const Env &)> trips);
  /// The blocks of the two sides.
  std::pair<int, int> addBranch(int block,
                                std::function<bool(const Env &)> condition);

  /// Numbers the points; call it when all statements have been added.
  void finish();
  int getNumPoints() const { return static_cast<int>(pointBlock.size()); }
  int getBlock(int point) const { return pointBlock[point]; }
  /// How many of its block's statements are before a point.
  int getGap(int point) const {
    return point - blocks[pointBlock[point]].firstPoint;
  }
  int getPoint(int block, int gap) const {
    return blocks[block].firstPoint + gap;
  }
  /// The statement of `ancestor` that contains `block`, another block.
  int getChild(int ancestor, int block) const;
  bool isAncestor(int ancestor, int block) const;
  int getCommonBlock(int one, int other) const;
  /// Loops around a block, the innermost first.
  std::vector<int> getLoops(int block) const;
  const Node &getParentNode(int block) const {
    return blocks[blocks[block].parent].nodes[blocks[block].parentNode];
  }
  /// The block of each op, and its number in there.
  std::vector<std::pair<int, int>> places;

private:
  int addBlock(int parent);
  std::vector<int> pointBlock;
};

} // namespace gc::npu::sync

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_SYNCPROGRAM_H
