// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedules of regions without a tunable op: the dimension of vectors, and what
// the parallel loop iterates over.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/Transforms/PassDims.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "Dialect/Graph/Transforms/SlidingDims.h"
#include "ReductionSteps.h"
#include "Schedule.h"
#include "SchedulePartition.h"
#include "Support/DecisionRecord.h"

#include <numeric>

using namespace mlir;

namespace gc::graph {

/// What the region's one pass reads and writes.
static PassAccesses getAccesses(FusedOp fused, const RegionSpace &space) {
  PassAccesses accesses;
  accesses.reduces = !space.getReducedDims().empty();
  for (Operation &op : fused.getBody().front().without_terminator())
    for (OpOperand &operand : op.getOpOperands())
      if (operand.get().getParentBlock() != op.getBlock() &&
          !isSplat(operand.get()))
        accesses.read.push_back(
            {cast<RankedTensorType>(operand.get().getType()),
             space.getOperandMap(operand), getGaps(operand)});
  for (Value value : fused.getYielded())
    accesses.written.push_back(
        {cast<RankedTensorType>(value.getType()), space.getValueMap(value)});
  return accesses;
}

static int64_t getElementBytes(RankedTensorType type) {
  return kLineBytes / getLineElements(type);
}

/// Elements of a cache line: of the results, of which those with the narrowest
/// elements count.
static int64_t getLineElements(FusedOp fused) {
  int64_t most = 1;
  for (Type type : fused.getResultTypes())
    most = std::max(most, getLineElements(cast<RankedTensorType>(type)));
  return most;
}

/// Bytes of the widest elements that a pass reads.
static int64_t getReadBytes(const PassAccesses &accesses) {
  int64_t bytes = 1;
  for (const TensorAccess &access : accesses.read)
    bytes = std::max(bytes, getElementBytes(access.type));
  return bytes;
}

namespace {
/// Neighbouring positions that are computed together.
struct Blocks {
  SmallVector<int64_t> dims, sizes;
};

/// The block of positions that takes the fewest instructions: windows in a
/// block share elements and weights, but the last block of a row starts early
/// and repeats what is done already, and sums and elements have to fit the
/// registers.
class BlockChoice {
public:
  /// `row` and `column`: the last two dimensions that windows slide along.
  BlockChoice(const RegionSpace &space, const PassAccesses &accesses,
              const SlidingDim &row, const SlidingDim &column,
              int64_t registers)
      : rows(space.getSizes()[row.dim]), columns(column.end - column.begin),
        registers(registers) {
    for (const TensorAccess &access : accesses.read) {
      bool isSlid = access.gaps && access.varies(column.dim);
      for (unsigned dim : space.getReducedDims())
        hasWeights |= !isSlid && access.varies(dim);
      if (!isSlid)
        continue;
      for (AffineExpr expr : access.map.getResults())
        for (unsigned dim : space.getReducedDims()) {
          int64_t size = getFactor(expr, dim) * space.getSizes()[dim];
          if (size > 0 && expr.isFunctionOfDim(row.dim)) {
            windowRows = size;
            rowStride = getFactor(expr, row.dim);
          } else if (size > 0 && expr.isFunctionOfDim(column.dim)) {
            windowColumns = size;
            columnStride = getFactor(expr, column.dim);
          }
        }
    }
    for (unsigned dim : space.getReducedDims())
      elements *= space.getSizes()[dim];
    choose();
  }

  int64_t getRows() const { return best.first; }
  int64_t getColumns() const { return best.second; }

private:
  void choose() {
    constexpr int64_t kMostColumns = 8;
    double least = getCost(best);
    // Of long windows loops over elements are not unrolled, and nothing is
    // shared between them.
    if (elements == 1 || elements > kMostUnrolledElements)
      return;
    for (int64_t blockRows : {1, 2})
      for (int64_t blockColumns = 1; blockColumns <= kMostColumns;
           ++blockColumns) {
        std::pair<int64_t, int64_t> block{blockRows, blockColumns};
        // One register holds a weight, and two are for what follows the sums.
        if (blockRows > rows || blockColumns > columns ||
            blockRows * blockColumns + getWidth(blockColumns) + 3 > registers ||
            getCost(block) >= least)
          continue;
        best = block;
        least = getCost(block);
      }
  }
  /// Elements of the image that a row of a block sees.
  int64_t getWidth(int64_t blockColumns) const {
    return (blockColumns - 1) * columnStride + windowColumns;
  }
  double getCost(std::pair<int64_t, int64_t> block) const {
    // Two loads take as long as one operation.
    int64_t loads =
        ((block.first - 1) * rowStride + windowRows) * getWidth(block.second);
    double instructions = elements * block.first * block.second +
                          (loads + hasWeights * elements) / 2.0;
    return instructions * llvm::divideCeil(rows, block.first) *
           llvm::divideCeil(std::max<int64_t>(1, columns), block.second);
  }

