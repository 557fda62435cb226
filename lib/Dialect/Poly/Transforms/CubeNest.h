// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nests with a contraction: slices of both operands in L1, smaller ones in L0A
// and L0B, sums in L0C, and what follows on parts of them in UB. A convolution
// has images in L1 instead of the first operand.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CUBENEST_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CUBENEST_H

#include "ImageTile.h"
#include "NestPlan.h"
#include "Producers.h"
#include "TileProgram.h"
#include "VectorBody.h"

namespace gc::poly {

/// Bits of the dimensions of tiles [columns / 16, rows, 16] in UB.
inline constexpr DimMask kBlocks = 1, kRows = 2, kLanes = 4;
/// Dimensions of images.
inline constexpr int kHeight = 1, kWidth = 2, kChannels = 3;
/// A pack transfers at most this many rows.
inline constexpr int64_t kMostPacked = 4095;

/// An operand of the contraction: a matrix of rows (of A) or columns (of B) by
/// terms of the sum, in fractals [K / C0, rows, C0] in L1.
struct CubeOperand {
  unsigned read = 0;
  ArrayOp array;
  /// Dimensions of the array.
  unsigned rowDim = 0, sumDim = 0;
  bool hasRows = true;
  /// The box of a slice, by the counters of the loops around slices.
  Box slice;
  /// Rows of a tile, and rounded up to fractals.
  int64_t rows = 1, padded = 16;
  /// The loop whose last tile has fewer rows: the rest of `total`.
  std::optional<unsigned> tailLoop;
  int64_t total = 0;
  BufferOp l1, l0;
  /// Slices of a tile stay in L1 while the innermost outer loop runs: all of
  /// them, or as many as there is room for. The others are loaded to `stream`.
  bool isPanel = false;
  int64_t resident = 0;
  BufferOp stream;
  /// The statements that compute it, in chunks of some rows of a slice (or some
  /// rows of an image), and the tiles of their arrays in UB.
  Producers producers;
  int64_t chunkRows = 0, chunkImages = 1, chunks = 1;
  /// Blocks and rows that are computed at a time.
  std::array<int64_t, 2> piece = {1, 1};
  llvm::StringMap<BufferOp> ub, values;

  bool isProduced() const { return !producers.empty(); }
  /// The matrix in global memory has terms of the sum as its rows.
  bool isTransposed() const { return sumDim < rowDim || !hasRows; }
};

class CubeNest {
public:
  CubeNest(TileProgram &program, NestPlan &plan, TileNode *root)
      : program(program), plan(plan), root(root) {}

  /// What poly-promote decides: buffers and choices.
  mlir::LogicalResult decide();
  /// The tiles of the whole nest, after that; null after an error.
  isl::Schedule emit();

private:
  mlir::LogicalResult analyseOperand(CubeOperand &operand, unsigned read,
                                     int rowDim);
  mlir::LogicalResult analyseSum();
  /// Whether there are statements after the product that can take a whole tile
  /// of its sums at once, while the cube unit makes those of the next one.
  bool canTakeWhole() const;
  mlir::LogicalResult chooseParts();
  mlir::LogicalResult choosePanel();
  mlir::LogicalResult chooseSkew();
  /// Whether what follows can be computed beside the next tile's sums, and
  /// whether that is faster with this many parts.
  bool canSkew() const;
  bool prefersSkew(int64_t count) const;
  void findConversion();
  /// Cycles of a tile: what the vector unit computes after the sums, and all
  /// transfers from and to global memory.
  double getVectorCycles() const;
  double getTransferCycles() const;
  void chooseTails();
  void addBuffers();
  mlir::LogicalResult analyseConvolution();

  /// A slice of the sums and its loads, the loop over slices around that, and
  /// with what follows.
  isl::Schedule emitSlice();
  isl::Schedule emitTile();
  /// The same with what follows the tile before beside the sums.
  isl::Schedule emitSkewedTile();
  /// The loops over tiles around that, or one loop.
  isl::Schedule addOuterLoops(isl::Schedule body);
  isl::Schedule addSkewedLoop(isl::Schedule body);
  isl::Schedule emitPack(const CubeOperand &operand, bool isStream = false);

