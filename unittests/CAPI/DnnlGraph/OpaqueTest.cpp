// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Opaque layouts between partitions: when the library chooses one, what it says
// about it, and the values on both sides.

#include "ApiRun.h"
#include "Reference/Interpreter.h"
#include "Transforms/Register.h"
#include "mlir/IR/Builders.h"

#include "gtest/gtest.h"
#include <random>

using namespace gc;
using namespace gc::dnnltest;
using dnnl::engine;
using dnnl::stream;
using dnnl::graph::compiled_partition;
using dnnl::graph::op;
using dnnl::graph::partition;
using dnnl::graph::tensor;
using LT = dnnl::graph::logical_tensor;

namespace {

const auto f32 = LT::data_type::f32;
using Layout = LT::layout_type;

LT makeTensor(size_t id, LT::dims dims) {
  return LT(id, f32, dims, Layout::strided);
}

op makeOp(size_t id, op::kind kind, const std::vector<LT> &inputs,
          const LT &output) {
  return op(id, kind, inputs, {output});
}

std::vector<partition>
divide(const std::vector<op> &ops,
       partition::policy policy = partition::policy::debug) {
  dnnl::graph::graph g(engine::kind::cpu);
  for (const op &o : ops)
    g.add_op(o);
  g.finalize();
  return g.get_partitions(policy);
}

/// A tensor with its elements, in a layout of any kind.
struct Values {
  Values(const LT &lt) : lt(lt), data(lt.get_mem_size() / sizeof(float), 7) {}

  LT lt;
  std::vector<float> data;
};

Values makeRandom(const LT &lt) {
  Values values(lt);
  std::mt19937 random(lt.get_id() + 1);
  std::uniform_real_distribution<float> range(-1, 1);
  for (float &value : values.data)
    value = range(random);
  return values;
}

/// Compiles and runs a partition; the output has the layout that it was asked
/// for or that the library chose.
Values run(partition part, std::vector<Values *> inputs, const LT &asked) {
  engine cpu(engine::kind::cpu, 0);
  stream work(cpu);
  std::vector<LT> lts;
  std::vector<tensor> tensors;
  for (Values *input : inputs) {
    lts.push_back(input->lt);
    tensors.emplace_back(input->lt, cpu, input->data.data());
  }
  compiled_partition compiled = part.compile(lts, {asked}, cpu);
  Values output(compiled.query_logical_tensor(asked.get_id()));
  compiled.execute(work, tensors, {tensor(output.lt, cpu, output.data.data())});
  work.wait();
  return output;
}

/// y = x v, z = y w, in two partitions. Rows of y that are 512 floats long
/// are in few sets of a cache, so that blocks of them are read faster.
struct TwoPartitions {
  explicit TwoPartitions(int64_t m = 96, int64_t k = 512, int64_t n = 64)
      : x(makeRandom(makeTensor(0, {m, 32}))),
        v(makeRandom(makeTensor(4, {32, k}))),
        w(makeRandom(makeTensor(2, {k, n}))), y(makeTensor(1, {m, k})),
        z(makeTensor(3, {m, n})), partitions(divide({first(), product()})) {}

  op first() const { return makeOp(0, op::kind::MatMul, {x.lt, v.lt}, y); }
  op product() const { return makeOp(1, op::kind::MatMul, {y, w.lt}, z); }

  static LT any(size_t id) { return LT(id, f32, Layout::any); }

