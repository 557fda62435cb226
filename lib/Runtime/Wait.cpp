// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Wait.h"

#include <climits>
#include <sched.h>
#include <thread>
#if defined(__linux__)
#include <cstdlib>
#include <dirent.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace gc::runtime;

namespace {

// A pause is 40 to 140 cycles on current x86; a yield with nothing else to run
// takes about half a microsecond, hardly worse than spinning, and it lets a
// thread run that the system put on the same processor in spite of idle ones or
// because other processes are busy. If every thread has a processor, sleeping
// costs more than it saves unless the wait is long; if not, every spin takes
// time from the thread that is being waited for.
constexpr int SpinsAlone = 200;
constexpr int YieldsAlone = 1000;
constexpr int SpinsCrowded = 50;
constexpr int YieldsCrowded = 10;

inline void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

#if defined(__linux__)
/// Adds the processors that a thread may run on; 0 is the calling one.
void addProcessors(pid_t Thread, cpu_set_t &All) {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  if (sched_getaffinity(Thread, sizeof(Set), &Set) == 0)
    CPU_OR(&All, &All, &Set);
}
#endif

/// The processors of all threads: each of them may be bound to one.
int64_t countProcessors() {
#if defined(__linux__)
  cpu_set_t All;
  CPU_ZERO(&All);
  addProcessors(0, All);
  if (DIR *Threads = opendir("/proc/self/task")) {
    while (dirent *Entry = readdir(Threads))
      if (int Thread = std::atoi(Entry->d_name))
        addProcessors(Thread, All);
    closedir(Threads);
  }
  if (int Count = CPU_COUNT(&All))
    return Count;
#endif
  unsigned Count = std::thread::hardware_concurrency();
  return Count ? Count : 1;
}

} // namespace

int64_t gc::runtime::availableProcessors() {
  static const int64_t Count = countProcessors();
  return Count;
}

bool gc::runtime::areCrowded(int64_t Threads) {
  static std::atomic<int64_t> Processors{availableProcessors()};
  static std::atomic<uint64_t> Doubts{0};
  if (Threads <= Processors.load(std::memory_order_relaxed))
    return false;
  // Threads that are bound to a processor count only once they exist: count
  // again, ever less often.
  uint64_t Doubt = Doubts.fetch_add(1, std::memory_order_relaxed);
  if ((Doubt & (Doubt + 1)) != 0)
    return true;
  int64_t Now = countProcessors();
  if (Now > Processors.load(std::memory_order_relaxed))
    Processors.store(Now, std::memory_order_relaxed);
  return Threads > Now;
}

void WaitWord::waitWhile(uint32_t Old, int64_t Threads) {
  bool Crowded = areCrowded(Threads);
  for (int I = 0, E = Crowded ? SpinsCrowded : SpinsAlone; I < E; ++I) {
    if (load() != Old)
      return;
    pauseProcessor();
  }
  for (int I = 0, E = Crowded ? YieldsCrowded : YieldsAlone; I < E; ++I) {
    if (load() != Old)
      return;
    sched_yield();
  }
  sleepWhile(Old);
}

void WaitWord::sleepWhile(uint32_t Old) {
  Sleepers.fetch_add(1, std::memory_order_seq_cst);
  while (Value.load(std::memory_order_seq_cst) == Old) {
#if defined(__linux__)
    // Returns immediately if the value has changed in the meantime.
    syscall(SYS_futex, &Value, FUTEX_WAIT_PRIVATE, Old, nullptr, nullptr, 0);
#else
    sched_yield();
#endif
  }
  Sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void WaitWord::wake() {
#if defined(__linux__)
  syscall(SYS_futex, &Value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
#endif
}
