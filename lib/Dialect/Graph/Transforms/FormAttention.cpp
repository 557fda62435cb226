// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "RaiseSoftmax.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHFORMATTENTION
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// The ops that an attention replaces.
struct Match {
  MatmulOp scores, product;
  RowSoftmax softmax;
  /// The ops between the scores and the operand of the softmax, in program
  /// order.
  SmallVector<Operation *> body;
  /// The cast of the weights to the type of the values, or null.
  TypeCastOp narrowing;
  /// The division by the sum comes after the product.
  bool isSunk = false;

  /// What the attention computes.
  Value getResult() {
    return (isSunk ? softmax.division : product.getOperation())->getResult(0);
  }
};

/// Finds softmax before a matmul: the weights are its first operand, or the
/// exponentials are, and the product is divided by their sums. The match does
/// not yet include what computes the logits.
std::optional<Match> matchSoftmax(MatmulOp product) {
  Match match;
  match.product = product;
  Value weights = product.getSrc();
  match.narrowing = weights.getDefiningOp<TypeCastOp>();
  if (match.narrowing)
    weights = match.narrowing.getSrc();
  auto softmax = raiseSoftmax(weights);
  if (!softmax && !match.narrowing && product->hasOneUse()) {
    Operation *user = *product->user_begin();
    auto quotient = getQuotient(user);
    if (quotient && quotient->dividend == product.getResult()) {
      softmax = raiseSoftmax(product.getSrc(), user, *quotient);
      match.isSunk = true;
    }
  }
  if (!softmax)
    return std::nullopt;
  match.softmax = *softmax;
  return match;
}

