// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the loops of one fused region: where its tensors are, and passes that
// compute fusible ops over a box of the iteration space, vector by vector.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_REGIONEMITTER_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_REGIONEMITTER_H

#include "Buffer.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/PassDims.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

namespace gc {

using BufferMap = llvm::DenseMap<mlir::Value, Buffer>;

/// One dimension of a box: iterations [0, size) at base + i. `size` may be
/// known only at run time; it is at most `max`.
struct BoxDim {
  Coord base;
  /// Position relative to the slice of local buffers.
  Coord local;
  mlir::Value size;
  int64_t max;

  BoxDim(Coord base, int64_t size, Coord local = 0)
      : base(std::move(base)), local(std::move(local)), max(size) {}
  BoxDim(Coord base, mlir::Value size, int64_t max, Coord local = 0)
      : base(std::move(base)), local(std::move(local)), size(size), max(max) {}
};

/// A value that a pass writes to a buffer.
struct Store {
  mlir::Value value;
  Buffer buffer;
};

/// Checks what the loops of a region rely on beyond what its verifier checks;
/// reports the op that breaks it.
llvm::LogicalResult checkRegion(graph::FusedOp fused);

class RegionEmitter {
public:
  RegionEmitter(mlir::OpBuilder &builder, graph::FusedOp fused,
                BufferMap &buffers)
      : builder(builder), fused(fused), schedule(fused.getSchedule()),
        buffers(buffers), entry(builder.getInsertionBlock()) {}

  /// Emits the region. The buffers of its results must be known.
  llvm::LogicalResult emit();

  /// Emits the loops of one pass: the ops in order over a box of the region's
  /// space. Values that no op of the pass computes are loaded from their
  /// buffers. Ops outside the region's space (pre-ops) run over their own
  /// space, and a pass without ops copies a value over its own shape.
  ///
  /// Reductions need everything they reduce, or one of the parts in which they
  /// reduce it, in the box; their results, and everything that has a size of 1
  /// there, are computed once per row. `dims`: along which vectors lie, see
  /// PassPlan.
  llvm::LogicalResult emitPass(llvm::ArrayRef<mlir::Operation *> ops,
                               llvm::ArrayRef<BoxDim> box,
                               llvm::ArrayRef<Store> stores,
                               const graph::PassDims &dims);

  /// What the schedule says of passes at an anchor.
  graph::PassDims getDims(graph::AnchorKind kind, unsigned index) const;

  /// Emits code that stores the streamed results among the stores past the
  /// caches, where a pass stores whole lines of them, and other code for memory
  /// that does not start at a cache line.
  llvm::LogicalResult
  emitStreaming(llvm::ArrayRef<Store> stores,
                llvm::function_ref<bool(const Store &)> areWholeLines,
                llvm::function_ref<llvm::LogicalResult(llvm::ArrayRef<Store>)>
                    emitStores);

  /// A loop over [0, size) or no loop if there is one iteration.
  void emitLoop(int64_t size, int64_t step,
                llvm::function_ref<void(mlir::Value)> body);
  void emitLoop(mlir::Value size, llvm::function_ref<void(mlir::Value)> body);

  /// Code for one of two cases; `last` is where index == count - 1.
  void emitLastCase(mlir::Value index, int64_t count,
                    llvm::function_ref<void(bool last)> body);

  mlir::Value makeIndex(int64_t value);

  /// A microkernel, with the implementation that the schedule gives it.
  mlir::Value makeKernel(mlir::Location loc, const KernelSpec &spec);

  /// The results of the region that are `value` inside of it, as stores.
  void addStores(mlir::Value value, llvm::SmallVectorImpl<Store> &stores);

  /// Elements of a vector, of any type.
  int64_t getLanes() const { return schedule.getLanes(); }

  /// The iteration space of the region that is being emitted.
  const graph::RegionSpace &getSpace() const { return *space; }

  /// A temporary of the function.
  Buffer makeScratch(mlir::RankedTensorType type, bool perThread);

  /// Rows that a pass works on together: indices of the second to last
  /// dimension of its box.
  struct Rows {
    Coord first;
    int64_t count;
    /// Which of its runs over these rows the pass begins, and how many there
    /// are.
    int64_t run = 0, runs = 1;
  };
  /// Called where a pass begins a run over rows, to emit work that accompanies
  /// it.
  std::function<void(const Rows &rows)> onRows;

  mlir::OpBuilder &builder;
  graph::FusedOp fused;
  /// What has been decided for the region. There is no machine here.
  const graph::ScheduleAttr schedule;
  /// Buffers of all tensors that are in memory, of the region and around it.
  BufferMap &buffers;

private:
  /// Checks what the schedule says of the passes at anchors.
  llvm::LogicalResult checkPasses(graph::TunableOpInterface tunable);
  /// Whether the buffer is that of a result which the schedule says is written
  /// with non-temporal stores.
  bool isStreamed(const Buffer &buffer);
  /// i1: the memory that the buffer lies in starts at a cache line.
  mlir::Value emitIsAligned(const Buffer &buffer);
  /// Emits a region without a tunable op (PlainRegion.cpp).
  llvm::LogicalResult emitPlain();
  /// The space of a pass, or nothing after an error.
  std::optional<graph::RegionSpace>
  getPassSpace(llvm::ArrayRef<mlir::Operation *> ops,
               llvm::ArrayRef<Store> stores);

  /// The function's block, where temporaries are.
  mlir::Block *entry;
  std::optional<graph::RegionSpace> space;
};

/// Checks that the first `count` operands of a tunable op have the types that
/// its template reads; an error at the op if not.
llvm::LogicalResult checkOperandTypes(mlir::Operation *op,
                                      graph::TemplateAttrInterface params,
                                      unsigned count);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_REGIONEMITTER_H
