// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops, branches and memory.

#include "FunctionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc;
using namespace gc::cexport;

Type cexport::getScalarType(Type type) {
  MLIRContext *context = type.getContext();
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getNumElements() != 1 || vector.isScalable())
      return {};
    return getScalarType(vector.getElementType());
  }
  if (type.isIndex())
    return IntegerType::get(context, 64);
  if (type.isF32() || type.isF64())
    return type;
  // Their bits.
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 16)
    return IntegerType::get(context, type.getIntOrFloatBitWidth(),
                            IntegerType::Unsigned);
  if (auto integer = dyn_cast<IntegerType>(type))
    if (llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth()))
      return IntegerType::get(context, integer.getWidth());
  return {};
}

LogicalResult FunctionEmitter::refuse(Operation *op, const Twine &reason) {
  return op->emitOpError("cannot be written in C: ") << reason;
}

Value FunctionEmitter::literal(Type type, const Twine &text) {
  return emitc::LiteralOp::create(b, type, b.getStringAttr(text));
}

Value FunctionEmitter::call(Type type, StringRef name, ValueRange operands) {
  return emitc::CallOpaqueOp::create(b, type, name, operands).getResult(0);
}

Value FunctionEmitter::convert(Type type, Value value) {
  return value.getType() == type ? value
                                 : emitc::CastOp::create(b, type, value);
}

Value FunctionEmitter::castUnsigned(Value value) {
  auto integer = cast<IntegerType>(value.getType());
  return convert(IntegerType::get(b.getContext(), integer.getWidth(),
                                  IntegerType::Unsigned),
                 value);
}

Value FunctionEmitter::compare(Predicate predicate, Value a, Value c) {
  return emitc::CmpOp::create(b, b.getI1Type(), predicate, a, c);
}

/// The number that a literal spells.
static std::optional<int64_t> getNumber(Value value) {
  int64_t number;
  auto literal = value.getDefiningOp<emitc::LiteralOp>();
  if (literal && !literal.getValue().getAsInteger(10, number))
    return number;
  return std::nullopt;
}

Value FunctionEmitter::add(Value a, Value c) {
  auto first = getNumber(a), second = getNumber(c);
  if (first && second)
    return index(*first + *second);
  if (first == 0)
    return c;
  if (second == 0)
    return a;
  return binary<emitc::AddOp>(b.getI64Type(), a, c);
}

Value FunctionEmitter::multiply(Value a, Value c) {
  auto first = getNumber(a), second = getNumber(c);
  if (first && second)
    return index(*first * *second);
  if (first == 0 || second == 0)
    return index(0);
  if (first == 1)
    return c;
  if (second == 1)
    return a;
  return binary<emitc::MulOp>(b.getI64Type(), a, c);
}

Value FunctionEmitter::linearize(Value buffer, ValueRange indices,
                                 Operation *op) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  // The offset is part of the pointer.
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic)) {
    (void)refuse(op, "its buffer has strides that are not constant");
    return {};
  }
  Value sum = index(0);
  for (auto [position, stride] : llvm::zip_equal(indices, strides))
    sum = add(sum, multiply(get(position), index(stride)));
  return sum;
}

Value FunctionEmitter::element(Value buffer, ValueRange indices,
                               Operation *op) {
  Value position = linearize(buffer, indices, op);
  if (!position)
    return {};
  auto pointer = cast<TypedValue<emitc::PointerType>>(get(buffer));
  return emitc::SubscriptOp::create(b, pointer, position);
}

