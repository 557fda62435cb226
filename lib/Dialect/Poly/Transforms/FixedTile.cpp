// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FixedTile.h"
#include "ColumnSums.h"
#include "TileProduct.h"
#include "Tree.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Rows or columns, and terms, of a tile of a product; bytes of another one.
static constexpr int64_t kRows = 128, kTerms = 64, kBytes = 4096;
/// Elements of an array of f16 in a block of 32 bytes.
static constexpr int64_t kBlock = 16;

/// A product of matrices: one of a batch, of the last rows, columns and terms.
static StatementPolicy tileProduct(const TileModel &model, size_t update) {
  const TileModel::Member &member = model.getMembers()[update];
  StatementOp statement = member.statement;
  TileProduct product(model, update);
  StatementPolicy own{statement, {}, {}, {}};
  for (auto [dim, extent] : llvm::enumerate(member.extents)) {
    bool isTile = dim == product.row || dim == product.column;
    int64_t size = dim == product.term  ? std::min(extent, kTerms)
                   : !member.loops[dim] ? extent
                   : isTile             ? std::min(extent, kRows)
                                        : 1;
    own.l1.push_back(size);
    own.l0.push_back(size);
  }
  return own;
}

/// A convolution: positions of one image, and the channels of one block.
static StatementPolicy tileConvolution(const TileModel &model, size_t update) {
  const TileModel::Member &member = model.getMembers()[update];
  StatementOp statement = member.statement;
  auto factor = cast<FlatSymbolRefAttr>(statement.getReadArrays()[0]);
  Type element = ArrayOp(model.findArray(factor.getValue())->op)
                     .getTensorType()
                     .getElementType();
  int64_t c0 = npu::kBlockBytes * 8 / element.getIntOrFloatBitWidth();
  int64_t taps = statement.getImg2col()->getTaps();
  ArrayRef<int64_t> extents = ArrayRef(member.extents).take_back(3);
  // Steps of whole fractals divide the slice.
  int64_t step = c0;
  for (int64_t size = c0; size <= kTerms; size += c0)
    if (taps * c0 % size == 0)
      step = size;
  StatementPolicy own{statement, {}, {}, {}};
  if (member.extents.size() == 4)
    own.l1.push_back(1);
  own.l1.append({std::min(extents[0], kRows), std::min(extents[1], kRows)});
  own.l0 = own.l1;
  own.l1.push_back(std::min(extents[2], taps * c0));
  own.l0.push_back(std::min(extents[2], step));
  return own;
}

/// Whether the loop is the last index of an array, from which or to which a row
/// is moved then.
static bool isLastIndex(const TileModel &model, unsigned loop) {
  auto isLast = [&](const TileModel::Use &use) {
    if (use.indices.empty() || !use.indices.back())
      return false;
    const TileModel::Member &member = model.getMembers()[use.member];
    for (auto [own, factor] : llvm::zip(member.loops, *use.indices.back()))
      if (own == loop && factor != 0)
        return true;
    return false;
  };
  return llvm::any_of(model.getArrays(), [&](const TileModel::Array &array) {
    return llvm::any_of(array.uses, isLast);
  });
}

/// Tiles of the vector unit: whole blocks of each array, then as many elements
/// of the innermost loops as there is room for.
static StatementPolicy tileVector(const TileModel &model) {
  int64_t room = kBytes;
  for (const TileModel::Member &member : model.getMembers()) {
    // A loop that is not a common one runs within a tile.
    int64_t inside = 1;
    for (auto [loop, extent] : llvm::zip(member.loops, member.extents))
      inside *= loop ? 1 : extent;
    StatementOp statement = member.statement;
    ArrayOp array = model.findArray(statement.getWrittenArray())->op;
    int64_t bits = array.getTensorType().getElementTypeBitWidth();
    room = std::min(room, std::max<int64_t>(kBytes * 8 / bits / inside, 1));
  }
  TileSizes sizes(model.getRank(), 1);
  for (unsigned loop = 0; loop < model.getRank(); ++loop)
    if (isLastIndex(model, loop)) {
      sizes[loop] = std::min(model.getExtent(loop), kBlock);
      room /= sizes[loop];
    }
  for (unsigned loop = model.getRank(); loop-- > 0 && room > 1;) {
    int64_t size = std::min(model.getExtent(loop), sizes[loop] * room);
    room /= size / sizes[loop];
    sizes[loop] = size;
  }
  const TileModel::Member &member = model.getMembers().back();
  StatementPolicy own{member.statement, {}, {}, {}};
  for (auto [loop, extent] : llvm::zip(member.loops, member.extents))
    own.ub.push_back(loop ? sizes[*loop] : extent);
  return own;
}

LogicalResult gc::poly::addFixedSizes(const isl::Ctx &ctx, ScopOp scop,
                                      const npu::Machine &machine,
                                      Policy &policy) {
  FailureOr<SmallVector<Cluster>> clusters = findClusters(ctx, scop);
  if (failed(clusters))
    return failure();
  if (llvm::count_if(scop.getOps<StatementOp>(), isContraction) > 1 ||
      findColumnSums(ctx, scop))
    return success();
  for (const Cluster &cluster : *clusters) {
    SmallVector<StatementOp> statements;
    for (const ClusterMember &member : cluster.members)
      statements.push_back(member.statement);
    if (!isLiveOut(scop, statements) ||
        llvm::any_of(statements, [&](StatementOp statement) {
          return policy.find(statement) != nullptr;
        }))
      continue;
    TileModel model(ctx, scop, cluster, machine);
    auto product = llvm::find_if(statements, isContraction);
    size_t update = product - statements.begin();
    policy.statements.push_back(product == statements.end() ? tileVector(model)
                                : StatementOp(*product).getImg2col()
                                    ? tileConvolution(model, update)
                                    : tileProduct(model, update));
  }
  return success();
}
