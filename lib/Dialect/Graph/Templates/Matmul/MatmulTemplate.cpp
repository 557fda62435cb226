// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The matmul template: operand layouts, anchors, constraints. The template is
// the paper's figure 2, its anchors are figure 3.

#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/IR/WindowRuns.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "MatmulChoice.h"
#include "Support/DataTypes.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

StringRef MatmulTemplateAttr::getTunedOp() {
  return MatmulOp::getOperationName();
}

LogicalResult
MatmulTemplateAttr::verify(function_ref<InFlightDiagnostic()> error,
                           int64_t mpn, int64_t npn, int64_t mb, int64_t nb,
                           int64_t kb, int64_t bs, ArrayRef<LoopDim> order,
                           bool packA, bool packB, int64_t kpn) {
  if (mpn < 1 || npn < 1 || mb < 1 || nb < 1 || kb < 1 || bs < 1 || kpn < 1)
    return error() << "(C1) parameters of a matmul template must be at least 1";
  if (order.size() != 3 || !llvm::is_contained(order, LoopDim::m) ||
      !llvm::is_contained(order, LoopDim::n) ||
      !llvm::is_contained(order, LoopDim::k))
    return error() << "(C2) order must be a permutation of m, n, k";
  return success();
}

/// Layout of an operand whose matrix dimensions are cut into blocks of
/// `rows` x `columns`: the blocks of `first` outermost, then those of the other
/// dimension, then one contiguous block. A whole panel of B, all of k for one
/// block of columns, is contiguous in memory.
static LayoutAttr getBlockedLayout(RankedTensorType type, bool transposed,
                                   bool columnsFirst, int64_t rows,
                                   int64_t columns, int64_t group = 1) {
  int64_t rank = type.getRank();
  int64_t row = transposed ? rank - 1 : rank - 2;
  int64_t column = transposed ? rank - 2 : rank - 1;
  SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  outer.append({columnsFirst ? column : row, columnsFirst ? row : column});
  SmallVector<int64_t> inner{row, column}, blocks{rows / group, columns};
  if (group > 1) {
    inner.push_back(row);
    blocks.push_back(group);
  }
  return LayoutAttr::get(type.getContext(), outer, inner, blocks);
}

/// Neighbours along k that are adjacent in B.
static int64_t getGroup(MatmulOp op) {
  return getKernelTypes(op).value_or(KernelSpec()).packB;
}

RankedTensorType MatmulTemplateAttr::getSliceType(Operation *op,
                                                  unsigned operand) const {
  auto matmul = cast<MatmulOp>(op);
  auto type =
      cast<RankedTensorType>(dropLayout(op->getOperand(operand).getType()));
  if (operand >= 2 || type.getRank() < 2)
    return type;
  if (operand == 0)
    return withLayout(type, getBlockedLayout(type, matmul.getTransposeA(),
                                             false, getMB(), getKB()));
  return withLayout(type, getBlockedLayout(type, matmul.getTransposeB(), true,
                                           getKB(), getNB(), getGroup(matmul)));
}

/// Whether a block of the weights is a row of a window.
static bool folds(MatmulOp matmul, MatmulTemplateAttr params) {
  WindowAttr window = matmul.getWindowAttr();
  return window && isFolded(window, matmul.getSrc().getType().getShape().back(),
                            params.getKB());
}

RankedTensorType MatmulTemplateAttr::getOperandType(Operation *op,
                                                    unsigned operand) const {
  auto matmul = cast<MatmulOp>(op);
  auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
  // Vectors become matrices before a template is applied.
  if (type.getRank() < 2)
    return type;
  // Scales and zero points: those of a block of columns together.
  if (operand >= 2)
    return withLayout(
        type, LayoutAttr::get(type.getContext(), {1, 0}, {1}, {getNB()}));
  if (operand == 0 && getPackA())
    return withLayout(type, getBlockedLayout(type, matmul.getTransposeA(),
                                             false, getMB(), getKB()));
  if (operand == 1 && getPackB())
    return withLayout(type,
                      getBlockedLayout(type, matmul.getTransposeB(), true,
                                       getKB(), getNB(), getGroup(matmul)));
  // Read in place: rows must be contiguous, so blocks are undone. Of an image
  // so must the channels of a pixel.
  LayoutAttr layout = getLayout(type);
  WindowAttr window = matmul.getWindowAttr();
  if (operand == 0 && window &&
      (!isReadableInPlace(type, false) ||
       (folds(matmul, *this) && !hasAdjacentPixels(type))))
    return withLayout(type, {});
  return layout && layout.isBlocked() ? withLayout(type, {}) : type;
}

