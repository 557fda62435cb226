// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/SharedConstants.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gc;

/// Code relies on the alignment that its constants have, up to this one.
static uint64_t getAlignment(StringRef bytes) {
  auto address = reinterpret_cast<uintptr_t>(bytes.data());
  return std::min<uint64_t>(address & -address, 64);
}

SharedConstants::SharedConstants() : folded(gc_constant_pool_create()) {}

SharedConstants::~SharedConstants() { gc_constant_pool_destroy(folded); }

std::vector<NamedData>
SharedConstants::share(std::vector<NamedData> constants) {
  for (NamedData &constant : constants) {
    uint64_t hash = xxh3_64bits(constant.bytes);
    std::lock_guard<std::mutex> lock(mutex);
    auto [first, end] = known.equal_range(hash);
    bool isKnown = false;
    for (auto it = first; it != end && !isKnown;) {
      std::shared_ptr<const void> owner = it->second.owner.lock();
      StringRef bytes = it->second.bytes;
      isKnown =
          owner && getAlignment(bytes) >= getAlignment(constant.bytes) &&
          (bytes.data() == constant.bytes.data() || bytes == constant.bytes);
      if (isKnown) {
        constant.bytes = bytes;
        constant.owner = owner;
      }
      it = owner ? std::next(it) : known.erase(it);
    }
    if (!isKnown)
      known.emplace(hash, Known{constant.bytes, constant.owner});
  }
  return constants;
}

int64_t SharedConstants::getBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t sum = 0;
  for (const auto &[hash, data] : known)
    if (!data.owner.expired())
      sum += data.bytes.size();
  return sum;
}

int64_t SharedConstants::getFoldedBytes() const {
  return folded ? gc_constant_pool_bytes(folded) : 0;
}
