// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GradientCases.h"
#include "llvm/Support/FormatVariadic.h"

using namespace gc::reference;
using llvm::formatv;

/// "2x3x4" as the elements of an array.
static std::string toArray(llvm::StringRef sizes) {
  std::string text = "array<i64: ";
  for (char letter : sizes)
    text += letter == 'x' ? std::string(", ") : std::string(1, letter);
  return text + ">";
}

/// Attributes of kernels along spatial dimensions, written like sizes.
static std::string makeWindow(const char *strides, const char *padsBegin,
                              const char *padsEnd) {
  return formatv("strides = {0}, pads_begin = {1}, pads_end = {2}",
                 toArray(strides), toArray(padsBegin), toArray(padsEnd));
}

/// A convolution, or a transposed one, of a0 with the weights a1.
static GradientCase makeConvolution(const char *op, const char *src,
                                    const char *weights, const char *dst,
                                    const std::string &list) {
  std::string gradient = op;
  bool isTransposed = gradient == "conv_transpose";
  std::string shape =
      isTransposed ? "" : formatv(", dst_shape = {0}", toArray(src)).str();
  GradientCase test{gradient, {src, weights}, dst, "", "", 2};
  test.forward =
      formatv("%y = graph.{0} %a0, %a1 {{{1}} : (!t0, !t1) -> !y", op, list);
  test.backward = formatv(
      "%g0 = graph.{0}_backward_data %dy, %a1 {{{1}{2}} : (!y, !t1) -> !t0\n"
      "%g1 = graph.{0}_backward_weights %a0, %dy {{{1}, weights_shape = {3}} : "
      "(!t0, !y) -> !t1",
      op, list, shape, toArray(weights));
  return test;
}

/// Pooling of a0. The gradient does not know how sizes were rounded.
static GradientCase makePool(const char *op, const char *src, const char *dst,
                             const std::string &list, bool roundsUp = false) {
  std::string name = op;
  bool isMax = name == "max_pool";
  GradientCase test{name, {src}, dst, "", ""};
  test.forward = formatv("%y = graph.{0} %a0 {{{1}{2}} : (!t0) -> !y", op, list,
                         roundsUp ? ", rounding_type = \"ceil\"" : "");
  if (isMax)
    test.backward =
        formatv("%g0 = graph.{0}_backward %a0, %dy {{{1}} : (!t0, !y) -> !t0",
                op, list);
  else
    test.backward = formatv("%g0 = graph.{0}_backward %dy {{{1}, src_shape = "
                            "{2}} : (!y) -> !t0",
                            op, list, toArray(src));
  return test;
}

static GradientCase makeInterpolation(const char *src, const char *dst,
                                      const std::string &list) {
  GradientCase test{"interpolate", {src}, dst, "", ""};
  test.forward =
      formatv("%y = graph.interpolate %a0 {{{0}} : (!t0) -> !y", list);
  test.backward = formatv("%g0 = graph.interpolate_backward %a0, %dy {{{0}} : "
                          "(!t0, !y) -> !t0",
                          list);
  return test;
}

std::vector<GradientCase> gc::reference::getWindowGradientCases() {
  std::string dilations = ", dilations = ";
  std::string two = makeWindow("2x1", "1x0", "1x1");
  std::vector<GradientCase> cases = {
      makeConvolution("convolution", "2x5x4x4", "3x2x2x6", "2x3x4x6",
                      two + dilations + toArray("1x1") + ", groups = 2 : i64"),
      makeConvolution("convolution", "2x3x9", "4x3x3", "2x4x5",
                      makeWindow("1", "0", "0") + dilations + toArray("2") +
                          ", data_format = \"NCX\", weights_format = \"OIX\""),
      makeConvolution("convolution", "1x3x4x2x2", "2x3x2x2x3", "1x3x2x2x3",
                      makeWindow("1x2x1", "0x0x0", "0x0x0") + dilations +
                          toArray("1x1x1") + ", auto_pad = \"same_upper\""),
      // Two elements of the image that no window has.
      makeConvolution("convolution", "1x8x2", "2x2x3", "1x2x3",
                      makeWindow("4", "0", "0") + dilations + toArray("1")),
      makeConvolution("conv_transpose", "2x3x4x4", "3x2x4x3", "2x5x5x6",
                      makeWindow("2x1", "1x0", "1x0") + dilations +
                          toArray("1x1") + ", groups = 2 : i64"),
      makeConvolution("conv_transpose", "1x3x4", "3x2x3", "1x2x10",
                      makeWindow("2", "0", "0") + dilations + toArray("1") +
                          ", output_padding = " + toArray("1") +
                          ", data_format = \"NCX\", weights_format = \"IOX\""),
      makeConvolution("conv_transpose", "1x2x3x3", "2x3x2x3", "1x4x5x2",
                      makeWindow("2x1", "0x0", "0x0") + dilations +
                          toArray("1x1") + ", weights_format = \"XOI\""),
  };
  for (const char *format : {"NXC", "NCX"}) {
    std::string list = std::string(", data_format = \"") + format + "\"";
    bool isLast = format == std::string("NXC");
    auto pick = [&](const char *last, const char *second) {
      return isLast ? last : second;
    };
    std::string kernel = ", kernel = " + toArray("3x2") + list;
    const char *src = pick("2x5x6x3", "2x3x5x6");
    const char *dst = pick("2x3x6x3", "2x3x3x6");
    cases.push_back(makePool("max_pool", src, dst, two + kernel));
    for (const char *excluded : {"true", "false"})
      cases.push_back(makePool("avg_pool", src, dst,
                               two + kernel + ", exclude_pad = " + excluded));
    // Three windows, the last of which ends outside.
    std::string line = makeWindow("3", "0", "0") + list;
    cases.push_back(
        makePool("max_pool", pick("2x8x3", "2x3x8"), pick("2x3x3", "2x3x3"),
                 line + ", kernel = " + toArray("2") + dilations + toArray("2"),
                 /*roundsUp=*/true));
    cases.push_back(makePool("avg_pool", pick("1x3x4x3x2", "1x2x3x4x3"),
                             pick("1x2x2x2x2", "1x2x2x2x2"),
                             makeWindow("1x2x2", "0x0x1", "0x0x0") + list +
                                 ", kernel = " + toArray("2x2x2") +
                                 ", exclude_pad = true"));
    for (const char *mode : {"half_pixel", "align_corners"}) {
      auto name = [&](const char *kind) {
        return formatv("mode = \"{0}\", coordinate_transformation_mode = "
                       "\"{1}\"{2}",
                       kind, mode, list)
            .str();
      };
      for (const char *kind : {"nearest", "bilinear"})
        cases.push_back(
            makeInterpolation(src, pick("2x7x4x3", "2x3x7x4"),
                              name(kind) + ", sizes = " + toArray("7x4")));
      cases.push_back(
          makeInterpolation(pick("2x6x3", "2x3x6"), pick("2x9x3", "2x3x9"),
                            name("linear") + ", scales = array<f32: 1.5>"));
      cases.push_back(makeInterpolation(
          pick("1x2x3x2x2", "1x2x2x3x2"), pick("1x3x2x4x2", "1x2x3x2x4"),
          name("trilinear") + ", sizes = " + toArray("3x2x4")));
    }
  }
  return cases;
}