/// Blocks of columns and of k may exceed the size to round it to whole vectors.
constexpr int64_t kBlockRounding = 64;
/// Rows of a packed A may be longer, so that they are in different cache sets.
constexpr int64_t kRowPadding = 16;

LogicalResult gc::graph::verifyMatmulParameters(
    MatmulTemplateAttr params, const MatmulSizes &sizes,
    function_ref<InFlightDiagnostic()> emitError) {
  auto check = [&](StringRef name, int64_t value,
                   int64_t limit) -> LogicalResult {
    if (value <= std::max<int64_t>(limit, 1))
      return success();
    return emitError() << "(C3) template parameter " << name << " = " << value
                       << " exceeds " << limit;
  };
  int64_t mb = params.getMB(), nb = params.getNB(), kb = params.getKB();
  return failure(
      failed(check("MB", mb, sizes.m)) ||
      failed(check("NB", nb, llvm::alignTo(sizes.n, kBlockRounding))) ||
      failed(check("KB", kb,
                   llvm::alignTo(sizes.k + kRowPadding, kBlockRounding))) ||
      failed(check("MPN", params.getMPN(), llvm::divideCeil(sizes.m, mb))) ||
      failed(check("NPN", params.getNPN(), llvm::divideCeil(sizes.n, nb))) ||
      failed(check("BS", params.getBS(), llvm::divideCeil(sizes.k, kb))) ||
      failed(check("KPN", params.getKPN(), sizes.k / kb)));
}

LogicalResult MatmulTemplateAttr::verifyTemplate(Operation *op) const {
  auto matmul = cast<MatmulOp>(op);
  if (!matmul.getSrc().getType().hasStaticShape() ||
      !matmul.getWeights().getType().hasStaticShape())
    return success();
  if (failed(verifyMatmulParameters(*this, getMatmulSizes(matmul),
                                    [&] { return matmul.emitOpError(); })))
    return failure();
  int64_t group = getGroup(matmul);
  bool isAlongK = readsAlongK(matmul, *this);
  auto element = matmul.getWeights().getType().getElementType();
  std::optional<KernelSpec> types = getKernelTypes(matmul);
  bool needsPack =
      types && (types->ldScaleB || !canReadUnpacked(types->a, types->b));
  if (group > 1 && ((!getPackB() && needsPack) || getKB() % group != 0))
    return matmul.emitOpError("(C5) element type ")
           << element << " needs " << (needsPack ? "packB, and " : "")
           << "KB in multiples of " << group;
  if (int64_t(matmul.getWeightsGroup()) != 0 &&
      getKB() != int64_t(matmul.getWeightsGroup()))
    return matmul.emitOpError("(C6) weights with groups of ")
           << matmul.getWeightsGroup() << " need a KB of as many";
  MatmulSizes sizes = getMatmulSizes(matmul);
  WindowAttr window = matmul.getWindowAttr();
  bool fitsWindow =
      window && (sizes.channels % getKB() == 0 || folds(matmul, *this));
  if (window && (getPackA() || getKPN() != 1 || getMB() % sizes.line != 0 ||
                 !fitsWindow || getBS() * getKB() != sizes.k)) {
    InFlightDiagnostic error =
        matmul.emitOpError("(C7) windows need an MB in multiples of ")
        << sizes.line << ", a KB that divides " << sizes.channels;
    if (isFoldable(window))
      error << " or is " << sizes.channels * sizes.windowColumns;
    return error << ", one call for all of K, packA = false, and no slices";
  }
  for (unsigned i = 0; i < 2; ++i) {
    auto type = cast<RankedTensorType>(op->getOperand(i).getType());
    LayoutAttr layout = getLayout(type);
    bool isPacked = i == 0 ? getPackA() : getPackB();
    bool transposed = i == 0 ? matmul.getTransposeA() : matmul.getTransposeB();
    if (!isPacked && type.getRank() >= 2 && (!layout || layout.isStrided()) &&
        !isReadableInPlace(type, transposed) && !(i == 1 && isAlongK))
      return matmul.emitOpError("(C4) operand ")
             << i << " of type " << type
             << " cannot be read in place; the template has to pack it";
  }
  return success();
}