  // Factors that are computed before the product, as [terms / 16, rows, 16].
  mlir::LogicalResult analyseProducers(CubeOperand &operand);
  mlir::LogicalResult checkProduced(const CubeOperand &operand,
                                    const ProducedArray &array) const;
  mlir::LogicalResult chooseChunks(CubeOperand &operand, unsigned number);
  void addProducerBuffers(CubeOperand &operand);
  void limitSlots(CubeOperand &operand);
  bool isImage(const CubeOperand &operand) const {
    return image && &operand == &rows;
  }
  /// The dimensions of a chunk that an array varies over.
  DimMask getDims(const CubeOperand &operand, const ProducedArray &array) const;
  /// Sizes of a chunk's tile.
  llvm::SmallVector<int64_t, 3> getChunk(const CubeOperand &operand) const;
  TileValue viewProduced(const CubeOperand &operand, const ProducedArray &array,
                         mlir::ImplicitLocOpBuilder &b);
  /// Computes a slice, or the part of an image, that `counters` count.
  isl::Schedule emitProducers(const CubeOperand &operand, bool isStream,
                              isl::Set counters);
  void fillProducedLoad(const CubeOperand &operand, const ProducedArray &array,
                        mlir::ImplicitLocOpBuilder &b,
                        mlir::ValueRange counters);
  void fillProducedImage(const ProducedArray &array,
                         mlir::ImplicitLocOpBuilder &b,
                         mlir::ValueRange counters);
  mlir::LogicalResult fillProducer(const CubeOperand &operand,
                                   StatementOp statement,
                                   mlir::ImplicitLocOpBuilder &b);
  mlir::Value getLoaded(const CubeOperand &operand, const ProducedArray &array,
                        mlir::ImplicitLocOpBuilder &b);
  void fillSpread(const CubeOperand &operand, const ProducedArray &array,
                  mlir::ImplicitLocOpBuilder &b);
  void fillMove(const CubeOperand &operand, bool isStream,
                mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  /// The place in L1 that a slice goes to.
  mlir::Value getSlicePlace(const CubeOperand &operand, bool isStream,
                            mlir::ImplicitLocOpBuilder &b,
                            mlir::ValueRange counters);
  /// Terms of a slice that there are: null if they are all.
  mlir::Value getTerms(int64_t size, mlir::ImplicitLocOpBuilder &b,
                       mlir::ValueRange counters) const;
  /// The counters whose slices are in the panel of `operand`, or are not.
  isl::Set restrictToPanel(const CubeOperand &operand, isl::Set counters,
                           bool isStream) const;
  /// Whether a panel is loaded before the loop that it stays for. That is a
  /// loop of its own for isl, or none, if it is a single slice.
  bool isLoadedBefore(const CubeOperand &operand) const {
    return operand.isPanel && slices == 1 && (!image || columnTiles == 1);
  }
  /// The number of a slice within its panel.
  mlir::OpFoldResult getPanelNumber(const CubeOperand &operand,
                                    mlir::ImplicitLocOpBuilder &b,
                                    mlir::ValueRange counters) const;
  mlir::LogicalResult fillPack(const CubeOperand &operand, bool isStream,
                               mlir::ImplicitLocOpBuilder &b,
                               mlir::ValueRange counters);
  isl::Schedule emitProduct();
  isl::Schedule emitLoad(const CubeOperand &operand, bool isStream = false);
  void fillProduct(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  void fillLoad(const CubeOperand &operand, bool isStream,
                mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);

  // Convolutions.
  isl::Schedule emitImage();
  void fillImage(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  /// Whether elements of several rows that are loaded are at one distance.
  bool areRowsOneMatrix() const;
  /// `count` rows from row `row` of the buffer of image `number` on, as
  /// [positions, channels], of an array whose dimensions are those of images,
  /// or none; and their place in L1.
  mlir::Value takeImageRows(mlir::ImplicitLocOpBuilder &b,
                            mlir::ValueRange counters, mlir::Value global,
                            llvm::ArrayRef<int> dims, mlir::OpFoldResult number,
                            mlir::OpFoldResult row, int64_t count);
  mlir::Value takeLocalRows(mlir::ImplicitLocOpBuilder &b, mlir::Value local,
                            mlir::OpFoldResult number, mlir::OpFoldResult row,
                            int64_t count);
  void fillWeights(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  void fillImg2col(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  /// The values of the contraction's box at a tile.
  llvm::SmallVector<mlir::OpFoldResult> getOrigin(mlir::ImplicitLocOpBuilder &b,
                                                  mlir::ValueRange counters,
                                                  unsigned depth) const;
  /// The number of the first row of the image in L1, divided by the stride.
  mlir::OpFoldResult getFirstRow(mlir::ImplicitLocOpBuilder &b,
                                 mlir::OpFoldResult position) const;

  // What follows the sums, in parts of the rows.
  isl::Schedule emitParts();
  /// Loads what all parts of a tile share, or of all tiles, before `body`.
  isl::Schedule addSharedLoads(isl::Schedule body, bool isOfAll = false);
  mlir::LogicalResult addPartBuffers();
  isl::Schedule emitDrain();
  isl::Schedule emitPost(const LeafPlan &leaf);
  isl::Schedule emitPartTransfer(mlir::StringRef name, bool isLoad);
  mlir::LogicalResult fillTransfer(mlir::StringRef name, bool isLoad,
                                   mlir::ImplicitLocOpBuilder &b,
                                   mlir::ValueRange counters);
  mlir::FailureOr<TileValue> view(mlir::StringRef name,
                                  mlir::ImplicitLocOpBuilder &b);

  StatementOp getStatement() const { return sums->getStatement(); }
  mlir::InFlightDiagnostic emitError() { return getStatement().emitOpError(); }
  isl::Set getCounters(const LeafPlan &leaf, unsigned depth) const;
  /// The counters of all loops around products, that of a step within its
  /// slice.
  isl::Set getStepCounters() const;
  /// The counters of the outer loops, and of the parts if there are several.
  isl::Set getPartCounters() const;
  /// Rows of this iteration's tile, `full` of one that is not a tail.
  mlir::Value getRows(const CubeOperand &operand, int64_t full,
                      mlir::ImplicitLocOpBuilder &b,
                      mlir::ValueRange counters) const;
  /// Rows of a part of it, and the first one divided by `unit`.
  mlir::Value getPartRows(mlir::ImplicitLocOpBuilder &b,
                          mlir::ValueRange counters) const;
  mlir::Value getPartStart(mlir::Value part, int64_t unit,
                           mlir::ImplicitLocOpBuilder &b,
                           mlir::ValueRange counters) const;
  /// The sums of a tile in L0C.
  mlir::Value getSums(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange counters);
  /// The innermost loop over tiles; nothing if there is one tile.
  std::optional<unsigned> getTileLoop() const;
  /// Iterations of the loops down to that one.
  llvm::SmallVector<int64_t> getTileCounts() const;
  bool hasTails() const { return rows.tailLoop || columns.tailLoop; }
  int64_t getColumnBlocks() const { return columns.padded / 16; }

  TileProgram &program;
  npu::Machine machine;
  NestPlan &plan;
  TileNode *root;

  /// The contraction and the statements after it.
  LeafPlan *sums = nullptr;
  llvm::SmallVector<LeafPlan *> posts;
  /// Loops around everything, and over slices of the sum.
  unsigned outer = 0;
  llvm::SmallVector<TileNode *> sumLoops;
  /// Iteration dimensions of the contraction; -1 for no rows.
  int rowDim = -1, columnDim = -1, sumDim = -1;
  CubeOperand rows, columns;
  /// Terms of all, of a slice in L1 and of one in L0, rounded up.
  int64_t terms = 0, slice = 0, step = 0, slices = 1, c0 = 16;
  BufferOp l0c;
  /// Of a convolution: the iteration dimension of images (-1 for none), images
  /// of a tile, positions of one of them, rounded up, and the number of loops
  /// around the image's buffer.
  std::optional<ImageTile> image;
  int imageDim = -1;
  int64_t images = 1, positions = 0, imagePadded = 0;
  unsigned imageDepth = 0;
  int64_t columnTiles = 1;
  /// The loop that a panel stays in L1 for.
  unsigned panelLoop = 0;
  /// Whether L0C has room for the sums of two tiles.
  bool hasTwoSums = false;
  /// What follows the sums of a tile is computed beside the sums of the next
  /// one, which are in the other half of L0C.
  bool isSkewed = false;
  llvm::StringMap<int64_t> delays;
  /// Whether several parts are spread over several slices of the sums, not
  /// after all of them.
  bool isSpread() const { return parts > 1 && slices > 1; }
  /// Rows of a part, rounded up, and parts of a tile.
  int64_t partRows = 0, partPadded = 0, parts = 1;

  /// What an array varies over in a part.
  struct PartTile {
    BufferOp buffer;
    bool hasRows = false, hasColumns = false;
    int imageDim = -1, rowDim = -1, columnDim = -1;
    Box box;
    bool isLoaded = false, isStored = false;
    /// The same for all parts of a tile: loaded once for all of them, so that
    /// loops over parts load nothing.
    bool isOfTile() const { return isLoaded && !hasRows && imageDim < 0; }
  };
  llvm::MapVector<mlir::StringRef, PartTile> partTiles;
  /// Whether it is loaded once for all tiles. Where factors are computed, a
  /// load for each tile would wait for the tile before, and hold back what
  /// factors are computed from.
  bool isSharedByAll(const PartTile &tile) const {
    return tile.isOfTile() && tile.box.getDepth() == 0 &&
           (rows.isProduced() || columns.isProduced());
  }
  /// The statement that only converts the sums: the drain does that.
  LeafPlan *conversion = nullptr;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CUBENEST_H
