// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// #tir.kernel: the text form of a KernelSpec, and its rules.

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Support/DataTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;
using namespace gc::tir;

#include "Dialect/TensorIR/IR/TensorIREnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Dialect/TensorIR/IR/TensorIRAttrs.cpp.inc"

void TensorIRDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/TensorIR/IR/TensorIRAttrs.cpp.inc"
      >();
}

llvm::hash_code gc::hash_value(const KernelSpec &s) {
  return llvm::hash_combine(
      llvm::hash_combine(s.a, s.b, s.c, s.accumulator, s.packA, s.packB,
                         s.zeroPointA, s.zeroPointB, s.transposeA, s.transposeB,
                         s.batch, s.ldScaleB, s.hasZeroPointsB),
      llvm::hash_combine(s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.strideA,
                         s.strideB, s.beta));
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

constexpr DataType kTypes[] = {DataType::f32, DataType::bf16, DataType::f16,
                               DataType::s8,  DataType::u8,   DataType::s32,
                               DataType::s4,  DataType::u4};

Type tir::getStorageType(MLIRContext *context, DataType type) {
  Type element = gc::getElementType(context, type);
  return element.isInteger() ? IntegerType::get(context, 8 * getBytes(type))
                             : element;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// One of some named values, as a keyword.
template <typename T, size_t size>
ParseResult parseName(AsmParser &parser, StringRef what,
                      const T (&values)[size], T &result) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseOptionalKeyword(&keyword).succeeded())
    for (T value : values)
      if (gc::getName(value) == keyword) {
        result = value;
        return success();
      }
  InFlightDiagnostic error = parser.emitError(loc, "expected ") << what << ":";
  for (T value : values)
    error << " " << gc::getName(value);
  return error;
}

struct Number {
  StringRef name;
  int64_t KernelSpec::*field;
  /// What a field has that is not written; nothing if it must be.
  std::optional<int64_t> standard = {};
};

/// In the order in which they are printed.
const Number kNumbers[] = {
    {"m", &KernelSpec::m},
    {"n", &KernelSpec::n},
    {"k", &KernelSpec::k},
    {"lda", &KernelSpec::lda},
    {"ldb", &KernelSpec::ldb},
    {"ldc", &KernelSpec::ldc},
    {"pack_a", &KernelSpec::packA, 1},
    {"pack_b", &KernelSpec::packB, 1},
    {"zp_a", &KernelSpec::zeroPointA, 0},
    {"zp_b", &KernelSpec::zeroPointB, 0},
    {"stride_a", &KernelSpec::strideA, 0},
    {"stride_b", &KernelSpec::strideB, 0},
    {"beta", &KernelSpec::beta},
    {"ld_scale_b", &KernelSpec::ldScaleB, 0},
};

} // namespace

Attribute KernelSpecAttr::parse(AsmParser &parser, Type) {
  KernelSpec spec;
  auto parseType = [&](DataType &type) {
    return parseName(parser, "an element type of kernels", kTypes, type);
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseType(spec.a) || parser.parseKeyword("x") ||
      parseType(spec.b) || parser.parseArrow() || parseType(spec.c) ||
      parser.parseKeyword("acc") || parseType(spec.accumulator))
    return {};
  llvm::StringSet<> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc at = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return {};
    if (!seen.insert(key).second) {
      parser.emitError(at, "'") << key << "' is given twice";
      return {};
    }
    const Number *number = llvm::find_if(
        kNumbers, [&](const Number &number) { return number.name == key; });
    ParseResult parsed = success();
    if (number != std::end(kNumbers))
      parsed = failure(parser.parseEqual() ||
                       parser.parseInteger(spec.*(number->field)));
    else if (key == "transpose_a")
      spec.transposeA = true;
    else if (key == "transpose_b")
      spec.transposeB = true;
    else if (key == "zps_b")
      spec.hasZeroPointsB = true;
    else if (key == "batch")
      parsed = failure(
          parser.parseEqual() ||
          parseName(parser, "a form of batch",
                    {BatchForm::stride, BatchForm::offset, BatchForm::address},
                    spec.batch));
    else
      parsed = parser.emitError(at, "'")
               << key << "' is not a field of a kernel";
    if (parsed)
      return {};
  }
  for (const Number &number : kNumbers)
    if (!number.standard && !seen.contains(number.name)) {
      parser.emitError(loc, "kernel without '") << number.name << "'";
      return {};
    }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<KernelSpecAttr>(loc, parser.getContext(), spec);
}

void KernelSpecAttr::print(AsmPrinter &printer) const {
  const KernelSpec spec = getValue();
  printer << "<" << getName(spec.a) << " x " << getName(spec.b) << " -> "
          << getName(spec.c) << " acc " << getName(spec.accumulator);
  for (const Number &number : kNumbers) {
    if (number.field == &KernelSpec::packA) {
      if (spec.transposeA)
        printer << ", transpose_a";
      if (spec.transposeB)
        printer << ", transpose_b";
    }
    if (number.field == &KernelSpec::strideA && spec.batch != BatchForm::stride)
      printer << ", batch = " << getName(spec.batch);
    if (number.standard != spec.*(number.field))
      printer << ", " << number.name << " = " << spec.*(number.field);
  }
  if (spec.hasZeroPointsB)
    printer << ", zps_b";
  printer << ">";
}

LogicalResult
KernelSpecAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       KernelSpec spec) {
  if (StringRef error = spec.findError(); !error.empty())
    return emitError() << error;
  return success();
}
