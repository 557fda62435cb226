// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine that a module is compiled for.

#ifndef GC_SUPPORT_MODULEMACHINE_H
#define GC_SUPPORT_MODULEMACHINE_H

#include "Machine/Machine.h"
#include "mlir/IR/BuiltinOps.h"

namespace gc {

/// The machine of the module's DLTI target description, device "CPU". Its
/// entries, all of them optional:
///
/// - `machine`: the name of a preset, from which the other entries differ;
///   without it they differ from GC_MACHINE's machine, else from the host.
/// - `num_threads`, `L1_cache_size_in_bytes`, `L2_cache_size_in_bytes`,
///   `L3_cache_size_in_bytes`, `max_vector_op_width` (bits),
///   `num_vector_registers`, and the keys of the other numbers in a machine's
///   file (`memory.bytes_per_cycle`).
/// - `cpu`, `features` and `kernels`, as in a file. The width and the number of
///   vector registers follow from `features` unless they are there too.
///
/// Other entries are ignored. Reports invalid entries at the module.
mlir::FailureOr<Machine> getMachine(mlir::ModuleOp module);

/// Gives the module a description from which getMachine() returns `machine`:
/// the differences from the preset of its name, if there is one, else all
/// facts. Replaces the entries of device "CPU"; other devices stay.
void setMachine(mlir::ModuleOp module, const Machine &machine);

} // namespace gc

#endif // GC_SUPPORT_MODULEMACHINE_H
