// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConvTile.h"
#include "ImageTile.h"
#include "Producers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// What every slice costs beyond its products.
static constexpr double kSliceCycles = 10;

namespace {
/// Sizes of a tile, and what they cost.
struct Plan {
  int64_t images, positions, columns, slice, step;
  double cycles;
};

class ConvTiler {
public:
  ConvTiler(const TileModel &model, const npu::Machine &machine, size_t update,
            Producers producers)
      : model(model), machine(machine), update(update),
        member(model.getMembers()[update]), producers(std::move(producers)) {}

  FailureOr<StatementPolicy> run(double &cycles);

private:
  void tryTile(int64_t images, int64_t positions, int64_t columns);
  void tryPlan(Plan plan, const ImageTile &tile);
  double getPackages(const TileModel::Array &array,
                     const TileSizes &sizes) const {
    return model.getPackages(array, model.getBox(array, sizes));
  }
  const TileModel::Array &getFactor(unsigned number) const {
    StatementOp statement = member.statement;
    return *model.findArray(
        cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]).getValue());
  }
  /// Sizes of the cluster's common loops.
  TileSizes getSizes(const Plan &plan) const;
  double getPartBytes(const Plan &plan) const;
  /// Packages of images, and cycles of the vector unit, if they are computed.
  double getProducedPackages(const ImageTile &tile, int64_t images) const;
  bool isFactor(const TileModel::Array &array) const {
    return &array == &getFactor(0) || &array == &getFactor(1);
  }

  const TileModel &model;
  const npu::Machine &machine;
  size_t update;
  const TileModel::Member &member;
  Img2colAttr img2col;
  SmallVector<int64_t> imageShape, weightShape;
  int64_t imageCount = 1, allPositions = 1, allColumns = 1, terms = 1;
  int64_t bytes = 2, c0 = 16;
  /// What computes the images, if anything does.
  Producers producers;
  std::optional<Plan> best;
};
} // namespace

TileSizes ConvTiler::getSizes(const Plan &plan) const {
  TileSizes sizes(model.getRank(), 1);
  SmallVector<int64_t> own{plan.positions, plan.columns};
  if (member.extents.size() == 4)
    own.insert(own.begin(), plan.images);
  for (auto [loop, size] : llvm::zip(member.loops, own))
    if (loop)
      sizes[*loop] = size;
  return sizes;
}

/// Bytes in UB of what follows the sums, of one part.
double ConvTiler::getPartBytes(const Plan &plan) const {
  int64_t rows = llvm::alignTo(plan.positions, 16);
  if (plan.images == 1)
    rows /= plan.positions % 64 == 0 ? 4 : plan.positions % 32 == 0 ? 2 : 1;
  double sum = 0;
  for (const TileModel::Array &array : model.getArrays()) {
    bool isUsed = llvm::any_of(array.uses, [&](const TileModel::Use &use) {
      return use.member > update;
    });
    if (!isUsed || isFactor(array))
      continue;
    RankedTensorType type = ArrayOp(array.op).getTensorType();
    bool hasRows = type.getRank() > 1;
    // Sums are converted on the way out.
    bool isSum = ArrayOp(array.op).getSymName() ==
                 StatementOp(member.statement).getWrittenArray();
    if (isSum)
      continue;
    sum += (hasRows ? rows : 1) * llvm::alignTo(plan.columns, 16) *
           (type.getElementTypeBitWidth() / 8.0) * (array.isExternal ? 2 : 1);
  }
  return sum;
}

double ConvTiler::getProducedPackages(const ImageTile &tile,
                                      int64_t images) const {
  // Rows of which every other one is loaded are runs of their own, as are
  // elements.
  int64_t runs = tile.columnStep > 1 ? tile.rows * tile.width
                 : tile.rowStep > 1  ? tile.rows
                                     : 1;
  return double(images * runs) *
         producers.getPackages({1, runs > 1 ? 1 : tile.rows,
                                runs > tile.rows ? 1 : tile.width,
                                imageShape[3]});
}

