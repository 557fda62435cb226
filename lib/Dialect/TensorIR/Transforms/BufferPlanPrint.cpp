// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferPlan.h"

using namespace mlir;

namespace gc::tir {

/// The parallel loops during which a temporary lives, as text.
static std::string getLifeText(const BufferPlan &plan,
                               const Temporary &temporary) {
  if (temporary.life.isEmpty())
    return "not used";
  std::string text = getPhaseText(plan.phases, temporary.life);
  return text.empty() ? "between loops" : text;
}

static SmallVector<const Temporary *> getByPlace(const Arena &arena) {
  SmallVector<const Temporary *> sorted;
  for (const Temporary &temporary : arena.temporaries)
    sorted.push_back(&temporary);
  llvm::sort(sorted, [](const Temporary *a, const Temporary *b) {
    return std::make_tuple(bool(a->output), a->offset, a->life.first,
                           a->position) <
           std::make_tuple(bool(b->output), b->offset, b->life.first,
                           b->position);
  });
  return sorted;
}

void printPlan(const BufferPlan &plan, raw_ostream &os) {
  auto print = [&](StringRef name, const Arena &arena) {
    int64_t sum = 0;
    for (const Temporary &temporary : arena.temporaries)
      sum += temporary.bytes;
    os << name << ": " << arena.bytes
       << " bytes; temporaries: " << arena.temporaries.size() << ", " << sum
       << " bytes together\n";
    for (const Temporary *temporary : getByPlace(arena)) {
      os << "  ";
      if (auto argument = dyn_cast_or_null<BlockArgument>(temporary->output))
        os << "in argument " << argument.getArgNumber();
      else
        os << "[" << temporary->offset << ", "
           << temporary->offset + temporary->bytes << ")";
      os << " " << getShapeText(temporary->getType()) << ", "
         << getLifeText(plan, *temporary) << "\n";
    }
  };
  print("shared", plan.shared);
  print("per thread", plan.perThread);
}

MemoryPicture drawPlan(const BufferPlan &plan, StringRef function) {
  MemoryPicture picture;
  picture.title =
      ("Temporaries of " + function + ": time to the right, addresses upwards")
          .str();
  picture.phases = plan.phases;
  auto add = [&](StringRef name, const Arena &arena) {
    PictureStrip &strip = picture.strips.emplace_back();
    strip.title = (name + ": " + Twine(arena.bytes) + " bytes").str();
    strip.bytes = arena.bytes;
    for (const Temporary &temporary : arena.temporaries)
      if (!temporary.output)
        strip.buffers.push_back({getShapeText(temporary.getType()),
                                 getLifeText(plan, temporary), temporary.life,
                                 temporary.offset, temporary.bytes});
  };
  add("shared", plan.shared);
  add("per thread", plan.perThread);
  return picture;
}

} // namespace gc::tir
