// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantPool.h"

#include "Memory.h"

#include <cstring>
#include <functional>
#include <new>
#include <string_view>

using namespace gc::runtime;

/// Equal hashes only make contents worth comparing.
static uint64_t hashBytes(const void *Data, uint64_t Bytes) {
  return std::hash<std::string_view>()(
      {static_cast<const char *>(Data), Bytes});
}

ConstantPool::~ConstantPool() {
  for (const Entry &E : Entries)
    deallocate(E.Data);
}

bool ConstantPool::add(void **Buffers, const uint64_t *Bytes, uint32_t Count,
                       uint64_t Alignment) {
  std::vector<uint64_t> Hashes;
  try {
    Hashes.reserve(Count);
  } catch (const std::bad_alloc &) {
    return false;
  }
  for (uint32_t I = 0; I < Count; ++I)
    Hashes.push_back(hashBytes(Buffers[I], Bytes[I]));

  std::lock_guard<std::mutex> Lock(Mutex);
  try {
    Entries.reserve(Entries.size() + Count);
  } catch (const std::bad_alloc &) {
    return false;
  }
  for (uint32_t I = 0; I < Count; ++I) {
    Entry *Same = nullptr;
    for (Entry &E : Entries)
      if (E.Hash == Hashes[I] && E.Bytes == Bytes[I] &&
          reinterpret_cast<uintptr_t>(E.Data) % Alignment == 0 &&
          std::memcmp(E.Data, Buffers[I], Bytes[I]) == 0)
        Same = &E;
    if (!Same) {
      Entries.push_back({Hashes[I], Bytes[I], Buffers[I], 1});
      continue;
    }
    ++Same->Users;
    deallocate(Buffers[I]);
    Buffers[I] = Same->Data;
  }
  return true;
}

void ConstantPool::drop(void *Buffer) {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (Entry &E : Entries) {
    if (E.Data != Buffer)
      continue;
    if (--E.Users == 0) {
      deallocate(E.Data);
      E = Entries.back();
      Entries.pop_back();
    }
    return;
  }
}

uint64_t ConstantPool::bytes() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t Sum = 0;
  for (const Entry &E : Entries)
    Sum += E.Bytes;
  return Sum;
}
