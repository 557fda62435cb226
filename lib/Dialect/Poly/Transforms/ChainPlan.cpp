// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a nest of two contractions consists of, and which buffers it takes.

#include "ChainNest.h"
#include "TileViews.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static StringRef getReadName(StatementOp statement, unsigned number) {
  return cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]).getValue();
}

static Value getYielded(StatementOp statement) {
  return cast<YieldOp>(statement.getBody().front().getTerminator()).getValue();
}

/// The only array that the statement reads and converts; empty for others.
template <typename Cast>
static StringRef getConverted(StatementOp statement) {
  auto cast = getYielded(statement).getDefiningOp<Cast>();
  if (!cast || !isa<BlockArgument>(cast.getIn()) ||
      statement.getReadArrays().size() != 1)
    return StringRef();
  return getReadName(statement, 0);
}

LogicalResult ChainNest::analyseProduct(ChainProduct &product) {
  StatementOp statement = product.getStatement();
  const LeafPlan &sums = *product.sums;
  ArrayRef<int> written = sums.write.dims;
  if (written.size() < 2 || written.back() < 0 ||
      written[written.size() - 2] < 0)
    return statement.emitOpError("has sums without rows or columns in a nest "
                                 "of two contractions");
  product.columnDim = written.back();
  product.rowDim = written[written.size() - 2];
  for (auto [dim, size] : llvm::enumerate(sums.box.sizes)) {
    if (int(dim) == product.rowDim || int(dim) == product.columnDim)
      continue;
    if (!llvm::is_contained(written, int(dim))) {
      if (product.termDim >= 0)
        return statement.emitOpError("adds up along more than one dimension");
      product.termDim = dim;
    } else if (size != 1) {
      return statement.emitOpError("has blocks of ")
             << size << " iterations in dimension " << dim
             << ", which is neither rows nor columns; it must be 1";
    }
  }
  if (product.termDim < 0)
    return statement.emitOpError("has no dimension that it adds up along");
  product.columns = sums.box.sizes[product.columnDim];
  product.terms = sums.box.sizes[product.termDim];
  product.paddedColumns = llvm::alignTo(product.columns, 16);
  product.paddedTerms = llvm::alignTo(product.terms, 16);
  bool hasLeft = false, hasRight = false;
  for (unsigned i = 0; i < sums.reads.size(); ++i) {
    if (getReadName(statement, i) == statement.getWrittenArray())
      continue;
    ArrayRef<int> dims = sums.reads[i].dims;
    bool hasRows = llvm::is_contained(dims, product.rowDim);
    bool hasColumns = llvm::is_contained(dims, product.columnDim);
    if (hasRows == hasColumns || !llvm::is_contained(dims, product.termDim))
      return statement.emitOpError("multiplies @")
             << getReadName(statement, i)
             << ", which has not either rows or columns and terms";
    ArrayOp array = findArray(program.scop, getReadName(statement, i));
    if (!array.getTensorType().getElementType().isF16())
      return statement.emitOpError("multiplies ")
             << array.getTensorType().getElementType()
             << " in a nest of two contractions, which takes f16";
    (hasRows ? product.left : product.right) = i;
    (hasRows ? product.leftArray : product.rightArray) = array;
    (hasRows ? hasLeft : hasRight) = true;
  }
  if (!hasLeft || !hasRight)
    return statement.emitOpError("multiplies arrays that are not one of rows "
                                 "and one of columns");
  if (product.rightArray.isTemporary())
    return statement.emitOpError("multiplies @")
           << product.rightArray.getSymName()
           << ", which is computed on the core, as its columns";
  return success();
}

