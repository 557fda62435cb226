/* Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The header is C, and has the layout that the compiler emits code for: what
 * changes here changes GC_ABI_VERSION. */

#include "Runtime/Package.h"
#include "Runtime/Portable.h"
#include "Runtime/Runtime.h"

#include <stddef.h>

#define AT(type, field, offset)                                                \
  _Static_assert(offsetof(type, field) == offset, #type "." #field)

AT(gc_team, thread, 0);
AT(gc_team, size, 8);
AT(gc_team, barrier, 16);
AT(gc_team, trace, 24);
_Static_assert(sizeof(gc_team) == 32, "gc_team");

AT(gc_module, abi_version, 0);
AT(gc_module, num_inputs, 4);
AT(gc_module, num_outputs, 8);
AT(gc_module, num_fold_inputs, 12);
AT(gc_module, num_folded, 16);
AT(gc_module, num_regions, 20);
AT(gc_module, name, 24);
AT(gc_module, target_features, 32);
AT(gc_module, fold_inputs, 40);
AT(gc_module, folded_bytes, 48);
AT(gc_module, arena_shared_bytes, 56);
AT(gc_module, arena_thread_bytes, 64);
AT(gc_module, arena_alignment, 72);
AT(gc_module, region_names, 80);
AT(gc_module, init, 88);
AT(gc_module, fold, 96);
AT(gc_module, compute, 104);
_Static_assert(sizeof(gc_module) == 112, "gc_module");

AT(gc_kernel_spec, version, 0);
AT(gc_kernel_spec, a_type, 8);
AT(gc_kernel_spec, b_type, 16);
AT(gc_kernel_spec, c_type, 24);
AT(gc_kernel_spec, accumulator_type, 32);
AT(gc_kernel_spec, pack_a, 40);
AT(gc_kernel_spec, pack_b, 48);
AT(gc_kernel_spec, transpose_a, 56);
AT(gc_kernel_spec, transpose_b, 64);
AT(gc_kernel_spec, m, 72);
AT(gc_kernel_spec, n, 80);
AT(gc_kernel_spec, k, 88);
AT(gc_kernel_spec, lda, 96);
AT(gc_kernel_spec, ldb, 104);
AT(gc_kernel_spec, ldc, 112);
AT(gc_kernel_spec, batch_form, 120);
AT(gc_kernel_spec, stride_a, 128);
AT(gc_kernel_spec, stride_b, 136);
AT(gc_kernel_spec, beta, 144);
AT(gc_kernel_spec, zero_point_a, 152);
AT(gc_kernel_spec, zero_point_b, 160);
AT(gc_kernel_spec, ld_scale_b, 168);
AT(gc_kernel_spec, has_zero_points_b, 176);
_Static_assert(sizeof(gc_kernel_spec) == 184, "gc_kernel_spec");

AT(gc_weight, name, 0);
AT(gc_weight, type, 8);
AT(gc_weight, rank, 16);
AT(gc_weight, shape, 24);
AT(gc_weight, bytes, 32);
AT(gc_weight, index, 40);
AT(gc_weight, is_folded, 44);
_Static_assert(sizeof(gc_weight) == 48, "gc_weight");

AT(gc_package, version, 0);
AT(gc_package, num_weights, 4);
AT(gc_package, module, 8);
AT(gc_package, threads, 16);
AT(gc_package, weights, 24);
AT(gc_package, folded, 32);
_Static_assert(sizeof(gc_package) == 40, "gc_package");

_Static_assert(GC_ABI_VERSION == 2, "the layout above is that of version 2");
_Static_assert(GC_KERNEL_SPEC_VERSION == 2, "and of version 2 of the spec");
_Static_assert(GC_PACKAGE_VERSION == 1, "and of version 1 of packages");
