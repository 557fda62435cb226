// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What programs rely on around partitions: ports, ids, views, constants that
// change places.

#include "CppClient.h"

#include "gc_dnnl_graph.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cmath>
#include <set>
#include <thread>

using namespace dnnl;
using namespace dnnl::graph;
using namespace gc::dnnltest;

namespace {

std::vector<float> makeValues(size_t count, int seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 37 + seed * 11) % 23) / 8 - 1;
  return values;
}

TEST(Contracts, EndsArePartitionsThatAreNotCompiled) {
  dnnl::graph::graph g(engine::kind::cpu);
  g.add_op(op(1, op::kind::Exp, {LT(1, f32)}, {LT(2, f32)}));
  g.add_op(op(2, op::kind::End, {LT(2, f32)}, {}));
  g.add_op(op(3, op::kind::Sqrt, {LT(2, f32)}, {LT(3, f32)}));
  g.finalize();
  auto fused = g.get_partitions();
  auto single = g.get_partitions(partition::policy::debug);
  ASSERT_EQ(fused.size(), 2u);
  ASSERT_EQ(single.size(), 3u);
  // Ids are unique in the process, also between two divisions of a graph.
  std::set<size_t> ids;
  for (const auto *list : {&fused, &single})
    for (const partition &part : *list)
      EXPECT_TRUE(ids.insert(part.get_id()).second);
  for (partition &part : fused)
    if (part.is_supported()) {
      // What the end marks and what nobody reads.
      EXPECT_EQ(part.get_ops(), (std::vector<size_t>{1, 3}));
      EXPECT_EQ(part.get_output_ports().size(), 2u);
    } else {
      EXPECT_EQ(part.get_ops(), std::vector<size_t>{2});
      EXPECT_TRUE(part.get_output_ports().empty());
      dnnl_graph_compiled_partition_t compiled = nullptr;
      ASSERT_EQ(dnnl_graph_compiled_partition_create(&compiled, part.get()),
                dnnl_success);
      LT marked(2, f32, LT::dims{4}, strided);
      const dnnl_graph_logical_tensor_t *inputs[] = {&marked.data};
      EXPECT_EQ(dnnl_graph_partition_compile(
                    part.get(), compiled, 1, inputs, 0, nullptr,
                    engine(engine::kind::cpu, 0).get()),
                dnnl_invalid_arguments);
      dnnl_graph_compiled_partition_destroy(compiled);
    }
}

TEST(Contracts, DeadOutputsArePorts) {
  LT x(1, f32, {3, 4}, strided), y(2, f32, {3, 4}, strided),
      mean(3, f32, LT::dims{3}, strided),
      variance(4, f32, LT::dims{3}, strided);
  op norm(1, op::kind::LayerNorm, {x}, {y, mean, variance});
  norm.set_attr<bool>(op::attr::use_affine, false);
  partition part(norm, engine::kind::cpu);
  engine cpu(engine::kind::cpu, 0);
  stream work(cpu);
  ASSERT_EQ(part.get_output_ports().size(), 3u);
  EXPECT_EQ(getStatus([&] { part.compile({x}, {y}, cpu); }),
            dnnl_invalid_arguments);
  auto compiled = part.compile({x}, {variance, y, mean}, cpu);
  std::vector<float> in(12), out(12), m(3), v(3);
  for (int i = 0; i < 12; ++i)
    in[i] = static_cast<float>(i);
  compiled.execute(work, {tensor(x, cpu, in.data())},
                   {tensor(variance, cpu, v.data()), tensor(y, cpu, out.data()),
                    tensor(mean, cpu, m.data())});
  EXPECT_FLOAT_EQ(m[1], 5.5f);
  EXPECT_FLOAT_EQ(v[2], 1.25f);
}

