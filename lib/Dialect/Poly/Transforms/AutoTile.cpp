// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AutoTile.h"
#include "ChainTile.h"
#include "ColumnSums.h"
#include "ConvTile.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "KernelHierarchy.h"
#include "NestPlan.h"
#include "Producers.h"
#include "TileCandidates.h"
#include "TilePipeline.h"
#include "TileProduct.h"
#include "Tree.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static int64_t roundUp(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

namespace {
class AutoTiler {
public:
  AutoTiler(const isl::Ctx &ctx, ScopOp scop, const npu::Machine &whole,
            const npu::Machine &machine, const Cluster &cluster)
      : ctx(ctx), scop(scop), whole(whole), machine(machine), cluster(cluster),
        model(ctx, scop, cluster, machine) {}

  LogicalResult run(Policy &policy);
  /// Cycles of the tiles that run() chose, as far as they have a price; else
  /// those of whichever of the units and global memory takes longest.
  double getCycles() const { return cycles ? *cycles : estimate(); }

private:
  double estimate() const;
  /// Tiles of the vector unit as they are loaded, computed and stored.
  TilePipeline getPipeline(const TileSizes &sizes, int64_t slots) const;
  LogicalResult tileVector(Policy &policy);
  LogicalResult reportOverflow(const TileSizes &smallest, int64_t least);
  LogicalResult tileCube(Policy &policy, size_t update);
  double getPackageCycles() const {
    return machine.packageCycles *
           (machine.profile == npu::Profile::gm32 ? 2 : 1);
  }

  const isl::Ctx &ctx;
  ScopOp scop;
  /// The machine, and what one of several cores has of it.
  const npu::Machine &whole, &machine;
  const Cluster &cluster;
  TileModel model;
  std::optional<double> cycles;
};

/// Tiles that are under way at a time, and cycles to issue one.
constexpr int64_t kSlots = 3;
constexpr double kIssueCycles = 20;

/// Cycles of a tile of a contraction: the first one of a row of tiles, others,
/// its first loads and all stores, what the vector unit does.
struct TilePrice {
  double leading = 0, following = 0, first = 0, last = 0, vector = 0;
};

/// A plan for the tiles of a contraction.
struct CubePlan {
  TileSizes sizes;
  int64_t l1Slice, l0Slice;
  double cycles;
};
} // namespace

double AutoTiler::estimate() const {
  TileSizes whole;
  for (unsigned loop = 0; loop < model.getRank(); ++loop)
    whole.push_back(model.getExtent(loop));
  double fractals = 0;
  for (const TileModel::Member &member : model.getMembers()) {
    if (!isContraction(member.statement))
      continue;
    double own = 1;
    for (int64_t extent : member.extents)
      own *= extent;
    // The cube unit multiplies a fractal in a cycle, of elements of one byte
    // twice as many as of two.
    StatementOp statement = member.statement;
    int64_t bits =
        poly::findArray(
            scop,
            cast<FlatSymbolRefAttr>(statement.getReadArrays()[0]).getValue())
            .getTensorType()
            .getElementTypeBitWidth();
    fractals += own / (16 * 16 * (npu::kBlockBytes * 8 / bits));
  }
  return std::max({fractals, model.getVectorCycles(whole),
                   model.getTilePackages(whole) * getPackageCycles()}) +
         machine.latency;
}

TilePipeline AutoTiler::getPipeline(const TileSizes &sizes,
                                    int64_t slots) const {
  TilePipeline pipeline;
  pipeline.tiles = model.countTiles(sizes);
  pipeline.slots = slots;
  pipeline.latency = machine.latency;
  pipeline.isSerial = model.hasSerialStores(sizes);
  pipeline.isInPlace = model.isInPlace();
  pipeline.vector = std::max(model.getVectorCycles(sizes), kIssueCycles);
  for (const TileModel::Array &array : model.getArrays()) {
    if (!array.isExternal)
      continue;
    // What stays for several tiles is spread among them.
    double cycles = model.countLoads(array, sizes) *
                    model.getPackages(array, model.getBox(array, sizes)) *
                    getPackageCycles() / pipeline.tiles;
    (ArrayOp(array.op).getOutputAttr() ? pipeline.store : pipeline.load) +=
        cycles;
  }
  return pipeline;
}

