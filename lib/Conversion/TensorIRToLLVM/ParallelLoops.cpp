// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tir.parallel becomes a loop over this thread's share of the iterations.

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

void numberParallelLoops(EntryPoint &entry) {
  auto number = [&](EntryFunction &function, StringRef role) {
    int64_t inFunction = 0;
    function.function.walk([&](ParallelOp loop) {
      loop.setTraceId(entry.regions.size());
      entry.regions.push_back(loop.getName()
                                  ? loop.getName()->str()
                                  : entry.name + "." + role.str() + "." +
                                        std::to_string(inFunction));
      ++inFunction;
    });
  };
  number(entry.compute, "compute");
  if (entry.fold)
    number(*entry.fold, "fold");
}

namespace {

/// What the code of one function knows about the thread that runs it.
struct Team {
  Value pointer;
  Value thread;
  Value size;
};

class ParallelLowering {
public:
  ParallelLowering(func::FuncOp function, bool trace)
      : module(function->getParentOfType<ModuleOp>()), trace(trace) {
    team.pointer = function.getArgument(2);
  }

  void lower(func::FuncOp function);

private:
  void readTeam(func::FuncOp function);
  void lowerLoop(ParallelOp loop, bool barrier);
  void callBarrier(ImplicitLocOpBuilder &b);
  void callTrace(ImplicitLocOpBuilder &b, StringRef name, int64_t region);

  ModuleOp module;
  Team team;
  bool trace;
};

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

void ParallelLowering::readTeam(func::FuncOp function) {
  auto b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(),
                                              &function.getBody().front());
  auto read = [&](int32_t index) -> Value {
    Value address = LLVM::GEPOp::create(
        b, team.pointer.getType(), b.getI64Type(), team.pointer,
        LLVM::GEPArg(index), LLVM::GEPNoWrapFlags::inbounds);
    auto value = LLVM::LoadOp::create(b, b.getI64Type(), address);
    value.setInvariant(true);
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  team.thread = read(0);
  team.size = read(1);
}

void ParallelLowering::callBarrier(ImplicitLocOpBuilder &b) {
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {team.pointer.getType()});
  LLVM::CallOp::create(b, declareRuntime(module, "gc_barrier_wait", type),
                       team.pointer);
}

void ParallelLowering::callTrace(ImplicitLocOpBuilder &b, StringRef name,
                                 int64_t region) {
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {team.pointer.getType(), b.getI64Type()});
  Value id = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(region));
  LLVM::CallOp::create(b, declareRuntime(module, name, type),
                       ValueRange{team.pointer, id});
}

