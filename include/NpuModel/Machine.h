// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine that the NPU simulator is: buffers, pipes, costs. A DaVinci-like
// core. Times are cycles of 1 ns, sizes are bytes unless a name says otherwise.
// The compiler reads the same constants, so that both agree on costs and
// limits.

#ifndef GC_NPUMODEL_MACHINE_H
#define GC_NPUMODEL_MACHINE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gc::npu {

/// Memory spaces. The numbers are part of the simulator's C interface.
enum class Space : uint8_t { gm, l1, ub, l0a, l0b, l0c };
constexpr int kNumSpaces = 6;

/// In-order queues that run in parallel; S is the front end, which issues.
enum class Pipe : uint8_t { s, v, m, mte1, mte2, mte3 };
constexpr int kNumPipes = 6;

enum class DType : uint8_t { f16, f32, s8, s32 };
constexpr int kNumDTypes = 4;

/// Size of an element in bytes.
constexpr int64_t getBytes(DType type) {
  return type == DType::s8 ? 1 : type == DType::f16 ? 2 : 4;
}

/// A block: the unit of local alignment, of vector strides and of packages.
constexpr int64_t kBlockBytes = 32;
/// What a vector instruction does in one repeat: 8 blocks.
constexpr int64_t kRepeatBytes = 256;
/// A and B fractals; a C fractal (16x16 of four bytes) has twice as much.
constexpr int64_t kFractalBytes = 512, kAccumulatorFractalBytes = 1024;

/// C0: elements of a block, the innermost dimension of fractal layouts.
constexpr int64_t getC0(DType type) { return kBlockBytes / getBytes(type); }

enum class VectorOp : uint8_t {
  // dst = src0 op src1
  add,
  sub,
  mul,
  div,
  max,
  min,
  // One bit per element: src0 op src1.
  compareEq,
  compareNe,
  compareLt,
  compareLe,
  compareGt,
  compareGe,
  // dst = src0 op scalar
  adds,
  muls,
  // dst = op(src0)
  relu,
  abs,
  exp,
  log,
  sqrt,
  rsqrt,
  reciprocal,
  // dst = bit of src2 ? src0 : src1
  select,
  // dst = src0, other type
  convert,
  // dst = scalar
  dup,
  copy,
  // 16x16 elements of two bytes per repeat
  transpose,
  // One result per repeat.
  reduceSum,
  reduceMax,
  reduceMin,
  // One result per block of 32 bytes.
  groupSum,
  groupMax,
  groupMin,
};
constexpr int kNumVectorOps = static_cast<int>(VectorOp::groupMin) + 1;

/// How fast global memory is.
enum class Profile : uint8_t {
  gm64, ///< 64 bytes a cycle
  gm32, ///< 32 bytes a cycle: a core's share of the memory's bandwidth
  l2    ///< with a cache of 32 MiB before it
};

const char *getName(Space space);
const char *getName(Pipe pipe);
const char *getName(DType type);
const char *getName(VectorOp op);
const char *getName(Profile profile);
std::optional<Space> parseSpace(std::string_view name);
std::optional<Pipe> parsePipe(std::string_view name);
std::optional<DType> parseDType(std::string_view name);
std::optional<VectorOp> parseVectorOp(std::string_view name);
std::optional<Profile> parseProfile(std::string_view name);

constexpr bool isCompare(VectorOp op) {
  return op >= VectorOp::compareEq && op <= VectorOp::compareGe;
}
/// Two tensors in, one tensor or bits out (select, which has three, is not
/// one).
constexpr bool isBinary(VectorOp op) { return op <= VectorOp::compareGe; }
constexpr bool isRepeatReduce(VectorOp op) {
  return op >= VectorOp::reduceSum && op <= VectorOp::reduceMin;
}
constexpr bool isGroupReduce(VectorOp op) { return op >= VectorOp::groupSum; }
constexpr bool takesScalar(VectorOp op) {
  return op == VectorOp::adds || op == VectorOp::muls || op == VectorOp::dup;
}
/// How many of src0, src1, src2 an op reads (select: all three).
constexpr int getNumSources(VectorOp op) {
  return op == VectorOp::select ? 3
         : isBinary(op)         ? 2
         : op == VectorOp::dup  ? 0
                                : 1;
}

