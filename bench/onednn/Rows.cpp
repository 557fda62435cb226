// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions, softmax's gradients, normalisations, concatenations and what is
// computed element by element: a primitive each.

#include "Plan.h"

#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;

static float getNumber(const Op &O, const char *Name, float Default) {
  return O.Attrs.contains(Name) ? O.Attrs[Name].at("value").get<float>()
                                : Default;
}

namespace {
struct Eltwise {
  algorithm Algorithm;
  float Alpha = 0, Beta = 0;
};
} // namespace

/// The function of an operation without "backward" in its name.
static std::optional<Eltwise> getFunction(const Op &O,
                                          const std::string &Kind) {
  float Alpha = getNumber(O, "alpha", 0), Beta = getNumber(O, "beta", 0);
  static const std::unordered_map<std::string, algorithm> Plain = {
      {"abs", algorithm::eltwise_abs},
      {"exp", algorithm::eltwise_exp},
      {"gelu", algorithm::eltwise_gelu_erf},
      {"hardswish", algorithm::eltwise_hardswish},
      {"log", algorithm::eltwise_log},
      {"mish", algorithm::eltwise_mish},
      {"relu", algorithm::eltwise_relu},
      {"round", algorithm::eltwise_round},
      {"sigmoid", algorithm::eltwise_logistic},
      {"softplus", algorithm::eltwise_soft_relu},
      {"sqrt", algorithm::eltwise_sqrt},
      {"square", algorithm::eltwise_square},
      {"tanh", algorithm::eltwise_tanh}};
  if (auto Found = Plain.find(Kind); Found != Plain.end())
    return Eltwise{Found->second};
  if (Kind == "clamp")
    return Eltwise{algorithm::eltwise_clip, getNumber(O, "min", 0),
                   getNumber(O, "max", 0)};
  if (Kind == "elu")
    return Eltwise{algorithm::eltwise_elu, Alpha};
  if (Kind == "leakyrelu")
    return Eltwise{algorithm::eltwise_relu, Alpha};
  if (Kind == "pow")
    return Eltwise{algorithm::eltwise_pow, 1, Beta};
  if (Kind == "reciprocal")
    return Eltwise{algorithm::eltwise_pow, 1, -1};
  return std::nullopt;
}

/// The name without this end of it, or nothing.
static std::optional<std::string> withoutEnd(const std::string &Name,
                                             const std::string &End) {
  if (Name.size() < End.size() ||
      Name.compare(Name.size() - End.size(), End.size(), End) != 0)
    return std::nullopt;
  return Name.substr(0, Name.size() - End.size());
}

std::optional<Variant> Planner::function(const Op &O) {
  auto Forward = withoutEnd(O.Kind, "backward");
  auto Found = getFunction(O, Forward.value_or(O.Kind));
  if (!Found)
    return std::nullopt;
  memory::desc D = desc(G.tensor(O.Inputs[0]));
  dnnl::eltwise_forward::primitive_desc Desc(
      {Forward ? prop_kind::forward_training : prop_kind::forward_inference,
       Found->Algorithm, D, Found->Alpha, Found->Beta},
      Engine);
  Step S;
  if (!Forward) {
    S.Primitive = dnnl::eltwise_forward(Desc);
    S.Args = {{DNNL_ARG_SRC, memoryOf(O.Inputs[0])},
              {DNNL_ARG_DST, memoryOf(O.Outputs[0])}};
    S.Name = std::string("eltwise ") + Desc.impl_info_str();
  } else {
    dnnl::eltwise_backward::primitive_desc Backward(
        {Found->Algorithm, D, D, Found->Alpha, Found->Beta}, Engine, Desc);
    S.Primitive = dnnl::eltwise_backward(Backward);
    S.Args = {{DNNL_ARG_SRC, memoryOf(O.Inputs[0])},
              {DNNL_ARG_DIFF_DST, memoryOf(O.Inputs[1])},
              {DNNL_ARG_DIFF_SRC, memoryOf(O.Outputs[0])}};
    S.Name = std::string("eltwise backward ") + Backward.impl_info_str();
  }
  return Variant{"eltwise", {std::move(S)}};
}

