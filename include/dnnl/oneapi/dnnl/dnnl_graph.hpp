// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The graph interface for C++: objects share what they refer to when copied,
// and functions that fail throw dnnl::error. It is inline code on the C
// interface, whose header says what each function does.

#ifndef ONEAPI_DNNL_DNNL_GRAPH_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_HPP

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_allocator_t> {
  static dnnl_status_t destructor(dnnl_graph_allocator_t object) {
    // A shared pointer that is reset to null calls its deleter too.
    return object ? dnnl_graph_allocator_destroy(object) : dnnl_success;
  }
};
template <>
struct handle_traits<dnnl_graph_tensor_t> {
  static dnnl_status_t destructor(dnnl_graph_tensor_t object) {
    return dnnl_graph_tensor_destroy(object);
  }
};
template <>
struct handle_traits<dnnl_graph_op_t> {
  static dnnl_status_t destructor(dnnl_graph_op_t object) {
    return dnnl_graph_op_destroy(object);
  }
};
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

using dnnl::engine;
using dnnl::error;
using dnnl::fpmath_mode;
using dnnl::status;
using dnnl::stream;

/// Callbacks for memory.
class allocator : public handle<dnnl_graph_allocator_t> {
public:
  using handle<dnnl_graph_allocator_t>::handle;

  allocator(dnnl_graph_host_allocate_f host_malloc,
            dnnl_graph_host_deallocate_f host_free) {
    create(host_malloc, host_free);
  }
  /// The library's own.
  allocator() { create(nullptr, nullptr); }

private:
  void create(dnnl_graph_host_allocate_f host_malloc,
              dnnl_graph_host_deallocate_f host_free) {
    dnnl_graph_allocator_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_allocator_create(&object, host_malloc, host_free),
        "could not create an allocator");
    reset(object);
  }
};

inline engine make_engine_with_allocator(engine::kind kind, size_t index,
                                         const allocator &alloc) {
  dnnl_engine_t object = nullptr;
  error::wrap_c_api(dnnl_graph_make_engine_with_allocator(
                        &object, convert_to_c(kind), index, alloc.get()),
                    "could not make an engine with an allocator");
  return engine(object);
}

/// Id, type, sizes, property and layout of a tensor.
class logical_tensor {
public:
  using dim = dnnl_dim_t;
  using dims = std::vector<dim>;

  enum class data_type {
    undef = dnnl_data_type_undef,
    f16 = dnnl_f16,
    bf16 = dnnl_bf16,
    f32 = dnnl_f32,
    s32 = dnnl_s32,
    s8 = dnnl_s8,
    u8 = dnnl_u8,
    f64 = dnnl_f64,
    boolean = dnnl_boolean,
    f8_e5m2 = dnnl_f8_e5m2,
    f8_e4m3 = dnnl_f8_e4m3,
    s4 = dnnl_s4,
    u4 = dnnl_u4,
    e8m0 = dnnl_e8m0,
    f4_e2m1 = dnnl_f4_e2m1,
    f4_e3m0 = dnnl_f4_e3m0,
    s64 = dnnl_s64
  };
  enum class layout_type {
    undef = dnnl_graph_layout_type_undef,
    any = dnnl_graph_layout_type_any,
    strided = dnnl_graph_layout_type_strided,
    opaque = dnnl_graph_layout_type_opaque
  };
  enum class property_type {
    undef = dnnl_graph_tensor_property_undef,
    variable = dnnl_graph_tensor_property_variable,
    constant = dnnl_graph_tensor_property_constant,
    host_scalar = dnnl_graph_tensor_property_host_scalar
  };

  dnnl_graph_logical_tensor_t data;

  logical_tensor() : data() {}
  explicit logical_tensor(const dnnl_graph_logical_tensor_t &c_data)
      : data(c_data) {}
  logical_tensor(const logical_tensor &other) = default;
  logical_tensor &operator=(const logical_tensor &other) = default;

