// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simpler ops that complex ops decompose to, evaluated op by op in f32,
// must stay within the bounds of the complex op's own model: bounds that were
// too small would fail here, as would decompositions that compute something
// else.

#include "Dialect/Graph/Transforms/Passes.h"
#include "Reference/Compare.h"
#include "Reference/Inputs.h"
#include "TestGraph.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace gc;
using namespace gc::reference;

namespace {
struct Case {
  const char *name;
  const char *body;
};
} // namespace

/// Compares @main before and after decomposition, on random inputs.
static void check(const Case &test, uint64_t seed,
                  const graph::GraphDecomposeOptions &options = {}) {
  TestGraph graph(test.body);
  mlir::func::FuncOp function = graph.getFunction();
  if (!function)
    return;
  auto inputs = makeInputs(function, seed);
  ASSERT_TRUE(succeeded(inputs)) << graph.errors;
  auto expected = graph.run(*inputs, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(expected)) << graph.errors;
  mlir::PassManager manager(function.getContext());
  manager.addPass(graph::createGraphDecompose(options));
  ASSERT_TRUE(
      succeeded(manager.run(function->getParentOfType<mlir::ModuleOp>())))
      << graph.errors;
  function.walk([&](graph::ComplexOpInterface op) {
    EXPECT_FALSE(op.isComplex()) << op->getName().getStringRef().str();
  });
  auto actual = graph.run(*inputs);
  ASSERT_TRUE(succeeded(actual)) << graph.errors;
  for (size_t i = 0; i < expected->values.size(); ++i) {
    Comparison comparison =
        compare(actual->values[i], expected->values[i], expected->bounds[i]);
    EXPECT_TRUE(comparison.passed)
        << test.name << " seed " << seed << ": " << comparison.message;
    EXPECT_EQ(comparison.unchecked, 0) << test.name;
  }
}

