// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random programs take the same cycles on the simulator, which never looks at a
// cycle in which nothing happens, and on a machine that looks at every cycle.

#include "TestProgram.h"

#include <deque>
#include <map>
#include <random>

using namespace gc::npu;
using namespace gc::npu::test;

namespace {
/// An instruction and the cycles of scalar work before it.
struct Step {
  Instruction instruction;
  int64_t work = 0;
};

struct NaiveOp {
  int64_t visible = -1; // -1: not known yet
};

struct NaivePipe {
  std::deque<std::pair<Instruction, int64_t>> queue; // with issue cycle
  int64_t freeAt = -1;
  std::vector<NaiveOp> ops;
  // Transfer under way.
  int64_t arrival = 0, packages = 0;

  bool isVisible(size_t count, int64_t now) const {
    for (size_t i = 0; i < count; ++i)
      if (ops[i].visible < 0 || ops[i].visible > now)
        return false;
    return true;
  }
};

/// Set once the first `ops` ops of the pipe are visible.
struct NaiveFlag {
  bool set = false;
  size_t ops = 0;
};

struct NaiveCore {
  std::deque<Step> program;
  int64_t frontEndFree = 0;
  bool worked = false;
  NaivePipe pipes[kNumPipes];
  std::map<std::tuple<Pipe, Pipe, int64_t>, NaiveFlag> flags;

  NaivePipe &get(Pipe pipe) { return pipes[static_cast<int>(pipe)]; }
  NaiveFlag &getFlag(const Instruction &in) {
    return flags[{in.pipe, in.toPipe, in.flag.event}];
  }
  bool isFlagUp(const Instruction &in, int64_t now) {
    NaiveFlag &flag = getFlag(in);
    return flag.set && get(in.pipe).isVisible(flag.ops, now);
  }
  bool isEmpty(int64_t now) const {
    for (const NaivePipe &pipe : pipes)
      if (!pipe.queue.empty() || !pipe.isVisible(pipe.ops.size(), now))
        return false;
    return true;
  }
};

/// A loop over cycles in which every unit looks whether it can go on. Profiles
/// gm64 and gm32; programs must not deadlock.
class NaiveMachine {
public:
  NaiveMachine(const Machine &machine,
               const std::vector<std::vector<Step>> &programs)
      : machine(machine), cores(programs.size()) {
    for (size_t i = 0; i < programs.size(); ++i)
      cores[i].program.assign(programs[i].begin(), programs[i].end());
  }

  std::vector<int64_t> run() {
    std::vector<int64_t> ends(cores.size(), -1);
    for (int64_t now = 0, done = 0; done < static_cast<int64_t>(cores.size());
         ++now) {
      bool progress = true;
      while (progress) {
        progress = false;
        for (NaiveCore &core : cores) {
          progress |= issue(core, now);
          for (int pipe = 1; pipe < kNumPipes; ++pipe)
            progress |= step(core, static_cast<Pipe>(pipe), now);
        }
      }
      grant(now);
      for (size_t i = 0; i < cores.size(); ++i)
        if (ends[i] < 0 && cores[i].program.empty() &&
            now >= cores[i].frontEndFree && cores[i].isEmpty(now)) {
          ends[i] = now;
          ++done;
        }
    }
    return ends;
  }

private:
  bool issue(NaiveCore &core, int64_t now) {
    if (core.program.empty() || now < core.frontEndFree)
      return false;
    Step &step = core.program.front();
    if (step.work) {
      core.frontEndFree = now + step.work;
      step.work = 0;
      return true;
    }
    const Instruction &in = step.instruction;
    Pipe pipe = getPipe(in);
    if (pipe != Pipe::s) {
      NaivePipe &p = core.get(pipe);
      if (static_cast<int64_t>(p.queue.size()) >= machine.fifoDepth)
        return false;
      p.queue.push_back({in, now});
    } else if (in.opcode == Opcode::setFlag) {
      core.getFlag(in) = {true, 0};
    } else if (in.opcode == Opcode::waitFlag) {
      if (!core.isFlagUp(in, now))
        return false;
      core.getFlag(in).set = false;
    } else if (in.opcode == Opcode::barrier && !core.isEmpty(now)) {
      return false;
    }
    core.frontEndFree =
        now + (in.opcode == Opcode::loadScalar ? machine.registerLoadCycles
                                               : machine.issueCycles);
    core.program.pop_front();
    return true;
  }

