// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// api-latency: what the Graph API adds to executions and what a compilation
// costs whose code is in the cache. Prints one JSON object:
//
//   execute   for tiny graphs, the nanoseconds of an execution through the C
//             interface and through the Graph API, on one thread, and the
//             difference
//   cached    for partitions of 1, 10 and 50 ops, the nanoseconds of
//             dnnl_graph_partition_compile() where the code is there, into a
//             compiled partition that exists, and with one that is created and
//             destroyed
//
//   --batches=N     timed batches of each kind (default 2000)
//   --calls=N       calls in a batch (default 100)
//
// Batches of the kinds that are compared alternate, and the fastest batch
// counts: others had to share the processor. Exit codes: 0 measured, 2 usage, 3
// a call failed.

#include "CAPI/GraphCompiler.h"
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;
using LT = dnnl::graph::logical_tensor;
using dnnl::graph::op;

namespace {

struct Options {
  int Batches = 2000, Calls = 100;
};

Options parseOptions(int Argc, char **Argv) {
  Options O;
  for (int I = 1; I < Argc; ++I) {
    std::string Arg = Argv[I];
    if (Arg.rfind("--batches=", 0) == 0)
      O.Batches = std::stoi(Arg.substr(10));
    else if (Arg.rfind("--calls=", 0) == 0)
      O.Calls = std::stoi(Arg.substr(8));
    else
      throw std::invalid_argument("unknown argument " + Arg);
  }
  if (O.Batches < 1 || O.Calls < 1)
    throw std::invalid_argument("--batches and --calls must be at least 1");
  return O;
}

void check(gc_error *Error) {
  if (!Error)
    return;
  std::string Message = gc_error_message(Error);
  gc_error_destroy(Error);
  throw std::runtime_error(Message);
}

/// Nanoseconds of a call of each function, in its fastest batch.
std::vector<double>
measure(const Options &O, const std::vector<std::function<void(int)>> &Kinds) {
  std::vector<double> Best(Kinds.size(), 1e300);
  for (int Batch = 0; Batch < O.Batches; ++Batch)
    for (size_t I = 0; I < Kinds.size(); ++I) {
      auto Start = Clock::now();
      Kinds[I](O.Calls);
      std::chrono::duration<double, std::nano> Time = Clock::now() - Start;
      if (Batch > 0)
        Best[I] = std::min(Best[I], Time.count() / O.Calls);
    }
  return Best;
}

constexpr int64_t kRows = 4, kColumns = 8;

LT matrix(size_t Id, int64_t Rows) {
  return LT(Id, LT::data_type::f32, LT::dims{Rows, kColumns},
            LT::layout_type::strided);
}

/// `Layers` layers y = relu(x w). Tensor 0 is the input, 1 to `Layers` are the
/// weights, the last id is the result.
struct Perceptron {
  explicit Perceptron(int Layers) : Layers(Layers) {}

  size_t result() const { return 3 * Layers; }

  std::string text() const {
    const std::string X = "tensor<4x8xf32>", W = "tensor<8x8xf32>";
    std::string Text = "func.func @main(%x0: " + X;
    for (int I = 1; I <= Layers; ++I)
      Text += ", %w" + std::to_string(I) + ": " + W + " {graph.const_arg}";
    Text += ") -> " + X + " {\n";
    for (int I = 1; I <= Layers; ++I) {
      std::string N = std::to_string(I);
      Text += "%y" + N + " = graph.matmul %x" + std::to_string(I - 1) + ", %w" +
              N + " : (" + X + ", " + W + ") -> " + X + "\n%x" + N +
              " = graph.relu %y" + N + " : (" + X + ") -> " + X + "\n";
    }
    return Text + "return %x" + std::to_string(Layers) + " : " + X + "\n}\n";
  }

  dnnl::graph::partition partition() const {
    dnnl::graph::graph G(dnnl::engine::kind::cpu);
    LT X = matrix(0, kRows);
    for (int I = 1; I <= Layers; ++I) {
      LT Y = matrix(Layers + 2 * I - 1, kRows),
         Z = matrix(Layers + 2 * I, kRows);
      G.add_op(op(2 * I, op::kind::MatMul, {X, weights(I)}, {Y}));
      G.add_op(op(2 * I + 1, op::kind::ReLU, {Y}, {Z}));
      X = Z;
    }
    G.finalize();
    auto Partitions = G.get_partitions();
    if (Partitions.size() != 1)
      throw std::runtime_error("the perceptron is not one partition");
    return Partitions[0];
  }

  std::vector<LT> inputs() const {
    std::vector<LT> All = {matrix(0, kRows)};
    for (int I = 1; I <= Layers; ++I)
      All.push_back(weights(I));
    return All;
  }

