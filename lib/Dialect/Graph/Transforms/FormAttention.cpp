// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Support/ModuleMachine.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHFORMATTENTION
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// The ops that an attention takes the place of.
struct Match {
  MatmulOp scores, product;
  /// What the softmax is taken of, and the ops between the scores and it, in
  /// program order.
  Value logits;
  SmallVector<Operation *> body;
  /// The division by the sum, in front of or behind the product.
  DivideOp scaling;
  /// Softmax as basic ops: subtract, exp and the two reductions.
  SmallVector<Operation *, 4> softmax;

  bool isSunk() { return scaling.getSrc_0() == product.getResult(); }
  /// What the attention computes.
  Value getResult() {
    return isSunk() ? scaling.getResult() : product.getResult();
  }
};

/// The reduction of whole rows to size 1 that is a user of the value.
template <typename Op>
Op getRowReduction(Value value) {
  for (Operation *user : value.getUsers()) {
    auto op = dyn_cast<Op>(user);
    if (op && op.getKeepDims() &&
        op.getReducedAxes() ==
            SmallVector<int64_t>{op.getSrc().getType().getRank() - 1})
      return op;
  }
  return {};
}

/// Finds softmax in front of a matmul: e^(x - max x) whose sum divides it, or
/// divides the product. The match lacks what computes x. These ops go by their
/// names and not by an interface: the attention computes this formula itself
/// and has nothing to ask them.
std::optional<Match> matchSoftmax(MatmulOp product) {
  Match match;
  match.product = product;
  Value exponential = product.getSrc();
  if (auto divide = exponential.getDefiningOp<DivideOp>()) {
    match.scaling = divide;
    exponential = divide.getSrc_0();
  } else if (product->hasOneUse()) {
    match.scaling = dyn_cast<DivideOp>(*product->user_begin());
  }
  auto exp = exponential.getDefiningOp<ExpOp>();
  if (!match.scaling || !exp ||
      (exponential == product.getSrc() && !match.isSunk()))
    return std::nullopt;
  auto shifted = exp.getSrc().getDefiningOp<SubtractOp>();
  auto sum = getRowReduction<ReduceSumOp>(exponential);
  if (!shifted || !sum || match.scaling.getSrc_1() != sum.getResult())
    return std::nullopt;
  match.logits = shifted.getSrc_0();
  auto max = getRowReduction<ReduceMaxOp>(match.logits);
  if (!max || shifted.getSrc_1() != max.getResult())
    return std::nullopt;
  match.softmax = {max, shifted, exp, sum};
  return match;
}

/// Collects the ops by which the logits depend on a matmul of their own shape
/// through elementwise ops; the matmul goes to match.scores.
class BodyCollector {
public:
  explicit BodyCollector(Match &match) : match(match) {}

  /// Why there is no body, or nothing.
  std::optional<std::string> collect() {
    if (!visit(match.logits) && !obstacle)
      obstacle = "no matmul computes the rows";
    if (obstacle)
      return obstacle;
    llvm::sort(match.body, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return std::nullopt;
  }

private:
  ArrayRef<int64_t> getShape() const {
    return cast<RankedTensorType>(match.logits.getType()).getShape();
  }

  /// Whether the value depends on the scores, through ops that can be in the
  /// region. Others are left outside.
  bool visit(Value value) {
    auto [known, isNew] = depends.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool result = visitNew(value);
    depends[value] = result;
    return result;
  }

  bool visitNew(Value value) {
    Operation *op = value.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!op || !type || type.getShape() != getShape() ||
        op->getBlock() != match.product->getBlock())
      return false;
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      if (match.scores && match.scores != matmul)
        obstacle = "the rows are computed by two matmuls";
      match.scores = matmul;
      return true;
    }
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    if (!fusible ||
        ArrayRef<int64_t>(fusible.getIterationSpace()) != getShape())
      return false;
    FusibleKind kind = fusible.getFusibleKind();
    if (kind != FusibleKind::elementwise && kind != FusibleKind::broadcast &&
        kind != FusibleKind::cast)
      return false;
    bool result = false;
    for (OpOperand &operand : op->getOpOperands())
      if (fusible.getOperandMap(operand.getOperandNumber()).isIdentity())
        result |= visit(operand.get());
    if (result)
      match.body.push_back(op);
    return result;
  }

  Match &match;
  llvm::DenseMap<Value, bool> depends;
  std::optional<std::string> obstacle;
};

