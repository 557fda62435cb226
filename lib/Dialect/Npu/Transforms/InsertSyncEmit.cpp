// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexExpression.h"
#include "InsertSyncBuild.h"
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
  Value getEvent(OpBuilder &builder, Location loc, const Flag &flag,
                 const sync::EventIndex &index);
  void emit(OpBuilder &builder, Location loc, const Action &action);
  void emitAll(OpBuilder &builder, Location loc, const Flag &flag, bool isSet);
  Value getIndex(int64_t value);

  const SyncKernel &kernel;
  const sync::Plan &plan;
  /// The last op that was inserted after a statement.
  llvm::DenseMap<Operation *, Operation *> ends;
  llvm::DenseMap<int64_t, Value> constants;
};

Value Emitter::getEvent(OpBuilder &builder, Location loc, const Flag &flag,
                        const sync::EventIndex &index) {
  if (index.factors.empty())
    return getIndex(flag.first + index.constant);
  IndexExpression all(builder.getContext());
  AffineExpr sum = builder.getAffineConstantExpr(index.constant);
  for (auto [number, factor] : index.factors)
    sum = sum + all.number(kernel.loops[number]) * factor;
  return all.apply(builder, loc, sum % flag.events + flag.first);
}

/// Constants are placed at the start of the kernel.
Value Emitter::getIndex(int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    auto function = kernel.ops[0]->getParentOfType<func::FuncOp>();
    Block *start = &function.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(start);
    constant =
        arith::ConstantIndexOp::create(builder, kernel.ops[0]->getLoc(), value);
  }
  return constant;
}

void Emitter::emitAll(OpBuilder &builder, Location loc, const Flag &flag,
                      bool isSet) {
  auto from = static_cast<PipeKind>(flag.from);
  auto to = static_cast<PipeKind>(flag.to);
  int start = isSet ? 0 : flag.restEvent;
  int count = isSet ? flag.primes : flag.drains;
  for (int i = 0; i < count; ++i) {
    Value event = getIndex(flag.first + (start + i) % flag.events);
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
                      getEvent(builder, loc, flag, flag.setEvent));
    return;
  default:
    WaitFlagOp::create(builder, loc, from, to,
                       getEvent(builder, loc, flag, flag.waitEvent));
  }
}

void Emitter::run() {
  sync::Actions actions = sync::getActions(kernel.program, plan);
  for (int point = 0; point < static_cast<int>(actions.size()); ++point) {
    if (actions[point].empty())
      continue;
    const auto &statements = kernel.statements[kernel.program.getBlock(point)];
    size_t gap = kernel.program.getGap(point);
    // Ops between two statements in the source (index arithmetic) may stay on
    // either side.
    for (const Action &action : actions[point]) {
      bool isBehind = gap == statements.size() ||
                      (gap > 0 && (action.kind == Action::set ||
                                   action.kind == Action::drain));
      Operation *at = statements[isBehind ? gap - 1 : gap];
      OpBuilder builder(at);
      if (isBehind) {
        // After what earlier actions inserted there.
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
