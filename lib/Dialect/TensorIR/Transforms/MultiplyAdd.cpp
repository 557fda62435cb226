// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MultiplyAdd.h"
#include "Machine/VectorPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace gc::tir {

/// The sign bits of four bytes: adding 128 modulo 256 to each.
constexpr int64_t kSigns = 0x80808080;
constexpr int64_t kOnes = 0x01010101;
constexpr int64_t kShift = 128;

static bool isSigned(DataType type) { return type == DataType::s8; }

MultiplyAdd::MultiplyAdd(ImplicitLocOpBuilder &b, const Machine &machine,
                         const KernelSpec &spec, VectorType groups, bool amx)
    : b(b), spec(spec), groups(groups),
      f32(VectorType::get(groups.getShape(), b.getF32Type())),
      bits(groups.getNumElements() * 32) {
  bool isWhole = bits == 128 || bits == 256 || bits == 512;
  // Vectors that are shorter than 512 bits need the extension VL.
  bool hasLength = bits == 512 || machine.hasFeature("avx512vl");
  if (amx) {
    form = Form::amx;
  } else if (spec.a == DataType::f32) {
    form = Form::f32;
  } else if (spec.a == DataType::bf16) {
    bool hasDot = machine.hasFeature("avx512bf16") && isWhole && hasLength;
    form = hasDot ? Form::bf16Dot : Form::bf16Halves;
  } else if (spec.a == DataType::f16) {
    form = Form::f16Halves;
  } else {
    bool hasDot = hasByteDots(machine, bits);
    bool hasWords =
        isWhole && machine.hasFeature(bits == 512 ? "avx512bw" : "avx2");
    form = hasDot ? Form::vnni : hasWords ? Form::words : Form::bytes;
  }
}

Value MultiplyAdd::call(StringRef intrinsic, Type result,
                        ValueRange operands) const {
  return LLVM::CallIntrinsicOp::create(b, result, b.getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

Value MultiplyAdd::splat(int64_t value) const {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             groups, APInt(32, static_cast<uint64_t>(value), false, true)));
}

std::string MultiplyAdd::withBits(StringRef name) const {
  return (name + "." + Twine(bits)).str();
}

Value MultiplyAdd::prepareA(Value loaded) const {
  // s8 by s8: A becomes u8. (s8 by u8 is the instruction with its operands
  // exchanged.)
  if (form == Form::vnni && isSigned(spec.a) && isSigned(spec.b))
    return arith::XOrIOp::create(b, loaded, splat(kSigns));
  return loaded;
}

Value MultiplyAdd::prepareB(Value loaded) const {
  // u8 by u8: B becomes s8.
  if (form == Form::vnni && !isSigned(spec.a) && !isSigned(spec.b))
    return arith::XOrIOp::create(b, loaded, splat(kSigns));
  return loaded;
}

Value MultiplyAdd::keepFirst(Value prepared, int64_t count) const {
  int64_t mask = (int64_t(1) << count * getBits(spec.b)) - 1;
  return arith::AndIOp::create(b, prepared, splat(mask));
}

int64_t MultiplyAdd::getExcessA() const {
  bool isShifted = form == Form::vnni && isSigned(spec.a) && isSigned(spec.b);
  return spec.zeroPointA + (isShifted ? kShift : 0);
}

int64_t MultiplyAdd::getExcessB() const {
  bool isShifted = form == Form::vnni && !isSigned(spec.a) && !isSigned(spec.b);
  return spec.zeroPointB - (isShifted ? kShift : 0);
}

Value MultiplyAdd::addBytes(Value x, DataType type, Value sum) const {
  Value ones = splat(kOnes);
  return isSigned(type) ? dotBytes(ones, x, sum) : dotBytes(x, ones, sum);
}

Value MultiplyAdd::addElementsOfA(Value prepared, Value sum) const {
  if (form == Form::amx)
    return addBytes(prepared, spec.a, sum);
  return add(prepared, splat(kOnes), sum);
}

Value MultiplyAdd::addElementsOfB(Value prepared, Value sum) const {
  if (form == Form::amx)
    return addBytes(prepared, spec.b, sum);
  return add(splat(kOnes), prepared, sum);
}