LogicalResult FunctionEmitter::emitMemory(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Value place = element(load.getMemRef(), load.getIndices(), op);
    if (!place)
      return failure();
    values[load] = emitc::LoadOp::create(
        b, cast<emitc::LValueType>(place.getType()).getValueType(), place);
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Value place = element(store.getMemRef(), store.getIndices(), op);
    if (!place)
      return failure();
    emitc::AssignOp::create(b, place, get(store.getValue()));
    return success();
  }
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    if (!getScalarType(load.getType()) ||
        isa<VectorType>(load.getMemRefType().getElementType()))
      return refuse(op, "vectors of several elements");
    Value place = element(load.getBase(), load.getIndices(), op);
    if (!place)
      return failure();
    values[load] = emitc::LoadOp::create(
        b, cast<emitc::LValueType>(place.getType()).getValueType(), place);
    return success();
  }
  if (auto store = dyn_cast<vector::StoreOp>(op)) {
    if (!getScalarType(store.getVectorType()))
      return refuse(op, "vectors of several elements");
    Value place = element(store.getBase(), store.getIndices(), op);
    if (!place)
      return failure();
    emitc::AssignOp::create(b, place, get(store.getValueToStore()));
    return success();
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    auto bytes = get(view.getSource());
    Value at = getNumber(get(view.getByteShift())) == 0
                   ? bytes
                   : Value(emitc::AddOp::create(b, bytes.getType(), bytes,
                                                get(view.getByteShift())));
    Type scalar = getScalarType(view.getType().getElementType());
    if (!scalar)
      return refuse(op, "elements of an unknown type");
    values[view] = convert(emitc::PointerType::get(scalar), at);
    return success();
  }
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op)) {
    Value source = get(view.getSource());
    OpFoldResult offset = view.getMixedOffsets()[0];
    auto from = dyn_cast<MemRefType>(view.getSource().getType());
    SmallVector<int64_t> strides;
    int64_t sourceOffset = 0;
    if (!from || failed(from.getStridesAndOffset(strides, sourceOffset)) ||
        sourceOffset != 0)
      return refuse(op, "a view of a view");
    Value position = isa<Attribute>(offset)
                         ? index(*getConstantIntValue(offset))
                         : get(cast<Value>(offset));
    values[view] = getNumber(position) == 0
                       ? source
                       : Value(emitc::AddOp::create(b, source.getType(), source,
                                                    position));
    return success();
  }
  return failure();
}

