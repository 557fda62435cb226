// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Intrinsics of the cube unit and of the way to it and from it.

#ifndef GC_SIMULATOR_CCE_CUBE_H
#define GC_SIMULATOR_CCE_CUBE_H

#include "Simulator/Cce/Core.h"

namespace gc::cce {

template <typename T>
void load2d(T *dst, const T *src, int64_t base, int64_t repeat,
            int64_t srcStride, int64_t dstStride, bool transpose, int line) {
  gc_npu_load2d(registers.core, line, getAddress(dst),
                getAddress(src) + static_cast<uint64_t>(base) * 512,
                getType<T>(), repeat, dstStride, srcStride, transpose);
}

} // namespace gc::cce

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

#endif // GC_SIMULATOR_CCE_CUBE_H
