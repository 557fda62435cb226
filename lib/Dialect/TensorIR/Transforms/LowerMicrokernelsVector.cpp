// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The function around the register tiles of a vector kernel: loops over tiles
// of columns and rows, so that few tile bodies serve a block of any size.

#include "AmxTile.h"
#include "FixedPointRows.h"
#include "LowerMicrokernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gc::tir {

void disableUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  LLVM::LoopUnrollAttr unroll;
  unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {},
                                     {}, {}, {}, {}, {});
  // The conversions of scf and cf carry the attribute over to the branch.
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}));
}

namespace {

using Body = function_ref<void(Value)>;

/// `count` runs of the body with start, start + step, ...; no loop around a
/// single one.
void emitTileLoop(ImplicitLocOpBuilder &b, int64_t start, int64_t count,
                  int64_t step, Body body) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  if (count == 1)
    return body(constant(start));
  auto loop = scf::ForOp::create(
      b, constant(start), constant(start + count * step), constant(step));
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// The tiles of a kernel on AMX, and when their configurations are loaded.
class AmxTiles {
public:
  AmxTiles(ImplicitLocOpBuilder &b, const VectorPlan &plan,
           const KernelSpec &spec)
      : b(b), plan(plan), spec(spec) {}

  /// Before the first tile.
  void begin() {
    AmxTile first =
        get(plan.columns.front(), plan.columns.front().rows.front());
    isShared = true;
    for (const ColumnTiles &columns : plan.columns)
      for (const RowTiles &rows : columns.rows)
        isShared &= get(columns, rows).hasConfigurationOf(first);
    if (isShared)
      first.configure();
  }
  /// Before the tiles of one shape.
  AmxTile begin(const ColumnTiles &columns, const RowTiles &rows) const {
    AmxTile tile = get(columns, rows);
    if (!isShared)
      tile.configure();
    return tile;
  }

private:
  AmxTile get(const ColumnTiles &columns, const RowTiles &rows) const {
    return AmxTile(b, plan, spec, rows.size, columns.vectors);
  }

  ImplicitLocOpBuilder &b;
  const VectorPlan &plan;
  const KernelSpec &spec;
  bool isShared = false;
};

/// Memory on the stack for the rows of any tile in fixed point.
Value createScratch(ImplicitLocOpBuilder &b, const VectorPlan &plan,
                    const KernelSpec &spec) {
  int64_t bytes = 0;
  for (const ColumnTiles &columns : plan.columns)
    for (const RowTiles &tiles : columns.rows)
      bytes =
          std::max(bytes, FixedPointRows::getScratchBytes(spec, tiles.size));
  return LLVM::AllocaOp::create(
      b, b.getType<LLVM::LLVMPointerType>(), b.getI8Type(),
      arith::ConstantIntOp::create(b, bytes, 64), FixedPointRows::kAlignment);
}

} // namespace

