// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The graph interface for C++: objects share what they refer to when copied,
// and functions that fail throw dnnl::error. It is inline code on the C
// interface, whose header says what each function does.

#ifndef ONEAPI_DNNL_DNNL_GRAPH_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_HPP

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph_op.hpp"
#include "oneapi/dnnl/dnnl_graph_tensor.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_graph_t> {
  static dnnl_status_t destructor(dnnl_graph_graph_t object) {
    return dnnl_graph_graph_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_graph_partition_t> {
  static dnnl_status_t destructor(dnnl_graph_partition_t object) {
    return dnnl_graph_partition_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_graph_compiled_partition_t> {
  static dnnl_status_t destructor(dnnl_graph_compiled_partition_t object) {
    return dnnl_graph_compiled_partition_destroy(object);
  }
};

namespace graph {

/// A partition as code.
class compiled_partition : public handle<dnnl_graph_compiled_partition_t> {
public:
  using handle<dnnl_graph_compiled_partition_t>::handle;

  compiled_partition() = default;

  logical_tensor query_logical_tensor(size_t tid) const {
    dnnl_graph_logical_tensor_t lt;
    error::wrap_c_api(
        dnnl_graph_compiled_partition_query_logical_tensor(get(), tid, &lt),
        "could not query a logical tensor of a compiled partition");
    return logical_tensor(lt);
  }
  /// Pairs of an input's and an output's id.
  std::vector<std::pair<size_t, size_t>> get_inplace_ports() const {
    size_t num = 0;
    const dnnl_graph_inplace_pair_t *pairs = nullptr;
    error::wrap_c_api(
        dnnl_graph_compiled_partition_get_inplace_ports(get(), &num, &pairs),
        "could not get the in-place pairs of a compiled partition");
    std::vector<std::pair<size_t, size_t>> result;
    for (size_t i = 0; i < num; ++i)
      result.emplace_back(pairs[i].input_id, pairs[i].output_id);
    return result;
  }
  logical_tensor get_scratchpad_logical_tensor() const {
    dnnl_graph_logical_tensor_t lt;
    error::wrap_c_api(
        dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(get(), &lt),
        "could not get the scratchpad of a compiled partition");
    return logical_tensor(lt);
  }

  void execute(stream &astream, const std::vector<tensor> &inputs,
               const std::vector<tensor> &outputs,
               const tensor &scratchpad = tensor()) const {
    std::vector<const_dnnl_graph_tensor_t> in, out;
    in.reserve(inputs.size());
    out.reserve(outputs.size());
    for (const tensor &input : inputs)
      in.push_back(input.get());
    for (const tensor &output : outputs)
      out.push_back(output.get());
    error::wrap_c_api(dnnl_graph_compiled_partition_execute_v2(
                          get(), astream.get(), in.size(), in.data(),
                          out.size(), out.data(), scratchpad.get(true)),
                      "could not execute a compiled partition");
  }
};

/// Ops that can be compiled as one.
class partition : public handle<dnnl_graph_partition_t> {
public:
  using handle<dnnl_graph_partition_t>::handle;

  enum class policy {
    fusion = dnnl_graph_partition_policy_fusion,
    debug = dnnl_graph_partition_policy_debug
  };

  partition() = default;
  partition(const op &aop, engine::kind ekind) {
    dnnl_graph_partition_t object = nullptr;
    error::wrap_c_api(dnnl_graph_partition_create_with_op(&object, aop.get(),
                                                          convert_to_c(ekind)),
                      "could not create a partition with an op");
    reset(object);
  }

  size_t get_ops_num() const {
    size_t num = 0;
    error::wrap_c_api(dnnl_graph_partition_get_op_num(get(), &num),
                      "could not get the number of ops of a partition");
    return num;
  }
  std::vector<size_t> get_ops() {
    std::vector<size_t> ids(get_ops_num());
    error::wrap_c_api(
        dnnl_graph_partition_get_ops(get(), ids.size(), ids.data()),
        "could not get the ops of a partition");
    return ids;
  }
  size_t get_id() const {
    size_t id = 0;
    error::wrap_c_api(dnnl_graph_partition_get_id(get(), &id),
                      "could not get the id of a partition");
    return id;
  }
  bool is_supported() const {
    uint8_t supported = 0;
    error::wrap_c_api(dnnl_graph_partition_is_supported(get(), &supported),
                      "could not get whether a partition is supported");
    return supported != 0;
  }
  std::vector<logical_tensor> get_input_ports() const {
    return get_ports(dnnl_graph_partition_get_input_ports_num,
                     dnnl_graph_partition_get_input_ports);
  }
  std::vector<logical_tensor> get_output_ports() const {
    return get_ports(dnnl_graph_partition_get_output_ports_num,
                     dnnl_graph_partition_get_output_ports);
  }
  engine::kind get_engine_kind() const {
    dnnl_engine_kind_t result = dnnl_any_engine;
    error::wrap_c_api(dnnl_graph_partition_get_engine_kind(get(), &result),
                      "could not get the engine kind of a partition");
    return static_cast<engine::kind>(result);
  }

  compiled_partition compile(const std::vector<logical_tensor> &inputs,
                             const std::vector<logical_tensor> &outputs,
                             const engine &e) const {
    if (!is_supported())
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "the partition cannot be compiled");
    std::vector<const dnnl_graph_logical_tensor_t *> in, out;
    for (const logical_tensor &input : inputs)
      in.push_back(&input.data);
    for (const logical_tensor &output : outputs)
      out.push_back(&output.data);
    dnnl_graph_compiled_partition_t object = nullptr;
    error::wrap_c_api(dnnl_graph_compiled_partition_create(&object, get()),
                      "could not create a compiled partition");
    compiled_partition result(object);
    error::wrap_c_api(dnnl_graph_partition_compile(get(), object, in.size(),
                                                   in.data(), out.size(),
                                                   out.data(), e.get()),
                      "could not compile a partition");
    return result;
  }

private:
  std::vector<logical_tensor>
  get_ports(dnnl_status_t (*count)(const_dnnl_graph_partition_t, size_t *),
            dnnl_status_t (*list)(const_dnnl_graph_partition_t, size_t,
                                  dnnl_graph_logical_tensor_t *)) const {
    size_t num = 0;
    error::wrap_c_api(count(get(), &num),
                      "could not get the number of ports of a partition");
    if (num == 0)
      return {};
    std::vector<dnnl_graph_logical_tensor_t> ports(num);
    error::wrap_c_api(list(get(), num, ports.data()),
                      "could not get the ports of a partition");
    std::vector<logical_tensor> result;
    for (const dnnl_graph_logical_tensor_t &port : ports)
      result.emplace_back(port);
    return result;
  }
};

/// Ops and the tensors between them.
class graph : public handle<dnnl_graph_graph_t> {
public:
  using handle<dnnl_graph_graph_t>::handle;

  explicit graph(engine::kind engine_kind) {
    dnnl_graph_graph_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_graph_create(&object, convert_to_c(engine_kind)),
        "could not create a graph");
    reset(object);
  }
  graph(engine::kind engine_kind, fpmath_mode mode) {
    dnnl_graph_graph_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_graph_create_with_fpmath_mode(
            &object, convert_to_c(engine_kind), convert_to_c(mode)),
        "could not create a graph with a floating-point mode");
    reset(object);
  }

  void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
    error::wrap_c_api(dnnl_graph_graph_set_fpmath_mode(
                          get(), convert_to_c(mode), apply_to_int),
                      "could not set the floating-point mode of a graph");
  }
  void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
    dnnl_fpmath_mode_t c_mode = dnnl_fpmath_mode_strict;
    int c_apply = 0;
    error::wrap_c_api(
        dnnl_graph_graph_get_fpmath_mode(get(), &c_mode, &c_apply),
        "could not get the floating-point mode of a graph");
    mode = static_cast<fpmath_mode>(c_mode);
    apply_to_int = c_apply != 0;
  }

  /// Returns the status instead of throwing if exceptions are not allowed.
  status add_op(const op &aop, bool allow_exception = true) {
    dnnl_status_t result = dnnl_graph_add_op(get(), aop.get());
    if (allow_exception)
      error::wrap_c_api(result, "could not add an op to a graph");
    return static_cast<status>(result);
  }
  void finalize() {
    error::wrap_c_api(dnnl_graph_graph_finalize(get()),
                      "could not finalize a graph");
  }
  bool is_finalized() const {
    uint8_t result = 0;
    error::wrap_c_api(dnnl_graph_graph_is_finalized(get(), &result),
                      "could not get whether a graph is finalized");
    return result != 0;
  }

  std::vector<partition>
  get_partitions(partition::policy policy = partition::policy::fusion) {
    error::wrap_c_api(
        dnnl_graph_graph_filter(
            get(), static_cast<dnnl_graph_partition_policy_t>(policy)),
        "could not divide a graph into partitions");
    size_t num = 0;
    error::wrap_c_api(dnnl_graph_graph_get_partition_num(get(), &num),
                      "could not get the number of partitions of a graph");
    if (num == 0)
      return {};
    std::vector<dnnl_graph_partition_t> objects(num);
    error::wrap_c_api(
        dnnl_graph_graph_get_partitions(get(), num, objects.data()),
        "could not get the partitions of a graph");
    std::vector<partition> result;
    for (dnnl_graph_partition_t object : objects)
      result.emplace_back(object);
    return result;
  }
};

