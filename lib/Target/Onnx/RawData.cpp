// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RawData.h"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace llvm;
using namespace gc::onnxio;

/// Less is not worth the trouble.
static constexpr uint64_t kFewestBytes = 64 * 1024;

namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// A field as it is encoded. `text` has all of it, `content` what a field of
/// bytes has after its length.
struct Field {
  uint64_t number = 0, type = 0;
  StringRef text, content;
};

std::optional<uint64_t> takeVarint(StringRef &rest) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(rest.front());
    rest = rest.drop_front();
    value |= uint64_t(byte & 0x7F) << shift;
    if (byte < 0x80)
      return value;
  }
  return std::nullopt;
}

/// The first field of `rest`, which is then without it.
std::optional<Field> takeField(StringRef &rest) {
  StringRef begin = rest;
  std::optional<uint64_t> tag = takeVarint(rest);
  if (!tag || *tag >> 32)
    return std::nullopt;
  Field field;
  field.number = *tag >> 3;
  field.type = *tag & 7;
  std::optional<uint64_t> size;
  switch (field.type) {
  case kVarint:
    if (!takeVarint(rest))
      return std::nullopt;
    size = 0;
    break;
  case kFixed64:
    size = 8;
    break;
  case kFixed32:
    size = 4;
    break;
  case kBytes:
    size = takeVarint(rest);
    break;
  }
  if (!size || *size > rest.size())
    return std::nullopt;
  if (field.type == kBytes)
    field.content = rest.take_front(*size);
  rest = rest.drop_front(*size);
  field.text = begin.drop_back(rest.size());
  return field;
}

std::string encodeVarint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7)
    text += static_cast<char>(value | 0x80);
  text += static_cast<char>(value);
  return text;
}

/// The raw data of a tensor, if it is large, and the tensor has it once.
std::optional<Field> findRawData(StringRef tensor) {
  std::optional<Field> found;
  while (!tensor.empty()) {
    std::optional<Field> field = takeField(tensor);
    if (!field)
      return std::nullopt;
    if (field->number != ::onnx::TensorProto::kRawDataFieldNumber)
      continue;
    if (found || field->type != kBytes)
      return std::nullopt;
    found = field;
  }
  return found && found->content.size() >= kFewestBytes ? found : std::nullopt;
}

} // namespace

void SplitModel::addHeader(uint32_t number, uint64_t size) {
  headers.push_back(encodeVarint(number << 3 | kBytes) + encodeVarint(size));
  pieces.push_back(headers.back());
}

bool SplitModel::addInitializer(StringRef tensor) {
  constexpr int number = ::onnx::GraphProto::kInitializerFieldNumber;
  std::optional<Field> raw = findRawData(tensor);
  rawData.push_back(raw ? raw->content : StringRef());
  addHeader(number, tensor.size() - (raw ? raw->text.size() : 0));
  if (!raw) {
    pieces.push_back(tensor);
    return false;
  }
  pieces.push_back(tensor.take_front(raw->text.data() - tensor.data()));
  pieces.push_back(tensor.drop_front(pieces.back().size() + raw->text.size()));
  return true;
}

bool SplitModel::addGraph(StringRef graph) {
  constexpr int number = ::onnx::ModelProto::kGraphFieldNumber;
  size_t first = pieces.size();
  bool isSplit = false;
  // Its length is not known yet.
  addHeader(number, 0);
  while (!graph.empty()) {
    std::optional<Field> field = takeField(graph);
    if (!field)
      return false;
    if (field->number != ::onnx::GraphProto::kInitializerFieldNumber)
      pieces.push_back(field->text);
    else if (field->type == kBytes)
      isSplit |= addInitializer(field->content);
    else
      return false;
  }
  uint64_t size = 0;
  for (StringRef piece : ArrayRef(pieces).drop_front(first + 1))
    size += piece.size();
  addHeader(number, size);
  pieces[first] = pieces.back();
  pieces.pop_back();
  return isSplit;
}

std::optional<SplitModel> SplitModel::create(StringRef bytes) {
  SplitModel split;
  bool isSplit = false;
  while (!bytes.empty()) {
    std::optional<Field> field = takeField(bytes);
    if (!field)
      return std::nullopt;
    if (field->number != ::onnx::ModelProto::kGraphFieldNumber) {
      split.pieces.push_back(field->text);
      continue;
    }
    // Several would be merged.
    if (isSplit || field->type != kBytes || !split.addGraph(field->content))
      return std::nullopt;
    isSplit = true;
  }
  return isSplit ? std::optional(std::move(split)) : std::nullopt;
}

bool SplitModel::parse(::onnx::ModelProto &model) const {
  namespace io = google::protobuf::io;
  std::deque<io::ArrayInputStream> streams;
  std::vector<io::ZeroCopyInputStream *> order;
  for (StringRef piece : pieces)
    if (!piece.empty())
      order.push_back(&streams.emplace_back(piece.data(), piece.size()));
  io::ConcatenatingInputStream all(order.data(), order.size());
  return model.ParseFromZeroCopyStream(&all);
}

void gc::onnxio::discard(StringRef bytes) {
#ifdef __linux__
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  uintptr_t end = (begin + bytes.size()) / page * page;
  begin = (begin + page - 1) / page * page;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
#endif
}
