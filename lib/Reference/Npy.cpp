// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace gc::reference;
using namespace mlir;

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");

namespace {
/// What the header says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
};

/// Parses the header: a Python dictionary with the keys descr, fortran_order
/// and shape.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  LogicalResult parse(Header &header);

private:
  bool consume(char c) {
    text = text.ltrim();
    return text.consume_front(StringRef(&c, 1));
  }
  LogicalResult parseString(StringRef &value);
  LogicalResult parseShape(SmallVectorImpl<int64_t> &shape);

  StringRef text;
};
} // namespace

LogicalResult HeaderParser::parseString(StringRef &value) {
  text = text.ltrim();
  char quote = text.empty() ? 0 : text.front();
  if (quote != '\'' && quote != '"')
    return failure();
  size_t end = text.find(quote, 1);
  if (end == StringRef::npos)
    return failure();
  value = text.slice(1, end);
  text = text.drop_front(end + 1);
  return success();
}

LogicalResult HeaderParser::parseShape(SmallVectorImpl<int64_t> &shape) {
  if (!consume('('))
    return failure();
  while (!consume(')')) {
    int64_t size;
    text = text.ltrim();
    if (text.consumeInteger(10, size) || size < 0)
      return failure();
    shape.push_back(size);
    if (!consume(',')) {
      // One dimension needs a comma to be a tuple at all.
      return success(shape.size() > 1 && consume(')'));
    }
  }
  return success();
}

LogicalResult HeaderParser::parse(Header &header) {
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!consume('{'))
    return failure();
  while (!consume('}')) {
    StringRef key, value;
    if (failed(parseString(key)) || !consume(':'))
      return failure();
    if (key == "descr" && !hasDescr) {
      hasDescr = true;
      if (failed(parseString(value)))
        return failure();
      header.descr = value.str();
    } else if (key == "fortran_order" && !hasOrder) {
      hasOrder = true;
      text = text.ltrim();
      header.fortranOrder = text.consume_front("True");
      if (!header.fortranOrder && !text.consume_front("False"))
        return failure();
    } else if (key == "shape" && !hasShape) {
      hasShape = true;
      if (failed(parseShape(header.shape)))
        return failure();
    } else {
      return failure();
    }
    if (!consume(',')) {
      if (!consume('}'))
        return failure();
      break;
    }
  }
  return success(hasDescr && hasOrder && hasShape && text.trim().empty());
}

namespace {
/// The type that elements of a file are read as; `isLong`: they are int64.
struct FileType {
  ElementType type;
  bool isLong = false;

  int64_t getBytes() const { return isLong ? 8 : getInfo(type).bytes; }
};
} // namespace

/// The element type of a type string such as "<f4".
static std::optional<FileType> parseDescr(StringRef descr) {
  if (descr.empty())
    return std::nullopt;
  bool isBigEndian = descr.front() == '>';
  if (StringRef("<>|=").contains(descr.front()))
    descr = descr.drop_front();
  if (descr == "i8" && !isBigEndian)
    return FileType{ElementType::S32, /*isLong=*/true};
  if (descr == "u2") // bf16 as its bits
    descr = "V2";
  if (descr == "V1" || descr == "f1") // f8, of either kind
    descr = "u1";
  for (ElementType type :
       {ElementType::F32, ElementType::BF16, ElementType::F16, ElementType::F64,
        ElementType::S32, ElementType::U64, ElementType::S8, ElementType::U8,
        ElementType::Boolean}) {
    const ElementTypeInfo &info = getInfo(type);
    if (descr == info.npy && !(isBigEndian && info.bytes > 1))
      return FileType{type};
  }
  return std::nullopt;
}

/// Integers of 64 bits as ones of 32; stops before one that does not fit.
static std::vector<int32_t> narrow(StringRef bytes) {
  std::vector<int32_t> values(bytes.size() / 8);
  for (size_t i = 0; i < values.size(); ++i) {
    auto value = static_cast<int64_t>(
        llvm::support::endian::read64le(bytes.data() + 8 * i));
    if (!llvm::isInt<32>(value)) {
      values.resize(i);
      break;
    }
    values[i] = static_cast<int32_t>(value);
  }
  return values;
}