/// At the reduction of which a tile has all elements, if there is one.
LogicalResult AutoTiler::reportOverflow(const TileSizes &smallest,
                                        int64_t least) {
  StringRef largest = model.getLargestArray(smallest).getSymName();
  for (const TileModel::Member &member : model.getMembers()) {
    StatementOp statement = member.statement;
    bool isReduced = isUpdate(statement);
    for (auto [dim, extent] : llvm::enumerate(member.extents))
      if (isReduced && !member.resultDims.test(dim) && extent > 1)
        return statement.emitOpError()
               << "reduces " << extent
               << " elements, which have to be in one tile; the smallest one "
                  "needs "
               << least << " bytes of UB, which has " << machine.ubBytes
               << ", most of them for @" << largest;
  }
  return scop.emitOpError()
         << "has no tile that fits: the smallest one needs " << least
         << " bytes of UB, which has " << machine.ubBytes
         << "; its largest array is @" << largest;
}

LogicalResult AutoTiler::tileVector(Policy &policy) {
  TileSizes best, smallest, sizes;
  double cheapest = std::numeric_limits<double>::infinity();
  int64_t least = INT64_MAX;
  auto consider = [&](const TileSizes &sizes) {
    int64_t single = model.getUbBytes(sizes, 1);
    if (single < least) {
      least = single;
      smallest = sizes;
    }
    int64_t tiles = model.countTiles(sizes);
    for (int64_t slots : {kSlots + 1, kSlots, kSlots - 1}) {
      // So many only for as many tiles.
      if (slots > kSlots && tiles != slots)
        continue;
      // Some room is left for what is not counted: bodies of several
      // instructions need buffers of their own.
      if (slots < kSlots && !model.hasSimpleBodies())
        break;
      int64_t room = slots < kSlots            ? machine.ubBytes * 31 / 32
                     : model.hasSimpleBodies() ? machine.ubBytes * 7 / 8
                                               : machine.ubBytes * 3 / 4;
      int64_t used = std::min(slots, tiles);
      if (model.getUbBytes(sizes, used) > room)
        continue;
      TilePipeline pipeline = getPipeline(sizes, used);
      if (double(tiles) *
              std::max(pipeline.vector, pipeline.load + pipeline.store) >=
          cheapest)
        break;
      double own = pipeline.getCycles();
      // What the instructions of a tile take is known to about 5%: of tiles
      // that cost the same the smaller ones are safer.
      double cost = own + 0.05 * pipeline.vector;
      if (cost < cheapest) {
        best = sizes;
        cheapest = cost;
        cycles = own;
      }
      break;
    }
  };
  // The innermost loop has blocks, unless it counts rows so long that fewer of
  // them fit.
  double ratio = model.getRank() <= 1 ? 1.1 : model.getRank() == 2 ? 1.3 : 2;
  for (bool mayHaveFewRows : {false, true}) {
    SmallVector<SmallVector<int64_t>> candidates;
    for (unsigned loop = 0; loop < model.getRank(); ++loop) {
      bool hasBlocks = mayHaveFewRows ? model.isInnermostOfMatrix(loop)
                                      : model.isInnermost(loop);
      candidates.push_back(getCandidates(model.getExtent(loop),
                                         hasBlocks ? 16 : 1,
                                         model.getRank() > 3 ? 8 : ratio));
    }
    forEachSizes(candidates, sizes, consider);
    if (!best.empty() || least <= machine.ubBytes)
      break;
  }
  if (best.empty() && least <= machine.ubBytes) {
    best = smallest;
    cycles = getPipeline(smallest, 1).getCycles();
  }
  if (best.empty() && model.getRank() > 0)
    return reportOverflow(smallest, least);
  const TileModel::Member &member = model.getMembers().back();
  SmallVector<int64_t> &own = policy.get(member.statement).ub;
  for (auto [loop, extent] : llvm::zip(member.loops, member.extents))
    own.push_back(loop ? best[*loop] : extent);
  return success();
}