/// Busy for head + slope * repeats, result visible `tail` later.
struct VectorCost {
  int64_t head, slope, tail;
};

struct Machine {
  // Capacities.
  int64_t l1Bytes = 1 << 20, ubBytes = 256 << 10, l0aBytes = 64 << 10,
          l0bBytes = 64 << 10, l0cBytes = 256 << 10;
  // Alignment of addresses.
  int64_t l1Alignment = 32, ubAlignment = 32, l0aAlignment = 512,
          l0bAlignment = 512, l0cAlignment = 1024;

  int64_t fifoDepth = 16, flagsPerPair = 4;
  int64_t maxRepeat = 255, maxStride = 255; // vector; strides in blocks
  int64_t maxBursts = 4095, maxBurstBlocks = 65535;

  // Front end, cycles: to issue an op, of a loop iteration, of a load from UB
  // to a register, of a scalar compare or load of another kind.
  int64_t issueCycles = 1, iterationCycles = 2, registerLoadCycles = 4,
          scalarCycles = 1;

  /// In the order of VectorOp.
  std::array<VectorCost, kNumVectorOps> vector;
  /// A binary op whose mask is partial takes this much longer.
  int64_t partialMaskCycles = 16;
  int64_t madHead = 6;
  /// The maximum part of a head that a busy pipe still pays.
  int64_t busyHeadV = 2, busyHeadM = 0;

  // Bytes a cycle of the moves between local buffers.
  int64_t l1ToL0a = 512, l1ToL0b = 256, l1ToUb = 128, ubToL1 = 128,
          l0cToUb = 256;

  Profile profile = Profile::gm64;
  /// Global memory: cycles of a package of up to 256 bytes, and from a
  /// transfer's end until it is visible.
  int64_t packageCycles = 4, latency = 200;

  // Profile l2: bytes a cycle of a hit; of a miss in two cycles.
  int64_t l2ReadRate = 110, l2WriteRate = 86, l2MissRate2 = 75,
          l2MissCycles = 150, l2Bytes = 32 << 20, l2Ways = 16,
          l2LineBytes = 512;

  /// 0 for global memory, whose tensors have sizes of their own.
  int64_t getCapacity(Space space) const;
  int64_t getAlignment(Space space) const;
  const VectorCost &getCost(VectorOp op) const {
    return vector[static_cast<size_t>(op)];
  }

  explicit Machine(Profile profile = Profile::gm64);
};

/// A number of the machine by name (`l1_bytes`, `fifo_depth`...), as a module's
/// target description sets it.
struct Parameter {
  const char *name;
  int64_t Machine::*member;
  int64_t min, max;
  const char *description;
};

/// All of them except the costs of vector ops, which are called `<op>_head`,
/// `<op>_slope` and `<op>_tail`.
const std::vector<Parameter> &getParameters();

/// Sets a parameter by name, vector costs included. Returns false, and changes
/// nothing, if there is none of that name or it cannot have that value.
bool setParameter(Machine &machine, std::string_view name, int64_t value);
std::optional<int64_t> getParameter(const Machine &machine,
                                    std::string_view name);

/// Packages that move `bytes` adjacent bytes of global memory: 8 blocks of 32
/// bytes each, and for the rest one of 4, 2 or 1, or two.
constexpr int64_t getPackages(int64_t bytes) {
  constexpr int64_t rest[8] = {0, 1, 1, 1, 1, 2, 2, 2};
  int64_t blocks = (bytes + kBlockBytes - 1) / kBlockBytes;
  return blocks / 8 + rest[blocks % 8];
}

} // namespace gc::npu

#endif // GC_NPUMODEL_MACHINE_H
