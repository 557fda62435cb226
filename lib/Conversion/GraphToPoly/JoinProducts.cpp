// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of what is computed from other products, row by row: prepared for a
// kernel of both.

#include "Conversion/Passes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "JoinedProducts.h"
#include "OpBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace gc {
#define GEN_PASS_DEF_POLYJOINPRODUCTS
#include "Conversion/Passes.h.inc"
} // namespace gc

using namespace gc;
using namespace gc::graph;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}
/// The left and the right factor of a product, and the product.
static Value getLeft(ContractionOpInterface op) {
  return op.getFactor(0).get();
}
static Value getRight(ContractionOpInterface op) {
  return op.getFactor(1).get();
}
static Value getProduct(ContractionOpInterface op) { return op->getResult(0); }
static bool isF16(Value value) {
  return getElementTypeOrSelf(value.getType()).isF16();
}
static Value cloneAsF16(OpBuilder &builder, Operation *op,
                        ArrayRef<Value> operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  Value result = copy->getResult(0);
  result.setType(
      cast<ShapedType>(result.getType()).clone(builder.getF16Type()));
  return result;
}

/// Whether the op computes powers that are at most 1.
static bool isPowerOfNegative(Operation *op) {
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  return fusible && computes<math::ExpOp>(op) &&
         fusible.getResultInterval(0).highest <= 1;
}

namespace {
/// Two products, the second of which multiplies what is computed from the
/// first.
class Join {
public:
  Join(ContractionOpInterface second, const npu::Machine &machine)
      : second(second), machine(machine) {}

  /// Whether there is such a product at all.
  bool find();
  /// Why the two cannot be in one kernel, or nothing.
  std::optional<StringRef> findObstacle();
  /// Rewrites the ops between, and marks all of them with `number`.
  void apply(int64_t number);

  ContractionOpInterface getFirst() const { return first; }
  /// Whether ops are computed in f16 that were in f32.
  bool hasNarrowed() const { return isNarrowed; }

private:
  /// The multiplication of the first product by a power of two, if its left
  /// factor may be multiplied instead.
  Operation *findScale();
  void moveScale(OpBuilder &builder);
  bool canNarrow(Value value) const;
  Value narrow(OpBuilder &builder, Value value);
  /// Whether the op reduces the last dimension only.
  static bool isOfRows(Operation *op);
  std::optional<StringRef> findObstacle(Operation *op);
  bool fits();

  ContractionOpInterface second, first;
  const npu::Machine &machine;
  /// What depends on the first product and leads to the second.
  llvm::SmallSetVector<Operation *, 16> between;
  Operation *scale = nullptr;
  /// The left factor, without the division of its rows, and their divisor.
  Value factor, divisor;
  llvm::DenseMap<Value, Value> narrowed;
  bool isNarrowed = false;
};
} // namespace

bool Join::find() {
  SmallVector<Operation *> stack;
  llvm::SmallSetVector<Operation *, 16> before;
  auto visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && before.insert(op) && !isa<ContractionOpInterface>(op))
      stack.push_back(op);
  };
  visit(getLeft(second));
  while (!stack.empty())
    for (Value operand : stack.pop_back_val()->getOperands())
      visit(operand);
  for (Operation *op : before) {
    auto product = dyn_cast<ContractionOpInterface>(op);
    if (product && getShape(getProduct(product)) == getShape(getLeft(second)) &&
        (!first || first->isBeforeInBlock(product)))
      first = product;
  }
  if (!first)
    return false;
  SmallVector<Operation *> ordered = llvm::to_vector(before);
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          Operation *source = operand.getDefiningOp();
          return source && (source == first || between.contains(source));
        }))
      between.insert(op);
  return true;
}

