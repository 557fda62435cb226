// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ValuesLanes.h"
#include "ValuesKernels.h"

using namespace gc::npu;

template <typename T, typename To, typename Fn>
static void convert(To *to, const T *from, int64_t count, Fn fn) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = fn(from[i]);
}

void LaneOperand::widen(float *to, const std::byte *from, int64_t count) const {
  switch (type) {
  case DType::f16:
    return toFloat(to, reinterpret_cast<const uint16_t *>(from), count);
  case DType::f32:
    std::memcpy(to, from, count * size);
    return;
  case DType::s8:
    return convert(to, reinterpret_cast<const int8_t *>(from), count,
                   [](int8_t x) { return static_cast<float>(x); });
  case DType::s32:
    return convert(to, reinterpret_cast<const int32_t *>(from), count,
                   [](int32_t x) { return static_cast<float>(x); });
  }
}

void LaneOperand::narrow(std::byte *to, const float *from,
                         int64_t count) const {
  switch (type) {
  case DType::f16:
    return toHalf(reinterpret_cast<uint16_t *>(to), from, count);
  case DType::f32:
    std::memcpy(to, from, count * size);
    return;
  case DType::s8:
    return convert(reinterpret_cast<int8_t *>(to), from, count, toS8);
  case DType::s32:
    return convert(reinterpret_cast<int32_t *>(to), from, count, toS32);
  }
}

/// Calls fn(first lane, count) for runs of lanes that are adjacent in memory
/// and touched: a whole repeat if it can be, else block by block.
template <typename Fn>
static void forEachRun(int64_t lanes, int64_t size, int64_t blockStride,
                       Mask mask, Fn fn) {
  if (blockStride == kBlockBytes && hasAllLanes(mask, lanes))
    return fn(0, lanes);
  int64_t count = std::min(kBlockBytes / size, lanes);
  for (int64_t first = 0; first < lanes; first += count)
    if (hasLane(mask, first, count))
      fn(first, count);
}

void LaneOperand::load(Lanes &to, int64_t repeat, int64_t lanes,
                       Mask mask) const {
  const std::byte *from = at(repeat);
  forEachRun(lanes, size, blockStride, mask, [&](int64_t first, int64_t count) {
    widen(to.values + first, from + first * size / kBlockBytes * blockStride,
          count);
  });
}

void LaneOperand::loadRaw(std::byte *to, int64_t repeat, int64_t lanes,
                          Mask mask) const {
  const std::byte *from = at(repeat);
  forEachRun(lanes, size, blockStride, mask, [&](int64_t first, int64_t count) {
    std::memcpy(to + first * size,
                from + first * size / kBlockBytes * blockStride, count * size);
  });
}

void LaneOperand::storeRaw(const std::byte *from, int64_t repeat, int64_t lanes,
                           Mask mask) const {
  std::byte *to = at(repeat);
  forEachRun(lanes, size, blockStride, mask, [&](int64_t first, int64_t count) {
    std::byte *run = to + first * size / kBlockBytes * blockStride;
    const std::byte *numbers = from + first * size;
    if (count == lanes ||
        getBits(mask, first, count) == (uint64_t(1) << count) - 1) {
      std::memcpy(run, numbers, count * size);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      if (mask.test(first + i))
        std::memcpy(run + i * size, numbers + i * size, size);
  });
}

void LaneOperand::store(const Lanes &from, int64_t repeat, int64_t lanes,
                        Mask mask) const {
  if (blockStride == kBlockBytes && hasAllLanes(mask, lanes))
    return narrow(at(repeat), from.values, lanes);
  alignas(64) std::byte raw[kMaxLanes * 4];
  narrow(raw, from.values, lanes);
  storeRaw(raw, repeat, lanes, mask);
}

void LaneOperand::fill(int32_t value, int64_t repeat, int64_t lanes,
                       Mask mask) const {
  int32_t numbers[kMaxLanes];
  std::fill_n(numbers, lanes, value);
  storeRaw(reinterpret_cast<const std::byte *>(numbers), repeat, lanes, mask);
}

void LaneOperand::storeElement(float value, int64_t index) const {
  narrow(memory.at(address + index * size), &value, 1);
}
