// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all intrinsics of Simulator/Cce.h share: types, registers, pointers.

#ifndef GC_SIMULATOR_CCE_CORE_H
#define GC_SIMULATOR_CCE_CORE_H

#include "NpuModel/Float16.h"
#include "Simulator/Interface.h"

#include <cstdint>
#include <type_traits>

// Where a pointer points, and what kind of function it is: only for the reader.
#define __gm__
#define __cbuf__
#define __ubuf__
#define __ca__
#define __cb__
#define __cc__
#define __aicore__
#define __global__

/// A number of 16 bits. Arithmetic is that of float, rounded when it is stored.
struct half {
  uint16_t bits;

  half() = default;
  half(float value) : bits(gc::npu::toHalf(value)) {}
  operator float() const { return gc::npu::toFloat(bits); }
};

enum pipe_t {
  PIPE_S = GC_NPU_S,
  PIPE_V = GC_NPU_V,
  PIPE_M = GC_NPU_M,
  PIPE_MTE1 = GC_NPU_MTE1,
  PIPE_MTE2 = GC_NPU_MTE2,
  PIPE_MTE3 = GC_NPU_MTE3,
  PIPE_ALL
};

enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3 };

/// What a move out of L0C does to numbers besides converting them to the
/// target's type.
enum crmode_t { CRMODE_NONE, CRMODE_RELU };

#define GC_CCE_LINE int line = __builtin_LINE()

namespace gc::cce {

/// Registers of a core that intrinsics use.
struct Registers {
  gc_npu_core *core = nullptr;
  uint64_t maskLow = ~uint64_t(0), maskHigh = ~uint64_t(0);
  /// The type that transfers to global memory add in, and whether they add.
  int32_t atomicType = GC_NPU_F32;
  bool atomic = false;
  /// The image that img2col reads.
  int64_t height = 0, width = 0, padTop = 0, padLeft = 0, outWidth = 0;
};
/// Each core's program has its own thread.
inline thread_local Registers registers;

template <typename T>
constexpr int32_t getType() {
  using Element = std::remove_cv_t<T>;
  static_assert(
      std::is_same_v<Element, half> || std::is_same_v<Element, float> ||
          std::is_same_v<Element, int8_t> || std::is_same_v<Element, int32_t>,
      "the machine has half, float, int8_t and int32_t");
  return std::is_same_v<Element, half>     ? GC_NPU_F16
         : std::is_same_v<Element, float>  ? GC_NPU_F32
         : std::is_same_v<Element, int8_t> ? GC_NPU_S8
                                           : GC_NPU_S32;
}

inline gc_npu_address getAddress(const void *pointer) {
  return static_cast<gc_npu_address>(reinterpret_cast<uintptr_t>(pointer));
}
template <typename T>
T *getPointer(gc_npu_address address) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(address));
}

} // namespace gc::cce

#endif // GC_SIMULATOR_CCE_CORE_H
