// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every kind of op alone, with the tensors and attributes that the table of
// operations has for it, and values of all sorts: statuses, and nothing written
// beyond a tensor.

#include "Dialect/Graph/IR/OpTable.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "llvm/ADT/SmallVector.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

using namespace gc;
using dnnl::graph::op;
using LT = dnnl_graph_logical_tensor_t;
using Sizes = std::vector<int64_t>;

namespace {

const std::map<std::string, op::kind> &getKinds() {
  static const std::map<std::string, op::kind> kinds = [] {
    std::map<std::string, op::kind> result;
#define GC_KIND(name) result[llvm::StringRef(#name).lower()] = op::kind::name;
#include "Kinds.def"
    return result;
  }();
  return kinds;
}

const std::map<std::string, op::attr> &getAttrs() {
  static const std::map<std::string, op::attr> attrs = [] {
    std::map<std::string, op::attr> result;
#define GC_ATTR(name) result[#name] = op::attr::name;
#include "Kinds.def"
    return result;
  }();
  return attrs;
}

class SingleOp {
public:
  SingleOp(unsigned seed, dnnl_engine_t engine, dnnl_stream_t stream)
      : random(seed), engine(engine), stream(stream) {
    llvm::SmallVector<const graph::OpSpec *> rows;
    for (const graph::OpSpec &row : graph::getOpTable())
      if (getKinds().count(row.kind.lower()))
        rows.push_back(&row);
    spec = rows[draw(rows.size())];
    isWild = draw(2);
    for (unsigned rank = draw(6); rank > 0; --rank)
      base.push_back(pick<int64_t>({1, 2, 3, 4, 4, 7}));
  }

  void run() {
    dnnl_graph_op_t created = nullptr;
    auto kind = getKinds().at(spec->kind.lower());
    ASSERT_EQ(dnnl_graph_op_create(
                  &created, 1, static_cast<dnnl_graph_op_kind_t>(kind), "op"),
              dnnl_success);
    op built(created);
    unsigned choice = draw(3);
    addTensors(built, spec->operands, choice, inputs);
    addTensors(built, spec->results, choice, outputs);
    for (const graph::AttrSpec &attr : spec->attrs)
      if (attr.use == graph::AttrUse::Required ? draw(40) != 0 : draw(2) == 0)
        setAttr(built, attr);
    dnnl_graph_partition_t partition = nullptr;
    if (dnnl_graph_partition_create_with_op(&partition, built.get(), dnnl_cpu))
      return;
    compile(partition);
    dnnl_graph_partition_destroy(partition);
  }

  bool isCompiled = false, isExecuted = false;

private:
  unsigned draw(unsigned count) { return random() % count; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[draw(values.size())];
  }

  int64_t drawInteger() {
    if (isWild && draw(4) == 0)
      return pick<int64_t>({0, -1, -2, 100, int64_t(1) << 31, int64_t(1) << 62,
                            INT64_MAX, INT64_MIN});
    return pick<int64_t>({1, 1, 1, 2, 0, 3});
  }

  float drawFloat() {
    if (isWild && draw(4) == 0)
      return pick({0.0f, -1.0f, 1e-30f, 1e30f, INFINITY, -INFINITY, NAN});
    return pick({1.0f, 0.5f, 2.0f});
  }

  /// Of the operand's types that of all: the first for integers.
  dnnl_data_type_t drawType(const graph::ValueSpec &value, unsigned choice) {
    llvm::SmallVector<llvm::StringRef> types;
    llvm::StringRef(value.elements).split(types, ' ');
    llvm::StringRef type = types[choice < types.size() ? choice : 0];
    for (int i = 0; i <= dnnl_s64; ++i)
      if (type == dnnl_dt2str(static_cast<dnnl_data_type_t>(i)))
        return static_cast<dnnl_data_type_t>(i);
    return type == "u64" ? dnnl_s64 : dnnl_f32;
  }

  Sizes drawShape(llvm::StringRef name) {
    // What norms scale by, slopes and biases: one for each channel.
    bool isVector = llvm::is_contained(
        {"gamma", "beta", "mean", "variance", "bias", "slope", "scales", "zps"},
        name);
    if (isVector && !base.empty() && draw(8))
      return {draw(3) ? base.back() : base[draw(base.size())]};
    if (llvm::is_contained({"seed", "offset", "probability"}, name) && draw(8))
      return {};
    if (draw(isWild ? 4 : 12))
      return base;
    Sizes shape;
    for (unsigned rank = draw(6); rank > 0; --rank)
      shape.push_back(pick<int64_t>({0, 1, 2, 4}));
    if (isWild && !shape.empty() && draw(8) == 0)
      shape.back() = pick<int64_t>({int64_t(1) << 40, INT64_MAX});
    return shape;
  }

