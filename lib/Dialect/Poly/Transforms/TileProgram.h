// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scop of tiles while it is made: poly.tile and poly.buffer ops, and the
// schedule tree over the tiles' instances. Coordinates of an instance are the
// counters of the loops around it.

#ifndef GC_LIB_DIALECT_POLY_TRANSFORMS_TILEPROGRAM_H
#define GC_LIB_DIALECT_POLY_TRANSFORMS_TILEPROGRAM_H

#include "TileTree.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace gc::poly {

class TileProgram {
public:
  /// `hasBuffers`: poly-promote has added those of the nests.
  TileProgram(const isl::Ctx &ctx, ScopOp scop, bool promotes, bool skews,
              bool hasBuffers);

  /// A new tile: its instances are `domain`, whose tuple has no name, its ops
  /// what `fill` makes. Gives the schedule of the tile alone.
  isl::Schedule
  addTile(llvm::StringRef name, const isl::Set &domain,
          llvm::function_ref<mlir::LogicalResult(mlir::ImplicitLocOpBuilder &,
                                                 mlir::ValueRange counters)>
              fill);
  /// A buffer that poly-promote decides. If it has run, that is the next one of
  /// its buffers, which has to be the same: else an error is emitted, and the
  /// program is wrong.
  BufferOp addBuffer(llvm::StringRef name, ArrayOp array,
                     mlir::MemRefType type);
  /// A buffer for what one op leaves to the next, within a tile.
  BufferOp addScratch(llvm::StringRef name, ArrayOp array,
                      mlir::MemRefType type);
  /// Whether all buffers were as poly-promote left them, and all were used.
  mlir::LogicalResult checkBuffers();
  /// An array or a buffer within a tile.
  mlir::Value refer(mlir::ImplicitLocOpBuilder &b, ArrayOp array);
  mlir::Value refer(mlir::ImplicitLocOpBuilder &b, BufferOp buffer);

  // Schedules of several tiles; null schedules are empty.
  static isl::Schedule sequence(isl::Schedule first, isl::Schedule second);
  static isl::Schedule mark(isl::Schedule schedule, llvm::StringRef text);
  /// A loop over coordinate `depth` of all instances, `pipeline` of which may
  /// be under way. None if there is only one.
  static isl::Schedule loop(isl::Schedule schedule, unsigned depth,
                            int64_t pipeline);
  /// One loop over the first coordinates of all instances, which have this many
  /// values each, in which those of a tile are as many iterations late as
  /// `delays` says. It has no mark.
  static isl::Schedule skewedLoop(isl::Schedule schedule,
                                  llvm::ArrayRef<int64_t> counts,
                                  const llvm::StringMap<int64_t> &delays);
  /// A loop over coordinate `depth`, which has `iterations` values, in which
  /// the instances of tiles that are in `delayed` are spread evenly: their
  /// coordinate, of one of `parts`, is another one. It has no mark.
  static isl::Schedule spreadLoop(isl::Schedule schedule, unsigned depth,
                                  const llvm::StringMap<int64_t> &delayed,
                                  int64_t iterations, int64_t parts);
  /// Of the outermost loop `pipeline` iterations may be under way.
  static isl::Schedule markLoop(isl::Schedule schedule, int64_t pipeline);
  /// All tiles of the schedule are this many iterations late.
  static mlir::LogicalResult setDelay(const isl::Schedule &schedule,
                                      int64_t delay,
                                      llvm::StringMap<int64_t> &delays);

  /// Decides a number of the nest that is made: what the scop's plan says, else
  /// `own`. Fails, with an error, if the plan says something else than `legal`.
  mlir::FailureOr<int64_t> choose(llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> legal, int64_t own);
  /// What is made from here on is the next nest.
  void beginNest() { ++nest; }

  /// Replaces the scop's statements by the tiles, and its tree by `schedule`.
  mlir::LogicalResult finish(const isl::Schedule &schedule);

  const isl::Ctx &ctx;
  ScopOp scop;
  /// Whether what several tiles read stays in the core.
  const bool promotes;
  /// Whether work on a tile may be beside that on the next one by itself.
  const bool skews;

private:
  std::string makeName(llvm::StringRef base);

  mlir::SymbolTable symbols;
  /// What poly-promote has added, the next one, and whether one was another.
  llvm::SmallVector<BufferOp> promoted;
  unsigned nextBuffer = 0;
  const bool hasBuffers;
  bool hasError = false;
  /// Nests that have begun.
  unsigned nest = 0;
};

} // namespace gc::poly

#endif // GC_LIB_DIALECT_POLY_TRANSFORMS_TILEPROGRAM_H
