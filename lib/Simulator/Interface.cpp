// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C interface that programs call: builds instructions and feeds them.

#include "Simulator/Interface.h"
#include "Feed.h"

using namespace gc::npu;

namespace {
/// Invalid numbers stay invalid when they become enumerators.
template <typename T>
T toEnum(int32_t value) {
  return static_cast<T>(value < 0 || value > 254 ? 255 : value);
}

/// The next instruction of a core, passed on when this goes out of scope. Null
/// after an error.
class Next {
public:
  Next(gc_npu_core *core, int32_t location, Opcode opcode)
      : feed(*core->feed), entry(feed.begin()) {
    if (!entry)
      return;
    entry->instruction = Instruction(opcode);
    entry->instruction.location = location;
  }
  ~Next() {
    if (entry)
      feed.commit();
  }
  explicit operator bool() const { return entry; }
  Instruction *operator->() const { return &entry->instruction; }

private:
  Feed &feed;
  Entry *entry;
};
} // namespace

gc_npu_address gc_npu_alloc(gc_npu_core *core, int32_t location,
                            gc_npu_address address, int64_t bytes) {
  if (Next in{core, location, Opcode::alloc}) {
    in->dst = Address(address);
    in->alloc = {bytes};
  } else {
    return address;
  }
  return core->feed->nameBuffer(Address(address), bytes, location).bits;
}

gc_npu_address gc_npu_slot(gc_npu_core *core, int32_t location,
                           gc_npu_address buffer, int64_t index, int64_t slots,
                           int64_t stride, int64_t bytes) {
  if (index < 0 || slots < 1) {
    core->feed->fail(ErrorKind::frontEnd,
                     "a buffer of " + std::to_string(slots) +
                         " slots has no slot " + std::to_string(index),
                     location);
    core->feed->leave();
  }
  Address address = Address(buffer) + index % slots * stride;
  return core->feed->nameBuffer(address, bytes, location).bits;
}

gc_npu_address gc_npu_offset(gc_npu_core *core, int32_t location,
                             gc_npu_address address, int64_t elements,
                             int64_t element_bytes) {
  return core->feed->move(Address(address), elements, element_bytes, location)
      .bits;
}

void gc_npu_dma(gc_npu_core *core, int32_t location, gc_npu_address dst,
                gc_npu_address src, int64_t bursts, int64_t burst_bytes,
                int64_t dst_stride, int64_t src_stride,
                int32_t accumulate_type) {
  if (Next in{core, location, Opcode::dma}) {
    in->dst = Address(dst);
    in->src0 = Address(src);
    in->accumulate = accumulate_type != -1;
    if (in->accumulate)
      in->type = toEnum<DType>(accumulate_type);
    in->dma = {bursts, burst_bytes, dst_stride, src_stride};
  }
}

void gc_npu_pack(gc_npu_core *core, int32_t location, gc_npu_address dst,
                 gc_npu_address src, int32_t type, int64_t rows,
                 int64_t columns, int64_t pitch, int64_t dst_rows,
                 int64_t padded_rows, int64_t blocks, int32_t transpose) {
  if (Next in{core, location, Opcode::pack}) {
    in->dst = Address(dst);
    in->src0 = Address(src);
    in->type = toEnum<DType>(type);
    in->transpose = transpose;
    in->box = {rows, columns, pitch, dst_rows, 0, padded_rows, blocks};
  }
}

void gc_npu_unpack(gc_npu_core *core, int32_t location, gc_npu_address dst,
                   gc_npu_address src, int32_t type, int64_t rows,
                   int64_t columns, int64_t pitch, int64_t src_rows,
                   int64_t width, int32_t accumulate) {
  if (Next in{core, location, Opcode::unpack}) {
    in->dst = Address(dst);
    in->src0 = Address(src);
    in->type = toEnum<DType>(type);
    in->accumulate = accumulate;
    in->box = {rows, columns, pitch, src_rows, width, 0, 0};
  }
}

void gc_npu_load2d(gc_npu_core *core, int32_t location, gc_npu_address dst,
                   gc_npu_address src, int32_t type, int64_t fractals,
                   int64_t dst_stride, int64_t src_stride, int32_t transpose) {
  if (Next in{core, location, Opcode::load2d}) {
    in->dst = Address(dst);
    in->src0 = Address(src);
    in->type = toEnum<DType>(type);
    in->transpose = transpose;
    in->load2d = {fractals, dst_stride, src_stride};
  }
}

