// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order of what both units do for two contractions in one nest.

#include "ChainNest.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

namespace {
/// Schedules one after the other; null if one of them was.
class Sequence {
public:
  Sequence &operator<<(isl::Schedule next) {
    isGood &= bool(next);
    all = TileProgram::sequence(std::move(all), std::move(next));
    return *this;
  }
  Sequence &operator<<(SmallVector<isl::Schedule> phases) {
    for (isl::Schedule &phase : phases)
      *this << std::move(phase);
    return *this;
  }
  /// A loop over the steps of all.
  isl::Schedule takeSteps() {
    return isGood ? TileProgram::loop(std::move(all), 1, 2) : isl::Schedule();
  }
  isl::Schedule take() { return isGood ? std::move(all) : isl::Schedule(); }

private:
  isl::Schedule all;
  bool isGood = true;
};
} // namespace

static isl::Schedule markBuffer(isl::Schedule schedule, BufferOp buffer) {
  return TileProgram::mark(std::move(schedule),
                           ("buffer:" + buffer.getSymName()).str());
}

static isl::Schedule markBuffers(isl::Schedule schedule,
                                 ArrayRef<BufferOp> buffers) {
  for (BufferOp buffer : buffers)
    if (schedule)
      schedule = markBuffer(std::move(schedule), buffer);
  return schedule;
}

/// The phases, one after the other, and the buffers that only they use.
isl::Schedule ChainNest::takeMarked(Phases phases) {
  isl::Schedule all = (Sequence() << std::move(phases)).take();
  return markBuffers(std::move(all), std::exchange(phaseBuffers, {}));
}

/// One block after the other.
isl::Schedule ChainNest::emitInOrder() {
  Sequence body;
  body << emitPack(first, /*isLeft=*/false)
       << emitPack(second, /*isLeft=*/false);
  if (prologue)
    body << emitPrologueLoad() << emitPrologue();
  else
    body << emitPack(first, /*isLeft=*/true);
  body << emitLeft() << (Sequence() << emitFirst()).takeSteps()
       << (Sequence() << emitDrain()).takeSteps();
  if (isl::Schedule loads = emitLoads())
    body << std::move(loads);
  for (const Segment &segment : segments) {
    for (LeafPlan *leaf : segment.statements)
      body << (Sequence() << emitStatement(*leaf)).takeSteps();
    if (segment.reduction)
      body << takeMarked(emitReduction(*segment.reduction));
  }
  body << emitMove() << (Sequence() << emitSecond()).takeSteps()
       << takeMarked(emitResult());
  isl::Schedule all = body.take();
  return all ? TileProgram::loop(std::move(all), 0, 2) : std::move(all);
}

/// Reductions of a block's rows beside the result of an earlier block: what
/// waits for the tile before it is mixed, so that the last tiles of the result
/// keep the vector unit busy while the front end loads the values of rows.
isl::Schedule ChainNest::emitReductions() {
  delay = getRowsDelay();
  Phases chain;
  for (const Segment &segment : ArrayRef(segments).drop_back()) {
    for (LeafPlan *leaf : segment.statements)
      chain.push_back((Sequence() << emitStatement(*leaf)).takeSteps());
    for (isl::Schedule &phase : emitReduction(*segment.reduction))
      chain.push_back(std::move(phase));
  }
  delay = getSecondDelay() + 1;
  Phases result = emitResult(), all;
  size_t before = std::max(chain.size(), result.size()) - result.size();
  for (size_t i = 0; i < before + result.size(); ++i) {
    if (i < chain.size())
      all.push_back(std::move(chain[i]));
    if (i >= before)
      all.push_back(std::move(result[i - before]));
  }
  return (Sequence() << std::move(all)).take();
}

/// In an iteration both units work on several blocks: the cube unit makes the
/// first product of one block and the second product of an earlier one, step by
/// step with what the vector unit does for those between them.
isl::Schedule ChainNest::emitSkewed() {
  Sequence body;
  delay = panelDelay;
  body << emitPack(first, /*isLeft=*/false)
       << emitPack(second, /*isLeft=*/false);
  delay = 0;
  body << (prologue ? emitPrologueLoad() : emitPack(first, /*isLeft=*/true));
  delay = getLoadDelay();
  if (isl::Schedule loads = emitLoads())
    body << std::move(loads);
  body << emitReductions();
  if (prologue) {
    delay = getFirstDelay() - 1;
    body << emitPrologue();
  }
  ArrayRef<LeafPlan *> rest = segments.back().statements;
  LeafPlan *front = rest.empty() ? nullptr : rest.front();
  LeafPlan *back = rest.size() < 2 ? nullptr : rest.back();

  // The second product beside the first statement and the next block's sums.
  int64_t count = first.paddedColumns / termStep;
  Sequence steps;
  delay = getRowsDelay();
  if (front) {
    steps << emitStatement(*front);
    if (getCount(getSteps(*front)) != count)
      body << std::exchange(steps, Sequence()).takeSteps();
  }
  delay = getFirstDelay() + 1;
  steps << emitDrain();
  delay = getSecondDelay();
  steps << emitSecond();
  body << steps.takeSteps();

  // The first product beside the last statement.
  delay = getRowsDelay();
  for (LeafPlan *leaf : rest.drop_front(!!front).drop_back(!!back))
    body << (Sequence() << emitStatement(*leaf)).takeSteps();
  delay = getFirstDelay();
  body << emitLeft();
  steps = Sequence();
  delay = getRowsDelay();
  if (back) {
    steps << emitStatement(*back);
    if (getCount(getSteps(*back)) != first.paddedColumns / columnStep)
      body << std::exchange(steps, Sequence()).takeSteps();
  }
  delay = getFirstDelay();
  steps << emitFirst();
  body << steps.takeSteps();
  delay = getRowsDelay();
  body << emitMove();
  isl::Schedule all = body.take();
  return all ? TileProgram::skewedLoop(std::move(all), {blocks}, delays)
             : std::move(all);
}

isl::Schedule ChainNest::emit() {
  isl::Schedule body = isSkewed ? emitSkewed() : emitInOrder();
  if (!body)
    return body;
  if (rowSums)
    body = TileProgram::sequence(emitOnes(), std::move(body));
  SmallVector<BufferOp> buffers{leftL1,    leftL0,    panels[0], panels[1],
                                sumsL0c,   operandL1, operandL0, factorsL0,
                                resultL0c, rightL0};
  if (prologue)
    buffers.push_back(leftUb);
  llvm::append_range(buffers, prologueUb);
  llvm::append_range(buffers, phaseBuffers);
  for (auto &[name, array] : arrays)
    if (array.buffer && !llvm::is_contained(buffers, array.buffer))
      buffers.push_back(array.buffer);
  return markBuffers(std::move(body), buffers);
}
