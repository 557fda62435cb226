// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantCache.h"

#include "Memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

using namespace gc::runtime;

static constexpr uint64_t PageBytes = 4096, LargeBytes = 16 * PageBytes;

ConstantSet::~ConstantSet() {
  delete[] Buffers;
  delete[] Inputs;
}

ConstantCache::~ConstantCache() {
  ConstantSet *Next = First.load(std::memory_order_relaxed);
  while (ConstantSet *Set = Next) {
    Next = Set->Next;
    releaseBuffers(*Set);
    delete Set;
  }
}

bool ConstantCache::allocateBlock(ConstantSet &Set) {
  uint64_t Alignment = effectiveAlignment(Module.arena_alignment);
  // Room for a buffer of this many bytes. Those that are large begin, and end,
  // with a page.
  auto RoundUp = [&](uint64_t Size) {
    uint64_t Unit =
        Size < LargeBytes ? Alignment : std::max(Alignment, PageBytes);
    return (std::max<uint64_t>(Size, 1) + Unit - 1) & ~(Unit - 1);
  };
  uint64_t Total = 0, Sum = 0;
  for (uint32_t I = 0; I < Module.num_folded; ++I) {
    if (Module.folded_bytes[I] > INT64_MAX / 2 - Total)
      return false;
    Total += RoundUp(Module.folded_bytes[I]);
    Sum += Module.folded_bytes[I];
  }
  Set.Block = allocate(Total, std::max(Alignment, PageBytes));
  if (!Set.Block)
    return false;
  // The large ones come first.
  char *Next = static_cast<char *>(Set.Block);
  for (bool IsLarge : {true, false})
    for (uint32_t I = 0; I < Module.num_folded; ++I)
      if ((Module.folded_bytes[I] >= LargeBytes) == IsLarge) {
        Set.Buffers[I] = Next;
        Next += RoundUp(Module.folded_bytes[I]);
      }
  Bytes.fetch_add(Sum, std::memory_order_relaxed);
  return true;
}

bool ConstantCache::allocateBuffers(ConstantSet &Set) {
  if (!Pool)
    return Set.Block || allocateBlock(Set);
  uint64_t Alignment = effectiveAlignment(Module.arena_alignment);
  for (uint32_t I = 0; I < Module.num_folded; ++I) {
    if (Set.Buffers[I])
      continue;
    Set.Buffers[I] = allocate(Module.folded_bytes[I], Alignment);
    if (!Set.Buffers[I]) {
      releaseBuffers(Set);
      return false;
    }
    // Gaps that no fold writes are compared in the pool as well.
    std::memset(Set.Buffers[I], 0, Module.folded_bytes[I]);
    Bytes.fetch_add(Module.folded_bytes[I], std::memory_order_relaxed);
  }
  return true;
}

void ConstantCache::releaseBuffers(ConstantSet &Set) {
  for (uint32_t I = 0; I < Module.num_folded; ++I) {
    if (!Set.Buffers[I])
      continue;
    if (Set.IsPooled)
      Pool->drop(Set.Buffers[I]);
    else if (!Set.Block)
      deallocate(Set.Buffers[I]);
    Set.Buffers[I] = nullptr;
    Bytes.fetch_sub(Module.folded_bytes[I], std::memory_order_relaxed);
  }
  deallocate(Set.Block);
  Set.Block = nullptr;
  Set.IsPooled = false;
}

void ConstantCache::finish(ConstantSet *Set) {
  if (!Pool)
    return;
  // The set is pinned and not published: others only look whether it has
  // buffers.
  std::unique_ptr<void *[]> Kept(new (std::nothrow) void *[Module.num_folded]);
  if (!Kept)
    return;
  std::copy_n(Set->Buffers, Module.num_folded, Kept.get());
  if (!Pool->add(Kept.get(), Module.folded_bytes, Module.num_folded,
                 effectiveAlignment(Module.arena_alignment)))
    return;
  std::lock_guard<std::mutex> Lock(Sets);
  std::copy_n(Kept.get(), Module.num_folded, Set->Buffers);
  Set->IsPooled = true;
}

/// The count orders this: whoever enters after the last one has left finds the
/// set that is published by then.
void ConstantCache::leaveFold() {
  if (Folds.fetch_sub(1, std::memory_order_acq_rel) != 1 ||
      !IsComplete.load(std::memory_order_acquire))
    return;
  if (auto *Call = Done.exchange(nullptr, std::memory_order_acq_rel))
    Call(Context);
}

void ConstantCache::retractAll() {
  if (isForGood())
    return;
  std::lock_guard<std::mutex> Lock(Sets);
  Invalidated = Starts;
  for (ConstantSet *Set = First.load(std::memory_order_relaxed); Set;
       Set = Set->Next)
    Set->Tag.store(0, std::memory_order_seq_cst);
}

template <typename Fn>
void ConstantCache::visitReplaced(int64_t Version, void *const *Inputs,
                                  Fn Visit) {
  uint64_t Tag = static_cast<uint64_t>(Version) + 1;
  for (ConstantSet *Set = First.load(std::memory_order_relaxed); Set;
       Set = Set->Next)
    if (Set->Tag.load(std::memory_order_relaxed) == Tag &&
        (Version == 0 ||
         std::equal(Inputs, Inputs + Module.num_fold_inputs, Set->Inputs)))
      Visit(*Set);
}