FailureOr<Tensor> gc::reference::readNpy(StringRef path, std::string &error) {
  auto fail = [&](const Twine &message) -> FailureOr<Tensor> {
    error = (path + ": " + message).str();
    return failure();
  };
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return fail(code.message());
  // A pipe or a device could block or never end.
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return fail("not a regular file");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.consume_front(kMagic) || bytes.size() < 2)
    return fail("not a .npy file");
  unsigned version = static_cast<uint8_t>(bytes[0]);
  if (version < 1 || version > 3)
    return fail("unknown .npy version " + Twine(version));
  bytes = bytes.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return fail("ends within the header");
  size_t length = version == 1 ? llvm::support::endian::read16le(bytes.data())
                               : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return fail("ends within the header");

  Header header;
  if (failed(HeaderParser(bytes.take_front(length)).parse(header)))
    return fail("malformed header");
  bytes = bytes.drop_front(length);
  std::optional<FileType> found = parseDescr(header.descr);
  if (!found)
    return fail("unsupported element type '" + header.descr + "'");
  ElementType type = found->type;
  int64_t size = found->getBytes();
  SmallVector<int64_t> strides; // in the file
  bool overflow = false;
  int64_t count = 1;
  for (int64_t dim : header.shape) {
    strides.push_back(count);
    overflow |= llvm::MulOverflow(count, dim, count);
  }
  if (overflow || llvm::MulOverflow(count, size, size))
    return fail("the size of its shape overflows");
  if (static_cast<uint64_t>(size) != bytes.size())
    return fail("has " + Twine(bytes.size()) + " bytes of data where " +
                describe(type, header.shape) + " takes " + Twine(size));
  std::vector<int32_t> narrowed;
  const void *data = bytes.data();
  if (found->isLong) {
    narrowed = narrow(bytes);
    if (narrowed.size() < bytes.size() / 8)
      return fail("holds an int64 that does not fit in int32, which takes its "
                  "place");
    data = narrowed.data();
  }
  std::string reason;
  FailureOr<Tensor> tensor =
      Tensor::create(type, header.shape, std::nullopt, &reason);
  if (failed(tensor))
    return fail(reason);
  if (!header.fortranOrder)
    strides.assign(tensor->getStrides().begin(), tensor->getStrides().end());
  tensor->copyFrom(Tensor::borrow(type, header.shape, strides, data));
  return tensor;
}

FailureOr<Tensor> gc::reference::readNpy(StringRef path, RankedTensorType type,
                                         std::string &error) {
  FailureOr<Tensor> file = readNpy(path, error);
  if (failed(file))
    return failure();
  std::string reason;
  FailureOr<Tensor> tensor = Tensor::create(type, &reason);
  if (failed(tensor)) {
    error = (path + ": " + reason).str();
    return failure();
  }
  // Types of four bits come in bytes.
  const ElementTypeInfo &from = getInfo(file->getType());
  const ElementTypeInfo &to = getInfo(tensor->getType());
  bool fits = file->getType() == tensor->getType() ||
              (from.npy == to.npy && from.bytes == to.bytes);
  if (!fits || file->getShape() != tensor->getShape()) {
    error = (path + ": holds " + describe(*file) + " where " +
             describe(*tensor) + " is expected")
                .str();
    return failure();
  }
  if (to.isFloat && file->getType() == ElementType::U8) {
    // The bits of f8.
    tensor->copyFrom(Tensor::borrow(tensor->getType(), file->getShape(),
                                    file->getStrides(), file->getData()));
    return tensor;
  }
  if (file->getType() != tensor->getType()) {
    for (double value : file->getValues()) {
      if (value >= to.lowest && value <= to.highest)
        continue;
      error = (path + ": holds the value " + Twine(int64_t(value)) +
               ", which is not of type " + to.name)
                  .str();
      return failure();
    }
  }
  tensor->copyFrom(*file);
  return tensor;
}

LogicalResult gc::reference::writeNpy(StringRef path, const Tensor &tensor,
                                      std::string &error) {
  FailureOr<Tensor> packed =
      tensor.isContiguous() ? FailureOr<Tensor>(tensor) : tensor.clone();
  if (failed(packed)) {
    error = (path + ": no memory to write it").str();
    return failure();
  }
  const ElementTypeInfo &info = getInfo(tensor.getType());
  std::string dictionary;
  llvm::raw_string_ostream os(dictionary);
  char order = info.bytes == 1 ? '|' : '<';
  os << "{'descr': '" << order << info.npy
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleave(
      tensor.getShape(), os, [&](int64_t size) { os << size; }, ", ");
  os << (tensor.getRank() == 1 ? ",), }" : "), }");
  // Data is aligned to 64 bytes; the header ends in a newline.
  size_t total = llvm::alignTo(kMagic.size() + 4 + dictionary.size() + 1, 64);
  dictionary.append(total - kMagic.size() - 4 - dictionary.size() - 1, ' ');
  dictionary.push_back('\n');

  llvm::Error written = llvm::writeToOutput(path, [&](llvm::raw_ostream &out) {
    char prefix[4] = {1, 0};
    llvm::support::endian::write16le(prefix + 2, dictionary.size());
    out << kMagic << StringRef(prefix, 4) << dictionary;
    out.write(packed->getData<char>(), packed->getNumElements() * info.bytes);
    return llvm::Error::success();
  });
  if (!written)
    return success();
  error = (path + ": " + llvm::toString(std::move(written))).str();
  return failure();
}