void gc_npu_load3d(gc_npu_core *core, int32_t location, gc_npu_address dst,
                   gc_npu_address src, int32_t type, int64_t height,
                   int64_t width, int64_t kernel_h, int64_t kernel_w,
                   int64_t stride_h, int64_t stride_w, int64_t pad_top,
                   int64_t pad_left, int64_t out_width, int64_t m_start,
                   int64_t m_count, int64_t k_start, int64_t k_count) {
  if (Next in{core, location, Opcode::load3d}) {
    in->dst = Address(dst);
    in->src0 = Address(src);
    in->type = toEnum<DType>(type);
    in->load3d = {height,   width,   kernel_h, kernel_w,  stride_h,
                  stride_w, pad_top, pad_left, out_width, m_start,
                  m_count,  k_start, k_count};
  }
}

void gc_npu_mad(gc_npu_core *core, int32_t location, gc_npu_address c,
                gc_npu_address a, gc_npu_address b, int32_t type, int64_t m,
                int64_t k, int64_t n, int64_t a_stride, int64_t b_stride,
                int64_t c_stride, int32_t initialise) {
  if (Next in{core, location, Opcode::mad}) {
    in->dst = Address(c);
    in->src0 = Address(a);
    in->src1 = Address(b);
    in->type = toEnum<DType>(type);
    in->initialise = initialise;
    in->mad = {m, k, n, a_stride, b_stride, c_stride};
  }
}

void gc_npu_drain(gc_npu_core *core, int32_t location, gc_npu_address dst,
                  gc_npu_address src, int32_t src_type, int32_t dst_type,
                  int64_t m, int64_t n, int64_t src_stride, int64_t dst_rows,
                  int64_t width, int32_t relu) {
  if (Next in{core, location, Opcode::drain}) {
    in->dst = Address(dst);
    in->src0 = Address(src);
    in->type = toEnum<DType>(src_type);
    in->dstType = toEnum<DType>(dst_type);
    in->relu = relu;
    in->drain = {m, n, src_stride, dst_rows, width};
  }
}

void gc_npu_vector(gc_npu_core *core, int32_t location, int32_t op,
                   gc_npu_address dst, gc_npu_address src0, gc_npu_address src1,
                   gc_npu_address src2, int32_t dst_type, int32_t src_type,
                   int64_t repeat, uint64_t mask_low, uint64_t mask_high,
                   int64_t dst_block, int64_t dst_repeat, int64_t src0_block,
                   int64_t src0_repeat, int64_t src1_block, int64_t src1_repeat,
                   double scalar) {
  if (Next in{core, location, Opcode::vector}) {
    in->vectorOp = toEnum<VectorOp>(op);
    in->dst = Address(dst);
    in->src0 = Address(src0);
    in->src1 = Address(src1);
    in->src2 = Address(src2);
    in->type = toEnum<DType>(src_type);
    in->dstType = toEnum<DType>(dst_type);
    in->vector = {repeat,     mask_low,    mask_high,  dst_block,   dst_repeat,
                  src0_block, src0_repeat, src1_block, src1_repeat, scalar};
  }
}

static void addFlag(gc_npu_core *core, int32_t location, Opcode opcode,
                    int32_t from, int32_t to, int64_t event) {
  if (Next in{core, location, opcode}) {
    in->pipe = toEnum<Pipe>(from);
    in->toPipe = toEnum<Pipe>(to);
    in->flag = {event};
  }
}

void gc_npu_set_flag(gc_npu_core *core, int32_t location, int32_t from,
                     int32_t to, int64_t event) {
  addFlag(core, location, Opcode::setFlag, from, to, event);
}

void gc_npu_wait_flag(gc_npu_core *core, int32_t location, int32_t from,
                      int32_t to, int64_t event) {
  addFlag(core, location, Opcode::waitFlag, from, to, event);
}

void gc_npu_barrier(gc_npu_core *core, int32_t location, int32_t pipe) {
  if (Next in{core, location, Opcode::barrier})
    in->pipe = toEnum<Pipe>(pipe);
}

double gc_npu_load_scalar(gc_npu_core *core, int32_t location,
                          gc_npu_address address, int32_t type) {
  {
    Next in(core, location, Opcode::loadScalar);
    if (!in)
      return 0;
    in->src0 = Address(address);
    in->type = toEnum<DType>(type);
  }
  return core->feed->ask();
}

void gc_npu_iteration(gc_npu_core *core, int32_t location) {
  core->feed->addIteration(location);
}

void gc_npu_scalar(gc_npu_core *core) { core->feed->addScalar(); }

void gc_npu_check_divisor(gc_npu_core *core, int32_t location,
                          int64_t divisor) {
  if (divisor != 0)
    return;
  core->feed->fail(ErrorKind::frontEnd, "a division by zero", location);
  core->feed->leave();
}

void gc_npu_check_step(gc_npu_core *core, int32_t location, int64_t step) {
  if (step > 0)
    return;
  core->feed->fail(ErrorKind::frontEnd,
                   "a loop has a step of " + std::to_string(step) +
                       ", so it never ends",
                   location);
  core->feed->leave();
}

int64_t gc_npu_core_id(gc_npu_core *core) { return core->feed->getId(); }
