// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C++ header: objects, exceptions, threads, and what programs rely on.

#include "CppClient.h"
#include "oneapi/dnnl/dnnl.hpp"

#include "gtest/gtest.h"
#include <chrono>
#include <cmath>
#include <thread>

using namespace dnnl;
using namespace dnnl::graph;
using namespace gc::dnnltest;

namespace {

op makeConvolution(size_t id, size_t src, size_t weights, size_t dst) {
  op conv(id, op::kind::Convolution, {LT(src, f32), LT(weights, f32)},
          {LT(dst, f32)});
  conv.set_attr<std::vector<int64_t>>(op::attr::strides, {1, 1})
      .set_attr<std::vector<int64_t>>(op::attr::pads_begin, {0, 0})
      .set_attr<std::vector<int64_t>>(op::attr::pads_end, {0, 0})
      .set_attr<std::vector<int64_t>>(op::attr::dilations, {1, 1})
      .set_attr<std::string>(op::attr::data_format, "NCX")
      .set_attr<std::string>(op::attr::auto_pad, "VALID")
      .set_attr<std::string>(op::attr::weights_format, "OIX");
  return conv;
}

std::vector<partition> divide(const std::vector<op> &ops) {
  dnnl::graph::graph g(engine::kind::cpu);
  for (const op &o : ops)
    g.add_op(o);
  g.finalize();
  return g.get_partitions();
}

TEST(CppClient, Granularity) {
  auto relu = [](size_t id, size_t from, size_t to) {
    return op(id, op::kind::ReLU, {LT(from, f32)}, {LT(to, f32)});
  };
  auto add = [](size_t id, size_t a, size_t b, size_t to) {
    return op(id, op::kind::Add, {LT(a, f32), LT(b, f32)}, {LT(to, f32)});
  };
  auto bias = [](size_t id, size_t from, size_t b, size_t to) {
    return op(id, op::kind::BiasAdd, {LT(from, f32), LT(b, f32)},
              {LT(to, f32)});
  };
  auto norm = [](size_t id, size_t from, size_t to) {
    op result(
        id, op::kind::BatchNormInference,
        {LT(from, f32), LT(90, f32), LT(91, f32), LT(92, f32), LT(93, f32)},
        {LT(to, f32)});
    result.set_attr<float>(op::attr::epsilon, 1e-5f);
    return result;
  };
  // Twice a convolution with bias and relu.
  EXPECT_EQ(
      divide({makeConvolution(0, 0, 1, 2), bias(1, 2, 3, 4), relu(2, 4, 5),
              makeConvolution(3, 5, 6, 7), bias(4, 7, 8, 9), relu(5, 9, 10)})
          .size(),
      2u);
  EXPECT_EQ(divide({makeConvolution(0, 0, 1, 2), norm(1, 2, 3)}).size(), 1u);
  EXPECT_EQ(divide({relu(0, 0, 1), relu(1, 2, 3)}).size(), 2u);
  EXPECT_EQ(divide({makeConvolution(0, 0, 1, 2), makeConvolution(1, 3, 4, 5),
                    add(2, 2, 5, 6)})
                .size(),
            2u);
  EXPECT_EQ(
      divide({norm(0, 0, 1), makeConvolution(1, 2, 3, 4), add(2, 1, 4, 5)})
          .size(),
      2u);
}

TEST(CppClient, InPlace) {
  // A sum after a convolution may be where the other summand is; what a
  // convolution reads may not be overwritten.
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  LT src(0, f32, {1, 2, 3, 3}, strided), weights(1, f32, {2, 2, 1, 1}, strided),
      other(3, f32, {1, 2, 3, 3}, strided), dst(4, f32);
  auto alone = divide({makeConvolution(0, 0, 1, 4)});
  EXPECT_TRUE(
      alone[0].compile({src, weights}, {dst}, cpu).get_inplace_ports().empty());
  auto sum =
      divide({makeConvolution(0, 0, 1, 2),
              op(1, op::kind::Add, {LT(2, f32), LT(3, f32)}, {LT(4, f32)})});
  ASSERT_EQ(sum.size(), 1u);
  auto compiled = sum[0].compile({src, weights, other}, {dst}, cpu);
  using Pairs = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(compiled.get_inplace_ports(), (Pairs{{3, 4}}));
  std::vector<float> in(18, 2), w = {1, 1, 0, 3}, both(18, 5);
  compiled.execute(
      s,
      {tensor(src, cpu, in.data()), tensor(weights, cpu, w.data()),
       tensor(other, cpu, both.data())},
      {tensor(compiled.query_logical_tensor(4), cpu, both.data())});
  EXPECT_EQ(both[0], 2 + 2 + 5);
  EXPECT_EQ(both[17], 3 * 2 + 5);
}

/// y = relu(x w)
partition makeLayer() {
  return divide(
             {op(0, op::kind::MatMul, {LT(0, f32), LT(1, f32)}, {LT(2, f32)}),
              op(1, op::kind::ReLU, {LT(2, f32)}, {LT(3, f32)})})
      .front();
}

TEST(CppClient, ExceptionsAndStatuses) {
  dnnl::graph::graph g(engine::kind::cpu, fpmath_mode::bf16);
  fpmath_mode mode;
  bool integers;
  g.set_fpmath_mode(fpmath_mode::any, true);
  g.get_fpmath_mode(mode, integers);
  EXPECT_EQ(mode, fpmath_mode::any);
  EXPECT_TRUE(integers);
  op broken(0, op::kind::ReLU, {}, {});
  EXPECT_EQ(g.add_op(broken, false), status::invalid_graph_op);
  EXPECT_EQ(getStatus([&] { g.add_op(broken); }), dnnl_invalid_graph_op);
  EXPECT_EQ(getStatus([&] { g.get_partitions(); }), dnnl_invalid_graph);
  g.finalize();
  EXPECT_TRUE(g.is_finalized());
  EXPECT_TRUE(g.get_partitions().empty());
  EXPECT_EQ(getStatus([] { engine(engine::kind::gpu, 0); }),
            dnnl_invalid_arguments);
  EXPECT_EQ(getStatus([] { LT(0, f32, LT::dims{1, 2}, LT::dims{1}); }),
            dnnl_invalid_arguments);
  EXPECT_EQ(getStatus([] { LT(0, f32).get_dims(); }), dnnl_invalid_arguments);
  EXPECT_EQ(getStatus([] { tensor().get_data_handle(); }),
            dnnl_invalid_arguments);
  partition wildcard(op(0, op::kind::Wildcard, {LT(0, f32)}, {LT(1, f32)}),
                     engine::kind::cpu);
  EXPECT_FALSE(wildcard.is_supported());
  EXPECT_EQ(getStatus([&] {
              wildcard.compile({}, {}, engine(engine::kind::cpu, 0));
            }),
            dnnl_invalid_arguments);
}

TEST(CppClient, HostScalarsAndUnknownShapes) {
  // y = x + scalar, whose value is copied when the tensor is made.
  LT x(0, f32, {2, 3}, strided), y(2, f32);
  LT scalar(1, f32, 0, strided, LT::property_type::host_scalar);
  partition sum(op(0, op::kind::Add, {x, scalar}, {y}), engine::kind::cpu);
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  auto compiled = sum.compile({x, scalar}, {y}, cpu);
  LT result = compiled.query_logical_tensor(2);
  EXPECT_EQ(result.get_dims(), (LT::dims{2, 3}));
  std::vector<float> data = {1, 2, 3, 4, 5, 6}, out(6);
  float value = 10;
  tensor ts = tensor::make_scalar_tensor(scalar, &value);
  value = 0;
  EXPECT_EQ(ts.get_data_handle(), nullptr);
  compiled.execute(s, {tensor(x, cpu, data.data()), ts},
                   {tensor(result, cpu, out.data())});
  EXPECT_EQ(out, (std::vector<float>{11, 12, 13, 14, 15, 16}));
}

TEST(CppClient, CountersOf64Bits) {
  // With probability 0 nothing is dropped, with 1 everything.
  const auto host = LT::property_type::host_scalar;
  LT x(0, f32, {4, 8}, strided), y(4, f32);
  LT seed(1, LT::data_type::s64, 0, strided, host),
      offset(2, LT::data_type::s64, 0, strided, host),
      probability(3, f32, 0, strided, host);
  partition dropout(
      op(0, op::kind::Dropout, {x, seed, offset, probability}, {y}),
      engine::kind::cpu);
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  auto compiled = dropout.compile({x, seed, offset, probability}, {y}, cpu);
  std::vector<float> data(32, 3), out(32);
  for (float share : {0.0f, 1.0f}) {
    int64_t number = -5;
    compiled.execute(
        s,
        {tensor(x, cpu, data.data()), tensor::make_scalar_tensor(seed, &number),
         tensor::make_scalar_tensor(offset, &number),
         tensor::make_scalar_tensor(probability, &share)},
        {tensor(compiled.query_logical_tensor(4), cpu, out.data())});
    EXPECT_EQ(out, std::vector<float>(32, share > 0 ? 0.0f : 3.0f));
  }
}

op makeMatmul(size_t id, size_t a, size_t b, size_t to,
              bool transpose = false) {
  op matmul(id, op::kind::MatMul, {LT(a, f32), LT(b, f32)}, {LT(to, f32)});
  matmul.set_attr<bool>(op::attr::transpose_b, transpose);
  return matmul;
}

TEST(CppClient, TrainingOfAttention) {
  // The statistics that the forward graph keeps give the gradients the weights
  // again: exp(scores - stats).
  op softmax(1, op::kind::SoftMax, {LT(2, f32)}, {LT(3, f32), LT(4, f32)});
  softmax.set_attr<int64_t>(op::attr::axis, -1);
  auto forward =
      divide({makeMatmul(0, 0, 1, 2, true), softmax, makeMatmul(2, 3, 5, 6)});
  ASSERT_EQ(forward.size(), 1u);
  op gradient(4, op::kind::SoftMaxBackward, {LT(10, f32), LT(8, f32)},
              {LT(11, f32)});
  gradient.set_attr<int64_t>(op::attr::axis, -1);
  auto backward = divide(
      {makeMatmul(0, 0, 1, 2, true),
       op(1, op::kind::Subtract, {LT(2, f32), LT(4, f32)}, {LT(7, f32)}),
       op(2, op::kind::Exp, {LT(7, f32)}, {LT(8, f32)}),
       makeMatmul(3, 9, 5, 10, true), gradient, makeMatmul(5, 11, 1, 12)});
  ASSERT_EQ(backward.size(), 1u);

  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  // Queries that are 1 along one dimension take columns of the keys as scores.
  LT q(0, f32, {2, 2}, strided), k(1, f32, {3, 2}, strided),
      v(5, f32, {3, 2}, strided);
  std::vector<float> qs = {1, 0, 0, 1}, ks = {0.5, 2, -1, 0, 1.5, -3},
                     vs = {1, 2, 3, 4, 5, 6}, result(4), stats(2);
  auto compiled = forward[0].compile({q, k, v}, {LT(6, f32), LT(4, f32)}, cpu);
  LT rows = compiled.query_logical_tensor(4);
  EXPECT_EQ(rows.get_dims(), (LT::dims{2, 1}));
  compiled.execute(
      s,
      {tensor(q, cpu, qs.data()), tensor(k, cpu, ks.data()),
       tensor(v, cpu, vs.data())},
      {tensor(compiled.query_logical_tensor(6), cpu, result.data()),
       tensor(rows, cpu, stats.data())});
  // A gradient of the results: of the first column of the first row.
  LT diff(9, f32, {2, 2}, strided);
  std::vector<float> diffs = {1, 0, 0, 0}, found(4);
  auto gradients =
      backward[0].compile({q, k, rows, diff, v}, {LT(12, f32)}, cpu);
  gradients.execute(
      s,
      {tensor(q, cpu, qs.data()), tensor(k, cpu, ks.data()),
       tensor(rows, cpu, stats.data()), tensor(diff, cpu, diffs.data()),
       tensor(v, cpu, vs.data())},
      {tensor(gradients.query_logical_tensor(12), cpu, found.data())});

  double weights[2][3], slope[2] = {0, 0};
  for (int row = 0; row < 2; ++row) {
    double sum = 0, product = 0;
    for (int i = 0; i < 3; ++i)
      sum += weights[row][i] = std::exp(ks[2 * i + row]);
    EXPECT_NEAR(stats[row], std::log(sum), 1e-5);
    for (int i = 0; i < 3; ++i)
      product += (weights[row][i] /= sum) * vs[2 * i];
    EXPECT_NEAR(result[2 * row], product, 1e-5);
  }
  for (int i = 0; i < 3; ++i)
    for (int column = 0; column < 2; ++column)
      slope[column] +=
          weights[0][i] * (vs[2 * i] - result[0]) * ks[2 * i + column];
  EXPECT_NEAR(found[0], slope[0], 1e-5);
  EXPECT_NEAR(found[1], slope[1], 1e-5);
  EXPECT_EQ(found[2], 0);
  EXPECT_EQ(found[3], 0);
}

TEST(CppClient, EmptyTensors) {
  LT x(0, f32, {0, 4}, strided), y(1, f32, {0, 4}, strided);
  partition relu(op(0, op::kind::ReLU, {x}, {y}), engine::kind::cpu);
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  auto compiled = relu.compile({x}, {y}, cpu);
  compiled.execute(s, {tensor(x, cpu, nullptr)}, {tensor(y, cpu, nullptr)});
}

TEST(CppClient, ThreadsShareACompiledPartition) {
  partition layer = makeLayer();
  engine cpu(engine::kind::cpu, 0);
  constexpr int64_t m = 16, k = 32, n = 24;
  LT x(0, f32, {m, k}, strided),
      w(1, f32, {k, n}, strided, LT::property_type::constant), y(3, f32);
  std::vector<float> weights(k * n, 0.5f);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto compiled = layer.compile({x, w}, {y}, cpu);
      LT result = compiled.query_logical_tensor(3);
      stream s(cpu);
      std::vector<float> in(m * k, float(t)), out(m * n);
      for (int i = 0; i < 10; ++i) {
        compiled.execute(
            s, {tensor(x, cpu, in.data()), tensor(w, cpu, weights.data())},
            {tensor(result, cpu, out.data())});
        right += std::all_of(out.begin(), out.end(),
                             [&](float v) { return v == float(t) * k / 2; });
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

TEST(CppClient, SettingsAndMemory) {
  set_compiled_partition_cache_capacity(7);
  EXPECT_EQ(get_compiled_partition_cache_capacity(), 7);
  set_compiled_partition_cache_capacity(1024);
  set_constant_tensor_cache_capacity(engine::kind::cpu, 3);
  EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 3u);
  set_constant_tensor_cache(0);
  EXPECT_EQ(get_constant_tensor_cache(), 0);
  set_dump_mode(dump_mode::none);
  EXPECT_EQ(version()->major, 3);
  allocator own;
  engine cpu = make_engine_with_allocator(engine::kind::cpu, 0, own);
  EXPECT_EQ(cpu.get_kind(), engine::kind::cpu);
  EXPECT_EQ(engine::get_count(engine::kind::gpu), 0u);
  stream s(cpu);
  EXPECT_EQ(s.get_engine(), cpu);
  memory from({{2, 2}, memory::data_type::f32, memory::format_tag::ab}, cpu);
  memory to({{2, 2}, memory::data_type::s8, memory::dims{1, 2}}, cpu);
  auto *numbers = static_cast<float *>(from.get_data_handle());
  for (int i = 0; i < 4; ++i)
    numbers[i] = float(i) - 1.75f;
  reorder(from, to).execute(s, from, to);
  s.wait();
  auto *bytes = static_cast<int8_t *>(to.get_data_handle());
  EXPECT_EQ(bytes[0], -2);
  EXPECT_EQ(bytes[1], 0);
  EXPECT_EQ(bytes[2], -1);
  EXPECT_EQ(to.get_desc().get_strides(), (memory::dims{1, 2}));
  EXPECT_EQ(from.get_desc().get_size(), 16u);
}

} // namespace