  /// Sizes and strides are unknown.
  logical_tensor(size_t tid, data_type dtype, int32_t ndims, layout_type ltype,
                 property_type ptype = property_type::undef) {
    check(dnnl_graph_logical_tensor_init(&data, tid, convert(dtype), ndims,
                                         convert(ltype), convert(ptype)));
  }
  logical_tensor(size_t tid, data_type dtype,
                 layout_type ltype = layout_type::undef)
      : logical_tensor(tid, dtype, DNNL_GRAPH_UNKNOWN_NDIMS, ltype) {}
  logical_tensor(size_t tid, data_type dtype, const dims &adims,
                 layout_type ltype,
                 property_type ptype = property_type::undef) {
    check_rank(adims);
    if (adims.empty() && ptype == property_type::host_scalar)
      check(dnnl_graph_logical_tensor_init(&data, tid, convert(dtype), 0,
                                           convert(ltype), convert(ptype)));
    else
      check(dnnl_graph_logical_tensor_init_with_dims(
          &data, tid, convert(dtype), static_cast<int>(adims.size()),
          adims.data(), convert(ltype), convert(ptype)));
  }
  logical_tensor(size_t tid, data_type dtype, const dims &adims,
                 const dims &strides,
                 property_type ptype = property_type::undef) {
    check_rank(adims);
    if (adims.size() != strides.size())
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "a logical tensor has as many strides as sizes");
    check(dnnl_graph_logical_tensor_init_with_strides(
        &data, tid, convert(dtype), static_cast<int>(adims.size()),
        adims.data(), strides.data(), convert(ptype)));
  }
  /// An opaque layout.
  logical_tensor(size_t tid, data_type dtype, const dims &adims, size_t lid,
                 property_type ptype = property_type::undef) {
    check_rank(adims);
    check(dnnl_graph_logical_tensor_init_with_dims(
        &data, tid, convert(dtype), static_cast<int>(adims.size()),
        adims.data(), dnnl_graph_layout_type_opaque, convert(ptype)));
    data.layout.layout_id = lid;
    data.layout_type = dnnl_graph_layout_type_opaque;
  }

  dims get_dims() const {
    if (data.ndims < 0)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "the number of dimensions is unknown");
    return {data.dims, data.dims + data.ndims};
  }
  size_t get_id() const { return data.id; }
  data_type get_data_type() const {
    return static_cast<data_type>(data.data_type);
  }
  property_type get_property_type() const {
    return static_cast<property_type>(data.property);
  }
  layout_type get_layout_type() const {
    return static_cast<layout_type>(data.layout_type);
  }
  size_t get_layout_id() const {
    if (get_layout_type() != layout_type::opaque)
      DNNL_THROW_ERROR(dnnl_invalid_arguments, "the layout is not opaque");
    return data.layout.layout_id;
  }
  dims get_strides() const {
    if (get_layout_type() != layout_type::strided)
      DNNL_THROW_ERROR(dnnl_invalid_arguments, "the layout is not strided");
    if (data.ndims < 0)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "the number of dimensions is unknown");
    return {data.layout.strides, data.layout.strides + data.ndims};
  }
  size_t get_mem_size() const {
    size_t size = 0;
    error::wrap_c_api(dnnl_graph_logical_tensor_get_mem_size(&data, &size),
                      "could not get the size of a logical tensor");
    return size;
  }
  bool is_equal(const logical_tensor &other) const {
    uint8_t equal = 0;
    error::wrap_c_api(
        dnnl_graph_logical_tensor_is_equal(&data, &other.data, &equal),
        "could not compare logical tensors");
    return equal != 0;
  }

private:
  static dnnl_data_type_t convert(data_type value) {
    return static_cast<dnnl_data_type_t>(value);
  }
  static dnnl_graph_layout_type_t convert(layout_type value) {
    return static_cast<dnnl_graph_layout_type_t>(value);
  }
  static dnnl_graph_tensor_property_t convert(property_type value) {
    return static_cast<dnnl_graph_tensor_property_t>(value);
  }
  static void check(dnnl_status_t status) {
    error::wrap_c_api(status, "could not create a logical tensor");
  }
  static void check_rank(const dims &sizes) {
    if (sizes.size() > DNNL_MAX_NDIMS)
      DNNL_THROW_ERROR(dnnl_invalid_arguments,
                       "a logical tensor has at most 12 dimensions");
  }
};

/// A logical tensor and where its elements are.
class tensor : public handle<dnnl_graph_tensor_t> {
public:
  using handle<dnnl_graph_tensor_t>::handle;

  tensor() = default;
  tensor(const logical_tensor &lt, const engine &aengine, void *handle) {
    create(lt, aengine, handle);
  }
  /// Allocates memory that lives as long as the tensor.
  tensor(const logical_tensor &lt, const engine &aengine) {
    create(lt, aengine, reinterpret_cast<void *>(~static_cast<size_t>(0)));
  }

