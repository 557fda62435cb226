// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Short names for what programs in the tests do.

#ifndef GC_UNITTESTS_NPU_TESTPROGRAM_H
#define GC_UNITTESTS_NPU_TESTPROGRAM_H

#include "Simulator/Interface.h"
#include "Simulator/Simulator.h"

#include <gtest/gtest.h>

namespace gc::npu::test {

constexpr uint64_t kAll = ~uint64_t(0);

inline uint64_t at(Space space, int64_t offset) {
  return Address(space, offset).bits;
}
inline uint64_t ub(int64_t offset) { return at(Space::ub, offset); }
inline uint64_t l1(int64_t offset) { return at(Space::l1, offset); }
inline uint64_t l0a(int64_t offset) { return at(Space::l0a, offset); }
inline uint64_t l0b(int64_t offset) { return at(Space::l0b, offset); }
inline uint64_t l0c(int64_t offset) { return at(Space::l0c, offset); }
/// The tensor "in", which is read only, and "out".
inline uint64_t in(int64_t offset) {
  return Simulator::getTensorAddress(0, offset);
}
inline uint64_t out(int64_t offset) {
  return Simulator::getTensorAddress(1, offset);
}

/// The program of a core in tests. Locations count the calls from 0.
class Builder {
public:
  explicit Builder(gc_npu_core *core) : core(core) {}

  uint64_t alloc(uint64_t address, int64_t bytes) {
    return gc_npu_alloc(core, next++, address, bytes);
  }
  /// One burst.
  void move(uint64_t dst, uint64_t src, int64_t bytes) {
    gc_npu_dma(core, next++, dst, src, 1, bytes, 0, 0, -1);
  }
  void add(uint64_t dst, uint64_t src, int64_t bytes) {
    gc_npu_dma(core, next++, dst, src, 1, bytes, 0, 0, GC_NPU_F16);
  }
  void dup(uint64_t dst, int64_t repeat = 1) {
    vector(GC_NPU_DUP, dst, 0, 0, repeat);
  }
  void vector(int32_t op, uint64_t dst, uint64_t src0, uint64_t src1,
              int64_t repeat, uint64_t maskLow = kAll,
              uint64_t maskHigh = kAll) {
    gc_npu_vector(core, next++, op, dst, src0, src1, src1, GC_NPU_F16,
                  GC_NPU_F16, repeat, maskLow, maskHigh, 1, 8, 1, 8, 1, 8, 0);
  }
  void load2d(uint64_t dst, uint64_t src, int64_t fractals) {
    gc_npu_load2d(core, next++, dst, src, GC_NPU_F16, fractals, 1, 1, 0);
  }
  /// 16 x 16 x k.
  void mad(uint64_t c, uint64_t a, uint64_t b, int64_t k, bool initialise) {
    gc_npu_mad(core, next++, c, a, b, GC_NPU_F16, 16, k, 16, k / 16, 1, 1,
               initialise);
  }
  void drain(uint64_t dst, uint64_t src) {
    gc_npu_drain(core, next++, dst, src, GC_NPU_F32, GC_NPU_F16, 16, 16, 1, 16,
                 16, 0);
  }
  void set(int32_t from, int32_t to, int64_t event = 0) {
    gc_npu_set_flag(core, next++, from, to, event);
  }
  void wait(int32_t from, int32_t to, int64_t event = 0) {
    gc_npu_wait_flag(core, next++, from, to, event);
  }
  /// set and wait.
  void sync(int32_t from, int32_t to, int64_t event = 0) {
    set(from, to, event);
    wait(from, to, event);
  }
  void barrier(int32_t pipe) { gc_npu_barrier(core, next++, pipe); }
  void barrierAll() { barrier(GC_NPU_S); }
  double load(uint64_t address) {
    return gc_npu_load_scalar(core, next++, address, GC_NPU_F16);
  }
  void iteration() { gc_npu_iteration(core, next); }
  void scalar() { gc_npu_scalar(core); }

  gc_npu_core *core;
  int32_t next = 0;
};

using Body = std::function<void(Builder &)>;

inline Options getOptions(bool check) {
  Options options;
  options.mode = Mode::cycles;
  options.check = check;
  return options;
}

inline Report runAll(const std::vector<Body> &bodies, const Options &options,
                     const Machine &machine = Machine()) {
  Simulator simulator(machine, options);
  simulator.addTensor("in", nullptr, 1 << 20, false);
  simulator.addTensor("out", nullptr, 1 << 20, true);
  std::vector<Program> programs;
  for (const Body &body : bodies)
    programs.push_back([body](gc_npu_core *core) {
      Builder builder(core);
      body(builder);
    });
  return simulator.run(programs);
}

/// Counts cycles, without race and poison detection: so that tests of times
/// need not write what they read.
inline Report time(const Body &body, const Machine &machine = Machine()) {
  Report report = runAll({body}, getOptions(false), machine);
  EXPECT_FALSE(report.error) << report.error->message;
  return report;
}

/// With all checks.
inline Report run(const Body &body) { return runAll({body}, getOptions(true)); }

inline void expectNoError(const Body &body) {
  Report report = run(body);
  EXPECT_FALSE(report.error) << report.error->message;
}

inline void expectError(const Report &report, ErrorKind kind, int32_t location,
                        const std::string &message,
                        int32_t otherLocation = -1) {
  ASSERT_TRUE(report.error);
  EXPECT_STREQ(getName(report.error->kind), getName(kind));
  EXPECT_EQ(report.error->location, location);
  EXPECT_EQ(report.error->message, message);
  EXPECT_EQ(report.error->otherLocation, otherLocation);
}

inline int64_t getBusy(const Report &report, Pipe pipe) {
  return report.total.busy[static_cast<size_t>(pipe)];
}
inline int64_t getStall(const Report &report, Stall stall) {
  return report.total.stalls[static_cast<size_t>(stall)];
}

} // namespace gc::npu::test

#endif // GC_UNITTESTS_NPU_TESTPROGRAM_H
