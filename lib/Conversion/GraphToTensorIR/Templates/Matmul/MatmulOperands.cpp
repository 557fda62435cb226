// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pre-ops of the matmul template: operands packed inside of its loops.

#include "MatmulEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

LogicalResult MatmulEmission::addPreOp(Operation *inner, unsigned index) {
  // RegionChecks has seen to it that one use leads to the next.
  OpOperand *use = &*inner->use_begin();
  while (use->getOwner() != op.getOperation())
    use = &*use->getOwner()->use_begin();
  unsigned operand = use->getOperandNumber();
  PreOp &preOp = preOps[operand];
  preOp.ops.push_back(inner);
  // Anchor 2 is before the single-core loops, 3 to 5 inside one to three.
  preOp.depth = index - 2;
  for (LoopDim dim : params.getOrder().take_front(preOp.depth)) {
    preOp.ofBlock |= dim == (operand == 0 ? LoopDim::m : LoopDim::n);
    if (dim == LoopDim::k && chunks > 1)
      return inner->emitOpError("cannot be committed at pre-op anchor ")
             << index << " inside the loop over k";
  }
  return success();
}

Buffer MatmulEmission::makeOperand(unsigned operand) {
  const PreOp &preOp = preOps[operand];
  Value value = op->getOperand(operand);
  if (preOp.ops.empty())
    return emitter.buffers.lookup(value);
  auto type = cast<RankedTensorType>(value.getType());
  const Dim &dim = operand == 0 ? m : n;
  int64_t extent = preOp.ofBlock ? dim.block : dim.share * dim.block;
  // The slice in the operand's own orientation, in the operand's blocks.
  bool transposed = operand == 0 ? op.getTransposeA() : op.getTransposeB();
  int64_t row = transposed, column = 1 - row;
  SmallVector<int64_t> shape(2), outer, blocks;
  if (operand == 0) {
    shape[row] = extent;
    shape[column] = sizes.k;
    outer = {row, column};
    blocks = {params.getMB(), params.getKB()};
  } else {
    shape[row] = sizes.k;
    shape[column] = extent;
    outer = {column, row};
    blocks = {params.getKB(), params.getNB()};
  }
  auto slice = RankedTensorType::get(
      shape, type.getElementType(),
      LayoutAttr::get(op.getContext(), outer, {row, column}, blocks));
  return emitter.makeScratch(slice, /*perThread=*/true);
}

void MatmulEmission::emitPreOp(unsigned operand) {
  Dim &dim = operand == 0 ? m : n;
  if (dim.isOpen())
    return emitPreOpBlock(operand);
  // All columns of B in one pass where one core has them all.
  if (operand == 1 && n.parts == 1)
    return emitPreOpPass(operand, BoxDim(Coord(0), sizes.k),
                         BoxDim(Coord(0), n.size));
  openLoop(dim, [&] { emitPreOpBlock(operand); });
}

void MatmulEmission::emitPreOpBlock(unsigned operand) {
  Coord local;
  if (operand == 1) {
    if (!preOps[1].ofBlock)
      local = Coord(n.index, n.block, n.share);
    return forSize(n, [&](int64_t columns) {
      emitPreOpPass(operand, BoxDim(Coord(0), sizes.k),
                    BoxDim(n.start(), columns, local));
    });
  }
  if (!preOps[0].ofBlock)
    local = Coord(m.index, m.block, m.share);
  BoxDim rows = getRows(local), columns(Coord(0), sizes.k);
  if (!op.getTransposeA() || !rows.size)
    return emitPreOpPass(operand, rows, columns);
  // The last dimension of a pass is static: one case for the last block.
  forSize(m, [&](int64_t size) {
    emitPreOpPass(operand, BoxDim(rows.base, size, rows.local), columns);
  });
}

void MatmulEmission::emitPreOpPass(unsigned operand, const BoxDim &row,
                                   const BoxDim &column) {
  Value value = op->getOperand(operand);
  auto type = cast<RankedTensorType>(value.getType());
  // The pass runs over the operand's own dimensions.
  SmallVector<BoxDim> box;
  SmallVector<Coord> at =
      getOperandCoords(Buffer{Value(), type}, Coord(0), Coord(0), false);
  for (const Coord &coord : ArrayRef(at).drop_back(2))
    box.push_back(BoxDim(coord, 1));
  bool transposed = operand == 0 ? op.getTransposeA() : op.getTransposeB();
  box.append({transposed ? column : row, transposed ? row : column});
  const Buffer &slice = operand == 0 ? a : b;
  if (failed(emitter.emitPass(preOps[operand].ops, box, {{value, slice}})))
    status = failure();
}

} // namespace gc
