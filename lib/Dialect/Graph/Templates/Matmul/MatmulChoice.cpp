// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice of a matmul's template: which operands are packed, and the
// parameters with the least cost.

#include "MatmulChoice.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/Machine.h"
#include "MatmulCost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

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

/// Bytes between the rows of an operand where it is read in place.
static int64_t getRowDistance(RankedTensorType type, bool transposed) {
  int64_t row = type.getRank() - (transposed ? 1 : 2);
  LayoutAttr layout = getLayout(type);
  ArrayRef<int64_t> strides;
  SmallVector<int64_t> plain = getPlainStrides(type.getShape());
  strides = layout && layout.isStrided() ? layout.getStrides()
                                         : ArrayRef<int64_t>(plain);
  return strides[row] * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// `OperandUse::sharedPlaces` of A where it is read in place: not 0 if its rows
/// evict each other before the kernels have read them for all columns.
static int64_t getSharedPlaces(const MatmulOperand &a, const MatmulSizes &sizes,
                               const Machine &machine) {
  constexpr int64_t kManyRows = 16, kManyColumns = 64;
  if (sizes.m < kManyRows || sizes.n < kManyColumns || sizes.channels ||
      !isReadableInPlace(a.type, a.transposed))
    return 0;
  int64_t distance = getRowDistance(a.type, a.transposed);
  CostModel model(machine);
  return model.sharesCacheSets(distance) ? model.getCachePlaces(distance) : 0;
}

/// Whether the rows of B, along n or k, follow each other in memory.
static bool hasDenseRows(const MatmulOperand &b) {
  int64_t rank = b.type.getRank();
  for (bool transposed : {false, true})
    if (isReadableInPlace(b.type, transposed) &&
        getRowDistance(b.type, transposed) ==
            b.type.getDimSize(rank - (transposed ? 2 : 1)) *
                static_cast<int64_t>(
                    llvm::divideCeil(b.type.getElementTypeBitWidth(), 8)))
      return true;
  return false;
}

/// Packing costs nothing if the producer writes the layout directly or the
/// operand is constant; otherwise only operands that cannot be read in place,
/// or only slowly, are packed. Where both ways are worth comparing there are
/// two.
static SmallVector<OperandUse, 2> getUsesOfA(const MatmulProblem &problem,
                                             const Machine &machine,
                                             const TemplateOptions &options) {
  const MatmulSizes &sizes = problem.sizes;
  const MatmulOperand &a = problem.a;
  SmallVector<OperandUse, 2> uses(1);
  // Windows are read in place. Rows of those that are folded overlap, which the
  // library refuses.
  if (sizes.channels) {
    if (options.kernels != KernelPreference::library)
      uses[0].runs = problem.runs;
    return uses;
  }
  bool readable = isReadableInPlace(a.type, a.transposed);
  int64_t sharedPlaces = getSharedPlaces(a, sizes, machine);
  bool scattered = sharedPlaces != 0;
  // Rows that a neighbour has just written are read in place, unless they would
  // end in the middle of a vector.
  if (options.readsPanel && readable)
    uses[0].isPacked = sizes.k % 16 != 0 || scattered;
  else
    uses[0].isPacked = !readable || scattered || (sizes.k > 1 && a.isProduced);
  uses[0].isPackedHere = uses[0].isPacked && a.needsPacking();
  // Tiles of many columns have so few rows that these do not evict each other
  // while a tile is computed, only before the next one.
  constexpr int64_t kWideTile = 64;
  if (scattered && uses[0].isPackedHere && !options.readsPanel &&
      KernelModel::get(machine, options.usesVectorKernels()).getTileColumns() >=
          kWideTile) {
    uses.emplace_back();
    uses[1].sharedPlaces = sharedPlaces;
  }
  return uses;
}

/// B is also packed where many rows pay for it, and once for all where it is
/// constant; but a few rows read a large one as fast in place. Where both ways
/// of reading it are worth comparing there are two.
static SmallVector<OperandUse, 2> getUsesOfB(const MatmulProblem &problem,
                                             const Machine &machine,
                                             const TemplateOptions &options) {
  constexpr int64_t kRowsToPackB = 32, kMostUnpackedRows = 256;
  const MatmulSizes &sizes = problem.sizes;
  const MatmulOperand &b = problem.b;
  MatmulElements elements = problem.getElements();
  SmallVector<OperandUse, 2> uses(1);
  uses[0].isPacked =
      !isReadableInPlace(b.type, b.transposed) || elements.group > 1 ||
      (sizes.n > 1 && (b.isConstant || sizes.m >= kRowsToPackB) &&
       (sizes.channels || !isStreamed(sizes, elements.b, machine)));
  uses[0].isPackedHere = uses[0].isPacked && b.needsPacking();
  uses[0].isConstant = b.isConstant;
  // Kernels read it along k if it is transposed or a single column, or
  // interleave its rows. The library does none of this.
  if (!elements.dots || options.kernels == KernelPreference::library ||
      sizes.channels)
    return uses;
  bool isAlongK = b.isReadAlongK(elements.group);
  // Many rows read it repeatedly. That pays in place where its rows follow each
  // other, or else they use a part of the L1 cache only, and need not be
  // interleaved each time.
  bool isInterleaved = elements.group > 1 && !isAlongK;
  bool isFew =
      uses[0].isPackedHere &&
      sizes.m < (isInterleaved || !hasDenseRows(b) ? kRowsToPackB
                                                   : kMostUnpackedRows);
  bool isColumn = uses[0].isPacked && sizes.n == 1 && isAlongK;
  if (isColumn ||
      (isFew && (isAlongK || isReadableInPlace(b.type, b.transposed)))) {
    uses.emplace_back();
    uses[1].isAlongK = isAlongK;
    uses[1].isConstant = b.isConstant;
  }
  return uses;
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

/// The order with the same cost as the given one: what matters is whether the
/// columns or the rows are outermost, and whether row panels are complete.
static LoopOrder getLoopOrder(ArrayRef<LoopDim> loops) {
  if (loops.front() == LoopDim::n)
    return LoopOrder::columnsFirst;
  return loops.back() == LoopDim::n ? LoopOrder::rowPanels
                                    : LoopOrder::rowsFirst;
}

MatmulOperand MatmulOperand::get(Value value, bool transposed) {
  return {cast<RankedTensorType>(value.getType()), transposed,
          isProducedHere(value), ::isConstant(value)};
}

bool MatmulOperand::isReadAlongK(int64_t group) const {
  LayoutAttr layout = getLayout(type);
  if ((layout && !layout.isStrided()) || !isReadableInPlace(type, !transposed))
    return false;
  int64_t k = type.getDimSize(type.getRank() - (transposed ? 1 : 2)),
          n = type.getDimSize(type.getRank() - (transposed ? 2 : 1));
  bool isInRows = isReadableInPlace(type, transposed);
  return k % group == 0 && (!isInRows || (n == 1 && group > 1));
}

MatmulElements MatmulProblem::getElements() const {
  MatmulElements elements = MatmulElements::get(
      a.type.getElementType(), b.type.getElementType(), result);
  elements.scaled = scaled;
  // Kernels read scales of a packed B only.
  if (scaled)
    elements.dots.reset();
  elements.a *= sizes.ownPart;
  return elements;
}

/// None if the columns of the window cannot be folded, or if so few positions
/// see all of them that there would be a call for almost each.
static SmallVector<WindowRun> getRunsToFold(MatmulOp op) {
  constexpr size_t kMostRuns = 8;
  WindowAttr window = op.getWindowAttr();
  RankedTensorType image = op.getSrc().getType();
  if (!window || !isFoldable(window) || !hasAdjacentPixels(image))
    return {};
  SmallVector<WindowRun> runs = getWindowRuns(window, image.getShape());
  return runs.size() <= kMostRuns ? runs : SmallVector<WindowRun>();
}

MatmulProblem MatmulProblem::get(MatmulOp op) {
  return {getMatmulSizes(op),
          MatmulOperand::get(op.getSrc(), op.getTransposeA()),
          MatmulOperand::get(op.getWeights(), op.getTransposeB()),
          op.getType().getElementType(),
          static_cast<int64_t>(op.getWeightsGroup()),
          getRunsToFold(op)};
}

SmallVector<TemplateCandidate>
gc::graph::findMatmulTemplates(const MatmulProblem &problem,
                               const Machine &machine,
                               const TemplateOptions &options) {
  MLIRContext *context = problem.a.type.getContext();
  SmallVector<TemplateCandidate> candidates;
  size_t count = 1 + options.alternatives;
  auto add = [&](const OperandUse &useOfA, const OperandUse &useOfB) {
    MatmulCostModel model(problem.sizes, machine, options,
                          problem.getElements(), useOfA, useOfB);
    for (auto [p, cycles] : model.choose(count)) {
      auto place = llvm::upper_bound(
          candidates, cycles,
          [](double value, const TemplateCandidate &candidate) {
            return value < candidate.cycles;
          });
      candidates.insert(place, {MatmulTemplateAttr::get(
                                    context, p.mpn, p.npn, p.mb, p.nb, p.kb,
                                    p.bs, getLoops(p.order), useOfA.isPacked,
                                    useOfB.isPacked, p.kpn),
                                cycles});
    }
  };
  for (const OperandUse &useOfA : getUsesOfA(problem, machine, options))
    for (const OperandUse &useOfB : getUsesOfB(problem, machine, options))
      add(useOfA, useOfB);
  if (candidates.size() > count)
    candidates.resize(count);
  return candidates;
}

double gc::graph::getMatmulCycles(MatmulTemplateAttr params,
                                  const MatmulProblem &problem,
                                  const Machine &machine,
                                  const TemplateOptions &options) {
  auto getUse = [](const MatmulOperand &operand, bool isPacked) {
    return OperandUse{isPacked, isPacked && operand.needsPacking(),
                      operand.isConstant};
  };
  OperandUse useOfA = getUse(problem.a, params.getPackA()),
             useOfB = getUse(problem.b, params.getPackB());
  useOfA.runs = problem.runs;
  if (!useOfA.isPacked)
    useOfA.sharedPlaces = getSharedPlaces(problem.a, problem.sizes, machine);
  MatmulElements elements = problem.getElements();
  useOfB.isAlongK = !useOfB.isPacked && elements.dots &&
                    problem.b.isReadAlongK(elements.group);
  MatmulParameters p{params.getMPN(), params.getNPN(),
                     params.getMB(),  params.getNB(),
                     params.getKB(),  params.getBS(),
                     params.getKPN(), getLoopOrder(params.getOrder())};
  return MatmulCostModel(problem.sizes, machine, options, problem.getElements(),
                         useOfA, useOfB)
      .getCycles(p);
}

SmallVector<TemplateCandidate>
MatmulTemplateAttr::getCandidates(Operation *op, const Machine &machine,
                                  const TemplateOptions &options,
                                  std::string &reason) {
  auto matmul = cast<MatmulOp>(op);
  auto isFit = [](RankedTensorType type) {
    return type.getRank() >= 2 && type.hasStaticShape() &&
           !llvm::is_contained(type.getShape(), 0);
  };
  if (matmul.getBias() || !isFit(matmul.getSrc().getType()) ||
      !isFit(matmul.getWeights().getType())) {
    reason = "there is one for matrices of static shape that are not empty, "
             "without bias";
    return {};
  }
  return findMatmulTemplates(MatmulProblem::get(matmul), machine, options);
}

double MatmulTemplateAttr::getCycles(Operation *op, const Machine &machine,
                                     const TemplateOptions &options) const {
  return getMatmulCycles(*this, MatmulProblem::get(cast<MatmulOp>(op)), machine,
                         options);
}

gc::Cost MatmulTemplateAttr::getCost(Operation *op, const gc::CostModel &model,
                                     const TemplateOptions &options) const {
  auto matmul = cast<MatmulOp>(op);
  // An operand that already has its layout has been packed elsewhere.
  auto getUse = [&](unsigned i, bool isPacked) {
    Value operand = op->getOperand(i);
    return OperandUse{isPacked,
                      isPacked && operand.getType() != getOperandType(op, i) &&
                          !isProducedHere(operand) && !isConstant(operand),
                      isConstant(operand),
                      i == 1 && readsAlongK(matmul, *this)};
  };
  MatmulProblem problem = MatmulProblem::get(matmul);
  OperandUse useOfA = getUse(0, getPackA());
  useOfA.runs = problem.runs;
  if (!useOfA.isPacked)
    useOfA.sharedPlaces =
        getSharedPlaces(problem.a, problem.sizes, model.getMachine());
  TemplateOptions own = options;
  own.threads = model.getThreads();
  return MatmulCostModel(problem.sizes, model.getMachine(), own,
                         problem.getElements(), useOfA, getUse(1, getPackB()))
      .getCost({getMPN(), getNPN(), getMB(), getNB(), getKB(), getBS(),
                getKPN(), getLoopOrder(getOrder())});
}
