// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The language of `gc-translate --npu-to-cce`: C with the intrinsics of the
// NPU, named as the field names them, each a call of the C interface of the
// simulator (Runtime/Npu.h). A program is compiled with the host's C++
// compiler:
//
//   c++ -std=c++17 -O2 -DGC_CCE_MAIN program.cpp -lGCNpuSimulator -lpthread
//   ./a.out [--profile=gm64|gm32|l2] [--mode=values|cycles] tensor.bin...
//
// which runs it on the simulator (see Runtime/NpuCceMain.h). It differs from
// the vendor's language where this machine differs from theirs: transfers of
// any number of bytes, strides between fractals, loads from UB by name. A
// pointer holds an address of the machine, of which the buffer is a part; the
// host cannot follow it, arithmetic works as usual. Pointers' types choose data
// types.
//
// Units: blocks are 32 bytes, fractals 512 (L0C: 1024) bytes, gaps lie between
// the end of one burst and the start of the next. Errors carry the line of the
// text.

#ifndef GC_RUNTIME_NPUCCE_H
#define GC_RUNTIME_NPUCCE_H

#include "Runtime/Npu.h"
#include "Runtime/Npu/Float16.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

// What a pointer points to, and what a function is: for the reader.
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
  /// Type of what transfers add to global memory, and whether they do.
  int32_t atomicType = GC_NPU_F32;
  bool atomic = false;
  /// The image that img2col reads.
  int64_t height = 0, width = 0, padTop = 0, padLeft = 0, outWidth = 0;
};
/// Each core's program has a thread of its own.
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
inline int64_t roundUp(int64_t bytes) { return (bytes + 31) / 32 * 32; }

inline void *allocate(gc_npu_space space, int64_t offset, int64_t bytes,
                      int line) {
  gc_npu_address address =
      (static_cast<uint64_t>(space) << 60) + static_cast<uint64_t>(offset);
  return getPointer<void>(gc_npu_alloc(registers.core, line, address, bytes));
}

inline void move(void *dst, const void *src, int64_t bursts, int64_t bytes,
                 int64_t dstStride, int64_t srcStride, int line) {
  gc_npu_dma(registers.core, line, getAddress(dst), getAddress(src), bursts,
             bytes, dstStride, srcStride,
             registers.atomic ? registers.atomicType : -1);
}
inline void moveBlocks(void *dst, const void *src, int64_t bursts,
                       int64_t blocks, int64_t srcGap, int64_t dstGap,
                       int line) {
  move(dst, src, bursts, blocks * 32, (blocks + dstGap) * 32,
       (blocks + srcGap) * 32, line);
}

template <typename T>
void pack(T *dst, const T *src, int64_t rows, int64_t columns, int64_t pitch,
          int64_t dstRows, bool transpose, int line) {
  gc_npu_pack(registers.core, line, getAddress(dst), getAddress(src),
              getType<T>(), rows, columns, pitch, dstRows, transpose);
}

template <typename T>
void load2d(T *dst, const T *src, int64_t base, int64_t repeat,
            int64_t srcStride, int64_t dstStride, bool transpose, int line) {
  gc_npu_load2d(registers.core, line, getAddress(dst),
                getAddress(src) + static_cast<uint64_t>(base) * 512,
                getType<T>(), repeat, dstStride, srcStride, transpose);
}

/// Strides in the order of the C interface: target, source 0, source 1; each
/// between blocks, then between repeats.
struct Strides {
  int64_t dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8,
          src1Block = 1, src1Repeat = 8;
};

template <typename To, typename From>
void vector(gc_npu_vector_op op, To *dst, const From *src0, const From *src1,
            const void *src2, int64_t repeat, const Strides &s, double scalar,
            int line) {
  gc_npu_vector(registers.core, line, op, getAddress(dst), getAddress(src0),
                getAddress(src1), getAddress(src2), getType<To>(),
                getType<From>(), repeat, registers.maskLow, registers.maskHigh,
                s.dstBlock, s.dstRepeat, s.src0Block, s.src0Repeat, s.src1Block,
                s.src1Repeat, scalar);
}

} // namespace gc::cce

