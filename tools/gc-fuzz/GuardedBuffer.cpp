// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GuardedBuffer.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace gc::fuzz {

static constexpr uint8_t kPattern = 0xA5;

GuardedBuffer::GuardedBuffer(size_t bytes, size_t alignment,
                             Placement placement, uint8_t fill)
    : pageBytes(sysconf(_SC_PAGESIZE)), bytes(bytes) {
  size_t inner = (bytes + pageBytes - 1) / pageBytes * pageBytes;
  size_t total = inner + 2 * pageBytes;
  void *memory =
      mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  pages = static_cast<uint8_t *>(memory);
  mapped = total;
  uint8_t *first = pages + pageBytes;
  if (inner && mprotect(first, inner, PROT_READ | PROT_WRITE) != 0)
    return;
  std::memset(first, kPattern, inner);
  size_t offset = 0;
  if (placement == Placement::end)
    offset = (inner - bytes) / alignment * alignment;
  data = first + offset;
  std::memset(data, fill, bytes);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other)
    : pages(std::exchange(other.pages, nullptr)), mapped(other.mapped),
      pageBytes(other.pageBytes), bytes(other.bytes), data(other.data) {}

GuardedBuffer::~GuardedBuffer() {
  if (pages)
    munmap(pages, mapped);
}

bool GuardedBuffer::isIntact() const {
  const uint8_t *first = pages + pageBytes, *last = pages + mapped - pageBytes;
  for (const uint8_t *at = first; at < data; ++at)
    if (*at != kPattern)
      return false;
  for (const uint8_t *at = data + bytes; at < last; ++at)
    if (*at != kPattern)
      return false;
  return true;
}

} // namespace gc::fuzz
