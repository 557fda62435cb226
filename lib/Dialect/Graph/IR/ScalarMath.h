// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on scalars or vectors alike, for the bodies of elementwise ops.

#ifndef GC_LIB_DIALECT_GRAPH_IR_SCALARMATH_H
#define GC_LIB_DIALECT_GRAPH_IR_SCALARMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

namespace gc::graph {

struct ScalarMath {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

  static bool isFloat(mlir::Value value) {
    return mlir::isa<mlir::FloatType>(
        mlir::getElementTypeOrSelf(value.getType()));
  }
  /// The scalar or vector type like `type` with another element type.
  static mlir::Type withElement(mlir::Type type, mlir::Type element) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    return shaped ? mlir::Type(shaped.clone(element)) : element;
  }

  /// The scalar attribute as a value of `type`, in all lanes of a vector.
  mlir::Value constant(mlir::TypedAttr scalar, mlir::Type type) {
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
      scalar = mlir::DenseElementsAttr::get(shaped, mlir::Attribute(scalar));
    return make<mlir::arith::ConstantOp>(scalar);
  }
  mlir::Value constant(double value, mlir::Value like) {
    return constant(
        builder.getFloatAttr(mlir::getElementTypeOrSelf(like.getType()), value),
        like.getType());
  }
  mlir::Value integer(const llvm::APInt &value, mlir::Type type) {
    return constant(
        builder.getIntegerAttr(mlir::getElementTypeOrSelf(type), value), type);
  }

  mlir::arith::FastMathFlagsAttr anyZero() {
    return mlir::arith::FastMathFlagsAttr::get(builder.getContext(),
                                               mlir::arith::FastMathFlags::nsz);
  }

  using Value = mlir::Value;
  Value add(Value a, Value b) { return make<mlir::arith::AddFOp>(a, b); }
  Value mul(Value a, Value b) { return make<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return make<mlir::arith::DivFOp>(a, b); }
  /// Which of two zeros is taken is not worth an instruction.
  Value max(Value a, Value b) {
    return make<mlir::arith::MaximumFOp>(a, b, anyZero());
  }
  Value min(Value a, Value b) {
    return make<mlir::arith::MinimumFOp>(a, b, anyZero());
  }
  Value exp(Value a) { return make<mlir::math::ExpOp>(a); }
  Value abs(Value a) { return make<mlir::math::AbsFOp>(a); }
  Value negate(Value a) { return make<mlir::arith::NegFOp>(a); }
  Value select(mlir::arith::CmpFPredicate predicate, Value a, Value b,
               Value yes, Value no) {
    Value condition = make<mlir::arith::CmpFOp>(predicate, a, b);
    return make<mlir::arith::SelectOp>(condition, yes, no);
  }
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_SCALARMATH_H
