// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost model that picks the parameters of the matmul template (paper,
// section III): all combinations of a few block sizes, splits and loop orders,
// each with the cycles of the busiest core.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/KernelCost.h"
#include "Dialect/Graph/Templates/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

int64_t MatmulOp::getFlops() {
  MatmulSizes sizes = getMatmulSizes(*this);
  int64_t flops = 2 * sizes.m * sizes.n * sizes.k;
  for (int64_t size : sizes.batch)
    flops *= size;
  return flops;
}

namespace {

/// Bytes per cycle that one core reads, by the cache level the data is in. The
/// hardware prefetches what the kernels stream, so that only part of it shows.
constexpr double kBytesPerCycleL2 = 32, kBytesPerCycleL3 = 12,
                 kBytesPerCycleMemory = 4, kVisibleTraffic = 0.4;
/// Cycles of one microkernel call besides its arithmetic, of one parallel loop
/// with its barrier, and the part of its speed that a kernel keeps when its
/// rows of B are not contiguous.
constexpr double kCallCycles = 40, kStridedKernel = 0.93;

struct Parameters {
  int64_t mpn, npn, mb, nb, kb, bs;
  bool rowsFirst;
};

class CostModel {
public:
  CostModel(const MatmulSizes &sizes, const Machine &machine,
            const TemplateOptions &options, int64_t elementBytes, bool packedA)
      : sizes(sizes), machine(machine), packedA(packedA),
        kernel(KernelModel::get(machine, options.vectorKernels)),
        elementBytes(elementBytes) {
    // Every split is tried; more threads than this share as this many do.
    constexpr int64_t kMostThreads = 1024;
    threads = std::min(options.threads ? options.threads : machine.cores,
                       kMostThreads);
    // Blocks are rounded to vectors, by no more than a template allows.
    kernel.lanes = std::min(kernel.lanes, kWidestVector);
    for (int64_t size : sizes.batch)
      batch *= size;
  }

  Parameters choose() const {
    Parameters best{};
    double bestCycles = HUGE_VAL;
    for (auto [mpn, npn] : getSplits())
      for (int64_t mb : getRowBlocks(mpn))
        for (int64_t nb : getColumnBlocks(npn))
          for (bool rowsFirst : {true, false}) {
            Parameters p{mpn, npn, mb, nb, 0, 0, rowsFirst};
            if (mb * (mpn - 1) >= sizes.m || nb * (npn - 1) >= sizes.n)
              continue;
            setReduction(p);
            double cycles = getCycles(p);
            if (cycles < bestCycles) {
              bestCycles = cycles;
              best = p;
            }
          }
    return best;
  }

private:
  static constexpr int64_t kWidestVector = 16;

  /// Ways to divide the threads among rows and columns; fewer where the batch
  /// already keeps them busy.
  SmallVector<std::pair<int64_t, int64_t>> getSplits() const {
    SmallVector<std::pair<int64_t, int64_t>> splits;
    int64_t parts = llvm::divideCeil(threads, std::min(batch, threads));
    for (int64_t m = 1; m <= parts; ++m)
      splits.push_back({m, parts / m});
    splits.push_back({1, 1});
    return splits;
  }

  /// Blocks near the sizes that amortise a pass over B, all of about the same
  /// size, so that no small block is left over.
  SmallVector<int64_t> getRowBlocks(int64_t parts) const {
    llvm::SmallSetVector<int64_t, 8> blocks;
    int64_t share = llvm::divideCeil(sizes.m, parts);
    for (int64_t target : {16, 32, 48, 64, 96, 128})
      blocks.insert(llvm::divideCeil(share, llvm::divideCeil(share, target)));
    return blocks.takeVector();
  }

  /// Whole vectors, so that kernels have no partial ones where B is packed.
  SmallVector<int64_t> getColumnBlocks(int64_t parts) const {
    if (sizes.n == 1)
      return {1};
    llvm::SmallSetVector<int64_t, 8> blocks;
    int64_t tile = kernel.getTileColumns();
    int64_t share = llvm::divideCeil(sizes.n, parts);
    for (int64_t target : {tile / 2, tile, 2 * tile})
      blocks.insert(llvm::alignTo(std::min(share, target), kernel.lanes));
    return blocks.takeVector();
  }

  /// Blocks of k that leave no rest where possible: a rest is a kernel of its
  /// own and one more pass over C. One call reduces as many blocks as leave the
  /// panels of A and B in the L2 cache; the calls are about equally long.
  void setReduction(Parameters &p) const {
    p.kb = getReductionBlock();
    int64_t blocks = std::max<int64_t>(1, sizes.k / p.kb);
    int64_t blockBytes = p.kb * (p.nb + p.mb) * elementBytes;
    int64_t fitting = std::max<int64_t>(1, machine.l2Bytes / blockBytes);
    int64_t chunks = llvm::divideCeil(blocks, fitting);
    p.bs = llvm::divideCeil(blocks, chunks);
  }

