// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What functions share: kernels and constants.

#include "FunctionEmitter.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace gc;
using namespace gc::cexport;

/// An operand's type in C, and what reads it in Portable.h.
static std::pair<StringRef, StringRef> getNames(DataType type) {
  switch (type) {
  case DataType::f32:
    return {"float", "F32"};
  case DataType::bf16:
    return {"uint16_t", "BF16"};
  case DataType::f16:
    return {"uint16_t", "F16"};
  case DataType::s32:
    return {"int32_t", "S32"};
  case DataType::s8:
    return {"int8_t", "S8"};
  case DataType::u8:
    return {"int8_t", "U8"};
  case DataType::s4:
    return {"int8_t", "S4"};
  case DataType::u4:
    return {"int8_t", "U4"};
  default:
    return {"", ""};
  }
}

/// Whether the fields of gc_blocks say all there is to say about a kernel.
static bool isKnown(const KernelSpec &spec) {
  KernelSpec known;
  known.a = spec.a;
  known.b = spec.b;
  known.c = spec.c;
  known.accumulator = spec.accumulator;
  known.packB = spec.packB;
  known.zeroPointA = spec.zeroPointA;
  known.zeroPointB = spec.zeroPointB;
  known.transposeA = spec.transposeA;
  known.transposeB = spec.transposeB;
  known.m = spec.m;
  known.n = spec.n;
  known.k = spec.k;
  known.lda = spec.lda;
  known.ldb = spec.ldb;
  known.ldc = spec.ldc;
  known.strideA = spec.strideA;
  known.strideB = spec.strideB;
  known.beta = spec.beta;
  known.ldScaleB = spec.ldScaleB;
  known.hasZeroPointsB = spec.hasZeroPointsB;
  return known == spec && (spec.packB == 1 || !spec.transposeB);
}

LogicalResult FunctionEmitter::emitBrgemm(tir::BrgemmOp op) {
  std::optional<KernelSpec> spec = op.getSpec();
  if (!spec)
    return refuse(op, "a kernel that is not dispatched in the function");
  if (spec->batch != BatchForm::stride)
    return refuse(op, "a batch of blocks at listed addresses");
  if (!isKnown(*spec))
    return refuse(op, "a kernel of this kind");
  auto [a, loadA] = getNames(spec->a);
  auto [bType, loadB] = getNames(spec->b);
  auto [c, loadC] = getNames(spec->c);
  auto [sum, unused] = getNames(spec->accumulator);
  bool isResult = spec->c == spec->accumulator || spec->c == DataType::bf16 ||
                  spec->c == DataType::f16;
  if (a.empty() || bType.empty() || c.empty() || sum.empty() || !isResult ||
      (sum == "int32_t" && spec->c != spec->accumulator))
    return refuse(op, "a kernel of these types");

  std::string name = ("brgemm_" + loadA + "_" + loadB + "_" + loadC).str();
  name = StringRef(name).lower();
  std::string &definition = texts.kernels[name];
  if (definition.empty())
    definition =
        ("GC_DEFINE_BRGEMM(" + Twine(name) + ", " + a + ", GC_LOAD_" + loadA +
         ", " + bType + ", GC_LOAD_" + loadB + ",\n                 " + c +
         ", GC_LOAD_" + loadC + ", GC_STORE_" + loadC + ", " + sum + ")\n")
            .str();

  Value ia = linearize(op.getA(), op.getAIndices(), op);
  Value ib = linearize(op.getB(), op.getBIndices(), op);
  Value ic = linearize(op.getC(), op.getCIndices(), op);
  if (!ia || !ib || !ic)
    return failure();
  auto at = [&](Value buffer, Value position) -> Value {
    Value pointer = get(buffer);
    if (auto number = position.getDefiningOp<emitc::LiteralOp>();
        number && number.getValue() == "0")
      return pointer;
    return emitc::AddOp::create(b, pointer.getType(), pointer, position);
  };
  auto opaque = emitc::PointerType::get(
      emitc::OpaqueType::get(b.getContext(), "const float"));
  Value none = literal(opaque, "NULL");
  Value scales = none, zeroPoints = none;
  if (op.getScales()) {
    Value is = linearize(op.getScales(), op.getScaleIndices(), op);
    if (!is)
      return failure();
    scales = at(op.getScales(), is);
    if (op.getZps())
      zeroPoints = at(op.getZps(), is);
  }
  std::string blocks;
  llvm::raw_string_ostream os(blocks);
  os << "&(const gc_blocks){.m = " << spec->m << ", .n = " << spec->n
     << ", .k = " << spec->k << ", .lda = " << spec->lda
     << ", .ldb = " << spec->ldb << ", .ldc = " << spec->ldc
     << ", .pack_b = " << spec->packB;
  auto field = [&](StringRef field, int64_t value) {
    if (value != 0)
      os << ", ." << field << " = " << value;
  };
  field("transpose_a", spec->transposeA);
  field("transpose_b", spec->transposeB);
  field("stride_a", spec->strideA);
  field("stride_b", spec->strideB);
  field("zero_point_a", spec->zeroPointA);
  field("zero_point_b", spec->zeroPointB);
  field("beta", spec->beta);
  field("ld_scale", spec->ldScaleB);
  os << "}";
  auto blocksType = emitc::PointerType::get(
      emitc::OpaqueType::get(b.getContext(), "const gc_blocks"));
  emitc::CallOpaqueOp::create(b, TypeRange(), name,
                              ValueRange{literal(blocksType, blocks),
                                         get(op.getBatch()), at(op.getA(), ia),
                                         at(op.getB(), ib), at(op.getC(), ic),
                                         scales, zeroPoints});
  return success();
}

