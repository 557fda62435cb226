// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ValuesTestSupport.h"

using namespace gc::npu;
using namespace gc::npu::test;

static const Space kLocals[] = {Space::l1, Space::ub, Space::l0a, Space::l0b,
                                Space::l0c};

double gc::npu::test::decodeHalf(uint16_t half) {
  int exponent = half >> 10 & 31, mantissa = half & 1023;
  double value = exponent == 0 ? std::ldexp(mantissa, -24)
                 : exponent == 31
                     ? (mantissa ? std::numeric_limits<double>::quiet_NaN()
                                 : std::numeric_limits<double>::infinity())
                     : std::ldexp(1024 + mantissa, exponent - 25);
  return half >> 15 ? -value : value;
}

uint16_t gc::npu::test::encodeHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (std::isnan(value))
    return 0x7e00;
  // From half a place beyond the largest number on it is infinity.
  if (value >= 65520)
    return sign | 0x7c00;
  int low = 0, high = 0x7c00;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    (decodeHalf(middle) <= value ? low : high) = middle;
  }
  double below = value - decodeHalf(low);
  double above = (high == 0x7c00 ? 65536 : decodeHalf(high)) - value;
  return sign |
         (below < above || (below == above && low % 2 == 0) ? low : high);
}

ValuesTest::ValuesTest() : tensors(2), memory(machine, tensors) {
  auto randomise = [&](std::vector<std::byte> &bytes) {
    for (std::byte &byte : bytes)
      byte = static_cast<std::byte>(random() & 255);
  };
  for (int i = 0; i < 2; ++i) {
    expectedTensors[i].resize(kTensorBytes);
    randomise(expectedTensors[i]);
    tensorData[i].resize(kTensorBytes);
    tensors[i].data = tensorData[i].data();
    tensors[i].bytes = kTensorBytes;
  }
  for (Space space : kLocals) {
    auto &bytes = expected[static_cast<int>(space)];
    bytes.resize(machine.getCapacity(space));
    randomise(bytes);
  }
}

std::byte *ValuesTest::at(Address address) {
  auto &bytes = address.getSpace() == Space::gm
                    ? expectedTensors[address.getTensor()]
                    : expected[static_cast<int>(address.getSpace())];
  EXPECT_LT(address.getOffset(), int64_t(bytes.size()));
  return bytes.data() + address.getOffset();
}

double ValuesTest::getNumber(DType type, Address address, int64_t index) {
  switch (type) {
  case DType::f16:
    return decodeHalf(get<uint16_t>(address, index));
  case DType::f32:
    return get<float>(address, index);
  case DType::s8:
    return get<int8_t>(address, index);
  case DType::s32:
    return get<int32_t>(address, index);
  }
  return 0;
}

static double toInteger(double value, double low, double high) {
  return std::isnan(value) ? 0
                           : std::fmin(std::fmax(std::rint(value), low), high);
}

void ValuesTest::setNumber(DType type, Address address, int64_t index,
                           double value) {
  switch (type) {
  case DType::f16:
    return set(address, index, encodeHalf(value));
  case DType::f32:
    return set(address, index, static_cast<float>(value));
  case DType::s8:
    return set(address, index,
               static_cast<int8_t>(toInteger(value, -128, 127)));
  case DType::s32:
    return set(
        address, index,
        static_cast<int32_t>(toInteger(value, -2147483648.0, 2147483647.0)));
  }
}

