// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One intrinsic for each instruction.

#include "Emitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;
using namespace gc::npu::cce;

/// Addresses stand for operands while the model's instruction is built: the
/// operand's number, from 1 on, in the upper bits of the offset.
static constexpr int kTagShift = 32;

static std::string number(int64_t value) { return std::to_string(value); }

std::string Emitter::count(int64_t value) {
  Value operand = tags.lookup(value);
  return operand ? get(operand) : number(value);
}

void Emitter::call(const Twine &name, const Names &arguments) {
  os << name << "(";
  llvm::interleaveComma(arguments, os);
  os << ");\n";
}

std::string Emitter::getPointer(Address address) {
  uint64_t index = uint64_t(address.getOffset()) >> kTagShift;
  if (index == 0)
    return "nullptr";
  Value operand = current->getOperand(index - 1);
  std::string name = get(operand);
  int64_t bytes = address.getOffset() & ((int64_t(1) << kTagShift) - 1);
  if (bytes == 0)
    return name;
  int64_t size =
      cast<MemRefType>(operand.getType()).getElementTypeBitWidth() / 8;
  return name + " + " + number(bytes / size);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static StringRef getBufferName(Address address) {
  static constexpr StringLiteral names[] = {"gm", "cbuf", "ubuf",
                                            "ca", "cb",   "cc"};
  return names[static_cast<int>(address.getSpace())];
}

void Emitter::emitAtomic(const Instruction &i) {
  call(i.type == DType::f16   ? "set_atomic_f16"
       : i.type == DType::f32 ? "set_atomic_f32"
                              : "set_atomic_s32",
       {});
  call("set_atomic_add", {});
}

void Emitter::emitDma(const Instruction &i) {
  const auto &dma = i.dma;
  if (i.accumulate)
    emitAtomic(i);
  std::string name =
      ("copy_" + getBufferName(i.src0) + "_to_" + getBufferName(i.dst)).str();
  // The gap of a single burst is irrelevant.
  int64_t srcStride = dma.bursts == 1 ? dma.bytes : dma.srcStride;
  int64_t dstStride = dma.bursts == 1 ? dma.bytes : dma.dstStride;
  bool isFixed = !tags.lookup(dma.bytes);
  if (isFixed && dma.bytes % 32 == 0 && srcStride % 32 == 0 &&
      dstStride % 32 == 0) {
    call(name, {getPointer(i.dst), getPointer(i.src0), "0", count(dma.bursts),
                count(dma.bytes / 32), count((srcStride - dma.bytes) / 32),
                count((dstStride - dma.bytes) / 32)});
  } else {
    // Bytes in global memory, blocks in a buffer.
    auto getGap = [&](Address address, int64_t stride) -> std::string {
      bool isGlobal = address.getSpace() == Space::gm;
      if (dma.bursts == 1)
        return "0";
      if (!isFixed)
        return isGlobal ? number(stride) + " - " + count(dma.bytes)
                        : "(" + number(stride) + " - (" + count(dma.bytes) +
                              " + 31) / 32 * 32) / 32";
      if (isGlobal)
        return number(stride - dma.bytes);
      return number(
          (stride - static_cast<int64_t>(llvm::alignTo(dma.bytes, 32))) / 32);
    };
    call(name + "_align",
         {getPointer(i.dst), getPointer(i.src0), "0", count(dma.bursts),
          count(dma.bytes), getGap(i.src0, srcStride),
          getGap(i.dst, dstStride)});
  }
  if (i.accumulate)
    call("set_atomic_none", {});
}

void Emitter::emitBox(const Instruction &i) {
  const auto &box = i.box;
  if (i.opcode == Opcode::pack) {
    call("copy_gm_to_" + getBufferName(i.dst) +
             (i.transpose ? "_dn2nz" : "_nd2nz"),
         {getPointer(i.dst), getPointer(i.src0), count(box.rows),
          count(box.columns), count(box.pitch), count(box.localRows),
          count(box.paddedRows), count(box.blocks)});
    return;
  }
  if (i.accumulate)
    emitAtomic(i);
  call("copy_ubuf_to_gm_nz2nd",
       {getPointer(i.dst), getPointer(i.src0), count(box.rows),
        count(box.columns), count(box.pitch), count(box.localRows),
        count(box.width)});
  if (i.accumulate)
    call("set_atomic_none", {});
}

//===----------------------------------------------------------------------===//
// Cube unit
//===----------------------------------------------------------------------===//

void Emitter::emitLoad3d(const Instruction &i, Img2colOp op) {
  const auto &load = i.load3d;
  call("set_fmatrix",
       {count(load.height), count(load.width), count(load.padTop),
        count(load.padLeft), count(load.outWidth)});
  call("img2col_cbuf_to_ca",
       {getPointer(i.dst), getPointer(i.src0), count(load.kernelH),
        count(load.kernelW), count(load.strideH), count(load.strideW),
        get(op.getM()), count(load.mCount), get(op.getK()),
        count(load.kCount)});
}

void Emitter::emitMad(const Instruction &i, MatmulOp op) {
  const auto &mad = i.mad;
  int64_t m1 = llvm::divideCeil(mad.m, 16), n1 = llvm::divideCeil(mad.n, 16),
          k1 = llvm::divideCeil(mad.k, getC0(i.type));
  Names arguments{getPointer(i.dst), getPointer(i.src0), getPointer(i.src1),
                  count(mad.m),      count(mad.k),       count(mad.n)};
  if (!op.getUpTo().empty() || mad.aStride != k1 || mad.bStride != n1 ||
      mad.cStride != m1)
    llvm::append_values(arguments, count(mad.aStride), count(mad.bStride),
                        count(mad.cStride));
  arguments.push_back(op.getInitialise()    ? get(op.getInitialise())
                      : op.getInitialised() ? "true"
                                            : "false");
  call("mad", arguments);
}

//===----------------------------------------------------------------------===//
// Vector unit
//===----------------------------------------------------------------------===//

static StringRef getIntrinsic(VectorOp op) {
  // In the order of VectorOp.
  static constexpr StringLiteral names[] = {
      "vadd",       "vsub",     "vmul",     "vdiv",       "vmax",
      "vmin",       "vcmpv_eq", "vcmpv_ne", "vcmpv_lt",   "vcmpv_le",
      "vcmpv_gt",   "vcmpv_ge", "vadds",    "vmuls",      "vrelu",
      "vabs",       "vexp",     "vln",      "vsqrt",      "vrsqrt",
      "vrec",       "vsel",     "vconv",    "vector_dup", "vcopy",
      "vtranspose", "vcadd",    "vcmax",    "vcmin",      "vcgadd",
      "vcgmax",     "vcgmin"};
  static_assert(std::size(names) == kNumVectorOps);
  return names[static_cast<int>(op)];
}

void Emitter::emitMask(const Instruction &i) {
  std::pair<uint64_t, uint64_t> wanted(i.vector.maskLow, i.vector.maskHigh);
  if (mask == wanted)
    return;
  mask = wanted;
  auto format = [](uint64_t word) {
    return word == ~uint64_t(0) ? "~0ull"
                                : "0x" + llvm::utohexstr(word, true) + "ull";
  };
  call("set_vector_mask", {format(wanted.second), format(wanted.first)});
}

void Emitter::emitVector(const Instruction &i, VectorInstructionOp op) {
  emitMask(i);
  const auto &v = i.vector;
  int sources = getNumSources(i.vectorOp);
  Names arguments{getPointer(i.dst)};
  if (sources > 0)
    arguments.push_back(getPointer(i.src0));
  if (sources > 1)
    arguments.push_back(getPointer(i.src1));
  if (sources > 2)
    arguments.push_back(getPointer(i.src2));
  if (takesScalar(i.vectorOp))
    arguments.push_back(get(op.getScalar()));
  const int64_t blocks[] = {v.dstBlock, v.src0Block, v.src1Block};
  const int64_t repeats[] = {v.dstRepeat, v.src0Repeat, v.src1Repeat};
  size_t strided = std::min(sources, 2) + 1;
  arguments.push_back(number(v.repeat));
  for (int64_t stride : ArrayRef(blocks).take_front(strided))
    arguments.push_back(number(stride));
  for (int64_t stride : ArrayRef(repeats).take_front(strided))
    arguments.push_back(number(stride));
  call(getIntrinsic(i.vectorOp), arguments);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

LogicalResult Emitter::emitInstruction(InstructionOpInterface op) {
  current = op;
  Instruction i = op.getInstruction([&](Value value) {
    auto space = static_cast<Space>(*getSpace(value));
    int64_t index = 0;
    for (auto [position, operand] : llvm::enumerate(op->getOperands()))
      if (operand == value)
        index = position + 1;
    return Address(space, index << kTagShift).bits;
  });
  tags = RunTimeTags(op, i);
  switch (i.opcode) {
  case Opcode::dma:
    emitDma(i);
    return success();
  case Opcode::pack:
  case Opcode::unpack:
    emitBox(i);
    return success();
  case Opcode::load2d:
    call("load_cbuf_to_" + getBufferName(i.dst),
         {getPointer(i.dst), getPointer(i.src0), "0", count(i.load2d.fractals),
          count(i.load2d.srcStride), count(i.load2d.dstStride), "0",
          i.transpose ? "true" : "false"});
    return success();
  case Opcode::load3d:
    emitLoad3d(i, cast<Img2colOp>(op.getOperation()));
    return success();
  case Opcode::mad:
    emitMad(i, cast<MatmulOp>(op.getOperation()));
    return success();
  case Opcode::drain:
    call("copy_matrix_cc_to_ubuf",
         {getPointer(i.dst), getPointer(i.src0), "0", count(i.drain.m),
          count(i.drain.n), count(i.drain.srcStride), count(i.drain.dstRows),
          count(i.drain.width), i.relu ? "CRMODE_RELU" : "CRMODE_NONE"});
    return success();
  case Opcode::vector:
    emitVector(i, cast<VectorInstructionOp>(op.getOperation()));
    return success();
  default:
    return op->emitOpError("cannot be expressed in C");
  }
}
