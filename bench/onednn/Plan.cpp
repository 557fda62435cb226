// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

void Plan::run(dnnl::stream &Stream) const {
  for (const Step &S : Steps)
    S.Primitive.execute(Stream, S.Args);
  Stream.wait();
}

static memory::data_type dataType(const std::string &Name) {
  if (Name == "f32")
    return memory::data_type::f32;
  if (Name == "bf16")
    return memory::data_type::bf16;
  throw std::runtime_error("data type " + Name + " is not mapped");
}

static std::optional<algorithm> eltwiseOf(const std::string &Kind) {
  static const std::unordered_map<std::string, algorithm> Table = {
      {"relu", algorithm::eltwise_relu},
      {"sigmoid", algorithm::eltwise_logistic},
      {"tanh", algorithm::eltwise_tanh},
      {"exp", algorithm::eltwise_exp},
      {"abs", algorithm::eltwise_abs},
  };
  auto Found = Table.find(Kind);
  if (Found == Table.end())
    return std::nullopt;
  return Found->second;
}

static std::optional<algorithm> binaryOf(const std::string &Kind) {
  static const std::unordered_map<std::string, algorithm> Table = {
      {"add", algorithm::binary_add},
      {"biasadd", algorithm::binary_add},
      {"divide", algorithm::binary_div},
      {"multiply", algorithm::binary_mul},
      {"subtract", algorithm::binary_sub}};
  auto Found = Table.find(Kind);
  if (Found == Table.end())
    return std::nullopt;
  return Found->second;
}

memory::desc Planner::desc(const Tensor &T) const {
  auto View = Views.find(T.Id);
  if (View != Views.end())
    return View->second;
  return memory::desc(T.Shape, dataType(T.Dtype), T.Stride);
}

memory::desc Planner::broadcastDesc(const Tensor &T, size_t Rank) const {
  if (T.Shape.size() == Rank)
    return desc(T);
  memory::dims Shape(Rank, 1), Stride(Rank, T.span());
  size_t Lead = Rank - T.Shape.size();
  std::copy(T.Shape.begin(), T.Shape.end(), Shape.begin() + Lead);
  std::copy(T.Stride.begin(), T.Stride.end(), Stride.begin() + Lead);
  return memory::desc(Shape, dataType(T.Dtype), Stride);
}

memory Planner::memoryOf(int64_t Id) {
  auto Found = Memories.find(Id);
  if (Found != Memories.end())
    return Found->second;
  memory M(desc(G.tensor(Id)), Engine);
  return Memories[Id] = M;
}

memory Planner::bound(const memory::desc &D, int64_t Id) {
  return memory(D, Engine, memoryOf(Id).get_data_handle());
}

const void *Planner::data(int64_t Id) const {
  return Memories.at(Id).get_data_handle();
}

/// The weights in the layout a primitive asked for, copied once.
memory Planner::reordered(int64_t Id, const memory::desc &From,
                          const memory::desc &To) {
  memory User(From, Engine, memoryOf(Id).get_data_handle());
  if (From == To)
    return User;
  memory Packed(To, Engine);
  dnnl::reorder(User, Packed).execute(Stream, User, Packed);
  Stream.wait();
  return Packed;
}

/// Takes the only consumer of the group's result into the group, if it can.
bool Planner::absorb(Group &Grp, const Op &Next,
                     const std::vector<bool> &Done) {
  const Tensor &Dst = G.tensor(Grp.Dst);
  size_t Rank = Dst.Shape.size();
  if (std::optional<algorithm> Alg = eltwiseOf(Next.Kind)) {
    Grp.PostOps.push_back({*Alg, -1});
  } else if (std::optional<algorithm> Alg = binaryOf(Next.Kind)) {
    bool Swaps = *Alg == algorithm::binary_add || *Alg == algorithm::binary_mul;
    bool Second = Next.Inputs[1] == Grp.Dst;
    int64_t Other = Next.Inputs[Second ? 0 : 1];
    if ((Second && !Swaps) || Other == Grp.Dst ||
        G.tensor(Next.Outputs[0]).Shape != Dst.Shape)
      return false;
    for (size_t I = 0; I < G.Ops.size(); ++I) // It must exist by then.
      if (!Done[I] &&
          std::count(G.Ops[I].Outputs.begin(), G.Ops[I].Outputs.end(), Other))
        return false;
    bool IsBias = Next.Kind == "biasadd" && Grp.Bias < 0 && Grp.PostOps.empty();
    if (IsBias)
      Grp.Bias = Other;
    else
      Grp.PostOps.push_back({*Alg, Other});
  } else if (Next.Kind == "statictranspose") {
    // The matmul writes straight into the transposed result.
    const Tensor &Out = G.tensor(Next.Outputs[0]);
    std::vector<int64_t> Order = Next.Attrs.at("order").at("value");
    memory::dims Stride(Rank);
    for (size_t I = 0; I < Rank; ++I)
      Stride[Order[I] < 0 ? Order[I] + Rank : Order[I]] = Out.Stride[I];
    Grp.DstDesc = memory::desc(Dst.Shape, dataType(Dst.Dtype), Stride);
  } else {
    return false;
  }
  Grp.Dst = Next.Outputs[0];
  return true;
}

