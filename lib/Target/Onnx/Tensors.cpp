// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensors.h"
#include "Known.h"
#include "RawData.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gc;
using namespace gc::onnxio;
using mlir::DenseElementsAttr;
using mlir::ElementsAttr;
using mlir::RankedTensorType;
using ::onnx::TensorProto;

/// Tensors up to this size are attributes, larger ones resources.
static constexpr uint64_t kMaxInlineBytes = 1024;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

mlir::Type onnxio::getElementType(int32_t dataType,
                                  mlir::MLIRContext *context) {
  auto integer = [&](unsigned width, mlir::IntegerType::SignednessSemantics s) {
    return mlir::IntegerType::get(context, width, s);
  };
  switch (dataType) {
  case TensorProto::FLOAT:
    return mlir::Float32Type::get(context);
  case TensorProto::FLOAT16:
    return mlir::Float16Type::get(context);
  case TensorProto::BFLOAT16:
    return mlir::BFloat16Type::get(context);
  case TensorProto::DOUBLE:
    return mlir::Float64Type::get(context);
  case TensorProto::UINT8:
    return integer(8, mlir::IntegerType::Unsigned);
  case TensorProto::INT8:
    return integer(8, mlir::IntegerType::Signed);
  case TensorProto::INT32:
    return integer(32, mlir::IntegerType::Signed);
  case TensorProto::INT64:
    return integer(64, mlir::IntegerType::Signed);
  case TensorProto::BOOL:
    return integer(1, mlir::IntegerType::Signless);
  default:
    return nullptr;
  }
}

std::optional<int32_t> onnxio::getDataType(mlir::Type element) {
  for (int32_t type = 0; type < ::onnx::TensorProto_DataType_DataType_ARRAYSIZE;
       ++type)
    if (getElementType(type, element.getContext()) == element)
      return type;
  return std::nullopt;
}

std::string onnxio::getTypeName(int32_t dataType) {
  if (!::onnx::TensorProto_DataType_IsValid(dataType))
    return "number " + std::to_string(dataType);
  return StringRef(::onnx::TensorProto_DataType_Name(
                       static_cast<::onnx::TensorProto_DataType>(dataType)))
      .lower();
}

/// Packs the values of a typed field, `T` each.
template <typename T, typename Field>
static std::string pack(const Field &field) {
  std::string bytes(field.size() * sizeof(T), '\0');
  for (auto [i, value] : enumerate(field)) {
    T narrow = static_cast<T>(value);
    std::memcpy(bytes.data() + i * sizeof(T), &narrow, sizeof(T));
  }
  return bytes;
}

/// The bytes of a tensor that has its values in a typed field.
static std::string packTyped(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return pack<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return pack<double>(tensor.double_data());
  case TensorProto::INT64:
    return pack<int64_t>(tensor.int64_data());
  case TensorProto::INT32:
    return pack<int32_t>(tensor.int32_data());
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return pack<uint16_t>(tensor.int32_data());
  default:
    return pack<uint8_t>(tensor.int32_data());
  }
}

/// Maps the bytes of an external tensor.
static Expected<std::unique_ptr<MemoryBuffer>>
mapExternal(const TensorProto &tensor, uint64_t size, StringRef folder) {
  StringRef location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &entry : tensor.external_data()) {
    StringRef value = entry.value();
    uint64_t number = 0;
    if (entry.key() == "location")
      location = value;
    else if (entry.key() != "offset" && entry.key() != "length")
      continue;
    else if (value.getAsInteger(10, number))
      return makeError(entry.key() + " '" + value +
                       "' of external data is not "
                       "a number");
    else if (entry.key() == "offset")
      offset = number;
    else
      length = number;
  }
  auto outside = [&] {
    return makeError("external data '" + location +
                     "' is not a file in the model's folder");
  };
  // A name with a zero byte would end there for the system.
  if (location.empty() || location.contains('\0') ||
      sys::path::is_absolute(location))
    return outside();
  for (StringRef part :
       make_range(sys::path::begin(location), sys::path::end(location)))
    if (part == "..")
      return outside();
  SmallString<128> path(folder.empty() ? "." : folder), root, real;
  if (sys::fs::real_path(path, root))
    return outside();
  sys::path::append(path, location);
  if (sys::fs::real_path(path, real) || !sys::fs::is_regular_file(real))
    return outside();
  StringRef below = real;
  if (!below.consume_front(root) || (root != "/" && !below.starts_with("/")))
    return outside();
  uint64_t bytes = 0;
  if (std::error_code error = sys::fs::file_size(real, bytes))
    return makeError(location + ": " + error.message());
  if (offset > bytes || length.value_or(bytes - offset) > bytes - offset)
    return makeError("external data reaches beyond the end of '" + location +
                     "'");
  if (length.value_or(bytes - offset) != size)
    return makeError("external data has " +
                     Twine(length.value_or(bytes - offset)) +
                     " bytes, the tensor " + Twine(size));
  auto buffer = MemoryBuffer::getFileSlice(real, size, offset);
  if (!buffer)
    return makeError(location + ": " + buffer.getError().message());
  return std::move(*buffer);
}

