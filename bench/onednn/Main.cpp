// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// onednn-bench GRAPH.json: runs a graph on oneDNN primitives and reports one
// JSON object on standard output, with the field names of gc-runner's report.
//
//   --threads=N     OpenMP threads (default: the OpenMP setting)
//   --warmup=N      untimed runs of each plan (default 5)
//   --min-time=S    seconds of timed runs (default 0.5)
//   --output=FILE   also write the first output's bytes
//   --way=N         for tests: way N of computing each group, not the fastest
//
// Exit codes: 0 measured, 2 bad input or usage, 3 the library or this driver
// cannot run the graph (the report says why).

#include "Driver.h"
#include "Graph.h"
#include "Plan.h"
#include "Runs.h"

#include <chrono>
#include <iostream>
#include <omp.h>
#include <optional>
#include <stdexcept>

using namespace bench;
using Clock = std::chrono::steady_clock;

namespace {

struct Options : DriverOptions {
  std::optional<size_t> Way;
};

Options parseOptions(int Argc, char **Argv) {
  Options O;
  for (int I = 1; I < Argc; ++I)
    if (std::string Arg = Argv[I]; Arg.compare(0, 6, "--way=") == 0)
      O.Way = std::stoul(Arg.substr(6));
    else if (!readOption(O, Arg))
      throw std::invalid_argument(std::string("unknown argument ") + Argv[I]);
  if (O.Input.empty())
    throw std::invalid_argument("usage: onednn-bench GRAPH.json [options]");
  return O;
}

std::vector<double> measure(const Plan &P, dnnl::stream &Stream, int Warmup,
                            double MinTime, size_t MinRuns = 3) {
  return measureRuns([&] { P.run(Stream); }, Warmup, MinTime, MinRuns);
}

void writeOutput(const Graph &G, const Planner &P, const std::string &Path) {
  const Tensor &T = G.tensor(G.Outputs.front());
  size_t Bytes = T.Dtype == "f32" ? 4 : T.Dtype == "bf16" ? 2 : 1;
  writeBytes(Path, P.data(T.Id), T.span() * Bytes);
}

nlohmann::json runGraph(const Options &O, const Graph &G) {
  dnnl::engine Engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream Stream(Engine);
  auto Start = Clock::now();
  Planner Planned(G, Engine, Stream);
  std::vector<Plan> Plans =
      O.Way ? std::vector<Plan>{Planned.way(*O.Way)} : Planned.plans();
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
  nlohmann::json Report = reportRuns(Times, G.flops());
  Report["status"] = "ok";
  Report["setup_ms"] = SetupMs;
  Report["plan"] = Best->Name;
  Report["trial_ms"] = Trials;
  Report["steps"] = Steps;
  Report["ways"] = Planned.ways();
  return Report;
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