void ValuesTest::fillEdges(DType type, Address address, int64_t count) {
  static const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7bff,
                                    0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x0001,
                                    0x8001, 0x03ff, 0x0400, 0x6800, 0x57f8,
                                    0x3800, 0x3e00, 0xd800, 0x4c00, 0x4b80};
  static const float floats[] = {
      0.0f,       -0.0f,      1.0f,     -1.0f,      0x1.fffffep127f,
      -INFINITY,  INFINITY,   NAN,      0x1p-149f,  -0x1p-140f,
      0x1p-126f,  65519.996f, 65520.0f, -65536.0f,  0x1p-25f,
      0x1.8p-24f, 0x1p-24f,   0.5f,     1.5f,       2.5f,
      -2.5f,      127.5f,     -128.5f,  8388607.5f, 0x1p31f,
      -0x1p31f,   2049.0f,    2051.0f,  1e9f,       -3e9f,
      16777217.0f};
  static const int32_t integers[] = {
      0,         1,         -1,    127,         128,       -128,   -129,
      2049,      2051,      65519, 65520,       65535,     -65536, 16777217,
      INT32_MAX, INT32_MIN, 255,   -2147483583, 2147483584};
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = random();
    bool edge = random() % 3 == 0;
    switch (type) {
    case DType::f16:
      set(address, i,
          edge ? halves[bits % std::size(halves)]
               : static_cast<uint16_t>(bits));
      break;
    case DType::f32:
      if (edge)
        set(address, i, floats[bits % std::size(floats)]);
      else if (random() % 2)
        set(address, i,
            std::ldexp(static_cast<float>(int(bits >> 7) - (1 << 24)),
                       int(random() % 40) - 40));
      else
        set(address, i, bits);
      break;
    case DType::s8:
      set(address, i, static_cast<uint8_t>(bits));
      break;
    case DType::s32:
      set(address, i,
          edge ? integers[bits % std::size(integers)]
               : static_cast<int32_t>(bits) >> (random() % 32));
      break;
    }
  }
}

void ValuesTest::fillSmall(DType type, Address address, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    setNumber(type, address, i, (int(random() % 65) - 32) / 2.0);
}

void ValuesTest::run(const Instruction &instruction) {
  auto error = check(machine, instruction);
  ASSERT_FALSE(error) << error->message;
  for (int i = 0; i < 2; ++i)
    tensorData[i] = expectedTensors[i];
  for (int i = 0; i < 2; ++i)
    tensors[i].data = tensorData[i].data();
  for (Space space : kLocals)
    std::memcpy(memory.at(Address(space, 0)),
                expected[static_cast<int>(space)].data(),
                expected[static_cast<int>(space)].size());
  execute(instruction, memory);
}

void ValuesTest::expectEqual(DType type, Address address, int64_t count) {
  auto isNan = [&](const std::byte *bytes) {
    if (type == DType::f16) {
      uint16_t half;
      std::memcpy(&half, bytes, 2);
      return (half & 0x7fff) > 0x7c00;
    }
    float value;
    std::memcpy(&value, bytes, 4);
    return type == DType::f32 && std::isnan(value);
  };
  int64_t size = getBytes(type);
  auto compare = [&](Address start, std::vector<std::byte> &wanted) {
    const std::byte *found = memory.at(start);
    if (std::memcmp(found, wanted.data(), wanted.size()) == 0)
      return;
    int64_t begin = 0, end = 0;
    if (count && start.getSpace() == address.getSpace() &&
        start.getTensor() == address.getTensor()) {
      begin = address.getOffset();
      end = begin + count * size;
    }
    for (int64_t i = 0; i < int64_t(wanted.size()); ++i) {
      if (i >= begin && i < end) {
        int64_t element = begin + (i - begin) / size * size;
        if (isNan(found + element) && isNan(&wanted[element]))
          continue;
      }
      if (found[i] != wanted[i]) {
        ADD_FAILURE() << getName(start.getSpace()) << " byte " << i << " is "
                      << std::to_integer<int>(found[i]) << ", expected "
                      << std::to_integer<int>(wanted[i]);
        return;
      }
    }
  };
  for (int i = 0; i < 2; ++i)
    compare(Address(Space::gm, 0, i), expectedTensors[i]);
  for (Space space : kLocals)
    compare(Address(space, 0), expected[static_cast<int>(space)]);
}
