// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kinds.h"
#include "Target/OneDNNGraph/GraphFile.h"

using namespace llvm;
using namespace gc;

std::string onednn::normalizeKind(StringRef kind) {
  static constexpr StringLiteral old = "Backprop";
  size_t position = kind.find_insensitive(old);
  if (position == StringRef::npos)
    return kind.str();
  StringRef suffix = kind.drop_front(position + old.size());
  if (suffix.equals_insensitive("Filters"))
    suffix = "Weights";
  return (kind.take_front(position) + "Backward" + suffix).str();
}

const graph::OpSpec *onednn::findOp(StringRef kind) {
  return graph::findOpOfKind(normalizeKind(kind));
}

const onednn::ExtraTensor *
onednn::findExtraTensor(StringRef kind, size_t numInputs, size_t numOutputs) {
  static constexpr ExtraTensor tensors[] = {
      {"AvgPoolBackward", false, 1, "s32", "src_shape"},
      {"ConvTransposeBackwardWeights", false, 2, "s32", "weights_shape"},
      {"ConvolutionBackwardData", false, 2, "s32", "dst_shape"},
      {"ConvolutionBackwardWeights", false, 2, "s32", "weights_shape"},
      {"Dropout", true, 1, "u8", "mask"},
      {"Interpolate", false, 1, "s32", "sizes"},
      {"InterpolateBackward", false, 2, "s32", "sizes"},
      {"ReduceL1", false, 1, "s32", "axes"},
      {"ReduceL2", false, 1, "s32", "axes"},
      {"ReduceMax", false, 1, "s32", "axes"},
      {"ReduceMean", false, 1, "s32", "axes"},
      {"ReduceMin", false, 1, "s32", "axes"},
      {"ReduceProd", false, 1, "s32", "axes"},
      {"ReduceSum", false, 1, "s32", "axes"}};
  std::string name = normalizeKind(kind);
  for (const ExtraTensor &tensor : tensors)
    if (StringRef(tensor.kind).equals_insensitive(name) &&
        (tensor.isOutput ? numOutputs : numInputs) == tensor.position + 1)
      return &tensor;
  return nullptr;
}