  bool step(NaiveCore &core, Pipe id, int64_t now) {
    NaivePipe &pipe = core.get(id);
    if (pipe.queue.empty() || now < pipe.queue.front().second + 1)
      return false;
    const Instruction in = pipe.queue.front().first;
    if (in.opcode == Opcode::setFlag) {
      core.getFlag(in) = {true, pipe.ops.size()};
    } else if (in.opcode == Opcode::waitFlag) {
      if (!core.isFlagUp(in, now))
        return false;
      core.getFlag(in).set = false;
    } else if (in.opcode == Opcode::barrier) {
      if (!pipe.isVisible(pipe.ops.size(), now))
        return false;
    } else {
      if (pipe.packages > 0 || now < pipe.freeAt)
        return false;
      Cost cost = getCost(machine, in);
      pipe.ops.emplace_back();
      if (cost.packages > 0) {
        pipe.arrival = now;
        pipe.packages = cost.packages;
      } else {
        int64_t head = now > pipe.freeAt ? cost.head : cost.busyHead;
        pipe.freeAt = now + head + cost.busy;
        pipe.ops.back().visible = pipe.freeAt + cost.tail;
      }
    }
    pipe.queue.pop_front();
    return true;
  }

  void grant(int64_t now) {
    if (now < channelFree)
      return;
    int count = static_cast<int>(cores.size()) * 2;
    auto get = [&](int requester) -> NaivePipe & {
      return cores[requester / 2].get(requester % 2 ? Pipe::mte3 : Pipe::mte2);
    };
    // Those that wait already, then those that have just come.
    for (bool early : {true, false})
      for (int i = 1; i <= count; ++i) {
        int requester = (last + i) % count;
        NaivePipe &pipe = get(requester);
        if (pipe.packages == 0 || (early && pipe.arrival == now))
          continue;
        last = requester;
        channelFree = now + machine.packageCycles;
        if (--pipe.packages == 0) {
          pipe.freeAt = channelFree;
          pipe.ops.back().visible = channelFree + machine.latency;
        }
        return;
      }
  }

