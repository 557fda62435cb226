// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled code on pools of an application: of one to eight threads, that run
// jobs at once or one after the other, return early, are busy, or throw.

#include "Pools.h"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

#include "gtest/gtest.h"
#include <cmath>
#include <vector>

using namespace dnnl;
using namespace dnnl::graph;
using namespace gc::dnnltest;
using LT = logical_tensor;

namespace {

/// softmax(relu(x w) v), with constant weights, for teams of up to eight.
class ThreadpoolTest : public testing::TestWithParam<int> {
protected:
  static constexpr int64_t kRows = 64, kColumns = 48, kInner = 96;

  void SetUp() override {
    fill(x, kRows * kColumns, 1);
    fill(w, kColumns * kInner, 2);
    fill(v, kInner * kColumns, 3);
    expect();
    compiled = compile();
  }

  static void fill(std::vector<float> &values, size_t count, unsigned seed) {
    for (size_t i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      values.push_back(static_cast<float>(seed >> 16 & 255) / 256 - 0.5f);
    }
  }

  void expect() {
    for (int64_t i = 0; i < kRows; ++i) {
      std::vector<double> hidden(kInner), row(kColumns);
      for (int64_t k = 0; k < kInner; ++k) {
        for (int64_t j = 0; j < kColumns; ++j)
          hidden[k] += double(x[i * kColumns + j]) * w[j * kInner + k];
        hidden[k] = std::max(0.0, hidden[k]);
      }
      double sum = 0;
      for (int64_t j = 0; j < kColumns; ++j) {
        for (int64_t k = 0; k < kInner; ++k)
          row[j] += hidden[k] * v[k * kColumns + j];
        sum += std::exp(row[j]);
      }
      for (double value : row)
        expected.push_back(std::exp(value) / sum);
    }
  }

  compiled_partition compile() {
    auto f32 = LT::data_type::f32;
    auto constant = LT::property_type::constant;
    auto strided = LT::layout_type::strided;
    ports = {LT(0, f32, {kRows, kColumns}, strided),
             LT(1, f32, {kColumns, kInner}, strided, constant),
             LT(2, f32, {kInner, kColumns}, strided, constant),
             LT(6, f32, {kRows, kColumns}, strided)};
    LT product(3, f32, {kRows, kInner}, strided);
    LT hidden(4, f32, {kRows, kInner}, strided);
    LT scores(5, f32, {kRows, kColumns}, strided);
    dnnl::graph::graph layers(engine::kind::cpu);
    layers.add_op(op(0, op::kind::MatMul, {ports[0], ports[1]}, {product}));
    layers.add_op(op(1, op::kind::ReLU, {product}, {hidden}));
    layers.add_op(op(2, op::kind::MatMul, {hidden, ports[2]}, {scores}));
    op softmax(3, op::kind::SoftMax, {scores}, {ports[3]});
    softmax.set_attr<int64_t>(op::attr::axis, 1);
    layers.add_op(softmax);
    layers.finalize();
    auto partitions = layers.get_partitions();
    EXPECT_EQ(partitions.size(), 1u);
    EXPECT_EQ(dnnl_threadpool_interop_set_max_concurrency(8), dnnl_success);
    return partitions[0].compile({ports[0], ports[1], ports[2]}, {ports[3]},
                                 cpu);
  }

  /// Executes on the pool and says whether the result is right.
  bool runsOn(threadpool_interop::threadpool_iface *pool) {
    stream work = threadpool_interop::make_stream(cpu, pool);
    std::vector<float> y(expected.size(), -1);
    compiled.execute(work,
                     {tensor(ports[0], cpu, x.data()),
                      tensor(ports[1], cpu, w.data()),
                      tensor(ports[2], cpu, v.data())},
                     {tensor(ports[3], cpu, y.data())});
    work.wait();
    for (size_t i = 0; i < y.size(); ++i)
      if (!(std::abs(y[i] - expected[i]) < 1e-5))
        return false;
    return true;
  }

