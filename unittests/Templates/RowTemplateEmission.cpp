// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "RegionEmitter.h"
#include "RowTemplate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace gc;
using namespace gc::graph;
using namespace mlir;
using namespace test;

namespace {

/// The loops of one region.
class RowEmission {
public:
  RowEmission(RegionEmitter &emitter, MatmulOp op, int64_t unroll)
      : emitter(emitter), builder(emitter.builder), loc(op.getLoc()), op(op),
        sizes(getMatmulSizes(op)), unroll(unroll),
        a(emitter.buffers.lookup(op.getSrc())),
        b(emitter.buffers.lookup(op.getWeights())) {}

  LogicalResult emit() {
    auto rowType =
        RankedTensorType::get({1, sizes.n}, op.getType().getElementType());
    c = emitter.makeScratch(rowType, /*perThread=*/true);
    emitter.buffers[op.getResult()] = c;
    LogicalResult status = success();
    tir::ParallelOp::create(
        builder, loc, {sizes.m},
        [&](OpBuilder &inner, Location, ValueRange indices) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          emitter.emitLoop(sizes.n, 1, [&](Value column) {
            emitElement(indices[0], column);
          });
          status = emitPostOps(Coord(indices[0], 1, sizes.m));
        });
    return status;
  }

private:
  void emitElement(Value row, Value column) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
    auto loop = scf::ForOp::create(builder, loc, emitter.makeIndex(0),
                                   emitter.makeIndex(sizes.k),
                                   emitter.makeIndex(unroll), ValueRange{zero});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value sum = loop.getRegionIterArg(0);
      for (int64_t i = 0; i < unroll; ++i) {
        Value k = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                        emitter.makeIndex(i));
        Value left =
            memref::LoadOp::create(builder, loc, a.memref, ValueRange{row, k});
        Value right = memref::LoadOp::create(builder, loc, b.memref,
                                             ValueRange{k, column});
        sum = arith::AddFOp::create(
            builder, loc, sum,
            arith::MulFOp::create(builder, loc, left, right));
      }
      scf::YieldOp::create(builder, loc, sum);
    }
    memref::StoreOp::create(builder, loc, loop.getResult(0), c.memref,
                            ValueRange{emitter.makeIndex(0), column});
  }

  /// The other ops of the region, all at the one anchor, over the row.
  LogicalResult emitPostOps(const Coord &row) {
    SmallVector<Operation *> ops;
    SmallVector<Store> stores;
    for (Operation &inner :
         emitter.fused.getBody().front().without_terminator()) {
      if (&inner != op)
        ops.push_back(&inner);
      emitter.addStores(inner.getResult(0), stores);
    }
    SmallVector<BoxDim> box = {BoxDim(row, 1), BoxDim(0, sizes.n)};
    return emitter.emitPass(ops, box, stores,
                            emitter.getDims(graph::AnchorKind::post, 1));
  }

  RegionEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  MatmulOp op;
  MatmulSizes sizes;
  int64_t unroll;
  Buffer a, b, c;
};

struct RowModel
    : TemplateEmissionAttrInterface::ExternalModel<RowModel, RowTemplateAttr> {
  LogicalResult emitTemplate(Attribute attr, Operation *op,
                             RegionEmitter &emitter) const {
    return RowEmission(emitter, cast<MatmulOp>(op),
                       cast<RowTemplateAttr>(attr).getUnroll())
        .emit();
  }
};

} // namespace

void test::attachRowTemplateEmission(MLIRContext *context) {
  RowTemplateAttr::attachInterface<RowModel>(*context);
}
