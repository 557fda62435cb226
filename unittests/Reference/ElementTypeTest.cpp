// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/ElementType.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace gc::reference;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ElementType, RoundsF32ToNearestEven) {
  EXPECT_EQ(roundTo(ElementType::F32, 0.1), 0x1.99999ap-4);
  EXPECT_EQ(roundTo(ElementType::F32, 1 + 0x1p-24), 1); // tie
  EXPECT_EQ(roundTo(ElementType::F32, 1 + 0x1p-24 + 0x1p-50), 1 + 0x1p-23);
  EXPECT_EQ(roundTo(ElementType::F32, 1e39), kInfinity);
}

TEST(ElementType, RoundsBF16Once) {
  EXPECT_EQ(roundTo(ElementType::BF16, 1.00390625), 1);        // tie, even
  EXPECT_EQ(roundTo(ElementType::BF16, 1.01171875), 0x1.04p0); // tie, even
  // Rounding to f32 first would make this a tie and lose the last digit.
  EXPECT_EQ(roundTo(ElementType::BF16, 1.00390625 + 0x1p-40), 0x1.02p0);
  EXPECT_EQ(roundTo(ElementType::BF16, -0.1), -0x1.9ap-4);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.4e38), kInfinity);
  EXPECT_EQ(roundTo(ElementType::BF16, -1e-40), -0x1p-133);
  EXPECT_EQ(roundTo(ElementType::BF16, -kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(roundTo(ElementType::BF16, std::nan(""))));
}

TEST(ElementType, RoundsF16) {
  EXPECT_EQ(roundTo(ElementType::F16, 65519.99), 65504);
  EXPECT_EQ(roundTo(ElementType::F16, 65520), kInfinity);
  EXPECT_EQ(roundTo(ElementType::F16, 0.1), 0.0999755859375);
  EXPECT_EQ(roundTo(ElementType::F16, 1e-7), 0x1p-23);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.00001p-25), 0x1p-24);
  EXPECT_EQ(roundTo(ElementType::F16, -2048.5), -2048);
  EXPECT_EQ(roundTo(ElementType::F16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.ff8p-15), 0x1.ff8p-15);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.ffcp-15), 0x1p-14); // tie
  EXPECT_TRUE(std::isnan(roundTo(ElementType::F16, std::nan(""))));
}

/// LLVM's own arithmetic of the type.
static double roundByLLVM(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat number(value);
  bool isExact;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &isExact);
  return number.convertToDouble();
}

TEST(ElementType, RoundsF8) {
  for (auto [type, semantics] :
       {std::pair(ElementType::F8E5M2, &llvm::APFloat::Float8E5M2()),
        std::pair(ElementType::F8E4M3FN, &llvm::APFloat::Float8E4M3FN())}) {
    std::vector<double> numbers;
    for (int code = 0; code < 256; ++code) {
      auto bits = static_cast<uint8_t>(code);
      double value;
      loadElements(type, &bits, 0, 1, 1, &value);
      double expected =
          llvm::APFloat(*semantics, llvm::APInt(8, code)).convertToDouble();
      EXPECT_TRUE(value == expected || (value != value && expected != expected))
          << code << ": " << value << ", not " << expected;
      if (std::isfinite(value))
        numbers.push_back(value);
    }
    // Every number, every tie, and what is next to either.
    llvm::sort(numbers);
    numbers.push_back(2 * numbers.back());
    numbers.push_back(kInfinity);
    for (size_t i = 0; i + 1 < numbers.size(); ++i)
      for (double middle : {numbers[i], (numbers[i] + numbers[i + 1]) / 2})
        for (double value : {std::nextafter(middle, -kInfinity), middle,
                             std::nextafter(middle, kInfinity)}) {
          double rounded = roundTo(type, value);
          double expected = roundByLLVM(*semantics, value);
          EXPECT_TRUE(rounded == expected ||
                      (rounded != rounded && expected != expected))
              << value << " becomes " << rounded << ", not " << expected;
        }
    EXPECT_TRUE(std::isnan(roundTo(type, std::nan(""))));
  }
}

TEST(ElementType, IntegersRoundToEvenAndSaturate) {
  EXPECT_EQ(roundTo(ElementType::S8, 2.5), 2);
  EXPECT_EQ(roundTo(ElementType::S8, 3.5), 4);
  EXPECT_EQ(roundTo(ElementType::S8, 200), 127);
  EXPECT_EQ(roundTo(ElementType::S8, -200), -128);
  EXPECT_EQ(roundTo(ElementType::U8, -1), 0);
  EXPECT_EQ(roundTo(ElementType::U8, kInfinity), 255);
  EXPECT_EQ(roundTo(ElementType::S4, 9), 7);
  EXPECT_EQ(roundTo(ElementType::U4, 16), 15);
  EXPECT_EQ(roundTo(ElementType::S32, 3e9), 2147483647);
  EXPECT_EQ(roundTo(ElementType::S32, std::nan("")), 0);
  EXPECT_EQ(roundTo(ElementType::Boolean, 0.25), 1);
}

TEST(ElementType, LoadsUnalignedStrides) {
  char buffer[17] = {};
  double values[2] = {1.5, -2.25}, read[2];
  storeElements(ElementType::F32, buffer + 1, 1, 2, 2, values);
  loadElements(ElementType::F32, buffer + 1, 1, 2, 2, read);
  EXPECT_EQ(read[0], 1.5);
  EXPECT_EQ(read[1], -2.25);
  float third;
  memcpy(&third, buffer + 1 + 12, 4);
  EXPECT_EQ(third, -2.25f);
}
