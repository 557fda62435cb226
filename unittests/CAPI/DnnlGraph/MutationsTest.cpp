// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of the C interface in any order with any arguments that point to
// memory: each gives a status.

#include "oneapi/dnnl/dnnl_graph.h"

#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>

namespace {

using LT = dnnl_graph_logical_tensor_t;

/// Objects of one type that are alive.
template <typename T>
class Pool {
public:
  explicit Pool(dnnl_status_t (*destroy)(T)) : destroy(destroy) {}
  ~Pool() {
    for (T object : objects)
      destroy(object);
  }

  void keep(T object) { objects.push_back(object); }
  /// One of them, sometimes none.
  T pick(std::mt19937 &random) const {
    if (objects.empty() || random() % 16 == 0)
      return nullptr;
    return objects[random() % objects.size()];
  }
  /// Destroys one.
  void drop(std::mt19937 &random) {
    if (objects.empty())
      return;
    std::swap(objects[random() % objects.size()], objects.back());
    EXPECT_EQ(destroy(objects.back()), dnnl_success);
    objects.pop_back();
  }

private:
  dnnl_status_t (*destroy)(T);
  std::vector<T> objects;
};

class Sequence {
public:
  explicit Sequence(unsigned seed) : random(seed) {}

  /// Successes among the calls.
  size_t numCompiled = 0, numExecuted = 0;

  void run() {
    unsigned steps = draw(120) + 5;
    for (unsigned i = 0; i < steps; ++i)
      step();
  }

private:
  unsigned draw(unsigned count) { return random() % count; }

  int64_t drawNumber() {
    static const int64_t numbers[] = {
        0, 1, 2, 3, 4, 8, -1, 13, 1000000, INT64_MIN, INT64_MAX, INT64_MIN + 1};
    // Mostly something that is right.
    return numbers[draw(4) ? 1 + draw(4) : draw(12)];
  }

  LT drawTensor() {
    LT lt;
    std::memset(&lt, 0, sizeof(lt));
    lt.id = draw(6);
    lt.ndims =
        draw(8) ? static_cast<int>(draw(3)) : static_cast<int>(drawNumber());
    for (int64_t &size : lt.dims)
      size = draw(4) ? 4 : drawNumber();
    for (int64_t &stride : lt.layout.strides)
      stride = drawNumber();
    lt.layout.strides[0] = draw(2) ? 4 : drawNumber();
    lt.data_type = draw(8) ? dnnl_f32 : static_cast<dnnl_data_type_t>(draw(20));
    lt.property =
        static_cast<dnnl_graph_tensor_property_t>(draw(8) ? draw(3) : draw(6));
    lt.layout_type =
        static_cast<dnnl_graph_layout_type_t>(draw(3) ? 2 : draw(6));
    return lt;
  }

  const LT *drawPointer() {
    tensor = drawTensor();
    return draw(20) ? &tensor : nullptr;
  }

  void check(dnnl_status_t status) {
    EXPECT_GE(status, dnnl_success);
    EXPECT_LE(status, dnnl_invalid_data_type);
  }

  void step() {
    switch (draw(16)) {
    case 0:
      return makeOp();
    case 1:
      return setAttr();
    case 2:
      return makeGraph();
    case 3:
    case 4:
    case 5:
      return check(dnnl_graph_add_op(graphs.pick(random), ops.pick(random)));
    case 6:
      return check(dnnl_graph_graph_finalize(graphs.pick(random)));
    case 7:
      return check(dnnl_graph_graph_filter(
          graphs.pick(random),
          static_cast<dnnl_graph_partition_policy_t>(draw(4))));
    case 8:
      return getPartitions();
    case 9:
      return compile();
    case 10:
      return makeTensor();
    case 11:
      return execute();
    case 12:
      return ask();
    case 13:
      return initialize();
    case 14:
      return makeSingle();
    case 15:
      return dropSomething();
    }
  }

  void makeOp() {
    dnnl_graph_op_t op = nullptr;
    static const dnnl_graph_op_kind_t kinds[] = {
        dnnl_graph_op_relu, dnnl_graph_op_add,      dnnl_graph_op_matmul,
        dnnl_graph_op_end,  dnnl_graph_op_wildcard, dnnl_graph_op_type_cast};
    auto kind =
        draw(4) ? kinds[draw(6)] : static_cast<dnnl_graph_op_kind_t>(draw(100));
    dnnl_status_t status = dnnl_graph_op_create(&op, draw(12), kind, "op");
    check(status);
    if (status)
      return;
    ops.keep(op);
    for (unsigned i = draw(3); i > 0; --i)
      check(dnnl_graph_op_add_input(op, drawPointer()));
    for (unsigned i = draw(5) ? 1 : draw(3); i > 0; --i)
      check(dnnl_graph_op_add_output(op, drawPointer()));
  }

