// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One call of the C interface for each instruction.

#include "CallBuilder.h"

using namespace mlir;
using namespace gc::npu;

namespace {

/// Addresses that stand for operands while the model's instruction is built:
/// the operand's number, from 1 on, in the upper bits of the offset.
constexpr int kTagShift = 32;

class Emitter {
public:
  Emitter(CallBuilder &builder, InstructionOpInterface op, Value location)
      : c(builder), op(op), location(location) {}

  void emit();

private:
  /// The value that a tagged address stands for, plus the bytes that the op
  /// added to it.
  Value address(Address address) {
    uint64_t number = uint64_t(address.getOffset()) >> kTagShift;
    if (number == 0)
      return c.i64(0);
    Value result = c.getAddress(op->getOperand(number - 1), location);
    int64_t bytes = address.getOffset() & ((int64_t(1) << kTagShift) - 1);
    if (bytes == 0)
      return result;
    return LLVM::AddOp::create(c.b, result, c.i64(bytes));
  }
  Value type(DType type) { return c.i32(static_cast<int>(type)); }
  /// location, then addresses, then numbers.
  void call(StringRef name, ArrayRef<Value> arguments) {
    SmallVector<Value> all{location};
    llvm::append_range(all, arguments);
    c.call(name, all);
  }

  void emitDma(const Instruction &i);
  void emitPack(const Instruction &i);
  void emitUnpack(const Instruction &i);
  void emitLoad2d(const Instruction &i);
  void emitLoad3d(const Instruction &i);
  void emitMad(const Instruction &i);
  void emitDrain(const Instruction &i);
  void emitVector(const Instruction &i);

  CallBuilder &c;
  InstructionOpInterface op;
  Value location;
};

} // namespace

void Emitter::emitDma(const Instruction &i) {
  Value accumulate = c.i32(i.accumulate ? static_cast<int>(i.type) : -1);
  call("gc_npu_dma", {address(i.dst), address(i.src0), c.i64(i.dma.bursts),
                      c.i64(i.dma.bytes), c.i64(i.dma.dstStride),
                      c.i64(i.dma.srcStride), accumulate});
}

void Emitter::emitPack(const Instruction &i) {
  call("gc_npu_pack",
       {address(i.dst), address(i.src0), type(i.type), c.i64(i.box.rows),
        c.i64(i.box.columns), c.i64(i.box.pitch), c.i64(i.box.localRows),
        c.i32(i.transpose)});
}

void Emitter::emitUnpack(const Instruction &i) {
  call("gc_npu_unpack",
       {address(i.dst), address(i.src0), type(i.type), c.i64(i.box.rows),
        c.i64(i.box.columns), c.i64(i.box.pitch), c.i64(i.box.localRows),
        c.i64(i.box.width), c.i32(i.accumulate)});
}

void Emitter::emitLoad2d(const Instruction &i) {
  call("gc_npu_load2d", {address(i.dst), address(i.src0), type(i.type),
                         c.i64(i.load2d.fractals), c.i64(i.load2d.dstStride),
                         c.i64(i.load2d.srcStride), c.i32(i.transpose)});
}

void Emitter::emitLoad3d(const Instruction &i) {
  const auto &l = i.load3d;
  auto img2col = cast<Img2colOp>(op.getOperation());
  call("gc_npu_load3d",
       {address(i.dst), address(i.src0), type(i.type), c.i64(l.height),
        c.i64(l.width), c.i64(l.kernelH), c.i64(l.kernelW), c.i64(l.strideH),
        c.i64(l.strideW), c.i64(l.padTop), c.i64(l.padLeft), c.i64(l.outWidth),
        c.toI64(img2col.getM()), c.i64(l.mCount), c.toI64(img2col.getK()),
        c.i64(l.kCount)});
}

void Emitter::emitMad(const Instruction &i) {
  auto matmul = cast<MatmulOp>(op.getOperation());
  Value initialise = matmul.getInitialise() ? c.toI32(matmul.getInitialise())
                                            : c.i32(matmul.getInitialised());
  const auto &m = i.mad;
  call("gc_npu_mad",
       {address(i.dst), address(i.src0), address(i.src1), type(i.type),
        c.i64(m.m), c.i64(m.k), c.i64(m.n), c.i64(m.aStride), c.i64(m.bStride),
        c.i64(m.cStride), initialise});
}

void Emitter::emitDrain(const Instruction &i) {
  call("gc_npu_drain",
       {address(i.dst), address(i.src0), type(i.type), type(i.dstType),
        c.i64(i.drain.m), c.i64(i.drain.n), c.i64(i.drain.srcStride),
        c.i64(i.drain.dstRows), c.i64(i.drain.width), c.i32(i.relu)});
}

void Emitter::emitVector(const Instruction &i) {
  auto vector = cast<VectorInstructionOp>(op.getOperation());
  Value scalar = vector.getScalar() ? c.toF64(vector.getScalar()) : c.f64(0);
  const auto &v = i.vector;
  call("gc_npu_vector",
       {c.i32(static_cast<int>(i.vectorOp)), address(i.dst), address(i.src0),
        address(i.src1), address(i.src2), type(i.dstType), type(i.type),
        c.i64(v.repeat), c.i64(v.maskLow), c.i64(v.maskHigh), c.i64(v.dstBlock),
        c.i64(v.dstRepeat), c.i64(v.src0Block), c.i64(v.src0Repeat),
        c.i64(v.src1Block), c.i64(v.src1Repeat), scalar});
}

void Emitter::emit() {
  Instruction i = op.getInstruction([&](Value value) {
    auto space = static_cast<Space>(*getSpace(value));
    int64_t number = 0;
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (operand == value)
        number = index + 1;
    return Address(space, number << kTagShift).bits;
  });
  switch (i.opcode) {
  case Opcode::dma:
    return emitDma(i);
  case Opcode::pack:
    return emitPack(i);
  case Opcode::unpack:
    return emitUnpack(i);
  case Opcode::load2d:
    return emitLoad2d(i);
  case Opcode::load3d:
    return emitLoad3d(i);
  case Opcode::mad:
    return emitMad(i);
  case Opcode::drain:
    return emitDrain(i);
  case Opcode::vector:
    return emitVector(i);
  default:
    llvm_unreachable("ops on buffers, flags and scalars are not instructions");
  }
}

void gc::npu::buildInstructionCall(CallBuilder &builder,
                                   InstructionOpInterface op, Value location) {
  Emitter(builder, op, location).emit();
}