  /// Copies the value of a host scalar.
  static tensor make_scalar_tensor(const logical_tensor &lt, void *scalar) {
    dnnl_graph_tensor_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_tensor_create_scalar(&object, &lt.data, scalar),
        "could not create a scalar tensor");
    return tensor(object);
  }

  void *get_data_handle() const {
    void *handle = nullptr;
    error::wrap_c_api(dnnl_graph_tensor_get_data_handle(get(), &handle),
                      "could not get the data handle of a tensor");
    return handle;
  }
  void set_data_handle(void *handle) {
    error::wrap_c_api(dnnl_graph_tensor_set_data_handle(get(), handle),
                      "could not set the data handle of a tensor");
  }
  engine get_engine() const {
    dnnl_engine_t object = nullptr;
    error::wrap_c_api(dnnl_graph_tensor_get_engine(get(), &object),
                      "could not get the engine of a tensor");
    return engine(object, true);
  }
  logical_tensor get_logical_tensor() const {
    dnnl_graph_logical_tensor_t lt;
    error::wrap_c_api(dnnl_graph_tensor_get_logical_tensor(get(), &lt),
                      "could not get the logical tensor of a tensor");
    return logical_tensor(lt);
  }

private:
  void create(const logical_tensor &lt, const engine &aengine, void *handle) {
    dnnl_graph_tensor_t object = nullptr;
    error::wrap_c_api(
        dnnl_graph_tensor_create(&object, &lt.data, aengine.get(), handle),
        "could not create a tensor");
    reset(object);
  }
};

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

/// A node of a graph.
class op : public handle<dnnl_graph_op_t> {
public:
  using handle<dnnl_graph_op_t>::handle;

