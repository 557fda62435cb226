// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// read-bench --bytes=N: how fast the threads together read N bytes of memory
// and, with --write=M, write M bytes elsewhere. It is the bound of what reads
// each operand and writes each result once. Prints one JSON object with the
// field names of gc-runner's report.
//
//   --bytes=N       size of the buffer, all of it read in every run
//   --write=M       size of the buffer that is written in every run (default 0)
//   --threads=N     OpenMP threads (default: the OpenMP setting)
//   --warmup=N      untimed runs (default 5)
//   --min-time=S    seconds of timed runs of each pattern (default 0.5)
//
// Each thread has its own parts. It reads in one run of addresses or in several
// side by side; what is written goes through the caches or past them. The
// fastest pattern counts. Exit codes: 0 measured, 2 usage.

#include "../onednn/Runs.h"

#include <algorithm>
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
#ifdef __AVX__
#include <immintrin.h>
#endif

/// A vector register of AVX2.
using Line = uint64_t __attribute__((vector_size(32)));

namespace {

struct Options {
  size_t Bytes = 0, Written = 0;
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
    else if (Name == "--write")
      O.Written = std::stoull(Value);
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

/// What is read and what is written, in lines.
struct Work {
  const Line *Data;
  size_t Count;
  Line *Results;
  size_t Written;
};

/// The n-th of `Parts` equal parts of a range starts here.
size_t startOf(size_t Part, size_t Parts, size_t Count) {
  return Count * Part / Parts;
}

/// One run of all threads; returns something that depends on every byte.
template <int Streams>
uint64_t readAll(const Work &W) {
  uint64_t Result = 0;
#pragma omp parallel reduction(+ : Result)
  {
    size_t Threads = omp_get_num_threads(), Me = omp_get_thread_num();
    size_t Begin = startOf(Me, Threads, W.Count);
    Result += readLines<Streams>(W.Data + Begin,
                                 startOf(Me + 1, Threads, W.Count) - Begin);
  }
  return Result;
}

/// Copies lines, reading those that are left over, or writing them.
template <bool IsPastCaches>
uint64_t copyLines(const Line *From, size_t Count, Line *To, size_t Written) {
  auto Store = [](Line *Place, Line Value) {
#ifdef __AVX__
    if constexpr (IsPastCaches)
      return _mm256_stream_si256(reinterpret_cast<__m256i *>(Place),
                                 reinterpret_cast<__m256i>(Value));
#endif
    *Place = Value;
  };
  size_t Both = std::min(Count, Written);
  for (size_t I = 0; I < Both; ++I)
    Store(To + I, From[I]);
  for (size_t I = Both; I < Written; ++I)
    Store(To + I, Line{} + I);
  return readLines<1>(From + Both, Count - Both) + Written;
}

/// The threads copy in small pieces, so that all of a run is the same mixture
/// of reading and writing.
template <bool IsPastCaches>
uint64_t copyAll(const Work &W) {
  uint64_t Result = 0;
#pragma omp parallel reduction(+ : Result)
  {
    size_t Threads = omp_get_num_threads(), Me = omp_get_thread_num();
    // Some 16 KB of the larger side.
    size_t Pieces = (std::max(W.Count, W.Written) + 511) / 512;
    for (size_t I = startOf(Me, Threads, Pieces);
         I < startOf(Me + 1, Threads, Pieces); ++I) {
      size_t From = startOf(I, Pieces, W.Count);
      size_t To = startOf(I, Pieces, W.Written);
      Result += copyLines<IsPastCaches>(
          W.Data + From, startOf(I + 1, Pieces, W.Count) - From, W.Results + To,
          startOf(I + 1, Pieces, W.Written) - To);
    }
  }
  return Result;
}

struct Pattern {
  const char *Name;
  uint64_t (*Run)(const Work &);
};

constexpr Pattern ReadPatterns[] = {{"1 stream", readAll<1>},
                                    {"2 streams", readAll<2>},
                                    {"4 streams", readAll<4>},
                                    {"8 streams", readAll<8>}};
constexpr Pattern CopyPatterns[] = {{"through the caches", copyAll<false>},
                                    {"past the caches", copyAll<true>}};

std::vector<double> measure(const Pattern &P, const Work &W, const Options &O,
                            uint64_t &Check) {
  return bench::measureRuns([&] { Check += P.Run(W); }, O.Warmup, O.MinTime);
}

/// Memory on huge pages, touched by the thread that will use it.
Line *allocate(size_t Count) {
  constexpr size_t Page = 2 << 20;
  size_t Bytes = (Count * sizeof(Line) + Page - 1) / Page * Page;
  void *Memory = std::aligned_alloc(Page, Bytes);
  if (!Memory)
    return nullptr;
  madvise(Memory, Bytes, MADV_HUGEPAGE); // Only a hint: fewer page walks.
  Line *Data = static_cast<Line *>(Memory);
#pragma omp parallel for schedule(static)
  for (size_t I = 0; I < Count; ++I)
    Data[I] = Line{} + I * 0x9E3779B97F4A7C15u;
  return Data;
}

int run(const Options &O) {
  if (O.Threads > 0)
    omp_set_num_threads(O.Threads);
  size_t Count = O.Bytes / sizeof(Line), Written = O.Written / sizeof(Line);
  using Memory = std::unique_ptr<Line, decltype(&std::free)>;
  Memory Data(allocate(Count), std::free);
  Memory Results(Written ? allocate(Written) : nullptr, std::free);
  if (!Data || (Written && !Results)) {
    std::fprintf(stderr, "read-bench: no memory for %zu bytes\n",
                 O.Bytes + O.Written);
    return 2;
  }
  Work W{Data.get(), Count, Results.get(), Written};

  const Pattern *Best = nullptr;
  std::vector<double> BestTimes;
  uint64_t Check = 0;
  auto Try = [&](const auto &Patterns) {
    for (const Pattern &P : Patterns) {
      std::vector<double> Times = measure(P, W, O, Check);
      if (Best && Times.front() >= BestTimes.front())
        continue;
      Best = &P;
      BestTimes = std::move(Times);
    }
  };
  if (Written)
    Try(CopyPatterns);
  else
    Try(ReadPatterns);
  size_t Bytes = (Count + Written) * sizeof(Line);
  std::printf("{\"status\": \"ok\", \"bytes\": %zu, \"threads\": %d, "
              "\"pattern\": \"%s\", \"check\": %u, \"gbytes_per_s\": %.3f, "
              "\"run_ms\": {\"median\": %.6f, \"min\": %.6f, \"max\": %.6f, "
              "\"runs\": %zu}}\n",
              Bytes, omp_get_max_threads(), Best->Name,
              static_cast<unsigned>(Check >> 32),
              Bytes / BestTimes.front() * 1e-6, BestTimes[BestTimes.size() / 2],
              BestTimes.front(), BestTimes.back(), BestTimes.size());
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