  void addTensors(op &to, llvm::ArrayRef<graph::ValueSpec> specs,
                  unsigned choice, std::vector<LT> &list) {
    bool isInput = &list == &inputs;
    unsigned count = getLeast(specs);
    while (count < specs.size() && draw(2))
      ++count;
    for (unsigned i = 0; i < count; ++i) {
      LT lt;
      Sizes shape = drawShape(specs[i].name);
      dnnl_data_type_t type = drawType(specs[i], choice);
      size_t id = isInput ? i : 100 + i;
      // Shapes of results mostly follow.
      if ((isInput || draw(8) == 0) &&
          !dnnl_graph_logical_tensor_init_with_dims(
              &lt, id, type, static_cast<int>(shape.size()), shape.data(),
              dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef))
        list.push_back(lt);
      else
        list.push_back(dnnl::graph::logical_tensor(
                           id, dnnl::graph::logical_tensor::data_type(type),
                           dnnl::graph::logical_tensor::layout_type::any)
                           .data);
      auto described = dnnl::graph::logical_tensor(list.back());
      isInput ? to.add_input(described) : to.add_output(described);
    }
  }

  void setAttr(op &to, const graph::AttrSpec &attr) {
    auto entry = getAttrs().find(attr.name.str());
    if (entry == getAttrs().end())
      return;
    Sizes integers;
    unsigned count = draw(4)   ? std::max<int>(base.size() - 2, 1)
                     : draw(2) ? base.size()
                               : draw(13);
    for (unsigned i = 0; i < count; ++i)
      integers.push_back(draw(6) || base.empty() ? drawInteger()
                                                 : base[i % base.size()]);
    switch (attr.type) {
    case graph::AttrType::Bool:
      to.set_attr<bool>(entry->second, draw(2));
      break;
    case graph::AttrType::S64:
      to.set_attr<int64_t>(entry->second, drawInteger());
      break;
    case graph::AttrType::S64List:
      to.set_attr<Sizes>(entry->second, integers);
      break;
    case graph::AttrType::F32:
      to.set_attr<float>(entry->second, drawFloat());
      break;
    case graph::AttrType::F32List:
      to.set_attr<std::vector<float>>(entry->second,
                                      {integers.begin(), integers.end()});
      break;
    case graph::AttrType::String:
      to.set_attr<std::string>(
          entry->second,
          pick<const char *>({"NCX", "NXC", "none", "numpy", "OIX", "XIO",
                              "same_upper", "valid", "ceil", "per_channel",
                              "nearest", "linear", "gelu_tanh",
                              "inf_as_zero"}));
      break;
    }
  }

  void compile(dnnl_graph_partition_t partition) {
    dnnl_graph_compiled_partition_t code = nullptr;
    ASSERT_EQ(dnnl_graph_compiled_partition_create(&code, partition),
              dnnl_success);
    std::vector<const LT *> in, out;
    for (const LT &lt : inputs)
      in.push_back(&lt);
    for (const LT &lt : outputs)
      out.push_back(&lt);
    dnnl_status_t status = dnnl_graph_partition_compile(
        partition, code, in.size(), in.data(), out.size(), out.data(), engine);
    EXPECT_LE(status, dnnl_invalid_data_type);
    // The compiler reports errors, it does not run into them.
    EXPECT_NE(status, dnnl_runtime_error);
    if (status == dnnl_success) {
      isCompiled = true;
      execute(code);
    }
    dnnl_graph_compiled_partition_destroy(code);
  }

  /// With tensors of their size, so that the sanitizer sees what is beyond.
  void execute(dnnl_graph_compiled_partition_t code) {
    std::vector<std::vector<char>> memory;
    std::vector<dnnl_graph_tensor_t> tensors;
    auto makeTensors = [&](const std::vector<LT> &list) {
      for (const LT &lt : list) {
        LT complete;
        size_t bytes = 0;
        EXPECT_EQ(dnnl_graph_compiled_partition_query_logical_tensor(
                      code, lt.id, &complete),
                  dnnl_success);
        EXPECT_EQ(dnnl_graph_logical_tensor_get_mem_size(&complete, &bytes),
                  dnnl_success);
        if (bytes > size_t(1) << 24)
          return false;
        memory.emplace_back(bytes, char(1));
        dnnl_graph_tensor_t tensor = nullptr;
        EXPECT_EQ(dnnl_graph_tensor_create(&tensor, &complete, engine,
                                           memory.back().data()),
                  dnnl_success);
        tensors.push_back(tensor);
      }
      return true;
    };
    if (makeTensors(inputs) && makeTensors(outputs)) {
      std::vector<const_dnnl_graph_tensor_t> all(tensors.begin(),
                                                 tensors.end());
      EXPECT_EQ(dnnl_graph_compiled_partition_execute(
                    code, stream, inputs.size(), all.data(), outputs.size(),
                    all.data() + inputs.size()),
                dnnl_success);
      isExecuted = true;
    }
    for (dnnl_graph_tensor_t tensor : tensors)
      dnnl_graph_tensor_destroy(tensor);
  }

  std::mt19937 random;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  const graph::OpSpec *spec;
  bool isWild;
  Sizes base;
  std::vector<LT> inputs, outputs;
};

TEST(SingleOps, GiveStatuses) {
  const char *text = getenv("GC_SINGLE_OPS");
  const char *from = getenv("GC_RANDOM_SEED");
  unsigned count = text ? atoi(text) : 300, first = from ? atoi(from) : 1;
  dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream work(cpu);
  size_t compiled = 0, executed = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(seed);
    SingleOp single(seed, cpu.get(), work.get());
    single.run();
    compiled += single.isCompiled;
    executed += single.isExecuted;
  }
  std::cerr << compiled << " compilations and " << executed
            << " executions succeeded\n";
  if (count >= 300) {
    EXPECT_GT(executed, count / 20);
  }
}

} // namespace
