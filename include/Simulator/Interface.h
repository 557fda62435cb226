/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The functions that an NPU program calls, one for each instruction: compiled
 * programs, and C text through a header that maps its intrinsics onto these.
 * Simulator/Simulator.h runs such programs; NpuModel/Instruction.h says exactly
 * what each instruction means.
 *
 * `location` is a number that errors carry back: the source location of the
 * call. An address is one number: space in bits 60 to 63, tensor in bits 44 to
 * 59 (global memory only), to which a byte offset is added, so that adding
 * bytes to an address adds to the offset. Addresses that gc_npu_alloc and
 * gc_npu_slot give also say which buffer they belong to; what an instruction
 * touches through them must be within that buffer.
 *
 * After an error the calls do nothing; loads and core ids are still answered.
 * Where a program cannot continue (gc_npu_check_..., gc_npu_slot,
 * gc_npu_offset), it is abandoned without unwinding. In cycles-only mode loads
 * give 0: programs whose addresses, trip counts or branches depend on a load
 * must be rejected before they run. */

#ifndef GC_SIMULATOR_INTERFACE_H
#define GC_SIMULATOR_INTERFACE_H

#include <stdint.h>

#if defined(__GNUC__)
#define GC_NPU_API __attribute__((visibility("default")))
#else
#define GC_NPU_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gc_npu_core gc_npu_core;
typedef uint64_t gc_npu_address;

typedef enum gc_npu_space {
  GC_NPU_GM = 0,
  GC_NPU_L1 = 1,
  GC_NPU_UB = 2,
  GC_NPU_L0A = 3,
  GC_NPU_L0B = 4,
  GC_NPU_L0C = 5
} gc_npu_space;

typedef enum gc_npu_pipe {
  GC_NPU_S = 0,
  GC_NPU_V = 1,
  GC_NPU_M = 2,
  GC_NPU_MTE1 = 3,
  GC_NPU_MTE2 = 4,
  GC_NPU_MTE3 = 5
} gc_npu_pipe;

typedef enum gc_npu_type {
  GC_NPU_F16 = 0,
  GC_NPU_F32 = 1,
  GC_NPU_S8 = 2,
  GC_NPU_S32 = 3
} gc_npu_type;

typedef enum gc_npu_vector_op {
  GC_NPU_ADD = 0,
  GC_NPU_SUB,
  GC_NPU_MUL,
  GC_NPU_DIV,
  GC_NPU_MAX,
  GC_NPU_MIN,
  GC_NPU_COMPARE_EQ,
  GC_NPU_COMPARE_NE,
  GC_NPU_COMPARE_LT,
  GC_NPU_COMPARE_LE,
  GC_NPU_COMPARE_GT,
  GC_NPU_COMPARE_GE,
  GC_NPU_ADDS,
  GC_NPU_MULS,
  GC_NPU_RELU,
  GC_NPU_ABS,
  GC_NPU_EXP,
  GC_NPU_LOG,
  GC_NPU_SQRT,
  GC_NPU_RSQRT,
  GC_NPU_RECIPROCAL,
  GC_NPU_SELECT,
  GC_NPU_CONVERT,
  GC_NPU_DUP,
  GC_NPU_COPY,
  GC_NPU_TRANSPOSE,
  GC_NPU_REDUCE_SUM,
  GC_NPU_REDUCE_MAX,
  GC_NPU_REDUCE_MIN,
  GC_NPU_GROUP_SUM,
  GC_NPU_GROUP_MAX,
  GC_NPU_GROUP_MIN
} gc_npu_vector_op;

/* The buffer holds nothing from here on, in program order. No cycles. Returns
 * the buffer's address; a program has at most 65535 different ones. */
GC_NPU_API gc_npu_address gc_npu_alloc(gc_npu_core *core, int32_t location,
                                       gc_npu_address address, int64_t bytes);

/* Slot `index` mod `slots` of a buffer: `bytes` bytes, `stride` bytes from one
 * to the next. A negative index is an error. No cycles. */
GC_NPU_API gc_npu_address gc_npu_slot(gc_npu_core *core, int32_t location,
                                      gc_npu_address buffer, int64_t index,
                                      int64_t slots, int64_t stride,
                                      int64_t bytes);

/* The address `elements` elements past another, for numbers that may be too
 * large or too small for any buffer, which is then an error. No cycles. */
GC_NPU_API gc_npu_address gc_npu_offset(gc_npu_core *core, int32_t location,
                                        gc_npu_address address,
                                        int64_t elements,
                                        int64_t element_bytes);

/* Runs of burst_bytes; strides in bytes between their starts. accumulate_type:
 * a gc_npu_type to add to global memory, else -1. */
