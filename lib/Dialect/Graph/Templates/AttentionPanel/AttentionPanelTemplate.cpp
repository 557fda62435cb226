// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention with panels of whole rows: the choice of the two products'
// parameters, and what the op is expanded to.

#include "../../IR/Decomposition.h"
#include "../Matmul/MatmulChoice.h"
#include "Dialect/Graph/Templates/ChainChoice.h"
#include "Machine/CostModel.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

/// Panels of at least so many rows should fit the caches. With fewer, keys and
/// values pass by so often that online softmax is as fast and needs less
/// memory.
constexpr int64_t kLeastRows = 64;
/// Scores are f32.
constexpr int64_t kScoreBytes = 4;
/// Of up to this many rows the scores are small next to keys and values, so
/// that they may pass from one core to another.
constexpr int64_t kFewRows = 16;
/// Barriers around the softmax in a loop of its own: before it, between its
/// reductions, and after it.
constexpr int64_t kSoftmaxBarriers = 3;

namespace {

/// The two products of an attention before there are ops for them.
class Products {
public:
  Products(AttentionOp op, const Machine &machine,
           const TemplateOptions &options)
      : machine(machine), options(options), sizes(getAttentionSizes(op)) {
    Type element = op.getType().getElementType();
    int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    SmallVector<int64_t> shape(sizes.batch);
    shape.append({sizes.m, sizes.s});
    auto panel = RankedTensorType::get(shape, element);
    AttentionFactor query = getAttentionFactor(op.getQuery()),
                    values = getAttentionFactor(op.getValue());
    scores = {{sizes.batch, sizes.m, sizes.s, sizes.d},
              MatmulOperand::get(query.value, query.isTransposed),
              MatmulOperand::get(op.getKey(), op.getTransposeKey()),
              element};
    product = {{sizes.batch, sizes.m, sizes.dv, sizes.s},
               {panel, /*transposed=*/false, /*isProduced=*/true,
                /*isConstant=*/false},
               MatmulOperand::get(values.value, values.isTransposed),
               element};
    auto makeItem = [&](const MatmulProblem &problem, RankedTensorType result,
                        bool needsWholeRows) {
      double whole =
          static_cast<double>(problem.sizes.n) * problem.sizes.k * bytes;
      return ChainItem{[&](const TemplateOptions &own) {
                         return findMatmulTemplates(problem, machine, own);
                       },
                       result, whole, needsWholeRows,
                       /*getPartition=*/nullptr};
    };
    items.push_back(makeItem(scores, panel, /*needsWholeRows=*/true));
    items.push_back(makeItem(product,
                             cast<RankedTensorType>(dropLayout(op.getType())),
                             options.wholeRows));
  }

  /// The parameters of both, and the cycles of all: one core has whole rows, or
  /// cores share keys and values if that takes less.
  std::optional<TemplateCandidate> choose(MLIRContext *context,
                                          std::string &reason) {
    std::optional<TemplateCandidate> whole = chooseWhole(context, reason),
                                     shared = chooseShared(context);
    return whole && (!shared || whole->cycles <= shared->cycles) ? whole
                                                                 : shared;
  }

  double getCycles(MatmulTemplateAttr first, MatmulTemplateAttr second) const {
    if (first.getNPN() > 1)
      return getSharedCycles(first, second);
    TemplateOptions own = options;
    own.wholeRows = true;
    double cycles = getMatmulCycles(first, scores, machine, own);
    own.wholeRows = options.wholeRows;
    own.readsPanel = true;
    return cycles + getMatmulCycles(second, product, machine, own) +
           getSoftmaxCycles(first);
  }

private:
  /// Panels of rows.
  std::optional<TemplateCandidate> chooseWhole(MLIRContext *context,
                                               std::string &reason) {
    // The scores of a panel are written and read several times: they have to
    // stay in the L2 cache, unless the template is forced.
    TemplateOptions own = options;
    CostModel model(machine, options.threads);
    if (!llvm::is_contained(options.forced,
                            AttentionPanelTemplateAttr::getMnemonic())) {
      own.maxRowBlock =
          model.getCapacity(MemoryLevel::l2) / (double(sizes.s) * kScoreBytes);
      if (own.maxRowBlock < std::min(sizes.m, kLeastRows) ||
          options.rowBlock > own.maxRowBlock) {
        reason = "row panels of scores do not fit the L2 cache";
        return std::nullopt;
      }
    }
    ChainChooser chooser(items, machine, own);
    // A group: the panel is all that there ever is of the scores.
    ChainChoice choice =
        own.rowBlock ? chooser.chooseGroup(
                           0, 2, {own.rowParts, own.rowBlock, own.mergeRows})
                     : chooser.chooseJointly(0, 2);
    if (choice.templates.empty())
      return std::nullopt;
    auto first = cast<MatmulTemplateAttr>(choice.templates[0]),
         second = cast<MatmulTemplateAttr>(choice.templates[1]);
    return TemplateCandidate{
        AttentionPanelTemplateAttr::get(context, first, second),
        choice.cycles + getSoftmaxCycles(first)};
  }