  int64_t rows, columns, registers, elements = 1;
  int64_t windowRows = 1, windowColumns = 1, rowStride = 1, columnStride = 1;
  bool hasWeights = false;
  std::pair<int64_t, int64_t> best{1, 4};
};
} // namespace

/// Windows at neighbouring positions share elements and weights, and where
/// elements have gaps between them, a whole period of positions finds its
/// elements without a division.
static Blocks chooseBlocks(const RegionSpace &space,
                           const PassAccesses &accesses, int64_t vectorDim,
                           int64_t registers) {
  // Sums of this many positions, and what they share, fit 16 registers.
  constexpr int64_t kTogether = 4, kLongestPeriod = 4;
  Blocks blocks;
  SmallVector<SlidingDim> sliding =
      getSlidingDims(accesses.read, space.getSizes(), space.getReducedDims());
  llvm::erase_if(sliding, [&](const SlidingDim &position) {
    return position.dim == vectorDim;
  });
  bool isDense = llvm::all_of(
      sliding, [](const SlidingDim &position) { return position.period == 1; });
  if (sliding.size() == 2 && isDense) {
    BlockChoice choice(space, accesses, sliding[0], sliding[1], registers);
    blocks.dims = {sliding[0].dim, sliding[1].dim};
    blocks.sizes = {choice.getRows(), choice.getColumns()};
    for (auto [dim, size] : llvm::zip_equal(blocks.dims, blocks.sizes))
      size = std::min(size, space.getSizes()[dim]);
    return blocks;
  }
  int64_t together = 1;
  for (const SlidingDim &position : sliding) {
    int64_t period = position.period <= kLongestPeriod ? position.period : 1;
    bool isLast = position.dim == sliding.back().dim;
    int64_t size =
        isLast
            ? llvm::alignTo(std::max<int64_t>(1, kTogether / together), period)
            : period;
    blocks.dims.push_back(position.dim);
    blocks.sizes.push_back(std::min(size, space.getSizes()[position.dim]));
    together *= size;
  }
  return blocks;
}

/// How many channels of windows a task works on, 0 for all: of images that stay
/// in the L2 cache so many of which the rows of windows, and weights, stay in
/// the L1 cache from one row of positions to the next.
static int64_t chooseChannels(const RegionSpace &space,
                              const PassAccesses &accesses,
                              const Blocks &blocks, int64_t vectorDim,
                              int64_t lineElements,
                              const ScheduleContext &context) {
  ArrayRef<int64_t> sizes = space.getSizes();
  int64_t positions = 1, elements = 1;
  for (int64_t dim : blocks.dims)
    positions *= sizes[dim];
  for (unsigned dim : space.getReducedDims())
    elements *= sizes[dim];
  int64_t bytes = getReadBytes(accesses), channelBytes = bytes * positions;
  if (channelBytes * sizes[vectorDim] > context.machine.l2Bytes / 2)
    return 0;
  // Windows have at most as many rows as elements.
  int64_t rowBytes = bytes * elements * (sizes[blocks.dims.back()] + 1);
  int64_t channels = context.machine.l1Bytes / 2 / rowBytes;
  constexpr int64_t kLeastLines = 4;
  return std::max(channels / lineElements, kLeastLines) * lineElements;
}

/// Whether only the caller reads the result, possibly as a part of another one.
static bool isForCaller(Value result) {
  return llvm::all_of(result.getUsers(), [](Operation *user) {
    return isa<func::ReturnOp>(user) || ((isa<PlacementOpInterface>(user) ||
                                          user->hasTrait<RowMajorView>()) &&
                                         isForCaller(user->getResult(0)));
  });
}

/// How many rows ahead operands are fetched. A row that is read, reduced and
/// read again comes from memory the first time only, and then nothing is read
/// from there.
static int64_t chooseAhead(FusedOp fused, const RegionSpace &space,
                           const PassAccesses &accesses, bool columnwise,
                           const ScheduleContext &context) {
  constexpr int64_t kRows = 2;
  if (context.prefetch == ScheduleSwitch::never)
    return 0;
  bool isFar =
      context.prefetch == ScheduleSwitch::always || !context.fitsCaches();
  ArrayRef<unsigned> reduced = space.getReducedDims();
  bool readsAgain = llvm::any_of(fused.getYielded(), [&](Value value) {
    return llvm::any_of(reduced,
                        [&](unsigned dim) { return space.varies(value, dim); });
  });
  if (columnwise || !readsAgain)
    return 0;
  int64_t rowBytes = getReadBytes(accesses);
  for (unsigned dim : reduced)
    rowBytes *= space.getSizes()[dim];
  bool isShort = context.prefetch == ScheduleSwitch::always ||
                 4 * kRows * rowBytes <= context.machine.l2Bytes;
  return isFar && isShort ? kRows : 0;
}

/// The same of windows, in rows of positions: those of the next row see new
/// rows of the image, which are read in small pieces of many places. Nothing is
/// gained unless they stay in the L2 cache until then.
static int64_t chooseAheadOfWindows(const RegionSpace &space,
                                    const PassAccesses &accesses,
                                    const Blocks &blocks,
                                    const ScheduleContext &context) {
  if (context.prefetch == ScheduleSwitch::never || blocks.dims.size() < 2 ||
      (context.prefetch == ScheduleSwitch::automatic && context.fitsCaches()))
    return 0;
  int64_t rowDim = blocks.dims[blocks.dims.size() - 2], bytes = 0;
  for (const TensorAccess &access : accesses.read) {
    if (!access.gaps || isSpaced(*access.gaps) || !access.varies(rowDim))
      continue;
    int64_t dropped = access.map.getNumResults() - access.type.getRank();
    for (auto [i, expr] : llvm::enumerate(access.map.getResults())) {
      if (access.gaps->spacing[i] == 0 || !expr.isFunctionOfDim(rowDim))
        continue;
      int64_t rows = getFactor(expr, rowDim);
      for (unsigned dim : space.getReducedDims())
        rows += getFactor(expr, dim) * space.getSizes()[dim];
      ArrayRef<int64_t> shape = access.type.getShape();
      int64_t rowBytes = getMemoryBytes(access.type);
      for (int64_t size : shape.take_front(i - dropped + 1))
        rowBytes /= size;
      bytes += rows * rowBytes;
    }
  }
  bool isKept = context.prefetch == ScheduleSwitch::always ||
                bytes <= context.machine.l2Bytes;
  return bytes > 0 && isKept ? 1 : 0;
}

/// The last dimension of several elements that is reduced; any other one if
/// none has several.
static int64_t getLastReducedDim(const RegionSpace &space) {
  int64_t last = space.getReducedDims().back();
  for (unsigned dim : space.getReducedDims())
    if (space.getSizes()[dim] > 1)
      last = dim;
  return last;
}

/// Vectors of sums of columns that registers hold.
constexpr int64_t kVectorsInRegisters = 8;

/// The most columns whose sums, of all reductions, half of the L1 cache holds
/// where the sums of all columns of a task are in memory: whole cache lines. 0
/// where they are not: that needs rows that come from memory, of more columns
/// than registers hold sums of, and reductions whose rows are not read again.
static int64_t getMostSummedColumns(FusedOp fused, const RegionSpace &space,
                                    const PassAccesses &accesses,
                                    int64_t vectorDim, int64_t lineElements,
                                    const ScheduleContext &context) {
  int64_t sumBytes = 0;
  for (Operation &op : fused.getBody().front().without_terminator()) {
    bool isOfRow = llvm::none_of(space.getReducedDims(), [&](unsigned dim) {
      return space.varies(&op, dim);
    });
    // Results that rows have before they are reduced would be stored again
    // with each block.
    bool isStored = llvm::any_of(op.getUsers(), [](Operation *user) {
      return user->hasTrait<OpTrait::IsTerminator>();
    });
    bool isFirst = space.getStage(&op) == 0;
    if (isOfRow ? isFirst && isStored && !isReduction(&op) : !isFirst)
      return 0;
    if (isReduction(&op))
      sumBytes += llvm::divideCeil(
          getComputeType(getElementTypeOrSelf(op.getResult(0).getType()))
              .getIntOrFloatBitWidth(),
          8);
  }
  // The elements of a window are not rows.
  bool hasGaps = llvm::any_of(accesses.read, [](const TensorAccess &access) {
    return access.gaps.has_value();
  });
  int64_t least = kVectorsInRegisters * context.getLanes();
  if (hasGaps || sumBytes == 0 || context.fitsCaches() ||
      space.getSizes()[vectorDim] <= least)
    return 0;
  int64_t most = context.machine.l1Bytes / 2 / sumBytes;
  most = most / lineElements * lineElements;
  return most > least ? most : 0;
}

/// How many rows are summed at a time with the sums of this many columns in
/// memory, of at most `most`.
static int64_t chooseSummedRows(int64_t columns, int64_t most, int64_t rows,
                                int64_t lanes) {
  if (columns > most || columns <= kVectorsInRegisters * lanes)
    return 0;
  for (int64_t block = kSummedRows; block > 1; block /= 2)
    if (rows % block == 0)
      return block;
  return 0;
}

/// The tasks, and along which other dimensions vectors could lie.
static void recordSchedule(FusedOp fused, const RegionSpace &space,
                           const PassAccesses &accesses, const PassDims &dims,
                           int64_t tasks, const RowOrder &order,
                           const ScheduleContext &context) {
  if (context.runsOnce)
    return;
  DecisionRecord record(fused, context.category, "schedule");
  if (!record)
    return;
  auto countAlong = [&](int64_t dim) {
    int64_t along = 0, all = 0;
    for (const TensorAccess &access :
         llvm::concat<const TensorAccess>(accesses.read, accesses.written)) {
      along += access.getContiguousRun(dim) > 1;
      all += access.type.getNumElements() > 1;
    }
    return (Twine(along) + " of " + Twine(all) + " tensors contiguous along it")
        .str();
  };
  std::string text = std::to_string(tasks) + (tasks == 1 ? " task" : " tasks");
  if (dims.vector < 0) {
    record.choose(text);
    return;
  }
  std::string rows = describe(order);
  record.choose(text + ", vectors along dimension " + Twine(dims.vector) +
                    (rows.empty() ? "" : ", ") + rows,
                std::nullopt, countAlong(dims.vector));
  if (tasks > 1)
    record.reject("one task", std::nullopt, "leaves other threads idle");
  for (auto [dim, size] : llvm::enumerate(space.getSizes()))
    if (size > 1 && static_cast<int64_t>(dim) != dims.vector)
      record.reject("vectors along dimension " + Twine(dim), std::nullopt,
                    countAlong(dim));
  // Twice as many are the next that balance better.
  record.forcedBy("--pipeline-options='tasks=" + Twine(2 * tasks) +
                  " vector-dim=" + Twine(dims.vector) + "'");
}

/// Whether loops over the elements of windows are unrolled.
static bool unrollsWindows(const RegionSpace &space,
                           const PassAccesses &accesses, const PassDims &dims) {
  int64_t elements = 1;
  for (unsigned dim : space.getReducedDims())
    elements *= space.getSizes()[dim];
  return dims.transposed < 0 && elements <= kMostUnrolledElements &&
         !getSlidingDims(accesses.read, space.getSizes(),
                         space.getReducedDims())
              .empty();
}

FailureOr<ScheduleAttr> schedulePlain(FusedOp fused,
                                      const ScheduleContext &context) {
  FailureOr<RegionSpace> space = RegionSpace::get(fused);
  if (failed(space))
    return failure();
  auto box = llvm::map_to_vector(space->getSizes(),
                                 [](int64_t size) { return PassExtent{size}; });
  std::optional<int64_t> forced = context.vectorDim;
  if (forced && *forced >= static_cast<int64_t>(box.size()))
    forced = std::nullopt;
  PassAccesses accesses = getAccesses(fused, *space);
  PassDims dims = choosePassDims(box, accesses, context.getLanes(), forced);
  bool columnwise = !space->getReducedDims().empty() &&
                    !llvm::is_contained(space->getReducedDims(), dims.vector);
  Blocks blocks;
  if (dims.transposed < 0 && (columnwise || !accesses.reduces))
    blocks = chooseBlocks(*space, accesses, dims.vector,
                          context.machine.vectorRegisters);
  SmallVector<int64_t> units = getPieceUnits(fused, *space);
  for (auto [dim, size] : llvm::zip_equal(blocks.dims, blocks.sizes))
    units[dim] = std::lcm(units[dim], size);
  // Where windows are inside along vectors has to be known.
  bool slides = llvm::any_of(accesses.read, [&](const TensorAccess &access) {
    return access.slides(dims.vector);
  });
  int64_t lineElements = getLineElements(fused);
  // Rows of positions stay whole, which makes their ends known.
  int64_t last = blocks.dims.size() > 1 ? blocks.dims.back() : -1;
  int64_t channels = 0;
  if (!blocks.dims.empty() && !slides && columnwise)
    channels = chooseChannels(*space, accesses, blocks, dims.vector,
                              lineElements, context);
  int64_t summedColumns = 0;
  if (columnwise && dims.transposed < 0 && blocks.dims.empty())
    channels = summedColumns = getMostSummedColumns(
        fused, *space, accesses, dims.vector, lineElements, context);
  bool sharesRows = accesses.reduces && columnwise && !slides;
  int64_t ahead =
      sharesRows ? chooseAheadOfWindows(*space, accesses, blocks, context)
                 : chooseAhead(fused, *space, accesses, columnwise, context);
  TaskPartition partition(
      *space, {dims, columnwise, !slides, units, last, channels, lineElements},
      context);
  reportSlowPasses(fused, *space, accesses, dims, partition.getTasks(),
                   context);
  if (summedColumns > 0) {
    int64_t rowDim = getLastReducedDim(*space);
    int64_t part = space->getPartSize(rowDim);
    int64_t rows = space->getSizes()[rowDim];
    if (int64_t summed = chooseSummedRows(
            partition.getPiece(dims.vector), summedColumns,
            part ? std::min(part, rows) : rows, context.getLanes()))
      blocks = {{rowDim}, {summed}};
  }
  // Vectors are stored whole, or one by one.
  SmallVector<int64_t> streams = chooseStreams(fused, context, [&](unsigned i) {
    Value result = fused.getResult(i);
    auto type = cast<RankedTensorType>(result.getType());
    TensorAccess written{type, space->getValueMap(fused.getYielded()[i])};
    // Little is not worth code of its own.
    bool isLittle = context.stream == ScheduleSwitch::automatic &&
                    getMemoryBytes(type) <= context.machine.l2Bytes;
    return !isLittle && isForCaller(result) &&
           written.getContiguousRun(dims.vector) >= context.getLanes();
  });
  RowOrder order;
  if (accesses.reduces) {
    SmallVector<Operation *> ops;
    for (Operation &op : fused.getBody().front().without_terminator())
      ops.push_back(&op);
    for (auto [dim, extent] : llvm::enumerate(box))
      extent.size = partition.getPiece(dim);
    order = chooseRowOrder(
        {*space, ops, box, dims.vector, unrollsWindows(*space, accesses, dims)},
        [&](Value value) {
          return llvm::is_contained(fused.getYielded(), value);
        },
        context);
  }
  recordSchedule(fused, *space, accesses, dims, partition.getTasks(), order,
                 context);
  return ScheduleAttr::get(
      fused.getContext(), context.vectorBytes, context.machine.vectorRegisters,
      dims.vector, dims.transposed, partition.getDims(), partition.getPieces(),
      blocks.dims, blocks.sizes, ahead, order.unroll, order.recompute,
      chooseInterleave(fused, *space), order.rowBytes, order.maxRowBytes,
      KernelImplementation::library, {}, {}, {}, {}, streams, {});
}

} // namespace gc::graph