std::optional<Variant> Planner::reduction(const Op &O) {
  static const std::unordered_map<std::string, algorithm> Table = {
      {"reducel1", algorithm::reduction_norm_lp_power_p_sum},
      {"reducel2", algorithm::reduction_norm_lp_sum},
      {"reducemax", algorithm::reduction_max},
      {"reducemean", algorithm::reduction_mean},
      {"reducemin", algorithm::reduction_min},
      {"reduceprod", algorithm::reduction_mul},
      {"reducesum", algorithm::reduction_sum}};
  auto Found = Table.find(O.Kind);
  if (Found == Table.end())
    return std::nullopt;
  memory::desc Src = desc(G.tensor(O.Inputs[0]));
  memory::desc Dst = desc(G.tensor(O.Outputs[0]));
  dnnl::reduction::primitive_desc Desc(
      {Found->second, Src, Dst, O.Kind == "reducel1" ? 1.0f : 2.0f, 0.0f},
      Engine);
  Step S;
  S.Primitive = dnnl::reduction(Desc);
  S.Args = {{DNNL_ARG_SRC, memoryOf(O.Inputs[0])},
            {DNNL_ARG_DST, memoryOf(O.Outputs[0])}};
  S.Name = std::string("reduction ") + Desc.impl_info_str();
  return Variant{"reduction", {std::move(S)}};
}

/// Softmax and its logarithm, and their gradients, of which the operands are
/// the gradient and the result.
std::optional<Variant> Planner::normalExponential(const Op &O) {
  bool IsLog = O.Kind.compare(0, 3, "log") == 0;
  auto Forward = withoutEnd(O.Kind, "backward");
  std::string Kind = Forward.value_or(O.Kind);
  if (Kind != "softmax" && Kind != "logsoftmax")
    return std::nullopt;
  memory::desc D = desc(G.tensor(O.Inputs[0]));
  int Rank = D.dims().size();
  int Axis = (O.Attrs.at("axis").at("value").get<int>() + Rank) % Rank;
  auto make = [&](auto *ForwardKind, auto *BackwardKind) {
    using F = std::remove_pointer_t<decltype(ForwardKind)>;
    using B = std::remove_pointer_t<decltype(BackwardKind)>;
    Step S;
    auto Prop =
        Forward ? prop_kind::forward_training : prop_kind::forward_inference;
    typename F::primitive_desc Desc({Prop, D, Axis}, Engine);
    if (!Forward) {
      S.Primitive = F(Desc);
      S.Args = {{DNNL_ARG_SRC, memoryOf(O.Inputs[0])},
                {DNNL_ARG_DST, memoryOf(O.Outputs[0])}};
      S.Name = std::string("softmax ") + Desc.impl_info_str();
      return S;
    }
    typename B::primitive_desc Backward({D, D, Axis}, Engine, Desc);
    S.Primitive = B(Backward);
    S.Args = {{DNNL_ARG_DIFF_DST, memoryOf(O.Inputs[0])},
              {DNNL_ARG_DST, memoryOf(O.Inputs[1])},
              {DNNL_ARG_DIFF_SRC, memoryOf(O.Outputs[0])}};
    S.Name = std::string("softmax backward ") + Backward.impl_info_str();
    return S;
  };
  Step S = IsLog ? make(static_cast<dnnl::logsoftmax_forward *>(nullptr),
                        static_cast<dnnl::logsoftmax_backward *>(nullptr))
                 : make(static_cast<dnnl::softmax_forward *>(nullptr),
                        static_cast<dnnl::softmax_backward *>(nullptr));
  return Variant{"softmax", {std::move(S)}};
}

