// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one execution needs besides the caller's pointers: an argument array and
// an arena. Kept between executions, so that a warm execution allocates
// nothing.

#ifndef GC_LIB_RUNTIME_FRAMEPOOL_H
#define GC_LIB_RUNTIME_FRAMEPOOL_H

#include <atomic>
#include <cstdint>

namespace gc::runtime {

struct Frame {
  void **Args = nullptr;
  void *Arena = nullptr;
  uint64_t ArenaBytes = 0;

  /// Makes the arena at least that large; false when memory is short.
  bool reserve(uint64_t Bytes, uint64_t Alignment);
  ~Frame();
};

/// A few idle frames, taken and returned with single atomic exchanges. Frames
/// are created and freed only when more host threads than slots execute at the
/// same time.
class FramePool {
public:
  explicit FramePool(uint64_t NumArgs) : NumArgs(NumArgs) {}
  ~FramePool();

  /// nullptr when memory is short.
  Frame *take();
  void give(Frame *F);

private:
  static constexpr int NumSlots = 16;
  const uint64_t NumArgs;
  std::atomic<Frame *> Slots[NumSlots] = {};
};

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_FRAMEPOOL_H
