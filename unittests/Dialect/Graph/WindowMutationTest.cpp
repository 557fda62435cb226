// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Damaged attributes of all ops that have windows: numbers that overflow,
// exceed the image or do not divide, lists of another length. An op either
// verifies, and decomposes, or has one error that names it and the constraint.
// GC_MUTANTS is the number of mutants, 100,000 for a full check.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace gc::graph;
using namespace mlir;

/// One op of each kind in a function of its own.
static const char *const kOps[] = {
    R"(func.func @f(%x: tensor<2x9x8x6xf32>, %w: tensor<3x2x3x4xf32>) -> tensor<2x5x9x4xf32> {
      %y = graph.convolution %x, %w {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<2x9x8x6xf32>, tensor<3x2x3x4xf32>) -> tensor<2x5x9x4xf32>
      return %y : tensor<2x5x9x4xf32> })",
    R"(func.func @f(%x: tensor<2x6x5x4xf32>, %w: tensor<3x2x6x2xf32>) -> tensor<2x4x9x5xf32> {
      %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, groups = 2 : i64, data_format = "NCX"} : (tensor<2x6x5x4xf32>, tensor<3x2x6x2xf32>) -> tensor<2x4x9x5xf32>
      return %y : tensor<2x4x9x5xf32> })",
    R"(func.func @f(%d: tensor<2x9x8x4xf32>, %w: tensor<3x2x6x2xf32>) -> tensor<2x5x7x6xf32> {
      %y = graph.conv_transpose_backward_data %d, %w {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<2x9x8x4xf32>, tensor<3x2x6x2xf32>) -> tensor<2x5x7x6xf32>
      return %y : tensor<2x5x7x6xf32> })",
    R"(func.func @f(%x: tensor<2x5x7x6xf32>, %d: tensor<2x9x8x4xf32>) -> tensor<3x2x6x2xf32> {
      %y = graph.conv_transpose_backward_weights %x, %d {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, weights_shape = array<i64: 3, 2, 6, 2>} : (tensor<2x5x7x6xf32>, tensor<2x9x8x4xf32>) -> tensor<3x2x6x2xf32>
      return %y : tensor<3x2x6x2xf32> })",
    R"(func.func @f(%d: tensor<2x5x9x4xf32>, %w: tensor<3x2x3x4xf32>) -> tensor<2x9x8x6xf32> {
      %y = graph.convolution_backward_data %d, %w {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, dst_shape = array<i64: 2, 9, 8, 6>} : (tensor<2x5x9x4xf32>, tensor<3x2x3x4xf32>) -> tensor<2x9x8x6xf32>
      return %y : tensor<2x9x8x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>, %d: tensor<2x5x9x4xf32>) -> tensor<3x2x3x4xf32> {
      %y = graph.convolution_backward_weights %x, %d {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, weights_shape = array<i64: 3, 2, 3, 4>} : (tensor<2x9x8x6xf32>, tensor<2x5x9x4xf32>) -> tensor<3x2x3x4xf32>
      return %y : tensor<3x2x3x4xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>) -> tensor<2x5x6x6xf32> {
      %y = graph.max_pool %x {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, dilations = array<i64: 1, 2>} : (tensor<2x9x8x6xf32>) -> tensor<2x5x6x6xf32>
      return %y : tensor<2x5x6x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>) -> tensor<2x5x7x6xf32> {
      %y = graph.avg_pool %x {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, exclude_pad = true, rounding_type = "ceil"} : (tensor<2x9x8x6xf32>) -> tensor<2x5x7x6xf32>
      return %y : tensor<2x5x7x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>, %d: tensor<2x5x6x6xf32>) -> tensor<2x9x8x6xf32> {
      %y = graph.max_pool_backward %x, %d {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, dilations = array<i64: 1, 2>} : (tensor<2x9x8x6xf32>, tensor<2x5x6x6xf32>) -> tensor<2x9x8x6xf32>
      return %y : tensor<2x9x8x6xf32> })",
    R"(func.func @f(%d: tensor<2x6x5x7xf32>) -> tensor<2x6x9x8xf32> {
      %y = graph.avg_pool_backward %d {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, exclude_pad = false, data_format = "NCX", src_shape = array<i64: 2, 6, 9, 8>} : (tensor<2x6x5x7xf32>) -> tensor<2x6x9x8xf32>
      return %y : tensor<2x6x9x8xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>) -> tensor<2x5x16x6xf32> {
      %y = graph.interpolate %x {mode = "bilinear", sizes = array<i64: 5, 16>} : (tensor<2x9x8x6xf32>) -> tensor<2x5x16x6xf32>
      return %y : tensor<2x5x16x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>) -> tensor<2x4x16x6xf32> {
      %y = graph.interpolate %x {mode = "nearest", scales = array<f32: 0.5, 2.0>} : (tensor<2x9x8x6xf32>) -> tensor<2x4x16x6xf32>
      return %y : tensor<2x4x16x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>, %d: tensor<2x5x16x6xf32>) -> tensor<2x9x8x6xf32> {
      %y = graph.interpolate_backward %x, %d {mode = "linear", coordinate_transformation_mode = "align_corners", sizes = array<i64: 5, 16>} : (tensor<2x9x8x6xf32>, tensor<2x5x16x6xf32>) -> tensor<2x9x8x6xf32>
      return %y : tensor<2x9x8x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>) -> tensor<2x5x8x3x1x6xf32> {
      %y = graph.windows %x {kernel = array<i64: 3, 1>, positions = array<i64: 5, 8>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: -1, 0>, spacing = array<i64: 1, 1>} : (tensor<2x9x8x6xf32>) -> tensor<2x5x8x3x1x6xf32>
      return %y : tensor<2x5x8x3x1x6xf32> })",
    R"(func.func @f(%x: tensor<2x9x8x6xf32>, %w: tensor<2x1x1x18x4xf32>) -> tensor<2x2x5x8x4xf32> {
      %y = graph.matmul %x, %w {window = #graph.window<kernel = [3, 2], strides = [2, 1], dilations = [1, 1], pads_begin = [1, 0], pads_end = [1, 1], groups = 2>} : (tensor<2x9x8x6xf32>, tensor<2x1x1x18x4xf32>) -> tensor<2x2x5x8x4xf32>
      return %y : tensor<2x2x5x8x4xf32> })",
};