TemplateAbilities MatmulTemplateAttr::getAbilities() const {
  return {/*streams=*/true, /*prefetches=*/true};
}

std::optional<KernelSpec> gc::graph::getKernelTypes(Type elementA,
                                                    Type elementB) {
  std::optional<DataType> a = getDataType(elementA), b = getDataType(elementB);
  if (!a || !b)
    return std::nullopt;
  KernelSpec spec;
  spec.a = *a;
  spec.b = *b;
  // Kernels leave sums; what reads them converts.
  spec.c = spec.accumulator = getAccumulatorType(*a);
  spec.packB = getGroupSize(*b);
  return spec;
}

std::optional<KernelSpec> gc::graph::getKernelTypes(MatmulOp op) {
  std::optional<KernelSpec> spec =
      getKernelTypes(op.getSrc().getType().getElementType(),
                     op.getWeights().getType().getElementType());
  if (!spec)
    return std::nullopt;
  spec->zeroPointA = op.getSrcZp();
  spec->zeroPointB = op.getWeightsZp();
  // The distance of scales follows from blocks of columns.
  spec->ldScaleB = op.getScales() ? 1 : 0;
  spec->hasZeroPointsB = static_cast<bool>(op.getZps());
  return spec;
}

bool gc::graph::readsAlongK(MatmulOp op, MatmulTemplateAttr params) {
  std::optional<KernelSpec> types = getKernelTypes(op);
  auto type = params.getOperandType(op, 1);
  if (!types || types->ldScaleB || !canReadUnpacked(types->a, types->b) ||
      params.getPackB() || type.getRank() < 2 || !type.hasStaticShape())
    return false;
  auto b = MatmulOperand::get(op.getWeights(), op.getTransposeB());
  b.type = type;
  return b.isReadAlongK(types->packB);
}

SmallVector<KernelSpec> MatmulTemplateAttr::getKernels(Operation *op,
                                                       int64_t lanes) const {
  auto matmul = cast<MatmulOp>(op);
  std::optional<KernelSpec> types = getKernelTypes(matmul);
  if (!types || matmul.isComplex())
    return {};
  MatmulSizes sizes = getMatmulSizes(matmul);
  auto getRowStride = [&](unsigned operand, bool transposed) {
    RankedTensorType type = getOperandType(op, operand);
    // Neighbouring windows are a stride of pixels apart.
    WindowAttr window = operand == 0 ? matmul.getWindowAttr() : WindowAttr();
    return getOffset(type, type.getRank() - (transposed ? 1 : 2),
                     window ? window.getStrides().back() : 1);
  };
  SmallVector<int64_t> columns = getBlockSizes(sizes.n, getNB());
  // Whole vectors, where C has room for them; B has if it is packed.
  if (getPackB() && getNB() % lanes == 0)
    for (int64_t size : llvm::to_vector(columns))
      if (int64_t whole = llvm::alignTo(size, lanes);
          !llvm::is_contained(columns, whole))
        columns.push_back(whole);
  bool isAlongK = readsAlongK(matmul, *this);
  types->transposeB = isAlongK;
  if (!getPackB())
    types->packB = 1;
  // Rows and k.
  SmallVector<std::pair<int64_t, int64_t>> blocks;
  ArrayRef<int64_t> image = matmul.getSrc().getType().getShape();
  if (folds(matmul, *this)) {
    for (const WindowRun &run : getWindowRuns(matmul.getWindowAttr(), image))
      blocks.push_back({run.length, run.columns * sizes.channels});
  } else {
    SmallVector<int64_t> rows = getBlockSizes(sizes.m, getMB());
    if (WindowAttr window = matmul.getWindowAttr())
      rows = window.getRunLengths(image);
    for (int64_t m : rows)
      for (int64_t k : getBlockSizes(sizes.k, getKB()))
        blocks.push_back({m, k});
  }
  SmallVector<KernelSpec> kernels;
  for (auto [m, k] : blocks)
    for (int64_t n : columns) {
      KernelSpec spec = *types;
      spec.m = m;
      spec.n = n;
      spec.k = k;
      // Leading dimensions matter only where there is more than one row.
      spec.lda = m == 1       ? k
                 : getPackA() ? getKB()
                              : getRowStride(0, matmul.getTransposeA());
      if (isAlongK)
        spec.ldb = n == 1 ? k : getRowStride(1, !matmul.getTransposeB());
      else
        spec.ldb = k == 1 && types->packB == 1 ? n
                   : getPackB() ? getNB()
                                : getRowStride(1, matmul.getTransposeB());
      spec.ldc = m == 1 ? n : std::max(sizes.n, getNB());
      spec.ldScaleB = matmul.getScales() ? getNB() : 0;
      kernels.push_back(spec);
    }
  return kernels;
}

