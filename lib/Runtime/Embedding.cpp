// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the wrappers of abi=memref call: compiled graphs inside the program of
// another compiler, which keeps no instances of its own.

#include "Error.h"

using namespace gc::runtime;

gc_status gc_execute_module(const gc_module *module, gc_instance **slot,
                            void *const *inputs, void *const *outputs) {
  gc_instance *Instance = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (!Instance) {
    gc_instance *Created = nullptr;
    if (gc_status Status = gc_instance_create(module, &Created))
      return Status;
    // Two host threads may get here at the same time: the first one's instance
    // stays.
    if (__atomic_compare_exchange_n(slot, &Instance, Created, /*weak=*/false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      Instance = Created;
    else
      gc_instance_destroy(Created);
  }
  return gc_execute(Instance, /*executor=*/nullptr, /*threads=*/0, inputs,
                    outputs, /*arena=*/nullptr, /*trace=*/nullptr);
}
