// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The errors of a single instruction, apart from vector instructions.

#include "Check.h"

#include <algorithm>

using namespace gc::npu;

/// Exactly what is touched, for the few instructions that have gaps there.
void Checker::checkBuffers() {
  forEachRange(in, [&](Address address, int64_t bytes, Access) {
    const Buffer *buffer = findBuffer(address);
    if (buffer && !buffer->contains(address.getOffset(), bytes))
      failBuffer(*buffer, address.getOffset(), bytes);
  });
}

bool Checker::checkEnums() {
  if (static_cast<int>(in.type) >= kNumDTypes ||
      static_cast<int>(in.dstType) >= kNumDTypes)
    return fail(ErrorKind::type, "no such element type");
  if (static_cast<int>(in.vectorOp) >= kNumVectorOps)
    return fail(ErrorKind::type, "no such vector op");
  if (static_cast<int>(in.pipe) >= kNumPipes ||
      static_cast<int>(in.toPipe) >= kNumPipes)
    return fail(ErrorKind::flag, "no such pipe");
  for (Address address : {in.dst, in.src0, in.src1, in.src2})
    if (!address.isSpaceValid())
      return fail(ErrorKind::path, "an address is not in any memory space");
  return true;
}

void Checker::checkOpcode() {
  switch (in.opcode) {
  case Opcode::alloc:
    return checkAlloc();
  case Opcode::dma:
    return checkDma();
  case Opcode::pack:
  case Opcode::unpack:
    return checkBox();
  case Opcode::load2d:
    return checkLoad2d();
  case Opcode::load3d:
    return checkLoad3d();
  case Opcode::mad:
    return checkMad();
  case Opcode::drain:
    return checkDrain();
  case Opcode::vector:
    return checkVector();
  case Opcode::setFlag:
  case Opcode::waitFlag:
    return checkFlag();
  case Opcode::barrier:
    return;
  case Opcode::loadScalar:
    return checkScalarLoad();
  }
}

void Checker::checkAlloc() {
  checkSpace("a buffer", in.dst,
             {Space::l1, Space::ub, Space::l0a, Space::l0b, Space::l0c}) &&
      checkSize("size", in.alloc.bytes, 0) &&
      checkLocal("the buffer", in.dst, in.alloc.bytes);
}

void Checker::checkDma() {
  const Instruction::Dma &dma = in.dma;
  if (getPipe(in) == Pipe::s) {
    fail(ErrorKind::path, std::string("there is no path from ") +
                              getName(in.src0.getSpace()) + " to " +
                              getName(in.dst.getSpace()));
    return;
  }
  if (!checkRange("number of bursts", dma.bursts, 1, machine.maxBursts,
                  ErrorKind::limit) ||
      !checkRange("size of a burst in bytes", dma.bytes, 1,
                  machine.maxBurstBlocks * kBlockBytes, ErrorKind::limit))
    return;
  bool fromLocal = in.src0.getSpace() != Space::gm,
       toLocal = in.dst.getSpace() != Space::gm;
  int64_t written = toLocal ? roundUp(dma.bytes, kBlockBytes) : dma.bytes;
  int64_t srcEnd = dma.bytes, dstEnd = written;
  if (dma.bursts > 1) {
    // Runs that are written must not overlap.
    if (!checkSize("source stride", dma.srcStride, 0) ||
        !checkSize("destination stride", dma.dstStride, written) ||
        (fromLocal && !checkMultiple("source stride", dma.srcStride,
                                     kBlockBytes, ErrorKind::alignment)) ||
        (toLocal && !checkMultiple("destination stride", dma.dstStride,
                                   kBlockBytes, ErrorKind::alignment)))
      return;
    srcEnd += (dma.bursts - 1) * dma.srcStride;
    dstEnd += (dma.bursts - 1) * dma.dstStride;
  }
  if (!checkLocal("the source", in.src0, srcEnd) ||
      !checkLocal("the destination", in.dst, dstEnd) || !in.accumulate)
    return;
  checkType(in.type, {DType::f16, DType::f32, DType::s32}, "an atomic add") &&
      (in.dst.getSpace() == Space::gm ||
       fail(ErrorKind::path, "atomic adds are to gm only")) &&
      checkMultiple("size of a burst in bytes", dma.bytes, getBytes(in.type));
}