//===----------------------------------------------------------------------===//
// The front end
//===----------------------------------------------------------------------===//

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
/// Element `index` from there: `pointer + index`, but an index with which that
/// would point into another memory ends the program with an error.
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

/// What a loop costs an iteration, and a comparison.
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

/// A loop with another step would not end: the program ends with an error.
inline void check_step(int64_t step, GC_CCE_LINE) {
  gc_npu_check_step(gc::cce::registers.core, line, step);
}

/// Divisions rounded towards zero, down and up. A divisor of zero ends the
/// program with an error; -1 is taken as one where the result would overflow.
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

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

// (dst, src, sid, bursts, blocks of a burst, gap in src, gap in dst), all in
// blocks.
#define GC_CCE_COPY(name)                                                      \
  inline void name(void *dst, const void *src, int, int64_t bursts,            \
                   int64_t blocks, int64_t src_gap, int64_t dst_gap,           \
                   GC_CCE_LINE) {                                              \
    gc::cce::moveBlocks(dst, src, bursts, blocks, src_gap, dst_gap, line);     \
  }
GC_CCE_COPY(copy_gm_to_cbuf)
GC_CCE_COPY(copy_gm_to_ubuf)
GC_CCE_COPY(copy_gm_to_ca)
GC_CCE_COPY(copy_gm_to_cb)
GC_CCE_COPY(copy_cbuf_to_ubuf)
GC_CCE_COPY(copy_ubuf_to_gm)
GC_CCE_COPY(copy_ubuf_to_cbuf)
#undef GC_CCE_COPY

// The same with bursts of any number of bytes: gaps are bytes in global memory,
// blocks in a buffer, where a burst takes whole blocks, filled up with zeros.
#define GC_CCE_COPY_IN(name)                                                   \
  inline void name(void *dst, const void *src, int, int64_t bursts,            \
                   int64_t bytes, int64_t src_gap, int64_t dst_gap,            \
                   GC_CCE_LINE) {                                              \
    gc::cce::move(dst, src, bursts, bytes,                                     \
                  gc::cce::roundUp(bytes) + dst_gap * 32, bytes + src_gap,     \
                  line);                                                       \
  }
GC_CCE_COPY_IN(copy_gm_to_cbuf_align)
GC_CCE_COPY_IN(copy_gm_to_ubuf_align)
GC_CCE_COPY_IN(copy_gm_to_ca_align)
GC_CCE_COPY_IN(copy_gm_to_cb_align)
#undef GC_CCE_COPY_IN
inline void copy_ubuf_to_gm_align(void *dst, const void *src, int,
                                  int64_t bursts, int64_t bytes,
                                  int64_t src_gap, int64_t dst_gap,
                                  GC_CCE_LINE) {
  gc::cce::move(dst, src, bursts, bytes, bytes + dst_gap,
                gc::cce::roundUp(bytes) + src_gap * 32, line);
}
#define GC_CCE_COPY_LOCAL(name)                                                \
  inline void name(void *dst, const void *src, int, int64_t bursts,            \
                   int64_t bytes, int64_t src_gap, int64_t dst_gap,            \
                   GC_CCE_LINE) {                                              \
    int64_t whole = gc::cce::roundUp(bytes);                                   \
    gc::cce::move(dst, src, bursts, bytes, whole + dst_gap * 32,               \
                  whole + src_gap * 32, line);                                 \
  }
GC_CCE_COPY_LOCAL(copy_cbuf_to_ubuf_align)
GC_CCE_COPY_LOCAL(copy_ubuf_to_cbuf_align)
#undef GC_CCE_COPY_LOCAL

/// Transfers to global memory add from set_atomic_add() to set_atomic_none().
inline void set_atomic_f16() { gc::cce::registers.atomicType = GC_NPU_F16; }
inline void set_atomic_f32() { gc::cce::registers.atomicType = GC_NPU_F32; }
inline void set_atomic_s32() { gc::cce::registers.atomicType = GC_NPU_S32; }
inline void set_atomic_add() { gc::cce::registers.atomic = true; }
inline void set_atomic_none() { gc::cce::registers.atomic = false; }

