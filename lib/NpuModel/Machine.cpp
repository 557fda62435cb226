// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpuModel/Machine.h"

#include <algorithm>
#include <string>

using namespace gc::npu;

static const char *const SpaceNames[] = {"gm", "l1", "ub", "l0a", "l0b", "l0c"};
static const char *const PipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3"};
static const char *const DTypeNames[] = {"f16", "f32", "s8", "s32"};
static const char *const ProfileNames[] = {"gm64", "gm32", "l2"};

namespace {
struct VectorOpInfo {
  const char *name;
  VectorCost cost;
};
} // namespace

// In the order of VectorOp.
static const VectorOpInfo VectorOps[kNumVectorOps] = {
    {"add", {10, 2, 14}},        {"sub", {10, 2, 14}},
    {"mul", {10, 2, 15}},        {"div", {11, 4, 19}},
    {"max", {10, 2, 14}},        {"min", {10, 2, 14}},
    {"compare_eq", {10, 2, 14}}, {"compare_ne", {10, 2, 14}},
    {"compare_lt", {10, 2, 14}}, {"compare_le", {10, 2, 14}},
    {"compare_gt", {10, 2, 14}}, {"compare_ge", {10, 2, 14}},
    {"adds", {13, 1, 18}},       {"muls", {11, 1, 15}},
    {"relu", {10, 1, 13}},       {"abs", {13, 1, 16}},
    {"exp", {13, 2, 18}},        {"log", {13, 2, 18}},
    {"sqrt", {14, 2, 25}},       {"rsqrt", {10, 1, 14}},
    {"reciprocal", {13, 2, 18}}, {"select", {13, 2, 14}},
    {"convert", {14, 2, 18}},    {"dup", {11, 1, 13}},
    {"copy", {11, 1, 13}},       {"transpose", {11, 2, 13}},
    {"reduce_sum", {14, 7, 32}}, {"reduce_max", {14, 7, 32}},
    {"reduce_min", {14, 7, 32}}, {"group_sum", {14, 1, 24}},
    {"group_max", {14, 1, 24}},  {"group_min", {14, 1, 24}},
};

const char *gc::npu::getName(Space space) {
  return SpaceNames[static_cast<int>(space)];
}
const char *gc::npu::getName(Pipe pipe) {
  return PipeNames[static_cast<int>(pipe)];
}
const char *gc::npu::getName(DType type) {
  return DTypeNames[static_cast<int>(type)];
}
const char *gc::npu::getName(Profile profile) {
  return ProfileNames[static_cast<int>(profile)];
}
const char *gc::npu::getName(VectorOp op) {
  return VectorOps[static_cast<int>(op)].name;
}

template <typename T, size_t N>
static std::optional<T> parse(const char *const (&names)[N],
                              std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (name == names[i])
      return static_cast<T>(i);
  return std::nullopt;
}

std::optional<Space> gc::npu::parseSpace(std::string_view name) {
  return parse<Space>(SpaceNames, name);
}
std::optional<Pipe> gc::npu::parsePipe(std::string_view name) {
  return parse<Pipe>(PipeNames, name);
}
std::optional<DType> gc::npu::parseDType(std::string_view name) {
  return parse<DType>(DTypeNames, name);
}
std::optional<Profile> gc::npu::parseProfile(std::string_view name) {
  return parse<Profile>(ProfileNames, name);
}
std::optional<VectorOp> gc::npu::parseVectorOp(std::string_view name) {
  for (int i = 0; i < kNumVectorOps; ++i)
    if (name == VectorOps[i].name)
      return static_cast<VectorOp>(i);
  return std::nullopt;
}

Machine::Machine(Profile profile) : profile(profile) {
  for (int i = 0; i < kNumVectorOps; ++i)
    vector[i] = VectorOps[i].cost;
  if (profile == Profile::gm32)
    packageCycles = 8;
}

int64_t Machine::getCapacity(Space space) const {
  switch (space) {
  case Space::gm:
    return 0;
  case Space::l1:
    return l1Bytes;
  case Space::ub:
    return ubBytes;
  case Space::l0a:
    return l0aBytes;
  case Space::l0b:
    return l0bBytes;
  case Space::l0c:
    return l0cBytes;
  }
  return 0;
}

int64_t Machine::getAlignment(Space space) const {
  switch (space) {
  case Space::gm:
    return 1;
  case Space::l1:
    return l1Alignment;
  case Space::ub:
    return ubAlignment;
  case Space::l0a:
    return l0aAlignment;
  case Space::l0b:
    return l0bAlignment;
  case Space::l0c:
    return l0cAlignment;
  }
  return 1;
}

