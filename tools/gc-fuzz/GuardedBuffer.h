// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers next to pages that must not be touched: compiled code that reads or
// writes one byte past a tensor faults.

#ifndef GC_TOOLS_GC_FUZZ_GUARDEDBUFFER_H
#define GC_TOOLS_GC_FUZZ_GUARDEDBUFFER_H

#include <cstddef>
#include <cstdint>

namespace gc::fuzz {

/// Where in its pages a buffer is: it ends at a guard page, or it begins after
/// one and the rest of its last page holds a pattern.
enum class Placement { end, begin };

class GuardedBuffer {
public:
  /// `bytes` filled with `fill`; the address is a multiple of `alignment` and,
  /// at the end of a page, of no more than the size asks for.
  GuardedBuffer(size_t bytes, size_t alignment, Placement placement,
                uint8_t fill);
  GuardedBuffer(GuardedBuffer &&other);
  ~GuardedBuffer();

  /// Null when memory ran out.
  void *getData() const { return data; }
  size_t getBytes() const { return bytes; }
  /// Whether the bytes around the buffer, up to the guard pages, are unchanged.
  bool isIntact() const;

private:
  uint8_t *pages = nullptr;
  size_t mapped = 0, pageBytes = 0, bytes = 0;
  uint8_t *data = nullptr;
};

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_GUARDEDBUFFER_H
