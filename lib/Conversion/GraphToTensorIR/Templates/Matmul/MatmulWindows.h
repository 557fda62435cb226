// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel calls of the matmul template where A is the windows of an image,
// read in place: a convolution. For each line of positions and each column of
// the window there is a call on the positions whose pixels are inside the
// image; its batch are the rows of the window that are.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULWINDOWS_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULWINDOWS_H

#include "Dialect/Graph/IR/WindowRuns.h"
#include "MatmulEpilogue.h"
#include "MatmulNest.h"
#include "MatmulOperand.h"

namespace gc {

class MatmulWindows {
public:
  MatmulWindows(MatmulNest &nest, const MatmulOperand &a,
                const MatmulOperand &b, const MatmulEpilogue &epilogue);

  explicit operator bool() const { return static_cast<bool>(window); }

  /// The sums of the current block, which has this many rows and columns.
  void emit(int64_t rows, int64_t columns);

private:
  /// The first position of a line that sees a column, and how many do.
  using Run = std::pair<int64_t, int64_t>;
  /// The elements of the window along one dimension that are inside the image
  /// at the present position.
  struct Taps {
    int64_t size;
    /// The first one, and how many there are if the number is not always size.
    Coord first;
    mlir::Value count;
    /// Where the first one is in the image.
    Coord start;
  };
  /// Where a call reads, apart from its column of the window.
  struct Place {
    /// In the batch and in all spatial dimensions but the last.
    llvm::SmallVector<Coord> image;
    Coord channel;
    /// Block of the rows of the weights.
    Coord block;
  };

  void emitLine(const Coord &line, int64_t columns);
  /// The position of the block's line among all of them.
  Coord getLine(const Coord &local) const;
  Taps getTaps(unsigned dim, const Coord &position);
  bool mayMiss(unsigned dim) const;
  /// Whether the first calls of a line write all of its sums.
  bool canOverwrite() const;
  /// Of all columns of the window and blocks of channels.
  void emitColumns(const Place &place, const Taps &rows, int64_t columns,
                   bool overwrites);
  /// What a call reads: a column of the window, for a run of positions that see
  /// it, and of the rows of the weights some in a block.
  struct Piece {
    Coord column;
    Run run;
    int64_t inBlock, depth;
  };
  void emitCall(const Place &place, const Taps &rows, const Piece &piece,
                int64_t columns, bool overwrites);
  /// A call for each run of positions: all columns that it sees with their
  /// channels.
  void emitFolded(const Place &place, const Taps &rows, int64_t columns,
                  bool overwrites);
  Run getRun(int64_t column) const { return window.getRun(image, column); }
  void emitZeros(int64_t columns);
  /// The column whose call writes the sums of all positions first; -1 if there
  /// is none, and they start at 0.
  int64_t findFirstColumn() const;

  MatmulNest &nest;
  const MatmulOperand &a, &b;
  const MatmulEpilogue &epilogue;
  mlir::OpBuilder &builder;
  mlir::Location loc;

  graph::WindowAttr window;
  llvm::SmallVector<int64_t> image, positions;
  /// Channels of a group, those of a block, and blocks.
  int64_t channels = 0, block = 0, blocks = 0;
  /// Blocks of the weights of one row of the window.
  int64_t blocksOfRow = 0;
  unsigned spatial = 0;
  /// One row of the window is a block: its columns and their channels.
  bool isFolded = false;
  /// The batch of a call are rows of the window, or else blocks of channels.
  bool reducesRows = false;
  Coord group;
  /// The current line of the block.
  Coord localLine;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_MATMULWINDOWS_H
