// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions as primitives with post-ops. Images are given with their
// channels last, which the library's own choice of a layout is as well; weights
// are packed once.

#include "Plan.h"

#include <algorithm>
#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

std::vector<int64_t> bench::getList(const Op &O, const char *Name) {
  return O.Attrs.at(Name).at("value").get<std::vector<int64_t>>();
}

memory::desc bench::channelsSecond(const memory::desc &D) {
  int Rank = D.dims().size();
  std::vector<int> To(Rank);
  for (int I = 1; I < Rank - 1; ++I)
    To[I] = I + 1;
  To[Rank - 1] = 1;
  return D.permute_axes(To);
}

static int64_t getGroups(const Op &O) {
  return O.Attrs.contains("groups") ? O.Attrs["groups"]["value"].get<int64_t>()
                                    : 1;
}

memory::desc bench::convolutionWeights(const Op &O, memory::desc Weights) {
  auto isText = [&](const char *Name, const char *Value) {
    return !O.Attrs.contains(Name) || O.Attrs[Name].at("value") == Value;
  };
  if (!isText("data_format", "NXC") || !isText("weights_format", "XIO"))
    throw std::runtime_error("op " + std::to_string(O.Id) +
                             ": formats other than NXC and XIO are not mapped");
  // From [x..., i, o] to [o, i, x...], with groups to [g, o / g, i, x...].
  int Rank = Weights.dims().size();
  std::vector<int> To(Rank);
  for (int I = 0; I < Rank; ++I)
    To[I] = I < Rank - 2 ? I + 2 : Rank - 1 - I;
  Weights = Weights.permute_axes(To);
  if (int64_t Groups = getGroups(O); Groups > 1) {
    memory::dims Shape = Weights.dims();
    Shape[0] /= Groups;
    Shape.insert(Shape.begin(), Groups);
    Weights = Weights.reshape(Shape);
  }
  return Weights;
}

dnnl::convolution_forward::desc
bench::convolutionDesc(const Op &O, const memory::desc &Src,
                       const memory::desc &Weights, const memory::desc &Bias,
                       const memory::desc &Dst) {
  std::vector<int64_t> Dilations = getList(O, "dilations");
  for (int64_t &Dilation : Dilations)
    --Dilation;
  const auto Kind = dnnl::prop_kind::forward_inference;
  const auto Algorithm = algorithm::convolution_direct;
  auto Strides = getList(O, "strides"), Begin = getList(O, "pads_begin"),
       End = getList(O, "pads_end");
  if (!Bias)
    return {Kind, Algorithm, Src, Weights, Dst, Strides, Dilations, Begin, End};
  return {Kind, Algorithm, Src,       Weights, Bias,
          Dst,  Strides,   Dilations, Begin,   End};
}

Variant Planner::convolutionVariant(const Op &O, const Group &Grp, size_t Fused,
                                    bool OwnLayout) {
  memory::desc Weights = convolutionWeights(O, desc(G.tensor(Grp.Weights)));
  memory::desc Asked(Weights.dims(), Weights.data_type(),
                     memory::format_tag::any);
  memory::desc Src = channelsSecond(desc(G.tensor(Grp.Src)));
  memory::desc Dst = channelsSecond(Grp.DstDesc);
  memory::desc GivenSrc = Src;
  if (OwnLayout) {
    Src = memory::desc(Src.dims(), Src.data_type(), memory::format_tag::any);
    Dst = memory::desc(Dst.dims(), Dst.data_type(), memory::format_tag::any);
  }

  Step S;
  dnnl::primitive_attr Attr;
  dnnl::post_ops Ops;
  for (size_t I = 0; I < Fused; ++I) {
    const PostOp &P = Grp.PostOps[I];
    if (P.Other < 0) {
      Ops.append_eltwise(1.0f, P.Algorithm, 0.0f, 0.0f);
      continue;
    }
    memory::desc D =
        channelsSecond(broadcastDesc(G.tensor(P.Other), Dst.dims().size()));
    Ops.append_binary(P.Algorithm, D);
    S.Args[DNNL_ARG_ATTR_MULTIPLE_POST_OP(I) | DNNL_ARG_SRC_1] =
        memory(D, Engine, memoryOf(P.Other).get_data_handle());
  }
  Attr.set_post_ops(Ops);
  using Primitive = dnnl::convolution_forward;
  memory::desc Bias;
  if (Grp.Bias >= 0)
    Bias = desc(G.tensor(Grp.Bias));
  Primitive::desc Desc = convolutionDesc(O, Src, Asked, Bias, Dst);
  Primitive::primitive_desc Chosen(Desc, Attr, Engine);
  S.Primitive = Primitive(Chosen);
  auto bind = [&](const memory::desc &D, const memory &M) {
    return memory(D, Engine, M.get_data_handle());
  };
  // Images in the library's own layout are put in it before the runs.
  S.Args[DNNL_ARG_SRC] = OwnLayout
                             ? reordered(Grp.Src, GivenSrc, Chosen.src_desc())
                             : bind(Src, memoryOf(Grp.Src));
  S.Args[DNNL_ARG_WEIGHTS] =
      reordered(Grp.Weights, Weights, Chosen.weights_desc());
  if (Grp.Bias >= 0)
    S.Args[DNNL_ARG_BIAS] = memoryOf(Grp.Bias);
  S.Args[DNNL_ARG_DST] =
      OwnLayout ? memory(Chosen.dst_desc(), Engine) : bind(Dst, Grp.DstMemory);
  S.Name =
      "convolution +" + std::to_string(Fused) + " " + Chosen.impl_info_str();
  Variant V{"convolution", {std::move(S)}};
  appendRest(Grp, Fused, V);
  return V;
}

/// With all post-ops, and with fewer where some are separate primitives.
std::vector<Variant> Planner::convolutionVariants(const Op &O,
                                                  const Group &Grp) {
  std::vector<Variant> Found;
  for (size_t Fused = Grp.PostOps.size() + 1; Fused-- > 0;)
    try {
      Found.push_back(convolutionVariant(O, Grp, Fused, false));
    } catch (const dnnl::error &) {
      if (Fused == 0 && Found.empty())
        throw;
    }
  // A graph of one convolution leaves the choice of layouts to the library.
  bool IsAlone = G.consumers(Grp.Dst).empty() &&
                 std::count(G.Inputs.begin(), G.Inputs.end(), Grp.Src);
  if (IsAlone && getGroups(O) > 1)
    Found.push_back(convolutionVariant(O, Grp, Grp.PostOps.size(), true));
  return Found;
}
