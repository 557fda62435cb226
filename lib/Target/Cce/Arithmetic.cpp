// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar arithmetic of the front end.

#include "Emitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace gc::npu;
using namespace gc::npu::cce;

std::string gc::npu::cce::getTypeName(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return getTypeName(memref.getElementType());
  if (type.isF16())
    return "half";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isIndex())
    return "int64_t";
  if (!type.isSignlessInteger())
    return "";
  switch (unsigned width = type.getIntOrFloatBitWidth()) {
  case 1:
    return "bool";
  case 8:
  case 16:
  case 32:
  case 64:
    return "int" + std::to_string(width) + "_t";
  default:
    return "";
  }
}

static std::string formatInteger(int64_t value, unsigned width) {
  if (width == 1)
    return value ? "true" : "false";
  if (value == INT64_MIN)
    return "INT64_MIN";
  std::string text = std::to_string(value);
  return value < 0 ? "(" + text + ")" : text;
}

static std::string formatFloat(const APFloat &value, Type type) {
  std::string text;
  if (value.isNaN()) {
    text = "NAN";
  } else if (value.isInfinity()) {
    text = value.isNegative() ? "-INFINITY" : "INFINITY";
  } else {
    APFloat number = value;
    bool lost = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    // As many digits as are needed to tell any two numbers of the type apart.
    llvm::raw_string_ostream(text) << llvm::format(
        type.isF64() ? "%.17g" : "%.9g", number.convertToDouble());
    if (text.find_first_of(".e") == std::string::npos)
      text += ".0";
    if (!type.isF64())
      text += "f";
  }
  if (type.isF16())
    return "half(" + text + ")";
  return text[0] == '-' ? "(" + text + ")" : text;
}

std::string gc::npu::cce::formatConstant(Type type, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return formatFloat(number.getValue(), type);
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return formatInteger(width == 1 ? number.getValue().getZExtValue()
                                    : number.getValue().getSExtValue(),
                         width);
  }
  return "";
}

static std::string getUnsignedName(Type type) {
  std::string name = getTypeName(type);
  return name == "bool" ? name : "u" + name;
}

std::string Emitter::formatUnsigned(Value value) {
  return "(" + getUnsignedName(value.getType()) + ")" + get(value);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

/// How an op is written: `$0` and so on are its operands, `#0` the same as
/// unsigned numbers, `@` is the result's type.
struct Form {
  StringLiteral op, text;
};

constexpr Form forms[] = {
    {"arith.addf", "$0 + $1"},
    {"arith.subf", "$0 - $1"},
    {"arith.mulf", "$0 * $1"},
    {"arith.divf", "$0 / $1"},
    {"arith.negf", "-$0"},
    {"arith.maximumf", "$0 != $0 || $0 > $1 ? $0 : $1"},
    {"arith.minimumf", "$0 != $0 || $0 < $1 ? $0 : $1"},
    {"arith.maxnumf", "std::fmax($0, $1)"},
    {"arith.minnumf", "std::fmin($0, $1)"},
    // Unsigned: sums of signed numbers may not overflow in C.
    {"arith.addi", "#0 + #1"},
    {"arith.subi", "#0 - #1"},
    {"arith.muli", "#0 * #1"},
    {"arith.divsi", "divide<@>($0, $1)"},
    {"arith.divui", "divide<u@>(#0, #1)"},
    {"arith.remsi", "remainder_of<@>($0, $1)"},
    {"arith.remui", "remainder_of<u@>(#0, #1)"},
    {"arith.floordivsi", "floor_div<@>($0, $1)"},
    {"arith.ceildivsi", "ceil_div<@>($0, $1)"},
    {"arith.ceildivui", "ceil_div<u@>(#0, #1)"},
    {"arith.andi", "$0 & $1"},
    {"arith.ori", "$0 | $1"},
    {"arith.xori", "$0 ^ $1"},
    {"arith.shli", "#0 << $1"},
    {"arith.shrsi", "$0 >> $1"},
    {"arith.shrui", "#0 >> $1"},
    {"arith.maxsi", "$0 > $1 ? $0 : $1"},
    {"arith.minsi", "$0 < $1 ? $0 : $1"},
    {"arith.maxui", "#0 > #1 ? $0 : $1"},
    {"arith.minui", "#0 < #1 ? $0 : $1"},
    {"arith.select", "$0 ? $1 : $2"},
};

StringRef findForm(StringRef op) {
  for (const Form &form : forms)
    if (form.op == op)
      return form.text;
  return "";
}

StringRef getOperator(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return "==";
  case P::ne:
    return "!=";
  case P::slt:
  case P::ult:
    return "<";
  case P::sle:
  case P::ule:
    return "<=";
  case P::sgt:
  case P::ugt:
    return ">";
  case P::sge:
  case P::uge:
    return ">=";
  }
  llvm_unreachable("all predicates are above");
}

/// In terms of $0 and $1.
StringRef getForm(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return "false";
  case P::OEQ:
    return "$0 == $1";
  case P::OGT:
    return "$0 > $1";
  case P::OGE:
    return "$0 >= $1";
  case P::OLT:
    return "$0 < $1";
  case P::OLE:
    return "$0 <= $1";
  case P::ONE:
    return "$0 < $1 || $0 > $1";
  case P::ORD:
    return "$0 == $0 && $1 == $1";
  case P::UEQ:
    return "!($0 < $1 || $0 > $1)";
  case P::UGT:
    return "!($0 <= $1)";
  case P::UGE:
    return "!($0 < $1)";
  case P::ULT:
    return "!($0 >= $1)";
  case P::ULE:
    return "!($0 > $1)";
  case P::UNE:
    return "$0 != $1";
  case P::UNO:
    return "$0 != $0 || $1 != $1";
  case P::AlwaysTrue:
    return "true";
  }
  llvm_unreachable("all predicates are above");
}

} // namespace