namespace {

/// Reproducible: no distribution of the standard library, which differ.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : engine(seed) {}

  size_t below(size_t count) { return engine() % count; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

  /// Small ones that may fit, and those at which sums and products overflow.
  int64_t drawInteger(int64_t old) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    switch (below(4)) {
    case 0:
      return int64_t(below(12)) - 2;
    case 1:
      return old + pick<int64_t>({-2, -1, 1, 2, 7});
    case 2: {
      int64_t power = int64_t(1) << below(63);
      return pick<int64_t>({power, power - 1, power + 1, -power});
    }
    default:
      return pick<int64_t>({0, -1, 1000, 1 << 16, kMost, -kMost, -kMost - 1,
                            kMost / 2, int64_t(1) << 30, (1 << 30) + 1});
    }
  }
  float drawFloat(float old) {
    return pick<float>({0, -1, NAN, INFINITY, -INFINITY, 1e-30f, 1e30f, 1e9f,
                        old * 3, old / 7, 0.1f, 1e-45f});
  }

  /// A list with other numbers, or of another length.
  template <typename T, typename Draw>
  SmallVector<T> change(ArrayRef<T> list, Draw draw) {
    SmallVector<T> changed(list);
    size_t choice = below(8);
    if (choice == 0 && !changed.empty())
      changed.pop_back();
    else if (choice == 1 || changed.empty())
      changed.push_back(draw(T(1)));
    else
      for (T &element : changed)
        if (below(changed.size()) == 0)
          element = draw(element);
    return changed;
  }

private:
  std::mt19937_64 engine;
};

/// A mutant of the attribute, or null if it is not a number.
Attribute mutate(Attribute old, Numbers &random) {
  Builder b(old.getContext());
  auto integer = [&](int64_t value) { return random.drawInteger(value); };
  auto change = [&](ArrayRef<int64_t> list) {
    return random.change<int64_t>(list, integer);
  };
  if (auto list = dyn_cast<DenseI64ArrayAttr>(old))
    return b.getDenseI64ArrayAttr(change(list.asArrayRef()));
  if (auto list = dyn_cast<DenseF32ArrayAttr>(old))
    return b.getDenseF32ArrayAttr(
        random.change<float>(list.asArrayRef(), [&](float value) {
          return random.drawFloat(value);
        }));
  if (auto number = dyn_cast<IntegerAttr>(old);
      number && number.getType().isInteger(64))
    return b.getI64IntegerAttr(integer(number.getInt()));
  auto window = dyn_cast<WindowAttr>(old);
  if (!window)
    return {};
  SmallVector<int64_t> lists[] = {llvm::to_vector(window.getKernel()),
                                  llvm::to_vector(window.getStrides()),
                                  llvm::to_vector(window.getDilations()),
                                  llvm::to_vector(window.getPadsBegin()),
                                  llvm::to_vector(window.getPadsEnd()),
                                  llvm::to_vector(window.getRows())};
  int64_t groups = window.getGroups();
  if (size_t which = random.below(7); which < 6)
    lists[which] = change(lists[which]);
  else
    groups = integer(groups);
  Location loc = UnknownLoc::get(old.getContext());
  if (failed(WindowAttr::verify([&] { return emitError(loc); }, lists[0],
                                lists[1], lists[2], lists[3], lists[4], groups,
                                lists[5])))
    return {};
  return WindowAttr::get(old.getContext(), lists[0], lists[1], lists[2],
                         lists[3], lists[4], groups, lists[5]);
}

