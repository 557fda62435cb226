// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The matmul template: its anchors against the table of the paper's figure 3
// computed by hand, and what must hold for every choice of parameters.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Machine/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace gc;
using namespace gc::graph;
using namespace mlir;

namespace {

class MatmulTemplateTest : public ::testing::Test {
protected:
  MatmulTemplateTest() : builder(&context) {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  /// A matmul of C[m, n] whose operands are arguments of a function, B
  /// constant.
  MatmulOp makeMatmul(int64_t m, int64_t n, int64_t k) {
    module->getBody()->clear();
    OpBuilder::InsertionGuard guard(builder);
    Location loc = builder.getUnknownLoc();
    Type element = builder.getF32Type();
    auto func = func::FuncOp::create(
        builder, loc, "f",
        builder.getFunctionType({RankedTensorType::get({m, k}, element),
                                 RankedTensorType::get({k, n}, element)},
                                {}));
    func.setArgAttr(1, GraphDialect::kConstArgAttr, builder.getUnitAttr());
    builder.setInsertionPointToStart(func.addEntryBlock());
    auto op = MatmulOp::create(builder, loc, func.getArgument(0),
                               func.getArgument(1), ValueRange(), false, false,
                               TemplateAttrInterface(), 0, 0, 0, WindowAttr());
    func::ReturnOp::create(builder, loc);
    return op;
  }

  MatmulTemplateAttr makeTemplate(int64_t mpn, int64_t npn, int64_t mb,
                                  int64_t nb, int64_t kb, int64_t bs,
                                  ArrayRef<LoopDim> order) {
    return MatmulTemplateAttr::get(&context, mpn, npn, mb, nb, kb, bs, order,
                                   true, false);
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

/// Kind, index, operand, working set, access times, total access.
using Row =
    std::tuple<AnchorKind, unsigned, unsigned, int64_t, int64_t, int64_t>;

std::vector<Row> getTable(MatmulTemplateAttr params, MatmulOp op) {
  std::vector<Row> rows;
  for (const AnchorInfo &anchor : params.getAnchors(op)) {
    EXPECT_EQ(anchor.slice.size(), 2u);
    EXPECT_EQ(anchor.slice[0] * anchor.slice[1], anchor.workingSet);
    rows.push_back({anchor.kind, anchor.index, anchor.operand,
                    anchor.workingSet, anchor.accessTimes, anchor.totalAccess});
  }
  llvm::sort(rows);
  return rows;
}

bool isFeasible(MatmulTemplateAttr params, MatmulOp op, AnchorKind kind,
                unsigned index, unsigned operand) {
  for (const AnchorInfo &anchor : params.getAnchors(op))
    if (anchor.kind == kind && anchor.index == index &&
        anchor.operand == operand)
      return anchor.isFeasible;
  ADD_FAILURE() << "no such anchor";
  return false;
}

// Of 96 columns in blocks of 64, and of 20 rows in blocks of 8, the last block
// has 32 and 4: totals count those, at every anchor.
TEST_F(MatmulTemplateTest, TotalsCountShorterBlocks) {
  MatmulOp op = makeMatmul(20, 96, 40);
  MatmulTemplateAttr params =
      makeTemplate(1, 1, 8, 64, 32, 1, {LoopDim::m, LoopDim::n, LoopDim::k});
  for (const AnchorInfo &anchor : params.getAnchors(op)) {
    if (anchor.kind == AnchorKind::post) {
      EXPECT_EQ(anchor.totalAccess, 20 * 96);
    } else if (anchor.operand == 0) {
      // Again for each of 2 blocks of columns inside their loop.
      EXPECT_EQ(anchor.totalAccess, 20 * 40 * (anchor.depth >= 2 ? 2 : 1));
    } else {
      // Again for each of 3 blocks of rows.
      EXPECT_EQ(anchor.totalAccess, 40 * 96 * (anchor.depth >= 1 ? 3 : 1));
    }
  }
}

// M = 64, N = 96, K = 128; MPN = 2, NPN = 3; MB = 8, NB = 16, KB = 32, BS = 2,
// so that MSN = 4, NSN = 2, NPSN = 6, KSN = 4. Loops in the paper's order m, k,
// n.
TEST_F(MatmulTemplateTest, AnchorsAreThePapersFigure3) {
  MatmulOp op = makeMatmul(64, 96, 128);
  MatmulTemplateAttr params =
      makeTemplate(2, 3, 8, 16, 32, 2, {LoopDim::m, LoopDim::k, LoopDim::n});
  std::vector<Row> expected = {
      // A'[MSN, KSN, MB, KB], B'[KSN, NPSN, NB, KB], once.
      {AnchorKind::pre, 1, 0, 4 * 4 * 8 * 32, 1, 4096},
      {AnchorKind::pre, 1, 1, 4 * 6 * 16 * 32, 1, 12288},
      // A'[MSN, KSN, MB, KB], B'[KSN, NSN, NB, KB], once.
      {AnchorKind::pre, 2, 0, 4 * 4 * 8 * 32, 1, 4096},
      {AnchorKind::pre, 2, 1, 4 * 2 * 16 * 32, 1, 4096},
      // A'[KSN, MB, KB], B'[KSN, NSN, NB, KB], MSN times.
      {AnchorKind::pre, 3, 0, 4 * 8 * 32, 4, 4096},
      {AnchorKind::pre, 3, 1, 4 * 2 * 16 * 32, 4, 16384},
      // A'[BS, MB, KB], B'[BS, NSN, NB, KB], MSN * KSN / BS times.
      {AnchorKind::pre, 4, 0, 2 * 8 * 32, 8, 4096},
      {AnchorKind::pre, 4, 1, 2 * 2 * 16 * 32, 8, 16384},
      // A'[BS, MB, KB], B'[BS, KB, NB], MSN * NSN * KSN / BS times.
      {AnchorKind::pre, 5, 0, 2 * 8 * 32, 16, 8192},
      {AnchorKind::pre, 5, 1, 2 * 16 * 32, 16, 16384},
      // C[MB, NSBN] MSN times, C[MSBN, NSBN] once, C[MSBN, N] once.
      {AnchorKind::post, 1, 0, 8 * 32, 4, 1024},
      {AnchorKind::post, 2, 0, 32 * 32, 1, 1024},
      {AnchorKind::post, 3, 0, 32 * 96, 1, 3072},
  };
  llvm::sort(expected);
  EXPECT_EQ(getTable(params, op), expected);
}

// With the loop over n between m and k, a tile is finished inside both.
TEST_F(MatmulTemplateTest, AnchorsFollowTheLoopOrder) {
  MatmulOp op = makeMatmul(64, 96, 128);
  MatmulTemplateAttr params =
      makeTemplate(2, 3, 8, 16, 32, 2, {LoopDim::m, LoopDim::n, LoopDim::k});
  std::vector<Row> table = getTable(params, op);
  auto has = [&](Row row) { return llvm::is_contained(table, row); };
  // C[MB, NB], MSN * NSN times.
  EXPECT_TRUE(has({AnchorKind::post, 1, 0, 8 * 16, 8, 1024}));
  // Inside m and n, whole k: A'[KSN, MB, KB] again for each block of columns.
  EXPECT_TRUE(has({AnchorKind::pre, 4, 0, 4 * 8 * 32, 8, 8192}));
  EXPECT_TRUE(has({AnchorKind::pre, 5, 0, 2 * 8 * 32, 16, 8192}));

  params =
      makeTemplate(2, 3, 8, 16, 32, 2, {LoopDim::n, LoopDim::k, LoopDim::m});
  table = getTable(params, op);
  // C[MSBN, NB], NSN times.
  EXPECT_TRUE(has({AnchorKind::post, 1, 0, 32 * 16, 2, 1024}));
}

// The largest share, and no more than there is: 60 rows in blocks of 16 on two
// cores are two blocks each, 32 rows; 7 columns are one block.
TEST_F(MatmulTemplateTest, AnchorsWithTails) {
  MatmulOp op = makeMatmul(60, 7, 10);
  MatmulTemplateAttr params =
      makeTemplate(2, 1, 16, 7, 10, 1, {LoopDim::m, LoopDim::n, LoopDim::k});
  std::vector<Row> table = getTable(params, op);
  auto has = [&](Row row) { return llvm::is_contained(table, row); };
  EXPECT_TRUE(has({AnchorKind::post, 1, 0, 16 * 7, 2, 224}));
  EXPECT_TRUE(has({AnchorKind::post, 2, 0, 32 * 7, 1, 224}));
  EXPECT_TRUE(has({AnchorKind::pre, 3, 0, 16 * 10, 2, 320}));
}

// Partial sums are added up block by block: one post-op anchor, and no loops
// that another op could merge with. Operands are packed slice by slice: half of
// the 128 products for each of two cores.
TEST_F(MatmulTemplateTest, SlicesOfK) {
  MatmulOp op = makeMatmul(16, 32, 128);
  LoopDim order[] = {LoopDim::m, LoopDim::n, LoopDim::k};
  auto params = MatmulTemplateAttr::get(&context, 1, 1, 8, 16, 32, 4, order,
                                        false, false, /*KPN=*/2);
  std::vector<Row> expected = {
      {AnchorKind::pre, 2, 0, 16 * 64, 1, 16 * 64},
      {AnchorKind::pre, 2, 1, 64 * 32, 1, 64 * 32},
      {AnchorKind::post, 1, 0, 8 * 16, 4, 4 * 8 * 16},
  };
  EXPECT_EQ(getTable(params, op), expected);
  for (const AnchorInfo &anchor : params.getAnchors(op))
    EXPECT_TRUE(anchor.isFeasible);
  EXPECT_FALSE(params.getOuterLoops(op));
  EXPECT_TRUE(
      makeTemplate(1, 1, 8, 16, 32, 4, order).getOuterLoops(op).has_value());
}

// What neighbours have agreed on is kept; rows that are reduced stay whole.
TEST_F(MatmulTemplateTest, ChoiceObeysTheNeighbours) {
  MatmulOp op = makeMatmul(64, 4096, 256);
  Machine machine;
  machine.cores = 8;
  TemplateOptions options;
  options.wholeRows = true;
  auto choose = [&] {
    auto candidates = findTemplates(op, machine, options);
    EXPECT_EQ(candidates.size(), 1u);
    EXPECT_GT(candidates.front().cycles, 0);
    return cast<MatmulTemplateAttr>(candidates.front().params);
  };
  MatmulTemplateAttr params = choose();
  EXPECT_EQ(params.getNPN(), 1);
  EXPECT_EQ(params.getKPN(), 1);
  EXPECT_EQ(params.getOrder()[1], LoopDim::k);
  EXPECT_GE(params.getKB() * params.getBS() + 63, 256);
  options.rowParts = 4;
  options.rowBlock = 5;
  params = choose();
  EXPECT_EQ(params.getMPN(), 4);
  EXPECT_EQ(params.getNPN(), 1);
  EXPECT_EQ(params.getMB(), 5);
}

// Candidates come cheapest first, are all different, and cost what the template
// says that they cost.
TEST_F(MatmulTemplateTest, CandidatesHaveTheirCost) {
  MatmulOp op = makeMatmul(96, 200, 512);
  Machine machine;
  machine.cores = 4;
  TemplateOptions options;
  options.alternatives = 9;
  auto candidates = findTemplates(op, machine, options);
  ASSERT_EQ(candidates.size(), 10u);
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto params = cast<TemplateAttrInterface>(candidates[i].params);
    EXPECT_DOUBLE_EQ(params.getCycles(op, machine, options),
                     candidates[i].cycles);
    for (size_t j = 0; j < i; ++j) {
      EXPECT_LE(candidates[j].cycles, candidates[i].cycles);
      EXPECT_NE(candidates[j].params, candidates[i].params);
    }
  }
}

// Slices have as many dimensions as the tensors, each in its own order.
TEST_F(MatmulTemplateTest, SlicesOfAnyRank) {
  Type element = builder.getF32Type();
  OpBuilder::InsertionGuard guard(builder);
  Location loc = builder.getUnknownLoc();
  auto func = func::FuncOp::create(
      builder, loc, "g",
      builder.getFunctionType({RankedTensorType::get({5, 3, 64, 32}, element),
                               RankedTensorType::get({3, 48, 32}, element)},
                              {}));
  builder.setInsertionPointToStart(func.addEntryBlock());
  auto op = MatmulOp::create(builder, loc, func.getArgument(0),
                             func.getArgument(1), ValueRange(), false, true,
                             TemplateAttrInterface(), 0, 0, 0, WindowAttr());
  func::ReturnOp::create(builder, loc);
  MatmulTemplateAttr params =
      makeTemplate(1, 1, 8, 16, 32, 1, {LoopDim::m, LoopDim::n, LoopDim::k});
  op.setTemplateParamsAttr(params);
  using Slice = SmallVector<int64_t>;
  auto getSlice = [&](AnchorKind kind, unsigned index, unsigned operand) {
    auto anchor = findAnchor(op, kind, index, operand);
    return anchor ? anchor->slice : Slice();
  };
  EXPECT_EQ(getSlice(AnchorKind::post, 1, 0), Slice({1, 1, 8, 16}));
  EXPECT_EQ(getSlice(AnchorKind::pre, 3, 0), Slice({1, 1, 8, 32}));
  // B is transposed: [batch, n, k].
  EXPECT_EQ(getSlice(AnchorKind::pre, 4, 1), Slice({1, 16, 32}));
  EXPECT_EQ(findAnchor(op, AnchorKind::pre, 4, 1)->depth, 2u);
  EXPECT_FALSE(findAnchor(op, AnchorKind::pre, 6, 0));
}

TEST_F(MatmulTemplateTest, FeasibleAnchors) {
  MatmulOp op = makeMatmul(64, 96, 128);
  // Two chunks of k: A cannot be packed inside their loop.
  MatmulTemplateAttr chunked =
      makeTemplate(2, 3, 8, 16, 32, 2, {LoopDim::m, LoopDim::k, LoopDim::n});
  EXPECT_TRUE(isFeasible(chunked, op, AnchorKind::pre, 3, 0));
  EXPECT_FALSE(isFeasible(chunked, op, AnchorKind::pre, 4, 0));
  // One chunk: it can.
  MatmulTemplateAttr whole =
      makeTemplate(2, 3, 8, 16, 32, 4, {LoopDim::m, LoopDim::k, LoopDim::n});
  EXPECT_TRUE(isFeasible(whole, op, AnchorKind::pre, 4, 0));
  for (MatmulTemplateAttr params : {chunked, whole}) {
    EXPECT_TRUE(isFeasible(params, op, AnchorKind::pre, 2, 0));
    EXPECT_TRUE(isFeasible(params, op, AnchorKind::post, 1, 0));
    EXPECT_TRUE(isFeasible(params, op, AnchorKind::post, 2, 0));
    // B is packed where A is: with all of k.
    for (unsigned index = 1; index <= 5; ++index)
      EXPECT_EQ(isFeasible(params, op, AnchorKind::pre, index, 1),
                isFeasible(params, op, AnchorKind::pre, index, 0));
    // Nothing is between the parallel loops.
    EXPECT_FALSE(isFeasible(params, op, AnchorKind::pre, 1, 0));
    EXPECT_FALSE(isFeasible(params, op, AnchorKind::post, 3, 0));
  }
}

TEST_F(MatmulTemplateTest, OperandTypes) {
  MatmulOp op = makeMatmul(8, 16, 32);
  MatmulTemplateAttr params =
      makeTemplate(1, 1, 4, 16, 8, 2, {LoopDim::m, LoopDim::n, LoopDim::k});
  // A packed in [M/MB][K/KB][MB][KB], B in place.
  LayoutAttr layout = getLayout(params.getOperandType(op, 0));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout.getPhysicalShape({8, 32}),
            SmallVector<int64_t>({2, 4, 4, 8}));
  EXPECT_EQ(params.getOperandType(op, 1), op.getWeights().getType());
}

TEST_F(MatmulTemplateTest, Flops) {
  EXPECT_EQ(makeMatmul(3, 5, 7).getFlops(), 2 * 3 * 5 * 7);
}

// Sizes of 1, primes, one less and one more than blocks, tall and wide; teams
// up to more threads than there is work. Every choice fits the op, uses no more
// threads than there are, and leaves no core without a block.
TEST_F(MatmulTemplateTest, EveryChoiceFits) {
  const int64_t sizes[] = {1,  2,  7,   15,  16,  17,  31,
                           33, 64, 127, 129, 479, 1024};
  Machine narrow, wide;
  narrow.vectorBits = 256;
  wide.vectorBits = 512;
  wide.vectorRegisters = 32;
  Machine tiny = narrow;
  tiny.l1Bytes = tiny.l2Bytes = tiny.l3Bytes = 1;
  int64_t single = 0;
  for (int64_t m : sizes)
    for (int64_t n : sizes)
      for (int64_t k : sizes)
        for (const Machine &machine : {narrow, wide, tiny}) {
          MatmulOp op = makeMatmul(m, n, k);
          TemplateOptions options;
          options.threads = 1 + (m * 3 + n * 5 + k * 7) % 13;
          options.kernels = (m + n + k) % 2 ? KernelPreference::vector
                                            : KernelPreference::automatic;
          auto candidates = findTemplates(op, machine, options);
          ASSERT_EQ(candidates.size(), 1u);
          auto params = cast<MatmulTemplateAttr>(candidates.front().params);
          op.setTemplateParamsAttr(params);
          ASSERT_TRUE(succeeded(verify(op)))
              << m << " x " << n << " x " << k << ", " << options.threads;
          EXPECT_LE(params.getMPN() * params.getNPN(), options.threads);
          single += options.threads == 1;
        }
  // The formula above gives one thread now and then.
  EXPECT_GT(single, 0);
}

} // namespace
