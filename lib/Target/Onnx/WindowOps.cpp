// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolution and pooling.

#include "Compose.h"
#include "Ops.h"
#include "Window.h"

using namespace mlir;
using namespace gc::onnxio;

FailureOr<Window> gc::onnxio::getWindow(NodeBuilder &node,
                                        RankedTensorType type,
                                        ArrayRef<int64_t> kernel) {
  constexpr int64_t kMaxSize = int64_t(1) << 24;
  if (type.getRank() < 3)
    return node.fail("operand 0 has no spatial dimensions");
  size_t rank = type.getRank() - 2;
  if (ShapedType::isDynamicShape(type.getShape().drop_front()))
    return node.fail("channels, or sizes of the image, vary; only the batch "
                     "may");
  auto read = [&](StringRef name, size_t count, int64_t least,
                  int64_t byDefault) -> FailureOr<SmallVector<int64_t>> {
    SmallVector<int64_t> values = node.getIntsAttr(name);
    if (!node.hasAttr(name))
      values.assign(count, byDefault);
    if (values.size() != count)
      return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                       " values instead of " + Twine(count));
    for (int64_t value : values)
      if (value < least || value > kMaxSize)
        return node.fail("attribute '" + name + "' has a value of " +
                         Twine(value));
    return values;
  };
  auto sizes = read("kernel_shape", rank, 1, 1);
  auto strides = read("strides", rank, 1, 1);
  auto dilations = read("dilations", rank, 1, 1);
  auto pads = read("pads", 2 * rank, 0, 0);
  std::string autoPad = node.getStringAttr("auto_pad", "NOTSET");
  if (failed(sizes) || failed(strides) || failed(dilations) || failed(pads))
    return failure();
  if (!node.hasAttr("kernel_shape")) {
    if (kernel.empty())
      return node.fail("attribute 'kernel_shape' is missing");
    *sizes = SmallVector<int64_t>(kernel);
  }
  if (sizes->size() != rank || llvm::is_contained(*sizes, 0) ||
      (!kernel.empty() && ArrayRef<int64_t>(*sizes) != kernel))
    return node.fail("the kernel does not have the shape of the weights");
  Window window{*sizes, *strides, *dilations, {}, {}};
  bool isLower = autoPad == "SAME_LOWER";
  for (size_t i = 0; i < rank; ++i) {
    int64_t begin = (*pads)[i], end = (*pads)[i + rank];
    if (isLower || autoPad == "SAME_UPPER") {
      int64_t size = type.getDimSize(i + 2), stride = window.strides[i];
      int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
      int64_t total = std::max<int64_t>(
          (llvm::divideCeil(size, stride) - 1) * stride + reach - size, 0);
      begin = isLower ? total - total / 2 : total / 2;
      end = total - begin;
    } else if (autoPad == "VALID") {
      begin = end = 0;
    } else if (autoPad != "NOTSET") {
      return node.fail("auto_pad '" + autoPad + "' is unknown");
    }
    window.begin.push_back(begin);
    window.end.push_back(end);
  }
  return window;
}

static SmallVector<NamedAttribute> getAttrs(NodeBuilder &node,
                                            const Window &window) {
  return {node.attr("strides", window.strides),
          node.attr("pads_begin", window.begin),
          node.attr("pads_end", window.end),
          node.attr("data_format", node.getBuilder().getStringAttr("NCX"))};
}

FailureOr<Window> gc::onnxio::getConvWindow(NodeBuilder &node, Value src,
                                            Value weights) {
  if (!src || !weights)
    return failure();
  RankedTensorType type = getTensorType(src), of = getTensorType(weights);
  if (type.getRank() < 3 || of.getRank() != type.getRank())
    return node.fail("input and weights do not have the same number of "
                     "dimensions, at least 3");
  return getWindow(node, type, of.getShape().drop_front(2));
}

SmallVector<NamedAttribute> gc::onnxio::getConvAttrs(NodeBuilder &node,
                                                     const Window &window,
                                                     int64_t groups,
                                                     StringRef weightsFormat) {
  SmallVector<NamedAttribute> attrs = getAttrs(node, window);
  attrs.push_back(node.attr("dilations", window.dilations));
  attrs.push_back(node.attr("weights_format",
                            node.getBuilder().getStringAttr(weightsFormat)));
  attrs.push_back(intAttr(node, "groups", groups));
  return attrs;
}

static LogicalResult importConv(NodeBuilder &node) {
  auto operands = node.getOperands();
  int64_t groups = node.getIntAttr("group", 1);
  if (failed(operands))
    return failure();
  if (operands->size() < 2 || operands->size() > 3)
    return node.fail("has " + Twine(operands->size()) +
                     " operands instead of 2 or 3");
  auto window = getConvWindow(node, (*operands)[0], (*operands)[1]);
  if (failed(window))
    return failure();
  return node.setResult(node.build("graph.convolution", *operands,
                                   getConvAttrs(node, *window, groups)));
}

