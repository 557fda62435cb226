// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Interpreter.h"
#include "ChunkPlan.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "Reference/ReferenceInterface.h"
#include "ReferenceModels.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace gc::reference;
using namespace mlir;
using gc::graph::GraphDialect;

namespace {

/// Runs one function; calls run in their own interpreter.
class Interpreter final : public Evaluation {
public:
  using Callers = SmallVector<Operation *>;

  Interpreter(const InterpretOptions &options, Callers callers)
      : options(options), callers(std::move(callers)) {}

  /// Remembers statistics of `value` when it is computed.
  void watch(Value value) { watched.try_emplace(value); }
  const Statistics &getStatistics(Value value) const {
    return watched.find(value)->second;
  }

  LogicalResult run(func::FuncOp function, ArrayRef<BoundedTensor> inputs,
                    SmallVectorImpl<BoundedTensor> &results);

  bool wantsBounds() const override { return options.errorBounds; }
  LogicalResult runRegion(Region &region, ArrayRef<BoundedTensor> arguments,
                          SmallVectorImpl<BoundedTensor> &results) override;

private:
  struct Entry {
    BoundedTensor tensor;
    /// Uses that are still to come.
    int64_t uses;
  };

  LogicalResult runOp(Operation *op);
  LogicalResult runCall(CallOpInterface call, ArrayRef<BoundedTensor> operands,
                        SmallVectorImpl<BoundedTensor> &results);
  void define(Value value, BoundedTensor tensor);
  /// Reads the operands of `op`; each value is dropped with its last use.
  void takeOperands(Operation *op, SmallVectorImpl<BoundedTensor> &operands);

  const InterpretOptions &options;
  Callers callers;
  DenseMap<Value, Entry> values;
  DenseMap<Value, Statistics> watched;
};

} // namespace

void Interpreter::define(Value value, BoundedTensor tensor) {
  if (auto it = watched.find(value); it != watched.end())
    it->second = computeStatistics(tensor.value);
  int64_t uses = std::distance(value.use_begin(), value.use_end());
  if (uses)
    values[value] = {std::move(tensor), uses};
}

void Interpreter::takeOperands(Operation *op,
                               SmallVectorImpl<BoundedTensor> &operands) {
  for (Value operand : op->getOperands()) {
    auto it = values.find(operand);
    if (--it->second.uses) {
      operands.push_back(it->second.tensor);
      continue;
    }
    operands.push_back(std::move(it->second.tensor));
    values.erase(it);
  }
}

LogicalResult Interpreter::run(func::FuncOp function,
                               ArrayRef<BoundedTensor> inputs,
                               SmallVectorImpl<BoundedTensor> &results) {
  if (function.isExternal())
    return function.emitOpError("has no body to evaluate");
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow, which the reference does "
                                "not evaluate");
  if (llvm::is_contained(callers, function))
    return function.emitOpError("calls itself");
  callers.push_back(function);
  return runRegion(function.getBody(), inputs, results);
}

LogicalResult Interpreter::runRegion(Region &region,
                                     ArrayRef<BoundedTensor> arguments,
                                     SmallVectorImpl<BoundedTensor> &results) {
  for (auto [argument, value] :
       llvm::zip_equal(region.getArguments(), arguments))
    define(argument, value);
  for (Operation &op : region.front()) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      takeOperands(&op, results);
      return success();
    }
    if (failed(runOp(&op)))
      return failure();
  }
  return success();
}

/// Results must have a known size that fits.
static LogicalResult checkResultTypes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return op->emitOpError("cannot be evaluated: ")
             << type << (tensor ? " has a dynamic shape" : " is not a tensor");
    int64_t count = 8; // bytes of the widest element
    for (int64_t size : tensor.getShape())
      if (llvm::MulOverflow(count, std::max<int64_t>(size, 1), count))
        return op->emitOpError("cannot be evaluated: the size of ")
               << type << " overflows";
  }
  return success();
}

