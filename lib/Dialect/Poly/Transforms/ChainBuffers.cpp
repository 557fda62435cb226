// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps and buffers of a nest of two contractions.

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

static bool isReadBy(StringRef name, StatementOp statement) {
  return llvm::any_of(
      statement.getReadArrays().getAsRange<FlatSymbolRefAttr>(),
      [&](FlatSymbolRefAttr read) { return read.getValue() == name; });
}

/// The largest multiple of 16 that divides the size, at most `most`.
static int64_t getStep(int64_t size, int64_t most) {
  int64_t step = 16;
  for (int64_t next = 16; next <= std::min(size, most); next += 16)
    if (size % next == 0)
      step = next;
  return step;
}

SmallVector<LeafPlan *> ChainNest::getOrder() const {
  SmallVector<LeafPlan *> order;
  for (const Segment &segment : segments) {
    llvm::append_range(order, segment.statements);
    if (segment.reduction)
      order.push_back(segment.reduction);
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A statement takes the buffer of a matrix that nothing reads after it.
void ChainNest::shareBuffers() {
  StringRef converted = conversion->getStatement().getWrittenArray();
  owners[converted] = converted;
  SmallVector<LeafPlan *> order = getOrder();
  for (auto [number, leaf] : llvm::enumerate(order)) {
    StatementOp statement = leaf->getStatement();
    StringRef written = statement.getWrittenArray();
    if (isUpdate(statement)) {
      arrays[written].hasRows = true;
      owners[written] = written;
      continue;
    }
    for (unsigned i = 0; i < leaf->reads.size() && !owners.count(written);
         ++i) {
      StringRef name = getReadName(statement, i);
      const ChainArray &from = arrays[name];
      bool isDead =
          llvm::none_of(ArrayRef(order).drop_front(number + 1),
                        [&](LeafPlan *later) {
                          return isReadBy(name, later->getStatement());
                        }) &&
          name != ArrayOp(second.leftArray).getSymName();
      if (from.hasRows && from.hasColumns && !from.isLoaded && isDead)
        owners[written] = owners[name];
    }
    if (!owners.count(written))
      owners[written] = written;
  }
}

/// Whether an op takes values of rows from registers.
static bool hasRegisterForm(Operation *op, Value value) {
  if (isa<arith::ExtFOp>(op))
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return hasRegisterForm(user, op->getResult(0));
    });
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
    return false;
  // The other operand is an element of a matrix.
  Value other = op->getOperand(op->getOperand(0) == value ? 1 : 0);
  return other != value && !matchPattern(other, m_Constant());
}

/// Values of rows are in all lanes of a block where an instruction for each row
/// would be no faster, or if an op has no operand in a register.
void ChainNest::chooseSpreads(const npu::Machine &machine) {
  int64_t repeats = llvm::divideCeil(first.paddedColumns, 128);
  int64_t scalar = machine.busyHeadV +
                   repeats * machine.getCost(npu::VectorOp::adds).slope,
          binary = repeats * machine.getCost(npu::VectorOp::sub).slope;
  for (auto &[name, array] : arrays) {
    if (!array.hasRows || array.hasColumns)
      continue;
    array.isSpread = binary <= scalar;
    for (const Segment &segment : segments)
      for (LeafPlan *leaf : segment.statements) {
        StatementOp statement = leaf->getStatement();
        bool isLoading = llvm::any_of(
            statement.getReadArrays().getAsRange<FlatSymbolRefAttr>(),
            [&](FlatSymbolRefAttr read) {
              return arrays[read.getValue()].isStepped;
            });
        for (unsigned i = 0; i < leaf->reads.size(); ++i) {
          if (getReadName(statement, i) != name)
            continue;
          Value value = statement.getBody().getArgument(i);
          array.isSpread |=
              isLoading || !llvm::all_of(value.getUsers(), [&](Operation *op) {
                return hasRegisterForm(op, value);
              });
        }
      }
  }
}