/// The ops of kOps, and what happens to their mutants.
class WindowMutation : public testing::Test {
protected:
  WindowMutation()
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors.push_back(diagnostic.str());
        }) {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    context.disableMultithreading();
    context.printOpOnDiagnostic(false);
  }

  /// Changes one attribute of the op, or two; false if a window is not
  /// well-formed itself, which is reported.
  bool change(Operation *op, Numbers &random) {
    for (size_t i = random.pick<size_t>({1, 1, 2}); i > 0; --i) {
      ArrayRef<NamedAttribute> all = op->getAttrs();
      SmallVector<NamedAttribute> attributes(all);
      NamedAttribute picked = attributes[random.below(attributes.size())];
      size_t before = errors.size();
      Attribute mutant = mutate(picked.getValue(), random);
      if (errors.size() != before)
        return false;
      if (mutant)
        op->setAttr(picked.getName(), mutant);
    }
    return true;
  }

  /// The op with the result type that its attributes give, if there is one.
  void adjustResult(Operation *op) {
    SmallVector<Type> types;
    if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
            &context, std::nullopt, op->getOperands(),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
      result.setType(type);
    auto function = op->getParentOfType<func::FuncOp>();
    function.setFunctionType(FunctionType::get(
        &context, function.getArgumentTypes(), op->getResultTypes()));
  }

  /// One error that begins with the op's name and a label.
  void expectOneError(Operation *op, StringRef text) {
    std::string start = ("'" + op->getName().getStringRef() + "' op (C").str();
    ASSERT_EQ(errors.size(), 1u) << text.str();
    EXPECT_EQ(errors[0].substr(0, start.size()), start) << errors[0] << "\n"
                                                        << text.str();
  }

  MLIRContext context;
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler;
};

int64_t getNumElements(Operation *op) {
  double count = 1;
  for (int64_t size : cast<ShapedType>(op->getResult(0).getType()).getShape())
    count *= double(size);
  return count > 1e15 ? int64_t(1e15) : int64_t(count);
}

} // namespace

TEST_F(WindowMutation, VerifiesOrHasOneLabelledError) {
  const char *wanted = std::getenv("GC_MUTANTS");
  int64_t count = wanted ? std::atoll(wanted) : 6000;
  ParserConfig config(&context);
  std::vector<OwningOpRef<ModuleOp>> seeds;
  for (const char *text : kOps) {
    seeds.push_back(parseSourceString<ModuleOp>(text, config));
    ASSERT_TRUE(seeds.back()) << text << (errors.empty() ? "" : errors[0]);
  }
  PassManager decompose(&context);
  decompose.addPass(createGraphDecompose());
  decompose.enableVerifier(true);
  Numbers random(1);
  std::map<std::string, int64_t> valid, invalid;
  for (int64_t i = 0; i < count; ++i) {
    OwningOpRef<ModuleOp> module = seeds[i % seeds.size()]->clone();
    Operation *op =
        &(*module->getOps<func::FuncOp>().begin()).getBody().front().front();
    std::string name = op->getName().getStringRef().str();
    errors.clear();
    if (!change(op, random)) {
      EXPECT_EQ(errors.size(), 1u);
      ++invalid[name];
      continue;
    }
    adjustResult(op);
    std::string text;
    llvm::raw_string_ostream(text) << *op;
    if (failed(verify(op))) {
      expectOneError(op, text);
      ++invalid[name];
      continue;
    }
    EXPECT_TRUE(errors.empty()) << text;
    ++valid[name];
    if (getNumElements(op) > (1 << 22))
      continue;
    // Tables of positions have a limit.
    if (failed(decompose.run(*module)))
      EXPECT_EQ(errors.size(), 1u) << text;
    else
      EXPECT_TRUE(errors.empty()) << text << "\n" << errors[0];
  }
  // Both happen to every op.
  for (OwningOpRef<ModuleOp> &seed : seeds) {
    std::string name = (*seed->getOps<func::FuncOp>().begin())
                           .getBody()
                           .front()
                           .front()
                           .getName()
                           .getStringRef()
                           .str();
    EXPECT_GT(valid[name], count / 200) << name;
    EXPECT_GT(invalid[name], count / 200) << name;
  }
}