void Checker::checkBox() {
  const Instruction::Box &box = in.box;
  int64_t bytes = getBytes(in.type);
  bool pack = in.opcode == Opcode::pack;
  if (!(pack ? checkSpace("the source", in.src0, {Space::gm}) &&
                   checkSpace("the destination", in.dst, {Space::l1, Space::ub})
             : checkSpace("the source", in.src0, {Space::ub}) &&
                   checkSpace("the destination", in.dst, {Space::gm})) ||
      !checkRange("number of rows", box.rows, 1, machine.maxBursts,
                  ErrorKind::limit) ||
      !checkRange("size of a row in bytes",
                  std::min(box.columns, kHuge) * bytes, 1,
                  machine.maxBurstBlocks * kBlockBytes, ErrorKind::limit) ||
      !checkSize("pitch", box.pitch, box.rows > 1 ? box.columns : 0))
    return;
  if (!pack) {
    if (!checkSize("width", box.width) ||
        !checkSize("rows of a block", box.localRows, box.rows) ||
        (in.accumulate &&
         !checkType(in.type, {DType::f16, DType::f32, DType::s32},
                    "an atomic add")))
      return;
    int64_t last = (box.columns - 1) / box.width;
    checkLocal("the source", in.src0,
               (last * box.localRows * box.width + (box.rows - 1) * box.width +
                box.columns - last * box.width) *
                   bytes);
    return;
  }
  // Of the packed matrix.
  int64_t rows = in.transpose ? box.columns : box.rows;
  int64_t columns = in.transpose ? box.rows : box.columns;
  checkSize("number of blocks", box.blocks, ceilDiv(columns, getC0(in.type))) &&
      checkSize("rows of a block", box.paddedRows, rows) &&
      checkSize("distance of blocks in rows", box.localRows,
                box.blocks > 1 ? box.paddedRows : 0) &&
      checkLocal("the destination", in.dst,
                 ((box.blocks - 1) * box.localRows + box.paddedRows) *
                     kBlockBytes);
}

void Checker::checkLoad2d() {
  const Instruction::Load2d &load = in.load2d;
  checkSpace("the source", in.src0, {Space::l1}) &&
      checkSpace("the destination", in.dst, {Space::l0a, Space::l0b}) &&
      (!in.transpose || checkType(in.type, {DType::f16}, "transposing")) &&
      checkSize("number of fractals", load.fractals) &&
      checkSize("source stride", load.srcStride, 0) &&
      checkSize("destination stride", load.dstStride,
                load.fractals > 1 ? 1 : 0) &&
      checkLocal("the source", in.src0,
                 ((load.fractals - 1) * load.srcStride + 1) * kFractalBytes) &&
      checkLocal("the destination", in.dst,
                 ((load.fractals - 1) * load.dstStride + 1) * kFractalBytes);
}

void Checker::checkLoad3d() {
  const Instruction::Load3d &load = in.load3d;
  int64_t c0 = getC0(in.type);
  constexpr int64_t most = 65535;
  if (!checkSpace("the source", in.src0, {Space::l1}) ||
      !checkSpace("the destination", in.dst, {Space::l0a}) ||
      !checkType(in.type, {DType::f16, DType::s8}, "img2col") ||
      !checkRange("height", load.height, 1, most) ||
      !checkRange("width", load.width, 1, most) ||
      !checkRange("kernel height", load.kernelH, 1, 255) ||
      !checkRange("kernel width", load.kernelW, 1, 255) ||
      !checkRange("vertical stride", load.strideH, 1, 255) ||
      !checkRange("horizontal stride", load.strideW, 1, 255) ||
      !checkRange("top padding", load.padTop, 0, 255) ||
      !checkRange("left padding", load.padLeft, 0, 255) ||
      !checkRange("output width", load.outWidth, 1, most) ||
      !checkSize("first row", load.mStart, 0) ||
      !checkSize("number of rows", load.mCount) ||
      !checkSize("first column", load.kStart, 0) ||
      !checkSize("number of columns", load.kCount) ||
      !checkMultiple("number of rows", load.mCount, 16) ||
      !checkMultiple("first column", load.kStart, c0) ||
      !checkMultiple("number of columns", load.kCount, c0))
    return;
  int64_t channels =
      ceilDiv(load.kStart + load.kCount, load.kernelH * load.kernelW * c0);
  if (channels > kHuge / (load.height * load.width)) {
    fail(ErrorKind::capacity, "the image does not fit into l1");
    return;
  }
  checkLocal("the image", in.src0,
             channels * load.height * load.width * kBlockBytes) &&
      checkLocal("the destination", in.dst,
                 load.mCount * load.kCount * getBytes(in.type));
}

