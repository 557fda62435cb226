// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Intrinsics of the front end: buffers, flags, loads of scalars, loops, scalar
// arithmetic.

#ifndef GC_SIMULATOR_CCE_FRONTEND_H
#define GC_SIMULATOR_CCE_FRONTEND_H

#include "Simulator/Cce/Core.h"

// Texts use the functions of cmath on scalars.
#include <cmath>
#include <cstring>

namespace gc::cce {

inline void *allocate(gc_npu_space space, int64_t offset, int64_t bytes,
                      int line) {
  gc_npu_address address =
      (static_cast<uint64_t>(space) << 60) + static_cast<uint64_t>(offset);
  return getPointer<void>(gc_npu_alloc(registers.core, line, address, bytes));
}

} // namespace gc::cce

/// `bytes` bytes from `offset` on hold nothing from now on. No cycles.
inline void *alloc_cbuf(int64_t offset, int64_t bytes, GC_CCE_LINE) {
  return gc::cce::allocate(GC_NPU_L1, offset, bytes, line);
}
inline void *alloc_ubuf(int64_t offset, int64_t bytes, GC_CCE_LINE) {
  return gc::cce::allocate(GC_NPU_UB, offset, bytes, line);
}
inline void *alloc_ca(int64_t offset, int64_t bytes, GC_CCE_LINE) {
  return gc::cce::allocate(GC_NPU_L0A, offset, bytes, line);
}
inline void *alloc_cb(int64_t offset, int64_t bytes, GC_CCE_LINE) {
  return gc::cce::allocate(GC_NPU_L0B, offset, bytes, line);
}
inline void *alloc_cc(int64_t offset, int64_t bytes, GC_CCE_LINE) {
  return gc::cce::allocate(GC_NPU_L0C, offset, bytes, line);
}

/// Slot `index` mod `slots` of a buffer: `elements` elements, `stride` elements
/// from one to the next. A negative index ends the program with an error.
template <typename T>
T *slot(T *buffer, int64_t index, int64_t slots, int64_t stride,
        int64_t elements, GC_CCE_LINE) {
  constexpr int64_t size = sizeof(T);
  return gc::cce::getPointer<T>(
      gc_npu_slot(gc::cce::registers.core, line, gc::cce::getAddress(buffer),
                  index, slots, stride * size, elements * size));
}
/// Element `index` from there: `pointer + index`, but an index that would point
/// into another memory ends the program with an error.
template <typename T>
T *element(T *pointer, int64_t index, GC_CCE_LINE) {
  return gc::cce::getPointer<T>(gc_npu_offset(gc::cce::registers.core, line,
                                              gc::cce::getAddress(pointer),
                                              index, sizeof(T)));
}

inline void set_flag(pipe_t from, pipe_t to, int64_t event, GC_CCE_LINE) {
  gc_npu_set_flag(gc::cce::registers.core, line, from, to, event);
}
inline void wait_flag(pipe_t from, pipe_t to, int64_t event, GC_CCE_LINE) {
  gc_npu_wait_flag(gc::cce::registers.core, line, from, to, event);
}
inline void pipe_barrier(pipe_t pipe, GC_CCE_LINE) {
  gc_npu_barrier(gc::cce::registers.core, line,
                 pipe == PIPE_ALL ? PIPE_S : pipe);
}

/// The element, on its way from UB to a register of the front end.
template <typename T>
T load_ubuf(const T *src, GC_CCE_LINE) {
  double value =
      gc_npu_load_scalar(gc::cce::registers.core, line,
                         gc::cce::getAddress(src), gc::cce::getType<T>());
  if constexpr (std::is_same_v<T, half>)
    return half(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// The cost of a loop iteration, and of a comparison.
inline void loop_iteration(GC_CCE_LINE) {
  gc_npu_iteration(gc::cce::registers.core, line);
}
inline bool compare(bool condition) {
  gc_npu_scalar(gc::cce::registers.core);
  return condition;
}

inline int64_t get_block_idx() {
  return gc_npu_core_id(gc::cce::registers.core);
}

/// A loop with any other step would not terminate: the program ends with an
/// error.
inline void check_step(int64_t step, GC_CCE_LINE) {
  gc_npu_check_step(gc::cce::registers.core, line, step);
}

/// Divisions rounded towards zero, down and up. A divisor of zero ends the
/// program with an error; -1 is treated as 1 where the result would overflow.
template <typename T>
T guard_divisor(T a, T b, int line) {
  if (b == 0)
    gc_npu_check_divisor(gc::cce::registers.core, line, 0);
  bool overflows =
      std::is_signed_v<T> && b == T(-1) && a == T(T(1) << (8 * sizeof(T) - 1));
  return overflows ? T(1) : b;
}
template <typename T>
T divide(T a, T b, GC_CCE_LINE) {
  return a / guard_divisor(a, b, line);
}
template <typename T>
T remainder_of(T a, T b, GC_CCE_LINE) {
  return a % guard_divisor(a, b, line);
}
template <typename T>
T floor_div(T a, T b, GC_CCE_LINE) {
  T quotient = divide(a, b, line), rest = remainder_of(a, b, line);
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}
template <typename T>
T ceil_div(T a, T b, GC_CCE_LINE) {
  T quotient = divide(a, b, line), rest = remainder_of(a, b, line);
  return rest != 0 && (rest < 0) == (b < 0) ? quotient + 1 : quotient;
}
/// Never negative for a positive divisor.
template <typename T>
T floor_mod(T a, T b, GC_CCE_LINE) {
  T rest = remainder_of(a, b, line);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
/// The same bits as another type.
template <typename To, typename From>
To bit_cast_to(From value) {
  static_assert(sizeof(To) == sizeof(From), "the sizes are equal");
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

#endif // GC_SIMULATOR_CCE_FRONTEND_H
