// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loaded module: what gc_instance is.

#ifndef GC_LIB_RUNTIME_INSTANCE_H
#define GC_LIB_RUNTIME_INSTANCE_H

#include "ConstantCache.h"
#include "FramePool.h"

struct gc_instance {
  explicit gc_instance(const gc_module &Module)
      : Module(Module), Constants(Module),
        Frames(uint64_t(Module.num_inputs) + Module.num_outputs +
               Module.num_folded) {}

  const gc_module &Module;
  gc::runtime::ConstantCache Constants;
  gc::runtime::FramePool Frames;
  /// Folded constants that somebody else keeps, one pointer per folded buffer;
  /// NULL: fold them here.
  void *const *Prepacked = nullptr;
  std::atomic<int64_t> FoldCount{0};
  std::atomic<int64_t> FoldNanoseconds{0};
};

#endif // GC_LIB_RUNTIME_INSTANCE_H
