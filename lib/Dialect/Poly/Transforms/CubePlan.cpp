// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the nest of a contraction consists of, and which buffers it takes.

#include "CubeNest.h"
#include "Dialect/Poly/Transforms/CubeSizes.h"
#include "TileViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

isl::Set CubeNest::getCounters(const LeafPlan &leaf, unsigned depth) const {
  isl::Set own(isl_map_domain(leaf.node->instances.copy()));
  unsigned dims = isl_set_dim(own.get(), isl_dim_set);
  return isl::Set(
      isl_set_project_out(own.take(), isl_dim_set, depth, dims - depth));
}

isl::Set CubeNest::getStepCounters() const {
  unsigned depth = outer + sumLoops.size();
  isl::Set result = getCounters(*sums, depth);
  if (sumLoops.size() != 2)
    return result;
  std::optional<int64_t> last = getLargest(result, depth - 1);
  if (last && *last < slice / step)
    return result;
  // Steps that are counted through all slices.
  isl::Space space(isl_set_get_space(result.get()));
  isl::MultiAff within(isl_multi_aff_identity_on_domain_space(space.take()));
  isl::Aff count(isl_multi_aff_get_at(within.get(), depth - 1));
  count = isl::Aff(isl_aff_add_coefficient_si(count.take(), isl_dim_in, outer,
                                              -int(slice / step)));
  within = isl::MultiAff(
      isl_multi_aff_set_at(within.take(), depth - 1, count.take()));
  isl::Map map(isl_map_from_multi_aff(within.take()));
  return isl::Set(isl_set_apply(result.take(), map.take()));
}

isl::Set CubeNest::getPartCounters() const {
  isl::Set result = getCounters(posts.empty() ? *sums : *posts.front(), outer);
  if (parts == 1)
    return result;
  result = isl::Set(isl_set_add_dims(result.take(), isl_dim_set, 1));
  result =
      isl::Set(isl_set_lower_bound_si(result.take(), isl_dim_set, outer, 0));
  return isl::Set(
      isl_set_upper_bound_si(result.take(), isl_dim_set, outer, parts - 1));
}

/// The boxes of what a leaf's instances touch, by the first `depth` counters.
static FailureOr<Box> getBoxAt(const isl::Ctx &ctx, const LeafPlan &leaf,
                               unsigned depth, isl::Map access) {
  isl::Map own = leaf.node->instances.clone();
  unsigned dims = isl_map_dim(own.get(), isl_dim_in);
  own = isl::Map(
      isl_map_project_out(own.take(), isl_dim_in, depth, dims - depth));
  if (access)
    own = isl::Map(isl_map_apply_range(own.take(), access.take()));
  StatementOp statement = leaf.getStatement();
  return getBox(
      ctx, own, [&] { return statement.emitOpError(); },
      "a slice of an operand");
}

LogicalResult CubeNest::analyseOperand(CubeOperand &operand, unsigned read,
                                       int dim) {
  operand.read = read;
  auto name = cast<FlatSymbolRefAttr>(getStatement().getReadArrays()[read]);
  operand.array = findArray(program.scop, name.getValue());
  const Projection &access = sums->reads[read];
  operand.hasRows = false;
  bool hasSum = false;
  for (auto [number, own] : llvm::enumerate(access.dims)) {
    if (own == sumDim) {
      operand.sumDim = number;
      hasSum = true;
    } else if (own >= 0 && own == dim) {
      operand.rowDim = number;
      operand.hasRows = true;
    } else if (sums->readBoxes[read].sizes[number] != 1) {
      return emitError() << "multiplies @" << name.getValue() << " with "
                         << sums->readBoxes[read].sizes[number]
                         << " elements of a tile in dimension " << number
                         << ", which are neither rows nor terms of a sum";
    }
  }
  unsigned rank = access.dims.size();
  unsigned last = operand.hasRows ? std::max(operand.rowDim, operand.sumDim)
                                  : operand.sumDim;
  if (!hasSum || last + 1 != rank)
    return emitError() << "multiplies @" << name.getValue()
                       << ", whose last dimension is neither rows nor terms of "
                          "a sum";
  unsigned depth = outer + (sumLoops.empty() ? 0 : 1);
  FailureOr<Box> box = getBoxAt(program.ctx, *sums, depth,
                                getRead(program.ctx, getStatement(), read));
  if (failed(box))
    return failure();
  operand.slice = *box;
  operand.rows = operand.hasRows ? box->sizes[operand.rowDim] : 1;
  operand.padded = llvm::alignTo(operand.rows, 16);
  return analyseProducers(operand);
}

