// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long a microkernel takes: a model of its register tiles.

#ifndef GC_MACHINE_KERNELCOST_H
#define GC_MACHINE_KERNELCOST_H

#include "Machine/Machine.h"

namespace gc {

/// The register tile of a family of batch-reduce GEMM kernels in f32.
struct KernelModel {
  /// Rows and vectors of columns of one tile of C in registers.
  int64_t rows, vectors;
  int64_t lanes;

  /// The model of the kernels that run on the machine.
  static KernelModel get(const Machine &machine, bool vectorKernels);

  /// Columns of one tile.
  int64_t getTileColumns() const { return vectors * lanes; }

  /// Cycles per step of k that C[m, n] takes with operands in the L1 cache: per
  /// tile the longest of arithmetic, latency of the accumulators, and loads.
  double getCyclesPerK(int64_t m, int64_t n) const;
};

/// The same for kernels of vectors, whose tiles are made for their shape: the
/// fewest cycles over all tiles that fit the registers. Their accumulators are
/// split where few of them would have to wait for each other.
double getVectorCyclesPerK(const Machine &machine, int64_t m, int64_t n);

} // namespace gc

#endif // GC_MACHINE_KERNELCOST_H