LogicalResult AutoTiler::tileCube(Policy &policy, size_t update) {
  const TileModel::Member &member = model.getMembers()[update];
  StatementOp statement = member.statement;
  TileProduct product(model, update);
  const TileModel::Array *lhs = product.lhs, *rhs = product.rhs;
  // What computes the factors, if anything does.
  auto getProducers = [&](const TileModel::Array *factor) {
    FailureOr<Producers> found =
        findProducers(ctx, scop, factor->op, /*isQuiet=*/true);
    return succeeded(found) ? std::move(*found) : Producers();
  };
  Producers left = getProducers(lhs), right = getProducers(rhs);
  std::optional<unsigned> row = product.row, column = product.column,
                          term = product.term;
  int64_t rows = 1, columns = 1, terms = 1;
  for (auto [extent, isTerm] : llvm::zip_equal(member.extents, product.isTerm))
    if (isTerm)
      terms *= extent;
  if (!term || (!row && !column))
    return statement.emitOpError()
           << "is a product without rows, columns or terms";
  int64_t bytes = ArrayOp(lhs->op).getTensorType().getElementTypeBitWidth() / 8;
  int64_t c0 = npu::kBlockBytes / bytes;
  auto getSize = [&](std::optional<unsigned> dim) {
    return dim ? member.extents[*dim] : 1;
  };
  auto getTileCandidates = [&](std::optional<unsigned> dim) {
    if (!dim || !member.loops[*dim])
      return SmallVector<int64_t>{getSize(dim)};
    return getFractalCandidates(getSize(dim), 1024);
  };
  // Products that are stored as they are may have tiles that are shorter at the
  // end; others overlap there.
  size_t posts = model.getMembers().size() - update - 1;
  bool mayHaveTails =
      posts == 0 ||
      (posts == 1 && isConversionOf(model.getMembers().back().statement,
                                    statement.getWrittenArray()));
  auto divide = [&](std::optional<unsigned> dim, int64_t size, int64_t parts) {
    int64_t whole = getSize(dim) / size, rest = getSize(dim) % size;
    SmallVector<std::pair<int64_t, int64_t>> tiles{{size, whole}};
    if (rest > 0 && mayHaveTails && canBeTail(rest, parts))
      tiles.push_back({rest, 1});
    else if (rest > 0)
      ++tiles.front().second;
    return tiles;
  };
  std::optional<CubePlan> best;
  for (int64_t m : getTileCandidates(row))
    for (int64_t n : getTileCandidates(column)) {
      rows = roundUp(m, 16);
      columns = roundUp(n, 16);
      if (rows * columns * 4 > machine.l0cBytes)
        continue;
      // Two slices in L0 at a time.
      int64_t l0 = std::min(machine.l0aBytes / (2 * rows * bytes),
                            machine.l0bBytes / (2 * columns * bytes)) /
                   c0 * c0;
      if (l0 == 0)
        continue;
      int64_t l1 = std::min<int64_t>(roundUp(terms, c0),
                                     std::max<int64_t>(256 / bytes, l0));
      l0 = std::min(l0, l1);
      while (l1 % l0 != 0)
        l0 -= c0;
      CubePlan plan{{}, std::min(l1, terms), std::min(l0, terms), 0};
      for (unsigned loop = 0; loop < model.getRank(); ++loop)
        plan.sizes.push_back(1);
      if (row && member.loops[*row])
        plan.sizes[*member.loops[*row]] = m;
      if (column && member.loops[*column])
        plan.sizes[*member.loops[*column]] = n;
      // What follows is computed on parts: sums and two temporaries of f32, and
      // an element of what is loaded or stored.
      int64_t elementBytes = mayHaveTails ? 0 : 12;
      for (const TileModel::Array &array : model.getArrays())
        if (array.isExternal && &array != lhs && &array != rhs)
          elementBytes +=
              ArrayOp(array.op).getTensorType().getElementTypeBitWidth() / 8;
      if (rows * columns / getNumParts(m) * elementBytes > machine.ubBytes)
        continue;
      if ((!left.empty() && !left.fits(machine, double(rows) * l1)) ||
          (!right.empty() && !right.fits(machine, double(columns) * l1)))
        continue;
      // Slices of the first factor's rows stay for all columns if L1 has room.
      int64_t slices = llvm::divideCeil(terms, l1);
      double resident =
          double(getResidentSlices(slices, rows * l1 * bytes,
                                   columns * l1 * bytes, machine.l1Bytes)) /
          slices;
      // What is computed stays as a whole or not at all.
      if (resident < 1 && !left.empty())
        resident = 0;
      if (resident == 0 && 2 * (rows + columns) * l1 * bytes > machine.l1Bytes)
        continue;
      double partBytes = double(rows) * columns / getNumParts(m) * 2;
      bool isAhead = true;
      for (const Producers *producers : {&left, &right}) {
        double elements = double(producers == &left ? rows : columns) * l1 * 2;
        isAhead &=
            producers->empty() ||
            (!producers->hasScratch() &&
             producers->getBytes(elements) + 2 * partBytes <= machine.ubBytes);
      }
      // Two latencies: the cube unit waits for the first drained part or for a
      // free half of L0C at each tile, as measured. Where the sums of two tiles
      // do not fit L0C, it waits longer for a part of more than a quarter.
      double parts = getNumParts(m);
      bool isSingle = rows * columns * 4 * 2 > machine.l0cBytes;
      double steps = llvm::divideCeil(terms, l0);
      double moves =
          static_cast<double>(rows) * terms * bytes / machine.l1ToL0a +
          static_cast<double>(columns) * terms * bytes / machine.l1ToL0b;
      auto price = [&](int64_t height, int64_t width) {
        TileSizes sizes = plan.sizes;
        if (row && member.loops[*row])
          sizes[*member.loops[*row]] = height;
        if (column && member.loops[*column])
          sizes[*member.loops[*column]] = width;
        TilePrice price;
        double producing[2] = {0, 0};
        for (const TileModel::Array &array : model.getArrays()) {
          bool isFactor = &array == lhs || &array == rhs;
          const Producers &producers = &array == lhs ? left : right;
          bool isProduced = isFactor && !producers.empty();
          if (!array.isExternal && !isProduced)
            continue;
          SmallVector<int64_t> box = model.getBox(array, sizes);
          double own = (isProduced ? producers.getPackages(box)
                                   : model.getPackages(array, box)) *
                       getPackageCycles();
          // With what lies beyond the rows and terms.
          double elements =
              double(&array == lhs ? roundUp(height, 16) : roundUp(width, 16)) *
              slices * l1;
          // One after the other, if a slice does not wait in a slot of its own.
          if (isProduced)
            producing[&array != lhs] =
                producers.getVectorCycles(machine, elements, slices) +
                (isAhead ? 0 : own + elements * bytes / machine.ubToL1);
          (isFactor ? price.first : price.last) +=
              isFactor ? own * l1 / std::max(terms, l1) : own;
          price.leading += own;
          price.following += own * (&array == lhs ? 1 - resident : 1);
        }
        double cube = static_cast<double>(llvm::divideCeil(height, 16)) *
                          llvm::divideCeil(width, 16) *
                          llvm::divideCeil(terms, c0) +
                      steps * 2;
        price.vector =
            static_cast<double>(height) * width * 4 / machine.l0cToUb +
            model.getVectorCycles(sizes, update + 1);
        double wait = isSingle ? price.vector * (1 / parts - 0.25) / 2 : 0;
        // The part in progress delays the drains of the parts after it.
        double step = cube * std::min<double>(l0, terms) / terms;
        if (isSingle && !mayHaveTails)
          wait += std::max(0.0, price.vector - step) * (parts - 1) / parts;
        auto getWork = [&](double share) {
          double produced = producing[0] * share + producing[1];
          double sums = cube + 2 * machine.latency + wait;
          // What a slice is computed from is an iteration ahead if it has two
          // slots beside the parts, and if nothing is left between operations.
          return isAhead ? std::max({sums, moves, price.vector + produced})
                         : std::max({sums, moves, price.vector}) + produced;
        };
        price.leading = std::max(price.leading, getWork(1));
        price.following = std::max(price.following, getWork(1 - resident));
        return price;
      };
      TilePrice whole = price(m, n);
      auto rowTiles = divide(row, m, getNumParts(m));
      auto columnTiles = divide(column, n, 1);
      double count = 0, cycles = 0;
      for (auto [height, number] : rowTiles) {
        cycles +=
            number * (price(height, n).leading - price(height, n).following);
        for (auto [width, times] : columnTiles) {
          count += number * times;
          cycles += number * times * price(height, width).following;
        }
      }
      plan.cycles = model.countTiles(plan.sizes) / count * cycles +
                    whole.first + whole.last / 4 + whole.vector / 4;
      if (!best || plan.cycles < best->cycles)
        best = plan;
    }
  if (!best)
    return scop.emitOpError() << "has no tile of '" << statement.getSymName()
                              << "' that fits L1 and L0";
  cycles = best->cycles;
  StatementPolicy own{statement, {}, {}, {}};
  for (auto [dim, loop] : llvm::enumerate(member.loops)) {
    bool isTerm = product.isTerm[dim];
    int64_t size = loop ? best->sizes[*loop] : member.extents[dim];
    // Of several dimensions of terms only the last one is cut.
    bool isCut = isTerm && dim == *term;
    own.l1.push_back(isCut ? std::min(best->l1Slice, size) : size);
    own.l0.push_back(isCut ? std::min(best->l0Slice, size) : size);
  }
  policy.statements.push_back(own);
  return success();
}

