// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emission of the template of gathers: a parallel loop over the indices, whose
// body copies a row and runs the post-ops on it.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "RegionEmitter.h"
#include "Templates/Templates.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

namespace {

class GatherEmission {
public:
  GatherEmission(RegionEmitter &emitter, GatherOp op)
      : emitter(emitter), builder(emitter.builder), loc(op.getLoc()), op(op),
        rows(op.getSrc().getType().getDimSize(0)),
        columns(op.getSrc().getType().getDimSize(1)) {}

  LogicalResult emit() {
    if (failed(check()))
      return failure();
    SmallVector<int64_t> shape(op.getType().getShape());
    std::fill(shape.begin(), std::prev(shape.end()), 1);
    row = emitter.makeScratch(
        RankedTensorType::get(shape, op.getType().getElementType()),
        /*perThread=*/true);
    emitter.buffers[op.getResult()] = row;
    LogicalResult status = success();
    ArrayRef<int64_t> sizes = op.getIndex().getType().getShape();
    auto parallel = tir::ParallelOp::create(
        builder, loc, sizes,
        [&](OpBuilder &inner, Location, ValueRange indices) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          emitRow(emitIndex(indices));
          SmallVector<BoxDim> box;
          for (auto [index, size] : llvm::zip_equal(indices, sizes))
            box.push_back(BoxDim(Coord(index, 1, size), 1));
          box.push_back(BoxDim(0, columns));
          status = emitPostOps(box);
        });
    if (auto name = emitter.fused.getNameAttr())
      parallel.setNameAttr(name);
    return status;
  }

private:
  LogicalResult check() {
    if (failed(checkOperandTypes(op, op.getTemplateParamsAttr(),
                                 op->getNumOperands())))
      return failure();
    for (Operation &inner :
         emitter.fused.getBody().front().without_terminator()) {
      auto anchor = inner.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
      if (&inner != op &&
          (anchor.getKind() != AnchorKind::post || anchor.getIndex() != 1))
        return inner.emitOpError("cannot be committed at anchor ") << anchor;
    }
    return success();
  }

  /// The row that an index stands for.
  Value emitIndex(ValueRange indices) {
    auto makeInteger = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(value));
    };
    Value zero = makeInteger(0);
    Value index = memref::LoadOp::create(
        builder, loc, emitter.buffers.lookup(op.getIndex()).memref, indices);
    Value isNegative = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, index, zero);
    Value fromEnd =
        arith::AddIOp::create(builder, loc, index, makeInteger(rows));
    index = arith::SelectOp::create(builder, loc, isNegative, fromEnd, index);
    index = arith::MaxSIOp::create(builder, loc, index, zero);
    index = arith::MinSIOp::create(builder, loc, index, makeInteger(rows - 1));
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      index);
  }

  /// Copies a row of the table, vector by vector.
  void emitRow(Value source) {
    Buffer table = emitter.buffers.lookup(op.getSrc());
    SmallVector<Value> place(op.getType().getRank(), emitter.makeIndex(0));
    Type element = cast<MemRefType>(table.memref.getType()).getElementType();
    auto copy = [&](Value column, int64_t lanes) {
      Value vector = vector::LoadOp::create(
          builder, loc, VectorType::get({lanes}, element), table.memref,
          ValueRange{source, column});
      place.back() = column;
      vector::StoreOp::create(builder, loc, vector, row.memref, place);
    };
    int64_t lanes = emitter.getLanes(), whole = columns / lanes * lanes;
    emitter.emitLoop(whole, lanes, [&](Value i) { copy(i, lanes); });
    if (whole < columns)
      copy(emitter.makeIndex(whole), columns - whole);
  }

  LogicalResult emitPostOps(ArrayRef<BoxDim> box) {
    SmallVector<Operation *> ops;
    SmallVector<Store> stores;
    for (Operation &inner :
         emitter.fused.getBody().front().without_terminator()) {
      if (&inner != op)
        ops.push_back(&inner);
      for (Value result : inner.getResults())
        emitter.addStores(result, stores);
    }
    return emitter.emitPass(ops, box, stores,
                            emitter.getDims(AnchorKind::post, 1));
  }

  RegionEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  GatherOp op;
  int64_t rows, columns;
  /// The row that a thread works on.
  Buffer row;
};

struct GatherModel
    : TemplateEmissionAttrInterface::ExternalModel<GatherModel,
                                                   GatherTemplateAttr> {
  LogicalResult emitTemplate(Attribute, Operation *op,
                             RegionEmitter &emitter) const {
    return GatherEmission(emitter, cast<GatherOp>(op)).emit();
  }
};

} // namespace

void attachGatherEmission(MLIRContext *context) {
  GatherTemplateAttr::attachInterface<GatherModel>(*context);
}

} // namespace gc
