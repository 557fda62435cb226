// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which implementation a microkernel gets: one rule for the graph level, which
// writes its decision into the IR, and for kernels that come without one.

#ifndef GC_MACHINE_KERNELCHOICE_H
#define GC_MACHINE_KERNELCHOICE_H

#include "Machine/KernelSpec.h"
#include "Machine/Machine.h"

namespace gc {

/// A kernel of the library that the runtime dispatches to, or vector code that
/// is generated for the spec.
enum class KernelKind : uint8_t { library, vector };

llvm::StringRef getName(KernelKind kind);

/// Which of them the user wants: the one that chooseKernel() names, or the same
/// for all kernels.
enum class KernelPreference : uint8_t { automatic, library, vector };

/// "auto", "libxsmm" or "vector".
llvm::StringRef getName(KernelPreference preference);

struct KernelChoice {
  KernelKind kind = KernelKind::library;
  /// Why vectors, and what would have given the library; empty for the library.
  llvm::StringRef reason, suggestion;
};

/// The types under which a machine lists the rates of kernels; nothing for
/// types without rates.
std::optional<KernelTypes> getRateTypes(DataType a, DataType b);

/// Whether generated kernels can read a B that is not packed: along k if it is
/// transposed, else row by row. B must not have scales in memory.
bool canReadUnpacked(DataType a, DataType b);

/// Why an implementation does not compute a kernel at all, whatever the
/// machine, or an empty string if it does.
llvm::StringRef getRefusal(const KernelSpec &spec, KernelKind kind);

/// Estimated fraction of the peak of one core for operands in the cache, at
/// most 1: what the tiles of rows and columns cost if k is long. For specs that
/// the implementation does not refuse.
double getKernelEfficiency(const Machine &machine, const KernelSpec &spec,
                           KernelKind kind);

/// Cycles per block of a batch, operands in the cache; 0 for types that the
/// machine has no rate for. Only for specs that are not refused, as above.
double getKernelCycles(const Machine &machine, const KernelSpec &spec,
                       KernelKind kind);

/// The rule: the library where it is fast, vectors where the machine or the
/// spec does not suit it. If that implementation refuses the spec, the other
/// one; check that one with getRefusal.
KernelChoice chooseKernel(const Machine &machine, const KernelSpec &spec);

} // namespace gc

#endif // GC_MACHINE_KERNELCHOICE_H
