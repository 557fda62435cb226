// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Divisions of the front end that would trap on the host's processor.

#include "CallBuilder.h"
#include "NpuToLLVMImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// Bits of an integer or an index.
static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static Value makeConstant(ImplicitLocOpBuilder &b, Type type,
                          const APInt &value) {
  return arith::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
}

void gc::npu::guardDivisions(func::FuncOp kernel, int32_t &nextLocation) {
  kernel.walk([&](Operation *op) {
    bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
    if (!isSigned && !isa<arith::DivUIOp, arith::RemUIOp>(op))
      return;
    Value divisor = op->getOperand(1);
    APInt constant;
    if (matchPattern(divisor, m_ConstantInt(&constant)) && !constant.isZero() &&
        !constant.isAllOnes())
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Type type = divisor.getType();
    unsigned width = getWidth(type);
    auto isEqual = [&](Value value, const APInt &to) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                                   makeConstant(b, type, to));
    };
    Value isDivisor =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, divisor,
                              makeConstant(b, type, APInt::getZero(width)));
    CallBuilder c(kernel, op);
    c.call("gc_npu_check_divisor",
           {c.i32(nextLocation++),
            arith::ExtUIOp::create(b, b.getI64Type(), isDivisor)});
    if (!isSigned)
      return;
    Value overflows = arith::AndIOp::create(
        b, isEqual(divisor, APInt::getAllOnes(width)),
        isEqual(op->getOperand(0), APInt::getSignedMinValue(width)));
    op->setOperand(
        1, arith::SelectOp::create(
               b, overflows, makeConstant(b, type, APInt(width, 1)), divisor));
  });
}
