// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the buffers of a promoted scop fit the core, and what would if they
// do not.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_CAPACITY_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_CAPACITY_H

#include "Dialect/Npu/Transforms/Overflow.h"
#include "Dialect/Poly/IR/PolyOps.h"
#include "Policy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gc::poly {

/// On a promoted scop: bytes by memory that are needed at the same time.
constexpr llvm::StringLiteral kPeakBytesAttr = "peak_bytes";

/// A copy of the scop, in a module of its own that describes the same machine.
mlir::OwningOpRef<mlir::ModuleOp> isolate(ScopOp scop);

/// Whether all memories have room for the buffers of a promoted scop. Fails,
/// with an error, if tiles cannot be made of it.
mlir::FailureOr<bool> fitsCore(ScopOp scop);

/// Makes tiles of a copy of the scop and counts what is alive at the same time,
/// what the instructions of tiles need included. Sets `peak_bytes`. If a memory
/// has not as many bytes, emits an error that names what is alive there and,
/// with `repairs`, policies that fit, with the cycles that Auto Tiling expects.
/// `promotes` and `skews` are those of promoteNests().
mlir::LogicalResult checkCapacity(ScopOp scop, bool promotes, bool skews,
                                  bool repairs);

/// Tiles that fit in place of those of a scop that does not.
struct Repair {
  std::string policy;
  double cycles;
};
/// The cheapest of those that were found come first. The scop has been tiled.
llvm::SmallVector<Repair> findRepairs(ScopOp scop, bool promotes, bool skews);

/// For a scop that is scheduled: replaces what Auto Tiling has added to the
/// policy `given` by tiles that fit the core, if those do not and others are
/// found. Auto Tiling does not count all that instructions of tiles need.
/// Gives the cycles that they are expected to take, or nothing if none fit.
std::optional<double> makeFit(ScopOp scop, const npu::Machine &machine,
                              const Policy &given, Policy &chosen);

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_CAPACITY_H