/// Pads follow from the shape of the result, if that is given; auto_pad makes
/// it the input's, times the strides.
static LogicalResult importConvTranspose(NodeBuilder &node) {
  auto operands = node.getOperands();
  int64_t groups = node.getIntAttr("group", 1);
  if (failed(operands))
    return failure();
  if (operands->size() < 2 || operands->size() > 3)
    return node.fail("has " + Twine(operands->size()) +
                     " operands instead of 2 or 3");
  auto window = getConvWindow(node, (*operands)[0], (*operands)[1]);
  std::string autoPad = node.getStringAttr("auto_pad", "NOTSET");
  SmallVector<int64_t> shape = node.getIntsAttr("output_shape");
  SmallVector<int64_t> more = node.getIntsAttr("output_padding");
  if (failed(window))
    return failure();
  RankedTensorType type = getTensorType((*operands)[0]);
  size_t rank = window->kernel.size();
  if (more.empty())
    more.assign(rank, 0);
  if (shape.size() == rank + 2)
    shape.erase(shape.begin(), shape.begin() + 2);
  if (more.size() != rank || (!shape.empty() && shape.size() != rank))
    return node.fail("output_shape or output_padding do not have a value for "
                     "each spatial dimension");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  for (size_t i = 0; i < rank; ++i) {
    constexpr int64_t kMaxSize = int64_t(1) << 31;
    int64_t stride = window->strides[i], size = type.getDimSize(i + 2);
    int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
    if (more[i] < 0 || more[i] > kMaxSize)
      return node.fail("output_padding is negative or too large");
    if (shape.empty() && !isSame)
      continue;
    int64_t to = shape.empty() ? size * stride : shape[i];
    if (to < 1 || to > kMaxSize)
      return node.fail("output_shape has a size of " + Twine(to));
    int64_t total = stride * (size - 1) + more[i] + reach - to;
    if (total < 0) {
      more[i] -= total;
      total = 0;
    }
    int64_t less = total / 2;
    window->begin[i] = autoPad == "SAME_UPPER" ? less : total - less;
    window->end[i] = total - window->begin[i];
  }
  auto attrs = getConvAttrs(node, *window, groups, "IOX");
  attrs.push_back(node.attr("output_padding", more));
  return node.setResult(node.build("graph.conv_transpose", *operands, attrs));
}

static LogicalResult importPool(NodeBuilder &node, bool isMax) {
  FailureOr<Value> src = node.getOperand(0);
  bool ceils = node.getIntAttr("ceil_mode", 0) != 0;
  bool countsPads = !isMax && node.getIntAttr("count_include_pad", 0) != 0;
  if (isMax && node.getIntAttr("storage_order", 0) != 0)
    return node.fail("this storage_order is not supported");
  if (failed(src))
    return failure();
  auto type = cast<RankedTensorType>(src->getType());
  FailureOr<Window> window = getWindow(node, type, {});
  if (failed(window))
    return failure();
  for (size_t i = 0; ceils && i < window->kernel.size(); ++i) {
    int64_t size = type.getDimSize(i + 2), stride = window->strides[i];
    int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
    int64_t span = size + window->begin[i] + window->end[i] - reach;
    // oneDNN and ONNX differ in the last window and in what it divides by.
    if (span % stride != 0 &&
        (countsPads ||
         llvm::divideCeil(std::max<int64_t>(span, 0), stride) * stride >=
             uint64_t(size + window->begin[i])))
      return node.fail("ceil_mode with a window that begins in the padding is "
                       "not supported");
  }
  if (!isMax &&
      llvm::any_of(window->dilations, [](int64_t d) { return d != 1; }))
    return node.fail("dilations are not supported");
  Builder &builder = node.getBuilder();
  SmallVector<NamedAttribute> attrs = getAttrs(node, *window);
  attrs.push_back(node.attr("kernel", window->kernel));
  attrs.push_back(node.attr("rounding_type",
                            builder.getStringAttr(ceils ? "ceil" : "floor")));
  if (isMax)
    attrs.push_back(node.attr("dilations", window->dilations));
  else
    attrs.push_back(node.attr("exclude_pad", builder.getBoolAttr(!countsPads)));
  Type element = type.getElementType();
  // Bytes are compared in f32, which has all of them.
  if (isMax && element.isInteger(8))
    src = typeCast(node, *src, builder.getF32Type());
  Value result =
      node.make(isMax ? "graph.max_pool" : "graph.avg_pool", *src, attrs);
  return node.setResult(result ? typeCast(node, result, element) : result);
}

void gc::onnxio::addWindowOps(OpTable &ops) {
  ops["AveragePool"] =
      +[](NodeBuilder &node) { return importPool(node, /*isMax=*/false); };
  ops["Conv"] = {importConv, 1};
  ops["ConvTranspose"] = {importConvTranspose, 1};
  ops["MaxPool"] =
      +[](NodeBuilder &node) { return importPool(node, /*isMax=*/true); };
  takeShapes(ops, {"AveragePool", "Conv", "ConvTranspose", "MaxPool"});
}
