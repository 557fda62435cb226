// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChainTile.h"
#include "NestPlan.h"
#include "Tree.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Whether another contraction than `except` multiplies the array.
static bool isFactor(ScopOp scop, StringRef array, StatementOp except) {
  return llvm::any_of(scop.getOps<StatementOp>(), [&](StatementOp s) {
    return s != except && isContraction(s) &&
           llvm::any_of(s.getReadArrays().getAsRange<FlatSymbolRefAttr>(),
                        [&](FlatSymbolRefAttr read) {
                          return read.getValue() == array &&
                                 read.getValue() != s.getWrittenArray();
                        });
  });
}

/// Whether a read is of global memory and by the last but one dimension of what
/// the statement writes.
static bool hasRowsFromMemory(const isl::Ctx &ctx, ScopOp scop,
                              StatementOp statement, unsigned read) {
  auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[read]);
  if (findArray(scop, name.getValue()).isTemporary())
    return false;
  FailureOr<Projection> from = getProjection(getRead(ctx, statement, read)),
                        to = getProjection(getWrite(ctx, statement));
  return failed(from) || failed(to) || to->dims.size() < 2 ||
         llvm::is_contained(from->dims, to->dims[to->dims.size() - 2]);
}

FailureOr<StatementPolicy>
gc::poly::tileChain(const isl::Ctx &ctx, ScopOp scop,
                    const npu::Machine &machine,
                    const TileModel::Member &member) {
  StatementOp statement = member.statement;
  FailureOr<Projection> write = getProjection(getWrite(ctx, statement));
  if (failed(write) || write->dims.size() < 2 ||
      llvm::is_contained(write->dims, -1))
    return statement.emitOpError()
           << "is a product without rows or columns of what its nest computes";
  unsigned row = write->dims[write->dims.size() - 2],
           column = write->dims.back();
  int64_t terms = 1;
  for (auto [dim, extent] : llvm::enumerate(member.extents))
    if (!llvm::is_contained(write->dims, int(dim)))
      terms *= extent;
  int64_t columns = llvm::alignTo(member.extents[column], 16) + 16;
  terms = llvm::alignTo(terms, 16);
  int64_t extent = member.extents[row], rows = 0;
  // One block of the first sums and two of the second are in L0C; two of what
  // is computed between them are in UB, with values for each 16 columns and for
  // rows, and the result.
  // Both right factors are in L1 beside two blocks of the left ones; L0A has
  // two of the first one, and steps of the second one.
  int64_t firstTerms = 1;
  for (StatementOp other : scop.getOps<StatementOp>())
    if (isContraction(other) && other != statement) {
      SmallVector<unsigned> kept = getParallelDims(ctx, other);
      unsigned rank = isl_set_dim(getDomain(ctx, other).get(), isl_dim_set);
      int64_t own = 1;
      for (unsigned dim = 0; dim < rank; ++dim)
        if (!llvm::is_contained(kept, dim))
          own *= poly::getExtent(ctx, other, dim);
      firstTerms = std::max(firstTerms, own);
    }
  firstTerms = llvm::alignTo(firstTerms, 16);
  // What is loaded for all rows of a block, or steps of at most 256 columns of
  // it, and the rows that the first contraction multiplies if they are
  // computed.
  int64_t loads = 0, computed = 0;
  for (StatementOp s : scop.getOps<StatementOp>()) {
    bool isFirst = isFactor(scop, s.getWrittenArray(), statement);
    for (unsigned i = 0; !isContraction(s) && i < s.getReadArrays().size(); ++i)
      if (hasRowsFromMemory(ctx, scop, s, i))
        (isFirst ? computed : loads) += 1;
  }
  int64_t panels = terms * (firstTerms + columns) * 2;
  int64_t steps = std::max<int64_t>(16, machine.l0bBytes / 8 / columns);
  auto fits = [&](int64_t size, int64_t loadedColumns) {
    int64_t ubBytes = 4 * terms + terms / 8 + 10 * columns + 256 +
                      4 * loadedColumns * loads +
                      4 * firstTerms * (computed > 0 ? computed + 1 : 0);
    return size * (terms + 2 * columns) * 4 <= machine.l0cBytes &&
           size * ubBytes <= machine.ubBytes &&
           panels + size * (firstTerms + terms) * 4 <= machine.l1Bytes &&
           size * (firstTerms + steps) * 4 <= machine.l0aBytes;
  };
  // All blocks have the same size, and each takes about as long as four rows
  // more would.
  auto getCost = [&](int64_t size) {
    return llvm::divideCeil(extent, size) * (size + 4);
  };
  int64_t loadedColumns =
      fits(16, terms) ? terms : std::min<int64_t>(terms, 256);
  for (int64_t size = 16; size <= 128; size += 16)
    if ((rows == 0 || size < int64_t(llvm::alignTo(extent, 16)) + 16) &&
        fits(size, loadedColumns) &&
        (rows == 0 || getCost(size) < getCost(rows)))
      rows = size;
  if (rows == 0)
    return statement.emitOpError()
           << "adds up " << terms << " columns of another product, of which "
           << "no block of 16 rows fits the core";
  StatementPolicy own{statement, {}, {}, {}};
  for (auto [dim, size] : llvm::enumerate(member.extents))
    if (llvm::is_contained(write->dims, int(dim)))
      own.l1.push_back(dim == row      ? std::min(rows, extent)
                       : dim == column ? size
                                       : 1);
  return own;
}
