// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The plan as text and as a picture.

#include "MemoryPlan.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gc::npu {

static std::string getSlotText(int64_t slots) {
  return slots > 1 ? std::to_string(slots) + " slots of " : "";
}

/// Without slots.
static std::string getName(const PlannedBuffer &buffer) {
  std::string shape = getShapeText(buffer.getType());
  if (auto name = dyn_cast<NameLoc>(AllocOp(buffer.alloc).getLoc()))
    return "'" + name.getName().str() + "' " + shape;
  return shape;
}

std::string getBufferText(const PlannedBuffer &buffer) {
  return getSlotText(buffer.slots) + getName(buffer);
}

std::string PlannedBuffer::getPipeText() const {
  if (lifetime.isEmpty())
    return "not used";
  std::string text;
  for (unsigned i = 0; i < kNumPipes; ++i)
    if (pipes >> i & 1)
      text += (text.empty() ? "" : ", ") +
              stringifyPipeKind(static_cast<PipeKind>(i)).str();
  return text;
}

namespace {

/// The loops of a kernel, each after the one around it.
class Loops {
public:
  explicit Loops(func::FuncOp kernel) : clock(kernel.getBody()) {
    add(kernel, "loop ", 0);
  }

  const SmallVector<PicturePhase> &getPhases() const { return phases; }

  /// When a buffer is alive, in terms of the innermost loop around it.
  std::string getLifeText(const PlannedBuffer &buffer) const {
    Operation *parent =
        AllocOp(buffer.alloc)->getParentOfType<LoopLikeOpInterface>();
    SmallVector<PicturePhase> siblings;
    std::string text = "outside of loops";
    for (auto [loop, phase] : llvm::zip_equal(loops, phases)) {
      if (loop == parent)
        text = "in " + phase.name;
      if (loop->getParentOfType<LoopLikeOpInterface>() == parent)
        siblings.push_back(phase);
    }
    std::string inner = getPhaseText(siblings, buffer.lifetime);
    return inner.empty() ? text : inner;
  }

private:
  void add(Operation *op, const std::string &prefix, unsigned depth) {
    unsigned number = 0;
    op->walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
      if (loop == op)
        return WalkResult::advance();
      std::string name = prefix + std::to_string(number++);
      loops.push_back(loop);
      phases.push_back({name, clock.get(loop), depth});
      add(loop, name + ".", depth + 1);
      return WalkResult::skip();
    });
  }

  OpClock clock;
  SmallVector<Operation *> loops;
  SmallVector<PicturePhase> phases;
};

} // namespace

MemoryPicture drawPlan(func::FuncOp kernel, ArrayRef<PlannedBuffer> buffers,
                       const Machine &machine) {
  Loops loops(kernel);
  MemoryPicture picture;
  picture.title = ("Buffers of " + kernel.getName() +
                   ": time to the right, addresses upwards")
                      .str();
  picture.phases = loops.getPhases();
  forEachSpace(buffers, [&](MemorySpace space,
                            ArrayRef<const PlannedBuffer *> own) {
    SmallVector<const PlannedBuffer *> sorted(own);
    int64_t sum = 0, end = 0;
    for (const PlannedBuffer *buffer : own) {
      sum += buffer->getBytes();
      end = std::max(end, buffer->getEnd());
    }
    // Pointers into one array: those of buffers at one address are in order.
    llvm::sort(sorted, [](const PlannedBuffer *a, const PlannedBuffer *b) {
      return std::tie(a->offset, a) < std::tie(b->offset, b);
    });
    PictureStrip &strip = picture.strips.emplace_back();
    strip.bytes = end;
    strip.capacity = machine.getCapacity(Space(space));
    strip.title =
        (stringifyMemorySpace(space) + ": " + Twine(end) + " of " +
         Twine(*strip.capacity) + " bytes; buffers: " + Twine(sorted.size()) +
         ", " + Twine(sum) + " bytes together")
            .str();
    for (const PlannedBuffer *buffer : sorted) {
      std::string detail = buffer->getPipeText();
      if (!buffer->lifetime.isEmpty())
        detail += ", " + loops.getLifeText(*buffer);
      if (buffer->fixed)
        detail += ", address given";
      strip.buffers.push_back({getName(*buffer), detail, buffer->lifetime,
                               buffer->offset, buffer->slotBytes,
                               buffer->slots});
    }
  });
  return picture;
}

void printPlan(const MemoryPicture &plan, raw_ostream &os) {
  for (const PictureStrip &strip : plan.strips) {
    os << strip.title << "\n";
    for (const PictureBuffer &buffer : strip.buffers)
      os << "  [" << buffer.offset << ", "
         << buffer.offset + buffer.slotBytes * buffer.slots << ") "
         << getSlotText(buffer.slots) << buffer.name << ", " << buffer.detail
         << "\n";
  }
}

} // namespace gc::npu