/// The numbers of a constant, as text.
static LogicalResult print(ElementsAttr value, Type type,
                           llvm::raw_ostream &os) {
  ArrayRef<char> bytes;
  bool isSplat = value.isSplat();
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
    isSplat = false;
  }
  int64_t count = isSplat ? 1 : value.getNumElements();
  bool isBool = type.isInteger(1);
  int64_t size = isBool ? 1 : type.getIntOrFloatBitWidth() / 8;
  SmallVector<char> unpacked;
  if (isBool && isa<DenseElementsAttr>(value)) {
    for (bool bit : cast<DenseElementsAttr>(value).getValues<bool>()) {
      unpacked.push_back(bit);
      if (isSplat)
        break;
    }
    bytes = unpacked;
  }
  if (int64_t(bytes.size()) != count * size)
    return failure();
  for (int64_t i = 0, end = value.getNumElements(); i < end; ++i) {
    const char *at = bytes.data() + (isSplat ? 0 : i) * size;
    os << (i == 0 ? "" : i % 8 == 0 ? ",\n    " : ", ");
    if (type.isF32()) {
      float number;
      memcpy(&number, at, sizeof number);
      if (std::isfinite(number))
        os << llvm::format("%.9g", number)
           << (number == std::floor(number) && std::fabs(number) < 1e8 ? ".0f"
                                                                       : "f");
      else
        os << (number != number ? "NAN"
               : number < 0     ? "-INFINITY"
                                : "INFINITY");
      continue;
    }
    int64_t number = 0;
    memcpy(&number, at, size);
    // Sign extension of what is smaller than the register.
    if (!type.isUnsignedInteger() && size < 8 && !isBool)
      number = int64_t(uint64_t(number) << (64 - 8 * size)) >> (64 - 8 * size);
    if (size == 8 && number == INT64_MIN)
      os << "INT64_MIN";
    else
      os << number;
  }
  return success();
}

LogicalResult FunctionEmitter::emitGlobal(memref::GetGlobalOp op) {
  auto global = dyn_cast_or_null<memref::GlobalOp>(
      SymbolTable::lookupSymbolIn(module, op.getNameAttr()));
  auto value = global ? dyn_cast_or_null<ElementsAttr>(
                            global.getInitialValue().value_or(Attribute()))
                      : ElementsAttr();
  Type type = getScalarType(op.getType().getElementType());
  if (!value || !type)
    return refuse(op, "a constant without a value");
  std::string &name = texts.globals[op.getName()];
  if (name.empty()) {
    name = "constant_" + std::to_string(texts.globals.size() - 1);
    StringRef cType = type.isF32()                 ? "float"
                      : type.isInteger(1)          ? "bool"
                      : type.isUnsignedInteger(16) ? "uint16_t"
                      : type.isUnsignedInteger(8)  ? "uint8_t"
                      : type.isInteger(8)          ? "int8_t"
                      : type.isInteger(16)         ? "int16_t"
                      : type.isInteger(32)         ? "int32_t"
                      : type.isInteger(64)         ? "int64_t"
                                                   : "";
    if (cType.empty())
      return refuse(op, "a constant of this type");
    llvm::raw_string_ostream os(texts.constants);
    os << "static const " << cType << " " << name << "["
       << std::max<int64_t>(value.getNumElements(), 1) << "] = {\n    ";
    if (value.getNumElements() == 0)
      os << "0";
    else if (failed(print(value, type, os)))
      return refuse(op, "a constant that is stored in another way");
    os << "};\n";
  }
  auto pointer = emitc::PointerType::get(type);
  bool isOnlyRead = llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<memref::LoadOp>(user);
  });
  // Nothing writes through other uses, either.
  StringRef before = isOnlyRead     ? ""
                     : type.isF32() ? "((float *)"
                                    : "((void *)";
  values[op] = literal(pointer, before + name + (isOnlyRead ? "" : ")"));
  return success();
}