  const Machine &machine;
  std::vector<NaiveCore> cores;
  int64_t channelFree = 0;
  int last = -1;
};

/// A program of random ops on all pipes, with flags, barriers and scalar work.
/// Each set is before its wait, so there is no deadlock; a flag is used again
/// only after barrier(all).
class RandomProgram {
public:
  RandomProgram(std::mt19937 &random, int length) : random(random) {
    while (static_cast<int>(steps.size()) < length) {
      addStep();
      if (!waits.empty() && pick(3) == 0)
        addWait();
    }
    while (!waits.empty())
      addWait();
  }
  std::vector<Step> steps;

private:
  int64_t pick(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }
  void add(const Instruction &in) {
    steps.push_back({in, pick(4) ? 0 : pick(30)});
  }
  void addWait() {
    size_t i = static_cast<size_t>(pick(static_cast<int64_t>(waits.size())));
    add(waits[i]);
    waits.erase(waits.begin() + static_cast<int64_t>(i));
  }
  void addFlag() {
    Instruction in(Opcode::setFlag);
    in.pipe = static_cast<Pipe>(pick(kNumPipes));
    in.toPipe = static_cast<Pipe>(pick(kNumPipes));
    in.flag = {pick(4)};
    if (in.pipe == in.toPipe || used[{in.pipe, in.toPipe, in.flag.event}]++)
      return;
    add(in);
    in.opcode = Opcode::waitFlag;
    waits.push_back(in);
  }
  void addBarrier() {
    Instruction in(Opcode::barrier);
    in.pipe = static_cast<Pipe>(pick(kNumPipes));
    if (in.pipe == Pipe::s) {
      while (!waits.empty())
        addWait();
      used.clear();
    }
    add(in);
  }
  void addStep() {
    Instruction in;
    int64_t local = pick(4) * 16384;
    switch (pick(10)) {
    case 0:
    case 1:
      in = Instruction(Opcode::vector);
      in.vectorOp = static_cast<VectorOp>(pick(kNumVectorOps));
      in.dst = in.src0 = in.src1 = in.src2 = Address(Space::ub, local);
      if (in.vectorOp == VectorOp::convert)
        in.dstType = DType::s8;
      in.vector = {1 + pick(20), pick(2) ? kAll : 1, kAll, 1, 8, 1, 8, 1, 8, 0};
      return add(in);
    case 2:
      in = Instruction(Opcode::mad);
      in.dst = Address(Space::l0c, 0);
      in.src0 = Address(Space::l0a, 0);
      in.src1 = Address(Space::l0b, 0);
      in.mad = {1 + pick(64), 1 + pick(64), 1 + pick(64), 4, 4, 4};
      return add(in);
    case 3:
      in = Instruction(Opcode::load2d);
      in.src0 = Address(Space::l1, local);
      in.dst = Address(pick(2) ? Space::l0a : Space::l0b, 0);
      in.load2d = {1 + pick(60), 1, 1};
      return add(in);
    case 4:
    case 5:
    case 6: {
      in = Instruction(Opcode::dma);
      in.dst = Address(Space::ub, local);
      in.src0 = Address(Space::gm, 0);
      in.dma = {1 + pick(5), 1 + pick(3000), 4096, 4096};
      if (pick(2)) {
        std::swap(in.dst, in.src0);
        in.dst = Address(Space::gm, 0, 1);
        in.accumulate = pick(4) == 0;
        in.dma.bytes = (in.dma.bytes + 1) / 2 * 2;
      }
      return add(in);
    }
    case 7:
    case 8:
      return addFlag();
    default:
      if (pick(2))
        return addBarrier();
      in = Instruction(Opcode::loadScalar);
      in.src0 = Address(Space::ub, 0);
      return add(in);
    }
  }

  std::mt19937 &random;
  std::vector<Instruction> waits;
  std::map<std::tuple<Pipe, Pipe, int64_t>, int> used;
};
} // namespace

/// Through the C interface.
static void play(gc_npu_core *core, const std::vector<Step> &steps) {
  for (const Step &step : steps) {
    for (int64_t i = 0; i < step.work; ++i)
      gc_npu_scalar(core);
    const Instruction &in = step.instruction;
    int32_t type = static_cast<int32_t>(in.type);
    switch (in.opcode) {
    case Opcode::vector:
      gc_npu_vector(core, 0, static_cast<int32_t>(in.vectorOp), in.dst.bits,
                    in.src0.bits, in.src1.bits, in.src2.bits,
                    static_cast<int32_t>(in.dstType), type, in.vector.repeat,
                    in.vector.maskLow, in.vector.maskHigh, 1, 8, 1, 8, 1, 8, 0);
      break;
    case Opcode::mad:
      gc_npu_mad(core, 0, in.dst.bits, in.src0.bits, in.src1.bits, type,
                 in.mad.m, in.mad.k, in.mad.n, 4, 4, 4, 0);
      break;
    case Opcode::load2d:
      gc_npu_load2d(core, 0, in.dst.bits, in.src0.bits, type,
                    in.load2d.fractals, 1, 1, 0);
      break;
    case Opcode::dma:
      gc_npu_dma(core, 0, in.dst.bits, in.src0.bits, in.dma.bursts,
                 in.dma.bytes, in.dma.dstStride, in.dma.srcStride,
                 in.accumulate ? type : -1);
      break;
    case Opcode::setFlag:
      gc_npu_set_flag(core, 0, static_cast<int32_t>(in.pipe),
                      static_cast<int32_t>(in.toPipe), in.flag.event);
      break;
    case Opcode::waitFlag:
      gc_npu_wait_flag(core, 0, static_cast<int32_t>(in.pipe),
                       static_cast<int32_t>(in.toPipe), in.flag.event);
      break;
    case Opcode::barrier:
      gc_npu_barrier(core, 0, static_cast<int32_t>(in.pipe));
      break;
    default:
      gc_npu_load_scalar(core, 0, in.src0.bits, type);
      break;
    }
  }
}

