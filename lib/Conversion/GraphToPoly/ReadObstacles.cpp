// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Why ops of the graph do not become statements.

#include "ReadObstacles.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/DeadOps.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "Dialect/Poly/Transforms/VectorUnit.h"
#include "GraphReader.h"
#include "OpBody.h"
#include "OpLoops.h"
#include "WindowView.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

using Obstacle = std::optional<std::string>;

/// A text of anything that can be printed.
template <typename... Parts>
static std::string join(Parts &&...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

static bool isOfBits(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(1);
}

static bool isOfBytes(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(8);
}

/// What reshapes see in another shape.
static Value getViewed(Value value) {
  while (value.getDefiningOp() &&
         value.getDefiningOp()->hasTrait<RowMajorView>())
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

static bool isReturned(Value value) {
  // Terminators of inner regions are part of the ops that have them.
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->hasTrait<OpTrait::ReturnLike>() &&
           user->getBlock() == value.getParentBlock();
  });
}

std::optional<ReadKind> gc::getReadKind(OperationName name) {
  if (name.getTypeID() == TypeID::get<ConstantOp>())
    return ReadKind::constant;
  if (name.hasTrait<RowMajorView>())
    return ReadKind::view;
  if (name.hasInterface<ContractionOpInterface>())
    return ReadKind::contraction;
  if (name.hasInterface<StatementOpInterface>())
    return ReadKind::statement;
  if (!name.hasInterface<FusibleOpInterface>())
    return std::nullopt;
  if (name.hasInterface<ReductionOpInterface>())
    return ReadKind::reduction;
  if (name.hasInterface<ScalarBodyOpInterface>())
    return ReadKind::elementwise;
  return std::nullopt;
}

Type gc::getArrayElement(Type element) {
  if (element.isUnsignedInteger())
    return nullptr;
  if (element.isSignedInteger())
    element =
        IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return npu::getDType(element) ? element : nullptr;
}

Obstacle gc::findElementObstacle(Type element) {
  if (getArrayElement(element))
    return std::nullopt;
  return join("the NPU has no elements of '", element,
              "', only f16, f32, i8 and i32");
}

Obstacle gc::findTypeObstacle(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return join("'", type, "' is not a tensor of known rank");
  if (!tensor.hasStaticShape())
    return join("the sizes of '", type, "' are not all known");
  if (tensor.getNumElements() == 0)
    return join("'", type, "' has no elements");
  if (tensor.getEncoding())
    return join("'", type, "' is not in the plain layout");
  return findElementObstacle(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Kinds of ops
//===----------------------------------------------------------------------===//

constexpr StringLiteral kReturnsConstant =
    "it is returned, but kernels return what they compute";
constexpr StringLiteral kMovesBytes =
    "it only moves elements of 'i8', but the vector unit moves 16 or 32 bits";

/// Adds values of the compute types of tensors to a block.
static void addScalars(Block &block, TypeRange types, Location loc) {
  for (Type type : types)
    block.addArgument(getComputeType(getElementTypeOrSelf(type)), loc);
}

/// The body is built from scalars, as a statement would have it, and thrown
/// away.
static Obstacle findBodyObstacle(Operation *op) {
  auto scalar = cast<ScalarBodyOpInterface>(op);
  if (scalar.getIndexDim())
    return "it computes with the indices of elements, which the vector unit "
           "does not have";
  Block block;
  addScalars(block, op->getOperandTypes(), op->getLoc());
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&block);
  SmallVector<Value> results =
      scalar.buildBody(builder, op->getLoc(), block.getArguments());
  if (results.empty())
    return join("it does not compute on elements of '",
                getElementTypeOrSelf(op->getOperand(0).getType()), "'");
  if (llvm::any_of(results, [](Value result) {
        return isa<BlockArgument>(result) && result.getType().isInteger(8);
      }))
    return kMovesBytes.str();
  // The cube unit converts its sums itself.
  Value converted = poly::getDrained(results.front());
  auto product = dyn_cast_or_null<ContractionOpInterface>(
      op->getOperand(0).getDefiningOp());
  if (results.size() == 1 && converted && isa<BlockArgument>(converted) &&
      product && !isProductOfVectors(product))
    return std::nullopt;
  YieldOp::create(builder, op->getLoc(), results);
  if (auto obstacle = poly::findVectorObstacle(block))
    return "what it computes " + *obstacle;
  return std::nullopt;
}

static Obstacle findGapObstacle(FusibleOpInterface op) {
  if (op.getFusibleKind() == FusibleKind::windows)
    return "no load has its windows: they are loaded if they have each element "
           "once and a reduction reads them";
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (op.getGaps(i))
      return join("it may read operand ", i,
                  " where that has no elements, which no load does");
  return std::nullopt;
}

/// Bits are compared where they are used, and cannot be broadcast.
static Obstacle findBitsObstacle(FusibleOpInterface op) {
  SmallVector<int64_t> space = op.getIterationSpace();
  for (unsigned bits = 0; bits < op->getNumOperands(); ++bits) {
    if (!isOfBits(op->getOperand(bits)))
      continue;
    AffineMap own = op.getOperandMap(bits);
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      if (getSplat(op->getOperand(i)))
        continue;
      AffineMap other = op.getOperandMap(i);
      for (unsigned dim = 0; dim < space.size(); ++dim)
        if (space[dim] > 1 && other.isFunctionOfDim(dim) &&
            !own.isFunctionOfDim(dim))
          return join("elements of 'i1' (operand ", bits,
                      ") cannot be broadcast");
    }
  }
  return std::nullopt;
}