const std::vector<Parameter> &gc::npu::getParameters() {
  // Limits keep all products of two parameters and a size in 64 bits.
  constexpr int64_t buffer = 64 << 20, cycles = 1 << 20, rate = 4096;
  static const std::vector<Parameter> parameters = {
      {"l1_bytes", &Machine::l1Bytes, 32, buffer, "capacity of L1"},
      {"ub_bytes", &Machine::ubBytes, 32, buffer, "capacity of UB"},
      {"l0a_bytes", &Machine::l0aBytes, 512, buffer, "capacity of L0A"},
      {"l0b_bytes", &Machine::l0bBytes, 512, buffer, "capacity of L0B"},
      {"l0c_bytes", &Machine::l0cBytes, 1024, buffer, "capacity of L0C"},
      {"l1_alignment", &Machine::l1Alignment, 32, 4096, "alignment in L1"},
      {"ub_alignment", &Machine::ubAlignment, 32, 4096, "alignment in UB"},
      {"l0a_alignment", &Machine::l0aAlignment, 32, 4096, "alignment in L0A"},
      {"l0b_alignment", &Machine::l0bAlignment, 32, 4096, "alignment in L0B"},
      {"l0c_alignment", &Machine::l0cAlignment, 32, 4096, "alignment in L0C"},
      {"fifo_depth", &Machine::fifoDepth, 1, 4096, "entries of a pipe's queue"},
      {"flags_per_pair", &Machine::flagsPerPair, 1, 64,
       "flags of an ordered pair of pipes"},
      {"max_repeat", &Machine::maxRepeat, 1, 65535, "repeats of a vector op"},
      {"max_stride", &Machine::maxStride, 1, 65535,
       "stride of a vector op, in blocks"},
      {"max_bursts", &Machine::maxBursts, 1, 65535, "bursts of a transfer"},
      {"max_burst_blocks", &Machine::maxBurstBlocks, 1, 1 << 20,
       "32-byte blocks of a burst"},
      {"issue_cycles", &Machine::issueCycles, 1, cycles, "to issue an op"},
      {"iteration_cycles", &Machine::iterationCycles, 0, cycles,
       "of a loop iteration on S"},
      {"register_load_cycles", &Machine::registerLoadCycles, 1, cycles,
       "of a load from UB to a register"},
      {"scalar_cycles", &Machine::scalarCycles, 0, cycles,
       "of another scalar load or compare"},
      {"partial_mask_cycles", &Machine::partialMaskCycles, 0, cycles,
       "extra of a binary vector op with a partial mask"},
      {"mad_head", &Machine::madHead, 0, cycles, "head of mad"},
      {"busy_head_v", &Machine::busyHeadV, 0, cycles,
       "most of a head that busy V pays"},
      {"busy_head_m", &Machine::busyHeadM, 0, cycles,
       "most of a head that busy M pays"},
      {"l1_to_l0a_rate", &Machine::l1ToL0a, 1, rate, "bytes a cycle"},
      {"l1_to_l0b_rate", &Machine::l1ToL0b, 1, rate, "bytes a cycle"},
      {"l1_to_ub_rate", &Machine::l1ToUb, 1, rate, "bytes a cycle"},
      {"ub_to_l1_rate", &Machine::ubToL1, 1, rate, "bytes a cycle"},
      {"l0c_to_ub_rate", &Machine::l0cToUb, 1, rate, "bytes a cycle"},
      {"package_cycles", &Machine::packageCycles, 1, cycles,
       "cycles of a package of up to 256 bytes (gm64, gm32)"},
      {"latency", &Machine::latency, 0, cycles,
       "cycles from a transfer's end until it is visible"},
      {"l2_read_rate", &Machine::l2ReadRate, 1, rate,
       "bytes a cycle of reads that hit"},
      {"l2_write_rate", &Machine::l2WriteRate, 1, rate,
       "bytes a cycle of writes that hit"},
      {"l2_miss_rate_2", &Machine::l2MissRate2, 1, rate,
       "bytes in two cycles of a miss"},
      {"l2_miss_cycles", &Machine::l2MissCycles, 0, cycles,
       "added latency of a miss"},
      {"l2_bytes", &Machine::l2Bytes, 512, int64_t(1) << 34, "size of the L2"},
      {"l2_ways", &Machine::l2Ways, 1, 256, "ways of the L2"},
      {"l2_line_bytes", &Machine::l2LineBytes, 32, 1 << 16, "line of the L2"},
  };
  return parameters;
}

/// The place of a vector cost called `<op>_head`, `_slope` or `_tail`.
static int64_t *findVectorCost(Machine &machine, std::string_view name) {
  static constexpr std::pair<std::string_view, int64_t VectorCost::*> parts[] =
      {{"_head", &VectorCost::head},
       {"_slope", &VectorCost::slope},
       {"_tail", &VectorCost::tail}};
  for (auto [suffix, member] : parts) {
    if (name.size() <= suffix.size() ||
        name.substr(name.size() - suffix.size()) != suffix)
      continue;
    if (auto op = parseVectorOp(name.substr(0, name.size() - suffix.size())))
      return &(machine.vector[static_cast<size_t>(*op)].*member);
  }
  return nullptr;
}

bool gc::npu::setParameter(Machine &machine, std::string_view name,
                           int64_t value) {
  for (const Parameter &parameter : getParameters())
    if (name == parameter.name) {
      if (value < parameter.min || value > parameter.max)
        return false;
      machine.*parameter.member = value;
      return true;
    }
  int64_t *cost = findVectorCost(machine, name);
  if (!cost || value < 0 || value > (1 << 20))
    return false;
  *cost = value;
  return true;
}

std::optional<int64_t> gc::npu::getParameter(const Machine &machine,
                                             std::string_view name) {
  for (const Parameter &parameter : getParameters())
    if (name == parameter.name)
      return machine.*parameter.member;
  if (int64_t *cost = findVectorCost(const_cast<Machine &>(machine), name))
    return *cost;
  return std::nullopt;
}
