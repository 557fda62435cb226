// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of the rows of a block [bands, columns / 16, 16, 16] between two
// contractions.

#include "ChainNest.h"
#include "TileViews.h"
#include "VectorNest.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static npu::BinaryKind getCombination(StatementOp statement) {
  return getReduction(statement)->kind == npu::ReduceKind::max
             ? npu::BinaryKind::max
             : npu::BinaryKind::min;
}

/// First each 16 columns of a row, and then what that leaves.
ChainNest::Phases ChainNest::emitReduction(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  std::optional<Reduction> reduction = getReduction(statement);
  unsigned argument = cast<BlockArgument>(reduction->value).getArgNumber();
  auto name = cast<FlatSymbolRefAttr>(statement.getReadArrays()[argument]);
  int64_t blocks = first.paddedColumns / 16;
  BufferOp partials = program.addScratch(
      (statement.getWrittenArray() + "_blocks").str(),
      findArray(program.scop, statement.getWrittenArray()),
      getBufferType({bands, std::max<int64_t>(blocks, 16), 16},
                    Float16Type::get(program.scop.getContext()),
                    npu::MemorySpace::ub));
  phaseBuffers.push_back(partials);
  Phases phases;
  phases.push_back(addTile(
      statement.getSymName().str() + "_tile", 0,
      [&](ImplicitLocOpBuilder &b, ValueRange counters) {
        b.setLoc(statement.getLoc());
        Value source = view(name.getValue(), b, counters,
                            getPart(b, ChainSteps::whole, counters))
                           .memref;
        for (int64_t band = 0; band < bands; ++band) {
          Value own = getBand(b, program.refer(b, partials), band);
          npu::ReduceOp::create(b, reduction->kind, getBand(b, source, band),
                                part(b, own, 0, Value(), 0, blocks));
        }
        return success();
      }));
  emitFold(leaf, partials, phases);
  return phases;
}

/// [bands, columns / 16, 16] to [bands, 16]: halves are combined until 16
/// blocks are left, which after a transpose are the lanes of one.
void ChainNest::emitFold(const LeafPlan &leaf, BufferOp partials,
                         Phases &phases) {
  StatementOp statement = leaf.getStatement();
  StringRef name = statement.getWrittenArray();
  auto add = [&](Fill fill) {
    phases.push_back(addTile("fold_" + name.str(), 0, fill));
  };
  auto getBlocks = [&](ImplicitLocOpBuilder &b, int64_t begin, int64_t size) {
    b.setLoc(statement.getLoc());
    return part(b, program.refer(b, partials), 1, Value(), begin, size);
  };
  int64_t count = first.paddedColumns / 16;
  while (count > 16) {
    int64_t half = std::max<int64_t>(16, (count + 1) / 2), rest = count - half;
    add([&](ImplicitLocOpBuilder &b, ValueRange) {
      Value low = getBlocks(b, 0, rest), high = getBlocks(b, half, rest);
      npu::BinaryOp::create(b, getCombination(statement), low, high, low);
      return success();
    });
    count = half;
  }
  // What is repeated changes nothing.
  for (int64_t size; count < 16; count += size) {
    size = std::min(count, 16 - count);
    add([&](ImplicitLocOpBuilder &b, ValueRange) {
      npu::CopyOp::create(b, getBlocks(b, 0, size), getBlocks(b, count, size),
                          false, ValueRange());
      return success();
    });
  }
  auto type = getBufferType({bands, 16, 16},
                            Float16Type::get(program.scop.getContext()),
                            npu::MemorySpace::ub);
  BufferOp lanes = program.addScratch((name + "_lanes").str(),
                                      findArray(program.scop, name), type);
  phaseBuffers.push_back(lanes);
  add([&](ImplicitLocOpBuilder &b, ValueRange) {
    Value from = getBlocks(b, 0, 16), to = program.refer(b, lanes);
    for (int64_t band = 0; band < bands; ++band)
      npu::TransposeOp::create(b, getBand(b, from, band), getBand(b, to, band));
    return success();
  });
  const ChainArray &array = arrays.find(name)->second;
  if (array.isSpread)
    return emitSpread(leaf, lanes, phases);
  add([&](ImplicitLocOpBuilder &b, ValueRange counters) {
    b.setLoc(statement.getLoc());
    npu::ReduceOp::create(b, getReduction(statement)->kind,
                          program.refer(b, lanes),
                          slot(b, array.buffer, counters[0]));
    return success();
  });
}

/// The reduced lanes [bands, 16, 16], each in all lanes of its block.
void ChainNest::emitSpread(const LeafPlan &leaf, BufferOp lanes,
                           Phases &phases) {
  StatementOp statement = leaf.getStatement();
  StringRef name = statement.getWrittenArray();
  BufferOp values = program.addScratch(
      (name + "_values").str(), findArray(program.scop, name),
      getBufferType({bands, 16}, Float16Type::get(program.scop.getContext()),
                    npu::MemorySpace::ub));
  phaseBuffers.push_back(values);
  auto add = [&](Fill fill) {
    phases.push_back(addTile("spread_" + name.str(), 0, fill));
  };
  add([&](ImplicitLocOpBuilder &b, ValueRange) {
    b.setLoc(statement.getLoc());
    npu::ReduceOp::create(b, getReduction(statement)->kind,
                          program.refer(b, lanes), program.refer(b, values));
    return success();
  });
  // The lanes are not needed any more.
  add([&](ImplicitLocOpBuilder &b, ValueRange) {
    for (int64_t band = 0; band < bands; ++band) {
      Value row = part(b, program.refer(b, values), 0, Value(), band, 1);
      npu::BinaryOp::create(b, getCombination(statement), row, row,
                            getBand(b, program.refer(b, lanes), band));
    }
    return success();
  });
  BufferOp target = arrays.find(name)->second.buffer;
  add([&](ImplicitLocOpBuilder &b, ValueRange counters) {
    Value to = slot(b, target, counters[0]);
    for (int64_t band = 0; band < bands; ++band)
      npu::TransposeOp::create(b, getBand(b, program.refer(b, lanes), band),
                               getBand(b, to, band));
    return success();
  });
}
