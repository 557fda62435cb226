// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/Machine.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <thread>
#include <unistd.h>

namespace gc {

static int64_t readSystem(int name, int64_t fallback) {
  long value = sysconf(name);
  return value > 0 ? value : fallback;
}

/// Bytes of the last-level cache that the first core reaches. The C library's
/// figure is of all such caches of a processor together.
static int64_t readL3(int64_t fallback) {
  auto file = llvm::MemoryBuffer::getFileAsStream(
      "/sys/devices/system/cpu/cpu0/cache/index3/size");
  int64_t size = 0;
  if (!file)
    return fallback;
  llvm::StringRef text = (*file)->getBuffer().trim();
  int64_t unit = text.consume_back("K")   ? 1024
                 : text.consume_back("M") ? 1 << 20
                                          : 1;
  return text.getAsInteger(10, size) || size <= 0 ? fallback : size * unit;
}

static Machine readHost() {
  Machine machine;
  machine.cores = std::max(1u, std::thread::hardware_concurrency());
  machine.l1Bytes = readSystem(_SC_LEVEL1_DCACHE_SIZE, machine.l1Bytes);
  machine.l2Bytes = readSystem(_SC_LEVEL2_CACHE_SIZE, machine.l2Bytes);
  machine.l3Bytes = readL3(readSystem(_SC_LEVEL3_CACHE_SIZE, machine.l3Bytes));
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  if (has("avx512f")) {
    machine.vectorBits = 512;
    machine.vectorRegisters = 32;
  } else if (has("avx")) {
    machine.vectorBits = 256;
  }
  return machine;
}

const Machine &Machine::host() {
  static const Machine machine = readHost();
  return machine;
}

} // namespace gc
