// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InsertSyncBuild.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace gc::npu;
using gc::npu::sync::Action;
using gc::npu::sync::Flag;

namespace {

class Emitter {
public:
  Emitter(const SyncKernel &kernel, const sync::Plan &plan)
      : kernel(kernel), plan(plan) {}

  void run();

private:
  /// An event of a flag: the number of this execution of `block` within the
  /// flag's scope, plus a constant, modulo the flag's events.
  Value getEvent(OpBuilder &builder, Location loc, const Flag &flag, int block,
                 int plus);
  /// The event of the first wait that is left behind the loops.
  int64_t getRest(const Flag &flag) const;
  void emit(OpBuilder &builder, Location loc, const Action &action);
  void emitAll(OpBuilder &builder, Location loc, const Flag &flag, bool isSet);
  Value getIndex(OpBuilder &builder, Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  const SyncKernel &kernel;
  const sync::Plan &plan;
  /// The last op that was put behind a statement.
  llvm::DenseMap<Operation *, Operation *> ends;
};

Value Emitter::getEvent(OpBuilder &builder, Location loc, const Flag &flag,
                        int block, int plus) {
  const sync::Program &program = kernel.program;
  int scope = program.getBlock(flag.begin);
  int64_t events = flag.events, factor = 1;
  Value sum;
  for (; events > 1 && block != scope && factor % events != 0;
       block = program.blocks[block].parent) {
    int number = program.getParentNode(block).index;
    scf::ForOp loop = kernel.loops[number];
    Value index = loop.getInductionVar();
    if (!matchPattern(loop.getLowerBound(), m_Zero()))
      index = arith::SubIOp::create(builder, loc, index, loop.getLowerBound());
    if (!matchPattern(loop.getStep(), m_One()))
      index = arith::DivUIOp::create(builder, loc, index, loop.getStep());
    if (factor % events != 1)
      index = arith::MulIOp::create(builder, loc, index,
                                    getIndex(builder, loc, factor % events));
    sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, index)) : index;
    factor *= program.loops[number].constant;
  }
  if (!sum)
    return getIndex(builder, loc, flag.first + plus % events);
  if (plus % events)
    sum = arith::AddIOp::create(builder, loc, sum,
                                getIndex(builder, loc, plus % events));
  sum =
      arith::RemUIOp::create(builder, loc, sum, getIndex(builder, loc, events));
  if (flag.first)
    sum = arith::AddIOp::create(builder, loc, sum,
                                getIndex(builder, loc, flag.first));
  return sum;
}

int64_t Emitter::getRest(const Flag &flag) const {
  const sync::Program &program = kernel.program;
  int scope = program.getBlock(flag.begin);
  int64_t count = 1;
  for (int block = program.getBlock(flag.wait); block != scope;
       block = program.blocks[block].parent) {
    int64_t trips = program.loops[program.getParentNode(block).index].constant;
    // Not constant: makeFlag gives no more events than primes, of which each is
    // left once.
    count *= trips < 0 ? 0 : trips;
  }
  return count % flag.events;
}

void Emitter::emitAll(OpBuilder &builder, Location loc, const Flag &flag,
                      bool isSet) {
  auto from = static_cast<PipeKind>(flag.from);
  auto to = static_cast<PipeKind>(flag.to);
  int64_t start = isSet ? 0 : getRest(flag);
  for (int i = 0; i < flag.primes; ++i) {
    Value event =
        getIndex(builder, loc, flag.first + (start + i) % flag.events);
    if (isSet)
      SetFlagOp::create(builder, loc, from, to, event);
    else
      WaitFlagOp::create(builder, loc, from, to, event);
  }
}

void Emitter::emit(OpBuilder &builder, Location loc, const Action &action) {
  if (action.kind == Action::barrier) {
    Pipe pipe = plan.barriers[action.index].pipe;
    PipeKindAttr attribute;
    if (pipe != Pipe::s)
      attribute =
          PipeKindAttr::get(builder.getContext(), static_cast<PipeKind>(pipe));
    BarrierOp::create(builder, loc, attribute);
    return;
  }
  const Flag &flag = plan.flags[action.index];
  auto from = static_cast<PipeKind>(flag.from);
  auto to = static_cast<PipeKind>(flag.to);
  switch (action.kind) {
  case Action::prime:
    return emitAll(builder, loc, flag, true);
  case Action::drain:
    return emitAll(builder, loc, flag, false);
  case Action::set:
    SetFlagOp::create(builder, loc, from, to,
                      getEvent(builder, loc, flag,
                               kernel.program.getBlock(flag.set), flag.primes));
    return;
  default:
    WaitFlagOp::create(
        builder, loc, from, to,
        getEvent(builder, loc, flag, kernel.program.getBlock(flag.wait), 0));
  }
}

void Emitter::run() {
  sync::Actions actions = sync::getActions(kernel.program, plan);
  for (int point = 0; point < static_cast<int>(actions.size()); ++point) {
    if (actions[point].empty())
      continue;
    const auto &statements = kernel.statements[kernel.program.getBlock(point)];
    size_t gap = kernel.program.getGap(point);
    // What stands between two statements in the source, index arithmetic, may
    // stay on either side.
    for (const Action &action : actions[point]) {
      bool isBehind = gap == statements.size() ||
                      (gap > 0 && (action.kind == Action::set ||
                                   action.kind == Action::drain));
      Operation *at = statements[isBehind ? gap - 1 : gap];
      OpBuilder builder(at);
      if (isBehind) {
        // Behind what earlier actions put there.
        Operation *&last = ends[at];
        builder.setInsertionPointAfter(last ? last : at);
        Operation *next = (last ? last : at)->getNextNode();
        emit(builder, at->getLoc(), action);
        last = next->getPrevNode();
        continue;
      }
      emit(builder, at->getLoc(), action);
    }
  }
}

} // namespace

void gc::npu::emitSync(const SyncKernel &kernel, const sync::Plan &plan) {
  Emitter(kernel, plan).run();
}