  int Layers;

private:
  static LT weights(size_t Id) {
    return LT(Id, LT::data_type::f32, LT::dims{kColumns, kColumns},
              LT::layout_type::strided, LT::property_type::constant);
  }
};

/// Prints what executions cost. Both libraries read and write the same buffers.
void measureExecution(const Options &O, const Perceptron &P, const char *End) {
  // The C interface keeps what depends on constants, and so shall the other.
  dnnl::graph::set_constant_tensor_cache_capacity(dnnl::engine::kind::cpu, 64);
  std::vector<std::vector<float>> In(
      P.Layers + 1, std::vector<float>(kColumns * kColumns, 0.5f));
  std::vector<float> Out(kRows * kColumns);

  std::string Text = P.text();
  gc_graph *Graph = nullptr;
  check(gc_graph_read_text(Text.data(), Text.size(), GC_FORMAT_MLIR, "tiny",
                           &Graph));
  gc_compile_options Compile = GC_COMPILE_OPTIONS_INIT;
  gc_compiled *Compiled = nullptr;
  check(gc_graph_compile(Graph, &Compile, &Compiled));
  std::vector<void *> Inputs;
  for (std::vector<float> &Values : In)
    Inputs.push_back(Values.data());
  void *Outputs[] = {Out.data()};

  dnnl::engine Engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream Stream(Engine);
  LT Result = matrix(P.result(), kRows);
  auto Partition = P.partition();
  auto Through = Partition.compile(P.inputs(), {Result}, Engine);
  std::vector<dnnl::graph::tensor> Tensors;
  for (size_t I = 0; I < In.size(); ++I)
    Tensors.emplace_back(P.inputs()[I], Engine, In[I].data());
  dnnl::graph::tensor Made(Result, Engine, Out.data());
  std::vector<const_dnnl_graph_tensor_t> Given;
  for (const auto &Tensor : Tensors)
    Given.push_back(Tensor.get());
  const_dnnl_graph_tensor_t Written[] = {Made.get()};

  auto Best = measure(
      O, {[&](int Calls) {
            for (int I = 0; I < Calls; ++I)
              check(gc_compiled_execute(Compiled, Inputs.data(), Inputs.size(),
                                        Outputs, 1, nullptr, 0));
          },
          [&](int Calls) {
            for (int I = 0; I < Calls; ++I)
              if (dnnl_graph_compiled_partition_execute(
                      Through.get(), Stream.get(), Given.size(), Given.data(),
                      1, Written))
                throw std::runtime_error("the execution failed");
          }});
  std::printf("  {\"tensors\": %zu, \"c_ns\": %.0f, \"api_ns\": %.0f, "
              "\"added_ns\": %.0f}%s\n",
              In.size() + 1, Best[0], Best[1], Best[1] - Best[0], End);
  gc_compiled_destroy(Compiled);
  gc_graph_destroy(Graph);
}

void measureCached(const Options &O, int Ops, const char *End) {
  dnnl::engine Engine(dnnl::engine::kind::cpu, 0);
  dnnl::graph::graph G(dnnl::engine::kind::cpu);
  // Sums of the input and an input of their own: many ports as well.
  LT X = matrix(0, kRows);
  std::vector<LT> In = {X};
  for (int I = 1; I <= Ops; ++I) {
    LT Other = matrix(2 * I - 1, kRows), Y = matrix(2 * I, kRows);
    G.add_op(op(I, op::kind::Add, {X, Other}, {Y}));
    In.push_back(Other);
    X = Y;
  }
  G.finalize();
  auto Partitions = G.get_partitions();
  if (Partitions.size() != 1)
    throw std::runtime_error("the chain is not one partition");
  auto Compiled = Partitions[0].compile(In, {X}, Engine);
  std::vector<const dnnl_graph_logical_tensor_t *> Inputs;
  std::vector<dnnl_graph_logical_tensor_t> Copies;
  for (const LT &Input : In)
    Copies.push_back(Input.data);
  for (const auto &Copy : Copies)
    Inputs.push_back(&Copy);
  dnnl_graph_logical_tensor_t Result = X.data;
  const dnnl_graph_logical_tensor_t *Outputs[] = {&Result};
  auto compile = [&](dnnl_graph_compiled_partition_t To) {
    if (dnnl_graph_partition_compile(Partitions[0].get(), To, Inputs.size(),
                                     Inputs.data(), 1, Outputs, Engine.get()))
      throw std::runtime_error("the compilation failed");
  };
  auto Best = measure(O, {[&](int Calls) {
                            for (int I = 0; I < Calls; ++I)
                              compile(Compiled.get());
                          },
                          [&](int Calls) {
                            for (int I = 0; I < Calls; ++I) {
                              dnnl_graph_compiled_partition_t New = nullptr;
                              dnnl_graph_compiled_partition_create(
                                  &New, Partitions[0].get());
                              compile(New);
                              dnnl_graph_compiled_partition_destroy(New);
                            }
                          }});
  std::printf("  {\"ops\": %d, \"compile_ns\": %.0f, \"new_ns\": %.0f}%s\n",
              Ops, Best[0], Best[1], End);
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  try {
    O = parseOptions(Argc, Argv);
  } catch (const std::exception &E) {
    std::fprintf(stderr, "api-latency: %s\n", E.what());
    return 2;
  }
  try {
    std::printf("{\"execute\": [\n");
    for (int Layers : {1, 4, 16})
      measureExecution(O, Perceptron(Layers), Layers == 16 ? "]," : ",");
    std::printf(" \"cached\": [\n");
    for (int Ops : {1, 10, 50})
      measureCached(O, Ops, Ops == 50 ? "]}" : ",");
    return 0;
  } catch (const std::exception &E) {
    std::fprintf(stderr, "api-latency: %s\n", E.what());
    return 3;
  }
}
