// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Tensor.h"
#include "ChunkPlan.h"
#include "Dialect/Graph/IR/GraphAttrs.h"
#include "Parallel.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace gc;
using namespace gc::reference;
using namespace mlir;

static FailureOr<Tensor> fail(std::string *error, const Twine &message) {
  if (error)
    *error = message.str();
  return failure();
}

/// Elements from the first to the last one in memory, or nothing on overflow.
static std::optional<int64_t> getSpan(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> strides) {
  int64_t last = 0, count = 1;
  bool overflow = false;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 0)
      return 0;
    int64_t distance;
    overflow |= llvm::MulOverflow(size - 1, stride, distance);
    overflow |= llvm::AddOverflow(last, distance, last);
    overflow |= llvm::MulOverflow(count, size, count);
  }
  overflow |= llvm::AddOverflow(last, int64_t(1), last);
  if (overflow)
    return std::nullopt;
  return last;
}

/// Memory for std::free, or null. Large tensors use huge pages if available:
/// compiled code runs on these tensors as well.
static void *allocate(int64_t bytes) {
  constexpr int64_t kHugePage = int64_t(2) << 20, kLarge = kHugePage / 4;
  bool large = bytes >= kLarge;
  if (large)
    bytes = llvm::alignTo(bytes, kHugePage);
  void *memory = nullptr;
  if (posix_memalign(&memory, large ? kHugePage : 64, bytes) != 0)
    return nullptr;
#if defined(__linux__)
  if (large)
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

FailureOr<Tensor> Tensor::create(ElementType type, ArrayRef<int64_t> shape,
                                 std::optional<ArrayRef<int64_t>> strides,
                                 std::string *error) {
  std::string name = describe(type, shape);
  Tensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return fail(error, "tensor " + name + " has a negative size");
  if (strides) {
    if (strides->size() != shape.size())
      return fail(error, "tensor " + name + " needs one stride per dimension");
    if (llvm::any_of(*strides, [](int64_t stride) { return stride < 0; }))
      return fail(error, "tensor " + name + " has a negative stride");
    tensor.strides.assign(strides->begin(), strides->end());
  } else {
    tensor.strides.assign(shape.size(), 1);
    bool overflow = false;
    for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
      overflow |= llvm::MulOverflow(tensor.strides[i + 1],
                                    std::max<int64_t>(shape[i + 1], 1),
                                    tensor.strides[i]);
    if (overflow)
      return fail(error, "the size of tensor " + name + " overflows");
  }
  std::optional<int64_t> span = getSpan(tensor.shape, tensor.strides);
  int64_t bytes;
  // Room for rounding up to the alignment below.
  if (!span || *span > INT64_MAX / 16 - 64)
    return fail(error, "the size of tensor " + name + " overflows");
  bytes = llvm::alignTo(std::max<int64_t>(*span * getInfo(type).bytes, 1), 64);
  tensor.data = allocate(bytes);
  if (!tensor.data)
    return fail(error,
                "no memory for " + Twine(bytes) + " bytes of tensor " + name);
  tensor.owner = std::shared_ptr<void>(tensor.data, std::free);
  tensor.valid = true;
  return tensor;
}

FailureOr<Tensor> Tensor::create(RankedTensorType type, std::string *error) {
  std::optional<ElementType> element =
      reference::getElementType(type.getElementType());
  std::string name;
  llvm::raw_string_ostream(name) << type;
  if (!element)
    return fail(error, "element type of " + name + " is not supported");
  if (!type.hasStaticShape())
    return fail(error, name + " has a dynamic shape");
  graph::LayoutAttr layout = graph::getLayout(type);
  if (layout && layout.isStrided())
    return create(*element, type.getShape(), layout.getStrides(), error);
  return create(*element, type.getShape(), std::nullopt, error);
}

Tensor Tensor::borrow(ElementType type, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> strides, const void *data) {
  Tensor tensor;
  tensor.valid = true;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.strides.assign(strides.begin(), strides.end());
  tensor.data = const_cast<void *>(data);
  return tensor;
}

int64_t Tensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t Tensor::getBufferElements() const {
  return getSpan(shape, strides).value_or(0);
}

int64_t Tensor::getBufferBytes() const {
  return getBufferElements() * getInfo(type).bytes;
}

bool Tensor::isContiguous() const {
  int64_t expected = 1;
  for (int64_t i = getRank() - 1; i >= 0; --i) {
    if (shape[i] == 0)
      return true;
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

static int64_t getOffset(ArrayRef<int64_t> strides, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [stride, position] : llvm::zip_equal(strides, index))
    offset += stride * position;
  return offset;
}

double Tensor::get(ArrayRef<int64_t> index) const {
  double value;
  loadElements(type, data, getOffset(strides, index), 1, 1, &value);
  return value;
}

void Tensor::set(ArrayRef<int64_t> index, double value) {
  storeElements(type, data, getOffset(strides, index), 1, 1, &value);
}

std::vector<double> Tensor::getValues() const {
  std::vector<double> values(getNumElements());
  ChunkPlan plan(shape, {getStrides()});
  for (int64_t i = 0; i < plan.getNumChunks(); ++i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    loadElements(type, data, chunk.offsets[0], plan.getInnerStride(0),
                 chunk.size, &values[chunk.begin]);
  }
  return values;
}

void Tensor::setValues(ArrayRef<double> values) {
  ChunkPlan plan(shape, {getStrides()});
  for (int64_t i = 0; i < plan.getNumChunks(); ++i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    storeElements(type, data, chunk.offsets[0], plan.getInnerStride(0),
                  chunk.size, &values[chunk.begin]);
  }
}

Tensor Tensor::withView(ArrayRef<int64_t> newShape,
                        ArrayRef<int64_t> newStrides) const {
  Tensor view = *this;
  view.shape.assign(newShape.begin(), newShape.end());
  view.strides.assign(newStrides.begin(), newStrides.end());
  return view;
}

Tensor Tensor::broadcastTo(ArrayRef<int64_t> newShape) const {
  SmallVector<int64_t, 4> newStrides(newShape.size(), 0);
  size_t offset = newShape.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    newStrides[offset + i] = shape[i] == 1 ? 0 : strides[i];
  return withView(newShape, newStrides);
}

FailureOr<Tensor> Tensor::clone() const {
  FailureOr<Tensor> copy = create(type, shape);
  if (succeeded(copy))
    copy->copyFrom(*this);
  return copy;
}

/// Addresses need not be aligned.
static void copyWords(uint64_t *to, int64_t toStride, const uint64_t *from,
                      int64_t fromStride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, sizeof(*to));
}

void Tensor::copyFrom(const Tensor &source) {
  ChunkPlan plan(shape, {getStrides(), source.getStrides()});
  parallelFor(plan.getNumChunks(), [&](int64_t i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    // Of which double does not hold all.
    if (type == ElementType::U64 && source.type == type) {
      copyWords(static_cast<uint64_t *>(data) + chunk.offsets[0],
                plan.getInnerStride(0),
                static_cast<const uint64_t *>(source.data) + chunk.offsets[1],
                plan.getInnerStride(1), chunk.size);
      return;
    }
    double values[ChunkPlan::kSize];
    loadElements(source.type, source.data, chunk.offsets[1],
                 plan.getInnerStride(1), chunk.size, values);
    storeElements(type, data, chunk.offsets[0], plan.getInnerStride(0),
                  chunk.size, values);
  });
}

std::string gc::reference::describe(ElementType type, ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getInfo(type).name << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

std::string gc::reference::describe(const Tensor &tensor) {
  return describe(tensor.getType(), tensor.getShape());
}
