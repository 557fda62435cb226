// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Package.h"
#include "Error.h"
#include "Instance.h"
#include "SafeTensors.h"

#include <new>
#include <vector>

using namespace gc::runtime;

struct gc_loaded {
  gc_instance *Instance = nullptr;
  SafeTensors File;
  /// By input; NULL where the caller passes it.
  std::vector<const void *> Inputs;
  std::vector<void *> Folded;

  ~gc_loaded() { gc_instance_destroy(Instance); }
};

namespace {

gc_status fill(const gc_package &Package, const char *Weights,
               gc_loaded &Loaded) {
  const gc_module &Module = *Package.module;
  if (gc_status Status = gc_instance_create(&Module, &Loaded.Instance))
    return Status;
  if (Package.num_weights > 0) {
    if (gc_status Status = Loaded.File.open(Weights))
      return Status;
    Loaded.Inputs.resize(Module.num_inputs);
  }
  for (uint32_t I = 0; I < Package.num_weights; ++I) {
    const gc_weight &Weight = Package.weights[I];
    const void *Data = nullptr;
    if (gc_status Status = Loaded.File.find(Weight, Data))
      return Status;
    if (Weight.is_folded) {
      Loaded.Folded.resize(Module.num_folded);
      Loaded.Folded.at(Weight.index) = const_cast<void *>(Data);
    } else {
      Loaded.Inputs.at(Weight.index) = Data;
    }
  }
  if (!Loaded.Folded.empty())
    Loaded.Instance->Prepacked = Loaded.Folded.data();
  else if (Package.folded)
    Loaded.Instance->Prepacked = const_cast<void *const *>(
        reinterpret_cast<const void *const *>(Package.folded));
  return GC_OK;
}

/// Publishes a new gc_loaded unless somebody else is first.
gc_status load(const gc_package &Package, gc_loaded **Slot, const char *Weights,
               bool MayBeLoaded) {
  if (Package.version != GC_PACKAGE_VERSION)
    return fail(GC_UNSUPPORTED,
                "the package has version %u, this runtime has %u",
                Package.version, GC_PACKAGE_VERSION);
  const char *Name = Package.module->name;
  if (Package.num_weights > 0 && !Weights)
    return fail(GC_INVALID_ARGUMENT,
                "the weights of '%s' are in a file: call %s_load first", Name,
                Name);
  // The standard library may run out of memory.
  try {
    auto *Loaded = new gc_loaded();
    if (gc_status Status = fill(Package, Weights, *Loaded)) {
      delete Loaded;
      return Status;
    }
    gc_loaded *Before = nullptr;
    if (__atomic_compare_exchange_n(Slot, &Before, Loaded, /*weak=*/false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return GC_OK;
    delete Loaded;
  } catch (...) {
    return fail(GC_OUT_OF_MEMORY, "no memory to load '%s'", Name);
  }
  return MayBeLoaded
             ? GC_OK
             : fail(GC_INVALID_ARGUMENT, "'%s' is loaded already", Name);
}

} // namespace

gc_status gc_package_load(const gc_package *package, gc_loaded **slot,
                          const char *weights) {
  if (!package || !slot)
    return fail(GC_INVALID_ARGUMENT, "gc_package_load: a NULL argument");
  if (__atomic_load_n(slot, __ATOMIC_ACQUIRE))
    return fail(GC_INVALID_ARGUMENT, "'%s' is loaded already",
                package->module->name);
  return load(*package, slot, weights, /*MayBeLoaded=*/false);
}

gc_status gc_package_execute(const gc_package *package, gc_loaded **slot,
                             const gc_executor *executor, int64_t threads,
                             void **inputs, void *const *outputs, void *arena) {
  gc_loaded *Loaded = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (!Loaded) {
    if (gc_status Status =
            load(*package, slot, /*Weights=*/nullptr, /*MayBeLoaded=*/true))
      return Status;
    Loaded = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  }
  for (uint32_t I = 0; I < package->num_weights; ++I)
    if (const gc_weight &Weight = package->weights[I]; !Weight.is_folded)
      inputs[Weight.index] = const_cast<void *>(Loaded->Inputs[Weight.index]);
  return gc_execute(Loaded->Instance, executor,
                    threads < 1 ? package->threads : threads, inputs, outputs,
                    arena, /*trace=*/nullptr);
}

void gc_package_unload(gc_loaded **slot) {
  if (slot)
    delete __atomic_exchange_n(slot, nullptr, __ATOMIC_ACQ_REL);
}