LogicalResult ChainNest::analyseLeaves() {
  for (auto &leaf : plan.leaves) {
    if (!isContraction(leaf->getStatement()))
      continue;
    if (second.sums)
      return leaf->getStatement().emitOpError(
          "is the third contraction of a nest; two are supported");
    (first.sums ? second : first).sums = leaf.get();
  }
  if (failed(analyseProduct(first)) || failed(analyseProduct(second)))
    return failure();
  if (!second.leftArray.isTemporary())
    return second.getStatement().emitOpError(
        "multiplies nothing that its nest computes");
  segments.emplace_back();
  int place = 0;
  for (auto &leaf : plan.leaves) {
    StatementOp statement = leaf->getStatement();
    if (leaf.get() == first.sums || leaf.get() == second.sums) {
      ++place;
      continue;
    }
    // Initialisations: products and reductions begin with them anyway.
    if (statement.getReadArrays().empty())
      continue;
    if (place == 0 && !prologue &&
        statement.getWrittenArray() == first.leftArray.getSymName()) {
      prologue = leaf.get();
      continue;
    }
    if (place == 0)
      return statement.emitOpError("is computed before the contractions of "
                                   "its nest, and is not the rows that the "
                                   "first one multiplies");
    if (place == 2) {
      posts.push_back(leaf.get());
      continue;
    }
    if (getConverted<arith::TruncFOp>(statement) ==
            first.getStatement().getWrittenArray() &&
        leaf->reads[0].dims == leaf->write.dims && !conversion) {
      conversion = leaf.get();
      continue;
    }
    if (isUpdate(statement)) {
      if (failed(analyseReduction(*leaf)))
        return failure();
      continue;
    }
    segments.back().statements.push_back(leaf.get());
  }
  if (first.leftArray.isTemporary() && failed(analysePrologue()))
    return failure();
  if (!conversion)
    return first.getStatement().emitOpError(
        "has sums that no statement converts to f16 before others use them");
  return success();
}

/// Whether the statement only multiplies an array by a constant.
static bool isScaled(StatementOp statement) {
  Value value = getYielded(statement);
  if (auto narrow = value.getDefiningOp<arith::TruncFOp>())
    value = narrow.getIn();
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && (matchPattern(product.getLhs(), m_Constant()) ||
                     matchPattern(product.getRhs(), m_Constant()));
}

LogicalResult ChainNest::analysePrologue() {
  if (!prologue)
    return first.getStatement().emitOpError("multiplies @")
           << first.leftArray.getSymName()
           << ", which several statements of its nest compute";
  StatementOp statement = prologue->getStatement();
  ArrayRef<int> written = prologue->write.dims;
  if (written.size() < 2 || llvm::is_contained(written.take_back(2), -1))
    return statement.emitOpError("computes rows or terms of the first of two "
                                 "contractions one by one");
  // Terms that are padded have to stay zero, or at least finite.
  if (first.terms % 16 != 0 && !isScaled(statement))
    return statement.emitOpError("computes ")
           << first.terms
           << " terms of the first of two contractions, which are a multiple "
              "of 16 unless it only multiplies by a constant";
  for (unsigned i = 0; i < prologue->reads.size(); ++i) {
    ArrayOp array = findArray(program.scop, getReadName(statement, i));
    if (array.isTemporary() || !array.getTensorType().getElementType().isF16())
      return statement.emitOpError("reads @")
             << array.getSymName()
             << ", which is not f16 in global memory, before two contractions";
    ArrayRef<int> dims = prologue->reads[i].dims;
    auto row = llvm::find(dims, written[written.size() - 2]);
    auto term = llvm::find(dims, written.back());
    if (row == dims.end() || term == dims.end() || term < row)
      return statement.emitOpError("reads @")
             << array.getSymName()
             << " in another way than by rows and terms, before two "
                "contractions";
    for (auto [dim, iteration] : llvm::enumerate(dims))
      if (prologue->readBoxes[i].sizes[dim] != 1 &&
          iteration != written[written.size() - 2] &&
          iteration != written.back())
        return statement.emitOpError("reads @")
               << array.getSymName()
               << " in more dimensions than rows and terms, before two "
                  "contractions";
  }
  return success();
}

LogicalResult ChainNest::analyseReduction(LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  std::optional<Reduction> reduction = getReduction(statement);
  if (!reduction)
    return statement.emitOpError("writes fewer dimensions than it has, but is "
                                 "not a sum, maximum or minimum");
  bool isInitialised = llvm::any_of(plan.leaves, [&](auto &other) {
    StatementOp init = other->getStatement();
    if (!init.getReadArrays().empty() ||
        init.getWrittenArray() != statement.getWrittenArray())
      return false;
    auto constant = getYielded(init).getDefiningOp<arith::ConstantOp>();
    auto value =
        constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
    if (!value)
      return false;
    if (reduction->kind == npu::ReduceKind::sum)
      return value.getValue().isZero();
    return (value.getValue().isInfinity() || value.getValue().isLargest()) &&
           value.getValue().isNegative() ==
               (reduction->kind == npu::ReduceKind::max);
  });
  if (!isInitialised)
    return statement.emitOpError("reduces with something else than the neutral "
                                 "element to begin with");
  if (reduction->kind == npu::ReduceKind::sum) {
    if (rowSums)
      return statement.emitOpError("is the second sum of rows in a nest of two "
                                   "contractions");
    rowSums = &leaf;
    return success();
  }
  auto argument = dyn_cast<BlockArgument>(reduction->value);
  if (!argument || !argument.getType().isF16())
    return statement.emitOpError("reduces something else than an array of f16 "
                                 "in a nest of two contractions");
  segments.back().reduction = &leaf;
  segments.emplace_back();
  return success();
}

