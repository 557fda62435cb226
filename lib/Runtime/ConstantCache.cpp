// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantCache.h"

#include "Memory.h"

#include <algorithm>
#include <memory>
#include <new>

using namespace gc::runtime;

// Buffers ends with a null pointer, and so does a list cut short by a failed
// allocation.
ConstantSet::~ConstantSet() {
  if (Buffers)
    for (void **Buffer = Buffers; *Buffer; ++Buffer)
      deallocate(*Buffer);
  delete[] Buffers;
  delete[] Inputs;
}

ConstantCache::~ConstantCache() {
  while (ConstantSet *Set = First) {
    First = Set->Next;
    delete Set;
  }
}

ConstantSet *ConstantCache::create() const {
  std::unique_ptr<ConstantSet> Set(new (std::nothrow) ConstantSet);
  if (!Set)
    return nullptr;
  Set->Inputs = new (std::nothrow) const void *[Module.num_fold_inputs + 1]();
  Set->Buffers = new (std::nothrow) void *[Module.num_folded + 1]();
  if (!Set->Inputs || !Set->Buffers)
    return nullptr;
  uint64_t Alignment = effectiveAlignment(Module.arena_alignment);
  for (uint32_t I = 0; I < Module.num_folded; ++I) {
    Set->Buffers[I] = allocate(Module.folded_bytes[I], Alignment);
    if (!Set->Buffers[I])
      return nullptr;
  }
  return Set.release();
}

ConstantSet *ConstantCache::writable() {
  for (ConstantSet *Set = First; Set; Set = Set->Next)
    if (Set->Users.load(std::memory_order_seq_cst) == 0)
      return Set;
  ConstantSet *Set = create();
  if (Set) {
    Set->Next = First;
    First = Set;
  }
  return Set;
}

void ConstantCache::publish(ConstantSet *Set, void *const *Inputs) {
  std::copy_n(Inputs, Module.num_fold_inputs, Set->Inputs);
  Set->Users.fetch_add(1, std::memory_order_relaxed);
  Current.store(Set, std::memory_order_seq_cst);
}
