// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order in which a pass over a box of the iteration space computes things:
// rows, stages between which reductions are complete, and values that are kept
// from one stage to a later one.

#ifndef GC_LIB_CONVERSION_GRAPHTOTENSORIR_PASSPLAN_H
#define GC_LIB_CONVERSION_GRAPHTOTENSORIR_PASSPLAN_H

#include "Dialect/Graph/Transforms/PassDims.h"
#include "Dialect/Graph/Transforms/PassStages.h"
#include "VectorAccess.h"

#include <vector>

namespace gc {

/// A pass runs over rows; within a row it runs over the inner dimensions once
/// per stage. Inner are the dimensions that reductions reduce, or the dimension
/// of vectors if nothing is reduced. Row values are computed once per row.
/// Where vectors run along a dimension that is not reduced ("columnwise"), each
/// lane is a row.
class PassPlan : public graph::PassStages {
public:
  /// One run over the inner dimensions, and what precedes it.
  struct Stage {
    /// Row values to compute and to store before the run.
    llvm::SmallVector<mlir::Operation *> rowOps;
    llvm::SmallVector<Store> rowStores;
    llvm::SmallVector<mlir::Operation *> reductions;
    llvm::SmallVector<Store> stores;
    llvm::SmallVector<mlir::Value> kept;
    /// Instructions per vector, roughly.
    int64_t cost = 0;

    bool hasRun() const {
      return !reductions.empty() || !stores.empty() || !kept.empty();
    }
  };

  /// `wanted`: what the schedule says of the pass. A dimension that the box has
  /// a single element along, or whose size is not static, is not used: vectors
  /// then lie along the other one, or along the last dimension that can be
  /// used. A pass that reduces, or stores what does not vary along the vectors,
  /// transposes nothing.
  PassPlan(const graph::RegionSpace &space,
           llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<BoxDim> box,
           llvm::ArrayRef<Store> stores, const BufferMap &buffers,
           const graph::PassDims &wanted, graph::ScheduleAttr schedule);

  llvm::ArrayRef<Stage> getStages() const { return stages; }
  /// The dimension that vectors lie along; -1 in a space without dimensions.
  int64_t getVectorDim() const { return dims.vector; }
  bool isColumnwise() const { return columnwise; }
  /// The dimension along which something is contiguous that is not along the
  /// vector's, so that blocks are transposed in registers; -1 if nothing is.
  int64_t getTransposedDim() const { return dims.transposed; }
  /// What is loaded along that dimension: operands of ops, and values that are
  /// only copied.
  llvm::ArrayRef<mlir::OpOperand *> getTransposed() const { return transposed; }
  llvm::ArrayRef<mlir::Value> getTransposedValues() const {
    return transposedValues;
  }

  /// Whether an op reads what has gaps between its elements: windows, pads.
  bool hasGaps() const;

  /// Where a value is that has been kept before the stage.
  const Access *getKept(mlir::Value value, unsigned stage) const;
  /// Values that need a buffer of a row, and its type.
  llvm::ArrayRef<std::pair<mlir::Value, mlir::RankedTensorType>>
  getRowBuffers() const {
    return rowBuffers;
  }
  void setRowBuffer(mlir::Value value, mlir::Value memref);
  /// The dimension along which rows are worked on together, or -1: the end of a
  /// stage is a chain of dependent instructions, and rows hide each other's
  /// latency.
  int64_t getUnitDim() const { return unitDim; }
  /// Rows that are worked on together, or vectors of a columnwise pass.
  int64_t getUnroll() const { return schedule.getUnroll(); }

  /// Loads of row values by ops that run over the row.
  llvm::ArrayRef<mlir::OpOperand *> getRowLoads() const { return rowLoads; }

  Access getAccess(mlir::OpOperand &operand) const;
  Access getAccess(mlir::Value value, const Buffer &buffer) const;

private:
  void setDims(llvm::ArrayRef<BoxDim> box, const graph::PassDims &wanted,
               bool reduces);
  void findTransposed();
  void placeStores();
  void placeKept();
  /// Notes what evaluating a value in a stage takes; true if that led to a
  /// value being kept. seen: values that were visited in this stage.
  bool visit(mlir::Value value, unsigned stage,
             llvm::DenseMap<mlir::Value, unsigned> &lastRead,
             llvm::DenseSet<mlir::Value> &seen);
  /// Of a row of a value.
  int64_t getRowBytes(mlir::Value value) const;

  bool keep(mlir::Value value);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::ArrayRef<Store> allStores;
  const BufferMap &buffers;
  graph::ScheduleAttr schedule;

  graph::PassDims dims;
  int64_t unitDim = -1;
  bool columnwise = false;
  /// Elements of a row.
  llvm::SmallVector<int64_t> rowShape;
  mlir::AffineMap rowMap;
  std::vector<Stage> stages;
  llvm::DenseMap<mlir::Value, Access> kept;
  llvm::SmallVector<std::pair<mlir::Value, mlir::RankedTensorType>> rowBuffers;
  llvm::SmallVector<mlir::OpOperand *> rowLoads, transposed;
  llvm::SmallVector<mlir::Value> transposedValues;
};

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOTENSORIR_PASSPLAN_H