/// The only element of a constant.
static std::optional<double> getScalar(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      elements.getNumElements() != 1 ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

/// In f16 the factor times 1/2, 1/4 ... is exact but for elements below 2^-14
/// times its inverse, which lose bits of less than 2^-24. Factors above one
/// could overflow where the product does not.
Operation *Join::findScale() {
  Value value = getProduct(first);
  auto getOnlyUser = [](Value value) {
    return value.hasOneUse() ? *value.user_begin() : nullptr;
  };
  Operation *user = getOnlyUser(value);
  if (isConversion(user)) {
    value = user->getResult(0);
    user = getOnlyUser(value);
  }
  if (!between.contains(user) || user->getNumOperands() != 2 ||
      !computes<arith::MulFOp, arith::DivFOp>(user))
    return nullptr;
  bool isDivision = computes<arith::DivFOp>(user),
       isLeft = user->getOperand(0) == value;
  std::optional<double> number = getScalar(user->getOperand(isLeft ? 1 : 0));
  if (!number || *number <= 0 || (isDivision && !isLeft) ||
      getShape(user->getResult(0)) != getShape(value))
    return nullptr;
  int exponent;
  double by = isDivision ? 1 / *number : *number;
  if (std::frexp(by, &exponent) != 0.5 || exponent > 0 || exponent < -7)
    return nullptr;
  return user;
}

/// Multiplies the left factor of the first product instead of the product.
void Join::moveScale(OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(first);
  bool isDivision = computes<arith::DivFOp>(scale);
  Value other = scale->getOperand(1);
  if (!isDivision && getScalar(scale->getOperand(0)))
    other = scale->getOperand(0);
  double by = *getScalar(other);
  auto type = RankedTensorType::get({}, builder.getF16Type());
  Value constant = ConstantOp::create(
      builder, scale->getLoc(), type,
      DenseElementsAttr::get(
          type, builder.getF16FloatAttr(isDivision ? 1 / by : by)));
  Value source = getLeft(first);
  Value product = MultiplyOp::create(builder, scale->getLoc(), source.getType(),
                                     source, constant);
  first.getFactor(0).set(product);
  if (isF16(scale->getResult(0)))
    scale->getResult(0).replaceAllUsesWith(getProduct(first));
}

bool Join::isOfRows(Operation *op) {
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  if (!fusible || !isa<ReductionOpInterface>(op))
    return false;
  AffineMap map = fusible.getResultMap(0);
  auto space = fusible.getIterationSpace();
  for (auto [dim, size] : llvm::enumerate(space))
    if (size != 1 && map.isFunctionOfDim(dim) == (dim + 1 == space.size()))
      return false;
  return true;
}

/// Whether what is computed in f32 may be computed in f16: elements that are
/// already of it, the largest of a row, differences from it, and powers of
/// these, which are at most one.
bool Join::canNarrow(Value value) const {
  Operation *op = value.getDefiningOp();
  if (isF16(value))
    return true;
  if (!op || !getElementTypeOrSelf(value.getType()).isF32())
    return false;
  if (op == scale)
    return true;
  if (isConversion(op))
    return isF16(op->getOperand(0));
  if (!between.contains(op) ||
      !(isExtremum(op) || computes<arith::SubFOp>(op) || isPowerOfNegative(op)))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canNarrow(operand); });
}

Value Join::narrow(OpBuilder &builder, Value value) {
  if (isF16(value))
    return value;
  if (Value known = narrowed.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (op == scale)
    return narrowed[value] = getProduct(first);
  if (isConversion(op))
    return narrowed[value] = op->getOperand(0);
  isNarrowed = true;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(narrow(builder, operand));
  return narrowed[value] = cloneAsF16(builder, op, operands);
}

/// Blocks of 16 rows have to fit, and all columns of both products.
bool Join::fits() {
  auto pad = [](int64_t size) { return int64_t(llvm::alignTo(size, 16)); };
  int64_t columns = pad(getShape(getProduct(first)).back());
  int64_t terms = pad(getShape(getLeft(first)).back());
  int64_t width = pad(getShape(getProduct(second)).back()) + 16;
  // The same as where blocks are chosen.
  int64_t loads = llvm::count_if(between, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return !source || (source != first && !between.contains(source) &&
                         !source->hasTrait<OpTrait::ConstantLike>());
    });
  });
  int64_t ubBytes =
      4 * columns + columns / 8 + 10 * width + 256 + 8 * terms + 2048 * loads;
  return 16 * (columns + 2 * width) * 4 <= machine.l0cBytes &&
         16 * ubBytes <= machine.ubBytes &&
         columns * (terms + width) * 2 + 16 * (terms + columns) * 4 <=
             machine.l1Bytes &&
         16 * terms * 8 <= machine.l0bBytes &&
         16 * width * 8 <= machine.l0bBytes &&
         16 * terms * 8 <= machine.l0aBytes;
}