GC_NPU_API void gc_npu_dma(gc_npu_core *core, int32_t location,
                           gc_npu_address dst, gc_npu_address src,
                           int64_t bursts, int64_t burst_bytes,
                           int64_t dst_stride, int64_t src_stride,
                           int32_t accumulate_type);

/* Box in global memory to fractal columns in L1 or UB: `blocks` blocks,
 * dst_rows rows apart, of padded_rows rows each, with zeros beside the box;
 * pitch in elements. */
GC_NPU_API void gc_npu_pack(gc_npu_core *core, int32_t location,
                            gc_npu_address dst, gc_npu_address src,
                            int32_t type, int64_t rows, int64_t columns,
                            int64_t pitch, int64_t dst_rows,
                            int64_t padded_rows, int64_t blocks,
                            int32_t transpose);

/* Blocks of `width` columns in UB to a box in global memory. */
GC_NPU_API void gc_npu_unpack(gc_npu_core *core, int32_t location,
                              gc_npu_address dst, gc_npu_address src,
                              int32_t type, int64_t rows, int64_t columns,
                              int64_t pitch, int64_t src_rows, int64_t width,
                              int32_t accumulate);

/* Fractals of 512 bytes, L1 to L0A or L0B; strides in fractals. */
GC_NPU_API void gc_npu_load2d(gc_npu_core *core, int32_t location,
                              gc_npu_address dst, gc_npu_address src,
                              int32_t type, int64_t fractals,
                              int64_t dst_stride, int64_t src_stride,
                              int32_t transpose);

/* img2col, L1 to L0A. */
GC_NPU_API void
gc_npu_load3d(gc_npu_core *core, int32_t location, gc_npu_address dst,
              gc_npu_address src, int32_t type, int64_t height, int64_t width,
              int64_t kernel_h, int64_t kernel_w, int64_t stride_h,
              int64_t stride_w, int64_t pad_top, int64_t pad_left,
              int64_t out_width, int64_t m_start, int64_t m_count,
              int64_t k_start, int64_t k_count);

/* C (+)= A B; strides in fractals. */
GC_NPU_API void gc_npu_mad(gc_npu_core *core, int32_t location,
                           gc_npu_address c, gc_npu_address a, gc_npu_address b,
                           int32_t type, int64_t m, int64_t k, int64_t n,
                           int64_t a_stride, int64_t b_stride, int64_t c_stride,
                           int32_t initialise);

/* L0C to UB with cast and ReLU. */
GC_NPU_API void gc_npu_drain(gc_npu_core *core, int32_t location,
                             gc_npu_address dst, gc_npu_address src,
                             int32_t src_type, int32_t dst_type, int64_t m,
                             int64_t n, int64_t src_stride, int64_t dst_rows,
                             int64_t width, int32_t relu);

/* Strides in blocks of 32 bytes. */
GC_NPU_API void gc_npu_vector(gc_npu_core *core, int32_t location, int32_t op,
                              gc_npu_address dst, gc_npu_address src0,
                              gc_npu_address src1, gc_npu_address src2,
                              int32_t dst_type, int32_t src_type,
                              int64_t repeat, uint64_t mask_low,
                              uint64_t mask_high, int64_t dst_block,
                              int64_t dst_repeat, int64_t src0_block,
                              int64_t src0_repeat, int64_t src1_block,
                              int64_t src1_repeat, double scalar);

/* Flags from one pipe to another: set in `from`, waited for in `to`. */
GC_NPU_API void gc_npu_set_flag(gc_npu_core *core, int32_t location,
                                int32_t from, int32_t to, int64_t event);
GC_NPU_API void gc_npu_wait_flag(gc_npu_core *core, int32_t location,
                                 int32_t from, int32_t to, int64_t event);
/* Waits until everything that `pipe` did is visible; S: all pipes, and the
 * front end waits.
 */
GC_NPU_API void gc_npu_barrier(gc_npu_core *core, int32_t location,
                               int32_t pipe);

/* An element of UB to a register. */
GC_NPU_API double gc_npu_load_scalar(gc_npu_core *core, int32_t location,
                                     gc_npu_address address, int32_t type);

/* A loop iteration; a scalar load or compare that does not touch UB. */
GC_NPU_API void gc_npu_iteration(gc_npu_core *core, int32_t location);
GC_NPU_API void gc_npu_scalar(gc_npu_core *core);

/* Before a division: an error if the divisor is zero. Before a loop: an error
 * unless the step is positive. No cycles. */
GC_NPU_API void gc_npu_check_divisor(gc_npu_core *core, int32_t location,
                                     int64_t divisor);
GC_NPU_API void gc_npu_check_step(gc_npu_core *core, int32_t location,
                                  int64_t step);

GC_NPU_API int64_t gc_npu_core_id(gc_npu_core *core);

#ifdef __cplusplus
}
#endif

#endif /* GC_SIMULATOR_INTERFACE_H */
