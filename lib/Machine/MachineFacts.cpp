// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/MachineFacts.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace gc {

// Values beyond these mean that the file is wrong rather than the machine
// unusual.
constexpr double kLeastBytes = 64, kMostBytes = int64_t(1) << 40,
                 kMostCycles = 1e7, kMostPageBytes = 1 << 30,
                 kMostPages = 1 << 20;
constexpr double kLeastRate = 1e-3, kMostRate = 1e6;

llvm::ArrayRef<Fact<Machine>> getMachineFacts() {
  static constexpr Fact<Machine> facts[] = {
      {"clock_ghz", "", &Machine::clockGHz, 1e-3, 100},
      {"cores", "num_threads", &Machine::cores, 1, 4096},
      {"vector_bits", "max_vector_op_width", &Machine::vectorBits, 128, 65536},
      {"vector_registers", "num_vector_registers", &Machine::vectorRegisters, 4,
       1024},
      {"l1.bytes", "L1_cache_size_in_bytes", &Machine::l1Bytes, kLeastBytes,
       kMostBytes},
      {"l1.bytes_per_cycle", "", &Machine::l1BytesPerCycle, kLeastRate,
       kMostRate},
      {"l1.way_bytes", "", &Machine::l1WayBytes, kLeastBytes, kMostBytes},
      {"l2.bytes", "L2_cache_size_in_bytes", &Machine::l2Bytes, kLeastBytes,
       kMostBytes},
      {"l2.bytes_per_cycle", "", &Machine::l2BytesPerCycle, kLeastRate,
       kMostRate},
      {"l3.bytes", "L3_cache_size_in_bytes", &Machine::l3Bytes, kLeastBytes,
       kMostBytes},
      {"l3.bytes_per_cycle", "", &Machine::l3BytesPerCycle, kLeastRate,
       kMostRate},
      {"l3.shared_bytes_per_cycle", "", &Machine::l3SharedBytesPerCycle,
       kLeastRate, kMostRate},
      {"memory.bytes_per_cycle", "", &Machine::memoryBytesPerCycle, kLeastRate,
       kMostRate},
      {"memory.shared_bytes_per_cycle", "", &Machine::memorySharedBytesPerCycle,
       kLeastRate, kMostRate},
      {"tlb.page_bytes", "", &Machine::pageBytes, kLeastBytes, kMostPageBytes},
      {"tlb.pages", "", &Machine::knownPages, 1, kMostPages},
      {"tlb.walk_cycles", "", &Machine::pageWalkCycles, 0, kMostCycles},
      {"barrier.cycles", "", &Machine::barrierCycles, 0, kMostCycles},
      {"barrier.cycles_per_thread", "", &Machine::barrierCyclesPerThread, 0,
       kMostCycles},
      {"exchange_bytes_per_cycle", "", &Machine::exchangeBytesPerCycle,
       kLeastRate, kMostRate},
      {"fork.cycles", "", &Machine::forkCycles, 0, kMostCycles},
      {"fork.cycles_per_thread", "", &Machine::forkCyclesPerThread, 0,
       kMostCycles},
      {"call_cycles", "", &Machine::callCycles, 0, kMostCycles},
      {"pack_cycles_per_byte", "", &Machine::packCyclesPerByte, 0, kMostCycles},
  };
  return facts;
}

llvm::ArrayRef<Fact<KernelRate>> getKernelFacts() {
  static constexpr Fact<KernelRate> facts[] = {
      {"macs_per_cycle", "", &KernelRate::macsPerCycle, kLeastRate, kMostRate},
      {"latency_cycles", "", &KernelRate::latencyCycles, kLeastRate,
       kMostCycles},
      {"loads_per_cycle", "", &KernelRate::loadsPerCycle, kLeastRate,
       kMostRate},
      {"tile_rows", "", &KernelRate::tileRows, 1, 1024},
      {"tile_vectors", "", &KernelRate::tileVectors, 1, 1024},
  };
  return facts;
}

template <typename T>
std::string Fact<T>::describe() const {
  auto text = [](double value) {
    return value == static_cast<int64_t>(value)
               ? std::to_string(static_cast<int64_t>(value))
               : llvm::formatv("{0:f3}", value).str();
  };
  return ((isInteger() ? "an integer from " : "a number from ") +
          llvm::Twine(text(least)) + " to " + text(most))
      .str();
}

template struct Fact<Machine>;
template struct Fact<KernelRate>;

std::string findContradiction(const Machine &machine) {
  if (!llvm::isPowerOf2_64(machine.vectorBits))
    return "'vector_bits' is not a power of two";
  if (machine.vectorBits > 512)
    return "'vector_bits' is more than 512, which no instruction set has";
  if (machine.vectorBits == 512 && !machine.hasFeature("avx512f"))
    return "'vector_bits' is 512, but 'features' has no avx512f";
  if (machine.vectorBits == 256 && !machine.hasFeature("avx"))
    return "'vector_bits' is 256, but 'features' has no avx";
  if (machine.l1Bytes < machine.l1WayBytes)
    return "'l1.bytes' is less than 'l1.way_bytes'";
  if (!llvm::isPowerOf2_64(machine.pageBytes))
    return "'tlb.page_bytes' is not a power of two";
  if (machine.l2Bytes < machine.l1Bytes)
    return "'l2.bytes' is less than 'l1.bytes'";
  if (machine.l3Bytes < machine.l2Bytes)
    return "'l3.bytes' is less than 'l2.bytes'";
  if (machine.l3SharedBytesPerCycle < machine.l3BytesPerCycle)
    return "'l3.shared_bytes_per_cycle' is less than 'l3.bytes_per_cycle'";
  if (machine.memorySharedBytesPerCycle < machine.memoryBytesPerCycle)
    return "'memory.shared_bytes_per_cycle' is less than "
           "'memory.bytes_per_cycle'";
  if (!machine.getKernelRate(KernelTypes::f32))
    return "'kernels' has none of types f32 for an instruction set in "
           "'features'";
  return "";
}

} // namespace gc