std::string getName(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

/// If elementwise ops are between a softmax and a matmul: which one comes
/// first.
std::optional<std::string> getObstacleAfterSoftmax(MatmulOp product) {
  constexpr int kMostOps = 8;
  Value value = product.getSrc();
  Operation *last = nullptr;
  for (int i = 0; i < kMostOps && !raiseSoftmax(value); ++i) {
    Operation *op = value.getDefiningOp();
    auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
    if (!fusible || !isPointwise(fusible.getFusibleKind()) ||
        op->getNumOperands() == 0 || !fusible.getOperandMap(0).isIdentity())
      return std::nullopt;
    if (fusible.getFusibleKind() != FusibleKind::cast)
      last = op;
    value = op->getOperand(0);
  }
  if (!last || !raiseSoftmax(value))
    return std::nullopt;
  return getName(last) + " is between the softmax and the second matmul";
}

/// Collects the ops by which the logits depend on a matmul of their own shape
/// through elementwise ops; the matmul goes to match.scores.
class BodyCollector {
public:
  explicit BodyCollector(Match &match) : match(match) {}

  /// Why the body cannot be formed, or nothing.
  std::optional<std::string> collect() {
    if (!visit(match.softmax.logits) && !obstacle)
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
    return cast<RankedTensorType>(match.softmax.logits.getType()).getShape();
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
      if (matmul.getWindow())
        return false;
      if (match.scores && match.scores != matmul)
        obstacle = "the rows are computed by two matmuls";
      match.scores = matmul;
      return true;
    }
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    if (!fusible ||
        ArrayRef<int64_t>(fusible.getIterationSpace()) != getShape())
      return false;
    if (!isPointwise(fusible.getFusibleKind()))
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

/// Whether elements are at most e^64, so that sums of products with them stay
/// in range.
bool isBounded(Value exponentials) {
  auto op = exponentials.getDefiningOp<FusibleOpInterface>();
  if (!op)
    return false;
  unsigned result = cast<OpResult>(exponentials).getResultNumber();
  return op.getResultInterval(result).highest <= std::exp(SoftmaxOp::kBound);
}

/// Queries and values that the products read as transposed are transposed
/// before the attention, which pays if they are smaller than the scores.
std::optional<std::string> getObstacleToTransposes(MatmulOp scores,
                                                   MatmulOp product) {
  RankedTensorType type = scores.getType();
  int64_t rank = type.getRank();
  if (!type.hasStaticShape() || rank < 2)
    return std::nullopt;
  int64_t m = type.getDimSize(rank - 2), s = type.getDimSize(rank - 1);
  if (scores.getTransposeA()) {
    auto query = scores.getSrc().getType();
    if (query.getRank() < 2 || query.getDimSize(query.getRank() - 2) > s)
      return "queries are transposed, and larger than the scores";
  }
  if (product.getTransposeB()) {
    auto values = product.getWeights().getType();
    if (values.getRank() < 2 || values.getDimSize(values.getRank() - 2) > m)
      return "values are transposed, and larger than the scores";
  }
  return std::nullopt;
}

/// Exchanges rows and columns.
Value transposeMatrices(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  auto order = llvm::to_vector(llvm::seq(rank));
  std::swap(order[rank - 2], order[rank - 1]);
  SmallVector<int64_t> shape =
      applyPermutation(type.getShape(), ArrayRef(order));
  return StaticTransposeOp::create(builder, loc, type.clone(shape), value,
                                   order);
}

/// Why the matched ops cannot become one, or nothing.
std::optional<std::string> getObstacle(Match &match) {
  llvm::SmallPtrSet<Operation *, 16> inside(match.body.begin(),
                                            match.body.end());
  inside.insert(match.softmax.ops.begin(), match.softmax.ops.end());
  inside.insert(match.scores);
  Operation *division = match.softmax.division;
  MatmulOp product = match.product, scores = match.scores;
  if (division && !match.isSunk)
    inside.insert(division);
  if (match.narrowing)
    inside.insert(match.narrowing);
  for (Operation *op : inside)
    for (OpOperand &use : op->getUses())
      if (Operation *user = use.getOwner();
          !inside.contains(user) &&
          !(user == product && use.getOperandNumber() == 0) &&
          !(match.isSunk && user == division))
        return "the result of " + getName(op) + " is needed elsewhere";
  for (Operation *op : inside)
    if (getLayout(op->getResult(0).getType()))
      return "the result of " + getName(op) + " has a layout";
  if (match.softmax.mode == SoftmaxMode::unshifted && !match.isSunk &&
      !isBounded(match.softmax.exponentials))
    return "nothing bounds the exponentials, and rows that are divided after "
           "the second matmul might overflow";
  if (scores.getBias() || product.getBias())
    return "a matmul has a bias; run graph-decompose";
  if (product.getTransposeA())
    return "the softmax is transposed";
  if (auto obstacle = getObstacleToTransposes(scores, product))
    return obstacle;
  Type element = product.getType().getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return "the element type is not f32, bf16 or f16";
  for (Value value : {Value(scores.getSrc()), Value(scores.getWeights()),
                      Value(scores.getResult()), Value(product.getSrc()),
                      Value(product.getWeights())}) {
    auto tensor = cast<RankedTensorType>(value.getType());
    if (tensor.getElementType() != element)
      return "the factors and the scores differ in their element types";
    if (tensor.getRank() < 2 || !tensor.hasStaticShape())
      return "an operand is a vector or has a dynamic size";
  }
  ArrayRef<int64_t> query = scores.getSrc().getType().getShape();
  if (!fillsGroups(query[query.size() - (scores.getTransposeA() ? 2 : 1)],
                   element))
    return "query rows do not consist of whole 32 bits";
  Type logits = getElementTypeOrSelf(match.softmax.logits.getType());
  if (logits != element && !logits.isF32())
    return "the softmax is neither of the type of the scores nor of f32";
  if (Value steps = match.softmax.exponentials;
      steps && !getElementTypeOrSelf(steps.getType()).isF32())
    return "the steps of the softmax are rounded to a narrow type";
  ArrayRef<int64_t> rows = scores.getType().getShape(),
                    result = product.getType().getShape();
  if (rows.drop_back() != result.drop_back())
    return "the leading dimensions of the values extend the result";
  return std::nullopt;
}

struct FormAttention : impl::GraphFormAttentionBase<FormAttention> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) { products.push_back(op); });
    for (MatmulOp product : products) {
      std::optional<Match> match = matchSoftmax(product);
      if (!match) {
        if (auto obstacle = getObstacleAfterSoftmax(product))
          report(product, *obstacle);
        continue;
      }
      auto obstacle = BodyCollector(*match).collect();
      if (!obstacle)
        obstacle = getObstacle(*match);
      if (obstacle)
        report(product, *obstacle);
      else
        form(*match);
    }
  }

  static void report(MatmulOp product, const std::string &reason) {
    remark::missed(product.getLoc(), remark::RemarkOpts::name("NoAttention")
                                         .category("graph-form-attention"))
        << "softmax between matmuls does not become one attention: " + reason;
  }

  static void form(Match &match) {
    MatmulOp scores = match.scores, product = match.product;
    Value result = match.getResult();
    OpBuilder builder(result.getDefiningOp());
    Location loc = builder.getFusedLoc({scores.getLoc(),
                                        match.softmax.ops.back()->getLoc(),
                                        product.getLoc()});
    Value query = scores.getSrc(), values = product.getWeights();
    if (scores.getTransposeA())
      query = transposeMatrices(builder, loc, query);
    if (product.getTransposeB())
      values = transposeMatrices(builder, loc, values);
    auto attention = AttentionOp::create(
        builder, loc, TypeRange{result.getType()},
        ValueRange{query, scores.getWeights(), values},
        ArrayRef<NamedAttribute>{
            builder.getNamedAttr("transpose_key", scores.getTransposeBAttr()),
            builder.getNamedAttr(
                "mode", builder.getStringAttr(
                            stringifySoftmaxMode(match.softmax.mode)))});
    Block *body = builder.createBlock(&attention.getBody(), {},
                                      {scores.getType()}, {scores.getLoc()});
    IRMapping mapping;
    mapping.map(scores.getResult(), body->getArgument(0));
    for (Operation *op : match.body)
      builder.clone(*op, mapping);
    YieldOp::create(builder, loc, mapping.lookup(match.softmax.logits));
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
    ops.insert(match.softmax.ops.begin(), match.softmax.ops.end());
    ops.insert(match.scores);
    ops.insert(match.product);
    if (match.narrowing)
      ops.insert(match.narrowing);
    if (match.softmax.division)
      ops.insert(match.softmax.division);
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
