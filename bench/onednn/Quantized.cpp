// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantization outside of products: what dequantization makes is left as
// integers for the products that read it, softmax writes integers itself, and
// the rest is reordered.

#include "Plan.h"

#include <algorithm>
#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

memory::desc bench::withType(memory::desc D, memory::data_type T) {
  D.data.data_type = memory::convert_to_c(T);
  return D;
}

Planner::Quantization Planner::quantizationOf(const Op &O) const {
  Quantization Q;
  Q.Scales = O.Attrs.at("scales").at("value").get<std::vector<float>>();
  if (O.Attrs.contains("qtype") &&
      O.Attrs["qtype"].at("value") == "per_channel") {
    Q.Axis = O.Attrs.contains("axis") ? O.Attrs["axis"]["value"].get<int>() : 1;
    if (Q.Axis < 0)
      Q.Axis += G.tensor(O.Inputs[0]).Shape.size();
  }
  if (!O.Attrs.contains("zps"))
    return Q;
  std::vector<int64_t> Zeros = getList(O, "zps");
  if (!Zeros.empty())
    Q.Zero = Zeros.front();
  if (std::count(Zeros.begin(), Zeros.end(), Q.Zero) != int64_t(Zeros.size()))
    throw std::runtime_error("op " + std::to_string(O.Id) +
                             ": different zero points are not mapped");
  return Q;
}

Step Planner::reorderStep(const memory &From, const memory &To,
                          const dnnl::primitive_attr &Attr) {
  dnnl::reorder::primitive_desc Desc(From, To, Attr);
  Step S;
  S.Primitive = dnnl::reorder(Desc);
  S.Args = {{DNNL_ARG_FROM, From}, {DNNL_ARG_TO, To}};
  S.Name = std::string("reorder ") + Desc.impl_info_str();
  return S;
}

Step Planner::dequantizeStep(const Integers &From, const memory &To) {
  dnnl::primitive_attr Attr;
  Attr.set_output_scales(From.By.mask(), From.By.Scales);
  if (From.By.Zero != 0)
    Attr.set_zero_points(DNNL_ARG_SRC, 0, {From.By.Zero});
  return reorderStep(From.Data, To, Attr);
}

Step Planner::quantizeStep(const memory &From, const memory &To, const Op &O) {
  Quantization Q = quantizationOf(O);
  for (float &Scale : Q.Scales)
    Scale = 1.0f / Scale;
  dnnl::primitive_attr Attr;
  Attr.set_output_scales(Q.mask(), Q.Scales);
  if (Q.Zero != 0)
    Attr.set_zero_points(DNNL_ARG_DST, 0, {Q.Zero});
  return reorderStep(From, To, Attr);
}

bool Planner::defer(const Op &O) {
  int64_t From = O.Inputs.front(), To = O.Outputs[0];
  auto Found = Dequantized.find(From);
  if (O.Kind == "dequantize") {
    Dequantized[To] = {memoryOf(From), quantizationOf(O), isKnown(From), From};
  } else if (Found == Dequantized.end()) {
    return false;
  } else if (O.Kind == "typecast") {
    Integers Same = Found->second;
    Same.Id = -1;
    Dequantized[To] = Same;
  } else {
    Integers Seen = Found->second;
    if (Seen.By.Axis >= 0)
      return false;
    memory::desc View = viewOf(O, Seen.Data.get_desc());
    if (!View)
      return false;
    Seen.Id = -1;
    Seen.Data = memory(View, Engine, Seen.Data.get_data_handle());
    Dequantized[To] = Seen;
  }
  if (G.consumers(To).empty()) // A result of the graph.
    memoryOf(To);
  return true;
}

/// Takes what is dequantized from tensors that exist by now.
void Planner::deferReady(std::vector<bool> &Done) {
  auto exists = [&](int64_t Id) {
    for (size_t I = 0; I < G.Ops.size(); ++I)
      if (!Done[I] &&
          std::count(G.Ops[I].Outputs.begin(), G.Ops[I].Outputs.end(), Id))
        return false;
    return true;
  };
  for (size_t I = 0; I < G.Ops.size(); ++I) {
    const Op &O = G.Ops[I];
    bool Fits = O.Kind == "dequantize" || O.Kind == "typecast";
    if (!Done[I] && Fits && exists(O.Inputs[0]))
      Done[I] = defer(O);
  }
}

/// The quantization that a softmax does itself: of its only consumer, perhaps
/// after a change of type, without a zero point.
const Op *Planner::quantizedSoftmax(const Op &O,
                                    std::vector<bool> &Done) const {
  if (O.Kind != "softmax")
    return nullptr;
  std::vector<size_t> Path, Next = G.consumers(O.Outputs[0]);
  while (Next.size() == 1) {
    const Op &Following = G.Ops[Next[0]];
    Path.push_back(Next[0]);
    if (Following.Kind == "quantize") {
      Quantization Q = quantizationOf(Following);
      if (Q.Axis >= 0 || Q.Zero != 0)
        return nullptr;
      for (size_t Index : Path)
        Done[Index] = true;
      return &Following;
    }
    if (Following.Kind != "typecast")
      return nullptr;
    Next = G.consumers(Following.Outputs[0]);
  }
  return nullptr;
}

/// In one primitive, and in place with a reorder after it.
std::vector<Variant> Planner::softmaxVariants(const Op &O, const Op &Quantize) {
  memory Src = memoryOf(O.Inputs[0]), Dst = memoryOf(Quantize.Outputs[0]);
  int Rank = Src.get_desc().dims().size();
  int Axis = (O.Attrs.at("axis").at("value").get<int>() + Rank) % Rank;
  auto softmax = [&](const memory &To, float Scale) {
    dnnl::primitive_attr Attr;
    Attr.set_output_scales(0, {Scale});
    dnnl::softmax_v2_forward::primitive_desc Desc(
        {dnnl::prop_kind::forward_inference, algorithm::softmax_accurate,
         Src.get_desc(), To.get_desc(), Axis},
        Attr, Engine);
    Step S;
    S.Primitive = dnnl::softmax_v2_forward(Desc);
    S.Args = {{DNNL_ARG_SRC, Src}, {DNNL_ARG_DST, To}};
    S.Name = std::string("softmax ") + Desc.impl_info_str();
    return S;
  };
  std::vector<Variant> Found;
  try {
    float Scale = 1.0f / quantizationOf(Quantize).Scales[0];
    Found.push_back({"softmax", {softmax(Dst, Scale)}});
  } catch (const dnnl::error &) { // No such primitive on this processor.
  }
  memory Between =
      dies(O.Inputs[0]) ? Src : memory(desc(G.tensor(O.Outputs[0])), Engine);
  Found.push_back(
      {"softmax, reorder",
       {softmax(Between, 1.0f), quantizeStep(Between, Dst, Quantize)}});
  dropReferences(Found);
  return Found;
}