Planner::Group Planner::collectGroup(size_t OpIndex, std::vector<bool> &Done) {
  const Op &Matmul = G.Ops[OpIndex];
  bool IsMatmul = Matmul.Kind == "matmul";
  for (const char *Name : {"transpose_a", "transpose_b"})
    if (Matmul.Attrs.contains(Name) && Matmul.Attrs[Name].at("value") != 0)
      throw std::runtime_error("op " + std::to_string(Matmul.Id) + ": " + Name +
                               " is not mapped");
  Group Grp;
  Grp.Src = Matmul.Inputs[0];
  Grp.Weights = Matmul.Inputs[1];
  if (Matmul.Inputs.size() > 2)
    Grp.Bias = Matmul.Inputs[2];
  Grp.Dst = Matmul.Outputs[0];
  Grp.DstDesc = desc(G.tensor(Grp.Dst));
  Done[OpIndex] = true;
  for (bool Transposed = false; !Transposed;) {
    std::vector<size_t> Next = G.consumers(Grp.Dst);
    if (Next.size() != 1 ||
        (!IsMatmul && G.Ops[Next[0]].Kind == "statictranspose") ||
        !absorb(Grp, G.Ops[Next[0]], Done))
      break;
    Done[Next[0]] = true;
    Transposed = G.Ops[Next[0]].Kind == "statictranspose";
  }
  Grp.DstMemory =
      memory(Grp.DstDesc, Engine, memoryOf(Grp.Dst).get_data_handle());
  return Grp;
}

/// A product times (or divided by) a known number is a GEMM's alpha.
bool Planner::foldScale(Group &Grp) {
  if (Grp.PostOps.empty() || Grp.Bias >= 0)
    return false;
  PostOp First = Grp.PostOps.front();
  bool Divides = First.Algorithm == algorithm::binary_div;
  if (!Divides && First.Algorithm != algorithm::binary_mul)
    return false;
  if (G.tensor(First.Other).span() != 1 ||
      !std::count(G.Inputs.begin(), G.Inputs.end(), First.Other))
    return false;
  float Value =
      *static_cast<const float *>(memoryOf(First.Other).get_data_handle());
  Grp.Scale = Divides ? 1.0f / Value : Value;
  Grp.PostOps.erase(Grp.PostOps.begin());
  return true;
}

dnnl::post_ops Planner::fuse(const Group &Grp, size_t Count, Step &S) {
  dnnl::post_ops Ops;
  for (size_t I = 0; I < Count; ++I) {
    const PostOp &P = Grp.PostOps[I];
    if (P.Other < 0) {
      Ops.append_eltwise(1.0f, P.Algorithm, 0.0f, 0.0f);
      continue;
    }
    memory::desc D =
        broadcastDesc(G.tensor(P.Other), Grp.DstDesc.dims().size());
    Ops.append_binary(P.Algorithm, D);
    S.Args[DNNL_ARG_ATTR_MULTIPLE_POST_OP(I) | DNNL_ARG_SRC_1] =
        memory(D, Engine, memoryOf(P.Other).get_data_handle());
  }
  return Ops;
}

