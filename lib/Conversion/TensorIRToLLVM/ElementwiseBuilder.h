// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on scalars or vectors of any shape, written like formulas.

#ifndef GC_LIB_CONVERSION_TENSORIRTOLLVM_ELEMENTWISEBUILDER_H
#define GC_LIB_CONVERSION_TENSORIRTOLLVM_ELEMENTWISEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace gc {

/// Builds elementwise operations on values shaped like one operand. Integers
/// are as wide as the floats they go with.
class ElementwiseBuilder {
public:
  /// `like` is a float or a vector of floats; f32() values have its type.
  ElementwiseBuilder(mlir::Location loc, mlir::OpBuilder &builder,
                     mlir::Type like)
      : b(loc, builder), like(like) {}

  mlir::Value real(double value, mlir::Type element = {}) {
    mlir::FloatType type = mlir::cast<mlir::FloatType>(
        element ? element : mlir::getElementTypeOrSelf(like));
    return constant(b.getFloatAttr(type, value));
  }
  mlir::Value real64(double value) { return real(value, b.getF64Type()); }
  mlir::Value integer(int64_t value, unsigned bits = 32) {
    return constant(b.getIntegerAttr(b.getIntegerType(bits), value));
  }

  mlir::Value add(mlir::Value x, mlir::Value y) {
    return isFloat(x) ? mlir::Value(mlir::arith::AddFOp::create(b, x, y))
                      : mlir::Value(mlir::arith::AddIOp::create(b, x, y));
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return isFloat(x) ? mlir::Value(mlir::arith::SubFOp::create(b, x, y))
                      : mlir::Value(mlir::arith::SubIOp::create(b, x, y));
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, x, y);
  }
  /// x * y + z; one instruction where the processor has it, two elsewhere (and
  /// never a call, as math.fma would be).
  mlir::Value mulAdd(mlir::Value x, mlir::Value y, mlir::Value z) {
    auto contract = mlir::arith::FastMathFlagsAttr::get(
        b.getContext(), mlir::arith::FastMathFlags::contract);
    mlir::Value product = mlir::arith::MulFOp::create(b, x, y, contract);
    return mlir::arith::AddFOp::create(b, product, z, contract);
  }
  /// c[0] + c[1] x + c[2] x^2 ...
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> c) {
    mlir::Type element = mlir::getElementTypeOrSelf(x);
    mlir::Value result = real(c.back(), element);
    for (double coefficient : llvm::reverse(c.drop_back()))
      result = mulAdd(result, x, real(coefficient, element));
    return result;
  }

  mlir::Value abs(mlir::Value x) { return mlir::math::AbsFOp::create(b, x); }
  mlir::Value copySign(mlir::Value x, mlir::Value sign) {
    return mlir::math::CopySignOp::create(b, x, sign);
  }
  /// The smaller; x if it is NaN. One instruction on x86.
  mlir::Value atMost(mlir::Value x, mlir::Value bound) {
    return select(compare(mlir::arith::CmpFPredicate::OLT, bound, x), bound, x);
  }
  mlir::Value atLeast(mlir::Value x, mlir::Value bound) {
    return select(compare(mlir::arith::CmpFPredicate::OGT, bound, x), bound, x);
  }

  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value equal(mlir::Value x, mlir::Value y) {
    return compare(mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  mlir::Value isNaN(mlir::Value x) {
    return compare(mlir::arith::CmpFPredicate::UNO, x, x);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return mlir::arith::AndIOp::create(b, x, y);
  }
  mlir::Value either(mlir::Value x, mlir::Value y) {
    return mlir::arith::OrIOp::create(b, x, y);
  }
  mlir::Value differ(mlir::Value x, mlir::Value y) {
    return mlir::arith::XOrIOp::create(b, x, y);
  }

  mlir::Value bitsOf(mlir::Value x) {
    unsigned width = mlir::getElementTypeOrSelf(x).getIntOrFloatBitWidth();
    return mlir::arith::BitcastOp::create(
        b, withElement(b.getIntegerType(width)), x);
  }
  mlir::Value fromBits(mlir::Value x) {
    bool wide = mlir::getElementTypeOrSelf(x).isInteger(64);
    return mlir::arith::BitcastOp::create(
        b,
        withElement(wide ? mlir::Type(b.getF64Type())
                         : mlir::Type(b.getF32Type())),
        x);
  }
  mlir::Value shiftLeft(mlir::Value x, mlir::Value amount) {
    return mlir::arith::ShLIOp::create(b, x, amount);
  }
  mlir::Value shiftRight(mlir::Value x, mlir::Value amount) {
    return mlir::arith::ShRSIOp::create(b, x, amount);
  }
  mlir::Value toReal(mlir::Value x) {
    return mlir::arith::SIToFPOp::create(b, withElement(b.getF32Type()), x);
  }
  mlir::Value widen(mlir::Value x) {
    return mlir::arith::ExtFOp::create(b, withElement(b.getF64Type()), x);
  }
  mlir::Value narrow(mlir::Value x) {
    return mlir::arith::TruncFOp::create(b, withElement(b.getF32Type()), x);
  }
  mlir::Value roundEven(mlir::Value x) {
    return mlir::math::RoundEvenOp::create(b, x);
  }
  mlir::Value squareRoot(mlir::Value x) {
    return mlir::math::SqrtOp::create(b, x);
  }

private:
  static bool isFloat(mlir::Value x) {
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(x));
  }
  mlir::Type withElement(mlir::Type element) {
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(like))
      return shaped.clone(element);
    return element;
  }
  mlir::Value constant(mlir::TypedAttr value) {
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(like))
      value = mlir::DenseElementsAttr::get(shaped.clone(value.getType()),
                                           mlir::Attribute(value));
    return mlir::arith::ConstantOp::create(b, value);
  }

  mlir::ImplicitLocOpBuilder b;
  mlir::Type like;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_TENSORIRTOLLVM_ELEMENTWISEBUILDER_H
