// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpatialDims.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::graph;

void SpatialDim::resolvePads(StringRef autoPad) {
  if (autoPad == "valid")
    padBegin = padEnd = 0;
  if (!autoPad.starts_with("same"))
    return;
  int64_t output = llvm::divideCeil(input, stride);
  int64_t pads =
      std::max<int64_t>((output - 1) * stride + getReach() - input, 0);
  padBegin = (pads + (autoPad == "same_lower")) / 2;
  padEnd = pads - padBegin;
}

FailureOr<int64_t> gc::graph::checkImage(OptionalLoc loc, StringRef name,
                                         RankedTensorType type) {
  int64_t rank = type.getRank();
  if (rank < 3 || rank > 5)
    return emitOptionalError(loc, "(C1) ", name, " has ", rank,
                             " dimensions; it must have three, four or five");
  return rank - 2;
}

LogicalResult gc::graph::checkName(OptionalLoc loc, StringRef name,
                                   StringRef value,
                                   ArrayRef<StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return success();
  return emitOptionalError(loc, "(C2) unknown ", name, " \"", value, "\"");
}

LogicalResult gc::graph::checkList(OptionalLoc loc, StringRef name,
                                   ArrayRef<int64_t> values, int64_t count,
                                   int64_t least) {
  if (static_cast<int64_t>(values.size()) != count)
    return emitOptionalError(loc, "(C3) ", name, " has ", values.size(),
                             " elements for ", count, " spatial dimensions");
  for (int64_t value : values)
    if (value < least || value > kMostElements)
      return emitOptionalError(loc, "(C3) ", name, " of ", value,
                               " is out of range");
  return success();
}

FailureOr<int64_t> gc::graph::checkOutput(OptionalLoc loc, StringRef constraint,
                                          int64_t index, SpatialDim dim,
                                          StringRef autoPad, bool roundsUp) {
  if (ShapedType::isDynamic(dim.input) || ShapedType::isDynamic(dim.kernel))
    return ShapedType::kDynamic;
  // Sums and products of larger ones would overflow.
  if (dim.input > kMostElements || dim.kernel > kMostElements)
    return emitOptionalError(loc, "(", constraint, ") spatial dimension ",
                             index, " is too large");
  dim.resolvePads(autoPad);
  int64_t size = dim.getOutput(roundsUp);
  // Empty tensors are rejected elsewhere.
  if (size < 1 && dim.input > 0 && dim.kernel > 0)
    return emitOptionalError(loc, "(", constraint, ") the kernel covers ",
                             dim.getReach(), " of ",
                             dim.input + dim.padBegin + dim.padEnd,
                             " elements along spatial dimension ", index);
  return size;
}
