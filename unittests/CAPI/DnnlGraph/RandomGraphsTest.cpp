// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random graphs through the C++ header: shared and dead tensors, wildcards and
// ends, unknown shapes, views, layouts of the library's choice, in place, with
// and without a scratchpad, for both policies.

#include "ApiRun.h"
#include "Reference/Interpreter.h"
#include "Transforms/Register.h"
#include "mlir/IR/Builders.h"

#include "gtest/gtest.h"
#include <array>
#include <cstdlib>
#include <random>

using namespace gc;
using namespace gc::dnnltest;

namespace {

class RandomGraph {
public:
  RandomGraph(unsigned seed, mlir::MLIRContext *context)
      : random(seed), builder(context),
        graph{builder.getUnknownLoc(), "main", {}, {}, {}} {
    int64_t sizes[] = {draw(6) + 1, draw(5) * 4 + 4, draw(20) + 1};
    rows = sizes[0];
    columns = sizes[1];
    inner = sizes[2];
    options.choose = [this](unsigned count) { return draw(count); };
    if (draw(2))
      options.policy = dnnl::graph::partition::policy::debug;
  }

  void build() {
    unsigned count = draw(10) + 1;
    for (unsigned i = 0; i < count; ++i)
      addOp();
    for (const onednn::OpNode &node : graph.ops)
      for (const auto &output : node.outputs) {
        if (draw(8) == 0)
          options.ended.insert(output.id);
        switch (draw(4)) {
        case 0:
          options.unknown.insert(output.id);
          break;
        case 1:
          options.unknownSizes.insert(output.id);
          break;
        }
      }
  }

  unsigned draw(unsigned count) { return random() % count; }

  std::mt19937 random;
  mlir::Builder builder;
  onednn::GraphFile graph;
  ApiOptions options;

private:
  onednn::LogicalTensor make(int64_t m, int64_t n, bool constant = false,
                             mlir::Type type = {}) {
    return {nextTensor++,
            type ? type : builder.getF32Type(),
            {m, n},
            std::nullopt,
            constant ? onednn::Property::Constant : onednn::Property::Undef};
  }

  /// A tensor of rows x columns: often one that is there.
  onednn::LogicalTensor pick() {
    if (tensors.empty() || draw(6) == 0)
      tensors.push_back(make(rows, columns));
    return tensors[draw(tensors.size())];
  }

  onednn::OpNode &add(llvm::StringRef kind,
                      std::vector<onednn::LogicalTensor> inputs,
                      onednn::LogicalTensor output) {
    graph.ops.push_back({nextOp++,
                         kind.str(),
                         builder.getUnknownLoc(),
                         {},
                         std::move(inputs),
                         {output}});
    return graph.ops.back();
  }

