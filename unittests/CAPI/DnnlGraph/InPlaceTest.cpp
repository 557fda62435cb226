// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pairs of in-place tensors: executed in place the values are those of separate
// memory, and where the plan of buffers allows it nothing is allocated for
// them.

#include "oneapi/dnnl/dnnl_graph.hpp"

#include "gtest/gtest.h"
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <random>

using namespace dnnl;
using namespace dnnl::graph;
using LT = logical_tensor;

namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;
const auto f32 = LT::data_type::f32;

std::atomic<size_t> allocations{0};

void *allocate(size_t size, size_t alignment) {
  ++allocations;
  size_t unit = alignment ? alignment : 64;
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

LT makeTensor(size_t id, LT::dims dims) {
  return LT(id, f32, dims, LT::layout_type::strided);
}

LT makeResult(size_t id) { return LT(id, f32, LT::layout_type::any); }

/// A partition of these ops, compiled for inputs that are plain.
class InPlace {
public:
  InPlace(const std::vector<op> &ops, std::vector<LT> inputs, size_t result)
      : inputs(std::move(inputs)) {
    dnnl::graph::graph g(engine::kind::cpu);
    for (const op &o : ops)
      g.add_op(o);
    g.finalize();
    auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1u);
    compiled = partitions[0].compile(this->inputs, {makeResult(result)}, cpu);
    output = compiled.query_logical_tensor(result);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    for (const LT &input : this->inputs) {
      data.emplace_back(input.get_mem_size() / sizeof(float));
      for (float &value : data.back())
        value = values(random);
    }
  }

  Pairs pairs() const { return compiled.get_inplace_ports(); }

  /// The result, computed in its own memory or in that of an input.
  std::vector<float> run(const size_t *inPlace = nullptr) {
    std::vector<std::vector<float>> in = data;
    std::vector<float> own(output.get_mem_size() / sizeof(float), 7.0f);
    std::vector<tensor> tensors;
    std::vector<float> *target = &own;
    for (size_t i = 0; i < inputs.size(); ++i) {
      tensors.emplace_back(inputs[i], cpu, in[i].data());
      if (inPlace && inputs[i].get_id() == *inPlace)
        target = &in[i];
    }
    LT scratch = compiled.get_scratchpad_logical_tensor();
    tensor scratchpad;
    if (scratch.get_mem_size() > 0)
      scratchpad = tensor(scratch, cpu);
    size_t earlier = allocations;
    compiled.execute(work, tensors, {tensor(output, cpu, target->data())},
                     scratchpad);
    work.wait();
    copies = allocations - earlier;
    return *target;
  }

  /// What the last execution allocated.
  size_t copies = 0;

private:
  allocator own{allocate, std::free};
  engine cpu = make_engine_with_allocator(engine::kind::cpu, 0, own);
  stream work{cpu};
  std::vector<LT> inputs;
  LT output;
  compiled_partition compiled;
  std::vector<std::vector<float>> data;
};

/// The result may be where the input `from` is, and is the same there.
void expectInPlace(const std::vector<op> &ops, const std::vector<LT> &inputs,
                   size_t from, size_t result, size_t copies = 0) {
  InPlace program(ops, inputs, result);
  ASSERT_EQ(program.pairs(), (Pairs{{from, result}}));
  std::vector<float> inPlace = program.run(&from);
  EXPECT_EQ(program.copies, copies);
  EXPECT_EQ(inPlace, program.run());
  EXPECT_EQ(program.copies, 0u);
}

/// The result may not be where the input `from` is.
void expectApart(const std::vector<op> &ops, const std::vector<LT> &inputs,
                 size_t from, size_t result) {
  for (auto [input, output] : InPlace(ops, inputs, result).pairs())
    EXPECT_NE(input, from);
}

op makeConvolution(size_t id, size_t src, size_t weights, size_t dst) {
  op conv(id, op::kind::Convolution, {LT(src, f32), LT(weights, f32)},
          {LT(dst, f32)});
  conv.set_attr<std::vector<int64_t>>(op::attr::strides, {1, 1})
      .set_attr<std::vector<int64_t>>(op::attr::pads_begin, {1, 1})
      .set_attr<std::vector<int64_t>>(op::attr::pads_end, {1, 1})
      .set_attr<std::vector<int64_t>>(op::attr::dilations, {1, 1});
  return conv;
}