void ConvTiler::tryPlan(Plan plan, const ImageTile &tile) {
  int64_t rows = plan.images * llvm::alignTo(plan.positions, 16),
          columns = llvm::alignTo(plan.columns, 16);
  int64_t imageBytes = plan.images * tile.getElements(c0) * bytes;
  TileSizes sizes = getSizes(plan);
  double tiles = model.countTiles(sizes);
  double columnTiles = llvm::divideCeil(allColumns, plan.columns);
  int64_t allWeights = columnTiles * terms * columns * bytes;
  bool isResident = allWeights + 2 * imageBytes <= machine.l1Bytes;
  if (!isResident &&
      2 * (imageBytes + plan.slice * columns * bytes) > machine.l1Bytes)
    return;
  if (!producers.empty() &&
      !producers.fits(machine, double(plan.images) * tile.getElements(c0)))
    return;
  double steps = terms / plan.step;
  double cube = double(rows / 16) * (columns / 16) * (terms / c0) + 2 * steps;
  double moves = double(rows) * terms * bytes / machine.l1ToL0a +
                 double(columns) * terms * bytes / machine.l1ToL0b;
  double drain = double(rows) * columns * 4 / machine.l0cToUb;
  double vector = drain + model.getVectorCycles(sizes, update + 1);
  // Packages of rows of images, of which neighbours are one run where all
  // columns are loaded, and of rows of weights.
  int64_t row = imageShape[3] * bytes;
  double imagePackages =
      tile.columnStep == 1 && tile.rowStep == 1
          ? npu::getPackages(row * tile.width * tile.rows)
      : tile.columnStep == 1
          ? tile.rows * npu::getPackages(row * tile.width)
          : double(tile.rows) * tile.width * npu::getPackages(row);
  imagePackages *= plan.images;
  if (!producers.empty())
    imagePackages = getProducedPackages(tile, plan.images);
  double weightPackages =
      double(weightShape[0]) * weightShape[1] *
      (plan.columns == allColumns
           ? double(plan.columns * bytes) / npu::kRepeatBytes
           : npu::getPackages(plan.columns * bytes));
  double imageTiles = tiles / columnTiles;
  if (tile.isWhole)
    imageTiles = llvm::divideCeil(imageCount, plan.images);
  // Images are computed between the tiles of what follows the sums.
  double producing =
      producers.getVectorCycles(
          machine, double(plan.images) * tile.getElements(c0), plan.images) *
      imageTiles;
  // From the computation of an image to that of the next one, which is between
  // the parts of what follows its sums.
  // The drain converts sums.
  double chain = 0;
  if (!producers.empty()) {
    bool isDrained =
        model.getMembers().size() > update + 1 &&
        isConversionOf(model.getMembers()[update + 1].statement,
                       StatementOp(member.statement).getWrittenArray());
    chain = producing / imageTiles + double(imageBytes) / machine.ubToL1 +
            drain + model.getVectorCycles(sizes, update + (isDrained ? 2 : 1)) +
            machine.latency;
  }
  double packages = imagePackages * imageTiles +
                    weightPackages * (isResident ? columnTiles : tiles);
  double last = 0;
  for (const TileModel::Array &array : model.getArrays())
    if (array.isExternal && !isFactor(array))
      last += getPackages(array, sizes);
  packages += last * tiles;
  double cycles =
      machine.packageCycles * (machine.profile == npu::Profile::gm32 ? 2 : 1);
  double first =
      imagePackages + weightPackages * plan.slice / std::max(terms, plan.slice);
  // Loads are issued as many slices ahead as there are images in L1: what takes
  // longer than these is waited for.
  int64_t room = machine.l1Bytes -
                 (isResident ? allWeights : 2 * plan.slice * columns * bytes);
  double ahead = std::clamp<int64_t>(room / imageBytes, 1, 4);
  double sliceCycles = (cube + kSliceCycles) * plan.slice / terms;
  double stall = std::max(0.0, imagePackages * cycles + machine.latency -
                                   ahead * sliceCycles);
  bool overlaps = 2 * rows * columns * 4 <= machine.l0cBytes;
  double wait = overlaps ? machine.latency / 2 : 2 * machine.latency;
  plan.cycles = std::max(tiles * (std::max({cube + wait, moves,
                                            vector + producing / tiles,
                                            chain * imageTiles / tiles}) +
                                  kSliceCycles * terms / plan.slice) +
                             imageTiles * stall,
                         packages * cycles) +
                (first + last) * cycles + vector + producing / imageTiles;
  if (!best || plan.cycles < best->cycles)
    best = plan;
}