/// Why an op cannot be between two products.
std::optional<StringRef> Join::findObstacle(Operation *op) {
  bool isRows = isOfRows(op);
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  if (!fusible || op->getNumResults() != 1 ||
      !(isRows || isa<ScalarBodyOpInterface>(op)))
    return "what is between them is neither computed element by element nor a "
           "reduction of rows";
  if (!canNarrow(op->getResult(0)))
    return "what is between them is not f16";
  if (ArrayRef<int64_t>(fusible.getIterationSpace()) !=
      getShape(getLeft(second)))
    return "what is between them is computed on another space";
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    AffineMap map = fusible.getOperandMap(number);
    unsigned last = map.getNumDims() - 1;
    int64_t previous = -1;
    for (AffineExpr index : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(index)) {
        if (int64_t(dim.getPosition()) < previous)
          return "elements between them are taken in another order";
        previous = dim.getPosition();
      }
    Operation *source = operand.getDefiningOp();
    bool isInside = source && (source == first || between.contains(source));
    bool isScalar =
        llvm::all_of(getShape(operand), [](int64_t size) { return size == 1; });
    if (!isInside && !isScalar && !map.isFunctionOfDim(last))
      return "values of rows between them come from elsewhere";
    if (!isInside && !isScalar && !isF16(operand))
      return "what is read between them is not f16";
  }
  return std::nullopt;
}

std::optional<StringRef> Join::findObstacle() {
  if (second.isTransposed(0) || first.isTransposed(0))
    return "rows of a left factor are its columns";
  for (Value value : {getLeft(first), getRight(first), getProduct(first),
                      getLeft(second), getRight(second)})
    if (!isF16(value))
      return "factors or the first product are not f16";
  for (Operation *op : {first.getOperation(), second.getOperation()})
    for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                        llvm::to_vector(op->getResultTypes())))
      if (!cast<ShapedType>(type).hasStaticShape())
        return "sizes are not known";
  if (first->getNumOperands() > 2 || second->getNumOperands() > 2)
    return "a product has a bias of its own";
  if (first.makesRows() || second.makesRows())
    return "a product is one of windows";
  for (Value value : {getLeft(first), getRight(first), getRight(second)})
    if (getShape(value).size() < 2 ||
        llvm::is_contained(getShape(value).take_back(2), 1))
      return "a product has no rows, columns or terms";
  if (getShape(getProduct(first)).back() % 16 != 0)
    return "the second adds up other numbers of terms than multiples of 16";
  if (!fits())
    return "blocks of rows do not fit";
  for (Operation *op : between)
    for (Operation *user : op->getUsers())
      if (user != second && !between.contains(user))
        return "what is between them is read elsewhere";
  for (Operation *user : first->getUsers())
    if (!between.contains(user) && user != second)
      return "the first is read elsewhere";
  Operation *weights = getRight(second).getDefiningOp();
  if (weights && (weights == first || between.contains(weights)))
    return "the first is part of both factors of the second";
  scale = findScale();
  // A division of rows may wait until after the second product.
  factor = getLeft(second);
  Value wide = factor;
  if (Operation *cast = wide.getDefiningOp(); isConversion(cast))
    wide = cast->getOperand(0);
  Operation *division = wide.getDefiningOp();
  if (division && computes<arith::DivFOp>(division) &&
      !getShape(division->getOperand(1)).empty() &&
      getShape(division->getOperand(1)).back() == 1 &&
      between.contains(division->getOperand(1).getDefiningOp())) {
    factor = division->getOperand(0);
    divisor = division->getOperand(1);
    Operation *sum = divisor.getDefiningOp();
    if (!isSum(sum) || sum->getOperand(0) != factor || !isOfRows(sum))
      return "rows are divided by something else than their sums";
  } else if (!isF16(wide)) {
    factor = wide;
  }
  if (!canNarrow(factor))
    return "elements between them are computed in f32";
  if (llvm::none_of(between, isOfRows))
    return "without reductions of rows between them each pipelines better on "
           "its own";
  // All that is left.
  SmallVector<Value> stack{factor};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || op == scale || !between.contains(op) || !seen.insert(op).second)
      continue;
    llvm::append_range(stack, op->getOperands());
    if (isConversion(op) && !isF16(op->getOperand(0)))
      return "elements between them are computed in f32";
    if (isConversion(op))
      continue;
    if (isSum(op))
      return "sums of rows are needed before the second product";
    if (std::optional<StringRef> obstacle = findObstacle(op))
      return obstacle;
  }
  return std::nullopt;
}