/// Whether the statement only widens the left factor for the sums of its rows.
bool ChainNest::isPartOfOnes(const LeafPlan &leaf) const {
  StatementOp statement = leaf.getStatement();
  ArrayOp factor = second.leftArray;
  return rowSums &&
         getConverted<arith::ExtFOp>(statement) == factor.getSymName() &&
         llvm::any_of(rowSums->getStatement()
                          .getReadArrays()
                          .template getAsRange<FlatSymbolRefAttr>(),
                      [&](FlatSymbolRefAttr read) {
                        return read.getValue() == statement.getWrittenArray();
                      });
}

LogicalResult ChainNest::analyseLoops() {
  loops = getLoops(second.sums->node);
  for (auto &leaf : plan.leaves)
    if (getLoops(leaf->node) != loops)
      return leaf->getStatement().emitOpError(
          "is not in the loops around the second contraction of its nest");
  rows = first.sums->box.sizes[first.rowDim];
  if (rows != second.sums->box.sizes[second.rowDim])
    return second.getStatement().emitOpError("has blocks of other rows than "
                                             "the first contraction");
  paddedRows = llvm::alignTo(rows, 16);
  bands = paddedRows / 16;
  std::optional<unsigned> rowLoop;
  auto getCount = [&](unsigned loop) {
    return plan.loops.find(loops[loop])->second.count;
  };
  const Linear &offset = first.sums->box.offsets[first.rowDim];
  for (unsigned loop = 0; loop < loops.size(); ++loop) {
    blocks *= getCount(loop);
    if (offset.getFactor(loop) != 0)
      rowLoop = loop;
    else if (rowLoop && getCount(loop) > 1)
      return first.getStatement().emitOpError(
          "has loops within those over blocks of rows");
  }
  if (rowLoop)
    panelBlocks = getCount(*rowLoop);
  for (ChainProduct *product : {&first, &second})
    for (const Linear &offset :
         product->sums->readBoxes[product->right].offsets)
      if (rowLoop && offset.getFactor(*rowLoop) != 0)
        return product->getStatement().emitOpError("multiplies other columns "
                                                   "for each block of rows");
  // All terms of the second are columns of the first.
  auto largest =
      getLargest(getDomain(program.ctx, second.getStatement()), second.termDim);
  if (!largest || *largest + 1 != second.terms || second.terms != first.columns)
    return second.getStatement().emitOpError(
        "does not add up all columns of the first contraction in a block");
  if (first.columns % 16 != 0)
    return second.getStatement().emitOpError("adds up ")
           << first.columns
           << " terms in a nest of two contractions, which "
              "takes a multiple of 16";
  return success();
}

LogicalResult ChainNest::addArray(const LeafPlan &leaf, StringRef name,
                                  const Projection &access, const Box &box) {
  StatementOp statement = leaf.getStatement();
  ChainArray own;
  own.box = box;
  ArrayRef<int> written = leaf.write.dims;
  for (auto [dim, iteration] : llvm::enumerate(access.dims)) {
    if (iteration >= 0 && written.size() > 1 &&
        iteration == written[written.size() - 2]) {
      own.hasRows = true;
      own.rowDim = dim;
    } else if (iteration >= 0 && iteration == written.back()) {
      own.hasColumns = true;
      own.columnDim = dim;
    } else if (box.sizes[dim] != 1) {
      return statement.emitOpError("uses ")
             << box.sizes[dim] << " elements of @" << name << " in dimension "
             << dim << ", which is neither rows nor columns";
    }
  }
  if (own.hasRows && own.hasColumns && own.rowDim > own.columnDim)
    return statement.emitOpError("uses @")
           << name << " transposed in a nest of two contractions";
  ArrayOp array = findArray(program.scop, name);
  own.isLoaded = !array.isTemporary();
  if (own.isLoaded && !array.getTensorType().getElementType().isF16())
    return statement.emitOpError("reads @")
           << name << " of " << array.getTensorType().getElementType()
           << " in a nest of two contractions, which takes f16";
  if (own.isLoaded && !own.hasColumns)
    return statement.emitOpError("reads @")
           << name << ", which has no columns, in a nest of two contractions";
  auto [it, isNew] = arrays.try_emplace(name, own);
  if (!isNew && (it->second.hasRows != own.hasRows ||
                 it->second.hasColumns != own.hasColumns))
    return statement.emitOpError("uses @")
           << name << " in another way than the statements before it";
  return success();
}