/// What is loaded is there before its block is computed if there is room.
void ChainNest::chooseLoads(const npu::Machine &machine) {
  for (auto &[name, array] : arrays)
    array.isSpread = array.hasRows && !array.hasColumns;
  if (countUbBytes() <= machine.ubBytes)
    return;
  for (auto &[name, array] : arrays)
    array.isStepped = array.isLoaded && array.hasRows;
}

int64_t ChainNest::countUbBytes() const {
  int64_t width = second.paddedColumns, columns = first.paddedColumns;
  int64_t bytes = 0;
  for (auto &[name, array] : arrays) {
    auto owner = owners.find(name);
    if (array.isLoaded)
      bytes += 2 * 2 * (array.isStepped ? vectorStep : columns) *
               (array.hasRows ? paddedRows : 1);
    else if (owner == owners.end() || owner->second != name)
      continue;
    else if (array.hasColumns)
      bytes += 2 * paddedRows * columns * 2;
    else
      bytes += 2 * paddedRows * 2 * (array.isSpread ? 16 : 1) +
               paddedRows * (std::max<int64_t>(columns / 16, 16) + 16) * 2;
  }
  // The sums, and what is computed from them.
  bytes += paddedRows * (width + (rowSums ? 32 : 0)) * 4;
  for (LeafPlan *post : posts)
    bytes += paddedRows * width *
             findArray(program.scop, post->getStatement().getWrittenArray())
                 .getTensorType()
                 .getElementTypeBitWidth() /
             8;
  if (prologue)
    bytes +=
        2 * 2 * paddedRows * first.paddedTerms * (prologue->reads.size() + 1);
  return bytes;
}