std::optional<OuterLoops>
MatmulTemplateAttr::getOuterLoops(Operation *op) const {
  // K-slicing makes two loops.
  if (getKPN() > 1)
    return std::nullopt;
  auto matmul = cast<MatmulOp>(op);
  MatmulSizes sizes = getMatmulSizes(matmul);
  int64_t batchRank = sizes.batch.size();
  OuterLoops loops{
      sizes.batch, getMPN(), getNPN(), sizes.m,
      getMB(),     sizes.n,  getNB(),  getOrder().front() == LoopDim::m,
      {}};
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op->getOperand(i).getType()).getShape();
    int64_t rank = shape.size();
    SmallVector<int64_t> dims(rank, -1);
    // Windows of different rows overlap.
    if (i == 0 && matmul.getWindow()) {
      loops.operandDims.push_back(dims);
      continue;
    }
    if (i >= 2) {
      dims.back() = batchRank + 1;
      loops.operandDims.push_back(dims);
      continue;
    }
    // Leading dimensions are aligned at the last one and broadcast.
    for (int64_t dim = 0; dim + 2 < rank; ++dim)
      if (shape[dim] != 1)
        dims[dim] = dim + 2 - rank + batchRank;
    if (rank >= 2 && i == 0)
      dims[matmul.getTransposeA() ? rank - 1 : rank - 2] = batchRank;
    if (rank >= 2 && i == 1)
      dims[matmul.getTransposeB() ? rank - 2 : rank - 1] = batchRank + 1;
    loops.operandDims.push_back(dims);
  }
  return loops;
}

/// A slice of `rows` x `columns` of the matrices in a tensor, whose last
/// dimension is the rows if `transposed`. Vectors have only one dimension.
static SmallVector<int64_t> getSlice(RankedTensorType type, bool transposed,
                                     int64_t rows, int64_t columns) {
  int64_t rank = type.getRank();
  if (rank < 2)
    return SmallVector<int64_t>(rank, rows * columns);
  SmallVector<int64_t> slice(rank, 1);
  slice[rank - (transposed ? 1 : 2)] = rows;
  slice[rank - (transposed ? 2 : 1)] = columns;
  return slice;
}

