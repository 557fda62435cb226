// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice of a matmul's template: which operands are packed, and the
// parameters with the least cost.

#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/Machine.h"
#include "MatmulCost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace mlir;
using namespace gc;
using namespace gc::graph;

int64_t MatmulOp::getFlops() {
  MatmulSizes sizes = getMatmulSizes(*this);
  int64_t flops = 2 * sizes.m * sizes.n * sizes.k;
  for (int64_t size : sizes.batch)
    flops *= size;
  return flops;
}

/// Whether the value comes from an op that can write it in any layout.
static bool isProducedHere(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<FusibleOpInterface, TunableOpInterface>(op);
}

static bool isConstant(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isa<ConstantOp>(op) || op->hasAttr(GraphDialect::kConstantAttr);
  auto arg = cast<BlockArgument>(value);
  auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
  return func && arg.getOwner()->isEntryBlock() &&
         func.getArgAttr(arg.getArgNumber(), GraphDialect::kConstArgAttr);
}

/// Whether rows that are `bytes` apart meet in few sets of the L1 cache and
/// displace each other before the kernels have read them for all columns. A way
/// of the cache has the size of a page on all processors at hand.
static bool sharesCacheSets(int64_t bytes, const MatmulSizes &sizes) {
  constexpr int64_t kWayBytes = 4096, kFewPlaces = 2, kManyRows = 16,
                    kManyColumns = 64;
  return sizes.m >= kManyRows && sizes.n >= kManyColumns &&
         kWayBytes / std::gcd(bytes, kWayBytes) <= kFewPlaces;
}

/// Bytes between the rows of A where it is read in place.
static int64_t getRowDistance(RankedTensorType type, bool transposed) {
  int64_t row = type.getRank() - (transposed ? 1 : 2);
  LayoutAttr layout = getLayout(type);
  ArrayRef<int64_t> strides;
  SmallVector<int64_t> plain = getPlainStrides(type.getShape());
  strides = layout && layout.isStrided() ? layout.getStrides()
                                         : ArrayRef<int64_t>(plain);
  return strides[row] * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Packing costs nothing where the producer writes the layout at once or the
/// operand is constant; else only what cannot be read in place, or badly, is
/// packed.
static OperandUse getUseOfA(MatmulOp op, const MatmulSizes &sizes,
                            const TemplateOptions &options) {
  bool readable = isReadableInPlace(op.getSrc().getType(), op.getTransposeA());
  bool produced = isProducedHere(op.getSrc());
  OperandUse use;
  // Rows that a neighbour has just written are read where they are, unless they
  // would end in the middle of a vector.
  bool scattered =
      readable &&
      sharesCacheSets(getRowDistance(op.getSrc().getType(), op.getTransposeA()),
                      sizes);
  if (options.readsPanel && readable)
    use.isPacked = sizes.k % 16 != 0 || scattered;
  else
    use.isPacked = !readable || scattered || (sizes.k > 1 && produced);
  use.isPackedHere = use.isPacked && !produced && !isConstant(op.getSrc());
  return use;
}

/// B is also packed where many rows pay for it, and once for all where it is
/// constant; but a few rows read a large one as fast in place.
static OperandUse getUseOfB(MatmulOp op, const MatmulSizes &sizes,
                            const Machine &machine) {
  constexpr int64_t kRowsToPackB = 32;
  Value weights = op.getWeights();
  RankedTensorType type = op.getWeights().getType();
  OperandUse use;
  use.isPacked =
      !isReadableInPlace(type, op.getTransposeB()) ||
      (sizes.n > 1 && (isConstant(weights) || sizes.m >= kRowsToPackB) &&
       !isStreamed(sizes, type.getElementTypeBitWidth() / 8, machine));
  use.isPackedHere =
      use.isPacked && !isProducedHere(weights) && !isConstant(weights);
  return use;
}

static SmallVector<LoopDim> getLoops(LoopOrder order) {
  switch (order) {
  case LoopOrder::rowsFirst:
    return {LoopDim::m, LoopDim::n, LoopDim::k};
  case LoopOrder::columnsFirst:
    return {LoopDim::n, LoopDim::m, LoopDim::k};
  case LoopOrder::rowPanels:
    return {LoopDim::m, LoopDim::k, LoopDim::n};
  }
  llvm_unreachable("all orders are above");
}

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
  OperandUse useOfA = getUseOfA(*this, sizes, options);
  OperandUse useOfB = getUseOfB(*this, sizes, machine);
  double cycles;
  MatmulParameters p =
      MatmulCostModel(sizes, machine, options, bytes, useOfA, useOfB)
          .choose(cycles);
  if (options.cycles)
    *options.cycles = cycles;
  // Blocks that exceed the matrix need a packed one.
  if (!useOfB.isPacked)
    p.nb = std::min(p.nb, sizes.n);
  Attribute attr = MatmulTemplateAttr::get(
      getContext(), p.mpn, p.npn, p.mb, p.nb, p.kb, p.bs, getLoops(p.order),
      useOfA.isPacked, useOfB.isPacked, p.kpn);
  return cast<TemplateAttrInterface>(attr);
}