void ParallelLowering::lowerLoop(ParallelOp loop, bool barrier) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  ArrayRef<int64_t> sizes = loop.getSizes();
  SmallVector<unsigned> dims;
  int64_t iterations = 1;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    iterations *= size;
    if (size > 1)
      dims.push_back(dim);
  }
  if (trace)
    callTrace(b, "gc_trace_begin", loop.getTraceId().value_or(0));

  bool streams = loop->walk([](vector::StoreOp store) {
                       return store.getNontemporal() ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                     })
                     .wasInterrupted();

  // Shares differ by one at most: the first `rest` threads take one more.
  Value total = constant(b, iterations);
  Value quotient = arith::DivUIOp::create(b, total, team.size);
  Value rest = arith::SubIOp::create(
      b, total, arith::MulIOp::create(b, quotient, team.size));
  // One op per statement: the order of arguments is the compiler's choice.
  Value own = arith::MulIOp::create(b, team.thread, quotient);
  Value extra = arith::MinUIOp::create(b, team.thread, rest);
  Value begin = arith::AddIOp::create(b, own, extra);
  Value more =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, team.thread, rest);
  Value most = arith::AddIOp::create(b, begin, quotient);
  Value end = arith::AddIOp::create(
      b, most, arith::IndexCastUIOp::create(b, b.getIndexType(), more));

  // More than one dimension: the indices are carried along the flat loop, with
  // a carry instead of a division in each iteration.
  SmallVector<Value> starts;
  if (dims.size() > 1) {
    starts.resize(dims.size());
    Value flat = begin;
    for (size_t i = dims.size(); i-- > 1;) {
      Value size = constant(b, sizes[dims[i]]);
      starts[i] = arith::RemUIOp::create(b, flat, size);
      flat = arith::DivUIOp::create(b, flat, size);
    }
    starts[0] = flat;
  }
  Value one = constant(b, 1), zero = constant(b, 0);
  auto flatLoop = scf::ForOp::create(b, begin, end, one, starts);
  Block *body = flatLoop.getBody();
  SmallVector<Value> indices(sizes.size(), zero);
  if (dims.size() == 1)
    indices[dims[0]] = flatLoop.getInductionVar();
  for (size_t i = 0; i < starts.size(); ++i)
    indices[dims[i]] = flatLoop.getRegionIterArg(i);

  // The builder only adds a terminator to loops that carry no values.
  if (!body->empty() && body->back().hasTrait<OpTrait::IsTerminator>())
    body->back().erase();
  Block &source = loop.getBody().front();
  source.back().erase();
  for (auto [argument, index] : llvm::zip(source.getArguments(), indices))
    argument.replaceAllUsesWith(index);
  body->getOperations().splice(body->end(), source.getOperations());
  b.setInsertionPointToEnd(body);
  SmallVector<Value> next(starts.size());
  Value carry = one;
  for (size_t i = starts.size(); i-- > 0;) {
    next[i] = arith::AddIOp::create(b, indices[dims[i]], carry);
    if (i == 0)
      break;
    Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next[i],
                                        constant(b, sizes[dims[i]]));
    next[i] = arith::SelectOp::create(b, wraps, zero, next[i]);
    carry = arith::IndexCastUIOp::create(b, b.getIndexType(), wraps);
  }
  scf::YieldOp::create(b, next);

  b.setInsertionPoint(loop);
  // Non-temporal stores are not ordered like others: the threads at the next
  // barrier have to see them.
  if (streams)
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::seq_cst);
  if (trace)
    callTrace(b, "gc_trace_end", loop.getTraceId().value_or(0));
  if (barrier)
    callBarrier(b);
  loop.erase();
}

void ParallelLowering::lower(func::FuncOp function) {
  // Threads leave a function through the join of the fork, which is a barrier:
  // none is needed after the last thing that the function does.
  Operation *last = nullptr;
  SmallVector<BarrierOp> useless;
  for (Operation &op : llvm::reverse(function.getBody().back())) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op))
      continue;
    auto barrier = dyn_cast<BarrierOp>(op);
    if (!barrier) {
      last = &op;
      break;
    }
    useless.push_back(barrier);
  }
  for (BarrierOp barrier : useless)
    barrier.erase();

  SmallVector<ParallelOp> loops;
  SmallVector<BarrierOp> barriers;
  function.walk([&](ParallelOp op) { loops.push_back(op); });
  function.walk([&](BarrierOp op) { barriers.push_back(op); });
  if (!loops.empty())
    readTeam(function);
  for (ParallelOp loop : loops)
    lowerLoop(loop, !loop.getNowait() && loop != last);
  for (BarrierOp barrier : barriers) {
    ImplicitLocOpBuilder b(barrier.getLoc(), barrier);
    callBarrier(b);
    barrier.erase();
  }
}

} // namespace

LogicalResult lowerParallelLoops(func::FuncOp function, bool trace) {
  auto nested = function.walk([](BarrierOp barrier) {
    if (!barrier->getParentOfType<ParallelOp>())
      return WalkResult::advance();
    barrier.emitOpError(
        "is inside tir.parallel, which not every thread of the team reaches");
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();
  ParallelLowering(function, trace).lower(function);
  return success();
}

} // namespace gc::tir