  void setAttr() {
    auto name = static_cast<dnnl_graph_op_attr_t>(draw(0x90));
    int64_t integers[] = {drawNumber(), drawNumber(), drawNumber()};
    float floats[] = {0.5f, -1, 3};
    uint8_t flag = draw(2);
    dnnl_graph_op_t op = ops.pick(random);
    switch (draw(4)) {
    case 0:
      return check(dnnl_graph_op_set_attr_s64(op, name, integers, draw(4)));
    case 1:
      return check(dnnl_graph_op_set_attr_f32(op, name, floats, draw(4)));
    case 2:
      return check(dnnl_graph_op_set_attr_bool(op, name, &flag, draw(2)));
    case 3:
      return check(
          dnnl_graph_op_set_attr_str(op, name, draw(2) ? "NXC" : "", draw(4)));
    }
  }

  void makeGraph() {
    dnnl_graph_graph_t graph = nullptr;
    dnnl_status_t status = dnnl_graph_graph_create_with_fpmath_mode(
        &graph, draw(4) ? dnnl_cpu : static_cast<dnnl_engine_kind_t>(draw(4)),
        static_cast<dnnl_fpmath_mode_t>(draw(7)));
    check(status);
    if (!status)
      graphs.keep(graph);
  }

  void getPartitions() {
    dnnl_graph_graph_t graph = graphs.pick(random);
    size_t num = 0;
    dnnl_graph_partition_t handles[16] = {};
    check(dnnl_graph_graph_get_partition_num(graph, &num));
    num = std::min<size_t>(draw(4) ? num : draw(16), 16);
    dnnl_status_t status = dnnl_graph_graph_get_partitions(graph, num, handles);
    check(status);
    for (size_t i = 0; !status && i < num; ++i)
      partitions.keep(handles[i]);
  }

  void makeSingle() {
    dnnl_graph_partition_t partition = nullptr;
    dnnl_status_t status = dnnl_graph_partition_create_with_op(
        &partition, ops.pick(random), dnnl_cpu);
    check(status);
    if (!status)
      partitions.keep(partition);
  }

  void compile() {
    dnnl_graph_partition_t partition = partitions.pick(random);
    dnnl_graph_compiled_partition_t result = nullptr;
    dnnl_status_t status =
        dnnl_graph_compiled_partition_create(&result, partition);
    check(status);
    if (status)
      return;
    compiled.keep(result);
    LT lts[6];
    const LT *pointers[6];
    for (int i = 0; i < 6; ++i) {
      lts[i] = drawTensor();
      lts[i].id = i;
      // Often the right size and layout, at least of a square.
      if (draw(4))
        check(dnnl_graph_logical_tensor_init_with_dims(
            &lts[i], i, dnnl_f32, square.size(), square.data(),
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_undef));
      pointers[i] = draw(30) ? &lts[i] : nullptr;
    }
    dnnl_status_t compiles = dnnl_graph_partition_compile(
        partition, result, draw(4) ? 6 : draw(7), pointers,
        draw(4) ? 6 : draw(7), pointers, engine);
    check(compiles);
    numCompiled += compiles == dnnl_success;
  }

  void makeTensor() {
    dnnl_graph_tensor_t result = nullptr;
    LT lt = drawTensor();
    // Memory of a million elements and more is left to others.
    size_t bytes = 0;
    bool small = !dnnl_graph_logical_tensor_get_mem_size(&lt, &bytes) &&
                 bytes < (1 << 20);
    void *handle = small && draw(2) ? reinterpret_cast<void *>(size_t(-1))
                                    : memory + draw(9);
    dnnl_status_t status =
        draw(2) ? dnnl_graph_tensor_create(&result, &lt, engine, handle)
                : dnnl_graph_tensor_create_scalar(&result, &lt, memory);
    check(status);
    if (!status)
      tensors.keep(result);
  }

  /// With tensors that are large enough for what was compiled: all of memory
  /// that is asked for is the program's own.
  void execute() {
    dnnl_graph_compiled_partition_t code = compiled.pick(random);
    const_dnnl_graph_tensor_t arguments[7] = {};
    std::vector<dnnl_graph_tensor_t> own;
    for (int i = 0; i < 6; ++i) {
      LT lt;
      dnnl_status_t status =
          dnnl_graph_compiled_partition_query_logical_tensor(code, i, &lt);
      size_t bytes = 0;
      if (status || lt.id == SIZE_MAX ||
          dnnl_graph_logical_tensor_get_mem_size(&lt, &bytes) ||
          bytes > (1 << 20))
        continue;
      dnnl_graph_tensor_t made = nullptr;
      if (!dnnl_graph_tensor_create(&made, &lt, engine,
                                    reinterpret_cast<void *>(size_t(-1)))) {
        arguments[i] = made;
        own.push_back(made);
      }
    }
    for (auto &argument : arguments)
      if (!argument)
        argument = own.empty() ? nullptr : own.front();
    dnnl_status_t executes = dnnl_graph_compiled_partition_execute(
        code, stream, draw(4) ? 6 : draw(7), arguments, draw(4) ? 6 : draw(7),
        arguments);
    check(executes);
    numExecuted += executes == dnnl_success;
    for (dnnl_graph_tensor_t made : own)
      check(dnnl_graph_tensor_destroy(made));
  }

