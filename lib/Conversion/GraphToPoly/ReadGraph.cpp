// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GraphReader.h"
#include "ReadObstacles.h"
#include "ReshapeMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

unsigned GraphReader::addArray(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  assert((element || !findTypeObstacle(type)) && "a tensor without an array");
  if (!element)
    element = getArrayElement(type.getElementType());
  scop.arrays.push_back({"T" + std::to_string(scop.arrays.size()),
                         SmallVector<int64_t>(type.getShape()), element,
                         std::nullopt, std::nullopt});
  return scop.arrays.size() - 1;
}

LogicalResult GraphReader::addInputs() {
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    if (llvm::all_of(argument.getUsers(), [](Operation *user) {
          return user->hasTrait<RowMajorView>() || getWindowView(user);
        }))
      continue;
    if (auto obstacle = findTypeObstacle(argument.getType()))
      return function.emitOpError()
             << "cannot run on target 'npu' with argument " << number << ": "
             << *obstacle;
    unsigned array = addArray(argument);
    scop.arrays[array].name = "I" + std::to_string(number);
    scop.arrays[array].input = number;
    places[argument] = {array, getIdentity(getShape(argument).size())};
  }
  return success();
}

/// The elements of a value at the indices that `map` gives.
FailureOr<ScopAccess> GraphReader::getAccess(Value value, AffineMap map) {
  auto place = places.find(value);
  if (place == places.end())
    return emitError(value.getLoc())
           << "poly-extract has no elements of this value";
  return ScopAccess{place->second.array, place->second.map.compose(map)};
}

void GraphReader::addCopy(Location loc, ArrayRef<int64_t> shape,
                          ScopAccess from, ScopAccess to) {
  scop.statements.push_back(
      {SmallVector<int64_t>(shape),
       {from},
       to,
       [](OpBuilder &, ValueRange read) { return read[0]; },
       loc});
}

/// A result whose elements no statement writes in the result's order, or that
/// is returned twice, is a copy.
LogicalResult GraphReader::addOutputs(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    auto place = places.find(value);
    if (place == places.end())
      return op.emitOpError() << "operand " << number
                              << " is not computed by an op that poly-extract "
                                 "takes";
    ScopArray &array = scop.arrays[place->second.array];
    // A reshape keeps the order of elements.
    if (!array.input && !array.output) {
      array.output = number;
      array.name = "O" + std::to_string(number);
      continue;
    }
    // A copy is in the order of the elements, too.
    ScopArray copied{"O" + std::to_string(number), array.shape, array.element,
                     std::nullopt, number};
    AffineMap identity = getIdentity(copied.shape.size());
    unsigned copy = scop.arrays.size();
    addCopy(op.getLoc(), copied.shape, {place->second.array, identity},
            {copy, identity});
    scop.arrays.push_back(std::move(copied));
  }
  return success();
}

/// Reshapes copy nothing: whoever reads the result reads the operand.
LogicalResult GraphReader::readReshape(Operation *op) {
  // Only the first of several reshapes in a row has elements.
  Value source = op->getOperand(0), result = op->getResult(0);
  while (source.getDefiningOp() &&
         source.getDefiningOp()->hasTrait<RowMajorView>())
    source = source.getDefiningOp()->getOperand(0);
  ArrayRef<int64_t> from = getShape(source), to = getShape(result);
  if (from == to && places.contains(source)) {
    Place place = places[source];
    places[result] = place;
    return success();
  }
  // An input is seen in the other shape as a whole.
  if (auto argument = dyn_cast<BlockArgument>(source)) {
    unsigned array = addArray(result);
    scop.arrays[array].input = argument.getArgNumber();
    scop.arrays[array].name = "I" + std::to_string(argument.getArgNumber()) +
                              "_" + std::to_string(array);
    places[result] = {array, getIdentity(to.size())};
    return success();
  }
  AffineMap map = getReshapeMap(from, to, context);
  FailureOr<ScopAccess> access = getAccess(source, map);
  if (failed(access))
    return failure();
  places[result] = {access->array, access->map};
  return success();
}

void GraphReader::addInitialisation(Location loc, unsigned array,
                                    TypedAttr value) {
  ArrayRef<int64_t> shape = scop.arrays[array].shape;
  scop.statements.push_back({SmallVector<int64_t>(shape),
                             {},
                             {array, getIdentity(shape.size())},
                             [=](OpBuilder &builder, ValueRange) -> Value {
                               return arith::ConstantOp::create(builder, loc,
                                                                value);
                             },
                             loc});
}

/// Windows copy nothing either: an argument is seen in another shape.
LogicalResult GraphReader::readWindows(FusibleOpInterface op,
                                       const WindowView &view) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  Value source = operand;
  while (source.getDefiningOp() &&
         source.getDefiningOp()->hasTrait<RowMajorView>())
    source = source.getDefiningOp()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(source)) {
    unsigned array = addArray(result);
    std::string number = std::to_string(argument.getArgNumber());
    scop.arrays[array].shape = view.shape;
    scop.arrays[array].input = argument.getArgNumber();
    scop.arrays[array].name = "I" + number + "_" + std::to_string(array);
    places[result] = {array, view.map};
    return success();
  }
  FailureOr<ScopAccess> access = getAccess(operand, op.getOperandMap(0));
  if (failed(access))
    return failure();
  places[result] = {access->array, access->map};
  return success();
}