/// Conversions of windows are left to the reduction that reads them, in f32.
static Obstacle findWindowConversionObstacle(Operation *op) {
  if (!isConversion(op) || !getWindowView(op->getOperand(0).getDefiningOp()))
    return std::nullopt;
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (from && to && to.getWidth() >= from.getWidth())
    return std::nullopt;
  return "it converts windows to a type that does not have all of their values";
}

static Obstacle findElementwiseObstacle(FusibleOpInterface op) {
  if (getWindowView(op))
    return std::nullopt;
  if (Obstacle obstacle = findWindowConversionObstacle(op))
    return obstacle;
  if (Obstacle obstacle = findGapObstacle(op))
    return obstacle;
  if (Obstacle obstacle = findBitsObstacle(op))
    return obstacle;
  if (llvm::any_of(op->getResults(), isOfBits) &&
      llvm::all_of(op->getOperands(), getSplat))
    return "it compares constants";
  for (OpResult result : op->getResults())
    if (isOfBits(result) &&
        !op.getResultMap(result.getResultNumber()).isIdentity())
      return "it writes elements of 'i1' in another order";
  return findBodyObstacle(op);
}

static Obstacle findReductionObstacle(FusibleOpInterface op) {
  if (Obstacle obstacle = findGapObstacle(op))
    return obstacle;
  if (!llvm::all_of(op.getResultMap(0).getResults(),
                    llvm::IsaPred<AffineDimExpr, AffineConstantExpr>))
    return "it reduces a dimension in parts";
  Block block;
  Type type = op->getResult(0).getType();
  addScalars(block, {type, type}, op.getLoc());
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&block);
  Value combined = cast<ReductionOpInterface>(op.getOperation())
                       .combine(builder, op.getLoc(), block.getArgument(0),
                                block.getArgument(1));
  if (poly::getReduceKind(combined.getDefiningOp()))
    return std::nullopt;
  return "the vector unit adds up elements or finds the largest or smallest, "
         "and no other reduction";
}

static Obstacle findWindowObstacle(ContractionOpInterface op) {
  RowWindow window = *op.getRowWindow();
  int64_t rank = window.kernel.size() + 2;
  auto getRank = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  if (window.groups == 1 && window.rows.empty() &&
      getRank(op.getFactor(0).get()) == rank &&
      getRank(op->getResult(0)) == rank)
    return std::nullopt;
  return "the cube unit multiplies windows of one group of channels, counted "
         "by [n, y...]";
}

