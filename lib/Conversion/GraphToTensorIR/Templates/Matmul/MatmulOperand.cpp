// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulOperand.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

MatmulOperand::MatmulOperand(MatmulNest &nest, unsigned number)
    : nest(nest), number(number),
      transposed(number == 0 ? nest.op.getTransposeA()
                             : nest.op.getTransposeB()),
      packedK(Coord(0), nest.sizes.k) {}

//===----------------------------------------------------------------------===//
// Where it is read
//===----------------------------------------------------------------------===//

void MatmulOperand::allocate() {
  MatmulOp op = nest.op;
  Value value = op->getOperand(number);
  if (preOps.empty()) {
    buffer = nest.emitter.buffers.lookup(value);
    return;
  }
  auto type = cast<RankedTensorType>(value.getType());
  const BlockLoop &loop = getLoop();
  int64_t extent = ofBlock ? loop.block : loop.share * loop.block;
  int64_t kb = nest.params.getKB();
  int64_t reduced =
      nest.isSliced() ? nest.slice.share * kb + nest.kTail : nest.sizes.k;
  // The slice in the operand's own orientation, in the operand's blocks.
  int64_t row = transposed, column = 1 - row;
  SmallVector<int64_t> shape(2), outer, inner{row, column}, blocks;
  if (number == 0) {
    shape[row] = extent;
    shape[column] = reduced;
    outer = {row, column};
    blocks = {nest.params.getMB(), kb};
  } else {
    int64_t group = nest.types.packB;
    shape[row] = reduced;
    shape[column] = extent;
    outer = {column, row};
    blocks = {kb / group, nest.params.getNB()};
    if (group > 1) {
      inner.push_back(row);
      blocks.push_back(group);
    }
  }
  auto packed = RankedTensorType::get(
      shape, type.getElementType(),
      LayoutAttr::get(op.getContext(), outer, inner, blocks));
  buffer = nest.emitter.makeScratch(packed, /*perThread=*/true);
}

Value MatmulOperand::getSource() const {
  // A pre-op reads one tensor, or the first of several.
  return preOps.empty() ? nest.op->getOperand(number)
                        : preOps.front()->getOperand(0);
}

int64_t MatmulOperand::getRowDim() const {
  return buffer.type.getRank() - (transposed ? 1 : 2);
}

int64_t MatmulOperand::getColumnDim() const {
  return buffer.type.getRank() - (transposed ? 2 : 1);
}

SmallVector<Value> MatmulOperand::getIndices(const Coord &kBlock,
                                             const Coord &packedBlock,
                                             int64_t inBlock) const {
  const BlockLoop &loop = getLoop();
  Coord k = (buffer.isLocal ? packedBlock : kBlock) * nest.params.getKB() +
            Coord(inBlock);
  Coord start = !buffer.isLocal ? loop.start()
                : ofBlock       ? Coord(0)
                                : loop.local();
  return buffer.getIndices(
      nest.builder, nest.loc,
      number == 0 ? nest.getCoords(buffer.type, start, k, transposed)
                  : nest.getCoords(buffer.type, k, start, transposed));
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

LogicalResult MatmulOperand::addPreOp(Operation *inner, unsigned index) {
  preOps.push_back(inner);
  if (nest.isSliced() && index != 2)
    return inner->emitOpError("cannot be committed at pre-op anchor ")
           << index << " of slices of k, only at anchor 2";
  // Anchor 2 is before the single-core loops, 3 to 5 inside one to three.
  depth = index - 2;
  for (LoopDim dim : nest.params.getOrder().take_front(depth)) {
    ofBlock |= dim == (number == 0 ? LoopDim::m : LoopDim::n);
    if (dim == LoopDim::k && nest.chunks > 1)
      return inner->emitOpError("cannot be committed at pre-op anchor ")
             << index << " inside the loop over k";
  }
  return success();
}

void MatmulOperand::packAtDepth(unsigned current) {
  if (!preOps.empty() && depth == current)
    pack();
}

void MatmulOperand::packSlice() {
  if (preOps.empty())
    return;
  int64_t kb = nest.params.getKB();
  const BlockLoop &slice = nest.slice;
  nest.forShare(slice, [&](Value index) {
    Coord block(index, 1, slice.share);
    packedK = BoxDim((slice.first + block) * kb, kb, block * kb);
    pack();
  });
  nest.forRestOfSlices([&] {
    packedK =
        BoxDim(Coord(nest.kFull * kb), nest.kTail, nest.getRestBlock() * kb);
    pack();
  });
}

void MatmulOperand::pack() {
  BlockLoop &loop = getLoop();
  if (loop.isOpen())
    return packBlock();
  // All columns of B in one pass if one core has them all.
  if (number == 1 && nest.n.parts == 1)
    return packPass(packedK, BoxDim(Coord(0), nest.n.size));
  nest.open(loop, [&] { packBlock(); });
}

void MatmulOperand::packBlock() {
  BlockLoop &loop = getLoop();
  Coord local = ofBlock ? Coord(0) : loop.local();
  if (number == 1)
    return nest.forSize(loop, [&](int64_t columns) {
      packPass(packedK, BoxDim(loop.start(), columns, local));
    });
  BoxDim rows = nest.getRows(local);
  if (!transposed || !rows.size)
    return packPass(rows, packedK);
  // The last dimension of a pass is static: one case for the last block.
  nest.forSize(loop, [&](int64_t size) {
    packPass(BoxDim(rows.base, size, rows.local), packedK);
  });
}

void MatmulOperand::packPass(const BoxDim &row, const BoxDim &column) {
  Value value = nest.op->getOperand(number);
  auto type = cast<RankedTensorType>(value.getType());
  // The pass runs over the operand's own dimensions.
  SmallVector<BoxDim> box;
  SmallVector<Coord> at = nest.getCoords(type, Coord(0), Coord(0), false);
  for (const Coord &coord : ArrayRef(at).drop_back(2))
    box.push_back(BoxDim(coord, 1));
  box.append({transposed ? column : row, transposed ? row : column});
  if (failed(
          nest.emitter.emitPass(preOps, box, {{value, buffer}},
                                nest.emitter.getDims(AnchorKind::pre, number))))
    nest.status = failure();
}

} // namespace gc