/// Puts operands into a form.
template <typename Fn>
static std::string fill(StringRef form, Fn getOperand, StringRef type = "") {
  std::string text;
  for (size_t i = 0; i < form.size(); ++i) {
    bool isPlace = (form[i] == '$' || form[i] == '#') && i + 1 < form.size() &&
                   llvm::isDigit(form[i + 1]);
    if (form[i] == '@') {
      text += type;
      continue;
    }
    if (!isPlace) {
      text += form[i];
      continue;
    }
    text += getOperand(form[i + 1] - '0', form[i] == '#');
    ++i;
  }
  return text;
}

LogicalResult Emitter::emitArithmetic(Operation *op) {
  for (Type type : op->getResultTypes())
    if (getTypeName(type).empty() || isa<MemRefType>(type))
      return op->emitOpError() << "has a result of type " << type
                               << ", which cannot be expressed in C";
  if (op->getNumResults() != 1)
    return op->emitOpError("cannot be expressed in C");
  Value result = op->getResult(0);
  if (Attribute value; matchPattern(op, m_Constant(&value))) {
    names[result] = formatConstant(result.getType(), value);
    return success();
  }
  auto getOperand = [&](unsigned index, bool isUnsigned) {
    Value operand = op->getOperand(index);
    return isUnsigned ? formatUnsigned(operand) : get(operand);
  };
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    bool isUnsigned = cmp.getPredicate() >= arith::CmpIPredicate::ult;
    return define(result, "compare(" + getOperand(0, isUnsigned) + " " +
                              getOperator(cmp.getPredicate()) + " " +
                              getOperand(1, isUnsigned) + ")");
  }
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return define(result, "compare(" +
                              fill(getForm(cmp.getPredicate()), getOperand) +
                              ")");
  StringRef form = findForm(op->getName().getStringRef());
  if (form.empty())
    return emitCast(op);
  std::string type = getTypeName(result.getType());
  std::string text = fill(form, getOperand, type);
  // C computes small integers, and unsigned ones, in different types.
  if (form.contains('#') || type == "int8_t" || type == "int16_t")
    text = "(" + type + ")(" + text + ")";
  return define(result, text);
}

LogicalResult Emitter::emitCast(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (op->getNumOperands() != 1)
    return op->emitOpError("cannot be expressed in C");
  Value operand = op->getOperand(0), result = op->getResult(0);
  std::string type = getTypeName(result.getType());
  if (name == "arith.bitcast")
    return define(result, "bit_cast_to<" + type + ">(" + get(operand) + ")");
  bool isUnsigned = llvm::is_contained({StringRef("arith.extui"),
                                        StringRef("arith.index_castui"),
                                        StringRef("arith.uitofp")},
                                       name);
  bool isSigned = llvm::is_contained(
      {StringRef("arith.extsi"), StringRef("arith.index_cast"),
       StringRef("arith.sitofp"), StringRef("arith.trunci"),
       StringRef("arith.fptosi"), StringRef("arith.extf"),
       StringRef("arith.truncf")},
      name);
  if (isUnsigned)
    return define(result, "(" + type + ")" + formatUnsigned(operand));
  if (name == "arith.fptoui")
    return define(result, "(" + type + ")(" +
                              getUnsignedName(result.getType()) + ")" +
                              get(operand));
  if (!isSigned)
    return op->emitOpError("cannot be expressed in C");
  // A bit as a signed number is 0 or -1, and a bit of a number is its last.
  if (operand.getType().isInteger(1) && !isa<FloatType>(result.getType()))
    return define(result, "-(" + type + ")" + get(operand));
  if (name == "arith.sitofp" && operand.getType().isInteger(1))
    return define(result, get(operand) + " ? -1 : 0");
  if (name == "arith.trunci" && type == "bool")
    return define(result, get(operand) + " & 1");
  // Types of one name are one type.
  if (type == getTypeName(operand.getType())) {
    names[result] = get(operand);
    return success();
  }
  return define(result, "(" + type + ")" + get(operand));
}

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

static std::string formatAffine(AffineExpr expr, ArrayRef<std::string> operands,
                                unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return formatInteger(constant.getValue(), 64);
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = formatAffine(binary.getLHS(), operands, dims),
              rhs = formatAffine(binary.getRHS(), operands, dims);
  // The functions take numbers of one type.
  auto callOn = [&](StringRef name) {
    return (name + "<int64_t>(" + lhs + ", " + rhs + ")").str();
  };
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return "(" + lhs + " + " + rhs + ")";
  case AffineExprKind::Mul:
    return lhs + " * " + rhs;
  case AffineExprKind::Mod:
    return callOn("floor_mod");
  case AffineExprKind::FloorDiv:
    return callOn("floor_div");
  default:
    return callOn("ceil_div");
  }
}

LogicalResult Emitter::emitAffine(Operation *op) {
  AffineMap map;
  StringRef combine;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    map = apply.getAffineMap();
  } else if (auto max = dyn_cast<affine::AffineMaxOp>(op)) {
    map = max.getMap();
    combine = "std::max<int64_t>";
  } else {
    map = cast<affine::AffineMinOp>(op).getMap();
    combine = "std::min<int64_t>";
  }
  Names operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  std::string text;
  for (AffineExpr expr : map.getResults()) {
    std::string part = formatAffine(expr, operands, map.getNumDims());
    text =
        text.empty() ? part : (combine + "(" + text + ", " + part + ")").str();
  }
  StringRef shown = text;
  if (map.getNumResults() == 1 &&
      map.getResult(0).getKind() == AffineExprKind::Add)
    shown = shown.drop_front().drop_back();
  return define(op->getResult(0), shown);
}
