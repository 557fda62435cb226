// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector instructions: one repeat after the other, each read whole into f32,
// computed, rounded and stored where the mask has bits.
//
// The order of reductions: lanes are combined in pairs of neighbours, (0, 1),
// (2, 3)..., the results again, until one is left; so blocks of 32 bytes come
// first, then pairs of blocks. A lane outside the mask is the operation's
// neutral element, which leaves any number unchanged.

#include "ValuesLanes.h"

#include <limits>

using namespace gc::npu;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A NaN on either side is the result.
float getMax(float a, float b) { return a > b || a != a ? a : b; }
float getMin(float a, float b) { return a < b || a != a ? a : b; }

template <typename Fn>
void map(Lanes &a, const Lanes &b, Fn fn) {
  for (int i = 0; i < kMaxLanes; ++i)
    a[i] = fn(a[i], b[i]);
}
template <typename Fn>
void map(Lanes &a, Fn fn) {
  for (int i = 0; i < kMaxLanes; ++i)
    a[i] = fn(a[i]);
}
/// For operations that cost more than computing an unused lane.
template <typename Fn>
void map(Lanes &a, int64_t lanes, Fn fn) {
  for (int64_t i = 0; i < lanes; ++i)
    a[i] = fn(a[i]);
}

/// a = a op b, or op(a), or a op scalar.
void compute(VectorOp op, Lanes &a, const Lanes &b, int64_t lanes,
             float scalar) {
  switch (op) {
  case VectorOp::add:
    return map(a, b, [](float x, float y) { return x + y; });
  case VectorOp::sub:
    return map(a, b, [](float x, float y) { return x - y; });
  case VectorOp::mul:
    return map(a, b, [](float x, float y) { return x * y; });
  case VectorOp::div:
    return map(a, b, [](float x, float y) { return x / y; });
  case VectorOp::max:
    return map(a, b, getMax);
  case VectorOp::min:
    return map(a, b, getMin);
  case VectorOp::adds:
    return map(a, [=](float x) { return x + scalar; });
  case VectorOp::muls:
    return map(a, [=](float x) { return x * scalar; });
  case VectorOp::relu:
    return map(a, [](float x) { return x > 0 || x != x ? x : 0.0f; });
  case VectorOp::abs:
    return map(a, [](float x) { return std::fabs(x); });
  case VectorOp::exp:
    return map(a, lanes, [](float x) { return std::exp(x); });
  case VectorOp::log:
    return map(a, lanes, [](float x) { return std::log(x); });
  case VectorOp::sqrt:
    return map(a, [](float x) { return std::sqrt(x); });
  case VectorOp::rsqrt:
    // Rounded once: the errors in double precision are far below.
    return map(a, lanes, [](float x) {
      return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
    });
  case VectorOp::reciprocal:
    return map(a, [](float x) { return 1.0f / x; });
  default: // convert
    return;
  }
}

/// a = 1 where the comparison holds, else 0.
void compare(VectorOp op, Lanes &a, const Lanes &b) {
  switch (op) {
  case VectorOp::compareEq:
    return map(a, b, [](float x, float y) { return x == y ? 1.0f : 0.0f; });
  case VectorOp::compareNe:
    return map(a, b, [](float x, float y) { return x != y ? 1.0f : 0.0f; });
  case VectorOp::compareLt:
    return map(a, b, [](float x, float y) { return x < y ? 1.0f : 0.0f; });
  case VectorOp::compareLe:
    return map(a, b, [](float x, float y) { return x <= y ? 1.0f : 0.0f; });
  case VectorOp::compareGt:
    return map(a, b, [](float x, float y) { return x > y ? 1.0f : 0.0f; });
  default: // compareGe
    return map(a, b, [](float x, float y) { return x >= y ? 1.0f : 0.0f; });
  }
}

/// Combines neighbours until every `group` lanes are one.
template <typename Fn>
void reduce(Lanes &a, int64_t group, Fn fn) {
  for (int64_t width = 1, lanes = kMaxLanes / 2; width < group;
       width *= 2, lanes /= 2)
    for (int64_t i = 0; i < lanes; ++i)
      a[i] = fn(a[2 * i], a[2 * i + 1]);
}

/// The results of each `group` lanes in the first of `a`; lanes outside the
/// mask have no effect.
void reduceLanes(VectorOp op, Lanes &a, Mask mask, int64_t group) {
  bool isSum = op == VectorOp::reduceSum || op == VectorOp::groupSum;
  bool isMax = op == VectorOp::reduceMax || op == VectorOp::groupMax;
  float neutral = isSum ? -0.0f : isMax ? -kInfinity : kInfinity;
  for (int i = 0; i < kMaxLanes; ++i)
    if (!mask.test(i))
      a[i] = neutral;
  if (isSum)
    return reduce(a, group, [](float x, float y) { return x + y; });
  return isMax ? reduce(a, group, getMax) : reduce(a, group, getMin);
}

