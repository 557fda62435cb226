// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LSTM, GRU and RNN, step by step: the products with the inputs of all steps
// are one, those with the state one a step.

#include "Compose.h"
#include "Ops.h"

using namespace mlir;
using namespace gc::onnxio;

/// More steps would make too large a program.
static constexpr int64_t kMostSteps = 512;

namespace {
enum class Cell { rnn, gru, lstm };

/// What the three have in common, one direction after the other.
class Recurrence {
public:
  Recurrence(NodeBuilder &node, Cell cell) : node(node), cell(cell) {}
  LogicalResult import();

private:
  LogicalResult readSizes();
  LogicalResult readActivations();
  /// Part `i` of a tensor [directions, parts * hidden, ...].
  Value getPart(Value x, int64_t first, int64_t count);
  /// [batch, hidden]; `gates` are [steps, batch, gates * hidden].
  Value getState(unsigned operand, Value gates);
  Value apply(int64_t i, Value x);
  LogicalResult importDirection(int64_t number);
  Value computeStep(Value gates, Value h, Value &c);
  /// Row vectors of a state times the weights of some gates.
  Value multiplyState(Value h, int64_t first, int64_t count);
  Value getGate(Value gates, int64_t i) {
    return slice(node, gates, 1, i * hidden, hidden);
  }
  /// The weights that a gate of an LSTM looks at the cell with.
  Value addPeephole(Value gate, int64_t i, Value c) {
    return peepholes
               ? add(node, gate, multiply(node, c, getPart(peepholes, i, 1)))
               : gate;
  }

  NodeBuilder &node;
  Cell cell;
  int64_t gateCount = 1, hidden = 0, steps = 0, directions = 1;
  /// May vary between executions.
  SizeExpr batch;
  bool reversed = false, linearBeforeReset = false, batchFirst = false;
  SmallVector<std::string> activations;
  int64_t direction = 0;
  Value weights, recurrent, bias, peepholes, stateBias;
  SmallVector<SmallVector<Value>> outputs;
  SmallVector<Value> lastH, lastC;
};
} // namespace

LogicalResult Recurrence::readActivations() {
  SmallVector<StringRef> byDefault{"Tanh"};
  if (cell == Cell::gru)
    byDefault = {"Sigmoid", "Tanh"};
  if (cell == Cell::lstm)
    byDefault = {"Sigmoid", "Tanh", "Tanh"};
  auto *attr = node.findAttr("activations", ::onnx::AttributeProto::STRINGS);
  for (int64_t i = 0; i < directions; ++i)
    for (auto [j, name] : llvm::enumerate(byDefault)) {
      size_t at = i * byDefault.size() + j;
      std::string given = name.str();
      if (attr && attr->strings_size() > 0) {
        if (at >= size_t(attr->strings_size()))
          return node.fail("there are too few activations");
        given = attr->strings(at);
      }
      activations.push_back(given);
    }
  for (const std::string &name : activations)
    if (name != "Sigmoid" && name != "Tanh" && name != "Relu")
      return node.fail("activation '" + name + "' is not supported");
  return success();
}

LogicalResult Recurrence::readSizes() {
  gateCount = cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1;
  std::string name = node.getStringAttr("direction", "forward");
  batchFirst = node.getIntAttr("layout", 0) != 0;
  linearBeforeReset =
      cell == Cell::gru && node.getIntAttr("linear_before_reset", 0) != 0;
  if (name != "forward" && name != "reverse" && name != "bidirectional")
    return node.fail("direction '" + name + "' is unknown");
  directions = name == "bidirectional" ? 2 : 1;
  reversed = name == "reverse";
  if (cell == Cell::lstm && node.getIntAttr("input_forget", 0) != 0)
    return node.fail("input_forget is not supported");
  FailureOr<RankedTensorType> x = node.getType(0), w = node.getType(1),
                              r = node.getType(2);
  if (failed(x) || failed(w) || failed(r) || failed(readActivations()))
    return failure();
  if (x->getRank() != 3 || w->getRank() != 3 || r->getRank() != 3)
    return node.fail("operands do not have three dimensions");
  if (failed(checkFixed(node, 0, batchFirst ? 1 : 0)))
    return failure();
  batch = (*node.getShape(0))[batchFirst ? 0 : 1];
  steps = x->getDimSize(batchFirst ? 1 : 0);
  hidden = r->getDimSize(2);
  if (node.getIntAttr("hidden_size", hidden) != hidden ||
      w->getShape() != ArrayRef<int64_t>({directions, gateCount * hidden,
                                          x->getDimSize(2)}) ||
      r->getShape() !=
          ArrayRef<int64_t>({directions, gateCount * hidden, hidden}))
    return node.fail("the shapes of operands do not fit each other");
  if (steps < 1 || steps > kMostSteps || batch == 0 || hidden < 1)
    return node.fail("has " + Twine(steps) + " steps; 1 to " +
                     Twine(kMostSteps) + " are supported");
  if (node.hasOperand(4)) {
    FailureOr<SmallVector<int64_t>> lengths = node.getInts(4);
    if (failed(lengths))
      return failure();
    if (llvm::any_of(*lengths, [&](int64_t i) { return i != steps; }))
      return node.fail("sequences of different lengths are not supported");
  }
  return success();
}

