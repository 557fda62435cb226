// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many slots the buffers of marked loops get.

#include "Dialect/Npu/IR/KernelLimits.h"
#include "DoubleBuffer.h"
#include "MemoryPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace gc::npu {

namespace {

struct Candidate {
  AllocOp alloc;
  scf::ForOp loop;
  int64_t wanted = 1, slots = 1;
};

/// Whether several pipes use it: only then can iterations overlap.
bool isUsedByPipes(AllocOp alloc) {
  uint32_t pipes = 0;
  (void)forEachUse(alloc.getBuffer(), [&](OpOperand &use) {
    auto op = dyn_cast<PipeOpInterface>(use.getOwner());
    if (std::optional<PipeKind> pipe = op ? op.getPipe() : std::nullopt)
      pipes |= 1u << unsigned(*pipe);
  });
  return llvm::popcount(pipes) > 1;
}

SmallVector<Candidate> findCandidates(func::FuncOp kernel) {
  SmallVector<Candidate> candidates;
  kernel.walk([&](AllocOp alloc) {
    auto loop = alloc->getParentOfType<scf::ForOp>();
    int64_t depth = loop ? getPipelineDepth(loop) : 1;
    if (auto most = alloc->getAttrOfType<IntegerAttr>(kMostSlotsAttr))
      depth = std::min(depth, most.getInt());
    if (depth < 2 || alloc.getSlots() != 1 || !isUsedByPipes(alloc))
      return;
    auto remark = [&](StringRef reason) {
      mlir::emitRemark(alloc.getLoc()) << "has one slot: " << reason;
    };
    if (alloc.getAddress())
      return remark("its address is given");
    if (!canReplace(alloc.getBuffer()))
      return remark("a view of it has strides or an offset of its own");
    candidates.push_back({alloc, loop, depth, depth});
  });
  return candidates;
}

/// Tries slots on a copy of the kernel, with what expanding its tiles will
/// need.
class Trial {
public:
  Trial(func::FuncOp kernel, ArrayRef<Candidate> candidates,
        const Machine &machine)
      : machine(machine) {
    IRMapping mapping;
    copy = cast<func::FuncOp>(kernel->clone(mapping));
    for (const Candidate &candidate : candidates) {
      Value buffer = AllocOp(candidate.alloc).getBuffer();
      auto alloc = mapping.lookup(buffer).getDefiningOp<AllocOp>();
      allocs.push_back(alloc);
      blocks.push_back(alloc->getBlock());
    }
    // Ops that cannot be expanded are reported by the pass that expands them.
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler silence(kernel.getContext(), [&](Diagnostic &) {
      return success(llvm::get_threadid() == thread);
    });
    SmallVector<TileOpInterface> tiles;
    func::FuncOp(copy).walk([&](TileOpInterface op) { tiles.push_back(op); });
    for (TileOpInterface op : tiles) {
      OpBuilder builder(op);
      if (succeeded(op.expand(builder, machine)))
        op->erase();
    }
  }
  ~Trial() { copy->erase(); }