inline int get_compiled_partition_cache_capacity() {
  int capacity = 0;
  error::wrap_c_api(
      dnnl_graph_get_compiled_partition_cache_capacity(&capacity),
      "could not get the capacity of the compiled partition cache");
  return capacity;
}
inline void set_compiled_partition_cache_capacity(int capacity) {
  error::wrap_c_api(
      dnnl_graph_set_compiled_partition_cache_capacity(capacity),
      "could not set the capacity of the compiled partition cache");
}

inline void set_constant_tensor_cache_capacity(engine::kind kind, size_t size) {
  error::wrap_c_api(
      dnnl_graph_set_constant_tensor_cache_capacity(convert_to_c(kind), size),
      "could not set the capacity of the constant tensor cache");
}
inline size_t get_constant_tensor_cache_capacity(engine::kind kind) {
  size_t size = 0;
  error::wrap_c_api(
      dnnl_graph_get_constant_tensor_cache_capacity(convert_to_c(kind), &size),
      "could not get the capacity of the constant tensor cache");
  return size;
}
inline void set_constant_tensor_cache(int flag) {
  error::wrap_c_api(dnnl_graph_set_constant_tensor_cache(flag),
                    "could not set the constant tensor cache");
}
inline int get_constant_tensor_cache() {
  int flag = 0;
  error::wrap_c_api(dnnl_graph_get_constant_tensor_cache(&flag),
                    "could not get the constant tensor cache");
  return flag;
}

enum class dump_mode : unsigned {
  none = dnnl_graph_dump_mode_none,
  subgraph = dnnl_graph_dump_mode_subgraph,
  graph = dnnl_graph_dump_mode_graph
};
inline dump_mode operator|(dump_mode l, dump_mode r) {
  return static_cast<dump_mode>(static_cast<unsigned>(l) |
                                static_cast<unsigned>(r));
}
inline void set_dump_mode(dump_mode modes) {
  error::wrap_c_api(
      dnnl_graph_set_dump_mode(static_cast<dnnl_graph_dump_mode_t>(modes)),
      "could not set the dump mode");
}

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_GRAPH_HPP
