// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The attention template: operand layouts, anchors, constraints, and the cost
// model that picks its parameters.

#include "AttentionMask.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/CostModel.h"
#include "Machine/KernelChoice.h"
#include "Machine/KernelCost.h"
#include "Machine/Machine.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace gc;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

/// Columns of a kernel are a multiple of the lanes of any vector unit.
constexpr int64_t kColumnUnit = 16;

StringRef AttentionTemplateAttr::getTunedOp() {
  return AttentionOp::getOperationName();
}

LogicalResult
AttentionTemplateAttr::verify(function_ref<InFlightDiagnostic()> error,
                              int64_t mpn, int64_t mb, int64_t rb, int64_t sb,
                              int64_t nb, int64_t kb, bool) {
  if (mpn < 1 || mb < 1 || rb < 1 || sb < 1 || nb < 1 || kb < 1)
    return error()
           << "(C1) parameters of an attention template must be at least 1";
  if (mb % rb != 0)
    return error() << "(C2) MB = " << mb << " is not a multiple of RB = " << rb;
  if (sb % nb != 0)
    return error() << "(C2) SB = " << sb << " is not a multiple of NB = " << nb;
  if (nb % kColumnUnit != 0)
    return error() << "(C2) NB = " << nb << " is not a multiple of "
                   << kColumnUnit;
  return success();
}

