// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Models of which the values of large tensors stay where they are in the file:
// protobuf would copy them.

#ifndef GC_LIB_TARGET_ONNX_RAWDATA_H
#define GC_LIB_TARGET_ONNX_RAWDATA_H

#include "OnnxProto.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace gc::onnxio {

/// A model without the raw data of the large initializers of its graph.
class SplitModel {
public:
  /// Nothing if there is no such data, or if the bytes are not the plain
  /// encoding of a model: the reader of models looks at them then.
  static std::optional<SplitModel> create(llvm::StringRef bytes);

  /// Reads what is left. False if it is not a model.
  bool parse(::onnx::ModelProto &model) const;

  /// What was left out of the initializer of this number; null if nothing was.
  const llvm::StringRef *getRawData(size_t initializer) const {
    return initializer < rawData.size() && rawData[initializer].data()
               ? &rawData[initializer]
               : nullptr;
  }

private:
  /// Appends the begin of a field of this many bytes, which follow.
  void addHeader(uint32_t number, uint64_t size);
  bool addGraph(llvm::StringRef graph);
  bool addInitializer(llvm::StringRef tensor);

  /// The encoding, piece by piece; `headers` has those that are not in the
  /// file.
  std::vector<llvm::StringRef> pieces;
  std::deque<std::string> headers;
  std::vector<llvm::StringRef> rawData;
};

/// Says that nobody reads this part of a file's bytes any more: the system may
/// have back the pages that lie within.
void discard(llvm::StringRef bytes);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_RAWDATA_H
