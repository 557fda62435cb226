// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/Machine.h"
#include "Machine/MachineFacts.h"
#include "llvm/ADT/STLExtras.h"

namespace gc {

static constexpr std::pair<KernelTypes, llvm::StringLiteral> kKernelTypes[] = {
    {KernelTypes::f32, "f32"},   {KernelTypes::bf16, "bf16"},
    {KernelTypes::f16, "f16"},   {KernelTypes::u8s8, "u8s8"},
    {KernelTypes::s8s8, "s8s8"},
};

llvm::StringRef getKernelTypesName(KernelTypes types) {
  return llvm::find_if(kKernelTypes,
                       [&](const auto &entry) { return entry.first == types; })
      ->second;
}

std::optional<KernelTypes> parseKernelTypes(llvm::StringRef name) {
  for (const auto &[types, known] : kKernelTypes)
    if (known == name)
      return types;
  return std::nullopt;
}

llvm::ArrayRef<InstructionSet> getInstructionSets() {
  static constexpr InstructionSet sets[] = {
      {"sse3", true},         {"ssse3", true},
      {"sse4.1", true},       {"sse4.2", true},
      {"sse4a", true},        {"popcnt", true},
      {"avx", true},          {"avx2", true},
      {"fma", true},          {"fma4", true},
      {"xop", true},          {"f16c", true},
      {"bmi", true},          {"bmi2", true},
      {"lzcnt", true},        {"movbe", true},
      {"gfni", true},         {"avxvnni", true},
      {"avx512f", true},      {"avx512bw", true},
      {"avx512cd", true},     {"avx512dq", true},
      {"avx512vl", true},     {"avx512vbmi", true},
      {"avx512vbmi2", true},  {"avx512vnni", true},
      {"avx512bitalg", true}, {"avx512vpopcntdq", true},
      {"avx512ifma", true},   {"avx512bf16", true},
      {"avx512fp16", true},   {"amx-tile", true},
      {"amx-int8", true},     {"amx-bf16", true}};
  return sets;
}

template <typename T>
static bool haveSameFacts(const T &a, const T &b,
                          llvm::ArrayRef<Fact<T>> facts) {
  return llvm::all_of(
      facts, [&](const Fact<T> &fact) { return fact.get(a) == fact.get(b); });
}

bool KernelRate::operator==(const KernelRate &other) const {
  return types == other.types && isa == other.isa &&
         haveSameFacts(*this, other, getKernelFacts());
}

bool Machine::operator==(const Machine &other) const {
  return name == other.name && cpu == other.cpu && features == other.features &&
         kernels == other.kernels &&
         haveSameFacts(*this, other, getMachineFacts());
}

bool Machine::hasFeature(llvm::StringRef name) const {
  return name.empty() || llvm::is_contained(features, name);
}

/// Bits of the vectors of an instruction set.
static int64_t getVectorBits(llvm::StringRef isa) {
  if (isa.starts_with("avx512") || isa.starts_with("amx"))
    return 512;
  return isa.starts_with("avx") || isa == "fma" ? 256 : 128;
}

const KernelRate *Machine::getKernelRate(KernelTypes types) const {
  const KernelRate *best = nullptr;
  for (const KernelRate &rate : kernels)
    if (rate.types == types && hasFeature(rate.isa) &&
        getVectorBits(rate.isa) <= vectorBits &&
        (!best || rate.macsPerCycle >= best->macsPerCycle))
      best = &rate;
  return best;
}

void Machine::setInstructionSet(llvm::StringRef newCpu,
                                std::vector<std::string> newFeatures) {
  cpu = newCpu.str();
  features = std::move(newFeatures);
  bool isWide = hasFeature("avx512f");
  vectorBits = isWide ? 512 : hasFeature("avx") ? 256 : 128;
  vectorRegisters = isWide ? 32 : 16;
}

} // namespace gc