LogicalResult AttentionTemplateAttr::verifyTemplate(Operation *op) const {
  auto attention = cast<AttentionOp>(op);
  for (Type type : op->getOperandTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return success();
  AttentionSizes sizes = getAttentionSizes(attention);
  auto check = [&](StringRef name, int64_t value,
                   int64_t limit) -> LogicalResult {
    if (value <= std::max<int64_t>(limit, 1))
      return success();
    return attention.emitOpError("(C3) template parameter ")
           << name << " = " << value << " exceeds " << limit;
  };
  return failure(
      failed(check("MB", getMB(), llvm::alignTo(sizes.m, getRB()))) ||
      failed(check("SB", getSB(), llvm::alignTo(sizes.s, getNB()))) ||
      failed(check("KB", getKB(), getSB())) ||
      failed(check("MPN", getMPN(), llvm::divideCeil(sizes.m, getMB()))));
}

RankedTensorType AttentionTemplateAttr::getOperandType(Operation *op,
                                                       unsigned operand) const {
  // All operands are copied to where kernels need them, so any strides are
  // accepted.
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  LayoutAttr layout = getLayout(type);
  return layout && layout.isBlocked() ? withLayout(type, {}) : type;
}

TemplateAbilities AttentionTemplateAttr::getAbilities() const {
  TemplateAbilities abilities;
  abilities.copies = true;
  return abilities;
}

/// Queries in the order of their matrix; of keys and values blocks of NB
/// columns of what kernels multiply by.
RankedTensorType AttentionTemplateAttr::getSliceType(Operation *op,
                                                     unsigned operand) const {
  auto attention = cast<AttentionOp>(op);
  auto type =
      cast<RankedTensorType>(dropLayout(op->getOperand(operand).getType()));
  if (operand != 1 && operand != 2)
    return type;
  int64_t rank = type.getRank();
  bool isTransposed = operand == 1 && attention.getTransposeKey();
  int64_t reduced = rank - (isTransposed ? 1 : 2);
  int64_t columns = rank - (isTransposed ? 2 : 1);
  SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  outer.append({columns, reduced});
  int64_t group =
      getAttentionKernelTypes(attention.getType().getElementType()).packB;
  if (group == 1)
    return withLayout(
        type, LayoutAttr::get(type.getContext(), outer, {columns}, {getNB()}));
  int64_t groups = llvm::divideCeil(type.getDimSize(reduced), group);
  return withLayout(type, LayoutAttr::get(type.getContext(), outer,
                                          {reduced, columns, reduced},
                                          {groups, getNB(), group}));
}

SmallVector<AnchorInfo> AttentionTemplateAttr::getAnchors(Operation *op) const {
  AttentionSizes sizes = getAttentionSizes(cast<AttentionOp>(op));
  int64_t panels =
      llvm::divideCeil(llvm::divideCeil(sizes.m, getMB()), getMPN());
  int64_t rows = std::min(getMB(), sizes.m);
  SmallVector<int64_t> slice(sizes.batch.size(), 1);
  slice.append({rows, sizes.dv});
  int64_t workingSet = rows * sizes.dv;
  SmallVector<AnchorInfo> anchors;
  // Rows are copied for each panel, keys and values block by block.
  auto addPre = [&](unsigned operand, int64_t size, int64_t block,
                    int64_t columns, bool transposed) {
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    SmallVector<int64_t> slice(type.getRank() - 2, 1);
    slice.append({block, columns});
    if (transposed)
      std::swap(slice[slice.size() - 1], slice[slice.size() - 2]);
    unsigned index = operand == 0 ? 1 : 2;
    anchors.push_back({AnchorKind::pre, index, operand, /*order=*/index,
                       /*depth=*/index, slice, block * columns,
                       panels * int64_t(llvm::divideCeil(size, block)),
                       panels * size * columns, true});
  };
  auto attention = cast<AttentionOp>(op);
  int64_t keys = std::min(getSB(), sizes.s);
  addPre(0, rows, rows, sizes.d, false);
  addPre(1, sizes.s, keys, sizes.d, !attention.getTransposeKey());
  addPre(2, sizes.s, keys, sizes.dv, false);
  // A panel of the result is ready when all keys have been processed.
  anchors.push_back({AnchorKind::post, /*index=*/1, /*operand=*/0, /*order=*/1,
                     /*depth=*/1, slice, workingSet, panels,
                     workingSet * panels, true});
  return anchors;
}

SmallVector<KernelSpec> AttentionTemplateAttr::getKernels(Operation *op,
                                                          int64_t lanes) const {
  auto attention = cast<AttentionOp>(op);
  AttentionSizes sizes = getAttentionSizes(attention);
  SmallVector<KernelSpec> kernels;
  auto add = [&](int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldc,
                 bool accumulates) {
    KernelSpec spec =
        getAttentionKernelTypes(attention.getType().getElementType());
    spec.m = m;
    spec.n = llvm::alignTo(n, lanes);
    spec.k = llvm::alignTo(k, spec.packB);
    spec.lda = lda;
    spec.ldb = getNB();
    spec.ldc = ldc;
    spec.beta = accumulates;
    if (!llvm::is_contained(kernels, spec))
      kernels.push_back(spec);
  };
  for (int64_t rows : getBlockSizes(sizes.m, getRB()))
    for (int64_t keys : getBlockSizes(sizes.s, getSB())) {
      for (int64_t columns : getBlockSizes(keys, getNB()))
        add(rows, columns, sizes.d, sizes.d, getSB(), /*accumulates=*/false);
      for (int64_t columns : getBlockSizes(sizes.dv, getNB()))
        for (int64_t reduced : getBlockSizes(keys, getKB()))
          add(rows, columns, reduced, getSB(), llvm::alignTo(sizes.dv, lanes),
              /*accumulates=*/true);
    }
  return kernels;
}

//===----------------------------------------------------------------------===//
// The cost model
//===----------------------------------------------------------------------===//

namespace {

/// Scores, sums and the unfinished result are f32.
constexpr double kSumBytes = 4;
/// The fewest columns of a microkernel; those of a register tile run best.
constexpr int64_t kLeastColumns = 32;
/// Vector instructions per element of the result to initialise it, to scale it
/// where the maximum grows, and to divide it; and loops per row and block of
/// keys.
constexpr double kResultInstructions = 6, kLoopsPerRow = 2;

struct Parameters {
  int64_t mpn, mb, rb, sb, nb, kb;
  double cycles = HUGE_VAL;
};

class AttentionCostModel {
public:
  AttentionCostModel(const AttentionSizes &sizes, const KernelSpec &types,
                     const UnmaskedScores &unmasked, const CostModel &model,
                     const TemplateOptions &options)
      : sizes(sizes), unmasked(unmasked), model(model), options(options),
        bytes(getBytes(types.a)), group(types.packB),
        kernel(KernelModel::get(
            model.getMachine(), options.usesVectorKernels() || group > 1,
            getRateTypes(types.a, types.b).value_or(KernelTypes::f32))),
        threads(std::min<int64_t>(model.getThreads(), 1024)),
        columns(std::max(kLeastColumns, kernel.getTileColumns())) {
    for (int64_t size : sizes.batch)
      batch *= size;
  }

  /// The best parameters, cheapest first, at most `count`.
  SmallVector<Parameters> choose(int64_t count) const {
    SmallVector<Parameters> best;
    int64_t mostParts = llvm::divideCeil(sizes.m, kernel.rows);
    // Rows are divided among threads only if the batch does not keep them busy.
    int64_t parts = batch % threads == 0
                        ? 1
                        : std::min<int64_t>(
                              llvm::divideCeil(threads, batch) * 4, mostParts);
    // Queries, keys, values and sums have to stay next to a tile of scores.
    double most = model.getCapacity(MemoryLevel::l2) / 4;
    for (int64_t mpn = 1; mpn <= parts; ++mpn)
      for (int64_t rowUnits : {4, 8, 16, 32})
        for (int64_t panel : {64, 128, 192, 256, 384, 512, 768, 1024})
          for (int64_t sb : {64, 128, 256, 512, 1024}) {
            Parameters p;
            p.mpn = mpn;
            p.rb = std::min(rowUnits * kernel.rows, sizes.m);
            // Panels of about the same size, in whole tiles of rows.
            int64_t share = llvm::divideCeil(sizes.m, mpn);
            int64_t count = llvm::divideCeil(share, panel);
            p.mb = llvm::alignTo(llvm::divideCeil(share, count), p.rb);
            p.mpn = std::min<int64_t>(mpn, llvm::divideCeil(sizes.m, p.mb));
            p.sb = std::min<int64_t>(sb, llvm::alignTo(sizes.s, columns));
            p.nb = columns;
            p.kb = std::min<int64_t>(p.sb, 128);
            if (getTileBytes(p) > most && (rowUnits > 4 || sb > 64))
              continue;
            p.cycles = getCost(p).getCycles();
            add(best, p, count);
          }
    return best;
  }

  /// What the busiest core spends.
  Cost getCost(const Parameters &p) const {
    int64_t panels = llvm::divideCeil(sizes.m, p.mb);
    int64_t passes = llvm::divideCeil(panels, p.mpn);
    int64_t rows = std::min<int64_t>(passes * p.mb, sizes.m);
    int64_t blocks = llvm::divideCeil(sizes.s, p.sb);
    double tiles = static_cast<double>(rows) / p.rb;
    // Of a row, for all columns of a product and an index of the reduction:
    // kernels compute whole blocks, and of the last one whole vectors.
    auto getRowCycles = [&](int64_t columns) {
      int64_t rest = llvm::alignTo(columns % p.nb, kernel.lanes);
      double cycles = columns / p.nb * kernel.getCyclesPerK(p.rb, p.nb);
      if (rest)
        cycles += kernel.getCyclesPerK(p.rb, rest);
      return cycles / p.rb;
    };
    double share = unmasked.getShare(p.rb, p.sb);
    double scores = share * rows * sizes.s;
    double queryBytes = bytes * rows * sizes.d,
           resultBytes = bytes * rows * sizes.dv,
           sumBytes = kSumBytes * rows * sizes.dv;
    double keyBytes =
        unmasked.getShare(p.mb, p.sb) * bytes * sizes.s * (sizes.d + sizes.dv);

    Cost cost;
    // Between a tile's two products there is its softmax.
    cost.compute =
        model.getInterruptedFactor() * share * rows *
        (getRowCycles(sizes.s) * sizes.d + getRowCycles(sizes.dv) * sizes.s);
    cost.vector =
        model.getVectorCycles(scores, model.getSoftmaxInstructions()) +
        model.getVectorCycles(rows * sizes.dv, kResultInstructions) +
        share * rows * blocks * kLoopsPerRow * model.getLoopCycles();
    // Rows are copied once, keys and values for each panel.
    cost.vector += model.getPackCycles(queryBytes + passes * keyBytes);
    cost +=
        model.getRead(queryBytes, getOrigin(queryBytes, 0)) +
        model.getRead(passes * keyBytes, getOrigin(keyBytes, 1)) +
        model.getWrite(resultBytes,
                       options.resultLevel.value_or(getOrigin(resultBytes, 0)));
    // A working set that does not fit the L2 cache is streamed again for each
    // block of keys.
    if (MemoryLevel level = model.getLevel(getWorkingSet(p));
        level > MemoryLevel::l2)
      cost += model.getRead(share * blocks * (queryBytes + sumBytes), level) +
              model.getWrite(share * blocks * sumBytes, level);
    // A tile of scores stays in the L1 cache next to what a kernel reads of the
    // values, or is written to the L2 cache and read from there.
    MemoryLevel tileLevel =
        model.getLevel(getTileBytes(p) + bytes * p.kb * p.nb);
    cost += model.getWrite(getScoreBytes() * scores, tileLevel) +
            model.getRead(getScoreBytes() * scores, tileLevel);

    double tileBytes = kSumBytes * p.rb * p.nb;
    cost.calls = share * tiles *
                 (static_cast<double>(sizes.s) / p.nb *
                      model.getCallCycles(tileBytes, false) +
                  static_cast<double>(llvm::divideCeil(sizes.s, p.kb)) *
                      llvm::divideCeil(sizes.dv, p.nb) *
                      model.getCallCycles(tileBytes, true));
    return cost * llvm::divideCeil(batch * p.mpn, threads);
  }

private:
  /// Keeps the `count` best; different inputs may give the same parameters.
  static void add(SmallVectorImpl<Parameters> &best, const Parameters &p,
                  int64_t count) {
    auto isSame = [&](const Parameters &other) {
      return std::tie(p.mpn, p.mb, p.rb, p.sb) ==
             std::tie(other.mpn, other.mb, other.rb, other.sb);
    };
    if (llvm::any_of(best, isSame))
      return;
    auto place = llvm::find_if(
        best, [&](const Parameters &other) { return p.cycles < other.cycles; });
    best.insert(place, p);
    if (static_cast<int64_t>(best.size()) > count)
      best.pop_back();
  }

  /// Bytes that are touched repeatedly while a block of keys is processed.
  double getWorkingSet(const Parameters &p) const {
    double columns = sizes.d + sizes.dv;
    return p.mb * (bytes * sizes.d + kSumBytes * sizes.dv) +
           bytes * p.sb * columns + getTileBytes(p);
  }

  /// Of a score, and of the weight that it becomes where that is narrower.
  double getScoreBytes() const {
    return bytes < kSumBytes ? kSumBytes + bytes : kSumBytes;
  }
  double getTileBytes(const Parameters &p) const {
    return getScoreBytes() * p.rb * p.sb;
  }

  /// Where an operand with the given number of bytes per batch item is found.
  MemoryLevel getOrigin(double bytes, size_t operand) const {
    if (operand < options.operandLevels.size())
      return options.operandLevels[operand];
    bytes *= batch;
    return std::max(MemoryLevel::l3, model.getLevel(bytes / threads, bytes));
  }

  const AttentionSizes &sizes;
  const UnmaskedScores &unmasked;
  const CostModel &model;
  const TemplateOptions &options;
  /// Of an element of the operands; neighbours along k in B.
  double bytes;
  int64_t group;
  KernelModel kernel;
  int64_t threads, columns, batch = 1;
};

} // namespace

SmallVector<TemplateCandidate>
AttentionTemplateAttr::getCandidates(Operation *op, const Machine &machine,
                                     const TemplateOptions &options,
                                     std::string &reason) {
  auto isFit = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() && !llvm::is_contained(tensor.getShape(), 0);
  };
  if (!llvm::all_of(op->getOperandTypes(), isFit)) {
    reason = "there is one for tensors of static shape that are not empty";
    return {};
  }
  // Its loops cannot be merged with those of a neighbour.
  if (options.rowParts)
    return {};
  auto attention = cast<AttentionOp>(op);
  AttentionSizes sizes = getAttentionSizes(attention);
  KernelSpec types =
      getAttentionKernelTypes(attention.getType().getElementType());
  UnmaskedScores unmasked(attention);
  SmallVector<TemplateCandidate> candidates;
  CostModel model(machine, options.threads);
  for (const Parameters &p :
       AttentionCostModel(sizes, types, unmasked, model, options)
           .choose(1 + options.alternatives))
    candidates.push_back({get(op->getContext(), p.mpn, p.mb, p.rb, p.sb, p.nb,
                              p.kb, /*skip=*/unmasked.getShare(p.rb, p.sb) < 1),
                          p.cycles});
  return candidates;
}

double AttentionTemplateAttr::getCycles(Operation *op, const Machine &machine,
                                        const TemplateOptions &options) const {
  return getCost(op, CostModel(machine, options.threads), options).getCycles();
}

gc::Cost AttentionTemplateAttr::getCost(Operation *op,
                                        const gc::CostModel &model,
                                        const TemplateOptions &options) const {
  auto attention = cast<AttentionOp>(op);
  AttentionSizes sizes = getAttentionSizes(attention);
  UnmaskedScores unmasked =
      getSkip() ? UnmaskedScores(attention) : UnmaskedScores();
  return AttentionCostModel(
             sizes,
             getAttentionKernelTypes(attention.getType().getElementType()),
             unmasked, model, options)
      .getCost({getMPN(), getMB(), getRB(), getSB(), getNB(), getKB()});
}
