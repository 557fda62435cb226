// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generator.h"
#include "GraphState.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

namespace {

using Step = bool (*)(GraphState &);

enum class Family { basic, narrow, rows, windows, backward, quantized };

/// How often a step is taken that is not a matmul, in relation to the others.
struct WeightedStep {
  Step step;
  int64_t weight;
  Family family = Family::basic;
};

constexpr WeightedStep kSteps[] = {
    {addUnary, 30},
    {addBinary, 30},
    {addBias, 6},
    {addReshape, 6},
    {addTranspose, 6},
    {addReorder, 6},
    {addConcat, 6},
    {addCast, 5},
    {addPositive, 4},
    {addDropout, 4},
    {addScaling, 5},
    {addInteger, 1},
    {addNarrowMatmul, 12, Family::narrow},
    {addSoftmax, 8, Family::rows},
    {addNorm, 8, Family::rows},
    {addReduction, 12, Family::rows},
    {addSelect, 5, Family::rows},
    {addGather, 3, Family::rows},
    {addGradient, 8, Family::backward},
    {addPrelu, 3, Family::backward},
    {addBiasGradient, 2, Family::backward},
    {addSoftmaxGradient, 3, Family::backward},
    {addNormGradient, 4, Family::backward},
    {addAttention, 3, Family::rows},
    {addNarrowAttention, 3, Family::narrow},
    {addConvolution, 6, Family::windows},
    {addReversedConvolution, 6, Family::windows},
    {addPooling, 6, Family::windows},
    {addPoolingGradient, 5, Family::windows},
    {addInterpolation, 5, Family::windows},
    {addNarrowConvolution, 2, Family::narrow},
    {addNarrowReversedConvolution, 2, Family::narrow},
    {addQuantize, 5, Family::quantized},
    {addNarrowWeights, 4, Family::quantized},
    {addCompressedAttention, 2, Family::quantized}};

/// The steps that the options allow.
class StepPicker {
public:
  StepPicker(const GeneratorOptions &options) {
    for (const WeightedStep &entry : kSteps) {
      if ((entry.family == Family::narrow && !options.narrow) ||
          (entry.family == Family::rows && !options.rows) ||
          (entry.family == Family::windows && !options.windows) ||
          (entry.family == Family::backward && !options.backward) ||
          (entry.family == Family::quantized && !options.quantized))
        continue;
      steps.push_back(entry);
      sum += entry.weight;
    }
  }

  Step pick(Random &random) const {
    int64_t at = random.below(sum);
    for (const WeightedStep &entry : steps) {
      if (at < entry.weight)
        return entry.step;
      at -= entry.weight;
    }
    return addUnary;
  }

private:
  SmallVector<WeightedStep> steps;
  int64_t sum = 0;
};

/// Takes the steps in a random order; one for which no value suits is replaced.
void grow(GraphState &state, const StepPicker &picker, int64_t matmuls,
          int64_t others) {
  Random &random = state.random;
  SmallVector<Step> steps(matmuls, addMatmul);
  for (int64_t i = 0; i < others; ++i)
    steps.push_back(picker.pick(random));
  random.shuffle(steps);
  for (Step step : steps) {
    // Large values are reduced before they grow further.
    if (state.items.back().range.magnitude > 50 && random.percent(60))
      addScaling(state);
    for (int attempt = 0; attempt < 20 && !step(state); ++attempt)
      if (step != addMatmul)
        step = picker.pick(random);
  }
}

/// Whether the value may be stored in a layout of the generator's choice:
/// reshapes, constants and what operands are placed in are plain by definition.
bool mayHaveLayout(Value value) {
  Operation *op = value.getDefiningOp();
  return op && !isa<StaticReshapeOp, ConstantOp, PlacementOpInterface>(op) &&
         !getLayout(value.getType()) &&
         cast<RankedTensorType>(value.getType()).getRank() > 0;
}

/// Blocked tensors exist only between ops: callers do not know them.
bool isBlocked(Value value) {
  LayoutAttr layout = getLayout(value.getType());
  return layout && layout.isBlocked();
}

SmallVector<Value> pickResults(GraphState &state) {
  Random &random = state.random;
  SmallVector<Value> results, inner;
  for (const Item &item : state.items) {
    if (isBlocked(item.value))
      continue;
    if (isa<BlockArgument>(item.value) ||
        item.value.getDefiningOp<ConstantOp>())
      continue;
    (item.value.use_empty() ? results : inner).push_back(item.value);
  }
  random.shuffle(results);
  // A value without users may as well be dead code.
  if (results.size() > 1 && random.percent(15))
    results.pop_back();
  if (!inner.empty() && random.percent(25))
    results.push_back(random.pick(ArrayRef(inner)));
  if (!results.empty() && random.percent(10))
    results.push_back(random.pick(ArrayRef(results)));
  if (results.empty() || random.percent(5)) {
    Value argument = random.pick(ArrayRef(state.items).take_front(1)).value;
    // Elements of an argument may share memory, those of a result must not.
    auto type = cast<RankedTensorType>(argument.getType());
    argument.setType(
        RankedTensorType::get(type.getShape(), type.getElementType()));
    results.push_back(argument);
  }
  random.shuffle(results);
  return results;
}

void finish(GraphState &state) {
  Random &random = state.random;
  OpBuilder &builder = state.builder;
  SmallVector<Value> results = pickResults(state);
  for (const Item &item : state.items) {
    if (!mayHaveLayout(item.value) || !random.percent(8))
      continue;
    bool returned = llvm::is_contained(results, item.value);
    ArrayRef<int64_t> shape = item.getShape();
    LayoutAttr layout = returned || random.percent(40)
                            ? state.pickStrided(shape, /*mayOverlap=*/false)
                            : state.pickBlocked(shape);
    Value value = item.value;
    value.setType(withLayout(value.getType(), layout));
  }
  if (random.percent(10))
    EndOp::create(builder, builder.getUnknownLoc(), results.front());
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  state.func.setFunctionType(
      builder.getFunctionType(state.func.getBody().front().getArgumentTypes(),
                              ValueRange(results).getTypes()));
}

} // namespace

OwningOpRef<ModuleOp> generateGraph(MLIRContext *context, uint64_t seed,
                                    uint64_t index,
                                    const GeneratorOptions &options) {
  context->loadDialect<GraphDialect, func::FuncDialect>();
  Random random(seed, index);
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto func = func::FuncOp::create(builder, loc, "main",
                                   builder.getFunctionType({}, {}));
  func.addEntryBlock();

  GraphState state(func, random);
  int64_t matmuls = random.percent(55)   ? random.between(2, 5)
                    : random.percent(50) ? 1
                                         : 0;
  int64_t others = random.between(matmuls < 3 ? 3 - matmuls : 1, 20 - matmuls);
  for (int64_t i = random.between(1, 2); i > 0; --i) {
    bool matrix = matmuls > 0 && random.percent(70);
    state.addArgument(state.pickShape(matrix ? 2 : random.between(0, 5)),
                      builder.getF32Type(), ArgumentKind::plain,
                      random.percent(10));
  }
  grow(state, StepPicker(options), matmuls, others);
  finish(state);
  return module;
}

} // namespace gc::fuzz