Value Recurrence::getPart(Value x, int64_t first, int64_t count) {
  if (!x)
    return nullptr;
  Value of = slice(node, x, 0, direction, 1);
  of = slice(node, of, 1, first * hidden, count * hidden);
  SmallVector<int64_t> shape(getTensorType(x).getShape().drop_front());
  shape[0] = count * hidden;
  return reshape(node, of, shape);
}

Value Recurrence::getState(unsigned operand, Value gates) {
  if (!node.hasOperand(operand)) {
    FailureOr<RankedTensorType> x = node.getType(0);
    if (auto rows = batch.getConstant())
      return expand(node, node.createScalar(0, x->getElementType()),
                    {*rows, hidden});
    // As many rows of zeros as there are gates: what is beyond those.
    Value rows = slice(node, gates, 0, 0, 1);
    return rows ? reshapeTo(node,
                            slice(node, rows, 2, gateCount * hidden, hidden),
                            Sizes{batch, hidden})
                : nullptr;
  }
  Value x = getValue(node, operand);
  if (!x)
    return nullptr;
  Sizes shape{directions, batch, hidden};
  if (batchFirst)
    std::swap(shape[0], shape[1]);
  if (node.getShape(x) != shape) {
    (void)node.fail("the initial state does not have its shape");
    return nullptr;
  }
  return reshapeTo(node, slice(node, x, batchFirst ? 1 : 0, direction, 1),
                   Sizes{batch, hidden});
}

Value Recurrence::apply(int64_t i, Value x) {
  int64_t each = activations.size() / directions;
  StringRef name = activations[direction * each + i];
  return node.make(name == "Sigmoid" ? "graph.sigmoid"
                   : name == "Tanh"  ? "graph.tanh"
                                     : "graph.relu",
                   x);
}

Value Recurrence::multiplyState(Value h, int64_t first, int64_t count) {
  return node.make("graph.matmul", {h, getPart(recurrent, first, count)},
                   {boolAttr(node, "transpose_b", true)});
}

Value Recurrence::computeStep(Value gates, Value h, Value &c) {
  if (cell == Cell::rnn)
    return apply(0, add(node, gates, multiplyState(h, 0, 1)));
  if (cell == Cell::lstm) {
    // Input, output, forget, cell.
    gates = add(node, gates, multiplyState(h, 0, 4));
    Value input = apply(0, addPeephole(getGate(gates, 0), 0, c));
    Value forget = apply(0, addPeephole(getGate(gates, 2), 2, c));
    Value next = apply(1, getGate(gates, 3));
    c = add(node, multiply(node, forget, c), multiply(node, input, next));
    Value output = apply(0, addPeephole(getGate(gates, 1), 1, c));
    return multiply(node, output, apply(2, c));
  }
  // Update, reset, hidden.
  Value both = multiplyState(h, 0, 2);
  Value update = apply(0, add(node, getGate(gates, 0), getGate(both, 0)));
  Value reset = apply(0, add(node, getGate(gates, 1), getGate(both, 1)));
  Value next;
  if (linearBeforeReset) {
    next = multiplyState(h, 2, 1);
    if (stateBias)
      next = add(node, next, stateBias);
    next = multiply(node, reset, next);
  } else {
    next = multiplyState(multiply(node, reset, h), 2, 1);
  }
  next = apply(1, add(node, getGate(gates, 2), next));
  return add(node, next, multiply(node, update, subtract(node, h, next)));
}