SmallVector<AnchorInfo> MatmulTemplateAttr::getAnchors(Operation *op) const {
  auto matmul = cast<MatmulOp>(op);
  MatmulSizes sizes = getMatmulSizes(matmul);
  // Blocks of one core; the largest share if they do not divide evenly.
  int64_t msn = llvm::divideCeil(llvm::divideCeil(sizes.m, getMB()), getMPN());
  int64_t nsn = llvm::divideCeil(llvm::divideCeil(sizes.n, getNB()), getNPN());
  int64_t ksn = llvm::divideCeil(sizes.k, getKB());
  int64_t chunks = llvm::divideCeil(ksn, getBS());
  int64_t msbn = std::min(msn * getMB(), sizes.m);
  int64_t nsbn = std::min(nsn * getNB(), sizes.n);
  int64_t kChunk = std::min(getBS() * getKB(), sizes.k);
  int64_t columnBlock = std::min(getNB(), sizes.n);

  SmallVector<AnchorInfo> anchors;
  auto add = [&](AnchorKind kind, unsigned index, unsigned operand,
                 unsigned depth, int64_t rows, int64_t columns, int64_t times,
                 int64_t total, bool isFeasible) {
    bool isPost = kind == AnchorKind::post;
    auto type =
        cast<RankedTensorType>(isPost ? op->getResult(0).getType()
                                      : op->getOperand(operand).getType());
    bool transposed = !isPost && (operand == 0 ? matmul.getTransposeA()
                                               : matmul.getTransposeB());
    int64_t workingSet = rows * columns;
    // Pre-op anchors are numbered from the outermost one inwards, post-op
    // anchors from the innermost one outwards: both in the order in which they
    // are reached.
    // Windows are read in place, never packed.
    bool isWindow = !isPost && operand == 0 && matmul.getWindow();
    anchors.push_back({kind, index, operand, /*order=*/index, depth,
                       getSlice(type, transposed, rows, columns), workingSet,
                       times, total, isFeasible && !isWindow});
  };
  // Each slice of k is packed separately, outside the loops of its core. The
  // partial sums are added up block by block, where post-ops run.
  if (getKPN() > 1) {
    int64_t share = llvm::divideCeil(sizes.k / getKB(), getKPN());
    int64_t slice = std::min(share * getKB() + sizes.k % getKB(), sizes.k);
    add(AnchorKind::pre, 2, 0, 0, msbn, slice, 1, msbn * slice, true);
    add(AnchorKind::pre, 2, 1, 0, slice, nsbn, 1, slice * nsbn, true);
    add(AnchorKind::post, 1, 0, 2, getMB(), columnBlock, msn * nsn, msbn * nsbn,
        true);
    return anchors;
  }
  // The order of the single-core loops decides what is open at each anchor.
  auto position = [&](LoopDim dim) {
    return llvm::find(getOrder(), dim) - getOrder().begin();
  };
  int64_t trips[3];
  trips[position(LoopDim::m)] = msn;
  trips[position(LoopDim::n)] = nsn;
  trips[position(LoopDim::k)] = chunks;
  auto isOpen = [&](LoopDim dim, int64_t depth) {
    return position(dim) < depth;
  };
  // Blocks at the end are smaller; a loop over another dimension comes back to
  // the same slices.
  auto getTotal = [&](int64_t rows, int64_t columns, LoopDim other,
                      int64_t depth) {
    return rows * columns * (isOpen(other, depth) ? trips[position(other)] : 1);
  };

  // The parallel loops are one flat loop, so nothing can be placed between them
  // unless the inner one has a single iteration. Operands are packed with all
  // of k.
  add(AnchorKind::pre, 1, 0, 0, msbn, sizes.k, 1, msbn * sizes.k, false);
  add(AnchorKind::pre, 1, 1, 0, sizes.k, sizes.n, 1, sizes.k * sizes.n, false);
  // Anchor 2 is before the single-core loops, 3 to 5 inside one, two, three.
  for (int64_t depth = 0; depth <= 3; ++depth) {
    int64_t times = 1;
    for (int64_t i = 0; i < depth; ++i)
      times *= trips[i];
    int64_t rows = isOpen(LoopDim::m, depth) ? getMB() : msbn;
    int64_t columns = isOpen(LoopDim::n, depth) ? columnBlock : nsbn;
    int64_t reduced = isOpen(LoopDim::k, depth) ? kChunk : sizes.k;
    bool hasAllOfK = !isOpen(LoopDim::k, depth) || chunks == 1;
    add(AnchorKind::pre, 2 + depth, 0, depth, rows, reduced, times,
        getTotal(msbn, sizes.k, LoopDim::n, depth), hasAllOfK);
    add(AnchorKind::pre, 2 + depth, 1, depth, reduced, columns, times,
        getTotal(sizes.k, nsbn, LoopDim::m, depth), hasAllOfK);
  }
  // Post-op anchor 1 is where the k loop has just ended.
  int64_t depth = position(LoopDim::k), times = 1;
  for (int64_t i = 0; i < depth; ++i)
    times *= trips[i];
  add(AnchorKind::post, 1, 0, depth, isOpen(LoopDim::m, depth) ? getMB() : msbn,
      isOpen(LoopDim::n, depth) ? columnBlock : nsbn, times, msbn * nsbn, true);
  add(AnchorKind::post, 2, 0, 0, msbn, nsbn, 1, msbn * nsbn, true);
  add(AnchorKind::post, 3, 0, 0, msbn, sizes.n, 1, msbn * sizes.n, false);
  return anchors;
}
