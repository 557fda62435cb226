// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ways to compute a product of matrices of floats.

#include "Plan.h"

#include <algorithm>
#include <optional>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

memory::desc bench::swapLastTwo(const memory::desc &D) {
  std::vector<int> Permutation(D.dims().size());
  for (size_t I = 0; I < Permutation.size(); ++I)
    Permutation[I] = I;
  std::swap(Permutation.back(), Permutation[Permutation.size() - 2]);
  return D.permute_axes(Permutation);
}

/// A product whose result is stored column by column, for which the library has
/// only reference loops; the same product transposed is an ordinary one.
static bool isColumnMajor(const memory::desc &D) {
  return D.dims().size() > 2 && D.dims().back() > 1 &&
         D.data.format_desc.blocking.strides[D.dims().size() - 1] != 1;
}

/// Swaps the two operands. Needs a group without bias and post-ops.
Variant Planner::transposedVariant(const Group &Grp) {
  memory::desc Src = swapLastTwo(Grp.WeightsDesc);
  memory::desc Weights = swapLastTwo(Grp.SrcDesc);
  memory::desc Dst = swapLastTwo(Grp.DstDesc);
  dnnl::matmul::primitive_desc Desc({Src, Weights, Dst}, Engine);
  auto bind = [&](const memory::desc &D, const memory &M) {
    return memory(D, Engine, M.get_data_handle());
  };
  Step S;
  S.Primitive = dnnl::matmul(Desc);
  S.Args = {{DNNL_ARG_SRC, bind(Src, memoryOf(Grp.Weights))},
            {DNNL_ARG_WEIGHTS, bind(Weights, memoryOf(Grp.Src))},
            {DNNL_ARG_DST, bind(Dst, Grp.DstMemory)}};
  S.Name = std::string("matmul, operands swapped, ") + Desc.impl_info_str();
  return {"matmul", {std::move(S)}};
}

static std::string stepName(const std::string &Variant, size_t PostOps,
                            const char *Implementation) {
  return Variant + " +" + std::to_string(PostOps) + " " + Implementation;
}

/// Whether the weights are reordered before the runs.
bool Planner::isPrepacked(const Group &Grp) const {
  return isKnown(Grp.Weights) && Grp.WeightsDesc.dims().size() == 2;
}

static std::string variantName(const char *Kind, bool Transposed) {
  return std::string(Kind) + (Transposed ? " transposed" : "");
}

Variant Planner::matmulVariant(const Group &Grp, size_t Fused,
                               bool Transposed) {
  memory::desc Asked = Grp.WeightsDesc;
  if (isPrepacked(Grp))
    Asked = memory::desc(Asked.dims(), Asked.data_type(),
                         Transposed ? memory::format_tag::ba
                                    : memory::format_tag::any);
  Step S;
  dnnl::primitive_attr Attr;
  Attr.set_post_ops(fuse(Grp, Fused, S));
  if (Grp.Scale != 1.0f)
    Attr.set_output_scales(0, {Grp.Scale});
  memory::desc Bias;
  if (Grp.Bias >= 0) {
    Bias = broadcastDesc(G.tensor(Grp.Bias), Grp.DstDesc.dims().size());
    S.Args[DNNL_ARG_BIAS] =
        memory(Bias, Engine, memoryOf(Grp.Bias).get_data_handle());
  }
  dnnl::matmul::desc Op =
      Grp.Bias >= 0 ? dnnl::matmul::desc(Grp.SrcDesc, Asked, Bias, Grp.DstDesc)
                    : dnnl::matmul::desc(Grp.SrcDesc, Asked, Grp.DstDesc);
  dnnl::matmul::primitive_desc Desc(Op, Attr, Engine);
  S.Primitive = dnnl::matmul(Desc);
  S.Args[DNNL_ARG_SRC] = bound(Grp.SrcDesc, Grp.Src);
  S.Args[DNNL_ARG_WEIGHTS] =
      reordered(Grp.Weights, Grp.WeightsDesc, Desc.weights_desc());
  S.Args[DNNL_ARG_DST] = Grp.DstMemory;
  std::string Name = variantName("matmul", Transposed);
  S.Name = stepName(Name + (Grp.Scale != 1.0f ? " scaled" : ""), Fused,
                    Desc.impl_info_str());
  Variant V{Name, {std::move(S)}};
  appendRest(Grp, Fused, V);
  return V;
}