std::string getName(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

/// Why the matched ops cannot become one, or nothing.
std::optional<std::string> getObstacle(Match &match) {
  llvm::SmallPtrSet<Operation *, 16> inside(match.body.begin(),
                                            match.body.end());
  inside.insert(match.softmax.begin(), match.softmax.end());
  inside.insert(match.scores);
  DivideOp scaling = match.scaling;
  MatmulOp product = match.product, scores = match.scores;
  bool isSunk = match.isSunk();
  if (!isSunk)
    inside.insert(scaling);
  for (Operation *op : inside)
    for (OpOperand &use : op->getUses())
      if (Operation *user = use.getOwner();
          !inside.contains(user) &&
          !(user == product && use.getOperandNumber() == 0) &&
          !(isSunk && user == scaling))
        return "the result of " + getName(op) + " is needed elsewhere";
  for (Operation *op : inside)
    if (getLayout(op->getResult(0).getType()))
      return "the result of " + getName(op) + " has a layout";
  if (scores.getBias() || product.getBias())
    return "a matmul has a bias; run graph-decompose";
  if (scores.getTransposeA() || product.getTransposeA() ||
      product.getTransposeB())
    return "queries or values are transposed";
  for (Type type : {scores.getSrc().getType(), scores.getWeights().getType(),
                    product.getWeights().getType(), product.getType()}) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.getElementType().isF32())
      return "the element type is not f32";
    if (tensor.getRank() < 2 || !tensor.hasStaticShape())
      return "an operand is a vector or has a dynamic size";
  }
  ArrayRef<int64_t> rows = scores.getType().getShape(),
                    result = product.getType().getShape();
  if (rows.drop_back() != result.drop_back())
    return "the leading dimensions of the values extend the result";
  return std::nullopt;
}

/// The fewest rows in a panel for which microkernels still run near their best.
constexpr int64_t kLeastRows = 32;

struct FormAttention : impl::GraphFormAttentionBase<FormAttention> {
  using Base::Base;

  void runOnOperation() override {
    if (mode != "auto" && mode != "always" && mode != "never") {
      getOperation()->emitError("option 'mode' is auto, always or never, not '")
          << mode << "'";
      return signalPassFailure();
    }
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine))
      return signalPassFailure();
    if (mode == "never" || getOperation().isDeclaration())
      return;
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) { products.push_back(op); });
    for (MatmulOp product : products) {
      std::optional<Match> match = matchSoftmax(product);
      if (!match)
        continue;
      auto obstacle = BodyCollector(*match).collect();
      if (!obstacle)
        obstacle = getObstacle(*match);
      if (!obstacle && mode == "auto")
        obstacle = getCostObstacle(*match, *machine);
      if (obstacle)
        report(*match, *obstacle);
      else
        form(*match);
    }
  }

  /// Why the row panels are better kept whole, or nothing.
  static std::optional<std::string> getCostObstacle(const Match &match,
                                                    const Machine &machine) {
    MatmulOp scores = match.scores;
    ArrayRef<int64_t> shape = scores.getType().getShape();
    int64_t keys = shape.back(),
            rows = std::min(shape[shape.size() - 2], kLeastRows);
    int64_t bytes = rows * keys * 4, share = machine.l2Bytes / 2;
    if (bytes > share)
      return std::nullopt;
    return std::to_string(rows) + " rows of " + std::to_string(keys) +
           " scores are " + std::to_string(bytes) +
           " bytes and fit into half of the L2 cache, " +
           std::to_string(share) + " bytes";
  }

  static void report(Match &match, const std::string &reason) {
    remark::missed(match.product.getLoc(),
                   remark::RemarkOpts::name("NoAttention")
                       .category("graph-form-attention"))
        << "softmax between matmuls does not become one attention: " + reason;
  }

  static void form(Match &match) {
    MatmulOp scores = match.scores, product = match.product;
    Value result = match.getResult();
    OpBuilder builder(result.getDefiningOp());
    Location loc = builder.getFusedLoc(
        {scores.getLoc(), match.softmax.back()->getLoc(), product.getLoc()});
    auto attention = AttentionOp::create(
        builder, loc, TypeRange{result.getType()},
        ValueRange{scores.getSrc(), scores.getWeights(), product.getWeights()},
        ArrayRef<NamedAttribute>{
            builder.getNamedAttr("transpose_key", scores.getTransposeBAttr())});
    Block *body = builder.createBlock(&attention.getBody(), {},
                                      {scores.getType()}, {scores.getLoc()});
    IRMapping mapping;
    mapping.map(scores.getResult(), body->getArgument(0));
    for (Operation *op : match.body)
      builder.clone(*op, mapping);
    YieldOp::create(builder, loc, mapping.lookup(match.logits));
    result.replaceAllUsesWith(attention.getResult());
    remark::passed(
        loc,
        remark::RemarkOpts::name("Attention").category("graph-form-attention"))
        << "softmax between matmuls becomes one attention";
    eraseUnused(match);
  }

  /// Erases what the attention has replaced, users first.
  static void eraseUnused(Match &match) {
    llvm::SmallSetVector<Operation *, 16> ops;
    ops.insert(match.body.begin(), match.body.end());
    ops.insert(match.softmax.begin(), match.softmax.end());
    ops.insert(match.scores);
    ops.insert(match.product);
    ops.insert(match.scaling);
    auto sorted = ops.takeVector();
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return b->isBeforeInBlock(a);
    });
    for (Operation *op : sorted)
      op->erase();
  }
};
} // namespace

} // namespace gc::graph