op makeAdd(size_t id, size_t a, size_t b, size_t dst) {
  return op(id, op::kind::Add, {LT(a, f32), LT(b, f32)}, {LT(dst, f32)});
}

op makeUnary(size_t id, op::kind kind, size_t src, size_t dst) {
  return op(id, kind, {LT(src, f32)}, {LT(dst, f32)});
}

op makeMatMul(size_t id, size_t a, size_t b, size_t dst) {
  return op(id, op::kind::MatMul, {LT(a, f32), LT(b, f32)}, {LT(dst, f32)});
}

TEST(InPlace, SumsAfterConvolutions) {
  LT x = makeTensor(0, {1, 9, 7, 16}), w = makeTensor(1, {3, 3, 16, 24}),
     residual = makeTensor(3, {1, 9, 7, 24});
  expectInPlace({makeConvolution(0, 0, 1, 2), makeAdd(1, 2, 3, 4)},
                {x, w, residual}, 3, 4);
  expectInPlace({makeConvolution(0, 0, 1, 2), makeAdd(1, 3, 2, 4),
                 makeUnary(2, op::kind::ReLU, 4, 5)},
                {x, w, residual}, 3, 5);
}

TEST(InPlace, SumsAfterMatmuls) {
  auto check = [](int64_t m, int64_t k, int64_t n, size_t copies) {
    expectInPlace(
        {makeMatMul(0, 0, 1, 2), makeAdd(1, 2, 3, 4)},
        {makeTensor(0, {m, k}), makeTensor(1, {k, n}), makeTensor(3, {m, n})},
        3, 4, copies);
  };
  check(300, 70, 130, /*copies=*/0);
  check(1, 64, 256, /*copies=*/0);
  // Kernels leave their sums where the result will be, as those that read the
  // weights in place do.
  check(100, 70, 130, /*copies=*/1);
  check(31, 5, 3, /*copies=*/1);
}

TEST(InPlace, RowsAreReadFirst) {
  for (int64_t columns : {1, 6, 64, 70, 1000}) {
    LT x = makeTensor(0, {33, columns});
    expectInPlace({makeUnary(0, op::kind::Sigmoid, 0, 1)}, {x}, 0, 1);
    op softmax = makeUnary(0, op::kind::SoftMax, 0, 1);
    softmax.set_attr<int64_t>(op::attr::axis, 1);
    expectInPlace({softmax}, {x}, 0, 1);
    op norm(0, op::kind::LayerNorm, {LT(0, f32)}, {LT(1, f32)});
    norm.set_attr<bool>(op::attr::keep_stats, false)
        .set_attr<bool>(op::attr::use_affine, false);
    expectInPlace({norm}, {x}, 0, 1);
  }
}

TEST(InPlace, NotWhatOtherResultsNeed) {
  // Every element of a row of the product needs the whole row of the operand.
  LT x = makeTensor(0, {64, 64}), w = makeTensor(1, {64, 64});
  expectApart({makeMatMul(0, 0, 1, 2)}, {x, w}, 0, 2);
  // So does a residual connection around it.
  expectApart({makeMatMul(0, 0, 1, 2), makeAdd(1, 2, 0, 3)}, {x, w}, 0, 3);
  LT image = makeTensor(0, {1, 9, 7, 16}), taps = makeTensor(1, {3, 3, 16, 16});
  expectApart({makeConvolution(0, 0, 1, 2)}, {image, taps}, 0, 2);
  expectApart({makeConvolution(0, 0, 1, 2), makeAdd(1, 2, 0, 3)}, {image, taps},
              0, 3);
  // A transposition of a square writes where it has not read yet.
  op transpose = makeUnary(0, op::kind::StaticTranspose, 0, 1);
  transpose.set_attr<std::vector<int64_t>>(op::attr::order, {1, 0});
  expectApart({transpose}, {x}, 0, 1);
  expectApart({transpose, makeUnary(1, op::kind::ReLU, 1, 2)}, {x}, 0, 2);
}

} // namespace
