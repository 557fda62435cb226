// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Addresses know which buffer they belong to: what leaves it is found, exactly.

#include "TestProgram.h"

#include <random>

using namespace gc::npu;
using namespace gc::npu::test;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

TEST(Address, AnOffsetBelowZeroKeepsTheRest) {
  for (int number : {0, 1, 0x7fff, 0xffff})
    for (Space space : {Space::gm, Space::ub, Space::l0c})
      for (int64_t bytes : {int64_t(-1), int64_t(-4096), int64_t(1) << 40,
                            -(int64_t(1) << 40), int64_t(12345)}) {
        Address address = Address(space, 64, number) + bytes;
        EXPECT_TRUE(address.isSpaceValid());
        EXPECT_EQ(address.getSpace(), space);
        EXPECT_EQ(address.getNumber(), number);
        EXPECT_EQ(address.getOffset(), 64 + bytes);
      }
  EXPECT_FALSE(Address(uint64_t(6) << 60).isSpaceValid());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

TEST(Buffer, TheNeighbourIsAnotherBuffer) {
  auto body = [](int64_t offset) {
    return [=](Builder &b) {
      uint64_t a = b.alloc(ub(512), 512);
      b.alloc(ub(1024), 512);
      b.dup(a + static_cast<uint64_t>(offset));
    };
  };
  expectNoError(body(0));
  expectNoError(body(256));
  expectError(run(body(288)), ErrorKind::buffer, 2,
              "vector dup: bytes [800, 1056) of ub are not all in the "
              "operand's buffer, bytes [512, 1024)",
              0);
  expectError(run(body(-32)), ErrorKind::buffer, 2,
              "vector dup: bytes [480, 736) of ub are not all in the "
              "operand's buffer, bytes [512, 1024)",
              0);
  // Also past the ends of the space.
  expectError(run(body(-1024)), ErrorKind::buffer, 2,
              "vector dup: bytes [-512, -256) of ub are not all in the "
              "operand's buffer, bytes [512, 1024)",
              0);
  expectError(run(body(1 << 20)), ErrorKind::buffer, 2,
              "vector dup: bytes [1049088, 1049344) of ub are not all in the "
              "operand's buffer, bytes [512, 1024)",
              0);
}

TEST(Buffer, EveryOperandHasItsOwn) {
  auto body = [](bool first, bool second) {
    return [=](Builder &b) {
      uint64_t x = b.alloc(ub(0), 256), y = b.alloc(ub(256), 512);
      b.dup(x);
      b.dup(y, 2);
      b.barrier(GC_NPU_V);
      b.vector(GC_NPU_ADD, ub(4096), first ? x : y, second ? x : y, 2);
    };
  };
  expectNoError(body(false, false));
  for (bool first : {false, true})
    expectError(run(body(first, !first)), ErrorKind::buffer, 5,
                "vector add: bytes [0, 512) of ub are not all in the "
                "operand's buffer, bytes [0, 256)",
                0);
}

TEST(Buffer, BuffersAreWholeBlocks) {
  // 10 bytes are a block; a transfer of them fills it.
  expectNoError([](Builder &b) { b.move(b.alloc(ub(0), 10), in(0), 10); });
  expectError(run([](Builder &b) { b.move(b.alloc(ub(0), 32), in(0), 33); }),
              ErrorKind::buffer, 1,
              "dma: bytes [0, 64) of ub are not all in the operand's buffer, "
              "bytes [0, 32)",
              0);
}

TEST(Buffer, OnlyWhatIsTouchedCounts) {
  // Of an image of 8 x 8 pixels the buffer holds the first three rows.
  auto body = [](int64_t rows) {
    return [=](Builder &b) {
      uint64_t image = b.alloc(l1(1024), 3 * 8 * 32);
      b.move(image, in(0), 3 * 8 * 32);
      b.sync(GC_NPU_MTE2, GC_NPU_MTE1);
      gc_npu_load3d(b.core, b.next++, l0a(0), image, GC_NPU_F16, 8, 8, 1, 1, 1,
                    1, 0, 0, 8, 0, rows * 8, 0, 16);
    };
  };
  expectNoError(body(2));
  expectError(run(body(4)), ErrorKind::buffer, 4,
              "load3d: bytes [1024, 2048) of l1 are not all in the operand's "
              "buffer, bytes [1024, 1792)",
              0);
}

TEST(Buffer, LoadsOfScalars) {
  auto body = [](int64_t offset) {
    return [=](Builder &b) {
      uint64_t a = b.alloc(ub(256), 256);
      b.dup(a);
      b.barrierAll();
      b.load(a + static_cast<uint64_t>(offset));
    };
  };
  expectNoError(body(254));
  expectError(run(body(-2)), ErrorKind::buffer, 3,
              "load_scalar: bytes [254, 256) of ub are not all in the "
              "operand's buffer, bytes [256, 512)",
              0);
}

TEST(Buffer, SlotsAreBuffers) {
  auto body = [](int64_t index, int64_t offset) {
    return [=](Builder &b) {
      uint64_t a = b.alloc(ub(0), 1024 + 256);
      uint64_t slot = gc_npu_slot(b.core, b.next++, a, index, 3, 512, 256);
      b.dup(slot + static_cast<uint64_t>(offset));
    };
  };
  for (int64_t index : {0, 1, 2, 3, 100})
    expectNoError(body(index, 0));
  expectError(run(body(7, 32)), ErrorKind::buffer, 2,
              "vector dup: bytes [544, 800) of ub are not all in the "
              "operand's buffer, bytes [512, 768)",
              1);
  expectError(run(body(-1, 0)), ErrorKind::frontEnd, 1,
              "a buffer of 3 slots has no slot -1");
}

TEST(Buffer, TheBufferIsTheOneOfTheLastTime) {
  // The same place again: the error names the later alloc.
  expectError(run([](Builder &b) {
                b.alloc(ub(0), 256);
                b.alloc(ub(0), 512);
                b.dup(b.alloc(ub(0), 256), 2);
              }),
              ErrorKind::buffer, 3,
              "vector dup: bytes [0, 512) of ub are not all in the operand's "
              "buffer, bytes [0, 256)",
              2);
}

TEST(Buffer, TooMany) {
  auto body = [](int count) {
    return [=](Builder &b) {
      for (int i = 0; i < count; ++i)
        b.alloc(ub(i % 8192 * 32), 32 + i / 8192 * 32 % 1024);
    };
  };
  // Each once more is none more.
  expectNoError(body(8000));
  Report report = run([&](Builder &b) {
    for (int64_t bytes = 1;; ++bytes)
      for (int64_t i = 0; i < 1024; ++i)
        b.alloc(ub(i * 32), bytes);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::limitReached);
  EXPECT_EQ(report.error->message,
            "the program has more than 65535 different buffers");
}

TEST(Buffer, WhatNobodyNamedIsNotChecked) {
  expectNoError([](Builder &b) {
    b.alloc(ub(0), 256);
    b.dup(ub(128));
  });
}

/// All bytes of an instruction are in the buffers of their operands.
static bool staysInside(const Instruction &in,
                        const std::vector<Buffer> &buffers) {
  bool inside = true;
  forEachRange(in, [&](Address address, int64_t bytes, Access) {
    const Buffer &buffer = buffers[address.getNumber() - 1];
    int64_t begin = address.getOffset() - buffer.begin;
    inside &= begin >= 0 && begin + bytes <= (buffer.bytes + 31) / 32 * 32;
  });
  return inside;
}

TEST(Buffer, RandomInstructionsAgainstTheirBytes) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Machine machine;
  std::vector<Buffer> buffers;
  for (int64_t i = 0; i < 4; ++i)
    buffers.emplace_back(machine, Space::ub, 2048 + i * 2048,
                         1 + pick(500, 2047));
  buffers.emplace_back(machine, Space::l1, 4096, 4096);
  int found = 0, good = 0;
  for (int i = 0; i < 20000; ++i) {
    auto address = [&] {
      int number = static_cast<int>(pick(1, 4));
      return Address(Space::ub, buffers[number - 1].begin + pick(-2, 40) * 32,
                     number);
    };
    Instruction in(i % 2 ? Opcode::vector : Opcode::dma);
    in.dst = address();
    in.src0 = address();
    if (in.opcode == Opcode::vector) {
      in.vectorOp = pick(0, 1) ? VectorOp::add : VectorOp::reduceSum;
      in.src1 = address();
      in.vector = {pick(1, 4),
                   pick(0, 1) ? kAll : uint64_t(pick(1, 255)) << 20,
                   pick(0, 1) ? kAll : 0,
                   pick(1, 2),
                   pick(1, 8),
                   pick(0, 2),
                   pick(0, 8),
                   pick(0, 2),
                   pick(0, 8),
                   0};
    } else {
      in.src0 = Address(Space::l1, 4096 + pick(-1, 100) * 32, 5);
      in.dma = {pick(1, 4), pick(1, 500), 512 + pick(0, 4) * 32,
                pick(0, 8) * 32};
    }
    bool inside = staysInside(in, buffers);
    std::optional<Error> error = check(machine, in, &buffers);
    ASSERT_EQ(!error, inside) << i << (error ? error->message : "");
    if (error)
      EXPECT_EQ(error->kind, ErrorKind::buffer);
    (error ? found : good) += 1;
  }
  EXPECT_GT(found, 3000);
  EXPECT_GT(good, 3000);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TEST(Bounds, InFrontOfATensor) {
  // Of the tensor that is meant, not of its neighbour.
  expectError(run([](Builder &b) { b.move(ub(0), out(0) - 64, 32); }),
              ErrorKind::bounds, 0,
              "dma reads bytes [-64, -32) of tensor 'out', which has 1048576");
  expectError(run([](Builder &b) { b.move(ub(0), in(0) - 32, 64); }),
              ErrorKind::bounds, 0,
              "dma reads bytes [-32, 32) of tensor 'in', which has 1048576");
}

TEST(Bounds, FarAway) {
  auto body = [](uint64_t address, int64_t elements) {
    return [=](Builder &b) {
      b.move(ub(0), gc_npu_offset(b.core, b.next++, address, elements, 2), 32);
      b.barrierAll();
    };
  };
  expectNoError(body(in(0), 16));
  expectNoError(body(in(64), -32));
  expectError(run(body(in(0), -16)), ErrorKind::bounds, 1,
              "dma reads bytes [-32, 0) of tensor 'in', which has 1048576");
  for (int64_t elements :
       {int64_t(1) << 39, -(int64_t(1) << 40), int64_t(1) << 43,
        int64_t(1) << 55, int64_t(1) << 62, INT64_MAX, INT64_MIN})
    expectError(run(body(in(32), elements)), ErrorKind::bounds, 0,
                "the address " + std::to_string(elements) +
                    " elements of 2 bytes past byte 32 is far outside of "
                    "tensor 'in', which has 1048576");
  expectError(run([](Builder &b) {
                uint64_t a = b.alloc(ub(64), 32);
                gc_npu_offset(b.core, b.next++, a, int64_t(1) << 50, 1);
              }),
              ErrorKind::bounds, 1,
              "the address 1125899906842624 elements of 1 bytes past byte 64 "
              "is far outside of a buffer in ub of 32 bytes from 64 on");
}

//===----------------------------------------------------------------------===//
// The front end
//===----------------------------------------------------------------------===//

TEST(FrontEnd, ChecksOfNumbers) {
  expectNoError([](Builder &b) {
    gc_npu_check_divisor(b.core, 0, -3);
    gc_npu_check_step(b.core, 0, 1);
  });
  // What comes before is done, what comes after is not.
  bool after = false;
  Report report = run([&](Builder &b) {
    b.dup(ub(0));
    gc_npu_check_divisor(b.core, 7, 0);
    after = true;
  });
  expectError(report, ErrorKind::frontEnd, 7, "a division by zero");
  EXPECT_FALSE(after);
  EXPECT_EQ(report.total.instructions[static_cast<int>(Opcode::vector)], 1);
  for (int64_t step : {0, -1})
    expectError(run([&](Builder &b) { gc_npu_check_step(b.core, 3, step); }),
                ErrorKind::frontEnd, 3,
                "a loop has a step of " + std::to_string(step) +
                    ", so it never ends");
}

TEST(FrontEnd, ChecksTakeNoTime) {
  auto body = [](bool checks) {
    return [=](Builder &b) {
      uint64_t a = b.alloc(ub(0), 512);
      for (int i = 0; i < 100; ++i) {
        if (checks) {
          gc_npu_check_divisor(b.core, 0, 1);
          gc_npu_check_step(b.core, 0, 1);
          gc_npu_slot(b.core, 0, a, i, 2, 256, 256);
          gc_npu_offset(b.core, 0, a, i, 2);
        }
        b.dup(ub(0));
      }
    };
  };
  EXPECT_EQ(time(body(true)).cycles, time(body(false)).cycles);
}

TEST(FrontEnd, AnEndlessLoopIsNamed) {
  Options options = getOptions(true);
  options.maxInstructions = 1000000;
  for (bool idle : {false, true}) {
    Report report = runAll({[idle](Builder &b) {
                             b.barrierAll();
                             for (;;) {
                               gc_npu_iteration(b.core, 17);
                               if (!idle)
                                 gc_npu_barrier(b.core, 17, GC_NPU_V);
                             }
                           }},
                           options);
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->kind, ErrorKind::limitReached);
    EXPECT_EQ(report.error->location, 17);
  }
}
