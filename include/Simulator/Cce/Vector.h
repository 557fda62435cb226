// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Intrinsics of the vector unit. Strides in blocks: between blocks of a repeat
// for each operand, then between repeats.

#ifndef GC_SIMULATOR_CCE_VECTOR_H
#define GC_SIMULATOR_CCE_VECTOR_H

#include "Simulator/Cce/Core.h"

namespace gc::cce {

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
// One bit per element into dst, packed; the target has no strides.
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
// 16 x 16 elements of two bytes per repeat, a row in each block.
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

#endif // GC_SIMULATOR_CCE_VECTOR_H
