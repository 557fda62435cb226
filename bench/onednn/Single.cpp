// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operations that no matmul takes: a primitive each, or only a view.

#include "Plan.h"

#include <algorithm>
#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;

/// Only the one consumer needs the tensor: results may take its place.
bool Planner::dies(int64_t Id) const {
  return G.consumers(Id).size() == 1 && !G.tensor(Id).Constant &&
         !std::count(G.Inputs.begin(), G.Inputs.end(), Id);
}

Variant Planner::softmax(const Op &O) {
  const Tensor &Src = G.tensor(O.Inputs[0]);
  int64_t Axis = O.Attrs.at("axis").at("value");
  if (Axis < 0)
    Axis += Src.Shape.size();
  dnnl::softmax_forward::primitive_desc Desc(
      {dnnl::prop_kind::forward_inference, desc(Src), static_cast<int>(Axis)},
      Engine);
  if (dies(Src.Id)) // That saves a pass with cache misses.
    Memories[O.Outputs[0]] = memoryOf(Src.Id);
  Step S;
  S.Primitive = dnnl::softmax_forward(Desc);
  S.Args = {{DNNL_ARG_SRC, memoryOf(Src.Id)},
            {DNNL_ARG_DST, memoryOf(O.Outputs[0])}};
  S.Name = std::string("softmax ") + Desc.impl_info_str();
  return {"softmax", {std::move(S)}};
}

Variant Planner::eltwise(const Op &O, algorithm Algorithm) {
  dnnl::eltwise_forward::primitive_desc Desc(
      {dnnl::prop_kind::forward_inference, Algorithm,
       desc(G.tensor(O.Inputs[0])), 0.0f, 0.0f},
      Engine);
  Step S;
  S.Primitive = dnnl::eltwise_forward(Desc);
  S.Args = {{DNNL_ARG_SRC, memoryOf(O.Inputs[0])},
            {DNNL_ARG_DST, memoryOf(O.Outputs[0])}};
  S.Name = std::string("eltwise ") + Desc.impl_info_str();
  return {"eltwise", {std::move(S)}};
}

Variant Planner::binary(const Op &O, algorithm Algorithm) {
  const Tensor &Dst = G.tensor(O.Outputs[0]);
  size_t Rank = Dst.Shape.size();
  memory::desc A = broadcastDesc(G.tensor(O.Inputs[0]), Rank);
  memory::desc B = broadcastDesc(G.tensor(O.Inputs[1]), Rank);
  dnnl::binary::primitive_desc Desc({Algorithm, A, B, desc(Dst)}, Engine);
  Step S;
  S.Primitive = dnnl::binary(Desc);
  S.Args = {{DNNL_ARG_SRC_0,
             memory(A, Engine, memoryOf(O.Inputs[0]).get_data_handle())},
            {DNNL_ARG_SRC_1,
             memory(B, Engine, memoryOf(O.Inputs[1]).get_data_handle())},
            {DNNL_ARG_DST, memoryOf(Dst.Id)}};
  S.Name = std::string("binary ") + Desc.impl_info_str();
  return {"binary", {std::move(S)}};
}

/// The layout of a result that only looks at its operand's memory differently,
/// given the operand's; empty if the operation does not.
memory::desc Planner::viewOf(const Op &O, memory::desc From) const {
  if (O.Kind == "reorder")
    return From;
  if (O.Kind == "staticreshape")
    return From.reshape(G.tensor(O.Outputs[0]).Shape, /*allow_empty=*/true);
  if (O.Kind != "statictranspose")
    return memory::desc();
  std::vector<int64_t> Order = getList(O, "order");
  std::vector<int> Permutation(Order.size());
  for (size_t I = 0; I < Order.size(); ++I)
    Permutation[Order[I] < 0 ? Order[I] + Order.size() : Order[I]] = I;
  return From.permute_axes(Permutation);
}

/// The layout of a result that is a view. False if the operation is none of
/// these, or the result must be in the file's own layout and is not.
bool Planner::view(const Op &O, memory::desc &Desc) {
  if (O.Kind != "statictranspose" && O.Kind != "reorder" &&
      O.Kind != "staticreshape")
    return false;
  const Tensor &Dst = G.tensor(O.Outputs[0]);
  Desc = viewOf(O, desc(G.tensor(O.Inputs[0])));
  if (!Desc)
    throw std::runtime_error("op " + std::to_string(O.Id) +
                             ": a reshape that has to copy is not mapped");
  bool IsOutput = std::count(G.Outputs.begin(), G.Outputs.end(), Dst.Id);
  return !IsOutput || Desc == desc(Dst);
}

Variant Planner::copy(const Op &O) {
  memory::desc From;
  view(O, From);
  memory Src(From, Engine, memoryOf(O.Inputs[0]).get_data_handle());
  memory Dst = memoryOf(O.Outputs[0]);
  Step S;
  S.Primitive = dnnl::reorder(Src, Dst);
  S.Args = {{DNNL_ARG_FROM, Src}, {DNNL_ARG_TO, Dst}};
  S.Name = "reorder";
  return {"reorder", {std::move(S)}};
}