LogicalResult ChainNest::analyseArrays() {
  StringRef converted = conversion->getStatement().getWrittenArray();
  if (failed(addArray(*conversion, converted, conversion->write,
                      conversion->writeBox)))
    return failure();
  for (Segment &segment : segments) {
    llvm::erase_if(segment.statements,
                   [&](LeafPlan *leaf) { return isPartOfOnes(*leaf); });
    for (LeafPlan *leaf : segment.statements) {
      StatementOp statement = leaf->getStatement();
      for (unsigned i = 0; i < leaf->reads.size(); ++i) {
        StringRef name = getReadName(statement, i);
        if (name == first.getStatement().getWrittenArray() ||
            (rowSums && name == rowSums->getStatement().getWrittenArray()))
          return statement.emitOpError("reads @")
                 << name
                 << ", which only has a value after the products of its block";
        if (failed(addArray(*leaf, name, leaf->reads[i], leaf->readBoxes[i])))
          return failure();
      }
      if (failed(addArray(*leaf, statement.getWrittenArray(), leaf->write,
                          leaf->writeBox)))
        return failure();
      ChainArray &own = arrays[statement.getWrittenArray()];
      ArrayOp array = findArray(program.scop, statement.getWrittenArray());
      if (!own.hasRows || !own.hasColumns || !array.isTemporary() ||
          !array.getTensorType().getElementType().isF16())
        return statement.emitOpError("writes @")
               << statement.getWrittenArray()
               << ", which is not a temporary matrix of f16, between two "
                  "contractions";
    }
  }
  // The sums of rows are those of the left factor, in f16 or widened.
  if (rowSums) {
    StatementOp statement = rowSums->getStatement();
    std::optional<Reduction> reduction = getReduction(statement);
    Value value = reduction->value;
    if (auto extend = value.getDefiningOp<arith::ExtFOp>())
      value = extend.getIn();
    auto argument = dyn_cast<BlockArgument>(value);
    StringRef source =
        argument ? getReadName(statement, argument.getArgNumber()) : "";
    bool isWidened = llvm::any_of(plan.leaves, [&](auto &leaf) {
      return leaf->getStatement().getWrittenArray() == source &&
             isPartOfOnes(*leaf);
    });
    ArrayOp factor = second.leftArray;
    if (source != factor.getSymName() && !isWidened)
      return statement.emitOpError("adds up something else than the left "
                                   "factor of the second contraction");
  }
  if (!arrays.count(ArrayOp(second.leftArray).getSymName()))
    return second.getStatement().emitOpError("multiplies @")
           << second.leftArray.getSymName()
           << ", which no statement between the contractions writes";
  for (LeafPlan *post : posts)
    for (unsigned i = 0; i < post->reads.size(); ++i) {
      StringRef name = getReadName(post->getStatement(), i);
      bool isKnown =
          name == second.getStatement().getWrittenArray() ||
          (rowSums && name == rowSums->getStatement().getWrittenArray()) ||
          llvm::any_of(posts, [&](LeafPlan *other) {
            return other->getStatement().getWrittenArray() == name;
          });
      if (!isKnown)
        return post->getStatement().emitOpError("reads @")
               << name
               << " after two contractions, which is neither their "
                  "result nor the sum of rows";
    }
  if (posts.empty() ||
      !findArray(program.scop, posts.back()->getStatement().getWrittenArray())
           .getOutputAttr())
    return second.getStatement().emitOpError(
        "has a result that no statement converts to an output");
  return success();
}

LogicalResult ChainNest::decide() {
  if (failed(analyseLeaves()) || failed(analyseLoops()) ||
      failed(analyseArrays()) || failed(chooseSteps()))
    return failure();
  addBuffers();
  return success();
}