/// A reshape of an argument that is returned, or of what is returned as well,
/// is a copy.
static Obstacle findViewObstacle(Operation *op) {
  if (!isOfBytes(op->getResult(0)) || !isReturned(op->getResult(0)))
    return std::nullopt;
  Value source = getViewed(op->getOperand(0));
  if (isa<BlockArgument>(source) || isReturned(source))
    return kMovesBytes.str();
  return std::nullopt;
}

SmallVector<Obstacle> gc::findReturnObstacles(Operation *terminator) {
  SmallVector<Obstacle> obstacles(terminator->getNumOperands());
  llvm::DenseMap<Value, unsigned> returned;
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    // Reshapes of arguments, and of what is returned, have obstacles of their
    // own.
    if (Operation *op = value.getDefiningOp();
        op && op->hasTrait<RowMajorView>() && findViewObstacle(op))
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    Obstacle obstacle =
        argument ? findTypeObstacle(value.getType()) : std::nullopt;
    if (obstacle) {
      obstacles[number] =
          join("result ", number, " cannot be returned: ", *obstacle);
      continue;
    }
    auto [first, isFirst] = returned.try_emplace(getViewed(value), number);
    if ((!argument && isFirst) || !isOfBytes(value))
      continue;
    std::string other = argument ? join("argument ", argument.getArgNumber())
                                 : join("result ", first->second);
    obstacles[number] =
        join("result ", number, " is a copy of ", other,
             ", of elements of 'i8', but the vector unit moves 16 or 32 bits");
  }
  return obstacles;
}

/// The number of terms of each sum of a product of matrices.
static int64_t getNumTerms(ContractionOpInterface op) {
  auto type = cast<RankedTensorType>(op.getFactor(0).get().getType());
  return type.getShape()[type.getRank() - (op.isTransposed(0) ? 2 : 1)];
}

bool gc::isProductOfVectors(ContractionOpInterface op) {
  if (!op.isMatrixProduct())
    return false;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  return getNumTerms(op) == 1 ||
         llvm::all_of(shape.take_back(2),
                      [](int64_t size) { return size == 1; });
}

/// Sums of products of i8 that the vector unit adds up in f32, exactly.
constexpr int64_t kMostTerms = 1024;

static Obstacle findContractionObstacle(ContractionOpInterface op) {
  bool isOfWindows = op.makesRows() && op->getNumOperands() == 2;
  if (!op.isMatrixProduct() && !isOfWindows)
    return "the cube unit computes products of two matrices, or of windows and "
           "a matrix, to which nothing is added";
  if (op.hasZeroPoints())
    return "it has zero points, but the cube unit multiplies numbers as they "
           "are";
  Type lhs = getElementTypeOrSelf(op.getFactor(0).get().getType());
  Type rhs = getElementTypeOrSelf(op.getFactor(1).get().getType());
  if (lhs != rhs ||
      (!lhs.isF16() && !lhs.isSignedInteger(8) && !lhs.isSignlessInteger(8)))
    return join("it multiplies '", lhs, "' by '", rhs,
                "', but the cube unit multiplies f16 by f16 or i8 by i8");
  Type own = getArrayElement(getElementTypeOrSelf(op->getResult(0).getType()));
  if (own && own.isInteger() != lhs.isInteger())
    return join("its result is of '", own, "', but sums of products of '", lhs,
                "' are ", lhs.isInteger() ? "i32" : "f32");
  if (own && own.isInteger(8))
    return "its result is of 'i8', but sums of products of i8 are i32";
  if (lhs.isInteger(8) && isProductOfVectors(op) &&
      getNumTerms(op) > kMostTerms)
    return join("it multiplies one row by one column of ", getNumTerms(op),
                " elements of 'i8', but the vector unit adds up at most ",
                kMostTerms, " such products exactly");
  return isOfWindows ? findWindowObstacle(op) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// Whether the op reads elements one by one, so that they need not be in an
/// array.
static bool readsOneByOne(Operation *op) {
  return getReadKind(op->getName()) == ReadKind::elementwise;
}

/// Why an op of another dialect is not read.
static Obstacle findStatementObstacle(StatementOpInterface op) {
  if (Obstacle obstacle = op.findObstacle())
    return obstacle;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!readsElements(op, operand.getOperandNumber()))
      continue;
    if (isNumber(operand.get().getDefiningOp()) && !getSplat(operand.get()))
      return join("operand ", operand.getOperandNumber(),
                  " is a constant, but not of equal elements");
    if (Obstacle obstacle = findTypeObstacle(operand.get().getType()))
      return obstacle;
  }
  for (Type type : op->getResultTypes())
    if (Obstacle obstacle = findTypeObstacle(type))
      return obstacle;
  return std::nullopt;
}

