// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncTrace.h"
#include "SyncMemory.h"

#include <algorithm>
#include <numeric>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

class Tracer {
public:
  Tracer(const Program &program, Trace::Section section, Trace::Length length)
      : program(program), section(section), length(length) {
    for (const Loop &loop : program.loops)
      limits.push_back(getHeight(loop.body) > 1 ? length.outer : length.inner);
    trace.passes.resize(program.getNumPoints());
    trace.iterations.resize(program.getNumPoints());
    for (size_t block = 0; block < program.blocks.size(); ++block)
      loops.push_back(program.getLoops(static_cast<int>(block)));
    env.iteration.resize(program.loops.size());
  }

  /// Whether it is short enough: which ops run follows without their bytes.
  bool isShort() {
    for (env.core = 0; env.core < program.cores; ++env.core)
      countBlock(0, section.begin, section.end);
    return count <= length.maxSteps;
  }

  std::optional<Trace> run() {
    trace.steps.reserve(static_cast<size_t>(count + program.cores));
    trace.instances.reserve(static_cast<size_t>(numOps));
    for (env.core = 0; env.core < program.cores; ++env.core) {
      memory.clear();
      trace.starts.push_back(static_cast<int32_t>(trace.steps.size()));
      add(Step::start, 0);
      runBlock(0, section.begin, section.end);
    }
    return std::move(trace);
  }

private:
  /// Steps of a block, up to somewhat more than `length.maxSteps`.
  void countBlock(int number, int begin, int end) {
    const Block &block = program.blocks[number];
    count += end - begin + 1;
    for (int i = begin; i < end && count <= length.maxSteps; ++i) {
      const Node &node = block.nodes[i];
      if (node.kind == Node::op) {
        ++count;
        ++numOps;
        continue;
      }
      Iterations iterations;
      if (node.kind == Node::loop)
        iterations = getIterations(program.loops[node.index]);
      for (int64_t j = 0; j < iterations.count && count <= length.maxSteps;
           ++j) {
        int inside = node.body;
        if (node.kind == Node::loop) {
          env.iteration[node.index] = iterations.get(j);
          ++count;
        } else if (!program.conditions[node.index](env)) {
          inside = node.other;
        }
        if (inside >= 0)
          countBlock(inside, 0,
                     static_cast<int>(program.blocks[inside].nodes.size()));
      }
    }
  }

  void add(Step::Kind kind, int32_t id) { trace.steps.push_back({kind, id}); }

  void passPoint(int point) {
    trace.passes[point].push_back(static_cast<int32_t>(trace.steps.size()));
    for (int loop : loops[program.getBlock(point)])
      trace.iterations[point].push_back(
          static_cast<int32_t>(env.iteration[loop]));
    add(Step::point, point);
  }

  void runBlock(int number) {
    runBlock(number, 0, static_cast<int>(program.blocks[number].nodes.size()));
  }

  void runBlock(int number, int begin, int end) {
    const Block &block = program.blocks[number];
    int point = block.firstPoint + begin;
    for (int i = begin; i < end; ++i) {
      const Node &node = block.nodes[i];
      passPoint(point++);
      switch (node.kind) {
      case Node::op:
        runOp(node.index);
        break;
      case Node::loop:
        runLoop(node);
        break;
      case Node::branch:
        runBranch(node);
        break;
      }
    }
    passPoint(point);
  }

  /// Loops that are nested in a block.
  int getHeight(int block) const {
    int height = 0;
    for (const Node &node : program.blocks[block].nodes)
      for (int inside : {node.body, node.other})
        if (inside >= 0)
          height =
              std::max(height, getHeight(inside) + (node.kind == Node::loop));
    return height;
  }

