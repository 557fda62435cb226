// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionEmitter.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

Value RegionEmitter::makeIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, fused.getLoc(), value);
}

void RegionEmitter::emitLoop(int64_t size, int64_t step,
                             function_ref<void(Value)> body) {
  if (size <= step) {
    if (size > 0)
      body(makeIndex(0));
    return;
  }
  auto loop = scf::ForOp::create(builder, fused.getLoc(), makeIndex(0),
                                 makeIndex(size), makeIndex(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void RegionEmitter::emitLoop(Value size, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, fused.getLoc(), makeIndex(0), size,
                                 makeIndex(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void RegionEmitter::emitLastCase(Value index, int64_t count,
                                 function_ref<void(bool)> body) {
  Value isLast = arith::CmpIOp::create(builder, fused.getLoc(),
                                       arith::CmpIPredicate::eq, index,
                                       makeIndex(count - 1));
  auto branch = scf::IfOp::create(builder, fused.getLoc(), isLast,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body(true);
  builder.setInsertionPointToStart(branch.elseBlock());
  body(false);
}

void RegionEmitter::addStores(Value value, SmallVectorImpl<Store> &stores) {
  for (auto [yielded, result] :
       llvm::zip_equal(fused.getYielded(), fused.getResults()))
    if (yielded == value)
      stores.push_back({value, buffers.lookup(result)});
}

Buffer RegionEmitter::makeScratch(RankedTensorType type, bool perThread) {
  OpBuilder::InsertionGuard guard(builder);
  auto func = builder.getInsertionBlock()->getParentOp();
  if (!isa<func::FuncOp>(func))
    func = func->getParentOfType<func::FuncOp>();
  builder.setInsertionPointToStart(&func->getRegion(0).front());
  Value memref = createTemporary(builder, fused.getLoc(), type, perThread);
  return {memref, type, perThread};
}

LogicalResult RegionEmitter::emit() {
  if (failed(checkRegion(fused)))
    return failure();
  if (TunableOpInterface tunable = fused.getTunableOp()) {
    auto emission = dyn_cast<TemplateEmissionOpInterface>(*tunable);
    if (!emission)
      return tunable->emitOpError("has no template for this target");
    return emission.emitTemplate(*this);
  }
  return emitElementwise();
}

LogicalResult RegionEmitter::emitElementwise() {
  Block &body = fused.getBody().front();
  if (body.without_terminator().empty())
    return success();
  SmallVector<Operation *> ops;
  SmallVector<Store> stores;
  for (Operation &op : body.without_terminator()) {
    ops.push_back(&op);
    addStores(op.getResult(0), stores);
  }
  SmallVector<int64_t> space =
      cast<FusibleOpInterface>(body.front()).getIterationSpace();

  // Iterations of the parallel loop are rows, or pieces of a row where there are
  // too few rows for the threads.
  constexpr int64_t kPiece = 2048;
  SmallVector<int64_t> sizes;
  int64_t tasks = 1;
  int64_t rank = space.size();
  for (int64_t i = 0; i + 1 < rank && tasks < 16 * machine.cores; ++i) {
    sizes.push_back(space[i]);
    tasks *= space[i];
  }
  int64_t outer = sizes.size();
  bool cutRow = outer == rank - 1 && rank > 0 && tasks < 16 * machine.cores &&
                space.back() >= 2 * kPiece;
  int64_t pieces = cutRow ? llvm::divideCeil(space.back(), kPiece) : 1;
  if (cutRow)
    sizes.push_back(pieces);
  if (sizes.empty())
    sizes.push_back(1);

  LogicalResult status = success();
  auto parallel = tir::ParallelOp::create(
      builder, fused.getLoc(), sizes,
      [&](OpBuilder &inner, Location loc, ValueRange indices) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        auto emitBox = [&](int64_t columns) {
          SmallVector<BoxDim> box;
          for (int64_t i = 0; i < rank; ++i) {
            if (i < outer)
              box.push_back(BoxDim(Coord(indices[i], 1, space[i]), 1));
            else if (i + 1 == rank && cutRow)
              box.push_back(
                  BoxDim(Coord(indices[outer], kPiece, pieces), columns));
            else
              box.push_back(BoxDim(Coord(0), space[i]));
          }
          status = failed(emitPass(ops, box, stores)) ? failure() : status;
        };
        int64_t rest = rank > 0 ? space.back() % kPiece : 0;
        if (cutRow && rest != 0)
          emitLastCase(indices[outer], pieces,
                       [&](bool last) { emitBox(last ? rest : kPiece); });
        else
          emitBox(kPiece);
      });
  if (auto name = fused.getNameAttr())
    parallel.setNameAttr(name);
  return status;
}

LogicalResult RegionEmitter::emitPass(ArrayRef<Operation *> ops,
                                      ArrayRef<BoxDim> box,
                                      ArrayRef<Store> stores) {
  int64_t rank = box.size();
  VectorEvaluator evaluator(builder, fused.getLoc(), ops, buffers);
  // Vectors of the last dimension must not cross a block of any tensor.
  int64_t columns = rank ? box.back().max : 1;
  int64_t chunk = evaluator.getCommonRun(
      stores, rank - 1, rank ? box.back().base : Coord(0), columns);
  int64_t lanes = std::min<int64_t>(machine.getLanes(32), chunk);

  LogicalResult status = success();
  SmallVector<Coord> coords(rank), locals(rank);
  auto emitVector = [&](const Coord &offset, int64_t size) {
    SmallVector<Coord> at(coords), localAt(locals);
    if (rank) {
      at.back() = box.back().base + offset;
      localAt.back() = box.back().local + offset;
    }
    if (failed(evaluator.emit(stores, at, localAt, size)))
      status = failure();
  };
  auto emitChunk = [&](const Coord &offset, int64_t size) {
    int64_t whole = size / lanes * lanes;
    emitLoop(whole, lanes, [&](Value i) {
      emitVector(offset + (whole > lanes ? Coord(i, 1, whole) : Coord(0)),
                 lanes);
    });
    if (whole < size)
      emitVector(offset + Coord(whole), size - whole);
  };
  std::function<void(int64_t)> emitDim = [&](int64_t dim) {
    if (dim >= rank - 1) {
      int64_t chunks = columns / chunk;
      emitLoop(chunks, 1, [&](Value c) {
        emitChunk(chunks > 1 ? Coord(c, chunk, chunks) : Coord(0), chunk);
      });
      if (columns % chunk)
        emitChunk(Coord(chunks * chunk), columns % chunk);
      return;
    }
    auto inner = [&](Value i) {
      coords[dim] = box[dim].base + Coord(i, 1, box[dim].max);
      locals[dim] = box[dim].local + Coord(i, 1, box[dim].max);
      emitDim(dim + 1);
    };
    if (box[dim].size)
      emitLoop(box[dim].size, inner);
    else
      emitLoop(box[dim].max, 1, inner);
  };
  emitDim(0);
  return status;
}

} // namespace gc
