// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolution against plain loops over the definition, with small integers, so
// that every order of summation gives the same f32.

#include "Reference/Compare.h"
#include "TestGraph.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace gc::reference;

namespace {

using Sizes = llvm::SmallVector<int64_t>;

/// A convolution; sizes of dst and pads are given, not computed, so that the
/// test does not repeat what it tests.
struct Case {
  Sizes input, kernel, output;
  Sizes strides, padsBegin, padsEnd, dilations;
  int64_t batch = 2, groups = 1, inputChannels = 3, outputChannels = 5;
  std::string autoPad = "none";
  /// Pads that auto_pad leads to.
  Sizes actualPads = {};
  bool hasBias = false;
};

/// "array<i64: 1, 2>"
std::string printList(llvm::ArrayRef<int64_t> values) {
  return "array<i64: " +
         llvm::join(llvm::map_range(
                        values, [](int64_t v) { return std::to_string(v); }),
                    ", ") +
         ">";
}

std::string printType(llvm::ArrayRef<int64_t> shape, llvm::StringRef element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

int64_t getVolume(llvm::ArrayRef<int64_t> sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes)
    volume *= size;
  return volume;
}

/// The index as one number, in row-major order.
int64_t linearize(llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> index) {
  int64_t linear = 0;
  for (auto [size, position] : llvm::zip_equal(shape, index))
    linear = linear * size + position;
  return linear;
}

template <typename Visit>
void forEach(llvm::ArrayRef<int64_t> sizes, Visit visit) {
  for (int64_t i = 0; i < getVolume(sizes); ++i) {
    Sizes index(sizes.size());
    int64_t rest = i;
    for (size_t dim = sizes.size(); dim-- > 0; rest /= sizes[dim])
      index[dim] = rest % sizes[dim];
    visit(index);
  }
}

/// [first, second, spatial...] in the order of a format.
Sizes arrange(int64_t first, int64_t second, llvm::ArrayRef<int64_t> spatial,
              llvm::StringRef format) {
  Sizes result(spatial);
  if (format == "NXC") {
    result.insert(result.begin(), first);
    result.push_back(second);
  } else if (format == "XIO") { // first is o, second is i
    result.push_back(second);
    result.push_back(first);
  } else {
    result.insert(result.begin(), {first, second});
  }
  return result;
}

/// A number of -4 to 4 for each place.
double draw(int64_t seed, llvm::ArrayRef<int64_t> index) {
  int64_t hash = seed * 7919;
  for (int64_t position : index)
    hash = hash * 31 + position * 17 + 5;
  return static_cast<double>((hash % 9 + 9) % 9 - 4);
}

/// A tensor of [first, second, spatial...] in the order of a format.
std::vector<double> fill(int64_t seed, int64_t first, int64_t second,
                         llvm::ArrayRef<int64_t> spatial,
                         llvm::StringRef format) {
  Sizes shape = arrange(first, second, spatial, format);
  std::vector<double> values(getVolume(shape));
  Sizes all(spatial);
  all.insert(all.begin(), {first, second});
  forEach(all, [&](const Sizes &index) {
    Sizes place = arrange(index[0], index[1],
                          llvm::ArrayRef(index).drop_front(2), format);
    values[linearize(shape, place)] = draw(seed, index);
  });
  return values;
}

void check(const Case &test, const std::string &format,
           const std::string &weightsFormat, ElementType type,
           ElementType resultType) {
  int64_t groupInputs = test.inputChannels / test.groups;
  int64_t groupOutputs = test.outputChannels / test.groups;
  std::string element = getInfo(type).name.str();
  std::string resultElement = getInfo(resultType).name.str();
  std::string src = printType(
      arrange(test.batch, test.inputChannels, test.input, format), element);
  std::string weights = printType(
      arrange(test.outputChannels, groupInputs, test.kernel, weightsFormat),
      element);
  Sizes shape = arrange(test.batch, test.outputChannels, test.output, format);
  std::string dst = printType(shape, resultElement);
  std::string bias = printType(test.outputChannels, resultElement);
  std::string text =
      "func.func @main(%x: " + src + ", %w: " + weights + ", %b: " + bias +
      ") -> " + dst + " {\n%y = graph.convolution %x, %w" +
      (test.hasBias ? ", %b" : "") + " {strides = " + printList(test.strides) +
      ", pads_begin = " + printList(test.padsBegin) +
      ", pads_end = " + printList(test.padsEnd) +
      ", dilations = " + printList(test.dilations) + ", auto_pad = \"" +
      test.autoPad + "\", groups = " + std::to_string(test.groups) +
      ", data_format = \"" + format + "\", weights_format = \"" +
      weightsFormat + "\"} : (" + src + ", " + weights +
      (test.hasBias ? ", " + bias : "") + ") -> " + dst +
      "\nreturn %y : " + dst + " }";
  SCOPED_TRACE(text);
  TestGraph graph(text);
  std::vector<double> biases(test.outputChannels);
  for (int64_t o = 0; o < test.outputChannels; ++o)
    biases[o] = draw(3, o);
  Tensor inputs[] = {
      makeTensor(type,
                 arrange(test.batch, test.inputChannels, test.input, format),
                 fill(1, test.batch, test.inputChannels, test.input, format)),
      makeTensor(
          type,
          arrange(test.outputChannels, groupInputs, test.kernel, weightsFormat),
          fill(2, test.outputChannels, groupInputs, test.kernel,
               weightsFormat)),
      makeTensor(resultType, test.outputChannels, biases)};

  const Sizes &pads =
      test.actualPads.empty() ? test.padsBegin : test.actualPads;
  std::vector<double> expected(getVolume(shape));
  Sizes all(test.output);
  all.insert(all.begin(), {test.batch, test.outputChannels});
  forEach(all, [&](const Sizes &index) {
    double sum = test.hasBias ? biases[index[1]] : 0;
    Sizes taps(test.kernel);
    taps.insert(taps.begin(), groupInputs);
    forEach(taps, [&](const Sizes &tap) {
      Sizes at = {index[0], index[1] / groupOutputs * groupInputs + tap[0]};
      Sizes weight = {index[1], tap[0]};
      for (size_t dim = 0; dim < test.kernel.size(); ++dim) {
        at.push_back(index[dim + 2] * test.strides[dim] +
                     tap[dim + 1] * test.dilations[dim] - pads[dim]);
        weight.push_back(tap[dim + 1]);
        if (at.back() < 0 || at.back() >= test.input[dim])
          return;
      }
      sum += draw(1, at) * draw(2, weight);
    });
    Sizes place = arrange(index[0], index[1],
                          llvm::ArrayRef(index).drop_front(2), format);
    expected[linearize(shape, place)] = sum;
  });
  auto result = graph.run(inputs, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  EXPECT_EQ(result->values[0].getValues(), expected);
  // Integers are exact; floats have a bound that is finite and not idle.
  if (!getInfo(resultType).isFloat) {
    EXPECT_FALSE(result->bounds[0]);
    return;
  }
  for (double bound : result->bounds[0].getValues())
    EXPECT_TRUE(bound > 0 && bound < 1) << bound;
}

void checkAllFormats(const Case &test) {
  for (const char *format : {"NXC", "NCX"})
    for (const char *weightsFormat : {"XIO", "OIX"})
      check(test, format, weightsFormat, ElementType::F32, ElementType::F32);
}

} // namespace

TEST(Convolution, OneDimension) {
  checkAllFormats({{11}, {3}, {9}, {1}, {0}, {0}, {1}});
  // Asymmetric pads, stride and dilation that leave elements over.
  checkAllFormats({{11}, {3}, {6}, {2}, {3}, {1}, {2}});
}

TEST(Convolution, TwoDimensions) {
  checkAllFormats({{6, 7}, {3, 3}, {6, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
  checkAllFormats({{6, 9}, {2, 3}, {4, 2}, {2, 3}, {1, 0}, {2, 1}, {1, 2}});
  // 1 x 1
  checkAllFormats({{4, 4}, {1, 1}, {4, 4}, {1, 1}, {0, 0}, {0, 0}, {1, 1}});
}

TEST(Convolution, ThreeDimensions) {
  checkAllFormats({{4, 5, 3},
                   {2, 3, 3},
                   {2, 3, 3},
                   {2, 2, 1},
                   {0, 1, 1},
                   {1, 1, 1},
                   {1, 1, 1}});
}

TEST(Convolution, PadsBeyondTheKernel) {
  // The first and last elements see no element of src.
  Case test{{3}, {2}, {12}, {1}, {5}, {5}, {1}};
  test.hasBias = true;
  checkAllFormats(test);
}

TEST(Convolution, GroupsAndBias) {
  Case test{{5, 5}, {3, 3}, {3, 3}, {1, 1}, {0, 0}, {0, 0}, {1, 1}};
  test.groups = 2;
  test.inputChannels = 6;
  test.outputChannels = 4;
  test.hasBias = true;
  checkAllFormats(test);
  // One channel a group.
  test.groups = test.inputChannels = test.outputChannels = 4;
  checkAllFormats(test);
}

TEST(Convolution, AutoPad) {
  // Stride 2 over 6 with a kernel of 3: one pad in all.
  Case test{{6, 5}, {3, 3}, {3, 3}, {2, 2}, {9, 9}, {9, 9}, {1, 1}};
  test.autoPad = "same_upper";
  test.actualPads = {0, 1};
  checkAllFormats(test);
  test.autoPad = "same_lower";
  test.actualPads = {1, 1};
  checkAllFormats(test);
  test.autoPad = "valid";
  test.actualPads = {0, 0};
  test.output = {2, 2};
  checkAllFormats(test);
}

/// More elements of a line and more channels than a tile has.
TEST(Convolution, LargerThanATile) {
  Case test{{2, 210}, {1, 3}, {2, 210}, {1, 1}, {0, 1}, {0, 1}, {1, 1}};
  test.batch = 1;
  test.inputChannels = 2;
  test.outputChannels = 131;
  checkAllFormats(test);
}

TEST(Convolution, ElementTypes) {
  Case test{{6, 7}, {3, 3}, {6, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  test.hasBias = true;
  check(test, "NXC", "XIO", ElementType::F16, ElementType::F32);
  check(test, "NXC", "XIO", ElementType::BF16, ElementType::F32);
  check(test, "NXC", "XIO", ElementType::S8, ElementType::S32);
}

TEST(Convolution, RoundsOnceToTheType) {
  // 2048 + 1 + 1 = 2050 in f16; two roundings would give 2048.
  TestGraph graph(R"(
    func.func @main(%x: tensor<1x3x1xf16>, %w: tensor<3x1x1xf16>) -> tensor<1x1x1xf16> {
      %y = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x3x1xf16>, tensor<3x1x1xf16>) -> tensor<1x1x1xf16>
      return %y : tensor<1x1x1xf16>
    })");
  EXPECT_EQ(
      graph.evaluate({makeTensor(ElementType::F16, {1, 3, 1}, {2048, 1, 1}),
                      makeTensor(ElementType::F16, {3, 1, 1}, {1, 1, 1})}),
      std::vector<double>{2050});
}

TEST(Convolution, PaddingIsNotMultiplied) {
  // An infinite weight meets padding only: 0 * infinity would be NaN.
  TestGraph graph(R"(
    func.func @main(%x: tensor<1x1x1xf32>, %w: tensor<2x1x1xf32>) -> tensor<1x1x1xf32> {
      %y = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x1x1xf32>, tensor<2x1x1xf32>) -> tensor<1x1x1xf32>
      return %y : tensor<1x1x1xf32>
    })");
  EXPECT_EQ(graph.evaluate({makeTensor({1, 1, 1}, {3}),
                            makeTensor({2, 1, 1}, {HUGE_VAL, 2})}),
            std::vector<double>{6});
}

/// The bound passes f32 sums in another order and finds a missing product.
TEST(Convolution, BoundsCatchErrors) {
  TestGraph graph(R"(
    func.func @main(%x: tensor<1x40x16xf32>, %w: tensor<3x16x1xf32>) -> tensor<1x38x1xf32> {
      %y = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x40x16xf32>, tensor<3x16x1xf32>) -> tensor<1x38x1xf32>
      return %y : tensor<1x38x1xf32>
    })");
  Tensor x = makeTensor({1, 40, 16}, makeNoise(640, 5));
  Tensor w = makeTensor({3, 16, 1}, makeNoise(48, 6));
  auto result = graph.run({x, w}, /*errorBounds=*/true);
  ASSERT_TRUE(succeeded(result)) << graph.errors;
  for (bool broken : {false, true}) {
    Tensor actual = makeTensor({1, 38, 1}, std::vector<double>(38));
    for (int64_t i = 0; i < 38; ++i) {
      float sum = 0;
      for (int64_t k = 47; k >= (broken ? 1 : 0); --k)
        sum += x.getData<float>()[i * 16 + k] * w.getData<float>()[k];
      actual.getData<float>()[i] = sum;
    }
    Comparison comparison =
        compare(actual, result->values[0], result->bounds[0]);
    EXPECT_EQ(comparison.passed, !broken) << comparison.message;
  }
}
