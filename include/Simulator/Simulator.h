// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The simulator of the NPU: runs programs on the machine model and reports
// values, cycles and mistakes.
//
// A program is a function that calls the C interface (Simulator/Interface.h)
// with the core it runs on. Each core's program runs on its own host thread and
// feeds the engine, which is single-threaded and deterministic.
//
// Order between accesses is judged by happens-before, not by time:
//  - an op happens after every op before it in its pipe that a barrier of that
//    pipe, or barrier(all), separates from it;
//  - what follows a wait_flag in its pipe happens after all that came before
//  the
//    matching set_flag in the set's pipe, and after what that happened after;
//  - what S has waited for (wait_flag on S, barrier(all)), and its loads of
//    scalars, happen before all ops that S issues later.
// Two accesses to a byte, at least one a write, without such an order are a
// race. Exceptions: a read followed by a write in the same pipe; accumulating
// mads after mads; atomic adds to global memory among themselves.
//
// In cycles-only mode no values are computed and loads of scalars give 0. A
// number does not carry its origin, so the compiler must reject programs whose
// addresses, trip counts or branches depend on a loaded scalar.

#ifndef GC_SIMULATOR_SIMULATOR_H
#define GC_SIMULATOR_SIMULATOR_H

#include "NpuModel/Error.h"
#include "NpuModel/Instruction.h"
#include "NpuModel/Machine.h"
#include "Simulator/Memory.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

struct gc_npu_core;

namespace gc::npu {

enum class Mode : uint8_t { values, cycles };

/// What runs on one core.
using Program = std::function<void(gc_npu_core *)>;

struct Options {
  Mode mode = Mode::values;
  /// Race and poison detection. Turned off only to measure its cost.
  bool check = true;
  bool trace = false;
  /// Of all cores together; the run ends with an error after this many.
  int64_t maxInstructions = 1000000000;
  /// The run ends with an error when a core's front end is later than this.
  int64_t maxCycles = INT64_MAX;
  /// False, in cycles-only mode: nothing waits for anything. The report's
  /// cycles are those of the core's front end, of one of its pipes or of the
  /// channel, whichever has the most to do: a lower bound on the cycles of this
  /// program and of any with more flags and barriers. The run ends with an
  /// error when that is above maxCycles. Flags are neither set nor checked.
  bool waits = true;
};

/// Why the front end could not issue.
enum class Stall : uint8_t {
  fifoV,
  fifoM,
  fifoMte1,
  fifoMte2,
  fifoMte3,
  barrierAll,
  waitFlag
};
constexpr int kNumStalls = static_cast<int>(Stall::waitFlag) + 1;
const char *getName(Stall stall);

/// Counts of one core.
struct CoreReport {
  /// Cycle at which the core's last result is visible.
  int64_t cycles = 0;
  /// Cycles from start to end of all ops of a pipe (S: issue, iterations,
  /// scalar work). Transfers count while they hold their pipe.
  std::array<int64_t, kNumPipes> busy = {};
  std::array<int64_t, kNumStalls> stalls = {};
  std::array<int64_t, kNumOpcodes> instructions = {};
  std::array<int64_t, kNumVectorOps> vectorOps = {};
  int64_t gmBytesRead = 0, gmBytesWritten = 0, packages = 0;
  /// set_flags executed; barriers of one pipe and of all.
  int64_t flags = 0, barriers = 0, barriersAll = 0;
  int64_t iterations = 0;
};

/// One op on a pipe, a stall of the front end (pipe S, `stall` >= 0), or a
/// wait_flag from when only the flag is missing until it is there.
struct TraceEvent {
  int32_t core = 0;
  Pipe pipe = Pipe::s;
  Opcode opcode = Opcode::barrier;
  VectorOp vectorOp = VectorOp::add;
  int8_t stall = -1;
  int32_t location = -1;
  int64_t start = 0, end = 0, visible = 0;
  /// wait_flag: the pipe and the place of the set_flag, the flag's number, and
  /// when it was set.
  Pipe from = Pipe::s;
  int8_t flag = -1;
  int32_t setLocation = -1;
  int64_t set = 0;
};

struct Report {
  /// Until everything is visible, over all cores.
  int64_t cycles = 0;
  std::vector<CoreReport> cores;
  /// Sums over the cores; `total.cycles` is the maximum.
  CoreReport total;
  /// Cycles, rounded down, in which a package was on the channel.
  int64_t channelBusy = 0;
  int64_t l2Hits = 0, l2Misses = 0;
  std::vector<TraceEvent> trace;
  std::optional<Error> error;
};

class Simulator {
public:
  explicit Simulator(const Machine &machine, const Options &options = {});

  /// Adds a tensor in global memory and returns its number, which addresses
  /// carry. `data` may be null in cycles-only mode. At most 65536 tensors of
  /// less than 2^40 bytes.
  int addTensor(std::string name, void *data, int64_t bytes, bool writable);
  static uint64_t getTensorAddress(int tensor, int64_t offset = 0) {
    return Address(Space::gm, offset, tensor).bits;
  }

  /// Runs programs[i] on core i. If there is an error, the report is complete
  /// up to it. Local buffers hold nothing at the start.
  Report run(const std::vector<Program> &programs);

private:
  Machine machine;
  Options options;
  std::vector<Tensor> tensors;
};

} // namespace gc::npu

#endif // GC_SIMULATOR_SIMULATOR_H