static Obstacle findOperandObstacle(Operation *op, Value operand) {
  if (getSplat(operand)) {
    if (!readsOneByOne(op))
      return "it reads a constant, whose elements are in no array";
    if (isOfBits(operand))
      return "it reads a constant of 'i1', but conditions are comparisons";
    return std::nullopt;
  }
  if (!isOfBits(operand))
    return findTypeObstacle(operand.getType());
  if (!readsOneByOne(op))
    return "only elementwise ops read elements of 'i1'";
  // That op has to be read, too.
  Operation *source = operand.getDefiningOp();
  bool isRead = source && readsOneByOne(source) &&
                !findElementwiseObstacle(cast<FusibleOpInterface>(source)) &&
                llvm::none_of(source->getOperands(), [](Value read) {
                  return !isOfBits(read) && !getSplat(read) &&
                         findTypeObstacle(read.getType());
                });
  if (!isRead)
    return "elements of 'i1' are only what an elementwise op has just computed";
  return std::nullopt;
}

static Obstacle findResultObstacle(Operation *op, Value result) {
  if (!isOfBits(result) || !readsOneByOne(op))
    return findTypeObstacle(result.getType());
  DeadOps dead;
  for (Operation *user : result.getUsers())
    if (!readsOneByOne(user) && !dead.contains(user))
      return join("elements of 'i1' are for elementwise ops, but '",
                  user->getName(), "' reads them");
  return std::nullopt;
}

Obstacle gc::findReadObstacle(Operation *op) {
  if (auto statement = dyn_cast<StatementOpInterface>(op))
    return findStatementObstacle(statement);
  std::optional<ReadKind> kind = getReadKind(op->getName());
  // Ops of other dialects that read a number say if there is none.
  if (!kind && isNumber(op)) {
    if (llvm::any_of(op->getResults(), isReturned))
      return kReturnsConstant.str();
    return std::nullopt;
  }
  if (auto complex = dyn_cast<ComplexOpInterface>(op);
      !kind && complex && complex.isComplex())
    return "it has to be decomposed; run graph-decompose first";
  if (!kind)
    return kUnknownSpace.str();
  if (*kind == ReadKind::constant) {
    if (!getSplat(op->getResult(0)))
      return "the NPU has only constants of equal elements; pass others as "
             "arguments";
    if (isReturned(op->getResult(0)))
      return kReturnsConstant.str();
    return std::nullopt;
  }
  for (Value operand : op->getOperands())
    if (Obstacle obstacle = findOperandObstacle(op, operand))
      return obstacle;
  for (Value result : op->getResults())
    if (Obstacle obstacle = findResultObstacle(op, result))
      return obstacle;
  switch (*kind) {
  case ReadKind::constant:
    return std::nullopt;
  case ReadKind::view:
    return findViewObstacle(op);
  case ReadKind::contraction:
    return findContractionObstacle(cast<ContractionOpInterface>(op));
  case ReadKind::reduction:
    return findReductionObstacle(cast<FusibleOpInterface>(op));
  case ReadKind::elementwise:
    return findElementwiseObstacle(cast<FusibleOpInterface>(op));
  case ReadKind::statement:
    break;
  }
  llvm_unreachable("an unknown kind");
}