// A row-major box of rows x columns, rows `pitch` elements apart, to columns of
// fractals of `dst_rows` rows; dn2nz transposes.
#define GC_CCE_PACK(name, transpose)                                           \
  template <typename T>                                                        \
  void name(T *dst, const T *src, int64_t rows, int64_t columns,               \
            int64_t pitch, int64_t dst_rows, GC_CCE_LINE) {                    \
    gc::cce::pack(dst, src, rows, columns, pitch, dst_rows, transpose, line);  \
  }
GC_CCE_PACK(copy_gm_to_cbuf_nd2nz, false)
GC_CCE_PACK(copy_gm_to_cbuf_dn2nz, true)
GC_CCE_PACK(copy_gm_to_ubuf_nd2nz, false)
GC_CCE_PACK(copy_gm_to_ubuf_dn2nz, true)
#undef GC_CCE_PACK

/// Columns of `width` elements and `src_rows` rows to a row-major box.
template <typename T>
void copy_ubuf_to_gm_nz2nd(T *dst, const T *src, int64_t rows, int64_t columns,
                           int64_t pitch, int64_t src_rows, int64_t width,
                           GC_CCE_LINE) {
  using namespace gc::cce;
  gc_npu_unpack(registers.core, line, getAddress(dst), getAddress(src),
                getType<T>(), rows, columns, pitch, src_rows, width,
                registers.atomic);
}

//===----------------------------------------------------------------------===//
// The cube unit
//===----------------------------------------------------------------------===//

/// `repeat` fractals from fractal `base` on; strides in fractals.
template <typename T>
void load_cbuf_to_ca(T *dst, const T *src, int64_t base, int64_t repeat,
                     int64_t src_stride, int64_t dst_stride, int sid,
                     bool transpose, GC_CCE_LINE) {
  (void)sid;
  gc::cce::load2d(dst, src, base, repeat, src_stride, dst_stride, transpose,
                  line);
}
template <typename T>
void load_cbuf_to_cb(T *dst, const T *src, int64_t base, int64_t repeat,
                     int64_t src_stride, int64_t dst_stride, int sid,
                     bool transpose, GC_CCE_LINE) {
  (void)sid;
  gc::cce::load2d(dst, src, base, repeat, src_stride, dst_stride, transpose,
                  line);
}

/// The image that img2col reads: its size, the zeros above and to the left of
/// it, and the width of the output.
inline void set_fmatrix(int64_t height, int64_t width, int64_t pad_top,
                        int64_t pad_left, int64_t out_width) {
  gc::cce::Registers &r = gc::cce::registers;
  r.height = height;
  r.width = width;
  r.padTop = pad_top;
  r.padLeft = pad_left;
  r.outWidth = out_width;
}
template <typename T>
void img2col_cbuf_to_ca(T *dst, const T *src, int64_t filter_h,
                        int64_t filter_w, int64_t stride_h, int64_t stride_w,
                        int64_t m_start, int64_t m_count, int64_t k_start,
                        int64_t k_count, GC_CCE_LINE) {
  using namespace gc::cce;
  const Registers &r = registers;
  gc_npu_load3d(r.core, line, getAddress(dst), getAddress(src), getType<T>(),
                r.height, r.width, filter_h, filter_w, stride_h, stride_w,
                r.padTop, r.padLeft, r.outWidth, m_start, m_count, k_start,
                k_count);
}

/// Strides in fractals; without them operands have no gaps.
template <typename C, typename T>
void mad(C *c, const T *a, const T *b, int64_t m, int64_t k, int64_t n,
         int64_t a_stride, int64_t b_stride, int64_t c_stride, bool initialise,
         GC_CCE_LINE) {
  using namespace gc::cce;
  static_assert(std::is_same_v<T, half> ? std::is_same_v<C, float>
                                        : std::is_same_v<C, int32_t>,
                "half is summed in float, int8_t in int32_t");
  gc_npu_mad(registers.core, line, getAddress(c), getAddress(a), getAddress(b),
             getType<T>(), m, k, n, a_stride, b_stride, c_stride, initialise);
}
template <typename C, typename T>
void mad(C *c, const T *a, const T *b, int64_t m, int64_t k, int64_t n,
         bool initialise, GC_CCE_LINE) {
  constexpr int64_t k0 = 32 / sizeof(T);
  mad(c, a, b, m, k, n, (k + k0 - 1) / k0, (n + 15) / 16, (m + 15) / 16,
      initialise, line);
}

