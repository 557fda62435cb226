// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts about a machine that decisions depend on: cores, caches and their
// bandwidths, vector units, instruction sets. Knows no MLIR;
// Support/ModuleMachine.h reads the description that a module carries, and
// Machine/MachineFile.h descriptions in files.

#ifndef GC_MACHINE_MACHINE_H
#define GC_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gc {

/// Element types of a contraction's operands: one type for both, or that of A
/// and that of B. Floating point accumulates in f32, integers in s32.
enum class KernelTypes { f32, bf16, f16, u8s8, s8s8 };

/// "f32", "u8s8".
llvm::StringRef getKernelTypesName(KernelTypes types);
std::optional<KernelTypes> parseKernelTypes(llvm::StringRef name);

/// How fast the library's kernels of one combination of types run with one
/// instruction set, operands in the L1 cache.
struct KernelRate {
  KernelTypes types = KernelTypes::f32;
  /// The instruction set that they need (LLVM's name), which also determines
  /// how wide their vectors are; empty: what every 64-bit processor has.
  std::string isa;
  /// Multiply-adds of elements that one core completes in a cycle, at most.
  double macsPerCycle = 8;
  /// Cycles until an accumulator can be used again.
  double latencyCycles = 4;
  /// Vectors that one core loads in a cycle from the L1 cache.
  double loadsPerCycle = 2;
  /// The tile of C in registers: rows, and vectors of columns.
  int64_t tileRows = 3, tileVectors = 4;

  bool operator==(const KernelRate &other) const;
  bool operator!=(const KernelRate &other) const { return !(*this == other); }
};

/// One description of a CPU, which all decisions are based on. Sizes are in
/// bytes, times in cycles of the clock; cache sizes are what one core can use;
/// L3 is shared by all. Bandwidths are for reading.
struct Machine {
  /// The name of the description: a preset's name, or "host".
  std::string name = "generic";
  /// LLVM's name of the processor, for which instructions are scheduled.
  std::string cpu = "x86-64";
  /// The instruction sets that code may use, by LLVM's names, out of those in
  /// getInstructionSets(); ordered as there.
  std::vector<std::string> features;
  double clockGHz = 3;

  int64_t cores = 1;
  int64_t l1Bytes = 32 * 1024;
  /// Bytes of one way of L1: lines that are a multiple of this apart compete
  /// for the same few places.
  int64_t l1WayBytes = 4096;
  int64_t l2Bytes = 1024 * 1024;
  int64_t l3Bytes = 32 * 1024 * 1024;
  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;
  /// Bytes of a page, the number of pages whose addresses a core knows, and the
  /// cycles to look up one that it does not know.
  int64_t pageBytes = 4096;
  int64_t knownPages = 2048;
  double pageWalkCycles = 60;

  /// Bytes per cycle that one core reads while the others are idle.
  double l1BytesPerCycle = 64;
  double l2BytesPerCycle = 32;
  double l3BytesPerCycle = 12;
  double memoryBytesPerCycle = 5;
  /// The same for all cores together.
  double l3SharedBytesPerCycle = 24;
  double memorySharedBytesPerCycle = 8;

  /// Cycles of a barrier, including the start of a parallel loop: a fixed part
  /// that any team of two or more pays, and a part for each of its threads.
  double barrierCycles = 1000;
  double barrierCyclesPerThread = 500;
  /// Bytes per cycle at which a core fetches what another has written and gives
  /// up what another has read: cache lines change their owner one by one.
  double exchangeBytesPerCycle = 1;
  /// Cycles that an execution takes to start a team and to end it, likewise.
  double forkCycles = 3000;
  double forkCyclesPerThread = 1000;
  /// Cycles of one microkernel call besides its arithmetic.
  double callCycles = 40;
  /// Cycles per byte that copying an operand into a packed layout takes.
  double packCyclesPerByte = 0.175;

  /// At most one for each combination of types and instruction set; of those
  /// that are equally fast, the last one is used.
  std::vector<KernelRate> kernels;

  /// Lanes of a vector of elements of `bits` bits.
  int64_t getLanes(int64_t bits) const { return vectorBits / bits; }

  /// Cycles of a barrier of a team of `threads` threads; 0 for one.
  double getBarrierCycles(int64_t threads) const {
    return threads > 1 ? barrierCycles + barrierCyclesPerThread * threads : 0;
  }

  /// Cycles of an execution by `threads` threads besides its work.
  double getForkCycles(int64_t threads) const {
    return forkCycles + forkCyclesPerThread * threads;
  }

  /// Bytes per cycle that each of the cores reads when all of them are reading.
  double getL3BytesPerCycle(int64_t threads) const {
    return std::min(l3BytesPerCycle, l3SharedBytesPerCycle / threads);
  }
  double getMemoryBytesPerCycle(int64_t threads) const {
    return std::min(memoryBytesPerCycle, memorySharedBytesPerCycle / threads);
  }

  /// Whether code may use the instruction set; true for the empty name.
  bool hasFeature(llvm::StringRef name) const;

  /// The fastest kernels of the types among those whose instruction set the
  /// machine has, with vectors no wider than its own; the last of those that
  /// are equally fast; null if there are none.
  const KernelRate *getKernelRate(KernelTypes types) const;

  /// Replaces the instruction set: processor and features, and the width and
  /// number of the vector registers, which follow from the features.
  void setInstructionSet(llvm::StringRef newCpu,
                         std::vector<std::string> newFeatures);

  bool operator==(const Machine &other) const;
  bool operator!=(const Machine &other) const { return !(*this == other); }

  /// The machine the compiler runs on, read once per process. Cores, caches and
  /// instruction sets are read from it; speeds are those of the preset with the
  /// most similar instruction set. gc-machine measures them.
  static const Machine &host();
};

/// Instruction sets that make a difference to GC's code. Others that a
/// processor has are implied by its name.
struct InstructionSet {
  llvm::StringLiteral name;
  /// Whether the code generator may choose such instructions on its own, so
  /// that code for the machine cannot run where they are missing.
  bool isGenerated;
};
llvm::ArrayRef<InstructionSet> getInstructionSets();

} // namespace gc

#endif // GC_MACHINE_MACHINE_H
