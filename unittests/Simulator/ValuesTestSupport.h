// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared by the tests of the NPU's values: numbers of 16 bits worked out the
// slow way, and memories that are compared byte by byte with what is expected.

#ifndef GC_UNITTESTS_NPU_VALUESTESTSUPPORT_H
#define GC_UNITTESTS_NPU_VALUESTESTSUPPORT_H

#include "NpuModel/Instruction.h"
#include "Simulator/Memory.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace gc::npu::test {

/// The value of a number of 16 bits by its definition.
double decodeHalf(uint16_t half);
/// The number of 16 bits nearest to `value`: by search, to even on a tie.
uint16_t encodeHalf(double value);

/// A core's memory and what it should be: instructions run on the first, the
/// test works on the second.
class ValuesTest : public ::testing::Test {
protected:
  ValuesTest();

  /// What the test expects at an address; an element at an index from there on.
  std::byte *at(Address address);
  template <typename T>
  T get(Address address, int64_t index = 0) {
    T value;
    std::memcpy(&value, at(address) + index * int64_t(sizeof(T)), sizeof(T));
    return value;
  }
  template <typename T>
  void set(Address address, int64_t index, T value) {
    std::memcpy(at(address) + index * int64_t(sizeof(T)), &value, sizeof(T));
  }

  /// The element as a number, whatever its type; and back, rounded to the type.
  double getNumber(DType type, Address address, int64_t index);
  void setNumber(DType type, Address address, int64_t index, double value);

  /// Fills elements with numbers of all kinds: large, small, subnormal,
  /// special.
  void fillEdges(DType type, Address address, int64_t count);
  /// With small integers and halves of them.
  void fillSmall(DType type, Address address, int64_t count);

  /// Gives the machine's memory what the test has written, runs the
  /// instruction, which must be legal.
  void run(const Instruction &instruction);
  /// All bytes of all buffers are as expected. Elements of type `type` in
  /// `count` elements from `address` on match if both are not a number.
  void expectEqual(DType type = DType::s8, Address address = {},
                   int64_t count = 0);

  /// Takes what the machine has there as expected, to look at it.
  void takeResults(Address address, int64_t bytes) {
    std::memcpy(at(address), memory.at(address), bytes);
  }
  double load(Address address, DType type) {
    return loadScalar(memory, address, type);
  }

  static constexpr int64_t kTensorBytes = 1 << 18;
  Machine machine;
  std::mt19937 random{1};

private:
  std::vector<Tensor> tensors;
  std::vector<std::byte> tensorData[2];
  std::vector<std::byte> expected[kNumSpaces], expectedTensors[2];
  Memory memory;
};

} // namespace gc::npu::test

#endif // GC_UNITTESTS_NPU_VALUESTESTSUPPORT_H