/// What was not fused runs as separate primitives, in place.
void Planner::appendRest(const Group &Grp, size_t Fused, Variant &V) {
  for (size_t I = Fused; I < Grp.PostOps.size(); ++I) {
    const PostOp &P = Grp.PostOps[I];
    Step S;
    S.Args[DNNL_ARG_DST] = Grp.DstMemory;
    if (P.Other < 0) {
      dnnl::eltwise_forward::primitive_desc Desc(
          {dnnl::prop_kind::forward_inference, P.Algorithm, Grp.DstDesc, 0.0f,
           0.0f},
          Engine);
      S.Primitive = dnnl::eltwise_forward(Desc);
      S.Args[DNNL_ARG_SRC] = Grp.DstMemory;
      S.Name = std::string("eltwise ") + Desc.impl_info_str();
    } else {
      memory::desc D =
          broadcastDesc(G.tensor(P.Other), Grp.DstDesc.dims().size());
      dnnl::binary::primitive_desc Desc(
          {P.Algorithm, Grp.DstDesc, D, Grp.DstDesc}, Engine);
      S.Primitive = dnnl::binary(Desc);
      S.Args[DNNL_ARG_SRC_0] = Grp.DstMemory;
      S.Args[DNNL_ARG_SRC_1] =
          memory(D, Engine, memoryOf(P.Other).get_data_handle());
      S.Name = std::string("binary ") + Desc.impl_info_str();
    }
    V.Steps.push_back(std::move(S));
  }
}

