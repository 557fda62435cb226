// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How fast the simulator is: instructions a minute in cycles-only mode, with
// race detection, on programs of different kinds. Run by hand; nothing depends
// on it.

#include "Simulator/Interface.h"
#include "Simulator/Simulator.h"

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace gc::npu;

namespace {
constexpr uint64_t kAll = ~uint64_t(0);

/// As compiled programs do: buffers have numbers, slots too, and addresses that
/// come at run time are looked at.
uint64_t allocate(gc_npu_core *core, Space space, int64_t offset,
                  int64_t bytes) {
  return gc_npu_alloc(core, 0, Address(space, offset).bits, bytes);
}
uint64_t getSlot(gc_npu_core *core, uint64_t buffer, int64_t index,
                 int64_t slots, int64_t bytes) {
  return gc_npu_slot(core, 0, buffer, index, slots, bytes, bytes);
}
uint64_t move(gc_npu_core *core, uint64_t address, int64_t bytes) {
  return gc_npu_offset(core, 0, address, bytes / 2, 2);
}

/// Small vector ops on a buffer, a barrier after each.
void runVectors(gc_npu_core *core) {
  uint64_t ub = allocate(core, Space::ub, 0, 8 * 4096);
  for (int64_t i = 0; i < 3000000; ++i) {
    gc_npu_iteration(core, 0);
    uint64_t a = getSlot(core, ub, i, 8, 4096);
    gc_npu_vector(core, 0, GC_NPU_DUP, a, 0, 0, 0, GC_NPU_F16, GC_NPU_F16, 4,
                  kAll, kAll, 1, 8, 1, 8, 1, 8, 1.0);
    gc_npu_barrier(core, 1, GC_NPU_V);
    gc_npu_vector(core, 2, GC_NPU_ADD, a + 2048, a, a, 0, GC_NPU_F16,
                  GC_NPU_F16, 4, kAll, kAll, 1, 8, 1, 8, 1, 8, 0);
    gc_npu_barrier(core, 3, GC_NPU_V);
  }
}

/// Load, add, store in tiles, double buffered with flags.
void runStream(gc_npu_core *core) {
  const int64_t tile = 4096;
  uint64_t ins = allocate(core, Space::ub, 0, 2 * tile),
           outs = allocate(core, Space::ub, 2 * tile, 2 * tile);
  for (int e = 0; e < 2; ++e) {
    gc_npu_set_flag(core, 0, GC_NPU_V, GC_NPU_MTE2, e);
    gc_npu_set_flag(core, 0, GC_NPU_MTE3, GC_NPU_V, e);
  }
  for (int64_t i = 0; i < 1000000; ++i) {
    gc_npu_iteration(core, 0);
    int64_t e = i % 2, gm = i % 1024 * tile;
    uint64_t in = getSlot(core, ins, i, 2, tile),
             out = getSlot(core, outs, i, 2, tile);
    gc_npu_wait_flag(core, 1, GC_NPU_V, GC_NPU_MTE2, e);
    gc_npu_dma(core, 2, in, move(core, Simulator::getTensorAddress(0), gm), 1,
               tile, 0, 0, -1);
    gc_npu_set_flag(core, 3, GC_NPU_MTE2, GC_NPU_V, e);
    gc_npu_wait_flag(core, 4, GC_NPU_MTE2, GC_NPU_V, e);
    gc_npu_wait_flag(core, 5, GC_NPU_MTE3, GC_NPU_V, e);
    gc_npu_vector(core, 6, GC_NPU_RELU, out, in, 0, 0, GC_NPU_F16, GC_NPU_F16,
                  16, kAll, kAll, 1, 8, 1, 8, 1, 8, 0);
    gc_npu_set_flag(core, 7, GC_NPU_V, GC_NPU_MTE2, e);
    gc_npu_set_flag(core, 8, GC_NPU_V, GC_NPU_MTE3, e);
    gc_npu_wait_flag(core, 9, GC_NPU_V, GC_NPU_MTE3, e);
    // The same place is written again every 1024 tiles.
    if (i % 1024 == 0)
      gc_npu_barrier(core, 10, GC_NPU_MTE3);
    gc_npu_dma(core, 11, move(core, Simulator::getTensorAddress(1), gm), out, 1,
               tile, 0, 0, -1);
    gc_npu_set_flag(core, 12, GC_NPU_MTE3, GC_NPU_V, e);
  }
  for (int e = 0; e < 2; ++e) {
    gc_npu_wait_flag(core, 0, GC_NPU_V, GC_NPU_MTE2, e);
    gc_npu_wait_flag(core, 0, GC_NPU_MTE3, GC_NPU_V, e);
  }
}

/// Slices of a matrix product: L1 to L0, mads, double buffered.
void runMads(gc_npu_core *core) {
  uint64_t panels = allocate(core, Space::l1, 0, 1 << 18),
           as = allocate(core, Space::l0a, 0, 65536),
           bs = allocate(core, Space::l0b, 0, 65536),
           c = allocate(core, Space::l0c, 0, 1 << 18);
  gc_npu_dma(core, 0, panels, Simulator::getTensorAddress(0), 1, 1 << 18, 0, 0,
             -1);
  gc_npu_barrier(core, 1, GC_NPU_S);
  for (int e = 0; e < 2; ++e)
    gc_npu_set_flag(core, 0, GC_NPU_M, GC_NPU_MTE1, e);
  for (int64_t i = 0; i < 1500000; ++i) {
    gc_npu_iteration(core, 0);
    int64_t e = i % 2;
    uint64_t a = getSlot(core, as, i, 2, 32768),
             b = getSlot(core, bs, i, 2, 32768);
    gc_npu_wait_flag(core, 1, GC_NPU_M, GC_NPU_MTE1, e);
    gc_npu_load2d(core, 2, a, move(core, panels, i % 4 * 32768), GC_NPU_F16, 64,
                  1, 1, 0);
    gc_npu_load2d(core, 3, b, move(core, panels, (1 << 17) + i % 4 * 32768),
                  GC_NPU_F16, 64, 1, 1, 1);
    gc_npu_set_flag(core, 4, GC_NPU_MTE1, GC_NPU_M, e);
    gc_npu_wait_flag(core, 5, GC_NPU_MTE1, GC_NPU_M, e);
    gc_npu_mad(core, 6, c, a, b, GC_NPU_F16, 256, 64, 256, 4, 16, 16, i == 0);
    gc_npu_set_flag(core, 7, GC_NPU_M, GC_NPU_MTE1, e);
  }
  for (int e = 0; e < 2; ++e)
    gc_npu_wait_flag(core, 0, GC_NPU_M, GC_NPU_MTE1, e);
}
} // namespace

static void measure(const char *name, const Program &program, bool check) {
  Options options;
  options.mode = Mode::cycles;
  options.check = check;
  Simulator simulator(Machine(), options);
  simulator.addTensor("in", nullptr, 1 << 22, false);
  simulator.addTensor("out", nullptr, 1 << 22, true);
  auto start = std::chrono::steady_clock::now();
  Report report = simulator.run({program});
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  int64_t count = 0;
  for (int64_t n : report.total.instructions)
    count += n;
  std::printf("%-8s %s %9lld instructions, %11lld cycles, %6.2f s, %6.1f "
              "million a minute%s%s\n",
              name, check ? "checked  " : "unchecked", (long long)count,
              (long long)report.cycles, seconds.count(),
              double(count) / seconds.count() * 60e-6, report.error ? ": " : "",
              report.error ? report.error->message.c_str() : "");
}

int main(int argc, char **argv) {
  struct {
    const char *name;
    void (*program)(gc_npu_core *);
  } const programs[] = {
      {"vector", runVectors}, {"stream", runStream}, {"mad", runMads}};
  for (auto [name, program] : programs)
    if (argc < 2 || std::strcmp(argv[1], name) == 0)
      for (bool check : {true, false})
        measure(name, program, check);
}