  engine cpu{engine::kind::cpu, 0};
  std::vector<LT> ports;
  std::vector<float> x, w, v;
  std::vector<double> expected;
  compiled_partition compiled;
};

TEST_P(ThreadpoolTest, RunsJobsAtOnce) {
  ThreadPool pool(GetParam());
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(runsOn(&pool));
  if (GetParam() > 1)
    EXPECT_GT(pool.getJobs(), 0);
}

TEST_P(ThreadpoolTest, RunsJobsOneAfterTheOther) {
  SerialPool pool(GetParam());
  EXPECT_TRUE(runsOn(&pool));
}

TEST_P(ThreadpoolTest, LeavesJobsToOthers) {
  ThreadPool pool(GetParam(), ThreadPool::Caller::Waits);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(runsOn(&pool));
}

TEST_P(ThreadpoolTest, ReturnsEarly) {
  ThreadPool pool(GetParam(), ThreadPool::Caller::Returns);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(runsOn(&pool));
}

TEST_P(ThreadpoolTest, IsBusy) {
  // All threads do something else until the execution is finished.
  ThreadPool pool(GetParam(), ThreadPool::Caller::Returns);
  std::promise<void> finished;
  std::shared_future<void> wait = finished.get_future().share();
  pool.parallel_for(GetParam(), [wait](int, int) { wait.wait(); });
  EXPECT_TRUE(runsOn(&pool));
  finished.set_value();
}

TEST_P(ThreadpoolTest, ExecutesWithinAJob) {
  ThreadPool pool(GetParam());
  std::atomic<int> right{0};
  pool.parallel_for(8, [&](int, int) { right += runsOn(&pool); });
  EXPECT_EQ(right, 8);
}

TEST_P(ThreadpoolTest, ServesSeveralHostThreads) {
  for (auto caller : {ThreadPool::Caller::Helps, ThreadPool::Caller::Waits,
                      ThreadPool::Caller::Returns}) {
    ThreadPool pool(GetParam(), caller);
    std::atomic<int> right{0};
    std::vector<std::thread> hosts;
    for (int i = 0; i < 8; ++i)
      hosts.emplace_back([&] {
        for (int run = 0; run < 5; ++run)
          right += runsOn(&pool);
      });
    for (std::thread &host : hosts)
      host.join();
    EXPECT_EQ(right, 40);
  }
}

TEST_P(ThreadpoolTest, ConstantsAreFoldedInJobsAndOutside) {
  // A thread outside folds and waits for the pool, whose threads need the same
  // constants.
  ThreadPool pool(GetParam(), ThreadPool::Caller::Waits);
  std::atomic<int> right{0};
  std::vector<std::thread> hosts;
  for (int i = 0; i < 4; ++i)
    hosts.emplace_back([&, i] {
      for (int run = 0; run < 5; ++run)
        if (i % 2)
          right += runsOn(&pool);
        else
          pool.parallel_for(GetParam(),
                            [&](int, int) { right += runsOn(&pool); });
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(right, 10 + 10 * GetParam());
}

TEST_P(ThreadpoolTest, Throws) {
  ThrowingPool pool(GetParam());
  EXPECT_TRUE(runsOn(&pool));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadpoolTest, testing::Range(1, 9));

TEST_F(ThreadpoolTest, NoPoolIsTheCallingThread) {
  EXPECT_TRUE(runsOn(nullptr));
}

TEST_F(ThreadpoolTest, AStreamKnowsItsPool) {
  SerialPool pool(2);
  stream work = threadpool_interop::make_stream(cpu, &pool);
  EXPECT_EQ(threadpool_interop::get_threadpool(work), &pool);
  EXPECT_EQ(threadpool_interop::get_threadpool(stream(cpu)), nullptr);
  EXPECT_EQ(work.get_engine(), cpu);
}

} // namespace
