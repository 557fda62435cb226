// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The primitives of products of integers: matmul, inner product and convolution
// with their weights as s8, and what follows where it is not a post-op.

#include "Plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

/// The layout with its dimensions from the outermost to the innermost, if the
/// elements fill their memory.
static std::optional<memory::desc> denseOf(const memory::desc &D) {
  memory::dims Shape = D.dims();
  const auto &Stride = D.data.format_desc.blocking.strides;
  std::vector<int> Order(Shape.size()), To(Shape.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::stable_sort(Order.begin(), Order.end(),
                   [&](int A, int B) { return Stride[A] > Stride[B]; });
  int64_t Step = 1;
  for (size_t I = Order.size(); I-- > 0; Step *= Shape[Order[I]]) {
    if (Shape[Order[I]] > 1 && Stride[Order[I]] != Step)
      return std::nullopt;
    To[Order[I]] = I;
  }
  return D.permute_axes(To);
}

/// The weights as s8 in the layout `To`; `From` is theirs. Known ones are
/// reordered now, others by the steps.
memory Planner::signedWeights(const Product &P, const memory::desc &From,
                              const memory::desc &To,
                              std::vector<Step> &Steps) {
  memory Given(From, Engine, P.Weights.Data.get_data_handle());
  if (From == To)
    return Given;
  memory Result(To, Engine);
  Step S;
  std::optional<memory::desc> Dense;
  memory::desc Shifted = withType(From, memory::data_type::s8);
  if (P.shift() != 0 && To == Shifted)
    Dense = denseOf(From);
  if (Dense) { // Several times as fast as a reorder.
    memory Shift({memory::dims(From.dims().size(), 1), memory::data_type::f32,
                  memory::dims(From.dims().size(), 1)},
                 Engine);
    *static_cast<float *>(Shift.get_data_handle()) = P.shift();
    memory::desc Dst = withType(*Dense, memory::data_type::s8);
    dnnl::binary::primitive_desc Desc(
        {algorithm::binary_sub, *Dense, Shift.get_desc(), Dst}, Engine);
    S.Primitive = dnnl::binary(Desc);
    S.Args = {{DNNL_ARG_SRC_0, memory(*Dense, Engine, Given.get_data_handle())},
              {DNNL_ARG_SRC_1, Shift},
              {DNNL_ARG_DST, memory(Dst, Engine, Result.get_data_handle())}};
    S.Name = std::string("binary ") + Desc.impl_info_str();
  } else if (P.shift() != 0 && P.Weights.Known && To != Shifted) {
    // The library packs signed ones only.
    S = reorderStep(signedWeights(P, From, Shifted, Steps), Result);
  } else {
    dnnl::primitive_attr Attr;
    if (P.shift() != 0)
      Attr.set_zero_points(DNNL_ARG_SRC, 0, {P.shift()});
    S = reorderStep(Given, Result, Attr);
  }
  if (P.Weights.Known) {
    S.Primitive.execute(Stream, S.Args);
    Stream.wait();
  } else {
    Steps.push_back(std::move(S));
  }
  return Result;
}

/// The attributes and arguments that all kinds of products have.
Step Planner::bindProduct(const Product &P, const Epilogue &E, size_t Fused,
                          size_t BiasRank, dnnl::primitive_attr &Attr) {
  Step S;
  Attr.set_output_scales(E.Scales.size() > 1 ? 1 << P.Channels : 0, E.Scales);
  if (P.Src.By.Zero != 0 && !P.Folds)
    Attr.set_zero_points(DNNL_ARG_SRC, 0, {P.Src.By.Zero});
  if (P.weightsZero() != 0)
    Attr.set_zero_points(DNNL_ARG_WEIGHTS, 0, {P.weightsZero()});
  dnnl::post_ops Ops;
  auto appendBinary = [&](algorithm Algorithm, const memory &Other) {
    S.Args[DNNL_ARG_ATTR_MULTIPLE_POST_OP(Ops.len()) | DNNL_ARG_SRC_1] = Other;
    Ops.append_binary(Algorithm, Other.get_desc());
  };
  auto number = [&](double Value) {
    memory M({memory::dims(P.Rank, 1), memory::data_type::f32,
              memory::dims(P.Rank, 1)},
             Engine);
    *static_cast<float *>(M.get_data_handle()) = Value;
    return M;
  };
  bool HasLinear = false;
  for (size_t I = 0; I < Fused; ++I) {
    const Piece &Next = E.Pieces[I];
    bool IsLinear = Next.Algorithm == algorithm::eltwise_linear;
    if (Next.Algorithm == algorithm::undef) {
      Ops.append_sum(Next.Alpha, Next.Beta, Next.Other.get_desc().data_type());
    } else if (Next.Other) {
      appendBinary(Next.Algorithm, Next.Other);
    } else if (IsLinear && HasLinear) {
      // oneDNN 2.6 computes a second linear function as the first one.
      appendBinary(algorithm::binary_mul, number(Next.Alpha));
      appendBinary(algorithm::binary_add, number(Next.Beta));
    } else {
      Ops.append_eltwise(1.0f, Next.Algorithm, Next.Alpha, Next.Beta);
    }
    HasLinear |= IsLinear;
  }
  Attr.set_post_ops(Ops);
  S.Args[DNNL_ARG_SRC] =
      memory(P.SrcDesc, Engine, P.Src.Data.get_data_handle());
  if (!E.Bias.empty()) {
    memory::dims Shape(BiasRank, 1), Stride(BiasRank, E.Bias.size());
    Shape.back() = E.Bias.size();
    Stride.back() = 1;
    memory Bias({Shape, memory::data_type::f32, Stride}, Engine);
    std::copy(E.Bias.begin(), E.Bias.end(),
              static_cast<float *>(Bias.get_data_handle()));
    S.Args[DNNL_ARG_BIAS] = Bias;
  }
  return S;
}

static std::string productName(const char *Kind, const memory::desc &Src,
                               const memory::desc &Dst, size_t Fused,
                               const char *Implementation) {
  auto type = [](const memory::desc &D) {
    return D.data_type() == memory::data_type::u8   ? "u8"
           : D.data_type() == memory::data_type::s8 ? "s8"
                                                    : "float";
  };
  return std::string(Kind) + " " + type(Src) + " to " + type(Dst) + " +" +
         std::to_string(Fused) + " " + Implementation;
}

void Planner::appendMatmul(const Product &P, Form F, const Epilogue &E,
                           size_t Fused, const memory &Dst,
                           std::vector<Step> &Steps) {
  dnnl::primitive_attr Attr;
  Step S = bindProduct(P, E, Fused, P.Rank, Attr);
  memory::desc Given = withType(P.WeightsDesc, memory::data_type::s8);
  memory::desc Asked = Given;
  if (F == Form::Asked)
    Asked =
        memory::desc(Given.dims(), Given.data_type(), memory::format_tag::any);
  else if (F == Form::Transposed)
    Asked =
        memory::desc(Given.dims(), Given.data_type(), memory::format_tag::ba);
  dnnl::matmul::desc Op =
      E.Bias.empty() ? dnnl::matmul::desc(P.SrcDesc, Asked, Dst.get_desc())
                     : dnnl::matmul::desc(P.SrcDesc, Asked,
                                          S.Args[DNNL_ARG_BIAS].get_desc(),
                                          Dst.get_desc());
  dnnl::matmul::primitive_desc Desc(Op, Attr, Engine);
  S.Primitive = dnnl::matmul(Desc);
  S.Args[DNNL_ARG_WEIGHTS] =
      signedWeights(P, P.WeightsDesc, Desc.weights_desc(), Steps);
  S.Args[DNNL_ARG_DST] = Dst;
  S.Name = productName("matmul", P.SrcDesc, Dst.get_desc(), Fused,
                       Desc.impl_info_str());
  Steps.push_back(std::move(S));
}

void Planner::appendInnerProduct(const Product &P, Form F, const Epilogue &E,
                                 const memory &Dst, std::vector<Step> &Steps) {
  dnnl::primitive_attr Attr;
  size_t Fused = E.Pieces.size();
  Step S = bindProduct(P, E, Fused, 1, Attr);
  // An inner product's weights are [N, K]; a matmul's are [K, N].
  memory::desc Given = swapLastTwo(P.WeightsDesc);
  memory::desc Asked(Given.dims(), memory::data_type::s8,
                     F == Form::Inner ? memory::format_tag::any
                                      : memory::format_tag::ab);
  const auto Kind = dnnl::prop_kind::forward_inference;
  using Primitive = dnnl::inner_product_forward;
  Primitive::desc Op =
      E.Bias.empty()
          ? Primitive::desc(Kind, P.SrcDesc, Asked, Dst.get_desc())
          : Primitive::desc(Kind, P.SrcDesc, Asked,
                            S.Args[DNNL_ARG_BIAS].get_desc(), Dst.get_desc());
  Primitive::primitive_desc Desc(Op, Attr, Engine);
  S.Primitive = Primitive(Desc);
  S.Args[DNNL_ARG_WEIGHTS] =
      signedWeights(P, Given, Desc.weights_desc(), Steps);
  S.Args[DNNL_ARG_DST] = Dst;
  S.Name = productName("inner_product", P.SrcDesc, Dst.get_desc(), Fused,
                       Desc.impl_info_str());
  Steps.push_back(std::move(S));
}

void Planner::appendConvolution(const Product &P, const Epilogue &E,
                                size_t Fused, const memory &Dst,
                                std::vector<Step> &Steps) {
  dnnl::primitive_attr Attr;
  Step S = bindProduct(P, E, Fused, 1, Attr);
  memory::desc Asked(P.WeightsDesc.dims(), memory::data_type::s8,
                     memory::format_tag::any);
  using Primitive = dnnl::convolution_forward;
  memory::desc Bias;
  if (!E.Bias.empty())
    Bias = S.Args[DNNL_ARG_BIAS].get_desc();
  Primitive::primitive_desc Desc(
      convolutionDesc(P.Operation, P.SrcDesc, Asked, Bias, Dst.get_desc()),
      Attr, Engine);
  S.Primitive = Primitive(Desc);
  S.Args[DNNL_ARG_WEIGHTS] =
      signedWeights(P, P.WeightsDesc, Desc.weights_desc(), Steps);
  S.Args[DNNL_ARG_DST] = Dst;
  S.Name = productName("convolution", P.SrcDesc, Dst.get_desc(), Fused,
                       Desc.impl_info_str());
  Steps.push_back(std::move(S));
}

/// The pieces that the product did not take, in place.
void Planner::appendPieces(const Epilogue &E, size_t From, const memory &M,
                           std::vector<Step> &Steps) {
  for (size_t I = From; I < E.Pieces.size(); ++I) {
    const Piece &Next = E.Pieces[I];
    Step S;
    S.Args[DNNL_ARG_DST] = M;
    if (!Next.Other) {
      dnnl::eltwise_forward::primitive_desc Desc(
          {dnnl::prop_kind::forward_inference, Next.Algorithm, M.get_desc(),
           static_cast<float>(Next.Alpha), static_cast<float>(Next.Beta)},
          Engine);
      S.Primitive = dnnl::eltwise_forward(Desc);
      S.Args[DNNL_ARG_SRC] = M;
      S.Name = std::string("eltwise ") + Desc.impl_info_str();
    } else {
      dnnl::binary::primitive_desc Desc(
          {Next.Algorithm, M.get_desc(), Next.Other.get_desc(), M.get_desc()},
          Engine);
      S.Primitive = dnnl::binary(Desc);
      S.Args[DNNL_ARG_SRC_0] = M;
      S.Args[DNNL_ARG_SRC_1] = Next.Other;
      S.Name = std::string("binary ") + Desc.impl_info_str();
    }
    Steps.push_back(std::move(S));
  }
}

/// Everything in the product where it is possible, and with fewer post-ops and
/// a result in f32 that is quantized afterwards.
std::vector<Variant> Planner::integerVariants(const Op &O,
                                              const Group &Collected) {
  Product P = product(O, Collected);
  std::vector<std::pair<Form, const char *>> Forms;
  if (P.IsConvolution)
    Forms = {{Form::Asked, "convolution"}};
  else if (!isPrepacked(P.Grp) || P.Rank != 2)
    Forms = {{Form::Given, "matmul"}, {Form::Asked, "matmul reordered"}};
  else if (P.weightsZero() != 0)
    Forms = {{Form::Asked, "matmul"}, {Form::Transposed, "matmul transposed"}};
  else
    Forms = {{Form::Asked, "matmul"},
             {Form::Transposed, "matmul transposed"},
             {Form::Inner, "inner_product"},
             {Form::InnerTransposed, "inner_product transposed"}};
  memory Result(P.DstDesc, Engine, P.Grp.DstMemory.get_data_handle());
  std::vector<Variant> Found;
  std::optional<dnnl::error> Failure;
  auto attempt = [&](size_t Index, const Epilogue &E, size_t Fused,
                     const memory &Dst) {
    auto [F, Name] = Forms[Index];
    Variant V{Name, {}};
    try {
      if (P.IsConvolution)
        appendConvolution(P, E, Fused, Dst, V.Steps);
      else if (F == Form::Inner || F == Form::InnerTransposed)
        appendInnerProduct(P, F, E, Dst, V.Steps);
      else
        appendMatmul(P, F, E, Fused, Dst, V.Steps);
      appendPieces(E, Fused, Dst, V.Steps);
      if (Dst != Result)
        V.Steps.push_back(quantizeStep(Dst, Result, *P.Grp.Quantize));
      Found.push_back(std::move(V));
    } catch (const dnnl::error &Error) {
      Failure = Error;
    }
  };
  auto attemptForms = [&](const Epilogue &E) {
    for (size_t I = 0; I < Forms.size(); ++I)
      attempt(I, E, E.Pieces.size(), Result);
  };
  if (const Integers *Other = summand(P)) {
    // In their place, which is its place from here on.
    void *Place = Other->Data.get_data_handle();
    memory Own = Result;
    Result = memory(P.DstDesc, Engine, Place);
    attemptForms(epilogue(P, true, true));
    if (Found.empty())
      Result = Own;
    else
      Memories[P.Grp.Dst] = memory(desc(G.tensor(P.Grp.Dst)), Engine, Place);
  }
  Epilogue Whole = epilogue(P, P.Grp.Quantize != nullptr);
  if (Found.empty())
    attemptForms(Whole);
  bool HasBinary =
      std::any_of(Whole.Pieces.begin(), Whole.Pieces.end(),
                  [](const Piece &Next) { return bool(Next.Other); });
  if (HasBinary || Found.empty()) {
    Epilogue Part = epilogue(P, false);
    memory Floats = Result;
    if (P.Grp.Quantize)
      Floats = memory(withType(P.DstDesc, memory::data_type::f32), Engine);
    size_t Ways = isPrepacked(P.Grp) ? 1 : Forms.size();
    for (size_t Fused = Part.Pieces.size() + (P.Grp.Quantize != nullptr);
         Fused-- > 0;)
      for (size_t I = 0; I < Ways; ++I)
        attempt(I, Part, Fused, Floats);
  }
  if (Found.empty())
    throw *Failure;
  dropReferences(Found);
  return Found;
}
