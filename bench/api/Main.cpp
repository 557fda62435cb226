// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// api-bench GRAPH.json: runs a graph through the Graph API of libgc_dnnl_graph
// and reports one JSON object on standard output, with the field names of
// gc-runner's report.
//
//   --threads=N     OpenMP threads (default: the OpenMP setting)
//   --warmup=N      untimed runs (default 5)
//   --min-time=S    seconds of timed runs (default 0.5)
//   --output=FILE   also write the first output's bytes
//   --policy=P      how to divide the graph: fusion (default), or debug, each
//                   op alone
//   --between=L     layouts between partitions: any (default) or strided
//
// The graph is divided by the library. Results have the strides of the file,
// what lies between partitions the layout that the library chooses. What
// depends on constants is kept. Buffers are laid out as gc-runner lays its own.
//
// Exit codes: 0 measured, 2 bad input or usage, 3 the library or this driver
// cannot run the graph (the report says why).

#include "../onednn/Driver.h"
#include "../onednn/Graph.h"
#include "../onednn/Runs.h"
#include "gc_dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>

using namespace bench;
using Clock = std::chrono::steady_clock;
using LT = dnnl::graph::logical_tensor;
using dnnl::graph::op;

namespace {

struct Options : DriverOptions {
  dnnl::graph::partition::policy Policy =
      dnnl::graph::partition::policy::fusion;
  LT::layout_type Between = LT::layout_type::any;
};

Options parseOptions(int Argc, char **Argv) {
  Options O;
  for (int I = 1; I < Argc; ++I) {
    std::string Arg = Argv[I];
    if (readOption(O, Arg))
      continue;
    if (Arg == "--policy=fusion")
      O.Policy = dnnl::graph::partition::policy::fusion;
    else if (Arg == "--policy=debug")
      O.Policy = dnnl::graph::partition::policy::debug;
    else if (Arg == "--between=any")
      O.Between = LT::layout_type::any;
    else if (Arg == "--between=strided")
      O.Between = LT::layout_type::strided;
    else
      throw std::invalid_argument("unknown argument " + Arg);
  }
  if (O.Input.empty())
    throw std::invalid_argument("usage: api-bench GRAPH.json [options]");
  return O;
}

std::string lower(std::string Text) {
  std::transform(Text.begin(), Text.end(), Text.begin(),
                 [](unsigned char C) { return std::tolower(C); });
  return Text;
}

/// The value of a name in a table of the header's enumerators.
template <typename T>
T find(const std::map<std::string, T> &Table, const std::string &Name) {
  auto Entry = Table.find(Name);
  if (Entry == Table.end())
    throw std::runtime_error("the API has no " + Name);
  return Entry->second;
}

op::kind getKind(const std::string &Name) {
  static const std::map<std::string, op::kind> Kinds = {
#define GC_KIND(name) {lower(#name), op::kind::name},
#include "Kinds.def"
  };
  return find(Kinds, Name);
}

op::attr getAttr(const std::string &Name) {
  static const std::map<std::string, op::attr> Attrs = {
#define GC_ATTR(name) {#name, op::attr::name},
#include "Kinds.def"
  };
  return find(Attrs, Name);
}

LT::data_type getType(const std::string &Name) {
  using Type = LT::data_type;
  static const std::map<std::string, Type> Types = {
      {"f32", Type::f32}, {"bf16", Type::bf16},       {"f16", Type::f16},
      {"s8", Type::s8},   {"u8", Type::u8},           {"s32", Type::s32},
      {"u64", Type::s64}, {"boolean", Type::boolean}, {"s4", Type::s4},
      {"u4", Type::u4}};
  return find(Types, Name);
}

void setAttr(op &To, const std::string &Name, const nlohmann::json &Attr) {
  op::attr Key = getAttr(Name);
  const std::string Type = Attr.at("type");
  const nlohmann::json &Value = Attr.at("value");
  if (Type == "bool")
    To.set_attr<bool>(Key, Value.is_boolean() ? Value.get<bool>()
                                              : Value.get<int>() != 0);
  else if (Type == "s64")
    To.set_attr<int64_t>(Key, Value);
  else if (Type == "f32")
    To.set_attr<float>(Key, Value);
  else if (Type == "string")
    To.set_attr<std::string>(Key, Value);
  else if (Type == "s64[]")
    To.set_attr<std::vector<int64_t>>(Key, Value);
  else if (Type == "f32[]")
    To.set_attr<std::vector<float>>(Key, Value);
  else
    throw std::runtime_error("attributes of type " + Type + " are unknown");
}

LT describe(const Tensor &T) {
  return LT(T.Id, getType(T.Dtype), T.Shape, T.Stride,
            T.Constant ? LT::property_type::constant
                       : LT::property_type::undef);
}

/// A partition that is ready to run.
struct Step {
  dnnl::graph::compiled_partition Compiled;
  std::vector<dnnl::graph::tensor> Inputs, Outputs;
};

class Program {
public:
  Program(const Graph &G, const Options &O) : G(G), O(O) {
    for (int64_t Id : G.Inputs) {
      LT Described = describe(G.tensor(Id));
      fillInput(G.tensor(Id), add(Described));
    }
    for (dnnl::graph::partition &Partition : divide())
      compile(Partition);
  }

  void run() {
    for (Step &S : Steps)
      S.Compiled.execute(Stream, S.Inputs, S.Outputs);
    Stream.wait();
  }

