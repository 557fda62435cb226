// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionLowering.h"
#include "CpuSupport.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

bool isGraphFunction(func::FuncOp func) {
  if (func.isDeclaration() || !func.getBody().hasOneBlock())
    return false;
  if (func->hasAttr(GraphDialect::kEntryAttr))
    return true;
  return llvm::any_of(func.getBody().front(), [](Operation &op) {
    return isa_and_present<GraphDialect>(op.getDialect());
  });
}

func::FuncOp FunctionLowering::createFunction() {
  auto role = [&](Type type) -> Type {
    return getBufferType(cast<RankedTensorType>(type));
  };
  // Inputs, results, and last the folded constants; a fold function has inputs
  // and results only.
  SmallVector<Type> types;
  SmallVector<unsigned> inputs, folded, position(func.getNumArguments());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    (func.getArgAttr(i, GraphDialect::kFoldedAttr) ? folded : inputs)
        .push_back(i);
  auto addArguments = [&](ArrayRef<unsigned> indices) {
    for (unsigned i : indices) {
      position[i] = types.size();
      types.push_back(role(func.getArgumentTypes()[i]));
    }
  };
  addArguments(inputs);
  unsigned firstOutput = types.size();
  for (Type type : func.getResultTypes())
    types.push_back(role(type));
  addArguments(folded);

  auto result = func::FuncOp::create(builder, func.getLoc(), func.getName(),
                                     builder.getFunctionType(types, {}));
  result.setVisibility(func.getVisibility());
  auto setCount = [&](StringRef name, int64_t value) {
    result->setAttr(name, builder.getI64IntegerAttr(value));
  };
  func::FuncOp entry = owner ? owner : func;
  result->setAttr(tir::TensorIRDialect::kEntryAttr, entry.getSymNameAttr());
  result->setAttr(tir::TensorIRDialect::kRoleAttr,
                  builder.getStringAttr(owner ? "fold" : "compute"));
  setCount(tir::TensorIRDialect::kInputsAttr, inputs.size());
  setCount(tir::TensorIRDialect::kOutputsAttr, func.getNumResults());
  if (!owner) {
    setCount(tir::TensorIRDialect::kFoldedAttr, folded.size());
  } else {
    // The fold function takes the owner's constant arguments, in order.
    SmallVector<int64_t> taken;
    int64_t input = 0;
    for (unsigned i = 0; i < owner.getNumArguments(); ++i) {
      if (owner.getArgAttr(i, GraphDialect::kFoldedAttr))
        continue;
      if (owner.getArgAttr(i, GraphDialect::kConstArgAttr))
        taken.push_back(input);
      ++input;
    }
    result->setAttr(tir::TensorIRDialect::kFoldInputsAttr,
                    builder.getDenseI64ArrayAttr(taken));
  }

  Block *body = result.addEntryBlock();
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    buffers[func.getArgument(i)] = {
        body->getArgument(position[i]),
        cast<RankedTensorType>(func.getArgumentTypes()[i])};
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    outputs.push_back({body->getArgument(firstOutput + i),
                       cast<RankedTensorType>(func.getResultTypes()[i])});
  held.resize(outputs.size());
  for (OpOperand &operand :
       func.getBody().front().getTerminator()->getOpOperands())
    resultsOf[skipViews(operand.get())].push_back(operand.getOperandNumber());
  builder.setInsertionPointToEnd(body);
  return result;
}

static LogicalResult checkElements(Operation *op, TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (!isStorable(tensor.getElementType()))
        return op->emitOpError("cannot be compiled for the CPU with element "
                               "type ")
               << tensor.getElementType();
  return success();
}