  /// The spaces in which the candidates do not fit with their slots, unless
  /// pipes wait for each other.
  FailureOr<uint32_t> getFullSpaces(ArrayRef<Candidate> candidates) {
    Block &entry = func::FuncOp(copy).getBody().front();
    for (auto [i, candidate] : llvm::enumerate(candidates)) {
      Block *block = candidate.slots > 1 ? &entry : blocks[i];
      allocs[i]->moveBefore(block, block->begin());
      allocs[i].setSlots(candidate.slots);
    }
    auto buffers = collectBuffers(copy, machine);
    if (failed(buffers))
      return failure();
    uint32_t full = 0;
    forEachSpace(
        *buffers, [&](MemorySpace space, ArrayRef<const PlannedBuffer *> own) {
          if (!packBuffers(own, machine.getCapacity(Space(space)),
                           machine.getAlignment(Space(space)), Sharing::phases)
                   .fits)
            full |= 1u << unsigned(space);
        });
    return full;
  }

private:
  const Machine &machine;
  func::FuncOp copy;
  SmallVector<AllocOp> allocs;
  SmallVector<Block *> blocks;
};

int64_t getBytes(AllocOp alloc) {
  return *getExtent(cast<MemRefType>(alloc.getBuffer().getType()));
}

int getDepth(Operation *op) {
  int depth = 0;
  for (; op; op = op->getParentOp())
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

/// Whether something loads from global memory into it.
bool isLoaded(AllocOp alloc) {
  bool found = false;
  (void)forEachUse(alloc.getBuffer(), [&](OpOperand &use) {
    auto op = dyn_cast<PipeOpInterface>(use.getOwner());
    found |= op && op.getPipe() == PipeKind::mte2;
  });
  return found;
}

/// Takes a slot from a buffer of one of the full spaces: of an outer loop,
/// where it is used least often, preferably not one that is loaded ahead, then
/// the largest. False if there is none.
bool takeSlot(MutableArrayRef<Candidate> candidates, uint32_t full) {
  Candidate *best = nullptr;
  auto rank = [](const Candidate &candidate) {
    return std::make_tuple(-getDepth(candidate.alloc),
                           !isLoaded(candidate.alloc),
                           getBytes(candidate.alloc));
  };
  for (Candidate &candidate : candidates) {
    Value buffer = candidate.alloc.getBuffer();
    if (candidate.slots > 1 && (full >> unsigned(*getSpace(buffer)) & 1) &&
        (!best || rank(candidate) > rank(*best)))
      best = &candidate;
  }
  if (best)
    --best->slots;
  return best;
}

void rotate(const Candidate &candidate, Block &entry, Operation *&start) {
  AllocOp alloc = candidate.alloc;
  Location loc = alloc.getLoc();
  OpBuilder builder(alloc);
  Value counter = buildCounter(builder, loc, candidate.loop, candidate.slots);
  alloc.setSlots(candidate.slots);
  Value buffer = alloc.getBuffer();
  // Replacing walks the uses of what is replaced; the slot must not be one of
  // them.
  Value placeholder =
      memref::CastOp::create(builder, loc, buffer.getType(), buffer);
  buffer.replaceAllUsesExcept(placeholder, placeholder.getDefiningOp());
  auto slot = SlotOp::create(builder, loc, buffer, counter);
  if (start == alloc)
    start = start->getNextNode();
  alloc->moveBefore(&entry, Block::iterator(start));
  replaceBuffer(placeholder, slot.getResult());
  placeholder.getDefiningOp()->erase();
}

} // namespace

bool fitsMachine(func::FuncOp kernel, const Machine &machine) {
  FailureOr<uint32_t> full = Trial(kernel, {}, machine).getFullSpaces({});
  return succeeded(full) && !*full;
}

LogicalResult giveSlots(func::FuncOp kernel, const Machine &machine) {
  SmallVector<Candidate> candidates = findCandidates(kernel);
  if (candidates.empty())
    return success();
  {
    Trial trial(kernel, candidates, machine);
    while (true) {
      FailureOr<uint32_t> full = trial.getFullSpaces(candidates);
      if (failed(full))
        return failure();
      if (!*full || !takeSlot(candidates, *full))
        break;
    }
  }
  Block &entry = kernel.getBody().front();
  Operation *start = &entry.front();
  for (const Candidate &candidate : candidates) {
    if (candidate.slots < candidate.wanted)
      mlir::emitRemark(AllocOp(candidate.alloc).getLoc())
          << "has " << candidate.slots << " of " << candidate.wanted
          << " slots: "
          << stringifyMemorySpace(
                 *getSpace(AllocOp(candidate.alloc).getBuffer()))
          << " has no room for more with what is alive at the same time";
    if (candidate.slots > 1)
      rotate(candidate, entry, start);
  }
  return success();
}

} // namespace gc::npu