/// A vector instruction on its way through the repeats.
class Vector {
public:
  Vector(const Instruction &instruction, Memory &memory)
      : instruction(instruction), vector(instruction.vector),
        op(instruction.vectorOp), lanes(getLanes(instruction)),
        mask(getMask(instruction)),
        dst(memory, instruction.dst, instruction.dstType, vector.dstBlock,
            vector.dstRepeat),
        src0(memory, instruction.src0, instruction.type, vector.src0Block,
             vector.src0Repeat),
        src1(memory, instruction.src1, instruction.type, vector.src1Block,
             vector.src1Repeat),
        bits(memory,
             op == VectorOp::select ? instruction.src2 : instruction.dst) {}

  void run() {
    if (op == VectorOp::dup)
      return runDup();
    if (op == VectorOp::copy)
      return runCopy();
    if (op == VectorOp::transpose)
      return runTranspose();
    if (isRepeatReduce(op) || isGroupReduce(op))
      return runReduce();
    if (isCompare(op))
      return runCompare();
    bool binary = isBinary(op) || op == VectorOp::select;
    auto scalar = static_cast<float>(vector.scalar);
    Lanes a = {}, b = {};
    for (int64_t i = 0; i < vector.repeat; ++i) {
      src0.load(a, i, lanes, mask);
      if (binary)
        src1.load(b, i, lanes, mask);
      if (op == VectorOp::select)
        select(a, b, i);
      else
        compute(op, a, b, lanes, scalar);
      dst.store(a, i, lanes, mask);
    }
  }

private:
  void runDup() {
    Lanes a;
    std::fill_n(a.values, kMaxLanes, static_cast<float>(vector.scalar));
    for (int64_t i = 0; i < vector.repeat; ++i) {
      if (instruction.dstType == DType::s32) // f32 cannot hold all of them
        dst.fill(toS32Exactly(vector.scalar), i, lanes, mask);
      else
        dst.store(a, i, lanes, mask);
    }
  }

  static int32_t toS32Exactly(double value) {
    double rounded = std::nearbyint(value);
    return rounded != rounded     ? 0
           : rounded >= INT32_MAX ? INT32_MAX
           : rounded <= INT32_MIN ? INT32_MIN
                                  : static_cast<int32_t>(rounded);
  }

  void runCopy() {
    std::byte raw[kRepeatBytes];
    for (int64_t i = 0; i < vector.repeat; ++i) {
      src0.loadRaw(raw, i, lanes, mask);
      dst.storeRaw(raw, i, lanes, mask);
    }
  }

  void runTranspose() {
    std::byte result[kFractalBytes];
    bool isWide = getBytes(instruction.type) == 4;
    int rows = static_cast<int>(getC0(instruction.type));
    for (int64_t i = 0; i < vector.repeat; ++i) {
      (isWide ? transposeWide : transposeFractal)(
          result, kBlockBytes, src0.at(i), src0.getBlockStride());
      for (int row = 0; row < rows; ++row)
        std::memcpy(dst.at(i) + row * dst.getBlockStride(),
                    result + row * kBlockBytes, kBlockBytes);
    }
  }

  void runReduce() {
    Lanes a = {};
    bool whole = isRepeatReduce(op);
    int64_t group = whole ? lanes : getC0(instruction.type), next = 0;
    for (int64_t i = 0; i < vector.repeat; ++i) {
      src0.load(a, i, lanes, mask);
      reduceLanes(op, a, mask, group);
      for (int64_t lane = 0; lane < lanes; lane += group)
        if (hasLane(mask, lane, group))
          dst.storeElement(a[lane / group], next++);
    }
  }

  void runCompare() {
    Lanes a = {}, b = {};
    for (int64_t i = 0; i < vector.repeat; ++i) {
      src0.load(a, i, lanes, mask);
      src1.load(b, i, lanes, mask);
      compare(op, a, b);
      std::byte *to = bits.at(i * lanes);
      for (int64_t first = 0; first < lanes; first += 8) {
        unsigned byte = 0;
        for (int64_t lane = 0; lane < 8; ++lane)
          byte |= static_cast<unsigned>(a[first + lane] != 0) << lane;
        to[first / 8] = static_cast<std::byte>(byte & getBits(mask, first, 8));
      }
    }
  }

  void select(Lanes &a, const Lanes &b, int64_t repeat) {
    const std::byte *from = bits.at(repeat * lanes);
    for (int64_t lane = 0; lane < lanes; ++lane)
      if (!(std::to_integer<unsigned>(from[lane / 8]) >> lane % 8 & 1))
        a[lane] = b[lane];
  }

  const Instruction &instruction;
  const Instruction::Vector &vector;
  VectorOp op;
  int64_t lanes;
  Mask mask;
  LaneOperand dst, src0, src1;
  BitOperand bits;
};

} // namespace

void gc::npu::executeVector(const Instruction &instruction, Memory &memory) {
  Vector(instruction, memory).run();
}