  Values x, v, w;
  LT y, z;
  std::vector<partition> partitions;
};

TEST(Opaque, BlocksBetweenPartitions) {
  for (LT::dims sizes : {LT::dims{96, 512, 64}, LT::dims{33, 1024, 130},
                         LT::dims{257, 1536, 100}}) {
    TwoPartitions two(sizes[0], sizes[1], sizes[2]);
    Values y = run(two.partitions[0], {&two.x, &two.v}, two.any(1));
    ASSERT_EQ(y.lt.get_layout_type(), Layout::opaque);
    EXPECT_EQ(y.lt.get_dims(), two.y.get_dims());
    // Nothing is lost; there may be padding.
    EXPECT_GE(y.lt.get_mem_size(), two.y.get_mem_size());
    Values plain = run(two.partitions[0], {&two.x, &two.v}, two.y);
    Values a = run(two.partitions[1], {&y, &two.w}, two.z);
    Values b = run(two.partitions[1], {&plain, &two.w}, two.z);
    for (size_t i = 0; i < a.data.size(); ++i)
      ASSERT_NEAR(a.data[i], b.data[i], 1e-2f) << i;
  }
}

TEST(Opaque, SameChoiceSameNumber) {
  TwoPartitions one, two;
  LT a = run(one.partitions[0], {&one.x, &one.v}, one.any(1)).lt;
  LT b = run(two.partitions[0], {&two.x, &two.v}, two.any(1)).lt;
  EXPECT_TRUE(a.is_equal(b));
  EXPECT_FALSE(a.is_equal(one.y));
  TwoPartitions other(33, 1024, 64);
  LT c = run(other.partitions[0], {&other.x, &other.v}, other.any(1)).lt;
  EXPECT_FALSE(a.is_equal(c));
}

/// What reads plain tensors, a reorder above all, reads opaque ones as well,
/// and an output may be asked for in an opaque layout that is known.
TEST(Opaque, ReordersOnBothSides) {
  TwoPartitions two;
  Values y = run(two.partitions[0], {&two.x, &two.v}, two.any(1));
  ASSERT_EQ(y.lt.get_layout_type(), Layout::opaque);
  LT copy = makeTensor(5, two.y.get_dims());
  auto reorder = divide({makeOp(0, op::kind::Reorder, {two.y}, copy)});
  Values plain = run(reorder[0], {&y}, copy);
  plain.lt = two.y;
  Values direct = run(two.partitions[0], {&two.x, &two.v}, two.y);
  for (size_t i = 0; i < plain.data.size(); ++i)
    ASSERT_NEAR(plain.data[i], direct.data[i], 1e-4f) << i;
  LT columns(5, f32, two.y.get_dims(), LT::dims{1, two.y.get_dims()[0]});
  Values transposed = run(reorder[0], {&y}, columns);
  EXPECT_EQ(transposed.data[1], plain.data[two.y.get_dims()[1]]);

  dnnl_graph_logical_tensor_t asked;
  dnnl_graph_logical_tensor_init_with_dims(
      &asked, 5, dnnl_f32, 2, two.y.get_dims().data(),
      dnnl_graph_layout_type_opaque, dnnl_graph_tensor_property_undef);
  asked.layout.layout_id = y.lt.get_layout_id();
  Values blocked = run(reorder[0], {&plain}, LT(asked));
  EXPECT_EQ(blocked.lt.get_layout_id(), y.lt.get_layout_id());
  blocked.lt.data.id = 1;
  EXPECT_EQ(run(reorder[0], {&blocked}, copy).data, plain.data);

  LT sum = makeTensor(5, {two.y.get_dims()[0], 1});
  op reduce = makeOp(0, op::kind::ReduceSum, {two.y}, sum);
  reduce.set_attr<std::vector<int64_t>>(op::attr::axes, {1})
      .set_attr<bool>(op::attr::keep_dims, true);
  Values sums = run(divide({reduce})[0], {&y}, sum);
  for (int64_t row = 0; row < two.y.get_dims()[0]; ++row) {
    float expected = 0;
    for (int64_t i = 0; i < two.y.get_dims()[1]; ++i)
      expected += plain.data[row * two.y.get_dims()[1] + i];
    EXPECT_NEAR(sums.data[row], expected, 1e-2f);
  }
}

/// The layout is a strided one where somebody else reads the tensor, where
/// readers do not agree, and where the graph does not say what else they read.
TEST(Opaque, OnlyWhereAllReadersGain) {
  TwoPartitions two;
  auto getLayout = [&](std::vector<op> ops) {
    ops.insert(ops.begin(), two.first());
    auto partitions = divide(ops);
    return run(partitions[0], {&two.x, &two.v}, two.any(1))
        .lt.get_layout_type();
  };
  LT other = makeTensor(6, two.y.get_dims());
  op tanh = makeOp(2, op::kind::Tanh, {two.y}, other);
  op wildcard = makeOp(2, op::kind::Wildcard, {two.y}, other);
  op again = makeOp(2, op::kind::MatMul, {two.y, two.w.lt},
                    makeTensor(6, two.z.get_dims()));
  LT unknown(2, f32);
  op open = makeOp(1, op::kind::MatMul, {two.y, unknown}, LT(3, f32));
  EXPECT_EQ(getLayout({two.product()}), Layout::opaque);
  EXPECT_EQ(getLayout({two.product(), again}), Layout::opaque);
  EXPECT_EQ(getLayout({}), Layout::strided);
  EXPECT_EQ(getLayout({tanh}), Layout::strided);
  EXPECT_EQ(getLayout({two.product(), tanh}), Layout::strided);
  EXPECT_EQ(getLayout({two.product(), wildcard}), Layout::strided);
  EXPECT_EQ(getLayout({two.product(), op(2, op::kind::End, {two.y}, {})}),
            Layout::strided);
  EXPECT_EQ(getLayout({open}), Layout::strided);
  // What is not made tile by tile is written in rows.
  auto rows = divide(
      {makeOp(0, op::kind::Abs, {makeTensor(0, two.y.get_dims())}, two.y),
       two.product()});
  Values input = makeRandom(makeTensor(0, two.y.get_dims()));
  EXPECT_EQ(run(rows[0], {&input}, two.any(1)).lt.get_layout_type(),
            Layout::strided);
  // Other rows are read as fast where they are.
  TwoPartitions apart(96, 200, 64);
  EXPECT_EQ(run(apart.partitions[0], {&apart.x, &apart.v}, apart.any(1))
                .lt.get_layout_type(),
            Layout::strided);
}

TEST(Opaque, ForeignNumbers) {
  TwoPartitions two;
  engine cpu(engine::kind::cpu, 0);
  auto compile = [&](size_t which, const LT &y) {
    try {
      if (which == 0)
        two.partitions[0].compile({two.x.lt, two.v.lt}, {y}, cpu);
      else
        two.partitions[1].compile({y, two.w.lt}, {two.z}, cpu);
    } catch (const dnnl::error &thrown) {
      return thrown.status;
    }
    return dnnl_success;
  };
  LT known = run(two.partitions[0], {&two.x, &two.v}, two.any(1)).lt;
  ASSERT_EQ(known.get_layout_type(), Layout::opaque);
  auto change = [&](auto set) {
    dnnl_graph_logical_tensor_t raw = known.data;
    set(raw);
    return LT(raw);
  };
  EXPECT_EQ(compile(0, known), dnnl_success);
  EXPECT_EQ(compile(1, known), dnnl_success);
  for (size_t id :
       {size_t(0), size_t(3), known.get_layout_id() + 1000, SIZE_MAX}) {
    LT foreign = change([&](auto &raw) { raw.layout.layout_id = id; });
    EXPECT_EQ(compile(0, foreign), dnnl_invalid_arguments) << id;
    EXPECT_EQ(compile(1, foreign), dnnl_invalid_arguments) << id;
    EXPECT_EQ(foreign.get_mem_size(), SIZE_MAX) << id;
  }
  // Of tensors of another rank.
  LT flat = change([](auto &raw) { raw.ndims = 1; });
  EXPECT_EQ(compile(1, flat), dnnl_invalid_arguments);
  EXPECT_EQ(flat.get_mem_size(), SIZE_MAX);
  LT open = change([](auto &raw) { raw.dims[0] = DNNL_GRAPH_UNKNOWN_DIM; });
  EXPECT_EQ(compile(1, open), dnnl_invalid_arguments);
  EXPECT_EQ(open.get_mem_size(), SIZE_MAX);
  // Memory for a view is not enough.
  compiled_partition compiled =
      two.partitions[1].compile({known, two.w.lt}, {two.z}, cpu);
  std::vector<float> memory(known.get_mem_size() / sizeof(float));
  stream work(cpu);
  LT small = makeTensor(1, {two.y.get_dims()[0] - 1, two.y.get_dims()[1]});
  EXPECT_THROW(compiled.execute(work,
                                {tensor(small, cpu, memory.data()),
                                 tensor(two.w.lt, cpu, two.w.data.data())},
                                {tensor(two.z, cpu, memory.data())}),
               dnnl::error);
}

/// Layers, each op a partition of its own, against the reference.
TEST(Opaque, LayersAgreeWithTheReference) {
  for (bool narrow : {false, true}) {
    mlir::DialectRegistry registry;
    registerAllGraphCompilerDialects(registry);
    reference::registerReferenceModels(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::Builder builder(&context);
    onednn::GraphFile graph{builder.getUnknownLoc(), "main", {}, {}, {}};
    mlir::Type element = builder.getF32Type();
    if (narrow)
      element = builder.getBF16Type();
    uint64_t next = 0;
    auto make = [&](int64_t m, int64_t n, onednn::Property property) {
      return onednn::LogicalTensor{
          next++, element, {m, n}, std::nullopt, property};
    };
    auto add = [&](const char *kind, std::vector<onednn::LogicalTensor> inputs,
                   onednn::LogicalTensor output) {
      graph.ops.push_back({graph.ops.size(),
                           kind,
                           builder.getUnknownLoc(),
                           {},
                           std::move(inputs),
                           {output}});
      return output;
    };
    constexpr int64_t rows = 67, sizes[] = {45, 1024, 2048, 64};
    auto value = make(rows, sizes[0], onednn::Property::Variable);
    for (int layer = 0; layer < 3; ++layer) {
      auto weights = make(sizes[layer], sizes[layer + 1],
                          layer == 1 ? onednn::Property::Variable
                                     : onednn::Property::Constant);
      auto made = [&] {
        return make(rows, sizes[layer + 1], onednn::Property::Variable);
      };
      value = add("MatMul", {value, weights}, made());
    }
    add("Tanh", {value}, make(rows, sizes[3], onednn::Property::Variable));
    ApiOptions options;
    options.policy = partition::policy::debug;
    ApiResult result = runThroughApi(graph, &context, options);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.refusal, "");
    EXPECT_GE(result.opaque, 1u);
  }
}

} // namespace