  enum class kind {
    Abs = dnnl_graph_op_abs,
    AbsBackward = dnnl_graph_op_abs_backward,
    Add = dnnl_graph_op_add,
    AvgPool = dnnl_graph_op_avg_pool,
    AvgPoolBackward = dnnl_graph_op_avg_pool_backward,
    BatchNormTrainingBackward = dnnl_graph_op_batch_norm_backward,
    BatchNormForwardTraining = dnnl_graph_op_batch_norm_forward_training,
    BatchNormInference = dnnl_graph_op_batch_norm_inference,
    BiasAdd = dnnl_graph_op_bias_add,
    BiasAddBackward = dnnl_graph_op_bias_add_backward,
    Clamp = dnnl_graph_op_clamp,
    ClampBackward = dnnl_graph_op_clamp_backward,
    Concat = dnnl_graph_op_concat,
    Convolution = dnnl_graph_op_convolution,
    ConvolutionBackwardData = dnnl_graph_op_convolution_backward_data,
    ConvolutionBackwardWeights = dnnl_graph_op_convolution_backward_weights,
    ConvTranspose = dnnl_graph_op_conv_transpose,
    ConvTransposeBackwardData = dnnl_graph_op_conv_transpose_backward_data,
    ConvTransposeBackwardWeights =
        dnnl_graph_op_conv_transpose_backward_weights,
    Dequantize = dnnl_graph_op_dequantize,
    Divide = dnnl_graph_op_divide,
    DynamicDequantize = dnnl_graph_op_dynamic_dequantize,
    DynamicQuantize = dnnl_graph_op_dynamic_quantize,
    Elu = dnnl_graph_op_elu,
    EluBackward = dnnl_graph_op_elu_backward,
    End = dnnl_graph_op_end,
    Exp = dnnl_graph_op_exp,
    GELU = dnnl_graph_op_gelu,
    GELUBackward = dnnl_graph_op_gelu_backward,
    HardSwish = dnnl_graph_op_hard_swish,
    HardSwishBackward = dnnl_graph_op_hard_swish_backward,
    Interpolate = dnnl_graph_op_interpolate,
    InterpolateBackward = dnnl_graph_op_interpolate_backward,
    LayerNorm = dnnl_graph_op_layer_norm,
    LayerNormBackward = dnnl_graph_op_layer_norm_backward,
    LeakyReLU = dnnl_graph_op_leaky_relu,
    Log = dnnl_graph_op_log,
    LogSoftmax = dnnl_graph_op_log_softmax,
    LogSoftmaxBackward = dnnl_graph_op_log_softmax_backward,
    MatMul = dnnl_graph_op_matmul,
    Maximum = dnnl_graph_op_maximum,
    MaxPool = dnnl_graph_op_max_pool,
    MaxPoolBackward = dnnl_graph_op_max_pool_backward,
    Minimum = dnnl_graph_op_minimum,
    Mish = dnnl_graph_op_mish,
    MishBackward = dnnl_graph_op_mish_backward,
    Multiply = dnnl_graph_op_multiply,
    PReLU = dnnl_graph_op_prelu,
    PReLUBackward = dnnl_graph_op_prelu_backward,
    Quantize = dnnl_graph_op_quantize,
    Reciprocal = dnnl_graph_op_reciprocal,
    ReduceL1 = dnnl_graph_op_reduce_l1,
    ReduceL2 = dnnl_graph_op_reduce_l2,
    ReduceMax = dnnl_graph_op_reduce_max,
    ReduceMean = dnnl_graph_op_reduce_mean,
    ReduceMin = dnnl_graph_op_reduce_min,
    ReduceProd = dnnl_graph_op_reduce_prod,
    ReduceSum = dnnl_graph_op_reduce_sum,
    ReLU = dnnl_graph_op_relu,
    ReLUBackward = dnnl_graph_op_relu_backward,
    Reorder = dnnl_graph_op_reorder,
    Round = dnnl_graph_op_round,
    Sigmoid = dnnl_graph_op_sigmoid,
    SigmoidBackward = dnnl_graph_op_sigmoid_backward,
    SoftMax = dnnl_graph_op_softmax,
    SoftMaxBackward = dnnl_graph_op_softmax_backward,
    SoftPlus = dnnl_graph_op_softplus,
    SoftPlusBackward = dnnl_graph_op_softplus_backward,
    Sqrt = dnnl_graph_op_sqrt,
    SqrtBackward = dnnl_graph_op_sqrt_backward,
    Square = dnnl_graph_op_square,
    SquaredDifference = dnnl_graph_op_squared_difference,
    StaticReshape = dnnl_graph_op_static_reshape,
    StaticTranspose = dnnl_graph_op_static_transpose,
    Subtract = dnnl_graph_op_subtract,
    Tanh = dnnl_graph_op_tanh,
    TanhBackward = dnnl_graph_op_tanh_backward,
    TypeCast = dnnl_graph_op_type_cast,
    Wildcard = dnnl_graph_op_wildcard,
    HardSigmoid = dnnl_graph_op_hard_sigmoid,
    HardSigmoidBackward = dnnl_graph_op_hard_sigmoid_backward,
    Select = dnnl_graph_op_select,
    Pow = dnnl_graph_op_pow,
    GroupNorm = dnnl_graph_op_group_norm,
    GenIndex = dnnl_graph_op_gen_index,
    GreaterEqual = dnnl_graph_op_greater_equal,
    RMSNorm = dnnl_graph_op_rms_norm,
    Dropout = dnnl_graph_op_dropout,
    LastSymbol = dnnl_graph_op_last_symbol
  };
  enum class attr {
    undef = dnnl_graph_op_attr_undef,
    alpha = dnnl_graph_op_attr_alpha,
    beta = dnnl_graph_op_attr_beta,
    epsilon = dnnl_graph_op_attr_epsilon,
    max = dnnl_graph_op_attr_max,
    min = dnnl_graph_op_attr_min,
    momentum = dnnl_graph_op_attr_momentum,
    scales = dnnl_graph_op_attr_scales,
    axis = dnnl_graph_op_attr_axis,
    begin_norm_axis = dnnl_graph_op_attr_begin_norm_axis,
    groups = dnnl_graph_op_attr_groups,
    axes = dnnl_graph_op_attr_axes,
    dilations = dnnl_graph_op_attr_dilations,
    dst_shape = dnnl_graph_op_attr_dst_shape,
    kernel = dnnl_graph_op_attr_kernel,
    order = dnnl_graph_op_attr_order,
    output_padding = dnnl_graph_op_attr_output_padding,
    pads_begin = dnnl_graph_op_attr_pads_begin,
    pads_end = dnnl_graph_op_attr_pads_end,
    shape = dnnl_graph_op_attr_shape,
    sizes = dnnl_graph_op_attr_sizes,
    src_shape = dnnl_graph_op_attr_src_shape,
    strides = dnnl_graph_op_attr_strides,
    weights_shape = dnnl_graph_op_attr_weights_shape,
    zps = dnnl_graph_op_attr_zps,
    group_shape = dnnl_graph_op_attr_group_shape,
    exclude_pad = dnnl_graph_op_attr_exclude_pad,
    keep_dims = dnnl_graph_op_attr_keep_dims,
    keep_stats = dnnl_graph_op_attr_keep_stats,
    per_channel_broadcast = dnnl_graph_op_attr_per_channel_broadcast,
    special_zero = dnnl_graph_op_attr_special_zero,
    transpose_a = dnnl_graph_op_attr_transpose_a,
    transpose_b = dnnl_graph_op_attr_transpose_b,
    use_affine = dnnl_graph_op_attr_use_affine,
    use_dst = dnnl_graph_op_attr_use_dst,
    auto_broadcast = dnnl_graph_op_attr_auto_broadcast,
    auto_pad = dnnl_graph_op_attr_auto_pad,
    coordinate_transformation_mode =
        dnnl_graph_op_attr_coordinate_transformation_mode,
    data_format = dnnl_graph_op_attr_data_format,
    mode = dnnl_graph_op_attr_mode,
    qtype = dnnl_graph_op_attr_qtype,
    rounding_type = dnnl_graph_op_attr_rounding_type,
    weights_format = dnnl_graph_op_attr_weights_format,
    accumulation_mode = dnnl_graph_op_attr_accumulation_mode
  };