/// Whether the contraction multiplies what is computed from another one.
static bool isChained(ScopOp scop, StatementOp statement) {
  return llvm::count_if(scop.getOps<StatementOp>(), isContraction) > 1 &&
         llvm::any_of(getFactors(statement),
                      [](ArrayOp factor) { return factor.isTemporary(); });
}

LogicalResult AutoTiler::run(Policy &policy) {
  // What the policy says about a cluster is all there is to it.
  for (const ClusterMember &member : cluster.members)
    if (policy.find(member.statement))
      return success();
  for (auto [i, member] : llvm::enumerate(cluster.members)) {
    StatementOp statement = member.statement;
    if (statement.getImg2col()) {
      FailureOr<StatementPolicy> own =
          tileConvolution(model, machine, i, cycles.emplace());
      if (succeeded(own))
        policy.statements.push_back(*own);
      return own;
    }
    if (isContraction(statement) && isChained(scop, statement)) {
      FailureOr<StatementPolicy> own =
          tileChain(ctx, scop, machine, model.getMembers()[i]);
      if (succeeded(own))
        policy.statements.push_back(*own);
      return own;
    }
    if (isContraction(statement))
      return tileCube(policy, i);
  }
  std::optional<ColumnSums> sums = findColumnSums(ctx, scop);
  if (sums && prefersCube(scop, *sums, whole)) {
    cycles = sums->getCubeCycles(machine);
    // All rows of a block of columns.
    SmallVector<int64_t> &own = policy.get(sums->sums.front().update).ub;
    for (auto [extent, isReduced] : llvm::zip(sums->extents, sums->isReduced))
      own.push_back(isReduced ? extent : 1);
    own.back() = sums->getSlices(whole).columns;
    return success();
  }
  return tileVector(policy);
}

/// The machine as one of several cores sees it: they take packages in turn.
static npu::Machine getShare(npu::Machine machine, int64_t cores) {
  machine.packageCycles *= cores;
  return machine;
}

FailureOr<double> gc::poly::completePolicy(const isl::Ctx &ctx, ScopOp scop,
                                           const npu::Machine &whole,
                                           Policy &policy) {
  npu::Machine machine = getShare(whole, scop.countAllCores());
  FailureOr<SmallVector<Cluster>> clusters = findClusters(ctx, scop);
  if (failed(clusters))
    return failure();
  double cycles = 0;
  for (const Cluster &cluster : *clusters) {
    SmallVector<StatementOp> statements;
    for (const ClusterMember &member : cluster.members)
      statements.push_back(member.statement);
    if (!isLiveOut(scop, statements))
      continue;
    AutoTiler tiler(ctx, scop, whole, machine, cluster);
    if (failed(tiler.run(policy)))
      return failure();
    cycles += tiler.getCycles();
  }
  return cycles;
}