void Join::apply(int64_t number) {
  OpBuilder builder(second);
  Location loc = second.getLoc();
  if (scale)
    moveScale(builder);
  Value narrowed = narrow(builder, factor);
  auto f32 = builder.getF32Type();
  auto widen = [&](Value value) -> Value {
    return TypeCastOp::create(
        builder, loc, cast<ShapedType>(value.getType()).clone(f32), value);
  };
  Value sums;
  if (divisor) {
    Operation *copy = builder.clone(*divisor.getDefiningOp());
    copy->setOperand(0, widen(narrowed));
    copy->moveAfter(copy->getOperand(0).getDefiningOp());
    copy->getResult(0).setType(cast<ShapedType>(divisor.getType()).clone(f32));
    sums = copy->getResult(0);
  }
  auto type = cast<ShapedType>(getProduct(second).getType());
  builder.setInsertionPointAfter(second);
  second.getFactor(0).set(narrowed);
  if (divisor) {
    Value product = getProduct(second);
    product.setType(type.clone(f32));
    Value quotient =
        DivideOp::create(builder, loc, type.clone(f32), product, sums);
    Operation *division = quotient.getDefiningOp();
    Value result = quotient;
    if (!type.getElementType().isF32())
      result = TypeCastOp::create(builder, loc, type, quotient);
    product.replaceAllUsesExcept(result, division);
  }
  for (Operation *op : llvm::reverse(between))
    if (op->use_empty())
      op->erase();
  // All that depends on the first product, up to the result.
  Operation *last = second;
  if (divisor) {
    last = *second->user_begin();
    if (!type.getElementType().isF32())
      last = *last->user_begin();
  }
  llvm::SmallPtrSet<Operation *, 16> marked;
  if (scale)
    getLeft(first).getDefiningOp()->setDiscardableAttr(
        kJoinedAttr, builder.getI64IntegerAttr(number));
  for (Operation *op = first; op; op = op->getNextNode()) {
    bool isReached =
        op == first || llvm::any_of(op->getOperands(), [&](Value operand) {
          return marked.contains(operand.getDefiningOp());
        });
    if (isReached) {
      marked.insert(op);
      op->setDiscardableAttr(kJoinedAttr, builder.getI64IntegerAttr(number));
    }
    if (op == last)
      break;
  }
}

namespace {
struct JoinProducts : gc::impl::PolyJoinProductsBase<JoinProducts> {
  void runOnOperation() override {
    FailureOr<npu::Machine> machine = npu::getMachine(getOperation());
    if (failed(machine))
      return signalPassFailure();
    int64_t number = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function.isPrivate() ||
          !function.getBody().hasOneBlock())
        continue;
      SmallVector<ContractionOpInterface> products = llvm::to_vector(
          function.getBody().front().getOps<ContractionOpInterface>());
      for (ContractionOpInterface product : products) {
        Join join(product, *machine);
        if (product->hasAttr(kJoinedAttr) || !join.find() ||
            join.getFirst()->hasAttr(kJoinedAttr))
          continue;
        auto options =
            remark::RemarkOpts::name("Join").category("poly-join-products");
        if (std::optional<StringRef> obstacle = join.findObstacle()) {
          remark::missed(product.getLoc(), options)
              << remark::add("the product and that of which its left factor is "
                             "computed stay apart")
              << remark::reason("{0}", *obstacle);
          continue;
        }
        join.apply(number++);
        remark::passed(product.getLoc(), options) << remark::add(
            join.hasNarrowed() ? "the product and that of which its left "
                                 "factor is computed are one kernel; what is "
                                 "between them is computed in f16 instead of "
                                 "f32"
                               : "the product and that of which its left "
                                 "factor is computed are one kernel");
      }
    }
  }
};
} // namespace