  size_t steps() const { return Steps.size(); }
  /// Tensors in layouts that only the library knows.
  size_t opaque() const {
    size_t Count = 0;
    for (const auto &[Id, T] : Tensors)
      Count += T.get_layout_type() == LT::layout_type::opaque;
    return Count;
  }
  const char *data(int64_t Id) const { return Memory.at(Id).get(); }
  size_t bytes(int64_t Id) const { return Tensors.at(Id).get_mem_size(); }

private:
  std::vector<dnnl::graph::partition> divide() {
    dnnl::graph::graph Divided(dnnl::engine::kind::cpu);
    for (const Op &O : G.Ops) {
      op Added(O.Id, getKind(O.Kind), O.Kind);
      for (const auto &[Name, Attr] : O.Attrs.items())
        setAttr(Added, Name, Attr);
      for (int64_t Id : O.Inputs)
        Added.add_input(describe(G.tensor(Id)));
      for (int64_t Id : O.Outputs)
        Added.add_output(describe(G.tensor(Id)));
      Divided.add_op(Added);
    }
    Divided.finalize();
    return Divided.get_partitions(O.Policy);
  }

  /// A buffer for the tensor. Large ones are on huge pages.
  char *add(const LT &T) {
    constexpr size_t Huge = size_t(2) << 20;
    size_t Bytes = std::max<size_t>(T.get_mem_size(), 1);
    bool IsLarge = Bytes >= Huge / 4;
    size_t Alignment = IsLarge ? Huge : 64;
    Bytes = (Bytes + Alignment - 1) / Alignment * Alignment;
    void *Data = nullptr;
    if (posix_memalign(&Data, Alignment, Bytes))
      throw std::runtime_error("no memory");
    if (IsLarge)
      madvise(Data, Bytes, MADV_HUGEPAGE);
    Memory[T.get_id()].reset(static_cast<char *>(Data));
    Tensors.emplace(T.get_id(), T);
    return static_cast<char *>(Data);
  }

  dnnl::graph::tensor bind(size_t Id) {
    return {Tensors.at(Id), Engine, Memory.at(Id).get()};
  }

  void compile(dnnl::graph::partition &Partition) {
    if (!Partition.is_supported())
      throw std::runtime_error("a partition is not supported");
    std::vector<LT> Inputs, Outputs;
    for (const LT &Port : Partition.get_input_ports())
      Inputs.push_back(Tensors.at(Port.get_id()));
    for (const LT &Port : Partition.get_output_ports()) {
      size_t Id = Port.get_id();
      bool IsResult = std::count(G.Outputs.begin(), G.Outputs.end(), Id);
      Outputs.push_back(IsResult ? describe(G.tensor(Id))
                                 : LT(Id, Port.get_data_type(), O.Between));
    }
    Step S;
    S.Compiled = Partition.compile(Inputs, Outputs, Engine);
    for (const LT &Input : Inputs)
      S.Inputs.push_back(bind(Input.get_id()));
    for (const LT &Output : Outputs) {
      add(S.Compiled.query_logical_tensor(Output.get_id()));
      S.Outputs.push_back(bind(Output.get_id()));
    }
    Steps.push_back(std::move(S));
  }

  struct Free {
    void operator()(char *Data) const { std::free(Data); }
  };

  const Graph &G;
  const Options &O;
  dnnl::engine Engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream Stream{Engine};
  std::map<size_t, LT> Tensors;
  std::map<size_t, std::unique_ptr<char, Free>> Memory;
  std::vector<Step> Steps;
};

nlohmann::json runGraph(const Options &O, const Graph &G) {
  dnnl::graph::set_constant_tensor_cache_capacity(dnnl::engine::kind::cpu,
                                                  SIZE_MAX);
  auto Start = Clock::now();
  Program P(G, O);
  double SetupMs =
      std::chrono::duration<double, std::milli>(Clock::now() - Start).count();
  // The first run folds constants.
  std::vector<double> Times =
      measureRuns([&] { P.run(); }, O.Warmup + 1, O.MinTime, /*MinRuns=*/5);
  if (!O.Output.empty()) {
    int64_t Id = G.Outputs.front();
    writeBytes(O.Output, P.data(Id), P.bytes(Id));
  }
  nlohmann::json Report = reportRuns(Times, G.flops());
  Report["status"] = "ok";
  Report["setup_ms"] = SetupMs;
  Report["partitions"] = P.steps();
  Report["opaque"] = P.opaque();
  return Report;
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    Options O = parseOptions(Argc, Argv);
    // The library's OpenMP reads it before its first use.
    if (O.Threads > 0)
      setenv("OMP_NUM_THREADS", std::to_string(O.Threads).c_str(), 1);
    Graph G = readGraph(O.Input);
    nlohmann::json Report = {{"name", O.Input}, {"peer", "api"}};
    int Status = 0;
    auto report = [&](const char *What, const std::string &Why) {
      Report["status"] = What;
      Report["error"] = Why;
      Status = 3;
    };
    try {
      Report.update(runGraph(O, G));
    } catch (const dnnl::error &E) {
      report(E.status == dnnl_unimplemented ? "unsupported" : "error",
             std::string(E.what()) + ": " + gc_dnnl_last_reason());
    } catch (const std::runtime_error &E) {
      report("unsupported", E.what());
    }
    std::cout << Report.dump(1) << "\n";
    return Status;
  } catch (const std::exception &E) {
    std::cerr << "api-bench: " << E.what() << "\n";
    return 2;
  }
}