LogicalResult FunctionEmitter::emitParallel(tir::ParallelOp op) {
  OpBuilder::InsertionGuard guard(b);
  if (auto name = op.getName())
    emitc::VerbatimOp::create(b, ("/* " + *name + " */").str());
  for (auto [size, argument] :
       llvm::zip_equal(op.getSizes(), op.getBody().getArguments())) {
    if (size == 1) {
      values[argument] = index(0);
      continue;
    }
    auto loop = emitc::ForOp::create(b, index(0), index(size), index(1));
    values[argument] = loop.getInductionVar();
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  return emitBlock(op.getBody().front());
}

LogicalResult FunctionEmitter::emitFor(scf::ForOp op) {
  if (!op.getInductionVar().getType().isIndex())
    return refuse(op, "a loop whose counter is not an index");
  SmallVector<Value> variables;
  for (Value init : op.getInitArgs()) {
    Type type = get(init).getType();
    if (isa<emitc::PointerType>(type))
      return refuse(op, "a loop that carries a buffer");
    variables.push_back(
        emitc::VariableOp::create(b, emitc::LValueType::get(type),
                                  emitc::OpaqueAttr::get(b.getContext(), "")));
    emitc::AssignOp::create(b, variables.back(), get(init));
  }
  auto loop = emitc::ForOp::create(b, get(op.getLowerBound()),
                                   get(op.getUpperBound()), get(op.getStep()));
  auto read = [&](ValueRange results) {
    for (auto [result, variable] : llvm::zip_equal(results, variables))
      values[result] = emitc::LoadOp::create(
          b, cast<emitc::LValueType>(variable.getType()).getValueType(),
          variable);
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    values[op.getInductionVar()] = loop.getInductionVar();
    read(op.getRegionIterArgs());
    if (failed(emitBlock(*op.getBody())))
      return failure();
    for (auto [value, variable] :
         llvm::zip_equal(op.getYieldedValues(), variables))
      emitc::AssignOp::create(b, variable, get(value));
  }
  read(op.getResults());
  return success();
}

LogicalResult FunctionEmitter::emitIf(scf::IfOp op) {
  SmallVector<Value> variables;
  for (Type result : op.getResultTypes()) {
    Type type = getScalarType(result);
    if (!type)
      return refuse(op, "a branch whose result is not a number");
    variables.push_back(
        emitc::VariableOp::create(b, emitc::LValueType::get(type),
                                  emitc::OpaqueAttr::get(b.getContext(), "")));
  }
  bool hasElse = !op.getElseRegion().empty();
  auto branch = emitc::IfOp::create(b, get(op.getCondition()),
                                    /*addThenBlock=*/true, hasElse);
  for (auto [from, to] :
       {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
        std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&to->front());
    if (failed(emitBlock(from->front())))
      return failure();
    for (auto [value, variable] : llvm::zip_equal(
             from->front().getTerminator()->getOperands(), variables))
      emitc::AssignOp::create(b, variable, get(value));
    emitc::YieldOp::create(b);
  }
  for (auto [result, variable] : llvm::zip_equal(op.getResults(), variables))
    values[result] = emitc::LoadOp::create(
        b, cast<emitc::LValueType>(variable.getType()).getValueType(),
        variable);
  return success();
}

LogicalResult FunctionEmitter::emitOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto parallel = dyn_cast<tir::ParallelOp>(op))
    return emitParallel(parallel);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto brgemm = dyn_cast<tir::BrgemmOp>(op))
    return emitBrgemm(brgemm);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    return emitGlobal(global);
  if (isa<memref::LoadOp, memref::StoreOp, memref::ViewOp,
          memref::ReinterpretCastOp, vector::LoadOp, vector::StoreOp>(op))
    return emitMemory(op);
  // One thread meets nobody; caches are the C compiler's business.
  if (isa<tir::BarrierOp, tir::BrgemmDispatchOp, memref::PrefetchOp,
          scf::YieldOp, tir::YieldOp, func::ReturnOp>(op))
    return success();
  if (auto product = dyn_cast<arith::MulUIExtendedOp>(op)) {
    Type type = getScalarType(product.getLow().getType());
    if (!type || !type.isInteger(32))
      return refuse(op, "a long product of other than 32 bits");
    Value a = get(product.getLhs()), c = get(product.getRhs());
    Type wide = IntegerType::get(b.getContext(), 32, IntegerType::Unsigned);
    values[product.getLow()] = convert(
        type, binary<emitc::MulOp>(wide, castUnsigned(a), castUnsigned(c)));
    values[product.getHigh()] = call(type, "gc_multiply_high", {a, c});
    return success();
  }
  if (op->getNumResults() != 1)
    return refuse(op, "it has no equivalent in C");
  FailureOr<Value> value = emitScalar(op);
  if (failed(value))
    return failure();
  values[op->getResult(0)] = *value;
  return success();
}

LogicalResult FunctionEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult FunctionEmitter::emit(func::FuncOp function, StringRef name) {
  SmallVector<Type> arguments;
  for (Type type : function.getArgumentTypes()) {
    auto buffer = dyn_cast<MemRefType>(type);
    Type scalar = buffer ? getScalarType(buffer.getElementType()) : Type();
    if (!scalar)
      return refuse(function, "an argument that is not a buffer of numbers");
    arguments.push_back(emitc::PointerType::get(scalar));
  }
  auto result = emitc::FuncOp::create(
      b, name, b.getFunctionType(arguments, {}),
      {b.getNamedAttr("specifiers", b.getStrArrayAttr({"static"}))});
  Block *body = result.addEntryBlock();
  for (auto [from, to] :
       llvm::zip_equal(function.getArguments(), body->getArguments()))
    values[from] = to;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(body);
  if (failed(emitBlock(function.getBody().front())))
    return failure();
  emitc::ReturnOp::create(b, Value());
  return success();
}
