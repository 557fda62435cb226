// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long a microkernel takes: a model of its register tiles.

#ifndef GC_MACHINE_KERNELCOST_H
#define GC_MACHINE_KERNELCOST_H

#include "Machine/KernelSpec.h"
#include "Machine/Machine.h"

namespace gc {

/// The type of B. That of A differs in its sign at most.
DataType getTypeOfB(KernelTypes types);

/// The machine's fastest kernels of the types, or of f32 if it has no
/// instructions for narrow types, which then run like f32 at best. Null if it
/// has neither.
const KernelRate *getRateOrF32(const Machine &machine, KernelTypes types);

/// The register tile of a family of batch-reduce GEMM kernels, and how fast the
/// machine computes it.
struct KernelModel {
  /// Rows and vectors of columns of one tile of C in registers.
  int64_t rows, vectors;
  /// Columns of C in a vector.
  int64_t lanes;
  /// Vectors of products that are added up in a cycle, vectors that are loaded,
  /// and cycles until a sum can be used again.
  double sumsPerCycle = 2, loadsPerCycle = 2, latency = 4;
  /// What the kernel costs if rows of B are not contiguous.
  double stridedFactor = 1;

  /// The model of the kernels that run on the machine.
  static KernelModel get(const Machine &machine, bool vectorKernels,
                         KernelTypes types = KernelTypes::f32);

  /// Columns of one tile.
  int64_t getTileColumns() const { return vectors * lanes; }

  /// Cycles per step of k that one tile takes with operands in the L1 cache:
  /// the longest of arithmetic, latency of the sums, and loads.
  double getTileCycles(double tileRows, double tileVectors) const;

  /// The same of C[m, n].
  double getCyclesPerK(int64_t m, int64_t n) const;
};

/// A k so long that operands do not stay in the L1 cache.
constexpr int64_t kLongK = 1 << 20;

/// The same for kernels of vectors, whose tiles are made for their shape: the
/// minimum number of cycles over all tiles that fit the registers. Accumulators
/// are split if there are so few that they would have to wait for each other.
/// AMX takes longer for a long k, whose operands are in the L2 cache; if k is
/// 0, they are in the L1 cache.
double getVectorCyclesPerK(const Machine &machine, int64_t m, int64_t n,
                           KernelTypes types = KernelTypes::f32,
                           int64_t k = kLongK);

/// The same for the kernel that will run: the library's, unless compiling
/// vector code is worthwhile.
double getBestCyclesPerK(const Machine &machine, int64_t m, int64_t n,
                         bool vectorKernels,
                         KernelTypes types = KernelTypes::f32,
                         int64_t k = kLongK);

/// Whether vectors of the type have no multiply-add: generated kernels split
/// pairs of neighbours along k into vectors of f32, of both factors.
bool splitsPairs(const Machine &machine, DataType type);

/// Whether every tile of a kernel has to convert both factors of the type: they
/// are split, and AMX does not multiply them either.
bool convertsFactors(const Machine &machine, DataType type);

/// How many times as fast as f32 products of bytes are.
double getGainOfBytes(const Machine &machine);

/// What generated kernels and batches take besides multiply-adds and loads,
/// measured on Zen 4: cycles to interleave the rows of an unpacked B, for each
/// vector of columns and group of steps of k; the time of kernels that convert
/// a narrower B, if their tiles read parts of its rows, relative to whole rows;
/// and cycles from one block of a batch to the next, for its addresses and a
/// loop that is too short to be predicted.
constexpr double kInterleaveCycles = 1, kPartialRowsFactor = 1.15,
                 kBlockCycles = 4;

} // namespace gc

#endif // GC_MACHINE_KERNELCOST_H