Variant Planner::innerProductVariant(const Group &Grp, bool Transposed) {
  // An inner product's weights are [N, K]; a matmul's are [K, N].
  memory::desc User = swapLastTwo(Grp.WeightsDesc);
  memory::desc Asked(User.dims(), User.data_type(),
                     Transposed ? memory::format_tag::ab
                                : memory::format_tag::any);
  const memory::desc &Src = Grp.SrcDesc;
  Step S;
  size_t Fused = Grp.PostOps.size();
  dnnl::primitive_attr Attr;
  Attr.set_post_ops(fuse(Grp, Fused, S));
  const auto Kind = dnnl::prop_kind::forward_inference;
  using Primitive = dnnl::inner_product_forward;
  Primitive::desc Op =
      Grp.Bias >= 0 ? Primitive::desc(Kind, Src, Asked,
                                      desc(G.tensor(Grp.Bias)), Grp.DstDesc)
                    : Primitive::desc(Kind, Src, Asked, Grp.DstDesc);
  Primitive::primitive_desc Desc(Op, Attr, Engine);
  S.Primitive = Primitive(Desc);
  S.Args[DNNL_ARG_SRC] = bound(Src, Grp.Src);
  S.Args[DNNL_ARG_WEIGHTS] = reordered(Grp.Weights, User, Desc.weights_desc());
  if (Grp.Bias >= 0)
    S.Args[DNNL_ARG_BIAS] = memoryOf(Grp.Bias);
  S.Args[DNNL_ARG_DST] = Grp.DstMemory;
  std::string Name = variantName("inner_product", Transposed);
  S.Name = stepName(Name, Fused, Desc.impl_info_str());
  return {Name, {std::move(S)}};
}

static bool usesReference(const Variant &V) {
  return std::any_of(V.Steps.begin(), V.Steps.end(), [](const Step &S) {
    return S.Name.find(" ref") != std::string::npos;
  });
}

void bench::dropReferences(std::vector<Variant> &Variants) {
  auto Slow =
      std::stable_partition(Variants.begin(), Variants.end(),
                            [](const Variant &V) { return !usesReference(V); });
  if (Slow != Variants.begin())
    Variants.erase(Slow, Variants.end());
}

std::vector<Variant> Planner::variants(const Group &Collected) {
  Group Grp = Collected;
  foldScale(Grp); // Never slower than a post-op.
  std::vector<Variant> Found;
  std::optional<dnnl::error> Failure;
  auto attempt = [&](auto Make) {
    try {
      Found.push_back(Make());
    } catch (const dnnl::error &E) {
      Failure = E;
    }
  };
  size_t All = Grp.PostOps.size();
  if (isColumnMajor(Grp.DstDesc) && All == 0 && Grp.Bias < 0 &&
      Grp.Scale == 1.0f)
    return {transposedVariant(Grp)};
  attempt([&] { return matmulVariant(Grp, All, false); });
  bool HasBinary = std::any_of(Grp.PostOps.begin(), Grp.PostOps.end(),
                               [](const PostOp &P) { return P.Other >= 0; });
  for (size_t Fused = All; HasBinary && Fused-- > 0;)
    attempt([&] { return matmulVariant(Grp, Fused, false); });
  if (isPrepacked(Grp) && Grp.DstDesc.dims().size() == 2) {
    attempt([&] { return matmulVariant(Grp, All, true); });
    attempt([&] { return innerProductVariant(Grp, false); });
    attempt([&] { return innerProductVariant(Grp, true); });
  }
  if (Found.empty())
    throw *Failure;
  dropReferences(Found);
  return Found;
}