LogicalResult Interpreter::runOp(Operation *op) {
  SmallVector<BoundedTensor> operands, results;
  auto call = dyn_cast<CallOpInterface>(op);
  auto model = dyn_cast<ReferenceOpInterface>(op);
  if (!call && !model)
    return op->emitOpError("has no meaning that the reference can evaluate");
  if (failed(checkResultTypes(op)))
    return failure();
  takeOperands(op, operands);
  LogicalResult done = call ? runCall(call, operands, results)
                            : model.evaluate(operands, *this, results);
  if (failed(done))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op->getResults(), results))
    define(value, std::move(result));
  return success();
}

LogicalResult Interpreter::runCall(CallOpInterface call,
                                   ArrayRef<BoundedTensor> operands,
                                   SmallVectorImpl<BoundedTensor> &results) {
  auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
  if (!callee)
    return call->emitOpError(
        "calls a function that the reference does not know");
  return Interpreter(options, callers).run(callee, operands, results);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static LogicalResult checkInput(func::FuncOp function, unsigned index,
                                const Tensor &input) {
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto complain = [&]() {
    return function.emitOpError("argument ")
           << index << " of type " << function.getArgumentTypes()[index] << ' ';
  };
  if (!type)
    return complain() << "is not a tensor";
  auto element = getElementType(type.getElementType());
  if (!element)
    return complain() << "has an unsupported element type";
  if (!type.hasStaticShape())
    return complain() << "has a dynamic shape";
  if (!input)
    return complain() << "gets no tensor";
  if (input.getType() != *element || input.getShape() != type.getShape())
    return complain() << "gets a tensor " << describe(input);
  return success();
}

/// One tensor per argument; what the fold function computes is computed.
static LogicalResult completeInputs(func::FuncOp function,
                                    ArrayRef<Tensor> inputs,
                                    const InterpretOptions &options,
                                    SmallVectorImpl<BoundedTensor> &complete) {
  unsigned count = function.getNumArguments();
  auto isFolded = [&](unsigned i) {
    return bool(function.getArgAttr(i, GraphDialect::kFoldedAttr));
  };
  unsigned folded = llvm::count_if(llvm::seq(count), isFolded);
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(
      GraphDialect::kFoldFunctionAttr);
  bool runsFold = symbol && folded && inputs.size() == count - folded;
  if (!runsFold && inputs.size() != count)
    return function.emitOpError("takes ")
           << count << " arguments but gets " << inputs.size();

  SmallVector<BoundedTensor> constants, results;
  for (unsigned i = 0, next = 0; i < count; ++i) {
    complete.emplace_back();
    if (runsFold && isFolded(i))
      continue;
    if (failed(checkInput(function, i, inputs[next])))
      return failure();
    complete.back().value = inputs[next++];
    if (function.getArgAttr(i, GraphDialect::kConstArgAttr))
      constants.push_back(complete.back());
  }
  if (!runsFold)
    return success();

  auto fold =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function, symbol);
  if (!fold)
    return function.emitOpError("names the unknown fold function ") << symbol;
  if (fold.getNumArguments() != constants.size())
    return function.emitOpError("has ")
           << constants.size() << " constant arguments but its fold function "
           << symbol << " takes " << fold.getNumArguments();
  if (failed(Interpreter(options, {function}).run(fold, constants, results)))
    return failure();
  for (unsigned i = 0; i < count; ++i) {
    auto index =
        function.getArgAttrOfType<IntegerAttr>(i, GraphDialect::kFoldedAttr);
    if (!index)
      continue;
    if (index.getValue().uge(results.size()))
      return function.emitOpError("argument ")
             << i << " is result " << index.getInt()
             << " of a fold function with " << results.size() << " results";
    complete[i] = results[index.getInt()];
    if (failed(checkInput(function, i, complete[i].value)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A row-major tensor that shares no memory with inputs or constants.
static FailureOr<Tensor> makeOwn(func::FuncOp function, const Tensor &tensor,
                                 ArrayRef<Tensor> inputs) {
  bool shared = llvm::any_of(inputs, [&](const Tensor &input) {
    return input && input.getData() == tensor.getData();
  });
  if (tensor.isOwned() && tensor.isContiguous() && !shared)
    return tensor;
  FailureOr<Tensor> copy = tensor.clone();
  if (failed(copy))
    return function.emitOpError("has no memory for its results");
  return copy;
}

/// Elements whose bound allows any value.
static int64_t countUnbounded(const Tensor &value, const Tensor &bound) {
  if (!bound)
    return 0;
  int64_t count = 0;
  ChunkPlan plan(bound.getShape(), {value.getStrides(), bound.getStrides()});
  for (int64_t i = 0; i < plan.getNumChunks(); ++i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    double values[ChunkPlan::kSize], bounds[ChunkPlan::kSize];
    loadElements(value.getType(), value.getData(), chunk.offsets[0],
                 plan.getInnerStride(0), chunk.size, values);
    loadElements(bound.getType(), bound.getData(), chunk.offsets[1],
                 plan.getInnerStride(1), chunk.size, bounds);
    for (int64_t k = 0; k < chunk.size; ++k)
      count += allowsAll(value.getType(), values[k], bounds[k]);
  }
  return count;
}

FailureOr<Interpretation>
gc::reference::interpret(func::FuncOp function, ArrayRef<Tensor> inputs,
                         const InterpretOptions &options) {
  SmallVector<BoundedTensor> complete, results;
  if (failed(completeInputs(function, inputs, options, complete)))
    return failure();

  Interpreter interpreter(options, {});
  SmallVector<ProbePlan> plans;
  if (!function.isExternal())
    for (Value result :
         function.getBody().front().getTerminator()->getOperands()) {
      plans.push_back(planProbe(result));
      for (Value value :
           llvm::concat<Value>(plans.back().sources, plans.back().masks))
        interpreter.watch(value);
    }
  if (failed(interpreter.run(function, complete, results)))
    return failure();
  complete.clear();

  Interpretation interpretation;
  for (auto [result, plan] : llvm::zip_equal(results, plans)) {
    FailureOr<Tensor> value = makeOwn(function, result.value, inputs);
    if (failed(value))
      return failure();
    ResultProbe &probe = interpretation.probes.emplace_back();
    probe.result = computeStatistics(*value);
    probe.saturates = plan.saturates;
    probe.mayBeConstant = plan.mayBeConstant;
    for (Value source : plan.sources)
      probe.sources.push_back(interpreter.getStatistics(source));
    for (Value mask : plan.masks)
      probe.masks.push_back(interpreter.getStatistics(mask));
    probe.unbounded = countUnbounded(*value, result.bound);
    interpretation.values.push_back(std::move(*value));
    if (options.errorBounds)
      interpretation.bounds.push_back(std::move(result.bound));
  }
  return interpretation;
}

namespace {
class ReferenceSupport : public gc::graph::TargetSupport {
public:
  StringRef getName() const override { return "reference"; }
  bool decomposes() const override { return false; }
  std::optional<std::string> getObstacle(OperationName name) const override {
    // The terminators of regions are read by the op that the regions belong to.
    if (name.hasInterface<ReferenceOpInterface>() ||
        name.hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    return "it has no meaning there";
  }
};
} // namespace

void gc::reference::registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *dialect) {
    dialect->addTarget(std::make_unique<ReferenceSupport>());
    attachAttentionModel(context);
    attachBackwardModels(context);
    attachConvolutionModel(context);
    attachDataMovementModels(context);
    attachElementwiseModels(context);
    attachInterpolateModels(context);
    attachMatmulModel(context);
    attachNormBackwardModels(context);
    attachNormModels(context);
    attachRandomModels(context);
    attachReductionModels(context);
    attachSelectionModels(context);
    attachSoftmaxModels(context);
    attachWeightsGradientModels(context);
    attachWindowModels(context);
  });
}
