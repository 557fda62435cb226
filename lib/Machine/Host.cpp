// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the host reports about itself; its speeds are those of a preset.

#include "llvm/TargetParser/Host.h"
#include "Machine/MachineFile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace gc {

static int64_t readSystem(int name, int64_t fallback) {
  long value = sysconf(name);
  return value > 0 ? value : fallback;
}

/// The number in a file of /sys, in which K and M are units; `fallback` where
/// there is none.
static int64_t readNumber(const char *path, int64_t fallback) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  int64_t number = 0;
  if (!file)
    return fallback;
  llvm::StringRef text = (*file)->getBuffer().trim();
  int64_t unit = text.consume_back("K")   ? 1024
                 : text.consume_back("M") ? 1 << 20
                                          : 1;
  return text.getAsInteger(10, number) || number <= 0 ? fallback
                                                      : number * unit;
}

/// Whether the system lets a process use AMX: Linux has to be asked
/// (Documentation/arch/x86/xstate.rst).
static bool mayUseTiles() {
#ifdef SYS_arch_prctl
  constexpr long kGetSupported = 0x1021, kTileData = 18;
  uint64_t supported = 0;
  return syscall(SYS_arch_prctl, kGetSupported, &supported) == 0 &&
         (supported >> kTileData & 1);
#else
  return false;
#endif
}

static Machine readHost() {
  llvm::StringMap<bool> known = llvm::sys::getHostCPUFeatures();
  for (auto &feature : known)
    if (feature.getKey().starts_with("amx") && feature.getValue())
      feature.getValue() = mayUseTiles();
  std::vector<std::string> features;
  for (const InstructionSet &set : getInstructionSets())
    if (known.lookup(set.name))
      features.push_back(set.name.str());
  llvm::StringRef cpu = llvm::sys::getHostCPUName();

  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  Machine machine = findNearestPreset(cpu, features, cores);
  machine.name = "host";
  machine.setInstructionSet(cpu, std::move(features));
  machine.cores = cores;
  machine.l1Bytes = readSystem(_SC_LEVEL1_DCACHE_SIZE, machine.l1Bytes);
  int64_t ways = readSystem(_SC_LEVEL1_DCACHE_ASSOC, 0);
  if (ways > 0 && machine.l1Bytes % ways == 0)
    machine.l1WayBytes = machine.l1Bytes / ways;
  machine.l1WayBytes = std::min(machine.l1WayBytes, machine.l1Bytes);
  machine.pageBytes = readSystem(_SC_PAGESIZE, machine.pageBytes);
  machine.l2Bytes = std::max(readSystem(_SC_LEVEL2_CACHE_SIZE, machine.l2Bytes),
                             machine.l1Bytes);
  // The cache that the first core reaches. The C library's figure is of all
  // such caches of a processor together, and all that there is where a
  // hypervisor hides which cores share one: then the preset's, if it is less.
  int64_t l3Bytes =
      readNumber("/sys/devices/system/cpu/cpu0/cache/index3/size",
                 std::min(readSystem(_SC_LEVEL3_CACHE_SIZE, machine.l3Bytes),
                          machine.l3Bytes));
  machine.l3Bytes = std::max(l3Bytes, machine.l2Bytes);
  int64_t kilohertz =
      readNumber("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0);
  if (kilohertz > 0)
    machine.clockGHz = kilohertz * 1e-6;
  return machine;
}

const Machine &Machine::host() {
  static const Machine machine = readHost();
  return machine;
}

} // namespace gc