  void addOp() {
    static const char *const unary[] = {"ReLU",    "Abs",       "Tanh",
                                        "Sigmoid", "HardSwish", "GELU"};
    static const char *const binary[] = {"Add", "Subtract", "Maximum",
                                         "Minimum", "Multiply"};
    onednn::LogicalTensor result = make(rows, columns);
    switch (draw(13)) {
    case 0:
    case 1:
      add(unary[draw(6)], {pick()}, result);
      break;
    case 2:
    case 3:
      // The second operand may be broadcast, and may be the first one.
      add(binary[draw(5)], {pick(), draw(4) == 0 ? make(1, columns) : pick()},
          result);
      break;
    case 4: {
      onednn::LogicalTensor middle = make(rows, inner);
      add("MatMul", {pick(), make(columns, inner, draw(2))}, middle);
      add("MatMul", {middle, make(inner, columns, draw(2))}, result);
      break;
    }
    case 5: {
      onednn::OpNode &node = add("SoftMax", {pick()}, result);
      node.attrs.push_back(
          {"axis", onednn::AttrType::S64, builder.getI64IntegerAttr(1)});
      if (draw(3) == 0) {
        // With statistics, which are read in half of the cases.
        onednn::LogicalTensor stats = make(rows, 1);
        node.outputs.push_back(stats);
        if (draw(2)) {
          onednn::LogicalTensor weights = result;
          result = make(rows, columns);
          add("Subtract", {draw(2) ? weights : pick(), stats}, result);
        }
      }
      break;
    }
    case 6:
      options.wildcards.insert(add("Abs", {pick()}, result).id);
      break;
    case 7: {
      // Reduced, and spread again.
      onednn::LogicalTensor whole = pick(), reduced = make(rows, 1);
      onednn::OpNode &node =
          add(std::array{"ReduceSum", "ReduceMax", "ReduceMean"}[draw(3)],
              {whole}, reduced);
      node.attrs.push_back({"axes", onednn::AttrType::S64List,
                            builder.getDenseI64ArrayAttr({1})});
      node.attrs.push_back(
          {"keep_dims", onednn::AttrType::Bool, builder.getBoolAttr(true)});
      add("Subtract", {draw(2) ? whole : pick(), reduced}, result);
      break;
    }
    case 8: {
      // There and back.
      onednn::LogicalTensor middle = make(columns, rows);
      for (auto [from, to] :
           {std::pair(pick(), middle), std::pair(middle, result)})
        add("StaticTranspose", {from}, to)
            .attrs.push_back({"order", onednn::AttrType::S64List,
                              builder.getDenseI64ArrayAttr({1, 0})});
      break;
    }
    case 9: {
      onednn::LogicalTensor narrow =
          make(rows, columns, false, builder.getBF16Type());
      add("TypeCast", {pick()}, narrow);
      add("TypeCast", {narrow}, result);
      break;
    }
    case 10: {
      onednn::OpNode &node = add(
          "LayerNorm", {pick(), make(1, columns), make(1, columns)}, result);
      for (onednn::LogicalTensor *tensor : {&node.inputs[1], &node.inputs[2]})
        tensor->shape = {columns};
      node.attrs.push_back(
          {"keep_stats", onednn::AttrType::Bool, builder.getBoolAttr(false)});
      break;
    }
    case 11: {
      onednn::LogicalTensor narrow =
          make(rows, columns, false, builder.getIntegerType(8, true));
      for (auto [kind, from, to] : {std::tuple("Quantize", pick(), narrow),
                                    std::tuple("Dequantize", narrow, result)}) {
        onednn::OpNode &node = add(kind, {from}, to);
        node.attrs.push_back({"scales", onednn::AttrType::F32List,
                              builder.getDenseF32ArrayAttr({0.0625f})});
        node.attrs.push_back({"zps", onednn::AttrType::S64List,
                              builder.getDenseI64ArrayAttr({0})});
      }
      break;
    }
    case 12: {
      // Dead: nobody reads it.
      add(unary[draw(6)], {pick()}, make(rows, columns));
      add("Square", {pick()}, result);
      break;
    }
    }
    tensors.push_back(result);
  }

  int64_t rows, columns, inner;
  uint64_t nextTensor = 100, nextOp = 0;
  std::vector<onednn::LogicalTensor> tensors;
};

/// Which layouts partitions want depends on the machine: it is this one for all
/// tests of the program, unless the environment names another.
[[maybe_unused]] const int kMachine =
    setenv("GC_MACHINE", "zen3-2", /*overwrite=*/0);

/// The number of a layout of two dimensions: that of what a product reads whose
/// rows are in few sets of a cache.
size_t makeBlocks() {
  using LT = dnnl::graph::logical_tensor;
  using dnnl::graph::op;
  const auto f32 = LT::data_type::f32;
  auto make = [&](size_t id, LT::dims dims) {
    return LT(id, f32, dims, LT::layout_type::strided);
  };
  LT x = make(0, {33, 32}), v = make(4, {32, 1024}), y = make(1, {33, 1024}),
     w = make(2, {1024, 64});
  dnnl::graph::graph graph(dnnl::engine::kind::cpu);
  graph.add_op(op(0, op::kind::MatMul, {x, v}, {y}));
  graph.add_op(op(1, op::kind::MatMul, {y, w}, {make(3, {33, 64})}));
  graph.finalize();
  auto parts = graph.get_partitions(dnnl::graph::partition::policy::debug);
  dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  LT chosen = parts[0]
                  .compile({x, v}, {LT(1, f32, LT::layout_type::any)}, cpu)
                  .query_logical_tensor(1);
  EXPECT_EQ(chosen.get_layout_type(), LT::layout_type::opaque);
  return chosen.get_layout_id();
}

TEST(RandomGraphs, AgreeWithTheReference) {
  const char *text = getenv("GC_RANDOM_GRAPHS");
  const char *from = getenv("GC_RANDOM_SEED");
  unsigned count = text ? atoi(text) : 20, first = from ? atoi(from) : 1;
  size_t blocks = makeBlocks();
  size_t inplace = 0, partitions = 0, opaque = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    reference::registerReferenceModels(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    RandomGraph random(seed, &context);
    random.build();
    random.options.blocks = blocks;
    ApiResult result = runThroughApi(random.graph, &context, random.options);
    EXPECT_EQ(result.error, "") << "seed " << seed;
    EXPECT_EQ(result.refusal, "") << "seed " << seed;
    inplace += result.inplace;
    partitions += result.partitions;
    opaque += result.opaque;
  }
  if (count >= 20) {
    EXPECT_GT(inplace, 0u);
    EXPECT_GT(opaque, 0u);
  }
  EXPECT_GE(partitions, count);
}

} // namespace
