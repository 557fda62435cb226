// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of dequantized operands as products of their integers. Scales become
// output scales, quantization of the result a scale, an offset and the type of
// the destination. Where the weights are known, their sums for each channel
// stand for the zero point of the source and are part of the bias.

#include "Plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

static bool isQuantized(const memory &M) {
  auto Type = M.get_desc().data_type();
  return Type == memory::data_type::u8 || Type == memory::data_type::s8;
}

/// Whether the library has a product of integers for the operation: scales for
/// the whole source and for the weights or each of their output channels.
bool Planner::isOfIntegers(const Op &O) const {
  auto Src = Dequantized.find(O.Inputs[0]),
       Weights = Dequantized.find(O.Inputs[1]);
  if (Src == Dequantized.end() || Weights == Dequantized.end() ||
      !isQuantized(Src->second.Data) || !isQuantized(Weights->second.Data) ||
      Src->second.By.Axis >= 0)
    return false;
  const Quantization &By = Weights->second.By;
  int Channels = G.tensor(O.Inputs[1]).Shape.size() - 1;
  if (O.Kind == "matmul") {
    bool Transposed = O.Attrs.contains("transpose_b") &&
                      O.Attrs["transpose_b"].at("value") != 0;
    return By.Axis < 0 || By.Axis == Channels - Transposed;
  }
  bool IsSigned =
      Weights->second.Data.get_desc().data_type() == memory::data_type::s8;
  return By.Zero == (IsSigned ? 0 : 128) &&
         (By.Axis < 0 || By.Axis == Channels);
}

/// Whether the quantization of its result can be part of the product.
bool Planner::canQuantize(const Group &Grp, const Op &Next) const {
  return Grp.OfIntegers && Next.Kind == "quantize" &&
         quantizationOf(Next).Axis < 0;
}

/// Sums over all but the last dimension, less a zero point for each element.
static std::vector<double> channelSums(const memory &M, const memory::desc &D,
                                       int32_t Zero) {
  memory::dims Shape = D.dims();
  const auto &Stride = D.data.format_desc.blocking.strides;
  bool IsSigned = D.data_type() == memory::data_type::s8;
  const uint8_t *Data = static_cast<const uint8_t *>(M.get_data_handle());
  std::vector<double> Sums(Shape.back()); // Exact: they are integers.
  int64_t Rows = std::accumulate(Shape.begin(), Shape.end() - 1, int64_t(1),
                                 std::multiplies<>());
  for (int64_t Row = 0; Row < Rows; ++Row) {
    int64_t Offset = 0, Rest = Row;
    for (size_t I = Shape.size() - 1; I-- > 0; Rest /= Shape[I])
      Offset += Rest % Shape[I] * Stride[I];
    for (int64_t N = 0; N < Shape.back(); ++N) {
      uint8_t Bits = Data[Offset + N * Stride[Shape.size() - 1]];
      Sums[N] += (IsSigned ? static_cast<int8_t>(Bits) : Bits) - Zero;
    }
  }
  return Sums;
}

Planner::Product Planner::product(const Op &O, const Group &Collected) {
  Product P{O,
            Collected,
            Dequantized.at(Collected.Src),
            Dequantized.at(Collected.Weights),
            O.Kind == "convolution",
            static_cast<int>(Collected.DstDesc.dims().size()),
            0,
            Collected.SrcDesc,
            Collected.WeightsDesc,
            Collected.DstDesc,
            false};
  foldScale(P.Grp);
  if (!P.IsConvolution) {
    P.Channels = P.Rank - 1;
    P.Folds = isPrepacked(P.Grp);
    return P;
  }
  P.Channels = 1;
  P.SrcDesc = channelsSecond(P.SrcDesc);
  P.DstDesc = channelsSecond(P.DstDesc);
  P.WeightsDesc = convolutionWeights(O, P.WeightsDesc);
  // Elements in the pads are zero, not the zero point.
  auto hasPads = [&](const char *Name) {
    std::vector<int64_t> Pads = getList(O, Name);
    return std::count(Pads.begin(), Pads.end(), 0) != int64_t(Pads.size());
  };
  P.Folds = P.Weights.Known && !hasPads("pads_begin") && !hasPads("pads_end");
  return P;
}

/// Merges linear functions with each other, also past relu where that commutes.
/// At the front they become scales and bias.
void Planner::Epilogue::simplify() {
  auto isLinear = [&](size_t I) {
    return I < Pieces.size() &&
           Pieces[I].Algorithm == algorithm::eltwise_linear;
  };
  auto isRelu = [&](size_t I) {
    return I < Pieces.size() && Pieces[I].Algorithm == algorithm::eltwise_relu;
  };
  auto multiplies = [&](size_t I) {
    return isLinear(I) && Pieces[I].Alpha > 0 && Pieces[I].Beta == 0;
  };
  for (size_t I = 0; I + 1 < Pieces.size(); ++I)
    if (multiplies(I) && isRelu(I + 1))
      std::swap(Pieces[I], Pieces[I + 1]);
  for (size_t I = 0; I + 1 < Pieces.size();) {
    if (!isLinear(I) || !isLinear(I + 1)) {
      ++I;
      continue;
    }
    Pieces[I].Alpha *= Pieces[I + 1].Alpha;
    Pieces[I].Beta = Pieces[I].Beta * Pieces[I + 1].Alpha + Pieces[I + 1].Beta;
    Pieces.erase(Pieces.begin() + I + 1);
  }
  auto scale = [&](double By) {
    for (float &Scale : Scales)
      Scale *= By;
  };
  if (!Pieces.empty() && Pieces[0].Algorithm == algorithm::undef) {
    // The summand has a scale as well.
    size_t I = isRelu(1) ? 2 : 1;
    if (isLinear(I) && Pieces[I].Alpha > 0) {
      scale(Pieces[I].Alpha);
      Pieces[0].Alpha *= Pieces[I].Alpha;
      Pieces[I].Alpha = 1;
      if (Pieces[I].Beta == 0)
        Pieces.erase(Pieces.begin() + I);
    }
    return;
  }
  if (isLinear(0)) {
    scale(Pieces[0].Alpha);
    for (size_t N = 0; N < Bias.size(); ++N)
      Bias[N] += Pieces[0].Beta / Scales[Scales.size() > 1 ? N : 0];
    if (!Bias.empty() || Pieces[0].Beta == 0)
      Pieces.erase(Pieces.begin());
    else
      Pieces[0].Alpha = 1;
  }
  if (isRelu(0) && isLinear(1) && Pieces[1].Alpha > 0) {
    scale(Pieces[1].Alpha);
    Pieces[1].Alpha = 1;
    if (Pieces[1].Beta == 0)
      Pieces.erase(Pieces.begin() + 1);
  }
}