  /// The iterations of a loop that are run: the first and the last ones, or
  /// those of a list.
  struct Iterations {
    int64_t count = 1, head = 1, skipped = 0;
    std::vector<int64_t> list = {};
    int64_t get(int64_t i) const {
      if (!list.empty())
        return list[static_cast<size_t>(i)];
      return i < head ? i : i + skipped;
    }
  };
  Iterations getIterations(const Loop &loop) {
    int64_t trips = std::max<int64_t>(loop.trips(env), 0);
    if (length.isSketch)
      return sketch(loop, trips);
    int64_t maxTrips = limits[&loop - program.loops.data()];
    // What is skipped is a multiple of the number of events, too, so that they
    // go on as if nothing had been skipped.
    int64_t period = std::lcm(program.period, int64_t(12));
    if (trips <= maxTrips + period)
      period = program.period;
    int64_t count = trips;
    if (trips > maxTrips + period)
      count = maxTrips + (trips - maxTrips) % period;
    return {count, (count + 1) / 2, trips - count};
  }

  /// Without those that do the same as others before and after them.
  Iterations sketch(const Loop &loop, int64_t trips) {
    size_t number = &loop - program.loops.data();
    int64_t current = env.iteration[number];
    std::vector<uint64_t> signatures;
    for (int64_t i = 0; i < trips; ++i) {
      env.iteration[number] = i;
      uint64_t signature = 0;
      sign(loop.body, signature);
      signatures.push_back(signature);
    }
    env.iteration[number] = current;
    Iterations iterations;
    iterations.list = getDistinct(signatures);
    iterations.count = static_cast<int64_t>(iterations.list.size());
    return iterations;
  }

  /// Which ops of a block run, and how often.
  void sign(int number, uint64_t &signature) {
    if (number < 0)
      return;
    for (const Node &node : program.blocks[number].nodes) {
      if (node.kind == Node::branch) {
        bool isTaken = program.conditions[node.index](env);
        signature = (signature ^ (isTaken ? 1 : 2)) * kPrime;
        sign(isTaken ? node.body : node.other, signature);
      } else if (node.kind == Node::loop) {
        int64_t trips = program.loops[node.index].trips(env);
        int64_t current = env.iteration[node.index];
        for (int64_t i = 0; i < trips; ++i) {
          signature = (signature ^ 3) * kPrime;
          env.iteration[node.index] = i;
          sign(node.body, signature);
        }
        signature = (signature ^ 4) * kPrime;
        env.iteration[node.index] = current;
      }
    }
  }

  void runLoop(const Node &node) {
    Iterations iterations = getIterations(program.loops[node.index]);
    for (int64_t i = 0; i < iterations.count; ++i) {
      env.iteration[node.index] = iterations.get(i);
      add(Step::iterate, node.index);
      runBlock(node.body);
    }
  }

  void runBranch(const Node &node) {
    int side = program.conditions[node.index](env) ? node.body : node.other;
    if (side >= 0)
      runBlock(side);
  }

  void runOp(int number) {
    const Op &op = program.ops[number];
    auto &onPipe = trace.onPipe[static_cast<size_t>(op.pipe)];
    Instance instance;
    instance.op = number;
    instance.number = static_cast<int32_t>(onPipe.size());
    instance.step = static_cast<int32_t>(trace.steps.size());
    ranges.clear();
    op.ranges(env, ranges);
    for (const Range &range : ranges)
      memory.access(range, op.pipe, instance.number + 1, instance.needs);
    onPipe.push_back(static_cast<int32_t>(trace.instances.size()));
    add(Step::op, static_cast<int32_t>(trace.instances.size()));
    trace.instances.push_back(instance);
  }

  const Program &program;
  /// Of the hash FNV-1a.
  static constexpr uint64_t kPrime = 0x100000001b3;
  Trace::Section section;
  Trace::Length length;
  int64_t count = 0, numOps = 0;
  /// Most iterations of each loop.
  std::vector<int64_t> limits;
  Env env;
  /// Loops around each block.
  std::vector<std::vector<int>> loops;
  gc::npu::sync::Memory memory;
  std::vector<Range> ranges;
  Trace trace;
};

} // namespace

std::optional<Trace> Trace::make(const Program &program, Length length) {
  int count = static_cast<int>(program.blocks[0].nodes.size());
  return make(program, Section{0, count}, length);
}

std::optional<Trace> Trace::make(const Program &program, Section section,
                                 Length length) {
  Tracer tracer(program, section, length);
  if (!tracer.isShort())
    return std::nullopt;
  return tracer.run();
}