static memory::desc swapLastTwo(const memory::desc &D) {
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
  memory::desc Src = swapLastTwo(desc(G.tensor(Grp.Weights)));
  memory::desc Weights = swapLastTwo(desc(G.tensor(Grp.Src)));
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

static bool isPrepacked(const Tensor &Weights) {
  return Weights.Constant && Weights.Shape.size() == 2;
}

static std::string variantName(const char *Kind, bool Transposed) {
  return std::string(Kind) + (Transposed ? " transposed" : "");
}

Variant Planner::matmulVariant(const Group &Grp, size_t Fused,
                               bool Transposed) {
  const Tensor &W = G.tensor(Grp.Weights);
  memory::desc Asked = desc(W);
  if (isPrepacked(W))
    Asked = memory::desc(W.Shape, dataType(W.Dtype),
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
      Grp.Bias >= 0
          ? dnnl::matmul::desc(desc(G.tensor(Grp.Src)), Asked, Bias,
                               Grp.DstDesc)
          : dnnl::matmul::desc(desc(G.tensor(Grp.Src)), Asked, Grp.DstDesc);
  dnnl::matmul::primitive_desc Desc(Op, Attr, Engine);
  S.Primitive = dnnl::matmul(Desc);
  S.Args[DNNL_ARG_SRC] = memoryOf(Grp.Src);
  S.Args[DNNL_ARG_WEIGHTS] =
      reordered(Grp.Weights, desc(W), Desc.weights_desc());
  S.Args[DNNL_ARG_DST] = Grp.DstMemory;
  std::string Name = variantName("matmul", Transposed);
  S.Name = stepName(Name + (Grp.Scale != 1.0f ? " scaled" : ""), Fused,
                    Desc.impl_info_str());
  Variant V{Name, {std::move(S)}};
  appendRest(Grp, Fused, V);
  return V;
}

Variant Planner::innerProductVariant(const Group &Grp, bool Transposed) {
  // An inner product's weights are [N, K]; the file's are [K, N].
  const Tensor &W = G.tensor(Grp.Weights);
  memory::dims Shape = {W.Shape[1], W.Shape[0]};
  memory::desc User(Shape, dataType(W.Dtype),
                    memory::dims{W.Stride[1], W.Stride[0]});
  memory::desc Asked(Shape, dataType(W.Dtype),
                     Transposed ? memory::format_tag::ab
                                : memory::format_tag::any);
  memory::desc Src = desc(G.tensor(Grp.Src));
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
  S.Args[DNNL_ARG_SRC] = memoryOf(Grp.Src);
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
  if (isPrepacked(G.tensor(Grp.Weights)) && Grp.DstDesc.dims().size() == 2) {
    attempt([&] { return matmulVariant(Grp, All, true); });
    attempt([&] { return innerProductVariant(Grp, false); });
    attempt([&] { return innerProductVariant(Grp, true); });
  }
  if (Found.empty())
    throw *Failure;
  // The library's reference loops are a fallback, not a baseline.
  auto Slow =
      std::stable_partition(Found.begin(), Found.end(),
                            [](const Variant &V) { return !usesReference(V); });
  if (Slow != Found.begin())
    Found.erase(Slow, Found.end());
  return Found;
}

/// The ways to compute an operation and what it absorbs; none for a view.
std::vector<Variant> Planner::stage(size_t OpIndex, std::vector<bool> &Done) {
  const Op &O = G.Ops[OpIndex];
  if (O.Kind == "matmul")
    return variants(collectGroup(OpIndex, Done));
  if (O.Kind == "convolution")
    return convolutionVariants(O, collectGroup(OpIndex, Done));
  Done[OpIndex] = true;
  memory::desc View;
  if (view(O, View)) {
    int64_t Id = O.Outputs[0];
    Views[Id] = View;
    Memories[Id] =
        memory(View, Engine, memoryOf(O.Inputs[0]).get_data_handle());
    return {};
  }
  if (View)
    return {copy(O)};
  if (O.Kind == "softmax" && dies(O.Inputs[0]))
    return {softmax(O)};
  if (std::optional<algorithm> Algorithm = eltwiseOf(O.Kind))
    return {eltwise(O, *Algorithm)};
  if (std::optional<algorithm> Algorithm = binaryOf(O.Kind))
    return {binary(O, *Algorithm)};
  if (std::optional<Variant> Found = image(O))
    return {*Found};
  if (std::optional<Variant> Found = row(O))
    return {*Found};
  throw std::runtime_error("op " + std::to_string(O.Id) + ": kind " + O.Kind +
                           " is not mapped here");
}

Planner::Planner(const Graph &G, dnnl::engine Engine, dnnl::stream Stream)
    : G(G), Engine(Engine), Stream(Stream) {
  for (int64_t Id : G.Inputs)
    if (G.tensor(Id).Dtype != "boolean") // Its consumers are not mapped.
      fillInput(G.tensor(Id), memoryOf(Id).get_data_handle());
  std::vector<bool> Done(G.Ops.size());
  for (size_t I = 0; I < G.Ops.size(); ++I) {
    if (Done[I])
      continue;
    std::vector<Variant> Ways = stage(I, Done);
    if (!Ways.empty())
      Stages.push_back(std::move(Ways));
  }
}

/// Best seconds of a variant run on its own.
double Planner::time(const Variant &V) {
  using Clock = std::chrono::steady_clock;
  Plan P{"", V.Steps};
  P.run(Stream);
  // A long run needs no repetition to tell the ways apart.
  double Best = std::numeric_limits<double>::max(), Spent = 0;
  for (int Runs = 0; Spent < 0.02 || (Runs < 3 && Spent < 0.1); ++Runs) {
    auto Start = Clock::now();
    P.run(Stream);
    double Seconds =
        std::chrono::duration<double>(Clock::now() - Start).count();
    Best = std::min(Best, Seconds);
    Spent += Seconds;
  }
  return Best;
}

std::vector<Plan> Planner::plans() {
  std::vector<std::vector<const Variant *>> Choices;
  std::vector<const Variant *> Tuned;
  for (const std::vector<Variant> &Stage : Stages) {
    const Variant *Best = &Stage.front();
    if (Stage.size() > 1) {
      double Fastest = std::numeric_limits<double>::max();
      for (const Variant &V : Stage) {
        double Seconds = time(V);
        if (Seconds < Fastest) {
          Fastest = Seconds;
          Best = &V;
        }
      }
    }
    Tuned.push_back(Best);
  }
  std::vector<std::string> Names = {"tuned"};
  Choices.push_back(Tuned);
  for (const char *Kind : {"matmul", "matmul transposed", "inner_product",
                           "inner_product transposed"}) {
    std::vector<const Variant *> Uniform;
    for (const std::vector<Variant> &Stage : Stages) {
      auto Found =
          std::find_if(Stage.begin(), Stage.end(),
                       [&](const Variant &V) { return V.Name == Kind; });
      Uniform.push_back(Found == Stage.end() ? &Stage.front() : &*Found);
    }
    if (std::count(Choices.begin(), Choices.end(), Uniform))
      continue;
    Choices.push_back(Uniform);
    Names.push_back(Kind);
  }

  std::vector<Plan> Plans;
  for (size_t I = 0; I < Choices.size(); ++I) {
    Plan P{Names[I], {}};
    for (const Variant *V : Choices[I])
      P.Steps.insert(P.Steps.end(), V->Steps.begin(), V->Steps.end());
    Plans.push_back(std::move(P));
  }
  return Plans;
}