template <typename To, typename From>
void copy_matrix_cc_to_ubuf(To *dst, const From *src, int sid, int64_t m,
                            int64_t n, int64_t src_stride, int64_t dst_rows,
                            int64_t width, crmode_t mode, GC_CCE_LINE) {
  using namespace gc::cce;
  (void)sid;
  gc_npu_drain(registers.core, line, getAddress(dst), getAddress(src),
               getType<From>(), getType<To>(), m, n, src_stride, dst_rows,
               width, mode == CRMODE_RELU);
}

//===----------------------------------------------------------------------===//
// The vector unit. Strides in blocks: between blocks of a repeat for each
// operand, then between repeats.
//===----------------------------------------------------------------------===//

inline void set_vector_mask(uint64_t high, uint64_t low) {
  gc::cce::registers.maskHigh = high;
  gc::cce::registers.maskLow = low;
}

#define GC_CCE_BINARY(name, op)                                                \
  template <typename To, typename T>                                           \
  void name(To *dst, const T *src0, const T *src1, int64_t repeat,             \
            int64_t dst_block, int64_t src0_block, int64_t src1_block,         \
            int64_t dst_repeat, int64_t src0_repeat, int64_t src1_repeat,      \
            GC_CCE_LINE) {                                                     \
    gc::cce::vector(op, dst, src0, src1, nullptr, repeat,                      \
                    {dst_block, dst_repeat, src0_block, src0_repeat,           \
                     src1_block, src1_repeat},                                 \
                    0, line);                                                  \
  }
GC_CCE_BINARY(vadd, GC_NPU_ADD)
GC_CCE_BINARY(vsub, GC_NPU_SUB)
GC_CCE_BINARY(vmul, GC_NPU_MUL)
GC_CCE_BINARY(vdiv, GC_NPU_DIV)
GC_CCE_BINARY(vmax, GC_NPU_MAX)
GC_CCE_BINARY(vmin, GC_NPU_MIN)
// One bit an element into dst, packed; the target has no strides.
GC_CCE_BINARY(vcmpv_eq, GC_NPU_COMPARE_EQ)
GC_CCE_BINARY(vcmpv_ne, GC_NPU_COMPARE_NE)
GC_CCE_BINARY(vcmpv_lt, GC_NPU_COMPARE_LT)
GC_CCE_BINARY(vcmpv_le, GC_NPU_COMPARE_LE)
GC_CCE_BINARY(vcmpv_gt, GC_NPU_COMPARE_GT)
GC_CCE_BINARY(vcmpv_ge, GC_NPU_COMPARE_GE)
#undef GC_CCE_BINARY

/// src0 where the bit of `bits` is set, else src1.
template <typename T>
void vsel(T *dst, const T *src0, const T *src1, const int8_t *bits,
          int64_t repeat, int64_t dst_block, int64_t src0_block,
          int64_t src1_block, int64_t dst_repeat, int64_t src0_repeat,
          int64_t src1_repeat, GC_CCE_LINE) {
  gc::cce::vector(
      GC_NPU_SELECT, dst, src0, src1, bits, repeat,
      {dst_block, dst_repeat, src0_block, src0_repeat, src1_block, src1_repeat},
      0, line);
}

#define GC_CCE_SCALAR(name, op)                                                \
  template <typename T>                                                        \
  void name(T *dst, const T *src, float scalar, int64_t repeat,                \
            int64_t dst_block, int64_t src_block, int64_t dst_repeat,          \
            int64_t src_repeat, GC_CCE_LINE) {                                 \
    gc::cce::vector(op, dst, src, (const T *)nullptr, nullptr, repeat,         \
                    {dst_block, dst_repeat, src_block, src_repeat}, scalar,    \
                    line);                                                     \
  }
GC_CCE_SCALAR(vadds, GC_NPU_ADDS)
GC_CCE_SCALAR(vmuls, GC_NPU_MULS)
#undef GC_CCE_SCALAR

