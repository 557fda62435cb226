// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncTrace.h"
#include "SyncMemory.h"

#include <algorithm>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

class Tracer {
public:
  Tracer(const Program &program, int64_t inner, int64_t outer, int64_t maxSteps)
      : program(program), maxSteps(maxSteps) {
    for (const Loop &loop : program.loops)
      limits.push_back(getHeight(loop.body) > 1 ? outer : inner);
    trace.passes.resize(program.getNumPoints());
    trace.iterations.resize(program.getNumPoints());
    for (size_t block = 0; block < program.blocks.size(); ++block)
      loops.push_back(program.getLoops(static_cast<int>(block)));
    env.iteration.resize(program.loops.size());
  }

  std::optional<Trace> run() {
    for (env.core = 0; env.core < program.cores; ++env.core) {
      memory.clear();
      add(Step::start, 0);
      runBlock(0);
    }
    if (isTooLong())
      return std::nullopt;
    return std::move(trace);
  }

private:
  bool isTooLong() const {
    return static_cast<int64_t>(trace.steps.size()) > maxSteps;
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
    const Block &block = program.blocks[number];
    int point = block.firstPoint;
    for (const Node &node : block.nodes) {
      passPoint(point++);
      if (isTooLong())
        return;
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

  int64_t getTrips(const Loop &loop) const {
    int64_t trips = std::max<int64_t>(loop.trips(env), 0);
    int64_t maxTrips = limits[&loop - program.loops.data()];
    if (trips <= maxTrips + program.period)
      return trips;
    return maxTrips + (trips - maxTrips) % program.period;
  }

  void runLoop(const Node &node) {
    int64_t trips = getTrips(program.loops[node.index]);
    for (int64_t i = 0; i < trips && !isTooLong(); ++i) {
      env.iteration[node.index] = i;
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
  int64_t maxSteps;
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

std::optional<Trace> Trace::make(const Program &program, int64_t inner,
                                 int64_t outer, int64_t maxSteps) {
  return Tracer(program, inner, outer, maxSteps).run();
}
