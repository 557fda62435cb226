// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the attention template is: operand layouts, anchors, constraints, and
// the cost model that picks its parameters.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/KernelCost.h"
#include "Machine/Machine.h"

#include <cmath>

using namespace mlir;
using namespace gc;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

/// Columns of a kernel are a multiple of the lanes of any vector unit.
constexpr int64_t kColumnUnit = 16;

LogicalResult
AttentionTemplateAttr::verify(function_ref<InFlightDiagnostic()> error,
                              int64_t mpn, int64_t mb, int64_t rb, int64_t sb,
                              int64_t nb, int64_t kb) {
  if (mpn < 1 || mb < 1 || rb < 1 || sb < 1 || nb < 1 || kb < 1)
    return error() << "(C1) parameters of an attention template are at least 1";
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
  // All operands are copied to where kernels want them: any strides will do.
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  LayoutAttr layout = getLayout(type);
  return layout && layout.isBlocked() ? withLayout(type, {}) : type;
}

SmallVector<AnchorInfo> AttentionTemplateAttr::getAnchors(Operation *op) const {
  AttentionSizes sizes = getAttentionSizes(cast<AttentionOp>(op));
  int64_t panels =
      llvm::divideCeil(llvm::divideCeil(sizes.m, getMB()), getMPN());
  int64_t rows = std::min(getMB(), sizes.m);
  int64_t workingSet = rows * sizes.dv;
  // A panel of the result is ready when all keys have passed.
  return {{AnchorKind::post,
           1,
           0,
           {rows, sizes.dv},
           workingSet,
           panels,
           workingSet * panels,
           true}};
}

//===----------------------------------------------------------------------===//
// The cost model
//===----------------------------------------------------------------------===//

int64_t AttentionOp::getFlops() {
  AttentionSizes sizes = getAttentionSizes(*this);
  int64_t flops = 2 * sizes.m * sizes.s * (sizes.d + sizes.dv);
  for (int64_t size : sizes.batch)
    flops *= size;
  return flops;
}

namespace {

/// Columns of the microkernels that run best: one register tile of the library.
constexpr int64_t kColumns = 32;
/// Part of the L2 cache that panel, keys, values and scores may take together.
constexpr double kShareOfL2 = 0.8;
/// Cycles per element that copying a block of keys or values takes, and what a
/// kernel call or the start of a pass over rows costs.
constexpr double kPackCycles = 0.5, kCallCycles = 60;
/// Cycles per score of the softmax, per row and block of keys besides, and per
/// score that is not in the L1 cache.
constexpr double kSoftmaxCycles = 1, kRowCycles = 40, kSpillCycles = 0.3;

struct Parameters {
  int64_t mpn, mb, rb, sb, kb;
  double cycles = HUGE_VAL;
};

class CostModel {
public:
  CostModel(const AttentionSizes &sizes, const Machine &machine,
            const TemplateOptions &options)
      : sizes(sizes), machine(machine),
        kernel(KernelModel::get(machine, options.vectorKernels)) {
    threads = std::clamp<int64_t>(
        options.threads ? options.threads : machine.cores, 1, 1024);
    for (int64_t size : sizes.batch)
      batch *= size;
  }

  Parameters choose() const {
    Parameters best{};
    int64_t mostParts = llvm::divideCeil(sizes.m, kernel.rows);
    // Rows are cut among threads only where the batch does not keep them busy.
    int64_t parts = batch % threads == 0
                        ? 1
                        : std::min<int64_t>(
                              llvm::divideCeil(threads, batch) * 4, mostParts);
    for (int64_t mpn = 1; mpn <= parts; ++mpn)
      for (int64_t rowUnits : {4, 8, 16, 32})
        for (int64_t panel : {64, 128, 192, 256, 384, 512})
          for (int64_t sb : {64, 128, 256}) {
            Parameters p;
            p.mpn = mpn;
            p.rb = std::min(rowUnits * kernel.rows, sizes.m);
            // Panels of about the same size, in whole tiles of rows.
            int64_t share = llvm::divideCeil(sizes.m, mpn);
            int64_t count = llvm::divideCeil(share, panel);
            p.mb = llvm::alignTo(llvm::divideCeil(share, count), p.rb);
            p.mpn = std::min<int64_t>(mpn, llvm::divideCeil(sizes.m, p.mb));
            p.sb = std::min<int64_t>(sb, llvm::alignTo(sizes.s, kColumns));
            p.kb = std::min<int64_t>(p.sb, 128);
            p.cycles = getCycles(p);
            if (p.cycles < best.cycles)
              best = p;
          }
    return best;
  }

private:
  /// Bytes that are touched again and again while a block of keys passes.
  double getWorkingSet(const Parameters &p) const {
    double columns = sizes.d + sizes.dv;
    return 4.0 * (p.mb * columns + p.sb * columns + p.rb * p.sb);
  }

  double getCycles(const Parameters &p) const {
    int64_t panels = llvm::divideCeil(sizes.m, p.mb);
    int64_t rows =
        std::min<int64_t>(llvm::divideCeil(panels, p.mpn) * p.mb, sizes.m);
    int64_t blocks = llvm::divideCeil(sizes.s, p.sb);
    double tiles = static_cast<double>(rows) / p.rb;
    double perRow = kernel.getCyclesPerK(p.rb, kColumns) / p.rb / kColumns;
    double scores = static_cast<double>(rows) * sizes.s;
    double cycles = scores * perRow * (sizes.d + sizes.dv);
    // A working set beyond its share streams from the next cache.
    double excess = getWorkingSet(p) / (kShareOfL2 * machine.l2Bytes);
    if (excess > 1)
      cycles *= excess;
    cycles += scores * kSoftmaxCycles + rows * blocks * kRowCycles;
    // A tile of scores stays in the L1 cache beside what a kernel reads of the
    // values, or is read from the L2 cache.
    if (4 * (p.rb * p.sb + p.kb * kColumns) > machine.l1Bytes)
      cycles += scores * kSpillCycles;
    double calls = tiles * (sizes.s / static_cast<double>(kColumns) +
                            llvm::divideCeil(sizes.s, p.kb) *
                                llvm::divideCeil(sizes.dv, kColumns));
    cycles += calls * kCallCycles;
    double packed = static_cast<double>(sizes.s) * (sizes.d + sizes.dv);
    cycles += llvm::divideCeil(panels, p.mpn) * packed * kPackCycles;
    return cycles * llvm::divideCeil(batch * p.mpn, threads);
  }

  const AttentionSizes &sizes;
  const Machine &machine;
  KernelModel kernel;
  int64_t threads, batch = 1;
};

} // namespace

FailureOr<TemplateAttrInterface>
AttentionOp::selectTemplate(const Machine &machine,
                            const TemplateOptions &options) {
  auto isFit = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() &&
           !llvm::is_contained(tensor.getShape(), 0) &&
           tensor.getElementType().isF32();
  };
  if (!llvm::all_of(getOperandTypes(), isFit))
    return emitOpError("has no template: there is one for f32 tensors of "
                       "static shape that are not empty");
  AttentionSizes sizes = getAttentionSizes(*this);
  Parameters p = CostModel(sizes, machine, options).choose();
  // Its loops do not merge with those of a neighbour.
  if (options.cycles)
    *options.cycles = options.rowParts ? HUGE_VAL : p.cycles;
  Attribute attr = AttentionTemplateAttr::get(getContext(), p.mpn, p.mb, p.rb,
                                              p.sb, kColumns, p.kb);
  return cast<TemplateAttrInterface>(attr);
}