#define GC_CCE_UNARY(name, op)                                                 \
  template <typename To, typename T>                                           \
  void name(To *dst, const T *src, int64_t repeat, int64_t dst_block,          \
            int64_t src_block, int64_t dst_repeat, int64_t src_repeat,         \
            GC_CCE_LINE) {                                                     \
    gc::cce::vector(op, dst, src, (const T *)nullptr, nullptr, repeat,         \
                    {dst_block, dst_repeat, src_block, src_repeat}, 0, line);  \
  }
GC_CCE_UNARY(vrelu, GC_NPU_RELU)
GC_CCE_UNARY(vabs, GC_NPU_ABS)
GC_CCE_UNARY(vexp, GC_NPU_EXP)
GC_CCE_UNARY(vln, GC_NPU_LOG)
GC_CCE_UNARY(vsqrt, GC_NPU_SQRT)
GC_CCE_UNARY(vrsqrt, GC_NPU_RSQRT)
GC_CCE_UNARY(vrec, GC_NPU_RECIPROCAL)
// From the source's type to the target's.
GC_CCE_UNARY(vconv, GC_NPU_CONVERT)
GC_CCE_UNARY(vcopy, GC_NPU_COPY)
// 16 x 16 elements of two bytes a repeat, a row in each block.
GC_CCE_UNARY(vtranspose, GC_NPU_TRANSPOSE)
// A result for each repeat, without gaps: the target has no strides.
GC_CCE_UNARY(vcadd, GC_NPU_REDUCE_SUM)
GC_CCE_UNARY(vcmax, GC_NPU_REDUCE_MAX)
GC_CCE_UNARY(vcmin, GC_NPU_REDUCE_MIN)
// A result for each block.
GC_CCE_UNARY(vcgadd, GC_NPU_GROUP_SUM)
GC_CCE_UNARY(vcgmax, GC_NPU_GROUP_MAX)
GC_CCE_UNARY(vcgmin, GC_NPU_GROUP_MIN)
#undef GC_CCE_UNARY

template <typename T>
void vector_dup(T *dst, float scalar, int64_t repeat, int64_t dst_block,
                int64_t dst_repeat, GC_CCE_LINE) {
  gc::cce::vector(GC_NPU_DUP, dst, (const T *)nullptr, (const T *)nullptr,
                  nullptr, repeat, {dst_block, dst_repeat}, scalar, line);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace gc::cce {

/// A kernel's argument in global memory.
struct Argument {
  int64_t bytes;
  bool isOutput;
};

struct Program {
  const char *name;
  /// Runs the kernel on a core, on tensors at these addresses.
  void (*run)(gc_npu_core *core, const uint64_t *addresses);
  int64_t cores;
  std::vector<Argument> arguments;
};

/// All programs of the text.
inline std::vector<Program> &getPrograms() {
  static std::vector<Program> programs;
  return programs;
}

struct Registration {
  explicit Registration(Program program) {
    getPrograms().push_back(std::move(program));
  }
};

template <typename... Pointers, size_t... indices>
void call(void (*kernel)(Pointers...), const uint64_t *addresses,
          std::index_sequence<indices...>) {
  (void)addresses;
  kernel(reinterpret_cast<Pointers>(
      static_cast<uintptr_t>(addresses[indices]))...);
}
template <typename... Pointers>
void call(void (*kernel)(Pointers...), const uint64_t *addresses) {
  call(kernel, addresses, std::index_sequence_for<Pointers...>());
}

template <auto kernel>
void launch(gc_npu_core *core, const uint64_t *addresses) {
  registers = Registers();
  registers.core = core;
  call(kernel, addresses);
}

} // namespace gc::cce

/// Names a kernel: GC_CCE_PROGRAM("name", function, cores, {bytes, is
/// output}...).
#define GC_CCE_PROGRAM(name, function, cores, ...)                             \
  static const gc::cce::Registration function##_registration(                  \
      {name, gc::cce::launch<function>, cores, {__VA_ARGS__}});

#ifdef GC_CCE_MAIN
#include "Runtime/NpuCceMain.h"
#endif

#endif // GC_RUNTIME_NPUCCE_H