LogicalResult CubeNest::analyseSum() {
  auto largest = getLargest(getDomain(program.ctx, getStatement()), sumDim);
  if (!largest)
    return emitError() << "adds up an unknown number of terms";
  terms = *largest + 1;
  auto getSize = [&](unsigned depth) -> int64_t {
    FailureOr<Box> box = getBoxAt(program.ctx, *sums, depth, isl::Map());
    return succeeded(box) ? box->sizes[sumDim] : -1;
  };
  step = getSize(outer + sumLoops.size());
  slice = getSize(outer + std::min<size_t>(sumLoops.size(), 1));
  if (step < 0 || slice < 0)
    return failure();
  if (!sumLoops.empty())
    slices = plan.loops.find(sumLoops[0])->second.count;
  int64_t size = slice;
  step = llvm::alignTo(step, c0);
  slice = llvm::alignTo(slice, step);
  CubeSizes sizes;
  sizes.terms = terms;
  sizes.fractal = c0;
  if (!sizes.canDivide(size, step))
    return emitError() << "adds up in slices of " << size << " and steps of "
                       << step << " terms; steps must divide slices";
  return success();
}

/// Number of loops around what the cube unit does in a tile.
static unsigned getCubeDepth(TileNode *node) {
  for (TileNode *up = node; up; up = up->parent)
    if (llvm::is_contained(up->marks, "cube"))
      return up->depth;
  return node->depth;
}

LogicalResult CubeNest::decide() {
  FailureOr<npu::Machine> found = npu::getMachine(program.scop);
  if (failed(found))
    return failure();
  machine = *found;
  // Nests of several are a ChainNest's.
  for (auto &leaf : plan.leaves)
    if (isContraction(leaf->getStatement()))
      sums = leaf.get();
  StringRef written = getStatement().getWrittenArray();
  bool isBefore = true;
  for (auto &leaf : plan.leaves) {
    StatementOp statement = leaf->getStatement();
    if (leaf.get() == sums) {
      isBefore = false;
      continue;
    }
    if (leaf->isProducer)
      continue;
    if (!isBefore) {
      posts.push_back(leaf.get());
      continue;
    }
    auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
    auto zero = yield.getValue().getDefiningOp<arith::ConstantOp>();
    bool isZero =
        zero &&
        (isa<FloatAttr>(zero.getValue())
             ? cast<FloatAttr>(zero.getValue()).getValue().isPosZero()
             : isa<IntegerAttr>(zero.getValue()) &&
                   cast<IntegerAttr>(zero.getValue()).getValue().isZero());
    if (statement.getWrittenArray() != written || !isZero)
      return statement.emitOpError(
          "is computed before a contraction in the same nest, which is only "
          "supported for the zeros that its sums begin with, and for what "
          "computes its factors");
  }
  ArrayOp acc = findArray(program.scop, written);
  if (posts.empty() && !acc.getOutputAttr())
    return emitError() << "has sums that no statement of the nest takes from "
                          "L0C";

  // Rows and columns are the last dimensions of the sums.
  const Projection &write = sums->write;
  if (write.dims.empty() || write.dims.back() < 0)
    return emitError() << "has sums without columns";
  columnDim = write.dims.back();
  if (write.dims.size() > 1)
    rowDim = write.dims[write.dims.size() - 2];
  for (auto [dim, size] : llvm::enumerate(sums->box.sizes)) {
    if (int(dim) == rowDim || int(dim) == columnDim)
      continue;
    if (!llvm::is_contained(write.dims, int(dim))) {
      if (sumDim >= 0)
        return emitError() << "adds up along more than one dimension";
      sumDim = dim;
    } else if (getStatement().getImg2col() && write.dims.size() == 3 &&
               int(dim) == write.dims[0]) {
      imageDim = dim;
      images = size;
    } else if (size != 1) {
      return emitError() << "has tiles of " << size
                         << " iterations in dimension " << dim
                         << ", which is neither rows nor columns; it must be 1";
    }
  }
  if (sumDim < 0)
    return emitError() << "has no dimension that it adds up along";

  SmallVector<TileNode *> loops = getLoops(sums->node);
  const Linear &offset = sums->box.offsets[sumDim];
  for (auto [number, loop] : llvm::enumerate(loops)) {
    bool isOuter =
        posts.empty() ? number < getCubeDepth(sums->node)
                      : llvm::is_contained(getLoops(posts.front()->node), loop);
    if (isOuter && offset.getFactor(number) != 0)
      return emitError() << "is divided along its sum by a loop around the "
                            "statements that follow";
    if (isOuter)
      ++outer;
    else
      sumLoops.push_back(loop);
  }
  if (sumLoops.size() > 2)
    return emitError() << "has " << sumLoops.size()
                       << " loops over slices; two are supported";
  for (LeafPlan *post : posts)
    if (getLoops(post->node) != ArrayRef(loops).take_front(outer))
      return post->getStatement().emitOpError(
          "is not in the loops around the contraction that it follows");

  // The operands: one has the rows, the other the columns.
  SmallVector<unsigned> factors;
  for (unsigned i = 0; i < sums->reads.size(); ++i)
    if (cast<FlatSymbolRefAttr>(getStatement().getReadArrays()[i]).getValue() !=
        written)
      factors.push_back(i);
  if (factors.size() != 2)
    return emitError() << "multiplies " << factors.size() << " arrays, not 2";
  bool isConvolution = getStatement().getImg2col().has_value();
  if (!isConvolution &&
      !llvm::is_contained(sums->reads[factors[1]].dims, columnDim))
    std::swap(factors[0], factors[1]);
  if (llvm::is_contained(sums->reads[factors[0]].dims, columnDim))
    return emitError() << "has columns in both operands";
  Type element =
      findArray(program.scop, cast<FlatSymbolRefAttr>(
                                  getStatement().getReadArrays()[factors[0]])
                                  .getValue())
          .getTensorType()
          .getElementType();
  if (!element.isF16() && !element.isInteger(8))
    return emitError() << "multiplies " << element
                       << "; the cube unit multiplies f16 and i8";
  c0 = element.isF16() ? 16 : 32;
  if (failed(analyseSum()))
    return failure();
  if (isConvolution ? failed(analyseConvolution())
                    : (failed(analyseOperand(rows, factors[0], rowDim)) ||
                       failed(analyseOperand(columns, factors[1], columnDim))))
    return failure();
  if (!isConvolution && failed(choosePanel()))
    return failure();
  hasTwoSums = 2 * rows.padded * columns.padded * 4 <= machine.l0cBytes;
  findConversion();
  if (failed(chooseParts()) || failed(chooseSkew()))
    return failure();
  partRows = rows.rows / (images > 1 ? 1 : parts);
  partPadded = rows.padded / parts;
  if (failed(chooseChunks(rows, 0)) || failed(chooseChunks(columns, 1)))
    return failure();
  addBuffers();
  if (failed(addPartBuffers()))
    return failure();
  for (CubeOperand *operand : {&rows, &columns})
    limitSlots(*operand);
  return success();
}