  /// Few queries of few heads: cores compute the scores of different keys, and
  /// multiply parts of the weights by the values, which leaves partial sums.
  std::optional<TemplateCandidate> chooseShared(MLIRContext *context) const {
    int64_t threads = CostModel(machine, options.threads).getThreads();
    if (sizes.m > kFewRows || getBatch() >= threads || options.rowParts ||
        options.rowBlock || options.wholeRows)
      return std::nullopt;
    TemplateOptions own = options;
    own.alternatives = 0;
    SmallVector<TemplateCandidate> first =
        findMatmulTemplates(scores, machine, own);
    SmallVector<TemplateCandidate> second =
        findMatmulTemplates(product, machine, own);
    if (first.empty() || second.empty())
      return std::nullopt;
    auto ofScores = cast<MatmulTemplateAttr>(first.front().params),
         ofProduct = cast<MatmulTemplateAttr>(second.front().params);
    if (ofScores.getNPN() == 1)
      return std::nullopt;
    return TemplateCandidate{
        AttentionPanelTemplateAttr::get(context, ofScores, ofProduct),
        getSharedCycles(ofScores, ofProduct)};
  }

  double getSharedCycles(MatmulTemplateAttr first,
                         MatmulTemplateAttr second) const {
    CostModel model(machine, options.threads);
    double elements =
        double(getBatch()) * sizes.m * sizes.s / model.getThreads();
    return getMatmulCycles(first, scores, machine, options) +
           getMatmulCycles(second, product, machine, options) +
           model.getVectorCycles(elements, model.getSoftmaxInstructions()) +
           kSoftmaxBarriers * model.getBarrierCycles() +
           2 * model.getExchangeCycles(elements * kScoreBytes);
  }

  int64_t getBatch() const {
    int64_t batch = 1;
    for (int64_t size : sizes.batch)
      batch *= size;
    return batch;
  }

  /// Of the core with the most rows.
  double getSoftmaxCycles(MatmulTemplateAttr first) const {
    CostModel model(machine, options.threads);
    int64_t mpn = first.getMPN(), mb = first.getMB();
    double rows = std::min<int64_t>(
        llvm::divideCeil(llvm::divideCeil(sizes.m, mb), mpn) * mb, sizes.m);
    return llvm::divideCeil(getBatch() * mpn, model.getThreads()) *
           model.getVectorCycles(rows * sizes.s,
                                 model.getSoftmaxInstructions());
  }

  const Machine &machine;
  const TemplateOptions &options;
  AttentionSizes sizes;
  MatmulProblem scores, product;
  SmallVector<ChainItem, 2> items;
};

} // namespace

StringRef AttentionPanelTemplateAttr::getTunedOp() {
  return AttentionOp::getOperationName();
}

SmallVector<TemplateCandidate>
AttentionPanelTemplateAttr::getCandidates(Operation *op, const Machine &machine,
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
  auto best = Products(cast<AttentionOp>(op), machine, options)
                  .choose(op->getContext(), reason);
  if (!best)
    return {};
  return {*best};
}

double
AttentionPanelTemplateAttr::getCycles(Operation *op, const Machine &machine,
                                      const TemplateOptions &options) const {
  return Products(cast<AttentionOp>(op), machine, options)
      .getCycles(getScores(), getProduct());
}

RankedTensorType
AttentionPanelTemplateAttr::getOperandType(Operation *op,
                                           unsigned operand) const {
  return cast<RankedTensorType>(op->getOperand(operand).getType());
}

SmallVector<AnchorInfo>
AttentionPanelTemplateAttr::getAnchors(Operation *) const {
  // Those of the products, once there are ops for them.
  return {};
}

LogicalResult AttentionPanelTemplateAttr::verifyTemplate(Operation *op) const {
  auto isStatic = [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic))
    return success();
  AttentionSizes sizes = getAttentionSizes(cast<AttentionOp>(op));
  auto emitError = [&](StringRef name) {
    return [op, name] {
      return op->emitOpError("(C1) ") << name << " does not fit: ";
    };
  };
  return failure(failed(verifyMatmulParameters(
                     getScores(), {sizes.batch, sizes.m, sizes.s, sizes.d},
                     emitError("scores"))) ||
                 failed(verifyMatmulParameters(
                     getProduct(), {sizes.batch, sizes.m, sizes.dv, sizes.s},
                     emitError("product"))));
}

SmallVector<Value>
AttentionPanelTemplateAttr::expand(Operation *op,
                                   RewriterBase &rewriter) const {
  auto attention = cast<AttentionOp>(op);
  AttentionSizes sizes = getAttentionSizes(attention);
  // Divides the shorter rows; the exponentials are small enough for that.
  bool sinkScale = sizes.dv <= sizes.s;
  AttentionParts parts = buildAttention(rewriter, attention, sinkScale);
  parts.scores.setTemplateParamsAttr(getScores());
  parts.product.setTemplateParamsAttr(getProduct());
  return {parts.result};
}