  int64_t getReductionBlock() const {
    constexpr int64_t kBlock = 64, kLongest = 256;
    // A packed A is written in blocks of the producer's columns, so that its
    // blocks hold whole vectors; A in place may be cut anywhere.
    int64_t unit = packedA ? 4 * kernel.lanes : 1;
    if (sizes.k <= 2 * kBlock)
      return packedA ? llvm::alignTo(sizes.k, unit) : sizes.k;
    for (int64_t block = 2 * kBlock; block >= kBlock / 2; --block)
      if (block % unit == 0 && sizes.k % block == 0 &&
          (block <= kBlock || sizes.k % kBlock != 0))
        return block;
    if (sizes.k <= kLongest)
      return packedA ? llvm::alignTo(sizes.k, unit) : sizes.k;
    return kBlock;
  }

  double getKernelCycles(int64_t m, int64_t n) const {
    double cycles = kernel.getCyclesPerK(m, n);
    return n > kernel.getTileColumns() ? cycles / kStridedKernel : cycles;
  }

  double getBandwidth(double bytes) const {
    if (bytes <= machine.l2Bytes / 2)
      return kBytesPerCycleL2;
    return bytes <= machine.l3Bytes ? kBytesPerCycleL3 : kBytesPerCycleMemory;
  }

  double getCycles(const Parameters &p) const {
    int64_t mBlocks = llvm::divideCeil(sizes.m, p.mb);
    int64_t nBlocks = llvm::divideCeil(sizes.n, p.nb);
    int64_t mShare = llvm::divideCeil(mBlocks, p.mpn);
    int64_t nShare = llvm::divideCeil(nBlocks, p.npn);
    int64_t rows = std::min(mShare * p.mb, sizes.m);
    int64_t columns = std::min(nShare * p.nb, sizes.n);
    int64_t rounds = llvm::divideCeil(batch * p.mpn * p.npn, threads);

    auto perRowBlock = [&](int64_t m) {
      double cycles = columns / p.nb * getKernelCycles(m, p.nb);
      if (columns % p.nb)
        cycles += getKernelCycles(m, columns % p.nb);
      return cycles;
    };
    double compute = rows / p.mb * perRowBlock(p.mb);
    if (rows % p.mb)
      compute += perRowBlock(rows % p.mb);
    compute *= sizes.k;

    double calls = static_cast<double>(mShare) * nShare *
                   llvm::divideCeil(llvm::divideCeil(sizes.k, p.kb), p.bs);
    // The outer loop's operand is read once, the other one once per block of it.
    double aBytes = static_cast<double>(rows) * sizes.k * elementBytes;
    double bBytes = static_cast<double>(columns) * sizes.k * elementBytes;
    double cBytes = static_cast<double>(rows) * columns * elementBytes;
    double onceRate = getBandwidth(machine.l2Bytes);
    double traffic =
        p.rowsFirst
            ? aBytes / onceRate + bBytes * mShare / getBandwidth(bBytes)
            : bBytes / onceRate + aBytes * nShare / getBandwidth(aBytes);
    traffic += cBytes / onceRate;
    return rounds *
           (compute + calls * kCallCycles + kVisibleTraffic * traffic);
  }

  const MatmulSizes &sizes;
  const Machine &machine;
  bool packedA;
  KernelModel kernel;
  int64_t threads, elementBytes, batch = 1;
};

/// Whether the value comes from an op that can write it in any layout.
bool isProducedHere(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<FusibleOpInterface, TunableOpInterface>(op);
}

bool isConstant(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isa<ConstantOp>(op) || op->hasAttr(GraphDialect::kConstantAttr);
  auto arg = cast<BlockArgument>(value);
  auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
  return func && arg.getOwner()->isEntryBlock() &&
         func.getArgAttr(arg.getArgNumber(), GraphDialect::kConstArgAttr);
}

} // namespace

FailureOr<TemplateAttrInterface>
MatmulOp::selectTemplate(const Machine &machine,
                         const TemplateOptions &options) {
  RankedTensorType a = getSrc().getType(), b = getWeights().getType();
  auto isFit = [](RankedTensorType type) {
    return type.getRank() >= 2 && type.hasStaticShape() &&
           !llvm::is_contained(type.getShape(), 0);
  };
  if (getBias() || !isFit(a) || !isFit(b))
    return emitOpError("has no template: there is one for matrices of static "
                       "shape that are not empty, without bias");
  MatmulSizes sizes = getMatmulSizes(*this);
  int64_t bytes =
      llvm::divideCeil(getType().getElementType().getIntOrFloatBitWidth(), 8);
  // Packing costs nothing where the producer writes the layout at once or the
  // operand is constant; else only what cannot be read in place is packed, and
  // B where many rows pay for it.
  bool packA = !isReadableInPlace(a, getTransposeA()) ||
               (sizes.k > 1 && isProducedHere(getSrc()));
  Parameters p = CostModel(sizes, machine, options, bytes, packA).choose();
  constexpr int64_t kRowsToPackB = 32;
  bool packB =
      !isReadableInPlace(b, getTransposeB()) ||
      (sizes.n > 1 &&
       (isConstant(getWeights()) || sizes.m >= kRowsToPackB));
  // Blocks that exceed the matrix need a packed one.
  if (!packB)
    p.nb = std::min(p.nb, sizes.n);
  SmallVector<LoopDim> order = {LoopDim::m, LoopDim::n, LoopDim::k};
  if (!p.rowsFirst)
    std::swap(order[0], order[1]);
  Attribute attr =
      MatmulTemplateAttr::get(getContext(), p.mpn, p.npn, p.mb, p.nb, p.kb,
                              p.bs, order, packA, packB);
  return cast<TemplateAttrInterface>(attr);
}