uint64_t ConstantCache::begin(int64_t Version, void *const *Inputs,
                              bool Shared) {
  std::lock_guard<std::mutex> Lock(Sets);
  if (Shared && !isForGood())
    visitReplaced(Version, Inputs, [](ConstantSet &Set) {
      Set.Tag.store(0, std::memory_order_seq_cst);
    });
  return ++Starts;
}

ConstantSet *ConstantCache::oldestPublished(int64_t &Published) const {
  ConstantSet *Oldest = nullptr;
  Published = 0;
  for (ConstantSet *Set = First.load(std::memory_order_relaxed); Set;
       Set = Set->Next) {
    if (!Set->isPublished())
      continue;
    ++Published;
    if (!Oldest || Set->LastUse.load(std::memory_order_relaxed) <
                       Oldest->LastUse.load(std::memory_order_relaxed))
      Oldest = Set;
  }
  return Oldest;
}

ConstantSet *ConstantCache::writable(bool MakesRoom) {
  std::lock_guard<std::mutex> Lock(Sets);
  if (MakesRoom)
    retractDownTo(Capacity - 1);
  // One that still has its buffers is better than one without.
  ConstantSet *Found = nullptr;
  for (ConstantSet *Set = First.load(std::memory_order_relaxed); Set;
       Set = Set->Next)
    if (!Set->isPublished() &&
        Set->Users.load(std::memory_order_seq_cst) == 0 &&
        (!Found || !Found->Buffers[0]))
      Found = Set;
  if (Found) {
    // Others read what is in the pool.
    if (Found->IsPooled)
      releaseBuffers(*Found);
    if (!allocateBuffers(*Found))
      return nullptr;
    Found->Users.fetch_add(1, std::memory_order_seq_cst);
    return Found;
  }

  std::unique_ptr<ConstantSet> Set(new (std::nothrow) ConstantSet);
  if (!Set)
    return nullptr;
  Set->Inputs =
      new (std::nothrow) const void *[uint64_t(Module.num_fold_inputs) + 1]();
  Set->Buffers = new (std::nothrow) void *[uint64_t(Module.num_folded) + 1]();
  if (!Set->Inputs || !Set->Buffers || !allocateBuffers(*Set))
    return nullptr;
  Set->Users.store(1, std::memory_order_relaxed);
  Set->Next = First.load(std::memory_order_relaxed);
  First.store(Set.get(), std::memory_order_release);
  return Set.release();
}

void ConstantCache::retractDownTo(int64_t Count) {
  if (isForGood())
    return;
  int64_t Published;
  while (ConstantSet *Oldest = oldestPublished(Published)) {
    if (Published <= Count)
      break;
    Oldest->Tag.store(0, std::memory_order_seq_cst);
  }
}

void ConstantCache::publish(ConstantSet *Set, int64_t Version,
                            void *const *Inputs, uint64_t Start) {
  std::lock_guard<std::mutex> Lock(Sets);
  bool IsLatest = isForGood() ? !IsComplete.load(std::memory_order_relaxed)
                              : Start > Invalidated;
  visitReplaced(Version, Inputs,
                [&](ConstantSet &Other) { IsLatest &= Other.Start < Start; });
  if (!IsLatest)
    return;
  visitReplaced(Version, Inputs, [](ConstantSet &Other) {
    Other.Tag.store(0, std::memory_order_seq_cst);
  });
  // Others may have been published since there was room.
  retractDownTo(Capacity - 1);
  Set->Start = Start;
  std::copy_n(Inputs, Module.num_fold_inputs, Set->Inputs);
  touch(Set);
  Set->Tag.store(static_cast<uint64_t>(Version) + 1, std::memory_order_seq_cst);
  IsComplete.store(isForGood(), std::memory_order_release);
  trim();
}

void ConstantCache::release(ConstantSet *Set) {
  unpin(Set);
  if (Set->isPublished())
    return;
  std::lock_guard<std::mutex> Lock(Sets);
  trim();
}

void ConstantCache::setCapacity(int64_t Count) {
  std::lock_guard<std::mutex> Lock(Sets);
  Capacity = Count;
  retractDownTo(Capacity);
  trim();
}

/// An execution that reaches a set that is no longer published sees that before
/// it looks at the buffers.
void ConstantCache::trim() {
  // No fold will write to another one.
  int64_t Most = IsComplete.load(std::memory_order_relaxed) ? 1 : Capacity;
  int64_t Held = 0;
  for (ConstantSet *Set = First.load(std::memory_order_relaxed); Set;
       Set = Set->Next)
    Held += Set->Buffers[0] != nullptr;
  for (ConstantSet *Set = First.load(std::memory_order_relaxed);
       Set && Held > Most; Set = Set->Next)
    if (Set->Buffers[0] && !Set->isPublished() &&
        Set->Users.load(std::memory_order_seq_cst) == 0) {
      releaseBuffers(*Set);
      --Held;
    }
}
