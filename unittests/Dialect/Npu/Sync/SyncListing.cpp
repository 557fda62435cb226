// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncListing.h"
#include "Simulator/Interface.h"
#include "SyncInstruction.h"

using namespace gc::npu;
using namespace gc::npu::sync;

void Kernel::add(int block, const Machine &machine,
                 std::function<Instruction(const Env &)> instruction) {
  Env env;
  env.iteration.resize(program.loops.size() + 16);
  instructions.push_back(instruction);
  program.addOp(block, makeOp(machine, std::move(instruction), env));
}

namespace {

/// Runs through a program independently, without the tracer that the pass uses.
class Lister {
public:
  Lister(const Kernel &kernel, const Plan &plan)
      : kernel(kernel), plan(plan), actions(getActions(kernel.program, plan)),
        sets(plan.flags.size()), waits(plan.flags.size()) {
    env.iteration.resize(kernel.program.loops.size());
  }

  Listing run() {
    runBlock(0);
    return std::move(listing);
  }

private:
  void runBlock(int number) {
    const Block &block = kernel.program.blocks[number];
    int point = block.firstPoint;
    for (const Node &node : block.nodes) {
      pass(point++);
      if (node.kind == Node::op) {
        add(kernel.instructions[node.index](env), -1);
      } else if (node.kind == Node::branch) {
        bool isTrue = kernel.program.conditions[node.index](env);
        runBlock(isTrue ? node.body : node.other);
      } else {
        int64_t trips = kernel.program.loops[node.index].trips(env);
        for (int64_t i = 0; i < trips; ++i) {
          env.iteration[node.index] = i;
          ++iterations;
          runBlock(node.body);
        }
      }
    }
    pass(point);
  }

  void add(Instruction instruction, int item) {
    instruction.location = static_cast<int32_t>(listing.size());
    listing.push_back({instruction, iterations, item});
    iterations = 0;
  }

  void addFlag(int i, int n, Opcode opcode) {
    const Flag &flag = plan.flags[i];
    Instruction instruction(opcode);
    instruction.pipe = flag.from;
    instruction.toPipe = flag.to;
    instruction.flag.event = flag.first + n % flag.events;
    add(instruction, i);
  }

  void pass(int point) {
    for (const Action &action : actions[point]) {
      int i = action.index;
      if (action.kind == Action::barrier) {
        Instruction instruction(Opcode::barrier);
        instruction.pipe = plan.barriers[i].pipe;
        add(instruction, static_cast<int>(plan.flags.size()) + i);
        continue;
      }
      int primes = plan.flags[i].primes, drains = plan.flags[i].drains;
      switch (action.kind) {
      case Action::prime:
        sets[i] = waits[i] = 0;
        for (int p = 0; p < primes; ++p)
          addFlag(i, sets[i]++, Opcode::setFlag);
        break;
      case Action::drain:
        for (int p = 0; p < drains; ++p)
          addFlag(i, waits[i]++, Opcode::waitFlag);
        break;
      case Action::set:
        addFlag(i, sets[i]++, Opcode::setFlag);
        break;
      default:
        addFlag(i, waits[i]++, Opcode::waitFlag);
        break;
      }
    }
  }

  const Kernel &kernel;
  const Plan &plan;
  Actions actions;
  std::vector<int> sets, waits;
  Env env;
  int iterations = 0;
  Listing listing;
};

void issue(gc_npu_core *core, const Instruction &in) {
  auto number = [](auto value) { return static_cast<int32_t>(value); };
  uint64_t dst = in.dst.bits, src = in.src0.bits;
  int32_t type = number(in.type), at = in.location;
  switch (in.opcode) {
  case Opcode::dma:
    return gc_npu_dma(core, at, dst, src, in.dma.bursts, in.dma.bytes,
                      in.dma.dstStride, in.dma.srcStride,
                      in.accumulate ? type : -1);
  case Opcode::load2d:
    return gc_npu_load2d(core, at, dst, src, type, in.load2d.fractals,
                         in.load2d.dstStride, in.load2d.srcStride,
                         in.transpose);
  case Opcode::mad:
    return gc_npu_mad(core, at, dst, src, in.src1.bits, type, in.mad.m,
                      in.mad.k, in.mad.n, in.mad.aStride, in.mad.bStride,
                      in.mad.cStride, in.initialise);
  case Opcode::drain:
    return gc_npu_drain(core, at, dst, src, type, number(in.dstType),
                        in.drain.m, in.drain.n, in.drain.srcStride,
                        in.drain.dstRows, in.drain.width, in.relu);
  case Opcode::vector:
    return gc_npu_vector(
        core, at, number(in.vectorOp), dst, src, in.src1.bits, in.src2.bits,
        number(in.dstType), type, in.vector.repeat, in.vector.maskLow,
        in.vector.maskHigh, in.vector.dstBlock, in.vector.dstRepeat,
        in.vector.src0Block, in.vector.src0Repeat, in.vector.src1Block,
        in.vector.src1Repeat, in.vector.scalar);
  case Opcode::setFlag:
    return gc_npu_set_flag(core, at, number(in.pipe), number(in.toPipe),
                           in.flag.event);
  case Opcode::waitFlag:
    return gc_npu_wait_flag(core, at, number(in.pipe), number(in.toPipe),
                            in.flag.event);
  case Opcode::barrier:
    return gc_npu_barrier(core, at, number(in.pipe));
  case Opcode::loadScalar:
    gc_npu_load_scalar(core, at, src, type);
    return;
  default:
    return;
  }
}

} // namespace

Listing gc::npu::sync::list(const Kernel &kernel, const Plan &plan) {
  return Lister(kernel, plan).run();
}

Report gc::npu::sync::simulate(const Machine &machine, const Listing &listing,
                               bool check) {
  Options options;
  options.mode = Mode::cycles;
  options.check = check;
  Simulator simulator(machine, options);
  simulator.addTensor("input", nullptr, kTensorBytes, false);
  simulator.addTensor("output", nullptr, kTensorBytes, true);
  return simulator.run({[&](gc_npu_core *core) {
    for (const Line &line : listing) {
      for (int i = 0; i < line.iterations; ++i)
        gc_npu_iteration(core, line.instruction.location);
      issue(core, line.instruction);
    }
  }});
}
