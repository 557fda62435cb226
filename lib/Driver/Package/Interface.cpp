// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interface.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/Package.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace gc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::string gc::makeIdentifier(llvm::StringRef text, llvm::StringRef prefix) {
  static const llvm::StringSet<> kReserved = {"alignas",
                                              "alignof",
                                              "and",
                                              "and_eq",
                                              "asm",
                                              "auto",
                                              "bitand",
                                              "bitor",
                                              "bool",
                                              "break",
                                              "case",
                                              "catch",
                                              "char",
                                              "class",
                                              "compl",
                                              "const",
                                              "const_cast",
                                              "constexpr",
                                              "continue",
                                              "decltype",
                                              "default",
                                              "delete",
                                              "do",
                                              "double",
                                              "dynamic_cast",
                                              "else",
                                              "enum",
                                              "explicit",
                                              "export",
                                              "extern",
                                              "false",
                                              "float",
                                              "for",
                                              "friend",
                                              "goto",
                                              "if",
                                              "inline",
                                              "int",
                                              "int8_t",
                                              "int32_t",
                                              "int64_t",
                                              "long",
                                              "mutable",
                                              "main",
                                              "namespace",
                                              "new",
                                              "noexcept",
                                              "not",
                                              "not_eq",
                                              "nullptr",
                                              "operator",
                                              "or",
                                              "or_eq",
                                              "private",
                                              "protected",
                                              "public",
                                              "register",
                                              "reinterpret_cast",
                                              "restrict",
                                              "return",
                                              "short",
                                              "signed",
                                              "sizeof",
                                              "static",
                                              "static_assert",
                                              "static_cast",
                                              "struct",
                                              "switch",
                                              "template",
                                              "this",
                                              "thread_local",
                                              "throw",
                                              "true",
                                              "try",
                                              "typedef",
                                              "typeid",
                                              "typename",
                                              "typeof",
                                              "uint8_t",
                                              "uint16_t",
                                              "uint64_t",
                                              "union",
                                              "unsigned",
                                              "using",
                                              "virtual",
                                              "void",
                                              "volatile",
                                              "wchar_t",
                                              "while",
                                              "xor",
                                              "xor_eq",
                                              "linux",
                                              "unix",
                                              "inline"};
  std::string result;
  for (char c : text)
    result +=
        llvm::isAlnum(c) && (static_cast<unsigned char>(c) < 128) ? c : '_';
  // What begins with an underscore may belong to the implementation.
  if (result.empty() || llvm::isDigit(result[0]) || result[0] == '_')
    result = prefix.str() + result;
  if (kReserved.contains(result))
    result += "_";
  return result;
}

std::string PackageTensor::describe() const {
  std::string text =
      type + " [" +
      llvm::join(llvm::map_range(
                     shape, [](int64_t size) { return std::to_string(size); }),
                 ", ") +
      "]";
  if (!strides.empty())
    text += ", strides [" +
            llvm::join(llvm::map_range(strides,
                                       [](int64_t stride) {
                                         return std::to_string(stride);
                                       }),
                       ", ") +
            "]";
  return text;
}

namespace {

struct TypeNames {
  llvm::StringLiteral type, fileType, cType;
  int64_t bytes;
};

} // namespace

/// Types without a name in C travel as integers of their size.
static std::optional<TypeNames> getTypeNames(mlir::Type type) {
  if (type.isF32())
    return TypeNames{"f32", "F32", "float", 4};
  if (type.isBF16())
    return TypeNames{"bf16", "BF16", "uint16_t", 2};
  if (type.isF16())
    return TypeNames{"f16", "F16", "uint16_t", 2};
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return TypeNames{"f8_e5m2", "F8_E5M2", "uint8_t", 1};
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return TypeNames{"f8_e4m3", "F8_E4M3", "uint8_t", 1};
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return TypeNames{"boolean", "BOOL", "uint8_t", 1};
  case 4:
    return integer.isUnsigned() ? TypeNames{"u4", "U8", "uint8_t", 1}
                                : TypeNames{"s4", "I8", "int8_t", 1};
  case 8:
    return integer.isUnsigned() ? TypeNames{"u8", "U8", "uint8_t", 1}
                                : TypeNames{"s8", "I8", "int8_t", 1};
  case 32:
    return TypeNames{"s32", "I32", "int32_t", 4};
  case 64:
    return TypeNames{"u64", "U64", "uint64_t", 8};
  default:
    return std::nullopt;
  }
}

static llvm::Expected<PackageTensor> describeTensor(const ValueInfo &value) {
  auto names = getTypeNames(value.type.getElementType());
  if (!names) {
    std::string text;
    llvm::raw_string_ostream(text) << value.type.getElementType();
    return makeError("'" + value.name + "' has elements of type " + text +
                     ", which a C program cannot pass");
  }
  PackageTensor tensor;
  tensor.name = value.name;
  tensor.type = names->type.str();
  tensor.fileType = names->fileType.str();
  tensor.cType = names->cType.str();
  tensor.shape.assign(value.type.getShape().begin(),
                      value.type.getShape().end());
  tensor.isConstant = value.isConstant;
  graph::LayoutAttr layout = graph::getLayout(value.type);
  auto plain = graph::getPlainStrides(tensor.shape);
  llvm::SmallVector<int64_t> strides(plain.begin(), plain.end());
  if (layout && layout.isStrided()) {
    strides.assign(layout.getStrides().begin(), layout.getStrides().end());
    if (llvm::ArrayRef(strides) != llvm::ArrayRef<int64_t>(plain))
      tensor.strides.assign(strides.begin(), strides.end());
  }
  int64_t last = 0;
  bool overflow = false, isEmpty = false;
  for (auto [size, stride] : llvm::zip_equal(tensor.shape, strides)) {
    int64_t distance = 0;
    isEmpty |= size == 0;
    overflow |= llvm::MulOverflow(size - 1, stride, distance) != 0;
    overflow |= llvm::AddOverflow(last, distance, last) != 0;
  }
  if (!isEmpty)
    overflow |= llvm::MulOverflow(last + 1, names->bytes, tensor.bytes) != 0;
  if (overflow)
    return makeError("'" + value.name + "' is larger than the address space");
  return tensor;
}

llvm::Error gc::describeTensors(mlir::func::FuncOp entry,
                                PackageInterface &package) {
  auto inputs = getInputInfo(entry);
  if (!inputs)
    return inputs.takeError();
  auto outputs = getOutputInfo(entry);
  if (!outputs)
    return outputs.takeError();
  for (auto [infos, tensors] : {std::pair(&*inputs, &package.inputs),
                                std::pair(&*outputs, &package.outputs)})
    for (const ValueInfo &info : *infos) {
      auto tensor = describeTensor(info);
      if (!tensor)
        return tensor.takeError();
      tensors->push_back(std::move(*tensor));
    }
  return llvm::Error::success();
}

void gc::nameParameters(PackageInterface &package) {
  // Names of other parameters, and of macros, which are in upper case.
  llvm::StringSet<> used = {"executor", "threads", "arena", "constant"};
  for (auto *tensors : {&package.inputs, &package.outputs})
    for (PackageTensor &tensor : *tensors) {
      if (tensor.isInFile)
        continue;
      std::string identifier = makeIdentifier(tensor.name, "t");
      // Headers of C have macros like this, <stdint.h> above all.
      if (identifier.size() > 2 &&
          identifier == llvm::StringRef(identifier).upper())
        identifier += "_";
      while (!used.insert(llvm::StringRef(identifier).lower()).second)
        identifier += "_";
      tensor.identifier = identifier;
    }
}