/// Puts the loops of a statement into the order in which it reads an array, if
/// what it writes stays in order.
static void orderLoops(ScopStatement &statement, AffineMap read) {
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < statement.space.size(); ++dim)
    if (!read.isFunctionOfDim(dim)) {
      if (statement.space[dim] > 1)
        return;
      order.push_back(dim);
    }
  for (AffineExpr index : read.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (!dim || llvm::is_contained(order, dim.getPosition()))
      return;
    order.push_back(dim.getPosition());
  }
  MLIRContext *context = read.getContext();
  SmallVector<AffineExpr> dims(order.size());
  SmallVector<int64_t> space;
  for (auto [place, dim] : llvm::enumerate(order)) {
    dims[dim] = getAffineDimExpr(place, context);
    space.push_back(statement.space[dim]);
  }
  auto replace = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(dims, {}, order.size(), 0);
  };
  int64_t previous = -1;
  for (AffineExpr index : replace(statement.write.map).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (!dim || space[dim.getPosition()] == 1)
      continue;
    if (int64_t(dim.getPosition()) < previous)
      return;
    previous = dim.getPosition();
  }
  statement.space = space;
  statement.forEachAccess(
      [&](ScopAccess &access) { access.map = replace(access.map); });
}

/// Sums of f16 are f32 until the last term.
LogicalResult GraphReader::readReduction(FusibleOpInterface op) {
  auto reduction = cast<ReductionOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  Value operand = op->getOperand(0);
  FailureOr<ScopAccess> access = getAccess(operand, op.getOperandMap(0));
  if (failed(access))
    return failure();
  unsigned array = addArray(result);
  Type element = scop.arrays[array].element;
  // The kind of the combination: maxima need no wider type.
  Block scratch;
  Type compute = getComputeType(element);
  scratch.addArguments({compute, compute}, {loc, loc});
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&scratch);
  Value combined = reduction.combine(builder, loc, scratch.getArgument(0),
                                     scratch.getArgument(1));
  bool isExact =
      isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                      arith::MinNumFOp>(combined.getDefiningOp());
  // A maximum of which any operand may be the result if one is NaN.
  bool isSelected = false;
  if (auto select = combined.getDefiningOp<arith::SelectOp>())
    if (auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>())
      isSelected = compare.getPredicate() == arith::CmpFPredicate::OGT &&
                   compare.getLhs() == select.getTrueValue() &&
                   compare.getRhs() == select.getFalseValue();
  isExact |= isSelected;
  unsigned sum = array;
  Type wide = isExact ? element : compute;
  if (wide != element)
    sum = addArray(result, wide);
  TypedAttr identity = reduction.getIdentity(compute);
  if (auto number = dyn_cast<FloatAttr>(identity); number && wide != compute)
    identity = FloatAttr::get(wide, number.getValueAsDouble());
  addInitialisation(loc, sum, identity);
  AffineMap map = op.getResultMap(0);
  ScopStatement update{op.getIterationSpace(), {}, {sum, map}, {}, loc};
  update.reads = {{sum, map}, *access};
  orderLoops(update, access->map);
  update.buildBody = [=](OpBuilder &builder, ValueRange read) mutable {
    Value term =
        read[1].getType() == wide ? read[1] : widen(builder, loc, read[1]);
    if (isSelected)
      return Value(arith::MaximumFOp::create(builder, loc, read[0], term));
    return reduction.combine(builder, loc, read[0], term);
  };
  scop.statements.push_back(std::move(update));
  AffineMap own = getIdentity(getShape(result).size());
  places[result] = {array, own};
  if (sum != array)
    scop.statements.push_back({SmallVector<int64_t>(getShape(result)),
                               {{sum, own}},
                               {array, own},
                               [=](OpBuilder &builder, ValueRange read) {
                                 return narrow(builder, loc, read[0], element);
                               },
                               loc});
  return success();
}

LogicalResult GraphReader::read(Operation *op) {
  if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (auto obstacle = findReadObstacle(op))
    return op->emitOpError("cannot run on target 'npu': ") << *obstacle;
  std::optional<ReadKind> kind = getReadKind(op->getName());
  if (!kind)
    return success();
  switch (*kind) {
  case ReadKind::constant:
    return success();
  case ReadKind::view:
    return readReshape(op);
  case ReadKind::contraction:
    return readContraction(cast<ContractionOpInterface>(op));
  case ReadKind::reduction:
    return readReduction(cast<FusibleOpInterface>(op));
  case ReadKind::elementwise:
    return readElementwise(cast<FusibleOpInterface>(op));
  case ReadKind::statement:
    return readStatement(cast<StatementOpInterface>(op));
  }
  llvm_unreachable("an unknown kind");
}

FailureOr<ScopModel> GraphReader::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError() << "has more than one block";
  if (failed(addInputs()))
    return failure();
  for (Operation &op : function.getBody().front().without_terminator())
    if (failed(read(&op)))
      return failure();
  auto end =
      dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!end || end.getNumOperands() == 0)
    return function.emitOpError() << "returns no tensor";
  if (failed(addOutputs(end)))
    return failure();
  return std::move(scop);
}

FailureOr<ScopModel> gc::readGraph(func::FuncOp function) {
  return GraphReader(function).run();
}
