// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FramePool.h"

#include "Memory.h"

#include <memory>
#include <new>

using namespace gc::runtime;

bool Frame::reserve(uint64_t Bytes, uint64_t Alignment) {
  if (Arena && ArenaBytes >= Bytes)
    return true;
  // Released first, so that growing does not need both at once.
  deallocate(Arena);
  ArenaBytes = 0;
  Arena = allocate(Bytes, Alignment);
  if (!Arena)
    return false;
  ArenaBytes = Bytes;
  return true;
}

Frame::~Frame() {
  deallocate(Arena);
  delete[] Args;
}

FramePool::~FramePool() {
  for (auto &Slot : Slots)
    delete Slot.load(std::memory_order_acquire);
}

Frame *FramePool::take() {
  for (auto &Slot : Slots)
    if (Slot.load(std::memory_order_relaxed))
      if (Frame *F = Slot.exchange(nullptr, std::memory_order_acquire))
        return F;
  std::unique_ptr<Frame> F(new (std::nothrow) Frame);
  if (!F)
    return nullptr;
  F->Args = new (std::nothrow) void *[NumArgs + 1];
  return F->Args ? F.release() : nullptr;
}

void FramePool::give(Frame *F) {
  for (auto &Slot : Slots) {
    Frame *Empty = nullptr;
    if (!Slot.load(std::memory_order_relaxed) &&
        Slot.compare_exchange_strong(Empty, F, std::memory_order_release,
                                     std::memory_order_relaxed))
      return;
  }
  delete F;
}
