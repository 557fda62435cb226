// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost model that picks the parameters of the matmul template (paper,
// section III): all combinations of a few block sizes, splits and loop orders,
// each with the cycles of the busiest core.

#ifndef GC_LIB_DIALECT_GRAPH_TEMPLATES_MATMULCOST_H
#define GC_LIB_DIALECT_GRAPH_TEMPLATES_MATMULCOST_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/WindowRuns.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/CostModel.h"
#include "Machine/KernelCost.h"

namespace gc::graph {

/// Order of the single-core loops.
enum class LoopOrder {
  /// m, n, k or n, m, k: one tile of C is complete after the other.
  rowsFirst,
  columnsFirst,
  /// m, k, n: a row panel of C is complete after the other.
  rowPanels
};

struct MatmulParameters {
  int64_t mpn = 1, npn = 1, mb = 1, nb = 1, kb = 1, bs = 1, kpn = 1;
  LoopOrder order = LoopOrder::rowsFirst;

  /// The part of `k` that the busiest slice adds up: whole blocks, and of the
  /// last slice what does not fill one.
  int64_t getLongestSlice(int64_t k) const {
    int64_t blocks = llvm::divideCeil(k / kb, kpn);
    return std::max(blocks * kb, k - (kpn - 1) * blocks * kb);
  }

  bool operator==(const MatmulParameters &other) const {
    auto tie = [](const MatmulParameters &p) {
      return std::tie(p.mpn, p.npn, p.mb, p.nb, p.kb, p.bs, p.kpn, p.order);
    };
    return tie(*this) == tie(other);
  }
};

/// How an operand gets to the kernels.
struct OperandUse {
  /// In blocks rather than in place.
  bool isPacked = false;
  /// Packed by each core before its loops; otherwise by its producer.
  bool isPackedHere = false;
  /// It is the same in every execution, and no core writes it.
  bool isConstant = false;
  /// Of B in place: it is stored transposed, and kernels read it along k.
  bool isAlongK = false;
  /// Of A in place: the places in a way of the L1 cache that its rows begin at,
  /// if these are so few that the rows evict each other; otherwise 0.
  int64_t sharedPlaces = 0;
  /// Of windows whose columns can be folded with their channels: the runs of a
  /// line.
  llvm::SmallVector<WindowRun> runs = {};

  bool isScattered() const { return sharedPlaces != 0; }
};

/// The element types of a product.
struct MatmulElements {
  /// Bytes of an element of A, B, the result and the sums. Of windows of an
  /// image, those that are their own.
  double a = 4, b = 4;
  int64_t c = 4, sum = 4;
  KernelTypes kernel = KernelTypes::f32;
  /// Neighbours along k that fill an element of the sums.
  int64_t group = 1;
  /// The type of B where kernels convert it to f32.
  std::optional<DataType> widened;
  /// The types of A and B where kernels can read a B that is not packed along
  /// k, or interleave its rows.
  std::optional<std::pair<DataType, DataType>> dots;
  /// Neighbours along k that share scales, which are a block; 0: B has none.
  int64_t scaled = 0;

  static MatmulElements get(mlir::Type a, mlir::Type b, mlir::Type c);
};

/// Whether B is so large, and A and C have so few rows, that B is best read
/// from memory row by row, in long pieces.
bool isStreamed(const MatmulSizes &sizes, double elementBytes,
                const Machine &machine);

class MatmulCostModel {
public:
  MatmulCostModel(const MatmulSizes &sizes, const Machine &machine,
                  const TemplateOptions &options, MatmulElements elements,
                  OperandUse a, OperandUse b);

  struct Choice {
    MatmulParameters parameters;
    double cycles;
  };
  /// The `count` best parameters, cheapest first; fewer if there are not that
  /// many.
  llvm::SmallVector<Choice> choose(int64_t count) const;
  /// Cycles of the busiest core.
  double getCycles(const MatmulParameters &p) const;
  /// Its cost by kind.
  Cost getCost(const MatmulParameters &p) const;

private:
  llvm::SmallVector<std::pair<int64_t, int64_t>> getSplits() const;
  llvm::SmallVector<int64_t> getRowBlocks(int64_t parts) const;
  llvm::SmallVector<int64_t> getColumnBlocks(int64_t parts) const;
  llvm::SmallVector<LoopOrder> getOrders() const;
  llvm::SmallVector<int64_t> getSlices(const MatmulParameters &p) const;
  bool maySlice() const;
  bool streamsB() const;
  llvm::SmallVector<int64_t> getReductionBlocks() const;
  int64_t getReductionBlock() const;
  void setReduction(MatmulParameters &p, int64_t block) const;

  /// What kernels compute for rows and columns of C, per step of k.
  double getCyclesPerK(const MatmulParameters &p, int64_t rows,
                       int64_t columns) const;
  /// Arithmetic and calls of this many lines of windows.
  Cost getLineCost(const MatmulParameters &p, double lines,
                   int64_t columns) const;

  Cost getSliceCost(const MatmulParameters &p) const;
  /// Reading `bytes` of rows of A that share cache sets again for each tile of
  /// `columns`, and what of B they evict.
  double getScatteredCycles(const MatmulParameters &p, double bytes,
                            int64_t columns) const;
  /// Whether A is a panel of rows that the core computes next, or has computed,
  /// and with it B remains close.
  bool isPanel() const;
  double getKernelCycles(int64_t m, int64_t n) const;
  double getWideningCycles(int64_t m, int64_t n) const;
  double getDotCycles(int64_t m, int64_t n) const;
  MemoryLevel getOrigin(double matrixBytes) const;
  MemoryLevel getOriginOfB(double bytes) const;
  MemoryLevel getReuse(const MatmulParameters &p, double bytes,
                       int64_t sharers) const;
  Cost getRepeatedRead(double bytes, MemoryLevel level) const;

  const MatmulSizes &sizes;
  const Machine &machine;
  const TemplateOptions &options;
  OperandUse a, b;
  gc::CostModel model;
  KernelModel kernel;
  MatmulElements elements;
  int64_t threads, batch = 1;
  /// Cycles per step of k for the kernel's rows and columns, cached because
  /// they recur.
  mutable llvm::SmallDenseMap<std::pair<int64_t, int64_t>, double> kernelCycles;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TEMPLATES_MATMULCOST_H