void Checker::checkMad() {
  const Instruction::Mad &mad = in.mad;
  if (!checkSpace("A", in.src0, {Space::l0a}) ||
      !checkSpace("B", in.src1, {Space::l0b}) ||
      !checkSpace("C", in.dst, {Space::l0c}) ||
      !checkType(in.type, {DType::f16, DType::s8}, "operands") ||
      !checkSize("m", mad.m) || !checkSize("k", mad.k) ||
      !checkSize("n", mad.n))
    return;
  int64_t m1 = ceilDiv(mad.m, 16), n1 = ceilDiv(mad.n, 16),
          k1 = ceilDiv(mad.k, getC0(in.type));
  checkSize("stride of A", mad.aStride, m1 > 1 ? k1 : 0) &&
      checkSize("stride of B", mad.bStride, k1 > 1 ? n1 : 0) &&
      checkSize("stride of C", mad.cStride, n1 > 1 ? m1 : 0) &&
      checkLocal("A", in.src0, ((m1 - 1) * mad.aStride + k1) * kFractalBytes) &&
      checkLocal("B", in.src1, ((k1 - 1) * mad.bStride + n1) * kFractalBytes) &&
      checkLocal("C", in.dst,
                 ((n1 - 1) * mad.cStride + m1) * kAccumulatorFractalBytes);
}

void Checker::checkDrain() {
  const Instruction::Drain &drain = in.drain;
  if (!checkSpace("the source", in.src0, {Space::l0c}) ||
      !checkSpace("the destination", in.dst, {Space::ub}) ||
      !checkType(in.type, {DType::f32, DType::s32}, "accumulators") ||
      !(in.type == DType::f32
            ? checkType(in.dstType, {DType::f32, DType::f16}, "results of f32")
            : checkType(in.dstType, {DType::s32, DType::s8, DType::f16},
                        "results of s32")) ||
      !checkSize("m", drain.m) || !checkSize("n", drain.n) ||
      !checkSize("width", drain.width) ||
      !checkSize("rows of a block", drain.dstRows, drain.m))
    return;
  int64_t m1 = ceilDiv(drain.m, 16), n1 = ceilDiv(drain.n, 16);
  int64_t last = (drain.n - 1) / drain.width;
  checkSize("source stride", drain.srcStride, n1 > 1 ? m1 : 0) &&
      checkLocal("the source", in.src0,
                 ((n1 - 1) * drain.srcStride + m1) *
                     kAccumulatorFractalBytes) &&
      checkLocal("the destination", in.dst,
                 (last * drain.dstRows * drain.width +
                  (drain.m - 1) * drain.width + drain.n - last * drain.width) *
                     getBytes(in.dstType));
}

void Checker::checkFlag() {
  if (in.pipe == in.toPipe)
    fail(ErrorKind::flag, std::string("a flag from ") + getName(in.pipe) +
                              " to itself; barrier(" + getName(in.pipe) +
                              ") does that");
  else
    checkRange("event", in.flag.event, 0, machine.flagsPerPair - 1,
               ErrorKind::flag);
}

void Checker::checkScalarLoad() {
  checkSpace("the source", in.src0, {Space::ub}) &&
      checkMultiple("the address", in.src0.getOffset(), getBytes(in.type),
                    ErrorKind::alignment) &&
      checkEnd("the source", in.src0, getBytes(in.type));
}

std::optional<Error> gc::npu::check(const Machine &machine,
                                    const Instruction &instruction,
                                    const std::vector<Buffer> *buffers) {
  return Checker(machine, instruction, buffers).run();
}