/// Layer and batch normalisation with scale and shift.
std::optional<Variant> Planner::normalisation(const Op &O) {
  using dnnl::normalization_flags;
  auto Affine = normalization_flags::use_scale | normalization_flags::use_shift;
  float Epsilon = getNumber(O, "epsilon", 1e-5f);
  Step S;
  auto bindAll = [&](std::initializer_list<int> Inputs,
                     std::initializer_list<int> Outputs) {
    auto bindList = [&](std::initializer_list<int> Names,
                        const std::vector<int64_t> &Ids) {
      size_t I = 0;
      for (int Name : Names) {
        if (I < Ids.size() && Name != 0)
          S.Args[Name] = I == 0 && O.Kind.compare(0, 5, "batch") == 0
                             ? bound(imageDesc(O, Ids[I]), Ids[I])
                             : memoryOf(Ids[I]);
        ++I;
      }
    };
    bindList(Inputs, O.Inputs);
    bindList(Outputs, O.Outputs);
  };
  if (O.Kind == "layernorm") {
    bool Keeps = O.Outputs.size() > 1;
    dnnl::layer_normalization_forward::primitive_desc Desc(
        {Keeps ? prop_kind::forward_training : prop_kind::forward_inference,
         desc(G.tensor(O.Inputs[0])), Epsilon, Affine},
        Engine);
    S.Primitive = dnnl::layer_normalization_forward(Desc);
    bindAll({DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_SHIFT},
            {DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    S.Name = std::string("layer_normalization ") + Desc.impl_info_str();
  } else if (O.Kind == "layernormbackward") {
    memory::desc D = desc(G.tensor(O.Inputs[0]));
    dnnl::layer_normalization_forward::primitive_desc Desc(
        {prop_kind::forward_training, D, Epsilon, Affine}, Engine);
    dnnl::layer_normalization_backward::primitive_desc Backward(
        {prop_kind::backward, D, D, Epsilon, Affine}, Engine, Desc);
    S.Primitive = dnnl::layer_normalization_backward(Backward);
    bindAll({DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
             DNNL_ARG_SCALE, DNNL_ARG_SHIFT},
            {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    S.Name =
        std::string("layer_normalization backward ") + Backward.impl_info_str();
  } else if (O.Kind == "batchnorminference" ||
             O.Kind == "batchnormforwardtraining") {
    bool IsTraining = O.Outputs.size() > 1;
    dnnl::batch_normalization_forward::primitive_desc Desc(
        {IsTraining ? prop_kind::forward_training
                    : prop_kind::forward_inference,
         imageDesc(O, O.Inputs[0]), Epsilon,
         IsTraining ? Affine : Affine | normalization_flags::use_global_stats},
        Engine);
    S.Primitive = dnnl::batch_normalization_forward(Desc);
    if (IsTraining)
      bindAll({DNNL_ARG_SRC, 0, 0, DNNL_ARG_SCALE, DNNL_ARG_SHIFT},
              {DNNL_ARG_DST, 0, 0, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    else
      bindAll({DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN,
               DNNL_ARG_VARIANCE},
              {DNNL_ARG_DST});
    S.Name = std::string("batch_normalization ") + Desc.impl_info_str();
  } else if (O.Kind == "batchnormtrainingbackward") {
    memory::desc D = imageDesc(O, O.Inputs[0]);
    dnnl::batch_normalization_forward::primitive_desc Desc(
        {prop_kind::forward_training, D, Epsilon, Affine}, Engine);
    dnnl::batch_normalization_backward::primitive_desc Backward(
        {prop_kind::backward, D, D, Epsilon, Affine}, Engine, Desc);
    S.Primitive = dnnl::batch_normalization_backward(Backward);
    bindAll({DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
             DNNL_ARG_SCALE},
            {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    S.Args[DNNL_ARG_DIFF_DST] = bound(D, O.Inputs[1]);
    S.Name =
        std::string("batch_normalization backward ") + Backward.impl_info_str();
  } else {
    return std::nullopt;
  }
  return Variant{"normalization", {std::move(S)}};
}

std::optional<Variant> Planner::row(const Op &O) {
  if (auto Found = function(O))
    return Found;
  if (auto Found = reduction(O))
    return Found;
  if (auto Found = normalExponential(O))
    return Found;
  if (auto Found = normalisation(O))
    return Found;
  if (O.Kind == "concat") {
    std::vector<memory::desc> Parts;
    Step S;
    for (size_t I = 0; I < O.Inputs.size(); ++I) {
      Parts.push_back(desc(G.tensor(O.Inputs[I])));
      S.Args[DNNL_ARG_MULTIPLE_SRC + I] = memoryOf(O.Inputs[I]);
    }
    dnnl::concat::primitive_desc Desc(desc(G.tensor(O.Outputs[0])),
                                      O.Attrs.at("axis").at("value").get<int>(),
                                      Parts, Engine);
    S.Primitive = dnnl::concat(Desc);
    S.Args[DNNL_ARG_DST] = memoryOf(O.Outputs[0]);
    S.Name = std::string("concat ") + Desc.impl_info_str();
    return Variant{"concat", {std::move(S)}};
  }
  if (O.Kind == "prelu") {
    memory::desc D = imageDesc(O, O.Inputs[0]);
    // A slope for each channel.
    memory::dims Shape(D.dims().size(), 1), Stride(D.dims().size(), 1);
    Shape[1] = G.tensor(O.Inputs[1]).Shape[0];
    memory::desc Slope(Shape, memory::data_type::f32, Stride);
    dnnl::prelu_forward::primitive_desc Desc(
        {prop_kind::forward_inference, D, Slope}, Engine);
    Step S;
    S.Primitive = dnnl::prelu_forward(Desc);
    S.Args = {{DNNL_ARG_SRC, bound(D, O.Inputs[0])},
              {DNNL_ARG_WEIGHTS, bound(Slope, O.Inputs[1])},
              {DNNL_ARG_DST, bound(D, O.Outputs[0])}};
    S.Name = std::string("prelu ") + Desc.impl_info_str();
    return Variant{"prelu", {std::move(S)}};
  }
  return std::nullopt;
}