func::FuncOp getOrCreateVectorKernel(ModuleOp module, Location loc,
                                     const Machine &machine,
                                     const KernelSpec &spec, KernelForm form,
                                     int64_t ahead) {
  std::string name =
      ("gc_brgemm_" + getName(form) + "_" + spec.getName()).str();
  if (ahead)
    name += "_ahead" + std::to_string(ahead);
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  auto b = ImplicitLocOpBuilder::atBlockEnd(loc, module.getBody());
  auto pointer = b.getType<LLVM::LLVMPointerType>();
  SmallVector<Type> arguments{b.getI64Type(), pointer, pointer, pointer};
  if (spec.batch == BatchForm::offset)
    arguments.append(2, pointer);
  unsigned firstOfScales = arguments.size();
  arguments.append((spec.ldScaleB != 0) + spec.hasZeroPointsB, pointer);
  auto function =
      func::FuncOp::create(b, name, b.getFunctionType(arguments, {}));
  function.setPrivate();
  function->setAttr("llvm.linkage",
                    b.getAttr<LLVM::LinkageAttr>(LLVM::Linkage::Internal));
  // One copy per module: the tiles are large, and a copy per call would only
  // cost compile time and instruction cache.
  function.setNoInline(true);
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline", "nounwind"}));
  function.setArgAttr(3, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());

  b.setInsertionPointToStart(function.addEntryBlock());
  Value batch = function.getArgument(0);
  VectorPlan plan = planVectorKernel(machine, spec, form);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  auto multiply = [&](Value count, int64_t scale) -> Value {
    return scale == 1 ? count
                      : arith::MulIOp::create(b, count, constant(scale));
  };
  auto advance = [&](Value base, Value count, DataType type) -> Value {
    return LLVM::GEPOp::create(b, pointer, getStorageType(b.getContext(), type),
                               base, LLVM::GEPArg(count),
                               LLVM::GEPNoWrapFlags::inbounds);
  };
  /// Operand `number` (A: 0, B: 1), `start` elements into each block.
  auto getOperand = [&](unsigned number, Value start,
                        DataType type) -> BatchPointers {
    // In elements of the storage type.
    if (getBits(type) < 8)
      start = arith::DivUIOp::create(b, start, constant(8 / getBits(type)));
    Value base = function.getArgument(1 + number);
    if (spec.batch == BatchForm::address)
      return {base, {}, start};
    Value offsets = spec.batch == BatchForm::offset
                        ? function.getArgument(4 + number)
                        : Value();
    return {advance(base, start, type), offsets, {}};
  };
  if (plan.exchanged) {
    emitExchangedKernel(b, plan, machine, spec, ahead, batch,
                        {getOperand(0, constant(0), spec.a),
                         getOperand(1, constant(0), spec.b),
                         function.getArgument(3)});
    func::ReturnOp::create(b);
    return function;
  }
  // Integers may have zero points, and are shifted for some instructions.
  bool hasTerms = spec.accumulator == DataType::s32;
  Value rowTerms;
  if (hasTerms)
    rowTerms = emitRowTerms(b, plan, machine, spec, batch,
                            getOperand(0, constant(0), spec.a));
  AmxTiles amx(b, plan, spec);
  if (plan.amx)
    amx.begin();
  Value scratch = plan.fixedPoint ? createScratch(b, plan, spec)
                  : plan.amx      ? AmxTile::createRest(b, spec)
                                  : Value();
  for (const ColumnTiles &columns : plan.columns) {
    emitTileLoop(b, columns.start, columns.count, columns.step, [&](Value n) {
      BatchPointers bn = getOperand(
          1, multiply(n, spec.transposeB ? spec.ldb : spec.packB), spec.b);
      Value cn = advance(function.getArgument(3), n, spec.c);
      TileTerms terms;
      // Dot products add up the columns that they read.
      if (hasTerms && !plan.dot)
        terms.ofColumns =
            emitColumnTerms(b, plan, machine, spec, columns.vectors, batch,
                            {getOperand(0, constant(0), spec.a), bn, cn});
      for (const RowTiles &rows : columns.rows) {
        std::optional<AmxTile> amxTile;
        if (plan.amx)
          amxTile.emplace(amx.begin(columns, rows));
        emitTileLoop(b, rows.start, rows.count, rows.size, [&](Value m) {
          TilePointers at{getOperand(0, multiply(m, spec.lda), spec.a), bn,
                          advance(cn, multiply(m, spec.ldc), spec.c)};
          at.scratch = scratch;
          if (spec.widensB() && !plan.dot) {
            auto getColumns = [&](unsigned argument) {
              return advance(function.getArgument(argument), n, DataType::f32);
            };
            if (spec.ldScaleB != 0)
              at.scales = getColumns(firstOfScales);
            if (spec.hasZeroPointsB)
              at.zps = getColumns(firstOfScales + 1);
            emitWideningTile(b, plan, machine, spec, ahead, rows.size,
                             columns.vectors, batch, at);
            return;
          }
          if (rowTerms)
            terms.ofRows = advance(rowTerms, m, DataType::s32);
          if (plan.dot) {
            emitDotTile(b, plan, machine, spec, ahead, rows.size,
                        columns.vectors.size(), terms.ofRows, batch, at);
            return;
          }
          if (amxTile) {
            amxTile->emit(terms, batch, at);
            return;
          }
          emitMatrixTile(b, plan, machine, spec, ahead, rows.size,
                         columns.vectors, terms, batch, at);
        });
      }
    });
  }
  if (plan.amx)
    AmxTile::release(b);
  func::ReturnOp::create(b);
  return function;
}

} // namespace gc::tir