  void ask() {
    size_t number = 0;
    uint8_t flag = 0;
    dnnl_engine_kind_t kind;
    LT ports[4];
    dnnl_graph_partition_t partition = partitions.pick(random);
    check(dnnl_graph_partition_get_op_num(partition, &number));
    size_t ids[16];
    check(dnnl_graph_partition_get_ops(partition, std::min<size_t>(number, 16),
                                       ids));
    check(dnnl_graph_partition_is_supported(partition, &flag));
    check(dnnl_graph_partition_get_engine_kind(partition, &kind));
    check(dnnl_graph_partition_get_input_ports(partition, draw(4), ports));
    check(dnnl_graph_partition_get_output_ports(partition, draw(4), ports));
    dnnl_graph_compiled_partition_t code = compiled.pick(random);
    LT lt;
    const dnnl_graph_inplace_pair_t *pairs = nullptr;
    check(
        dnnl_graph_compiled_partition_query_logical_tensor(code, draw(9), &lt));
    check(
        dnnl_graph_compiled_partition_get_inplace_ports(code, &number, &pairs));
    check(
        dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(code, &lt));
    dnnl_graph_tensor_t held = tensors.pick(random);
    void *handle = nullptr;
    check(dnnl_graph_tensor_get_data_handle(held, &handle));
    check(dnnl_graph_tensor_get_logical_tensor(held, &lt));
  }

  void initialize() {
    LT lt;
    dnnl_dims_t dims, strides;
    for (int i = 0; i < DNNL_MAX_NDIMS; ++i) {
      dims[i] = drawNumber();
      strides[i] = drawNumber();
    }
    auto ndims = static_cast<int32_t>(draw(4) ? draw(13) : drawNumber());
    auto type = static_cast<dnnl_data_type_t>(draw(20));
    auto layout = static_cast<dnnl_graph_layout_type_t>(draw(6));
    auto property = static_cast<dnnl_graph_tensor_property_t>(draw(6));
    check(
        dnnl_graph_logical_tensor_init(&lt, 1, type, ndims, layout, property));
    check(dnnl_graph_logical_tensor_init_with_dims(&lt, 1, type, ndims, dims,
                                                   layout, property));
    check(dnnl_graph_logical_tensor_init_with_strides(&lt, 1, type, ndims, dims,
                                                      strides, property));
    LT other = drawTensor();
    size_t size;
    uint8_t equal;
    check(dnnl_graph_logical_tensor_get_mem_size(&other, &size));
    check(dnnl_graph_logical_tensor_is_equal(&other, drawPointer(), &equal));
  }

  void dropSomething() {
    switch (draw(5)) {
    case 0:
      return ops.drop(random);
    case 1:
      return graphs.drop(random);
    case 2:
      return partitions.drop(random);
    case 3:
      return compiled.drop(random);
    case 4:
      return tensors.drop(random);
    }
  }

  const std::vector<int64_t> square = {4, 4};
  std::mt19937 random;
  LT tensor;
  alignas(64) char memory[4096] = {};
  struct Engine {
    Engine() {
      EXPECT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success);
      EXPECT_EQ(dnnl_stream_create(&stream, engine, dnnl_stream_in_order),
                dnnl_success);
    }
    ~Engine() {
      dnnl_stream_destroy(stream);
      dnnl_engine_destroy(engine);
    }
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
  } owner;
  dnnl_engine_t engine = owner.engine;
  dnnl_stream_t stream = owner.stream;
  Pool<dnnl_graph_op_t> ops{dnnl_graph_op_destroy};
  Pool<dnnl_graph_graph_t> graphs{dnnl_graph_graph_destroy};
  Pool<dnnl_graph_partition_t> partitions{dnnl_graph_partition_destroy};
  Pool<dnnl_graph_compiled_partition_t> compiled{
      dnnl_graph_compiled_partition_destroy};
  Pool<dnnl_graph_tensor_t> tensors{dnnl_graph_tensor_destroy};
};

TEST(Mutations, GiveStatuses) {
  const char *text = getenv("GC_MUTATIONS");
  const char *from = getenv("GC_RANDOM_SEED");
  unsigned count = text ? atoi(text) : 1000, first = from ? atoi(from) : 1;
  size_t compiled = 0, executed = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(seed);
    Sequence sequence(seed);
    sequence.run();
    compiled += sequence.numCompiled;
    executed += sequence.numExecuted;
  }
  // The calls are not so wild that nothing is reached.
  std::cerr << compiled << " compilations and " << executed
            << " executions succeeded\n";
  if (count >= 1000) {
    EXPECT_GT(compiled, 0u);
  }
}

// That the leak sanitizer sees what a call makes and nobody destroys. Run by
// scripts/sanitize-calls.sh alone, which expects an error.
TEST(Mutations, DISABLED_LeakAGraph) {
  for (int i = 0; i < 2; ++i) {
    dnnl_graph_graph_t graph = nullptr;
    EXPECT_EQ(dnnl_graph_graph_create(&graph, dnnl_cpu), dnnl_success);
  }
}

} // namespace