/// The integers that are added first, if the result can take their place.
const Planner::Integers *Planner::summand(const Product &P) const {
  const std::vector<PostOp> &Ops = P.Grp.PostOps;
  if (!P.Grp.Quantize || Ops.empty() ||
      Ops[0].Algorithm != algorithm::binary_add)
    return nullptr;
  auto Found = Dequantized.find(Ops[0].Other);
  if (Found == Dequantized.end() || Found->second.Id < 0 ||
      Found->second.By.Axis >= 0 || !dies(Found->first) ||
      !dies(Found->second.Id))
    return nullptr;
  memory::desc D = Found->second.Data.get_desc();
  bool Fits = withType(D, P.DstDesc.data_type()) == P.Grp.DstDesc;
  return Fits ? &Found->second : nullptr;
}

Planner::Epilogue Planner::epilogue(const Product &P, bool Quantizes,
                                    bool Sums) {
  const Group &Grp = P.Grp;
  Epilogue E;
  E.Scales = P.Weights.By.Scales;
  for (float &Scale : E.Scales)
    Scale *= P.Src.By.Scales[0] * Grp.Scale;
  auto toRank = [&](int64_t Id) {
    memory::desc D = broadcastDesc(G.tensor(Id), P.Rank);
    return P.IsConvolution ? channelsSecond(D) : D;
  };
  bool KnowsBias =
      Grp.Bias >= 0 && isKnown(Grp.Bias) && G.tensor(Grp.Bias).Dtype == "f32";
  if (KnowsBias || (P.Folds && P.Src.By.Zero != 0)) {
    E.Bias.resize(P.DstDesc.dims()[P.Channels]);
    if (P.Folds) {
      std::vector<double> Sums =
          channelSums(P.Weights.Data, Grp.WeightsDesc, P.Weights.By.Zero);
      for (size_t N = 0; N < Sums.size(); ++N)
        E.Bias[N] = -P.Src.By.Zero * Sums[N];
    }
    const float *Given =
        KnowsBias
            ? static_cast<const float *>(memoryOf(Grp.Bias).get_data_handle())
            : nullptr;
    for (size_t N = 0; Given && N < E.Bias.size(); ++N)
      E.Bias[N] += Given[N] / E.Scales[E.Scales.size() > 1 ? N : 0];
  }
  if (Grp.Bias >= 0 && !KnowsBias)
    E.Pieces.push_back(
        {algorithm::binary_add, 0, 0, bound(toRank(Grp.Bias), Grp.Bias)});
  auto linear = [&](double Alpha, double Beta) {
    E.Pieces.push_back({algorithm::eltwise_linear, Alpha, Beta, {}});
  };
  for (const PostOp &Next : Grp.PostOps) {
    if (Sums && &Next == &Grp.PostOps.front()) {
      const Integers *Other = summand(P);
      E.Pieces.push_back({algorithm::undef, Other->By.Scales[0],
                          double(Other->By.Zero), Other->Data});
      continue;
    }
    if (Next.Other < 0) {
      E.Pieces.push_back({Next.Algorithm, 0, 0, {}});
      continue;
    }
    // Integers are added in their own unit, so that they need no other memory.
    auto Found = Dequantized.find(Next.Other);
    bool Adds = Next.Algorithm == algorithm::binary_add;
    if (Found != Dequantized.end() && Found->second.By.Axis < 0 &&
        Found->second.Data.get_desc().dims().size() == size_t(P.Rank) &&
        (Adds || Next.Algorithm == algorithm::binary_sub)) {
      const Integers &Other = Found->second;
      memory::desc D = Other.Data.get_desc();
      double Scale = Other.By.Scales[0];
      linear(1 / Scale, Adds ? -Other.By.Zero : Other.By.Zero);
      E.Pieces.push_back({Next.Algorithm, 0, 0,
                          memory(P.IsConvolution ? channelsSecond(D) : D,
                                 Engine, Other.Data.get_data_handle())});
      linear(Scale, 0);
      continue;
    }
    memory Other = memoryOf(Next.Other);
    E.Pieces.push_back(
        {Next.Algorithm, 0, 0,
         memory(toRank(Next.Other), Engine, Other.get_data_handle())});
  }
  if (Quantizes) {
    Quantization Q = quantizationOf(*Grp.Quantize);
    linear(1.0 / Q.Scales[0], Q.Zero);
  }
  E.simplify();
  return E;
}