Value MultiplyAdd::scale(Value sum, int64_t factor) const {
  return factor == 1 ? sum : arith::MulIOp::create(b, sum, splat(factor));
}

Value MultiplyAdd::dotBytes(Value x, Value y, Value sum) const {
  auto bytes = VectorType::get(bits / 8, b.getI8Type());
  return call(withBits("llvm.x86.avx512.vpdpbusd"), groups,
              {sum, vector::BitCastOp::create(b, bytes, x),
               vector::BitCastOp::create(b, bytes, y)});
}

Value MultiplyAdd::getBytesAt(Value lanes, DataType type, unsigned byte,
                              unsigned every) const {
  unsigned width = 8 * every;
  auto fields = VectorType::get(bits / width, b.getIntegerType(width));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(fields, APInt(width, value)));
  };
  Value value = vector::BitCastOp::create(b, fields, lanes);
  // To the top of the field, and down again with zeros or signs.
  if (unsigned up = width - 8 * (byte + 1))
    value = arith::ShLIOp::create(b, value, constant(up));
  Value down = constant(width - 8);
  if (isSigned(type))
    return arith::ShRSIOp::create(b, value, down);
  return arith::ShRUIOp::create(b, value, down);
}

Value MultiplyAdd::add(Value x, Value y, Value sum) const {
  switch (form) {
  case Form::f32:
    return vector::FMAOp::create(b, x, y, sum);
  case Form::bf16Dot: {
    auto pairs = VectorType::get(bits / 16, b.getBF16Type());
    return call(withBits("llvm.x86.avx512bf16.dpbf16ps"), f32,
                {sum, vector::BitCastOp::create(b, pairs, x),
                 vector::BitCastOp::create(b, pairs, y)});
  }
  case Form::bf16Halves: {
    // A bf16 is the upper half of an f32.
    auto low = [&](Value value) -> Value {
      return vector::BitCastOp::create(
          b, f32, arith::ShLIOp::create(b, value, splat(16)));
    };
    auto high = [&](Value value) -> Value {
      return vector::BitCastOp::create(
          b, f32, arith::AndIOp::create(b, value, splat(0xffff0000)));
    };
    sum = vector::FMAOp::create(b, low(x), low(y), sum);
    return vector::FMAOp::create(b, high(x), high(y), sum);
  }
  case Form::f16Halves: {
    auto half = [&](Value value, int64_t shift) -> Value {
      if (shift)
        value = arith::ShRUIOp::create(b, value, splat(shift));
      Value low = arith::TruncIOp::create(
          b, VectorType::get(groups.getShape(), b.getI16Type()), value);
      low = vector::BitCastOp::create(
          b, VectorType::get(groups.getShape(), b.getF16Type()), low);
      return arith::ExtFOp::create(b, f32, low);
    };
    for (int64_t shift : {0, 16})
      sum = vector::FMAOp::create(b, half(x, shift), half(y, shift), sum);
    return sum;
  }
  case Form::vnni:
    if (isSigned(spec.a) && !isSigned(spec.b))
      return dotBytes(y, x, sum);
    return dotBytes(x, y, sum);
  case Form::words: {
    // Products of two neighbours, 16 bits each, are summed in 32.
    StringRef name = bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                     : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                   : "llvm.x86.sse2.pmadd.wd";
    for (unsigned byte : {0, 1})
      sum = arith::AddIOp::create(b, sum,
                                  call(name, groups,
                                       {getBytesAt(x, spec.a, byte, 2),
                                        getBytesAt(y, spec.b, byte, 2)}));
    return sum;
  }
  case Form::bytes:
    for (unsigned byte : {0, 1, 2, 3})
      sum = arith::AddIOp::create(
          b, sum,
          arith::MulIOp::create(b, getBytesAt(x, spec.a, byte, 4),
                                getBytesAt(y, spec.b, byte, 4)));
    return sum;
  case Form::amx:
    llvm_unreachable("products of AMX are not of vectors");
  }
  return sum;
}

} // namespace gc::tir
