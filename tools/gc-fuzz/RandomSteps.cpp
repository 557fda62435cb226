// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps of a random graph with random numbers in it.

#include "GraphState.h"

using namespace mlir;
using namespace gc::graph;

namespace gc::fuzz {

/// A seed or an offset.
static Value makeWord(GraphState &state, ArrayRef<int64_t> shape) {
  Random &random = state.random;
  Type element = state.builder.getIntegerType(64, /*isSigned=*/false);
  if (random.percent(50))
    return state.addArgument(shape, element, ArgumentKind::plain, false).value;
  auto type = RankedTensorType::get(shape, element);
  APInt bits(64, random.percent(50) ? random.next() : random.below(100));
  return graph::ConstantOp::create(state.builder, state.builder.getUnknownLoc(),
                                   DenseElementsAttr::get(type, bits));
}

bool addDropout(GraphState &state) {
  Random &random = state.random;
  const Item *x = state.pickItem([](const Item &item) {
    return item.isFloat() && item.range.magnitude <= 100;
  });
  if (!x)
    return false;
  Item src = *x;
  SmallVector<int64_t> shape;
  if (random.percent(70))
    shape.push_back(1);
  Value seed = makeWord(state, shape), offset = makeWord(state, shape);
  Type f32 = state.builder.getF32Type();
  Item probability =
      random.percent(50)
          ? state.addArgument(shape, f32, ArgumentKind::plain, false)
          : state.addConstant(shape, f32, 0, 0.5, /*splat=*/true);
  Value value =
      state.create<DropoutOp>({src.value, seed, offset, probability.value});
  // What is kept is at most doubled.
  Range range = multiply(src.range, Range::get(0, 2, 1.4));
  state.addItem(value, src.isF32() ? range : getRounded(range));
  return true;
}

} // namespace gc::fuzz