  op() = default;
  op(size_t id, kind akind, const std::string &verbose_name = "") {
    dnnl_graph_op_t object = nullptr;
    error::wrap_c_api(dnnl_graph_op_create(
                          &object, id, static_cast<dnnl_graph_op_kind_t>(akind),
                          verbose_name.c_str()),
                      "could not create an op");
    reset(object);
  }
  op(size_t id, kind akind, const std::vector<logical_tensor> &inputs,
     const std::vector<logical_tensor> &outputs,
     const std::string &verbose_name = "")
      : op(id, akind, verbose_name) {
    add_inputs(inputs);
    add_outputs(outputs);
  }

  void add_input(const logical_tensor &input) {
    error::wrap_c_api(dnnl_graph_op_add_input(get(), &input.data),
                      "could not add an input to an op");
  }
  void add_inputs(const std::vector<logical_tensor> &inputs) {
    for (const logical_tensor &input : inputs)
      add_input(input);
  }
  void add_output(const logical_tensor &output) {
    error::wrap_c_api(dnnl_graph_op_add_output(get(), &output.data),
                      "could not add an output to an op");
  }
  void add_outputs(const std::vector<logical_tensor> &outputs) {
    for (const logical_tensor &output : outputs)
      add_output(output);
  }

  /// The value is a float, int64_t, bool, string, or a vector of numbers, as
  /// the attribute's type is.
  template <typename Type>
  op &set_attr(attr name, const Type &value) {
    error::wrap_c_api(set(static_cast<dnnl_graph_op_attr_t>(name), value),
                      "could not set an attribute of an op");
    return *this;
  }

private:
  dnnl_status_t set(dnnl_graph_op_attr_t name, float value) {
    return dnnl_graph_op_set_attr_f32(get(), name, &value, 1);
  }
  dnnl_status_t set(dnnl_graph_op_attr_t name,
                    const std::vector<float> &value) {
    return dnnl_graph_op_set_attr_f32(get(), name, value.data(), value.size());
  }
  dnnl_status_t set(dnnl_graph_op_attr_t name, int64_t value) {
    return dnnl_graph_op_set_attr_s64(get(), name, &value, 1);
  }
  dnnl_status_t set(dnnl_graph_op_attr_t name,
                    const std::vector<int64_t> &value) {
    return dnnl_graph_op_set_attr_s64(get(), name, value.data(), value.size());
  }
  dnnl_status_t set(dnnl_graph_op_attr_t name, bool value) {
    const uint8_t byte = value;
    return dnnl_graph_op_set_attr_bool(get(), name, &byte, 1);
  }
  dnnl_status_t set(dnnl_graph_op_attr_t name, const std::string &value) {
    return dnnl_graph_op_set_attr_str(get(), name, value.c_str(), value.size());
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
