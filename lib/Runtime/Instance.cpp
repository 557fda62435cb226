// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instance.h"

#include "Error.h"
#include "Memory.h"

#include <cstring>
#include <new>

using namespace gc::runtime;

static const char *nameOf(const gc_module &M) { return M.name ? M.name : ""; }

uint64_t gc_arena_bytes(const gc_module *module, int64_t threads) {
  uint64_t Mask = effectiveAlignment(module->arena_alignment) - 1;
  uint64_t Shared, PerThread, Total;
  if (__builtin_add_overflow(module->arena_shared_bytes, Mask, &Shared) ||
      __builtin_add_overflow(module->arena_thread_bytes, Mask, &PerThread) ||
      __builtin_mul_overflow(PerThread & ~Mask,
                             static_cast<uint64_t>(threads < 1 ? 1 : threads),
                             &Total) ||
      __builtin_add_overflow(Total, Shared & ~Mask, &Total))
    return UINT64_MAX;
  return Total;
}

static gc_status checkFeatures(const gc_module &M) {
  const char *Rest = M.target_features;
  while (Rest && *Rest) {
    size_t Length = std::strcspn(Rest, ",");
    char Name[64];
    if (*Rest != '-' && Length > 0) {
      const char *Begin = Rest + (*Rest == '+');
      size_t Size = Rest + Length - Begin;
      if (Size >= sizeof(Name))
        return fail(GC_UNSUPPORTED, "module '%s' needs an unknown feature",
                    nameOf(M));
      std::memcpy(Name, Begin, Size);
      Name[Size] = '\0';
      if (!gc_host_has_feature(Name))
        return fail(GC_UNSUPPORTED,
                    "module '%s' needs the processor feature '%s', which this "
                    "host does not have",
                    nameOf(M), Name);
    }
    Rest += Length + (Rest[Length] == ',');
  }
  return GC_OK;
}

static gc_status checkModule(const gc_module &M) {
  if (M.abi_version != GC_ABI_VERSION)
    return fail(GC_UNSUPPORTED,
                "the module has ABI version %u, this runtime has %u",
                M.abi_version, GC_ABI_VERSION);
  uint64_t Alignment = M.arena_alignment;
  if (!M.compute || (M.num_folded > 0 && (!M.fold || !M.folded_bytes)) ||
      (M.num_fold_inputs > 0 && !M.fold_inputs) ||
      (Alignment & (Alignment - 1)) != 0)
    return fail(GC_INVALID_ARGUMENT, "module '%s' is malformed", nameOf(M));
  for (uint32_t I = 0; I < M.num_fold_inputs; ++I)
    if (M.fold_inputs[I] >= M.num_inputs)
      return fail(GC_INVALID_ARGUMENT,
                  "module '%s' folds input %u of only %u inputs", nameOf(M),
                  M.fold_inputs[I], M.num_inputs);
  return checkFeatures(M);
}

gc_status gc_instance_create(const gc_module *module, gc_instance **out) {
  if (!module || !out)
    return fail(GC_INVALID_ARGUMENT, "gc_instance_create: a NULL argument");
  *out = nullptr;
  if (gc_status Status = checkModule(*module))
    return Status;
  if (module->init) {
    clearError();
    int32_t Status = module->init();
    if (Status != GC_OK)
      return fail(Status > GC_OK && Status <= GC_RUNTIME_ERROR
                      ? static_cast<gc_status>(Status)
                      : GC_RUNTIME_ERROR,
                  "module '%s' does not load: %s", nameOf(*module),
                  *gc_last_error() ? gc_last_error() : "its init failed");
  }
  *out = new (std::nothrow) gc_instance(*module);
  if (!*out)
    return fail(GC_OUT_OF_MEMORY, "no memory for an instance of '%s'",
                nameOf(*module));
  return GC_OK;
}

void gc_instance_destroy(gc_instance *instance) { delete instance; }

gc_status gc_instance_invalidate(gc_instance *instance) {
  if (!instance)
    return fail(GC_INVALID_ARGUMENT, "gc_instance_invalidate: no instance");
  instance->Constants.retractAll();
  return GC_OK;
}

gc_status gc_instance_set_folded(gc_instance *instance,
                                 void (*folded)(void *context), void *context) {
  if (!instance || !folded)
    return fail(GC_INVALID_ARGUMENT, "gc_instance_set_folded: a NULL argument");
  if (gc_instance_fold_count(instance) > 0)
    return fail(GC_INVALID_ARGUMENT,
                "gc_instance_set_folded: the instance has folded");
  instance->Constants.setDone(folded, context);
  return GC_OK;
}

gc_status gc_instance_set_capacity(gc_instance *instance, int64_t sets) {
  if (!instance || sets < 1)
    return fail(GC_INVALID_ARGUMENT, "gc_instance_set_capacity: %s",
                instance ? "less than 1 set" : "no instance");
  instance->Constants.setCapacity(sets);
  return GC_OK;
}

gc_constant_pool *gc_constant_pool_create(void) {
  try {
    return new gc_constant_pool{std::make_shared<ConstantPool>()};
  } catch (const std::bad_alloc &) {
    fail(GC_OUT_OF_MEMORY, "no memory for a pool of constants");
    return nullptr;
  }
}

void gc_constant_pool_destroy(gc_constant_pool *pool) { delete pool; }

uint64_t gc_constant_pool_bytes(const gc_constant_pool *pool) {
  return pool->Constants->bytes();
}

gc_status gc_instance_set_constant_pool(gc_instance *instance,
                                        gc_constant_pool *pool) {
  if (!instance || !pool)
    return fail(GC_INVALID_ARGUMENT,
                "gc_instance_set_constant_pool: a NULL argument");
  if (gc_instance_fold_count(instance) > 0)
    return fail(GC_INVALID_ARGUMENT,
                "gc_instance_set_constant_pool: the instance has folded");
  instance->Constants.setPool(pool->Constants);
  return GC_OK;
}

uint64_t gc_instance_constant_bytes(const gc_instance *instance) {
  return instance->Constants.bytes();
}

int64_t gc_instance_fold_count(const gc_instance *instance) {
  return instance->FoldCount.load(std::memory_order_relaxed);
}

double gc_instance_fold_ms(const gc_instance *instance) {
  return instance->FoldNanoseconds.load(std::memory_order_relaxed) * 1e-6;
}
