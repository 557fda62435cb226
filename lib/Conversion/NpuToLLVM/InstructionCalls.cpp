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
  /// A number that may be known at run time only.
  Value number(int64_t value) {
    Value operand = tags.lookup(value);
    return operand ? c.toI64(operand) : c.i64(value);
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
  RunTimeTags tags;
  Value location;
};

} // namespace

void Emitter::emitDma(const Instruction &i) {
  Value accumulate = c.i32(i.accumulate ? static_cast<int>(i.type) : -1);
  call("gc_npu_dma", {address(i.dst), address(i.src0), number(i.dma.bursts),
                      number(i.dma.bytes), number(i.dma.dstStride),
                      number(i.dma.srcStride), accumulate});
}

void Emitter::emitPack(const Instruction &i) {
  call("gc_npu_pack",
       {address(i.dst), address(i.src0), type(i.type), number(i.box.rows),
        number(i.box.columns), number(i.box.pitch), number(i.box.localRows),
        number(i.box.paddedRows), number(i.box.blocks), c.i32(i.transpose)});
}

void Emitter::emitUnpack(const Instruction &i) {
  call("gc_npu_unpack",
       {address(i.dst), address(i.src0), type(i.type), number(i.box.rows),
        number(i.box.columns), number(i.box.pitch), number(i.box.localRows),
        number(i.box.width), c.i32(i.accumulate)});
}

void Emitter::emitLoad2d(const Instruction &i) {
  call("gc_npu_load2d", {address(i.dst), address(i.src0), type(i.type),
                         number(i.load2d.fractals), number(i.load2d.dstStride),
                         number(i.load2d.srcStride), c.i32(i.transpose)});
}

void Emitter::emitLoad3d(const Instruction &i) {
  const auto &l = i.load3d;
  auto img2col = cast<Img2colOp>(op.getOperation());
  call("gc_npu_load3d",
       {address(i.dst), address(i.src0), type(i.type), number(l.height),
        number(l.width), number(l.kernelH), number(l.kernelW),
        number(l.strideH), number(l.strideW), number(l.padTop),
        number(l.padLeft), number(l.outWidth), c.toI64(img2col.getM()),
        number(l.mCount), c.toI64(img2col.getK()), number(l.kCount)});
}

void Emitter::emitMad(const Instruction &i) {
  auto matmul = cast<MatmulOp>(op.getOperation());
  Value initialise = matmul.getInitialise() ? c.toI32(matmul.getInitialise())
                                            : c.i32(matmul.getInitialised());
  const auto &m = i.mad;
  call("gc_npu_mad",
       {address(i.dst), address(i.src0), address(i.src1), type(i.type),
        number(m.m), number(m.k), number(m.n), number(m.aStride),
        number(m.bStride), number(m.cStride), initialise});
}

void Emitter::emitDrain(const Instruction &i) {
  call("gc_npu_drain",
       {address(i.dst), address(i.src0), type(i.type), type(i.dstType),
        number(i.drain.m), number(i.drain.n), number(i.drain.srcStride),
        number(i.drain.dstRows), number(i.drain.width), c.i32(i.relu)});
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
  tags = RunTimeTags(op, i);
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
