// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that write to places that are known when a model is imported.

#include "Compose.h"
#include "Ops.h"

using namespace mlir;
using namespace gc::onnxio;

/// Writes updates to places that are known: what is written comes from the data
/// and updates one after the other. `data` is [1, places, size], `updates`
/// [1, count, size]. With a reduction, equal places are updated one by one.
static Value scatter(NodeBuilder &node, Value data, Value updates,
                     ArrayRef<int64_t> places, StringRef reduction) {
  StringRef op = reduction == "add"   ? "graph.add"
                 : reduction == "mul" ? "graph.multiply"
                 : reduction == "max" ? "graph.maximum"
                 : reduction == "min" ? "graph.minimum"
                                      : "";
  if (op.empty() && reduction != "none") {
    (void)node.fail("reduction '" + reduction + "' is unknown");
    return nullptr;
  }
  SmallVector<int64_t> left =
      llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
  // Places that come again have a round for each time.
  constexpr int kMostRounds = 32;
  for (int round = 0; !left.empty() && data; ++round) {
    if (round == kMostRounds) {
      (void)node.fail("more than " + Twine(kMostRounds) +
                      " updates of one element are not supported");
      return nullptr;
    }
    int64_t rows = getTensorType(data).getDimSize(1);
    SmallVector<int64_t> later, now, at;
    SmallVector<int64_t> sources(llvm::to_vector(llvm::seq<int64_t>(0, rows)));
    for (int64_t i : left) {
      bool isTaken = sources[places[i]] >= rows;
      if (isTaken && !op.empty()) {
        later.push_back(i);
        continue;
      }
      // Without a reduction, the last one counts.
      sources[places[i]] = rows + int64_t(now.size());
      now.push_back(i);
      at.push_back(places[i]);
    }
    Value values = gatherKnown(node, updates, now);
    if (!op.empty())
      values = node.make(op, {gatherKnown(node, data, at), values});
    if (!values)
      return nullptr;
    data = gatherKnown(node, concat(node, {data, values}, 1), sources);
    left = later;
  }
  return data;
}

/// The importer makes a list of them.
static constexpr int64_t kMostPlaces = int64_t(1) << 20;

static LogicalResult importScatterND(NodeBuilder &node) {
  std::string reduction = node.getStringAttr("reduction", "none");
  FailureOr<RankedTensorType> data = node.getType(0), index = node.getType(1);
  if (failed(data) || failed(index))
    return failure();
  auto indices = node.getKnown(1);
  if (!indices)
    return node.fail("indices are not known at import");
  int64_t width = index->getRank() > 0 ? index->getShape().back() : 0;
  if (width < 1 || width > data->getRank())
    return node.fail("indices do not fit the data");
  ArrayRef<int64_t> sizes = data->getShape();
  SmallVector<int64_t> places, shape(index->getShape().drop_back());
  llvm::append_range(shape, sizes.drop_front(width));
  for (size_t i = 0; i < indices->values.size(); i += width) {
    int64_t place = 0;
    for (int64_t j = 0; j < width; ++j) {
      int64_t at = indices->values[i + j].i;
      if (at < -sizes[j] || at >= sizes[j])
        return node.fail("index " + Twine(at) + " is not one of " +
                         Twine(sizes[j]));
      place = place * sizes[j] + at + (at < 0 ? sizes[j] : 0);
    }
    places.push_back(place);
  }
  if (countElements(sizes.take_front(width)) > kMostPlaces)
    return node.fail("the indices choose from more than " + Twine(kMostPlaces) +
                     " places");
  int64_t size = countElements(sizes.drop_front(width));
  Value x = getValue(node, 0), updates = getValue(node, 2);
  if (!x || !updates)
    return failure();
  if (getTensorType(updates).getShape() != ArrayRef<int64_t>(shape))
    return node.fail("updates do not fit the indices");
  x = reshape(node, x, {1, countElements(sizes.take_front(width)), size});
  updates = reshape(node, updates, {1, int64_t(places.size()), size});
  return node.setResult(reshape(
      node, scatter(node, x, updates, places, reduction), data->getShape()));
}

/// More elements would be compared with all indices.
static constexpr int64_t kMostElements = 4096;

static LogicalResult importScatterElements(NodeBuilder &node) {
  std::string reduction = node.getStringAttr("reduction", "none");
  int64_t counted = node.getIntAttr("axis", 0);
  FailureOr<RankedTensorType> data = node.getType(0), index = node.getType(1);
  if (failed(data) || failed(index))
    return failure();
  FailureOr<int64_t> axis = node.getAxis(counted, data->getRank());
  if (failed(axis))
    return failure();
  auto indices = node.getKnown(1);
  if (!indices || data->getNumElements() > kMostElements)
    return node.fail("indices are not known at import, or there are too many "
                     "elements");
  ArrayRef<int64_t> sizes = data->getShape();
  bool fits = index->getRank() == data->getRank();
  for (int64_t i = 0; fits && i < data->getRank(); ++i)
    fits = i == *axis || index->getDimSize(i) <= sizes[i];
  auto checked = getIndices(node, *indices, sizes[*axis]);
  if (failed(checked))
    return failure();
  Value x = getValue(node, 0), updates = getValue(node, 2);
  if (!x || !updates)
    return failure();
  if (!fits || getTensorType(updates).getShape() != index->getShape())
    return node.fail("data, indices and updates do not fit each other");
  SmallVector<int64_t> places;
  forEachIndex(index->getShape(), [&](ArrayRef<int64_t> at) {
    int64_t place = 0;
    for (auto [i, size] : llvm::enumerate(sizes))
      place = place * size +
              (int64_t(i) == *axis ? (*checked)[places.size()] : at[i]);
    places.push_back(place);
  });
  x = reshape(node, x, {1, data->getNumElements(), 1});
  updates = reshape(node, updates, {1, int64_t(places.size()), 1});
  return node.setResult(reshape(
      node, scatter(node, x, updates, places, reduction), data->getShape()));
}

void gc::onnxio::addScatterOps(OpTable &ops) {
  ops["Scatter"] = {importScatterElements, 9};
  ops["ScatterElements"] = importScatterElements;
  ops["ScatterND"] = importScatterND;
}
