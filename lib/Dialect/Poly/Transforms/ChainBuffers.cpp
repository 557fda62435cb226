// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps and buffers of a nest of two contractions.

#include "ChainNest.h"
#include "TileViews.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static StringRef getReadName(StatementOp statement, unsigned number) {
  return cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]).getValue();
}

LogicalResult ChainNest::chooseSteps() {
  FailureOr<npu::Machine> machine = npu::getMachine(program.scop);
  if (failed(machine))
    return failure();
  // The largest multiple of 16 that divides the size.
  auto getStep = [](int64_t size, int64_t most) {
    int64_t step = 16;
    for (int64_t next = 16; next <= std::min(size, most); next += 16)
      if (size % next == 0)
        step = next;
    return step;
  };
  // Two steps of each product at a time.
  int64_t room = machine->l0bBytes / 4 / 2;
  columnStep = getStep(first.paddedColumns, room / first.paddedTerms);
  termStep = getStep(first.paddedColumns,
                     room / (second.paddedColumns + (rowSums ? 16 : 0)));
  vectorStep = columnStep;
  // The second product of a block comes two iterations after the first one, its
  // result another one later. A panel that takes the place of another one comes
  // after the last product with that, and early enough.
  int64_t width = second.paddedColumns;
  int64_t panel = first.paddedColumns * (first.paddedTerms + width) * 2;
  int64_t others =
      2 * paddedRows * (first.paddedTerms + first.paddedColumns) * 2 +
      (rowSums ? first.paddedColumns * 32 : 0);
  panelDelay =
      blocks > panelBlocks && panelBlocks >= 12 ? -panelBlocks * 3 / 4 : 0;
  panelSlots = blocks == panelBlocks ? 1 : (2 - panelDelay) / panelBlocks + 2;
  // Several steps in each half, so that all of them are in loops.
  isSkewed = blocks > 1 && first.paddedColumns > columnStep &&
             first.paddedColumns > 2 * termStep &&
             panelSlots * panel + others <= machine->l1Bytes;
  if (!isSkewed) {
    panelDelay = 0;
    panelSlots =
        blocks > panelBlocks && 2 * panel + others <= machine->l1Bytes ? 2 : 1;
  }
  return success();
}

void ChainNest::addBuffers() {
  auto f16 = Float16Type::get(program.scop.getContext());
  auto f32 = Float32Type::get(program.scop.getContext());
  auto add = [&](StringRef name, ArrayOp array, ArrayRef<int64_t> shape,
                 Type element, npu::MemorySpace space) {
    return program.addBuffer((array.getSymName() + name).str(), array,
                             getBufferType(shape, element, space));
  };
  int64_t columns = first.paddedColumns, fractals = paddedRows / 16;
  int64_t width = second.paddedColumns / 16 + (rowSums ? 1 : 0);
  leftL1 =
      add("_l1", first.leftArray, {2, first.paddedTerms / 16, paddedRows, 16},
          f16, npu::MemorySpace::l1);
  leftL0 = add("_l0a", first.leftArray,
               {2, fractals, first.paddedTerms / 16, 16, 16}, f16,
               npu::MemorySpace::l0a);
  panels[0] = add("_l1", first.rightArray,
                  {panelSlots, first.paddedTerms / 16, columns, 16}, f16,
                  npu::MemorySpace::l1);
  panels[1] = add("_l1", second.rightArray,
                  {panelSlots, columns / 16, second.paddedColumns, 16}, f16,
                  npu::MemorySpace::l1);
  if (rowSums)
    ones = add("_ones", second.leftArray, {columns / 16, 16, 16}, f16,
               npu::MemorySpace::l1);
  rightL0 = add("_l0b", first.rightArray,
                {first.paddedTerms / 16, columnStep / 16, 16, 16}, f16,
                npu::MemorySpace::l0b);
  ArrayOp acc = findArray(program.scop, first.getStatement().getWrittenArray());
  sumsL0c = add("_l0c", acc, {columns / 16, fractals, 16, 16}, f32,
                npu::MemorySpace::l0c);
  operandL1 = add("_l1", second.leftArray, {2, columns / 16, paddedRows, 16},
                  f16, npu::MemorySpace::l1);
  for (unsigned half = 0; half < (isSkewed ? 2 : 1); ++half) {
    operandL0[half] =
        add("_l0a", second.leftArray, {fractals, termStep / 16, 16, 16}, f16,
            npu::MemorySpace::l0a);
    factorsL0[half] =
        add("_l0b", second.rightArray, {termStep / 16, width, 16, 16}, f16,
            npu::MemorySpace::l0b);
  }
  ArrayOp result =
      findArray(program.scop, second.getStatement().getWrittenArray());
  resultL0c = add("_l0c", result, {2, width, fractals, 16, 16}, f32,
                  npu::MemorySpace::l0c);
  resultUb =
      add("_ub", result, {width, paddedRows, 16}, f32, npu::MemorySpace::ub);
  // A statement takes the buffer of a matrix that nothing reads after it.
  SmallVector<LeafPlan *> order;
  for (Segment &segment : segments) {
    llvm::append_range(order, segment.statements);
    if (segment.reduction)
      order.push_back(segment.reduction);
  }
  auto addUb = [&](StringRef name) {
    ChainArray &own = arrays[name];
    if (own.hasColumns && own.hasRows)
      own.buffer =
          add("_ub", findArray(program.scop, name),
              {2, columns / 16, paddedRows, 16}, f16, npu::MemorySpace::ub);
    else if (own.hasRows)
      own.buffer = add("_ub", findArray(program.scop, name),
                       {2, paddedRows, 16}, f16, npu::MemorySpace::ub);
  };
  addUb(conversion->getStatement().getWrittenArray());
  for (auto [number, leaf] : llvm::enumerate(order)) {
    StatementOp statement = leaf->getStatement();
    StringRef written = statement.getWrittenArray();
    if (isUpdate(statement)) {
      arrays[written].hasRows = true;
      addUb(written);
      continue;
    }
    for (unsigned i = 0; i < leaf->reads.size() && !arrays[written].buffer;
         ++i) {
      StringRef name = getReadName(statement, i);
      const ChainArray &from = arrays[name];
      bool isDead = llvm::none_of(
          ArrayRef(order).drop_front(number + 1), [&](LeafPlan *later) {
            return llvm::any_of(later->getStatement()
                                    .getReadArrays()
                                    .template getAsRange<FlatSymbolRefAttr>(),
                                [&](FlatSymbolRefAttr read) {
                                  return read.getValue() == name;
                                });
          });
      if (from.hasRows && from.hasColumns && !from.isLoaded && isDead)
        arrays[written].buffer = from.buffer;
    }
    if (!arrays[written].buffer)
      addUb(written);
  }
}
