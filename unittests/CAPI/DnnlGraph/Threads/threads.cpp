// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Eight threads of an application compile and execute graphs, alone and
// together, on the runtime's threads and on a pool of their own, while caches
// change. Built with the thread sanitizer, which watches the runtime, the
// interface, the driver and generated code (scripts/sanitize-threads.sh).
//
//   gc-dnnl-threads        must finish without a report
//   gc-dnnl-threads race   two executions write to one tensor: a report shows
//                          that generated code is watched

#include "../Pools.h"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace dnnl;
using namespace dnnl::graph;
using namespace gc::dnnltest;
using LT = logical_tensor;

namespace {
constexpr int kHosts = 8, kRounds = 4, kKinds = 4;
constexpr int64_t kRows = 256, kColumns = 96;

/// One graph with its compiled partition and inputs.
struct Program {
  std::vector<LT> inputs;
  LT output;
  compiled_partition compiled;
  std::vector<std::vector<float>> data;

  std::vector<float> run(stream &work, const engine &cpu) const {
    std::vector<float> result(kRows * kColumns, -1);
    runInto(result.data(), work, cpu);
    return result;
  }
  void runInto(float *result, stream &work, const engine &cpu) const {
    std::vector<tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i)
      tensors.emplace_back(inputs[i], cpu, const_cast<float *>(data[i].data()));
    compiled.execute(work, tensors, {tensor(output, cpu, result)});
    work.wait();
  }
};

std::vector<float> makeData(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  return values;
}

/// Two matmuls, softmax, layer norm, or a chain of elementwise ops.
Program makeProgram(int kind, const engine &cpu) {
  auto f32 = LT::data_type::f32;
  auto strided = LT::layout_type::strided;
  auto constant = LT::property_type::constant;
  LT x(0, f32, {kRows, kColumns}, strided);
  LT w(1, f32, {kColumns, kColumns}, strided, constant);
  LT scale(2, f32, LT::dims{kColumns}, strided);
  LT a(10, f32, {kRows, kColumns}, strided);
  LT b(11, f32, {kRows, kColumns}, strided);
  Program program;
  program.output = LT(12, f32, {kRows, kColumns}, strided);
  dnnl::graph::graph ops(engine::kind::cpu);
  op last(2, op::kind::Add, {b, x}, {program.output});
  switch (kind) {
  case 0:
    program.inputs = {x, w};
    ops.add_op(op(0, op::kind::MatMul, {x, w}, {a}));
    ops.add_op(op(1, op::kind::MatMul, {a, w}, {b}));
    break;
  case 1: {
    program.inputs = {x};
    op softmax(0, op::kind::SoftMax, {x}, {a});
    softmax.set_attr<int64_t>(op::attr::axis, 1);
    ops.add_op(softmax);
    ops.add_op(op(1, op::kind::Exp, {a}, {b}));
    break;
  }
  case 2: {
    program.inputs = {x, scale};
    op norm(0, op::kind::LayerNorm, {x, scale, scale}, {a});
    norm.set_attr<bool>(op::attr::keep_stats, false);
    ops.add_op(norm);
    ops.add_op(op(1, op::kind::Square, {a}, {b}));
    break;
  }
  default:
    program.inputs = {x};
    ops.add_op(op(0, op::kind::Tanh, {x}, {a}));
    ops.add_op(op(1, op::kind::Multiply, {a, x}, {b}));
  }
  ops.add_op(last);
  ops.finalize();
  program.compiled =
      ops.get_partitions()[0].compile(program.inputs, {program.output}, cpu);
  for (const LT &input : program.inputs)
    program.data.push_back(makeData(input.get_mem_size() / sizeof(float)));
  return program;
}

bool areClose(const std::vector<float> &a, const std::vector<float> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-4f * (1 + std::abs(b[i]))))
      return false;
  return true;
}

/// The number of wrong results.
int runHosts() {
  engine cpu(engine::kind::cpu, 0);
  stream first(cpu);
  std::vector<Program> shared;
  std::vector<std::vector<float>> expected;
  for (int kind = 0; kind < kKinds; ++kind) {
    shared.push_back(makeProgram(kind, cpu));
    expected.push_back(shared.back().run(first, cpu));
  }
  ThreadPool pool(3);
  std::atomic<int> wrong{0};
  auto host = [&](int index) {
    stream work(cpu);
    stream pooled = threadpool_interop::make_stream(cpu, &pool);
    for (int round = 0; round < kRounds; ++round) {
      int kind = (index + round) % kKinds;
      auto check = [&](const Program &program, stream &where) {
        wrong += !areClose(program.run(where, cpu), expected[kind]);
      };
      // Half of them compile each time, the other half finds some in the cache.
      if (index == 0)
        set_compiled_partition_cache_capacity(round % 2 ? 1024 : 1);
      if (index == 1)
        set_constant_tensor_cache_capacity(engine::kind::cpu, round % 2);
      Program own = makeProgram(kind, cpu);
      check(own, work);
      check(own, pooled);
      for (int i = 0; i < 3; ++i) {
        check(shared[kind], work);
        check(shared[kind], pooled);
      }
    }
  };
  std::vector<std::thread> hosts;
  for (int i = 0; i < kHosts; ++i)
    hosts.emplace_back(host, i);
  for (std::thread &thread : hosts)
    thread.join();
  return wrong;
}

void runRace() {
  engine cpu(engine::kind::cpu, 0);
  Program program = makeProgram(kKinds - 1, cpu);
  std::vector<float> result(kRows * kColumns);
  std::vector<std::thread> hosts;
  for (int i = 0; i < 2; ++i)
    hosts.emplace_back([&] {
      stream work = threadpool_interop::make_stream(cpu, nullptr);
      for (int run = 0; run < 20; ++run)
        program.runInto(result.data(), work, cpu);
    });
  for (std::thread &thread : hosts)
    thread.join();
}
} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "race") == 0) {
    runRace();
    return 0;
  }
  int wrong = runHosts();
  std::printf("%d wrong results\n", wrong);
  return wrong != 0;
}