void CubeNest::addBuffers() {
  Type element = rows.array.getTensorType().getElementType();
  auto add = [&](StringRef suffix, ArrayOp array, ArrayRef<int64_t> shape,
                 Type type, npu::MemorySpace space) {
    return program.addBuffer((array.getSymName() + suffix).str(), array,
                             getBufferType(shape, type, space));
  };
  for (CubeOperand *operand : {&rows, &columns}) {
    SmallVector<int64_t> shape{slice / c0, operand->padded, c0};
    if (operand->isPanel && !image && operand->resident < slices)
      operand->stream =
          add("_stream", operand->array, shape, element, npu::MemorySpace::l1);
    if (operand->isPanel)
      shape.insert(shape.begin(),
                   image ? slices * columnTiles : operand->resident);
    if (image && operand == &rows)
      shape = {images, image->blocks, image->rows, image->width, c0};
    operand->l1 =
        add("_l1", operand->array, shape, element, npu::MemorySpace::l1);
    addProducerBuffers(*operand);
  }
  rows.l0 = add("_l0a", rows.array, {rows.padded / 16, step / c0, 16, c0},
                element, npu::MemorySpace::l0a);
  columns.l0 =
      add("_l0b", columns.array, {step / c0, columns.padded / 16, 16, c0},
          element, npu::MemorySpace::l0b);
  ArrayOp acc = findArray(program.scop, getStatement().getWrittenArray());
  SmallVector<int64_t> shape{columns.padded / 16, rows.padded / 16, 16, 16};
  if (isSkewed)
    shape.insert(shape.begin(), 2);
  l0c = add("_l0c", acc, shape, acc.getTensorType().getElementType(),
            npu::MemorySpace::l0c);
}