static const Case kCases[] = {
    {"softmax none", R"(
    func.func @main(%x: tensor<5x37xf32>)
        -> (tensor<5x37xf32>) {
      %y = graph.softmax %x {mode = "none"} : (tensor<5x37xf32>) -> tensor<5x37xf32>
      return %y : tensor<5x37xf32>
    })"},
    {"softmax inf_as_zero", R"(
    func.func @main(%x: tensor<5x37xf32>)
        -> (tensor<5x37xf32>) {
      %y = graph.softmax %x {mode = "inf_as_zero"} : (tensor<5x37xf32>) -> tensor<5x37xf32>
      return %y : tensor<5x37xf32>
    })"},
    {"softmax of the first dimension", R"(
    func.func @main(%x: tensor<33x2x4xf32>)
        -> (tensor<33x2x4xf32>) {
      %y = graph.softmax %x {axis = 0} : (tensor<33x2x4xf32>) -> tensor<33x2x4xf32>
      return %y : tensor<33x2x4xf32>
    })"},
    {"softmax bf16", R"(
    func.func @main(%x: tensor<5x37xbf16>)
        -> (tensor<5x37xbf16>) {
      %y = graph.softmax %x {} : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
      return %y : tensor<5x37xbf16>
    })"},
    {"softmax to f16", R"(
    func.func @main(%x: tensor<5x37xf32>)
        -> (tensor<5x37xf16>) {
      %y = graph.softmax %x {} : (tensor<5x37xf32>) -> tensor<5x37xf16>
      return %y : tensor<5x37xf16>
    })"},
    {"softmax with statistics", R"(
    func.func @main(%x: tensor<5x37xf32>)
        -> (tensor<5x37xf32>, tensor<5x1xf32>) {
      %y:2 = graph.softmax %x {} : (tensor<5x37xf32>) -> (tensor<5x37xf32>, tensor<5x1xf32>)
      return %y#0, %y#1 : tensor<5x37xf32>, tensor<5x1xf32>
    })"},
    {"statistics of a product, of the first dimension", R"(
    func.func @main(%a: tensor<40x64xf32>, %b: tensor<64x50xf32>)
        -> tensor<1x50xf32> {
      %m = graph.matmul %a, %b : (tensor<40x64xf32>, tensor<64x50xf32>) -> tensor<40x50xf32>
      %y:2 = graph.softmax %m {axis = 0, mode = "inf_as_zero"} : (tensor<40x50xf32>) -> (tensor<40x50xf32>, tensor<1x50xf32>)
      return %y#1 : tensor<1x50xf32>
    })"},
    {"log_softmax", R"(
    func.func @main(%x: tensor<5x37xf32>)
        -> (tensor<5x37xf32>) {
      %y = graph.log_softmax %x {} : (tensor<5x37xf32>) -> tensor<5x37xf32>
      return %y : tensor<5x37xf32>
    })"},
    {"softmax of a product", R"(
    func.func @main(%a: tensor<40x64xf32>, %b: tensor<64x50xf32>, %s: tensor<1xf32>)
        -> (tensor<40x50xf32>) {
      %m = graph.matmul %a, %b : (tensor<40x64xf32>, tensor<64x50xf32>) -> tensor<40x50xf32>
      %d = graph.multiply %m, %m : (tensor<40x50xf32>, tensor<40x50xf32>) -> tensor<40x50xf32>
      %e = graph.exp %d : (tensor<40x50xf32>) -> tensor<40x50xf32>
      %y = graph.softmax %e {axis = -1} : (tensor<40x50xf32>) -> tensor<40x50xf32>
      return %y : tensor<40x50xf32>
    })"},
    {"reduce_max", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_max %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_max %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_max without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_max %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_min", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_min %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_min %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_min without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_min %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_sum", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_sum %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_sum without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_sum %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_prod", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_prod %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_prod %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_prod without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_prod %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_mean", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_mean %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_mean %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_mean without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_mean %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_l1", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_l1 %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_l1 %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_l1 without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_l1 %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_l2", R"(
    func.func @main(%x: tensor<6x5x7xf32>)
        -> (tensor<6x7xf32>, tensor<1x5x1xf32>) {
      %y = graph.reduce_l2 %x {axes = array<i64: 1>} : (tensor<6x5x7xf32>) -> tensor<6x7xf32>
      %z = graph.reduce_l2 %x {axes = array<i64: -1, 0>, keep_dims = true} : (tensor<6x5x7xf32>) -> tensor<1x5x1xf32>
      return %y, %z : tensor<6x7xf32>, tensor<1x5x1xf32>
    })"},
    {"reduce_l2 without axes", R"(
    func.func @main(%x: tensor<6xf32>)
        -> (tensor<6xf32>) {
      %y = graph.reduce_l2 %x {} : (tensor<6xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    })"},
    {"reduce_mean bf16", R"(
    func.func @main(%x: tensor<6x50xbf16>)
        -> (tensor<6xbf16>) {
      %y = graph.reduce_mean %x {axes = array<i64: 1>} : (tensor<6x50xbf16>) -> tensor<6xbf16>
      return %y : tensor<6xbf16>
    })"},
    {"layer_norm", R"(
    func.func @main(%x: tensor<9x130xf32>, %g: tensor<130xf32>, %b: tensor<130xf32>)
        -> (tensor<9x130xf32>, tensor<9xf32>, tensor<9xf32>) {
      %y:3 = graph.layer_norm %x, %g, %b : (tensor<9x130xf32>, tensor<130xf32>, tensor<130xf32>) -> (tensor<9x130xf32>, tensor<9xf32>, tensor<9xf32>)
      return %y#0, %y#1, %y#2 : tensor<9x130xf32>, tensor<9xf32>, tensor<9xf32>
    })"},
    {"layer_norm of two dimensions", R"(
    func.func @main(%x: tensor<3x5x7xf32>)
        -> (tensor<3x5x7xf32>) {
      %y = graph.layer_norm %x {begin_norm_axis = -2, use_affine = false, keep_stats = false} : (tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
      return %y : tensor<3x5x7xf32>
    })"},
    {"layer_norm bf16", R"(
    func.func @main(%x: tensor<9x130xbf16>, %g: tensor<130xf32>, %b: tensor<130xf32>)
        -> (tensor<9x130xbf16>) {
      %y = graph.layer_norm %x, %g, %b {keep_stats = false} : (tensor<9x130xbf16>, tensor<130xf32>, tensor<130xf32>) -> tensor<9x130xbf16>
      return %y : tensor<9x130xbf16>
    })"},
    {"layer_norm of constant rows", R"(
    func.func @main(%x: tensor<9x1xf32>)
        -> (tensor<9x30xf32>) {
      %c = graph.constant dense<0.0> : tensor<9x30xf32>
      %a = graph.add %x, %c : (tensor<9x1xf32>, tensor<9x30xf32>) -> tensor<9x30xf32>
      %y = graph.layer_norm %a {use_affine = false, keep_stats = false, epsilon = 0.01 : f32} : (tensor<9x30xf32>) -> tensor<9x30xf32>
      return %y : tensor<9x30xf32>
    })"},
    {"rms_norm", R"(
    func.func @main(%x: tensor<9x130xf32>, %g: tensor<130xf32>)
        -> (tensor<9x130xf32>) {
      %y = graph.rms_norm %x, %g : (tensor<9x130xf32>, tensor<130xf32>) -> tensor<9x130xf32>
      return %y : tensor<9x130xf32>
    })"},
    {"rms_norm of all", R"(
    func.func @main(%x: tensor<4x5xf16>)
        -> (tensor<4x5xf16>) {
      %y = graph.rms_norm %x {begin_norm_axis = 0} : (tensor<4x5xf16>) -> tensor<4x5xf16>
      return %y : tensor<4x5xf16>
    })"},
    {"group_norm NXC", R"(
    func.func @main(%x: tensor<2x3x5x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>)
        -> (tensor<2x3x5x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
      %y:3 = graph.group_norm %x, %g, %b {groups = 4, data_format = "NXC"} : (tensor<2x3x5x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x3x5x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
      return %y#0, %y#1, %y#2 : tensor<2x3x5x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    })"},
    {"batch_norm_inference NXC", R"(
    func.func @main(%x: tensor<2x3x5x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>)
        -> (tensor<2x3x5x8xf32>) {
      %y = graph.batch_norm_inference %x, %g, %b, %m, %v {epsilon = 1.0e-3 : f32, data_format = "NXC"} : (tensor<2x3x5x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x5x8xf32>
      return %y : tensor<2x3x5x8xf32>
    })"},
    {"group_norm NCX", R"(
    func.func @main(%x: tensor<2x8x3x5xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>)
        -> (tensor<2x8x3x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
      %y:3 = graph.group_norm %x, %g, %b {groups = 4, data_format = "NCX"} : (tensor<2x8x3x5xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x8x3x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
      return %y#0, %y#1, %y#2 : tensor<2x8x3x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    })"},
    {"batch_norm_inference NCX", R"(
    func.func @main(%x: tensor<2x8x3x5xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>)
        -> (tensor<2x8x3x5xf32>) {
      %y = graph.batch_norm_inference %x, %g, %b, %m, %v {epsilon = 1.0e-3 : f32, data_format = "NCX"} : (tensor<2x8x3x5xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x3x5xf32>
      return %y : tensor<2x8x3x5xf32>
    })"},
    {"norm of a norm", R"(
    func.func @main(%x: tensor<9x130xf32>, %w: tensor<130x20xf32>)
        -> (tensor<9x20xf32>) {
      %n = graph.layer_norm %x {use_affine = false, keep_stats = false} : (tensor<9x130xf32>) -> tensor<9x130xf32>
      %m = graph.matmul %n, %w : (tensor<9x130xf32>, tensor<130x20xf32>) -> tensor<9x20xf32>
      %r = graph.rms_norm %m {} : (tensor<9x20xf32>) -> tensor<9x20xf32>
      %y = graph.softmax %r {} : (tensor<9x20xf32>) -> tensor<9x20xf32>
      return %y : tensor<9x20xf32>
    })"},
    {"quantize", R"(
    func.func @main(%x: tensor<4x6xf32>)
        -> (tensor<4x6xsi8>, tensor<4x6xui8>) {
      %y = graph.quantize %x {scales = array<f32: 0.013>, zps = array<i64: -3>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
      %z = graph.quantize %x {qtype = "per_channel", axis = 0, scales = array<f32: 0.01, 0.003, 0.1, 1.0>, zps = array<i64: 128, 120, 0, 1>} : (tensor<4x6xf32>) -> tensor<4x6xui8>
      return %y, %z : tensor<4x6xsi8>, tensor<4x6xui8>
    })"},
    {"dequantize", R"(
    func.func @main(%x: tensor<4x6xsi8>, %u: tensor<4x6xui8>)
        -> (tensor<4x6xf32>, tensor<4x6xf32>) {
      %y = graph.dequantize %x {scales = array<f32: 0.013>, zps = array<i64: -3>} : (tensor<4x6xsi8>) -> tensor<4x6xf32>
      %z = graph.dequantize %u {qtype = "per_channel", axis = -2, scales = array<f32: 0.01, 0.003, 0.1, 1.0>} : (tensor<4x6xui8>) -> tensor<4x6xf32>
      return %y, %z : tensor<4x6xf32>, tensor<4x6xf32>
    })"},
    {"dynamic_quantize", R"(
    func.func @main(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %z: tensor<6xsi32>)
        -> (tensor<4x6xui8>) {
      %y = graph.dynamic_quantize %x, %s, %z {qtype = "per_channel", axis = 1} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xsi32>) -> tensor<4x6xui8>
      return %y : tensor<4x6xui8>
    })"},
    {"dynamic_dequantize", R"(
    func.func @main(%x: tensor<4x6xui8>, %s: tensor<1xf16>, %z: tensor<1xui8>)
        -> (tensor<4x6xf16>) {
      %y = graph.dynamic_dequantize %x, %s, %z : (tensor<4x6xui8>, tensor<1xf16>, tensor<1xui8>) -> tensor<4x6xf16>
      return %y : tensor<4x6xf16>
    })"},
    {"dynamic_dequantize of groups", R"(
    func.func @main(%x: tensor<4x6xsi8>, %s: tensor<2x2xf32>, %z: tensor<2x2xsi8>)
        -> (tensor<4x6xf32>) {
      %y = graph.dynamic_dequantize %x, %s, %z {qtype = "per_group", group_shape = array<i64: 2, 3>} : (tensor<4x6xsi8>, tensor<2x2xf32>, tensor<2x2xsi8>) -> tensor<4x6xf32>
      return %y : tensor<4x6xf32>
    })"},
    {"dropout", R"(
    func.func @main(%x: tensor<3x5x7xf32>, %s: tensor<1xui64>, %o: tensor<1xui64>, %p: tensor<1xf32>)
        -> (tensor<3x5x7xf32>) {
      %y = graph.dropout %x, %s, %o, %p : (tensor<3x5x7xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<3x5x7xf32>
      return %y : tensor<3x5x7xf32>
    })"},
    {"dropout bf16", R"(
    func.func @main(%x: tensor<50xbf16>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<f32>)
        -> (tensor<50xbf16>) {
      %y = graph.dropout %x, %s, %o, %p : (tensor<50xbf16>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<50xbf16>
      return %y : tensor<50xbf16>
    })"},
};

TEST(Decomposition, StaysWithinTheBounds) {
  for (const Case &test : kCases)
    for (uint64_t seed = 0; seed < 3; ++seed)
      check(test, seed);
}

/// Gradients of operands from -6 to 6, in both element types.
TEST(Decomposition, GradientsStayWithinTheBounds) {
  const std::pair<const char *, const char *> ops[] = {
      {"abs", ""},
      {"clamp", "min = -1.0 : f32, max = 2.0 : f32"},
      {"clamp", "min = -1.0 : f32, max = 2.0 : f32, use_dst = false"},
      {"elu", "alpha = 0.75 : f32"},
      {"elu", "alpha = 0.75 : f32, use_dst = false"},
      {"gelu", ""},
      {"gelu", "mode = \"gelu_tanh\""},
      {"hard_sigmoid", "alpha = 0.3 : f32, beta = 0.4 : f32"},
      {"hard_swish", ""},
      {"mish", ""},
      {"relu", ""},
      {"relu", "use_dst = false"},
      {"sigmoid", ""},
      {"sigmoid", "use_dst = false"},
      {"soft_plus", "beta = -2.0 : f32"},
      {"tanh", ""},
      {"tanh", "use_dst = false"},
  };
  for (auto [name, attributes] : ops)
    for (const char *element : {"f32", "bf16"}) {
      std::string type = std::string("tensor<9x131x") + element + ">";
      std::string scalar = std::string("tensor<") + element + ">";
      std::string body =
          "func.func @main(%x: " + type + ", %d: " + type + ") -> " + type +
          " { %c = graph.constant dense<6.0> : " + scalar +
          " %s = graph.multiply %x, %c : (" + type + ", " + scalar + ") -> " +
          type + " %y = graph." + name + "_backward %s, %d {" + attributes +
          "} : (" + type + ", " + type + ") -> " + type +
          " return %y : " + type + " }";
      for (uint64_t seed = 0; seed < 3; ++seed)
        check({name, body.c_str()}, seed);
    }
}

/// Largest difference of softmax, or of its statistics, with and without the
/// maximum subtracted.
static double compareFastSoftmax(llvm::ArrayRef<double> row,
                                 bool ofStats = false) {
  std::string type = "tensor<1x" + std::to_string(row.size()) + "xf32>";
  std::string stats = "tensor<1x1xf32>", result = ofStats ? stats : type;
  TestGraph graph("func.func @main(%x: " + type + ") -> " + result +
                  " { %y, %s = graph.softmax %x : (" + type + ") -> (" + type +
                  ", " + stats + ") return " + (ofStats ? "%s" : "%y") + " : " +
                  result + " }");
  Tensor x = makeTensor({1, static_cast<int64_t>(row.size())}, row);
  std::vector<double> safe = graph.evaluate({x});
  mlir::func::FuncOp function = graph.getFunction();
  mlir::PassManager manager(function.getContext());
  graph::GraphDecomposeOptions options;
  options.fastSoftmax = true;
  manager.addPass(graph::createGraphDecompose(options));
  EXPECT_TRUE(
      succeeded(manager.run(function->getParentOfType<mlir::ModuleOp>())));
  std::vector<double> fast = graph.evaluate({x});
  double largest = 0;
  for (size_t i = 0; i < fast.size(); ++i)
    largest = std::isfinite(fast[i])
                  ? std::fmax(largest, std::fabs(fast[i] - safe[i]))
                  : HUGE_VAL;
  return largest;
}

// The domain and error that the option states.
TEST(Decomposition, FastSoftmaxIsAsAccurateAsItSays) {
  for (double offset : {-60., -20., 0., 20., 60.}) {
    std::vector<double> row = makeNoise(500, 5);
    for (double &value : row)
      value = 4 * value + offset;
    EXPECT_LE(compareFastSoftmax(row), 1e-6) << offset;
    // They are at most 70.
    EXPECT_LE(compareFastSoftmax(row, /*ofStats=*/true), 70 * 1e-6) << offset;
  }
  // Masked elements, also by -infinity.
  std::vector<double> row = makeNoise(500, 6);
  for (size_t i = 0; i < row.size(); i += 2)
    row[i] = i % 4 ? -1e9 : -HUGE_VAL;
  EXPECT_LE(compareFastSoftmax(row), 500 * std::exp(-63.) + 1e-6);
  for (double &value : row)
    value -= 39;
  EXPECT_LE(compareFastSoftmax(row), 500 * std::exp(-64. + 40) + 1e-6);
  // Beyond its domain it is wrong but finite.
  EXPECT_GT(compareFastSoftmax({100, 80, 0}), 0.1);
  EXPECT_LT(compareFastSoftmax({3e38, 80, 0}), 1);
}
