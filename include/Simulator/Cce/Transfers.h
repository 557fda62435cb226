// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Intrinsics of MTE1, MTE2 and MTE3.

#ifndef GC_SIMULATOR_CCE_TRANSFERS_H
#define GC_SIMULATOR_CCE_TRANSFERS_H

#include "Simulator/Cce/Core.h"

namespace gc::cce {

inline int64_t roundUp(int64_t bytes) { return (bytes + 31) / 32 * 32; }

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
          int64_t dstRows, int64_t paddedRows, int64_t blocks, bool transpose,
          int line) {
  gc_npu_pack(registers.core, line, getAddress(dst), getAddress(src),
              getType<T>(), rows, columns, pitch, dstRows, paddedRows, blocks,
              transpose);
}

} // namespace gc::cce

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
// blocks in a buffer, where a burst takes whole blocks, padded with zeros.
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
// fractals, dst_rows rows apart: `blocks` of padded_rows rows each, with zeros
// beside the box; dn2nz transposes.
#define GC_CCE_PACK(name, transpose)                                           \
  template <typename T>                                                        \
  void name(T *dst, const T *src, int64_t rows, int64_t columns,               \
            int64_t pitch, int64_t dst_rows, int64_t padded_rows,              \
            int64_t blocks, GC_CCE_LINE) {                                     \
    gc::cce::pack(dst, src, rows, columns, pitch, dst_rows, padded_rows,       \
                  blocks, transpose, line);                                    \
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

#endif // GC_SIMULATOR_CCE_TRANSFERS_H