/// The attribute of bytes that have been checked; `owner` keeps them. Its data
/// is as aligned as the bytes are; files that it is written to align it.
template <typename Owner>
static ElementsAttr makeElements(RankedTensorType type, ArrayRef<char> bytes,
                                 Owner owner) {
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  // Integers may be shapes, which are read here.
  bool isSmall =
      bytes.size() <= kMaxInlineBytes || (type.getElementType().isInteger(64) &&
                                          type.getNumElements() <= kMaxFolded);
  unsigned width = type.getElementTypeBitWidth() / 8;
  if (isSmall)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return mlir::DenseResourceElementsAttr::get(
      type, "onnx",
      mlir::AsmResourceBlob(
          bytes, width, [owner = std::move(owner)](void *, size_t, size_t) {},
          /*dataIsMutable=*/false));
}

/// Calls `take` with the type of a tensor and the number of its bytes.
static Expected<ElementsAttr> withType(
    const TensorProto &tensor, mlir::MLIRContext *context,
    function_ref<Expected<ElementsAttr>(RankedTensorType, uint64_t)> take) {
  mlir::Type element = getElementType(tensor.data_type(), context);
  if (!element)
    return makeError("element type " + getTypeName(tensor.data_type()) +
                     " is not supported");
  if (size_t(tensor.dims_size()) > kMaxRank)
    return makeError("has more than " + Twine(kMaxRank) + " dimensions");
  uint64_t size = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  SmallVector<int64_t> shape;
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return makeError("has a negative size");
    if ((size = SaturatingMultiply(size, uint64_t(dim))) >> 62)
      return makeError("is too large");
    shape.push_back(dim);
  }
  return take(RankedTensorType::get(shape, element), size);
}

static Error checkSize(uint64_t found, uint64_t size) {
  return found == size
             ? Error::success()
             : makeError("has " + Twine(found) +
                         " bytes of values instead of " + Twine(size));
}

Expected<ElementsAttr> onnxio::takeTensor(TensorProto &tensor, StringRef folder,
                                          mlir::MLIRContext *context) {
  return withType(
      tensor, context,
      [&](RankedTensorType type, uint64_t size) -> Expected<ElementsAttr> {
        if (tensor.data_location() == TensorProto::EXTERNAL) {
          auto buffer = mapExternal(tensor, size, folder);
          if (!buffer)
            return buffer.takeError();
          StringRef bytes = (*buffer)->getBuffer();
          return makeElements(type, ArrayRef<char>(bytes.data(), size),
                              std::move(*buffer));
        }
        auto bytes = std::make_unique<std::string>();
        if (tensor.has_raw_data())
          *bytes = std::move(*tensor.mutable_raw_data());
        else
          *bytes = packTyped(tensor);
        if (Error error = checkSize(bytes->size(), size))
          return error;
        ArrayRef<char> values(bytes->data(), size);
        return makeElements(type, values, std::move(bytes));
      });
}

Expected<ElementsAttr> onnxio::takeTensor(TensorProto &tensor,
                                          const StringRef *rawData,
                                          std::shared_ptr<const void> owner,
                                          StringRef folder,
                                          mlir::MLIRContext *context) {
  // A tensor that says so has its values there all the same.
  if (!rawData || tensor.data_location() == TensorProto::EXTERNAL)
    return takeTensor(tensor, folder, context);
  StringRef bytes = *rawData;
  // Whoever frees the attribute's data has been the last to read it.
  auto part = std::shared_ptr<const void>(
      bytes.data(),
      [owner = std::move(owner), bytes](const void *) { discard(bytes); });
  return withType(
      tensor, context,
      [&](RankedTensorType type, uint64_t size) -> Expected<ElementsAttr> {
        if (Error error = checkSize(bytes.size(), size))
          return error;
        return makeElements(type, ArrayRef<char>(bytes.data(), size), part);
      });
}

std::optional<SmallVector<int64_t>> onnxio::getInts(ElementsAttr tensor) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(tensor);
  if (!dense || !dense.getElementType().isIntOrIndex() ||
      dense.getNumElements() > kMaxFolded)
    return std::nullopt;
  bool isUnsigned = dense.getElementType().isUnsignedInteger() ||
                    dense.getElementType().isInteger(1);
  SmallVector<int64_t> values;
  for (const APInt &value : dense.getValues<APInt>())
    values.push_back(isUnsigned ? int64_t(value.getZExtValue())
                                : value.getSExtValue());
  return values;
}

std::optional<ArrayRef<char>> onnxio::getRawBytes(ElementsAttr tensor,
                                                  std::vector<char> &storage) {
  if (auto resource =
          dyn_cast_or_null<mlir::DenseResourceElementsAttr>(tensor)) {
    auto *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional<ArrayRef<char>>(blob->getData()) : std::nullopt;
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(tensor);
  if (!dense || dense.getElementType().getIntOrFloatBitWidth() < 4)
    return std::nullopt;
  ArrayRef<char> bytes = dense.getRawData();
  if (!dense.isSplat())
    return bytes;
  storage.clear();
  for (int64_t i = 0; i < dense.getNumElements(); ++i)
    storage.insert(storage.end(), bytes.begin(), bytes.end());
  return ArrayRef<char>(storage);
}
