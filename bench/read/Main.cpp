// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// read-bench --bytes=N: how fast the threads together read N bytes of memory.
// It is the bound of a matrix-vector product, whose weights are read once and
// used once. Prints one JSON object with the field names of gc-runner's report.
//
//   --bytes=N       size of the buffer, all of it read in every run
//   --threads=N     OpenMP threads (default: the OpenMP setting)
//   --warmup=N      untimed runs (default 5)
//   --min-time=S    seconds of timed runs of each pattern (default 0.5)
//
// Each thread reads its own part, in one run of addresses or in several side by
// side; the fastest pattern counts. Exit codes: 0 measured, 2 usage.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <vector>

using Clock = std::chrono::steady_clock;
/// A vector register of AVX2.
using Line = uint64_t __attribute__((vector_size(32)));

namespace {

struct Options {
  size_t Bytes = 0;
  int Threads = 0;
  int Warmup = 5;
  double MinTime = 0.5;
};

Options parseOptions(int Argc, char **Argv) {
  Options O;
  for (int I = 1; I < Argc; ++I) {
    std::string Arg = Argv[I];
    size_t Equals = Arg.find('=');
    std::string Name = Arg.substr(0, Equals);
    std::string Value =
        Equals == std::string::npos ? "" : Arg.substr(Equals + 1);
    if (Name == "--bytes")
      O.Bytes = std::stoull(Value);
    else if (Name == "--threads")
      O.Threads = std::stoi(Value);
    else if (Name == "--warmup")
      O.Warmup = std::stoi(Value);
    else if (Name == "--min-time")
      O.MinTime = std::stod(Value);
    else
      throw std::invalid_argument("unknown argument " + Arg);
  }
  if (O.Bytes < 4096)
    throw std::invalid_argument("usage: read-bench --bytes=N [options]");
  return O;
}

/// Reads `Count` lines as `Streams` runs of addresses side by side.
template <int Streams>
uint64_t readLines(const Line *Data, size_t Count) {
  constexpr int PerStream = Streams >= 8 ? 1 : 8 / Streams;
  size_t Step = Count / Streams / PerStream * PerStream;
  Line Sums[Streams * PerStream] = {};
  for (size_t I = 0; I < Step; I += PerStream)
    for (int S = 0; S < Streams; ++S)
      for (int J = 0; J < PerStream; ++J)
        Sums[S * PerStream + J] += Data[S * Step + I + J];
  for (size_t I = Step * Streams; I < Count; ++I)
    Sums[0] += Data[I];
  for (int I = 1; I < Streams * PerStream; ++I)
    Sums[0] += Sums[I];
  return Sums[0][0] + Sums[0][1] + Sums[0][2] + Sums[0][3];
}

/// One run of all threads; returns something that depends on every byte.
template <int Streams>
uint64_t readAll(const Line *Data, size_t Count) {
  uint64_t Result = 0;
#pragma omp parallel reduction(+ : Result)
  {
    size_t Threads = omp_get_num_threads(), Me = omp_get_thread_num();
    size_t Begin = Count * Me / Threads, End = Count * (Me + 1) / Threads;
    Result += readLines<Streams>(Data + Begin, End - Begin);
  }
  return Result;
}

struct Pattern {
  const char *Name;
  uint64_t (*Run)(const Line *, size_t);
};

constexpr Pattern Patterns[] = {{"1 stream", readAll<1>},
                                {"2 streams", readAll<2>},
                                {"4 streams", readAll<4>},
                                {"8 streams", readAll<8>}};

/// Milliseconds of each run, sorted.
std::vector<double> measure(const Pattern &P, const Line *Data, size_t Count,
                            const Options &O, uint64_t &Check) {
  for (int I = 0; I < O.Warmup; ++I)
    Check += P.Run(Data, Count);
  std::vector<double> Times;
  double Spent = 0;
  while (Times.size() < 3 || Spent < O.MinTime) {
    auto Start = Clock::now();
    Check += P.Run(Data, Count);
    double Seconds =
        std::chrono::duration<double>(Clock::now() - Start).count();
    Times.push_back(Seconds * 1e3);
    Spent += Seconds;
  }
  std::sort(Times.begin(), Times.end());
  return Times;
}

int run(const Options &O) {
  if (O.Threads > 0)
    omp_set_num_threads(O.Threads);
  size_t Count = O.Bytes / sizeof(Line);
  constexpr size_t Page = 2 << 20;
  size_t Bytes = (Count * sizeof(Line) + Page - 1) / Page * Page;
  std::unique_ptr<void, decltype(&std::free)> Memory(
      std::aligned_alloc(Page, Bytes), std::free);
  if (!Memory) {
    std::fprintf(stderr, "read-bench: no memory for %zu bytes\n", O.Bytes);
    return 2;
  }
  madvise(Memory.get(), Bytes, MADV_HUGEPAGE); // Only a hint: fewer page walks.
  Line *Data = static_cast<Line *>(Memory.get());
#pragma omp parallel for schedule(static)
  for (size_t I = 0; I < Count; ++I)
    Data[I] = Line{} + I * 0x9E3779B97F4A7C15u;

  const Pattern *Best = nullptr;
  std::vector<double> BestTimes;
  uint64_t Check = 0;
  for (const Pattern &P : Patterns) {
    std::vector<double> Times = measure(P, Data, Count, O, Check);
    if (Best && Times.front() >= BestTimes.front())
      continue;
    Best = &P;
    BestTimes = std::move(Times);
  }
  std::printf("{\"status\": \"ok\", \"bytes\": %zu, \"threads\": %d, "
              "\"pattern\": \"%s\", \"check\": %u, \"gbytes_per_s\": %.3f, "
              "\"run_ms\": {\"median\": %.6f, \"min\": %.6f, \"max\": %.6f, "
              "\"runs\": %zu}}\n",
              Count * sizeof(Line), omp_get_max_threads(), Best->Name,
              static_cast<unsigned>(Check >> 32),
              Count * sizeof(Line) / BestTimes.front() * 1e-6,
              BestTimes[BestTimes.size() / 2], BestTimes.front(),
              BestTimes.back(), BestTimes.size());
  return 0;
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return run(parseOptions(Argc, Argv));
  } catch (const std::exception &E) {
    std::fprintf(stderr, "read-bench: %s\n", E.what());
    return 2;
  }
}
