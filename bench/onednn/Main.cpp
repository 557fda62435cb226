// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// onednn-bench GRAPH.json: runs a graph on oneDNN primitives and reports one
// JSON object on standard output, with the field names of gc-runner's report.
//
//   --threads=N     OpenMP threads (default: the OpenMP setting)
//   --warmup=N      untimed runs of each plan (default 5)
//   --min-time=S    seconds of timed runs (default 0.5)
//   --output=FILE   also write the first output's bytes
//
// Exit codes: 0 measured, 2 bad input or usage, 3 the library or this driver
// cannot run the graph (the report says why).

#include "Graph.h"
#include "Plan.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <omp.h>
#include <stdexcept>

using namespace bench;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
  std::string Input, Output;
  int Threads = 0;
  int Warmup = 5;
  double MinTime = 0.5;
};

Options parseOptions(int Argc, char **Argv) {
  Options O;
  for (int I = 1; I < Argc; ++I) {
    std::string Arg = Argv[I];
    auto value = [&](const char *Name) -> const char * {
      size_t Length = std::char_traits<char>::length(Name);
      return Arg.compare(0, Length, Name) == 0 ? Arg.c_str() + Length : nullptr;
    };
    if (const char *V = value("--threads="))
      O.Threads = std::stoi(V);
    else if (const char *V = value("--warmup="))
      O.Warmup = std::stoi(V);
    else if (const char *V = value("--min-time="))
      O.MinTime = std::stod(V);
    else if (const char *V = value("--output="))
      O.Output = V;
    else if (Arg.compare(0, 2, "--") != 0 && O.Input.empty())
      O.Input = Arg;
    else
      throw std::invalid_argument("unknown argument " + Arg);
  }
  if (O.Input.empty())
    throw std::invalid_argument("usage: onednn-bench GRAPH.json [options]");
  return O;
}

/// Milliseconds of each run, sorted; at least `MinRuns` runs and `MinTime`
/// seconds.
std::vector<double> measure(const Plan &P, dnnl::stream &Stream, int Warmup,
                            double MinTime, size_t MinRuns = 3) {
  for (int I = 0; I < Warmup; ++I)
    P.run(Stream);
  std::vector<double> Times;
  double Spent = 0;
  while (Times.size() < MinRuns || Spent < MinTime) {
    auto Start = Clock::now();
    P.run(Stream);
    double Seconds =
        std::chrono::duration<double>(Clock::now() - Start).count();
    Times.push_back(Seconds * 1e3);
    Spent += Seconds;
  }
  std::sort(Times.begin(), Times.end());
  return Times;
}

void writeOutput(const Graph &G, const Planner &P, const std::string &Path) {
  const Tensor &T = G.tensor(G.Outputs.front());
  int64_t Bytes = T.span() * (T.Dtype == "f32" ? 4 : 2);
  std::ofstream File(Path, std::ios::binary);
  File.write(static_cast<const char *>(P.data(T.Id)), Bytes);
  if (!File.flush())
    throw std::invalid_argument(Path + ": cannot be written");
}

nlohmann::json runGraph(const Options &O, const Graph &G) {
  dnnl::engine Engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream Stream(Engine);
  auto Start = Clock::now();
  Planner Planned(G, Engine, Stream);
  std::vector<Plan> Plans = Planned.plans();
  double SetupMs =
      std::chrono::duration<double, std::milli>(Clock::now() - Start).count();

  const Plan *Best = &Plans.front();
  nlohmann::json Trials = nlohmann::json::object();
  if (Plans.size() > 1) {
    double Fastest = 0;
    for (const Plan &P : Plans) {
      auto Times = measure(P, Stream, O.Warmup, O.MinTime * 0.15, 1);
      Trials[P.Name] = Times.front();
      if (&P == &Plans.front() || Times.front() < Fastest) {
        Fastest = Times.front();
        Best = &P;
      }
    }
  }
  std::vector<double> Times = measure(*Best, Stream, O.Warmup, O.MinTime);
  if (!O.Output.empty())
    writeOutput(G, Planned, O.Output);

  nlohmann::json Steps = nlohmann::json::array();
  for (const Step &S : Best->Steps)
    Steps.push_back(S.Name);
  double Median = Times[Times.size() / 2];
  return {{"status", "ok"},
          {"setup_ms", SetupMs},
          {"plan", Best->Name},
          {"trial_ms", Trials},
          {"steps", Steps},
          {"run_ms",
           {{"median", Median},
            {"min", Times.front()},
            {"max", Times.back()},
            {"runs", Times.size()}}},
          {"flops", G.flops()},
          {"gflops", G.flops() / Median * 1e-6}};
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    Options O = parseOptions(Argc, Argv);
    if (O.Threads > 0)
      omp_set_num_threads(O.Threads);
    Graph G = readGraph(O.Input);
    const dnnl_version_t *V = dnnl_version();
    nlohmann::json Report = {{"name", O.Input},
                             {"peer", "onednn"},
                             {"version", std::to_string(V->major) + "." +
                                             std::to_string(V->minor) + "." +
                                             std::to_string(V->patch)},
                             {"threads", omp_get_max_threads()}};
    int Status = 0;
    try {
      Report.update(runGraph(O, G));
    } catch (const dnnl::error &E) {
      bool Missing = E.status == dnnl_unimplemented;
      Report["status"] = Missing ? "unsupported" : "error";
      Report["error"] =
          Missing ? "oneDNN has no such primitive for this data type on this "
                    "processor"
                  : E.what();
      Status = 3;
    } catch (const std::runtime_error &E) {
      Report["status"] = "unsupported";
      Report["error"] = E.what();
      Status = 3;
    }
    std::cout << Report.dump(1) << "\n";
    return Status;
  } catch (const std::exception &E) {
    std::cerr << "onednn-bench: " << E.what() << "\n";
    return 2;
  }
}
