// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpuModel/Float16.h"
#include "ValuesKernels.h"
#include "ValuesTestSupport.h"

using namespace gc::npu;
using namespace gc::npu::test;

static uint32_t getFloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static float fromFloatBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(Float16, EveryNumberWidens) {
  for (int half = 0; half < 0x10000; ++half) {
    float found = toFloat(static_cast<uint16_t>(half));
    double wanted = decodeHalf(half);
    ASSERT_EQ(std::signbit(found), half >= 0x8000) << half;
    if (std::isnan(wanted))
      ASSERT_TRUE(std::isnan(found)) << half;
    else
      ASSERT_EQ(found, wanted) << half;
  }
}

// Around every number and every tie, with both signs.
TEST(Float16, RoundsToNearestEven) {
  for (int half = 0; half < 0x7c00; ++half) {
    auto value = static_cast<float>(decodeHalf(half));
    auto next =
        half == 0x7bff ? 65536.0f : static_cast<float>(decodeHalf(half + 1));
    float tie = (value + next) / 2;
    for (float x :
         {value, std::nextafter(value, INFINITY), std::nextafter(tie, 0.0f),
          tie, std::nextafter(tie, INFINITY), std::nextafter(next, 0.0f)})
      for (float y : {x, -x})
        ASSERT_EQ(toHalf(y), encodeHalf(y)) << y;
    ASSERT_EQ(toHalf(tie), half % 2 ? half + 1 : half);
  }
}

TEST(Float16, Extremes) {
  EXPECT_EQ(toHalf(65519.996f), 0x7bff);
  EXPECT_EQ(toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(toHalf(-0x1.fffffep127f), 0xfc00);
  EXPECT_EQ(toHalf(-INFINITY), 0xfc00);
  EXPECT_EQ(toHalf(0x1p-24f), 0x0001);
  EXPECT_EQ(toHalf(0x1p-25f), 0x0000);
  EXPECT_EQ(toHalf(-0x1.000002p-25f), 0x8001);
  EXPECT_EQ(toHalf(-0x1p-149f), 0x8000);
  EXPECT_EQ(toHalf(NAN) & 0x7e00, 0x7e00);
  // A signalling NaN becomes quiet, its upper bits stay.
  EXPECT_EQ(toHalf(fromFloatBits(0xff802000)), 0xfe01);
  EXPECT_EQ(toHalf(fromFloatBits(0x7f800001)), 0x7e00);
  EXPECT_EQ(getFloatBits(toFloat(0x7c01)), 0x7fc02000u);
}

// Arrays go through the host's instructions if it has them: the same bits, also
// for lengths that are not a multiple of a register.
TEST(Float16, ArraysAgreeWithSingleNumbers) {
  std::mt19937 random(7);
  for (int64_t count : {0, 1, 7, 8, 33, 4099}) {
    std::vector<float> floats(count), back(count);
    std::vector<uint16_t> halves(count);
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits = random();
      if (i % 3) // near the range of 16 bits
        bits = (bits & 0x807fffff) | (100 + bits % 60) << 23;
      floats[i] = fromFloatBits(bits);
    }
    toHalf(halves.data(), floats.data(), count);
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(halves[i], toHalf(floats[i])) << floats[i];
    for (int64_t i = 0; i < count; ++i)
      halves[i] = static_cast<uint16_t>(random());
    toFloat(back.data(), halves.data(), count);
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(getFloatBits(back[i]), getFloatBits(toFloat(halves[i])))
          << halves[i];
  }
}