LogicalResult ChainNest::chooseSteps() {
  FailureOr<npu::Machine> machine = npu::getMachine(program.scop);
  if (failed(machine))
    return failure();
  // Two steps of each product at a time.
  int64_t room = machine->l0bBytes / 4 / 2;
  auto choose = [&](StringRef name, int64_t most) {
    int64_t size = first.paddedColumns;
    SmallVector<int64_t> legal{16};
    for (int64_t next = 32; next <= std::min(size, most); next += 16)
      if (size % next == 0)
        legal.push_back(next);
    return program.choose(name, legal, getStep(size, most));
  };
  int64_t width = second.paddedColumns + (rowSums ? 16 : 0);
  FailureOr<int64_t> columns = choose("column_step", room / first.paddedTerms);
  FailureOr<int64_t> terms = choose("term_step", room / width);
  if (failed(columns) || failed(terms))
    return failure();
  columnStep = *columns;
  termStep = *terms;
  vectorStep = getStep(first.paddedColumns, 256);
  pieceStep = getStep(first.paddedColumns, columnStep * bands);
  shareBuffers();
  chooseLoads(*machine);
  chooseSpreads(*machine);
  // The second product of a block comes iterations after the first one. A panel
  // that takes the place of another one comes after the last product with that,
  // and early enough.
  int64_t panel = first.paddedColumns * (first.paddedTerms + width) * 2;
  int64_t others =
      2 * paddedRows * (first.paddedTerms + first.paddedColumns) * 2;
  panelDelay =
      blocks > panelBlocks && panelBlocks >= 12 ? -panelBlocks * 3 / 4 : 0;
  panelSlots = blocks == panelBlocks
                   ? 1
                   : (getSecondDelay() - 1 - panelDelay) / panelBlocks + 2;
  isSkewed = blocks > 1 && panelSlots * panel + others <= machine->l1Bytes &&
             countUbBytes() <= machine->ubBytes;
  SmallVector<int64_t> legal{0};
  if (isSkewed)
    legal.push_back(1);
  FailureOr<int64_t> skewed =
      program.choose("skewed", legal, isSkewed && program.skews);
  if (failed(skewed))
    return failure();
  isSkewed = *skewed != 0;
  if (!isSkewed) {
    panelDelay = 0;
    panelSlots =
        blocks > panelBlocks && 2 * panel + others <= machine->l1Bytes ? 2 : 1;
  }
  // As many steps of rows as of the second product beside them, if possible.
  int64_t beside = first.paddedColumns / termStep;
  for (int64_t size = 16; size > 0; size /= 2)
    if (paddedRows / size == beside)
      rowStep = size;
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void ChainNest::addUbBuffers() {
  auto f16 = Float16Type::get(program.scop.getContext());
  for (auto &[name, array] : arrays) {
    auto owner = owners.find(name);
    SmallVector<int64_t> shape{2, bands};
    if (array.isStepped ||
        (!array.isLoaded && (owner == owners.end() || owner->second != name)))
      continue;
    if (!array.hasRows)
      shape = {2, first.paddedColumns / 16, 16};
    else if (array.hasColumns)
      llvm::append_values(shape, first.paddedColumns / 16, 16, 16);
    else if (array.isSpread)
      llvm::append_values(shape, 16, 16);
    else
      shape.push_back(16);
    array.buffer =
        program.addBuffer((name + "_ub").str(), findArray(program.scop, name),
                          getBufferType(shape, f16, npu::MemorySpace::ub));
  }
  for (auto &[name, array] : arrays)
    if (auto owner = owners.find(name); owner != owners.end())
      array.buffer = arrays[owner->second].buffer;
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
  if (prologue) {
    SmallVector<int64_t> shape{2, first.paddedTerms / 16, paddedRows, 16};
    leftUb = add("_ub", first.leftArray, shape, f16, npu::MemorySpace::ub);
    StatementOp statement = prologue->getStatement();
    for (unsigned i = 0; i < prologue->reads.size(); ++i)
      prologueUb.push_back(
          add("_ub", findArray(program.scop, getReadName(statement, i)), shape,
              f16, npu::MemorySpace::ub));
  }
  leftL1 =
      add("_l1", first.leftArray, {2, first.paddedTerms / 16, paddedRows, 16},
          f16, npu::MemorySpace::l1);
  leftL0 = add("_l0a", first.leftArray,
               {2, fractals, first.paddedTerms / 16, 16, 16}, f16,
               npu::MemorySpace::l0a);
  // What a step takes is contiguous, so that one instruction moves it.
  panels[0] = add("_l1", first.rightArray,
                  {panelSlots, columns / columnStep, first.paddedTerms / 16,
                   columnStep, 16},
                  f16, npu::MemorySpace::l1);
  panels[1] =
      add("_l1", second.rightArray, {panelSlots, columns / 16, width * 16, 16},
          f16, npu::MemorySpace::l1);
  rightL0 = add("_l0b", first.rightArray,
                {2, first.paddedTerms / 16, columnStep / 16, 16, 16}, f16,
                npu::MemorySpace::l0b);
  ArrayOp acc = findArray(program.scop, first.getStatement().getWrittenArray());
  sumsL0c = add("_l0c", acc, {columns / 16, fractals, 16, 16}, f32,
                npu::MemorySpace::l0c);
  operandL1 = add("_l1", second.leftArray, {2, columns / 16, paddedRows, 16},
                  f16, npu::MemorySpace::l1);
  operandL0 =
      add("_l0a", second.leftArray, {2, fractals, termStep / 16, 16, 16}, f16,
          npu::MemorySpace::l0a);
  factorsL0 = add("_l0b", second.rightArray, {2, termStep / 16, width, 16, 16},
                  f16, npu::MemorySpace::l0b);
  ArrayOp result =
      findArray(program.scop, second.getStatement().getWrittenArray());
  resultL0c = add("_l0c", result, {2, width, fractals, 16, 16}, f32,
                  npu::MemorySpace::l0c);
  resultUb =
      add("_ub", result, {width, paddedRows, 16}, f32, npu::MemorySpace::ub);
  addUbBuffers();
}