TEST(Contracts, ConvolutionsOfChannelsLast) {
  // Sizes in the order of NCX, elements in that of NXC.
  LT x(1, f32, {1, 4, 5, 5}, LT::dims{100, 1, 20, 4}),
      w(2, f32, {6, 4, 3, 3}, strided),
      y(3, f32, {1, 6, 3, 3}, LT::dims{54, 1, 18, 6});
  op conv(1, op::kind::Convolution, {x, w}, {y});
  conv.set_attr<std::vector<int64_t>>(op::attr::strides, {1, 1})
      .set_attr<std::vector<int64_t>>(op::attr::pads_begin, {0, 0})
      .set_attr<std::vector<int64_t>>(op::attr::pads_end, {0, 0})
      .set_attr<std::vector<int64_t>>(op::attr::dilations, {1, 1})
      .set_attr<std::string>(op::attr::data_format, "NCX")
      .set_attr<std::string>(op::attr::weights_format, "OIX");
  engine cpu(engine::kind::cpu, 0);
  stream work(cpu);
  auto compiled = partition(conv, engine::kind::cpu).compile({x, w}, {y}, cpu);
  std::vector<float> xs = makeValues(100, 1), ws = makeValues(216, 2), ys(54);
  compiled.execute(work, {tensor(x, cpu, xs.data()), tensor(w, cpu, ws.data())},
                   {tensor(y, cpu, ys.data())});
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        float sum = 0;
        for (int c = 0; c < 4; ++c)
          for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q)
              sum += xs[(i + p) * 20 + (j + q) * 4 + c] *
                     ws[((k * 4 + c) * 3 + p) * 3 + q];
        EXPECT_NEAR(ys[i * 18 + j * 6 + k], sum, 1e-4);
      }
}

/// y = x transpose(w) with constant weights of 6 x 8.
class Layer {
public:
  Layer() {
    LT transposed(3, f32, {8, 6}, strided);
    op transpose(1, op::kind::StaticTranspose, {w}, {transposed});
    transpose.set_attr<std::vector<int64_t>>(op::attr::order, {1, 0});
    dnnl::graph::graph g(engine::kind::cpu);
    g.add_op(op(2, op::kind::MatMul, {x, transposed}, {y}));
    g.add_op(transpose);
    g.finalize();
    compiled = g.get_partitions().at(0).compile({x, w}, {y}, cpu);
  }

  /// Whether the result is that of the weights.
  bool isRight(std::vector<float> &weights) const {
    stream work(cpu);
    std::vector<float> in = xs, out(24);
    compiled.execute(
        work, {tensor(x, cpu, in.data()), tensor(w, cpu, weights.data())},
        {tensor(y, cpu, out.data())});
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 6; ++j) {
        float sum = 0;
        for (int k = 0; k < 8; ++k)
          sum += xs[i * 8 + k] * weights[j * 8 + k];
        if (!(std::abs(sum - out[i * 6 + j]) < 1e-4f))
          return false;
      }
    return true;
  }

private:
  LT x{1, f32, {4, 8}, strided};
  LT w{2, f32, {6, 8}, strided, LT::property_type::constant};
  LT y{4, f32, {4, 6}, strided};
  engine cpu{engine::kind::cpu, 0};
  compiled_partition compiled;
  std::vector<float> xs = makeValues(32, 3);
};

TEST(Contracts, ConstantsAreKeptByAddress) {
  set_constant_tensor_cache_capacity(engine::kind::cpu, 16);
  Layer layer;
  std::vector<float> first = makeValues(48, 4), second = makeValues(48, 5);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(layer.isRight(first));
    EXPECT_TRUE(layer.isRight(second));
  }
  // New content at an address is seen once the capacity is set again.
  second[0] += 1;
  set_constant_tensor_cache_capacity(engine::kind::cpu, 16);
  EXPECT_TRUE(layer.isRight(second));
  // Or with another version; that of before is kept.
  second[0] += 1;
  EXPECT_FALSE(layer.isRight(second));
  EXPECT_EQ(gc_dnnl_graph_set_constants_version(1), dnnl_success);
  EXPECT_TRUE(layer.isRight(second));
  EXPECT_EQ(gc_dnnl_graph_set_constants_version(0), dnnl_success);
  EXPECT_FALSE(layer.isRight(second));
  second[0] -= 1;
  EXPECT_TRUE(layer.isRight(second));
  EXPECT_EQ(gc_dnnl_graph_set_constants_version(-1), dnnl_invalid_arguments);
  std::atomic<int> wrong{0};
  // All at addresses of their own until the end: memory that a thread has given
  // back may become another's.
  std::vector<std::vector<float>> values;
  for (int host = 0; host < 4; ++host)
    values.push_back(makeValues(48, 6 + host));
  std::vector<std::thread> hosts;
  for (std::vector<float> &own : values)
    hosts.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        wrong += !layer.isRight(own);
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(wrong, 0);
  set_constant_tensor_cache_capacity(engine::kind::cpu, 0);
  first[0] += 1;
  EXPECT_TRUE(layer.isRight(first));
}

} // namespace
