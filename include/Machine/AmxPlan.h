// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a generated kernel is tiled over AMX's eight registers of 16 rows of 64
// bytes (Intel SDM volume 1, chapter 18): a product of one register of A and
// one of B adds up to 16 groups along k for 16 rows and 16 columns.

#ifndef GC_MACHINE_AMXPLAN_H
#define GC_MACHINE_AMXPLAN_H

#include "Machine/VectorPlan.h"

namespace gc {

/// Rows of a tile register, columns of sums in it, and groups along k that a
/// product of two of them adds up.
inline constexpr int64_t kAmxRows = 16, kAmxColumns = 16, kAmxGroups = 16;

/// Whether a rate is that of AMX.
bool isAmx(const KernelRate &rate);

/// The machine's AMX rate for kernels of the types; null if its vectors are
/// faster, or if it has nothing else.
const KernelRate *getAmxRate(const Machine &machine, KernelTypes types);

/// Machine::getKernelRate() without AMX.
const KernelRate *getVectorRate(const Machine &machine, KernelTypes types);

/// The steps that a block's k is taken in: `count` of `groups` groups each,
/// then one of `rest` elements, which are copied and filled up with zeros.
struct AmxSteps {
  int64_t count, groups, rest;

  int64_t getNumSteps() const { return count + (rest != 0); }
};

/// As few steps as possible, all of the same length if that divides `k`;
/// `group` elements are a group.
AmxSteps getAmxSteps(int64_t k, int64_t group);

/// Rows of the registers that `rows` rows are spread over.
llvm::SmallVector<int64_t, 4> getAmxHeights(int64_t rows);

/// Cycles that C[m, n] takes per step of k, a group that fills 32 bits, of
/// `groups` groups, with operands in the L2 cache; 0: in the L1 cache.
double getAmxCyclesPerGroup(const Machine &machine, const KernelRate &rate,
                            int64_t m, int64_t n, int64_t groups);

/// Tiles for a kernel on AMX; nothing if the machine or the kernel is not
/// suitable: B must be in groups along k that fill 32 bits.
std::optional<VectorPlan> planAmxKernel(const Machine &machine,
                                        const KernelSpec &spec);

} // namespace gc

#endif // GC_MACHINE_AMXPLAN_H