static Report run(const std::vector<std::vector<Step>> &programs,
                  const Machine &machine, const Options &options) {
  Simulator simulator(machine, options);
  simulator.addTensor("in", nullptr, 1 << 20, false);
  simulator.addTensor("out", nullptr, 1 << 20, true);
  std::vector<Program> functions;
  for (const std::vector<Step> &program : programs)
    functions.push_back([&program](gc_npu_core *core) { play(core, program); });
  return simulator.run(functions);
}

static void compare(int numCores, int length, uint32_t firstSeed, int count,
                    const Machine &machine) {
  for (int i = 0; i < count; ++i) {
    std::mt19937 random(firstSeed + static_cast<uint32_t>(i));
    std::vector<std::vector<Step>> programs;
    for (int core = 0; core < numCores; ++core)
      programs.push_back(RandomProgram(random, length).steps);
    Report report = run(programs, machine, getOptions(false));
    ASSERT_FALSE(report.error) << report.error->message;
    std::vector<int64_t> expected = NaiveMachine(machine, programs).run();
    for (int core = 0; core < numCores; ++core)
      ASSERT_EQ(report.cores[core].cycles, expected[core])
          << "seed " << firstSeed + static_cast<uint32_t>(i) << ", core "
          << core;
  }
}

TEST(NaiveMachine, ShortPrograms) { compare(1, 12, 1000, 400, Machine()); }

TEST(NaiveMachine, LongPrograms) { compare(1, 300, 2000, 25, Machine()); }

TEST(NaiveMachine, ShortQueues) {
  Machine machine;
  machine.fifoDepth = 2;
  compare(1, 60, 3000, 60, machine);
}

TEST(NaiveMachine, Gm32) { compare(1, 60, 4000, 60, Machine(Profile::gm32)); }

TEST(NaiveMachine, ManyCores) {
  compare(2, 60, 5000, 40, Machine());
  compare(5, 40, 6000, 20, Machine());
}

// What programs have to do is never more than the time that they take.
TEST(Work, IsALowerBound) {
  for (Profile profile : {Profile::gm64, Profile::gm32, Profile::l2})
    for (uint32_t seed = 0; seed < 100; ++seed) {
      std::mt19937 random(7000 + seed);
      std::vector<std::vector<Step>> programs;
      for (uint32_t core = 0; core < 1 + seed % 3; ++core)
        programs.push_back(RandomProgram(random, 60).steps);
      Machine machine(profile);
      machine.fifoDepth = 1 + seed % 16;
      Options options = getOptions(false);
      Report report = run(programs, machine, options);
      ASSERT_FALSE(report.error) << report.error->message;
      options.waits = false;
      options.maxCycles = report.cycles;
      Report work = run(programs, machine, options);
      ASSERT_FALSE(work.error) << "seed " << seed;
      ASSERT_LE(work.cycles, report.cycles) << "seed " << seed;
      options.maxCycles = work.cycles - 1;
      ASSERT_TRUE(run(programs, machine, options).error) << "seed " << seed;
    }
}