LogicalResult Recurrence::importDirection(int64_t number) {
  direction = number;
  Value x = getValue(node, 0);
  if (!x)
    return failure();
  int64_t inputs = getTensorType(x).getDimSize(2);
  if (batchFirst)
    x = transpose(node, x, {1, 0, 2});
  x = reshapeTo(node, x, Sizes{batch * steps, inputs});
  Value gates = node.make("graph.matmul", {x, getPart(weights, 0, gateCount)},
                          {boolAttr(node, "transpose_b", true)});
  stateBias = nullptr;
  if (bias) {
    gates = add(node, gates, getPart(bias, 0, gateCount));
    // The bias of the state is that of the gate, unless it is reset before.
    if (linearBeforeReset) {
      Value first = getPart(bias, gateCount, 2);
      SmallVector<int64_t> shape{hidden};
      Value zero = expand(node, makeScalar(node, 0, bias), shape);
      gates = add(node, gates, concat(node, {first, zero}, 0));
      stateBias = getPart(bias, gateCount + 2, 1);
    } else {
      gates = add(node, gates, getPart(bias, gateCount, gateCount));
    }
  }
  gates = reshapeTo(node, gates, Sizes{steps, batch, gateCount * hidden});
  Value h = getState(5, gates);
  Value c = cell == Cell::lstm ? getState(6, gates) : nullptr;
  outputs.emplace_back(steps);
  bool backwards = reversed || number == 1;
  for (int64_t i = 0; i < steps && !node.hasFailed(); ++i) {
    int64_t step = backwards ? steps - 1 - i : i;
    Value at = reshapeTo(node, slice(node, gates, 0, step, 1),
                         Sizes{batch, gateCount * hidden});
    h = computeStep(at, h, c);
    outputs.back()[step] = h;
  }
  lastH.push_back(h);
  lastC.push_back(c);
  return success(!node.hasFailed());
}

LogicalResult Recurrence::import() {
  if (failed(readSizes()))
    return failure();
  weights = getValue(node, 1);
  recurrent = getValue(node, 2);
  if (node.hasOperand(3)) {
    bias = getValue(node, 3);
    if (!bias || getTensorType(bias).getShape() !=
                     ArrayRef<int64_t>({directions, 2 * gateCount * hidden}))
      return node.fail("the bias does not have its shape");
  }
  if (cell == Cell::lstm && node.hasOperand(7)) {
    peepholes = getValue(node, 7);
    if (!peepholes || getTensorType(peepholes).getShape() !=
                          ArrayRef<int64_t>({directions, 3 * hidden}))
      return node.fail("the peepholes do not have their shape");
  }
  for (int64_t i = 0; i < directions; ++i)
    if (failed(importDirection(i)))
      return failure();
  // [steps, directions, batch, hidden], or [batch, steps, directions, hidden].
  SmallVector<Value> perStep;
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t i = 0; i < directions; ++i)
      perStep.push_back(reshapeTo(node, outputs[i][step],
                                  batchFirst ? Sizes{batch, 1, 1, hidden}
                                             : Sizes{1, 1, batch, hidden}));
  if (node.hasFailed())
    return failure();
  Value all = concat(node, perStep, batchFirst ? 1 : 0);
  Sizes shape{steps, directions, batch, hidden};
  if (batchFirst)
    shape = {batch, steps, directions, hidden};
  if (failed(node.setResult(reshapeTo(node, all, shape))))
    return failure();
  auto setLast = [&](ArrayRef<Value> values) {
    SmallVector<Value> parts;
    for (Value value : values)
      parts.push_back(reshapeTo(node, value,
                                batchFirst ? Sizes{batch, 1, hidden}
                                           : Sizes{1, batch, hidden}));
    return node.setResult(concat(node, parts, batchFirst ? 1 : 0));
  };
  if (node.getNumResults() > 1 && failed(setLast(lastH)))
    return failure();
  if (node.getNumResults() > 2 && cell == Cell::lstm)
    return setLast(lastC);
  return success();
}

template <Cell cell>
static LogicalResult importCell(NodeBuilder &node) {
  return Recurrence(node, cell).import();
}

void gc::onnxio::addRecurrentOps(OpTable &ops) {
  ops["GRU"] = importCell<Cell::gru>;
  ops["LSTM"] = importCell<Cell::lstm>;
  ops["RNN"] = importCell<Cell::rnn>;
  takeShapes(ops, {"GRU", "LSTM", "RNN"});
}
