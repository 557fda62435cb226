// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DequantizedOperand.h"

using namespace mlir;

namespace gc::graph {

QuantizationOpInterface getDequantization(Operation *op) {
  auto quantization = dyn_cast_or_null<QuantizationOpInterface>(op);
  return quantization && quantization.getQuantization().dequantizes
             ? quantization
             : QuantizationOpInterface();
}

std::string DequantizedOperand::read(QuantizationOpInterface dequantization) {
  op = dequantization;
  if (isa<FloatType>(getType().getElementType()))
    return "is dequantized from floating-point numbers of 8 bits, which have "
           "no kernels";
  Quantization parameters = op.getQuantization();
  scaleOperand = parameters.scaleOperand;
  zeroPointOperand = parameters.zeroPointOperand;
  llvm::append_range(scales, parameters.scales);
  if (zeroPointOperand)
    return "";
  std::optional<int64_t> known = parameters.getZeroPoint();
  if (!known)
    return "has different zero points";
  zeroPoint = *known;
  if (zeroPoint < -128 || zeroPoint > 255)
    return "has a zero point that 8 bits cannot hold";
  return "";
}

} // namespace gc::graph
