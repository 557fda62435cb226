// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/SharedConstants.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gc;

SharedConstants::SharedConstants() : folded(gc_constant_pool_create()) {}

SharedConstants::~SharedConstants() { gc_constant_pool_destroy(folded); }

std::vector<NamedData>
SharedConstants::share(std::vector<std::unique_ptr<MemoryBuffer>> constants) {
  std::vector<NamedData> shared;
  for (std::unique_ptr<MemoryBuffer> &constant : constants) {
    StringRef bytes = constant->getBuffer();
    uint64_t hash = xxh3_64bits(bytes);
    NamedData named{constant->getBufferIdentifier().str(), nullptr};
    std::lock_guard<std::mutex> lock(mutex);
    auto [first, end] = known.equal_range(hash);
    for (auto it = first; it != end && !named.data;) {
      std::shared_ptr<const MemoryBuffer> other = it->second.lock();
      if (other && other->getBuffer() == bytes)
        named.data = std::move(other);
      it = other || named.data ? std::next(it) : known.erase(it);
    }
    if (!named.data) {
      named.data = std::move(constant);
      known.emplace(hash, named.data);
    }
    shared.push_back(std::move(named));
  }
  return shared;
}

int64_t SharedConstants::getBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t sum = 0;
  for (const auto &[hash, data] : known)
    if (std::shared_ptr<const MemoryBuffer> buffer = data.lock())
      sum += buffer->getBufferSize();
  return sum;
}

int64_t SharedConstants::getFoldedBytes() const {
  return folded ? gc_constant_pool_bytes(folded) : 0;
}