LogicalResult FunctionLowering::run() {
  for (Type type :
       llvm::concat<const Type>(func.getArgumentTypes(), func.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return func.emitOpError("has an argument or result of type ")
             << type << "; the compiler needs tensors of static shape";
  if (failed(checkElements(func, func.getArgumentTypes())))
    return failure();
  WalkResult elements = func.walk([](Operation *op) {
    return failed(checkElements(op, op->getResultTypes()))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (elements.wasInterrupted())
    return failure();
  func::FuncOp lowered = createFunction();
  for (Operation &op : func.getBody().front().without_terminator())
    if (failed(lower(&op))) {
      lowered.erase();
      return failure();
    }
  if (failed(checkResults())) {
    lowered.erase();
    return failure();
  }
  func::ReturnOp::create(builder, func.getLoc());
  func.erase();
  return success();
}

LogicalResult FunctionLowering::lower(Operation *op) {
  if (isa<ConstantOp>(op))
    return lowerConstant(op);
  if (op->hasTrait<RowMajorView>())
    return lowerReshape(op);
  if (isa<PlacementOpInterface>(op))
    return lowerPlacement(op);
  if (auto fused = dyn_cast<FusedOp>(op)) {
    for (Value result : fused.getResults()) {
      Buffer placed = getPlace(result);
      buffers[result] = placed ? placed : makeResultBuffer(result);
    }
    return RegionEmitter(builder, fused, buffers).emit();
  }
  if (BoundaryOpInterface::marks(op))
    return success();
  if (isa<FusibleOpInterface, TunableOpInterface>(op))
    return op->emitOpError("is not in a region; run graph-fuse");
  return op->emitOpError("cannot be compiled for the CPU");
}

Buffer FunctionLowering::makeResultBuffer(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  for (unsigned index : resultsOf.lookup(value)) {
    if (held[index])
      continue;
    held[index] = true;
    Value memref = outputs[index].memref;
    if (MemRefType wanted = getBufferType(type); wanted != memref.getType())
      memref = createView(value.getLoc(), memref, wanted);
    return {memref, type};
  }
  Value memref =
      createTemporary(builder, value.getLoc(), type, /*perThread=*/false);
  return {memref, type};
}

Buffer FunctionLowering::getPlace(Value value) {
  if (!value.hasOneUse())
    return {};
  OpOperand &use = *value.use_begin();
  auto placement = dyn_cast<PlacementOpInterface>(use.getOwner());
  if (!placement)
    return {};
  Value result = placement->getResult(0);
  Buffer whole = buffers.lookup(result);
  if (!whole)
    whole = buffers[result] = makeResultBuffer(result);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> strides =
      getPlainStrides(cast<RankedTensorType>(result.getType()).getShape());
  int64_t offset = 0;
  for (auto [index, stride] :
       llvm::zip_equal(placement.getPlace(use.getOperandNumber()), strides))
    offset += index * stride;
  auto memref = MemRefType::get(
      type.getShape(), getStorageType(type.getElementType()),
      StridedLayoutAttr::get(type.getContext(), offset, strides));
  Value view = memref::ReinterpretCastOp::create(builder, value.getLoc(),
                                                 memref, whole.memref, offset,
                                                 type.getShape(), strides);
  return {view, type};
}

LogicalResult FunctionLowering::lowerPlacement(Operation *op) {
  if (getLayout(op->getResult(0).getType()))
    return op->emitOpError(
        "has a result with a layout; it gives a plain tensor");
  for (OpOperand &operand : op->getOpOperands())
    if (!isa_and_nonnull<FusedOp>(operand.get().getDefiningOp()) ||
        !operand.get().hasOneUse())
      return op->emitOpError("has operand ")
             << operand.getOperandNumber()
             << ", which no region computes for it alone; run graph-fuse";
  return success();
}

Value FunctionLowering::createView(Location loc, Value memref,
                                   MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, loc, type, memref, offset,
                                           type.getShape(), strides);
}

LogicalResult FunctionLowering::lowerReshape(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (getLayout(type))
    return op->emitOpError(
        "has a result with a layout; a reshape gives a plain "
        "tensor");
  // Row-major order is the plain buffer seen in another shape.
  Value source = op->getOperand(0);
  Buffer buffer = buffers.lookup(source);
  if (getLayout(source.getType()))
    return op->emitOpError("reshapes a tensor with a layout; run "
                           "graph-propagate-layout");
  Value view = createView(op->getLoc(), buffer.memref, getBufferType(type));
  buffers[op->getResult(0)] = {view, type};
  return success();
}

/// The data of a constant with a signless element type.
static ElementsAttr getSignless(ElementsAttr value, MemRefType type) {
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  if (value.getShapedType() == tensor)
    return value;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(value))
    return dense.mapValues(type.getElementType(), [&](const APInt &v) {
      unsigned width = type.getElementTypeBitWidth();
      return value.getElementType().isSignedInteger() ? v.sextOrTrunc(width)
                                                      : v.zextOrTrunc(width);
    });
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(tensor, resource.getRawHandle());
  return {};
}

LogicalResult FunctionLowering::lowerConstant(Operation *op) {
  // The function that folds it has a copy of a folded constant.
  if (op->use_empty())
    return success();
  auto constant = cast<ConstantOp>(op);
  auto type = cast<RankedTensorType>(constant.getType());
  if (getLayout(type))
    return op->emitOpError("has a layout; constants are plain");
  MemRefType memref = getBufferType(type);
  ElementsAttr data = getSignless(constant.getValue(), memref);
  if (!data)
    return op->emitOpError("cannot be compiled for the CPU with element type ")
           << type.getElementType();
  auto module = func->getParentOfType<ModuleOp>();
  OpBuilder moduleBuilder = OpBuilder::atBlockBegin(module.getBody());
  SymbolTable symbols(module);
  auto global = memref::GlobalOp::create(
      moduleBuilder, op->getLoc(), "gc_constant",
      moduleBuilder.getStringAttr("private"), memref, data, /*constant=*/true,
      moduleBuilder.getI64IntegerAttr(64));
  symbols.insert(global);
  Value view = memref::GetGlobalOp::create(builder, op->getLoc(), memref,
                                           global.getSymName());
  buffers[constant.getResult()] = {view, type};
  return success();
}

LogicalResult FunctionLowering::checkResults() {
  auto terminator =
      cast<func::ReturnOp>(func.getBody().front().getTerminator());
  for (unsigned i = 0; i < terminator.getNumOperands(); ++i)
    if (!held[i])
      return terminator.emitOpError("returns as result ")
             << i << " what no region computes for it alone; run graph-fuse";
  return success();
}

} // namespace gc
