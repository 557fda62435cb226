// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Images of which each element is computed from a list of elements of another
// image along each spatial dimension.

#ifndef GC_LIB_REFERENCE_WINDOWTAPS_H
#define GC_LIB_REFERENCE_WINDOWTAPS_H

#include "Elementwise.h"
#include "Reference/ReferenceInterface.h"
#include "Sums.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>
#include <vector>

namespace gc::reference {

using Operands = llvm::ArrayRef<BoundedTensor>;
using Results = llvm::SmallVectorImpl<BoundedTensor>;

/// An element of the operand along a dimension, and what it is multiplied by.
struct Tap {
  int64_t index;
  double weight = 1;
};
/// For each element of the result along a dimension.
using Taps = std::vector<std::vector<Tap>>;

/// An image and its bound with channels last.
BoundedTensor viewChannelsLast(const BoundedTensor &image,
                               llvm::StringRef format);

/// The channels from `first` on of the elements at an index of all other
/// dimensions.
void load(const BoundedTensor &from, llvm::ArrayRef<int64_t> index,
          int64_t first, llvm::MutableArrayRef<Bounded> to);
/// Rounds to the type of the tensor; `roundings` is how often its elements were
/// rounded before.
void store(const BoundedTensor &to, llvm::ArrayRef<int64_t> index,
           int64_t first, llvm::ArrayRef<Bounded> from, double roundings);

/// Calls visit(index) for all indices below sizes, in row-major order.
void visitIndices(llvm::ArrayRef<int64_t> sizes,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);
/// The same, shared among threads along the first dimensions.
void visitIndicesInParallel(
    llvm::ArrayRef<int64_t> sizes,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// For each element of the operand what it is part of.
llvm::SmallVector<Taps> reverse(llvm::ArrayRef<Taps> taps,
                                llvm::ArrayRef<int64_t> sizes);

/// Computes channels-last images from others: `Cell` combines what the taps of
/// an element lead to, for one channel.
template <typename Cell>
void gather(const BoundedTensor &src, const BoundedTensor &dst,
            llvm::ArrayRef<Taps> taps, double roundings) {
  int64_t channels = src.value.getShape().back();
  visitIndicesInParallel(
      dst.value.getShape().drop_back(), [&](llvm::ArrayRef<int64_t> at) {
        std::vector<Cell> cells(channels);
        std::vector<Bounded> row(channels);
        llvm::SmallVector<int64_t> counts, index(at);
        for (auto [dim, list] : llvm::enumerate(taps))
          counts.push_back(list[at[1 + dim]].size());
        visitIndices(counts, [&](llvm::ArrayRef<int64_t> which) {
          double weight = 1;
          for (auto [dim, list] : llvm::enumerate(taps)) {
            const Tap &tap = list[at[1 + dim]][which[dim]];
            index[1 + dim] = tap.index;
            weight *= tap.weight;
          }
          load(src, index, 0, row);
          for (auto [cell, element] : llvm::zip_equal(cells, row))
            cell.add(element, weight);
        });
        for (auto [cell, element] : llvm::zip_equal(cells, row))
          element = cell.get();
        store(dst, at, 0, row, roundings);
      });
}

/// A weighted sum; the weights are rounded to f32, and the products twice,
/// since weights are products too.
struct SumCell {
  Sum sum;
  int64_t count = 0;
  void add(Bounded x, double weight) {
    sum.add(x.value * weight, x.error * std::fabs(weight) +
                                  6 * kRoundoff * std::fabs(x.value * weight));
    ++count;
  }
  Bounded get() const { return sum.get(count); }
};

/// An op whose result is a weighted sum of its operand `number`.
template <typename Derived, typename Op, unsigned number>
struct SumModel : ReferenceOpInterface::ExternalModel<Derived, Op> {
  bool preservesZero(mlir::Operation *) const { return true; }

  llvm::LogicalResult evaluate(mlir::Operation *op, Operands operands,
                               Evaluation &evaluation, Results &results) const {
    if (llvm::failed(evaluation.allocateResults(op, results)))
      return llvm::failure();
    llvm::StringRef format = llvm::cast<Op>(op).getDataFormat();
    gather<SumCell>(viewChannelsLast(operands[number], format),
                    viewChannelsLast(results.back(), format),
                    Derived::getTaps(llvm::cast<Op>(op)), 2);
    return llvm::success();
  }
};

} // namespace gc::reference

#endif // GC_LIB_REFERENCE_WINDOWTAPS_H