void ConvTiler::tryTile(int64_t images, int64_t positions, int64_t columns) {
  int64_t rows = images * llvm::alignTo(positions, 16),
          wide = llvm::alignTo(columns, 16);
  if (rows * wide * 4 > machine.l0cBytes)
    return;
  ImageTile tile(img2col, imageShape, allPositions, positions, c0);
  int64_t block = img2col.getTaps() * c0;
  // Two steps in L0 at a time.
  int64_t most = std::min(machine.l0aBytes / (2 * rows * bytes),
                          machine.l0bBytes / (2 * wide * bytes));
  for (int64_t blocks = 1; blocks <= tile.blocks; ++blocks) {
    if (tile.blocks % blocks != 0)
      continue;
    int64_t slice = blocks * block, step = 0;
    for (int64_t fractals = 1; fractals * c0 <= std::min(most, slice);
         ++fractals)
      if (slice / c0 % fractals == 0)
        step = fractals * c0;
    if (step == 0)
      continue;
    Plan plan{images, positions, columns, slice, step, 0};
    if (getPartBytes(plan) <= machine.ubBytes)
      tryPlan(plan, tile);
  }
}

/// Tiles of 16 rows or columns, or all of them: balanced ones.
static SmallVector<int64_t> getSteps(int64_t extent, int64_t most) {
  SmallVector<int64_t> sizes;
  if (extent <= most)
    sizes.push_back(extent);
  for (int64_t size = 16; size < std::min(extent, most + 1);
       size += size < 256 ? 16 : 32)
    sizes.push_back(size);
  return sizes;
}

FailureOr<StatementPolicy> ConvTiler::run(double &cycles) {
  StatementOp statement = member.statement;
  img2col = *statement.getImg2col();
  ArrayOp image = getFactor(0).op, weights = getFactor(1).op;
  imageShape.assign(image.getTensorType().getShape());
  weightShape.assign(weights.getTensorType().getShape());
  bytes = image.getTensorType().getElementTypeBitWidth() / 8;
  c0 = npu::kBlockBytes / bytes;
  ArrayRef<int64_t> extents = member.extents;
  bool hasImages = extents.size() == 4;
  if (hasImages)
    imageCount = extents[0];
  extents = extents.take_back(3);
  allPositions = extents[0];
  allColumns = extents[1];
  terms = extents[2];
  for (int64_t columns : getSteps(allColumns, 1024)) {
    for (int64_t positions : getSteps(allPositions, 2048))
      tryTile(1, positions, columns);
    for (int64_t images = 2; images <= imageCount; ++images)
      tryTile(images, allPositions, columns);
  }
  if (!best)
    return statement->getParentOfType<ScopOp>().emitOpError()
           << "has no tile of '" << statement.getSymName()
           << "' that fits L1 and L0";
  cycles = best->cycles;
  StatementPolicy policy{statement, {}, {}, {}};
  if (hasImages)
    policy.l1.push_back(best->images);
  policy.l1.append({best->positions, best->columns});
  policy.l0 = policy.l1;
  policy.l1.push_back(best->slice);
  policy.l0.push_back(best->step);
  return policy;
}

FailureOr<StatementPolicy>
gc::poly::tileConvolution(const TileModel &model, const npu::Machine &machine,
                          size_t update, double &cycles) {
  StatementOp statement = model.getMembers()[update].statement;
  isl::Ctx ctx;
  FailureOr<Producers> producers =
      findProducers(ctx, statement->getParentOfType<ScopOp>(),
                    getFactors(statement).front(), /*isQuiet=*/true);
  // Others are rejected when tiles are made.
  return ConvTiler(model, machine, update,
                   succeeded(producers) ? *producers : Producers())
      .run(cycles);
}
