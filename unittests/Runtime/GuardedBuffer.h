// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory that ends exactly at an inaccessible page.

#ifndef GC_UNITTESTS_RUNTIME_GUARDEDBUFFER_H
#define GC_UNITTESTS_RUNTIME_GUARDEDBUFFER_H

#include <cstdint>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

class GuardedBuffer {
public:
  explicit GuardedBuffer(int64_t Count) : Count(Count) {
    int64_t Page = sysconf(_SC_PAGESIZE);
    int64_t Bytes = Count * sizeof(float);
    int64_t Usable = (Bytes + Page - 1) / Page * Page;
    Length = Usable + Page;
    Base = static_cast<char *>(mmap(nullptr, Length, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (Base == MAP_FAILED || mprotect(Base + Usable, Page, PROT_NONE) != 0)
      throw std::runtime_error("no guarded memory");
    First = reinterpret_cast<float *>(Base + Usable - Bytes);
  }
  GuardedBuffer(const GuardedBuffer &) = delete;
  ~GuardedBuffer() { munmap(Base, Length); }

  int64_t size() const { return Count; }
  float *data() { return First; }
  float &operator[](int64_t I) { return First[I]; }

private:
  int64_t Count, Length;
  char *Base;
  float *First;
};

#endif // GC_UNITTESTS_RUNTIME_GUARDEDBUFFER_H
