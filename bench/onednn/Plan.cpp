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

memory::data_type bench::dataType(const std::string &Name) {
  if (Name == "f32")
    return memory::data_type::f32;
  if (Name == "bf16")
    return memory::data_type::bf16;
  if (Name == "u8")
    return memory::data_type::u8;
  if (Name == "s8")
    return memory::data_type::s8;
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
  Memories[Id] = M;
  auto Deferred = Dequantized.find(Id);
  if (Deferred == Dequantized.end())
    return M;
  Step S = dequantizeStep(Deferred->second, M);
  if (Deferred->second.Known) {
    S.Primitive.execute(Stream, S.Args);
    Stream.wait();
  } else {
    Stages.push_back({{"reorder", {std::move(S)}}});
  }
  return M;
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

/// Whether the tensor has its value before the runs.
bool Planner::isKnown(int64_t Id) const {
  auto Found = Dequantized.find(Id);
  if (Found != Dequantized.end())
    return Found->second.Known;
  return G.tensor(Id).Constant &&
         std::count(G.Inputs.begin(), G.Inputs.end(), Id);
}

/// Takes the only consumer of the group's result into the group, if it can.
bool Planner::absorb(Group &Grp, const Op &Next,
                     const std::vector<bool> &Done) {
  const Tensor &Dst = G.tensor(Grp.Dst);
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
  } else if (canQuantize(Grp, Next)) {
    Grp.Quantize = &Next;
  } else if (Next.Kind != "statictranspose" &&
             !(Grp.OfIntegers &&
               (Next.Kind == "typecast" || Next.Kind == "reorder"))) {
    return false;
  }
  Grp.Dst = Next.Outputs[0];
  return true;
}

static bool isSet(const Op &O, const char *Name) {
  return O.Attrs.contains(Name) && O.Attrs[Name].at("value") != 0;
}

Planner::Group Planner::collectGroup(size_t OpIndex, std::vector<bool> &Done) {
  const Op &Matmul = G.Ops[OpIndex];
  bool IsMatmul = Matmul.Kind == "matmul";
  Group Grp;
  Grp.Src = Matmul.Inputs[0];
  Grp.Weights = Matmul.Inputs[1];
  deferReady(Done);
  Grp.OfIntegers = isOfIntegers(Matmul);
  auto operand = [&](int64_t Id, const char *Name) {
    memory::desc D = Grp.OfIntegers ? Dequantized.at(Id).Data.get_desc()
                                    : desc(G.tensor(Id));
    if (isSet(Matmul, Name))
      D = swapLastTwo(D);
    size_t Rank = G.tensor(Matmul.Outputs[0]).Shape.size();
    if (!IsMatmul || D.dims().size() >= Rank || D.dims().size() < 2)
      return D;
    memory::dims Shape = D.dims(); // One matrix for all.
    Shape.insert(Shape.begin(), Rank - Shape.size(), 1);
    return D.reshape(Shape);
  };
  Grp.SrcDesc = operand(Grp.Src, "transpose_a");
  Grp.WeightsDesc = operand(Grp.Weights, "transpose_b");
  if (Matmul.Inputs.size() > 2)
    Grp.Bias = Matmul.Inputs[2];
  Grp.Dst = Matmul.Outputs[0];
  Done[OpIndex] = true;
  std::vector<int> Order;
  while (!Grp.Quantize) {
    std::vector<size_t> Found = G.consumers(Grp.Dst);
    if (Found.size() != 1)
      break;
    const Op &Next = G.Ops[Found[0]];
    bool Transposes = Next.Kind == "statictranspose";
    bool Fits = Order.empty()
                    ? IsMatmul || !Transposes
                    : Next.Kind == "quantize" || Next.Kind == "typecast" ||
                          Next.Kind == "reorder";
    if (!Fits || !absorb(Grp, Next, Done))
      break;
    Done[Found[0]] = true;
    if (Transposes)
      for (int64_t Axis : getList(Next, "order"))
        Order.push_back(Axis < 0 ? Axis + getList(Next, "order").size() : Axis);
  }
  Grp.DstDesc = desc(G.tensor(Grp.Dst));
  if (!Order.empty()) // The matmul writes straight into the transposed result.
    Grp.DstDesc = Grp.DstDesc.permute_axes(Order);
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
  memory Number({{1}, memory::data_type::f32, memory::format_tag::a}, Engine);
  memory Given = bound(desc(G.tensor(First.Other)).reshape({1}), First.Other);
  dnnl::reorder(Given, Number).execute(Stream, Given, Number);
  Stream.wait();
  float Value = *static_cast<const float *>(Number.get_data_handle());
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

/// The ways to compute an operation and what it absorbs; none for a view.
std::vector<Variant> Planner::stage(size_t OpIndex, std::vector<bool> &Done) {
  const Op &O = G.Ops[OpIndex];
  if (O.Kind == "matmul" || O.Kind == "convolution") {
    Group Grp = collectGroup(OpIndex, Done);
    if (Grp.OfIntegers)
      return integerVariants(O, Grp);
    return O.Kind == "matmul" ? variants(Grp) : convolutionVariants(O, Grp);
  }
  Done[OpIndex] = true;
  if (defer(O))
    return {};
  if (O.Kind == "quantize")
    return {{"reorder",
             {quantizeStep(memoryOf(O.Inputs[0]), memoryOf(O.Outputs[0]), O)}}};
  if (O.Kind == "typecast")
    return {{"reorder",
             {reorderStep(memoryOf(O.Inputs[0]), memoryOf(O.Outputs[0]))}}};
  if (const Op *Quantize = quantizedSoftmax(O, Done))
    return softmaxVariants(O, *Quantize);
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

size_t Planner::ways() const {
  size_t Most = 0;
  for (const std::vector<Variant> &Stage : Stages)
    Most = std::max(Most, Stage.size());
  return Most;
}

Plan Planner::way(size_t N) const {
  Plan P{"way " + std::to_string(N), {}};
  for (const std::vector<Variant> &Stage : Stages) {
    const Variant &V = Stage[std::min(N, Stage.size() - 1)];
    P.Steps.insert(P.Steps.end(), V.Steps.begin(), V.Steps.end());
  }
  return P;
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
