// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling and interpolation of images, and their gradients: a primitive each.

#include "Plan.h"

#include <stdexcept>

using namespace bench;
using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;

memory::desc Planner::imageDesc(const Op &O, int64_t Id) const {
  memory::desc D = desc(G.tensor(Id));
  bool IsSecond = O.Attrs.contains("data_format") &&
                  O.Attrs["data_format"].at("value") == "NCX";
  return IsSecond ? D : channelsSecond(D);
}

Variant Planner::pool(const Op &O, algorithm Algorithm, bool IsBackward) {
  bool IsMax = Algorithm == algorithm::pooling_max;
  // The gradient of an average needs no image.
  int64_t Given = O.Inputs.back(), Result = O.Outputs[0];
  int64_t Small = IsBackward ? Given : Result;
  int64_t Large = IsBackward ? Result : O.Inputs[0];
  memory::desc Src = imageDesc(O, Large), Dst = imageDesc(O, Small);
  auto Strides = getList(O, "strides"), Kernel = getList(O, "kernel"),
       Begin = getList(O, "pads_begin"), End = getList(O, "pads_end");
  auto Kind =
      IsBackward ? prop_kind::forward_training : prop_kind::forward_inference;
  dnnl::pooling_forward::primitive_desc Forward(
      {Kind, Algorithm, Src, Dst, Strides, Kernel, Begin, End}, Engine);
  Step S;
  if (!IsBackward) {
    S.Primitive = dnnl::pooling_forward(Forward);
    S.Args = {{DNNL_ARG_SRC, bound(Src, Large)},
              {DNNL_ARG_DST, bound(Dst, Small)}};
    S.Name = std::string("pooling ") + Forward.impl_info_str();
    return {"pooling", {std::move(S)}};
  }
  dnnl::pooling_backward::primitive_desc Backward(
      {Algorithm, Src, Dst, Strides, Kernel, Begin, End}, Engine, Forward);
  S.Primitive = dnnl::pooling_backward(Backward);
  S.Args = {{DNNL_ARG_DIFF_DST, bound(Dst, Small)},
            {DNNL_ARG_DIFF_SRC, bound(Src, Large)}};
  if (IsMax) {
    // The library remembers from the forward run which elements were largest;
    // that run is not part of the time.
    memory Space(Forward.workspace_desc(), Engine), Maxima(Dst, Engine);
    dnnl::pooling_forward(Forward).execute(
        Stream, {{DNNL_ARG_SRC, bound(Src, O.Inputs[0])},
                 {DNNL_ARG_DST, Maxima},
                 {DNNL_ARG_WORKSPACE, Space}});
    Stream.wait();
    S.Args[DNNL_ARG_WORKSPACE] = Space;
  }
  S.Name = std::string("pooling backward ") + Backward.impl_info_str();
  return {"pooling", {std::move(S)}};
}

Variant Planner::resample(const Op &O, bool IsBackward) {
  std::string Mode = O.Attrs.at("mode").at("value");
  auto Algorithm = Mode == "nearest" ? algorithm::resampling_nearest
                                     : algorithm::resampling_linear;
  int64_t Given = O.Inputs.back(), Result = O.Outputs[0];
  memory::desc Src = imageDesc(O, IsBackward ? Result : Given);
  memory::desc Dst = imageDesc(O, IsBackward ? Given : Result);
  auto Kind =
      IsBackward ? prop_kind::forward_training : prop_kind::forward_inference;
  dnnl::resampling_forward::primitive_desc Forward({Kind, Algorithm, Src, Dst},
                                                   Engine);
  Step S;
  if (!IsBackward) {
    S.Primitive = dnnl::resampling_forward(Forward);
    S.Args = {{DNNL_ARG_SRC, bound(Src, Given)},
              {DNNL_ARG_DST, bound(Dst, Result)}};
    S.Name = std::string("resampling ") + Forward.impl_info_str();
  } else {
    dnnl::resampling_backward::primitive_desc Backward({Algorithm, Src, Dst},
                                                       Engine, Forward);
    S.Primitive = dnnl::resampling_backward(Backward);
    S.Args = {{DNNL_ARG_DIFF_DST, bound(Dst, Given)},
              {DNNL_ARG_DIFF_SRC, bound(Src, Result)}};
    S.Name = std::string("resampling backward ") + Backward.impl_info_str();
  }
  return {"resampling", {std::move(S)}};
}

std::optional<Variant> Planner::image(const Op &O) {
  auto getAverage = [&] {
    return O.Attrs.at("exclude_pad").at("value") != 0
               ? algorithm::pooling_avg_exclude_padding
               : algorithm::pooling_avg_include_padding;
  };
  if (O.Kind == "maxpool" || O.Kind == "maxpoolbackward")
    return pool(O, algorithm::pooling_max, O.Kind != "maxpool");
  if (O.Kind == "avgpool" || O.Kind == "avgpoolbackward")
    return pool(O, getAverage(), O.Kind != "avgpool");
  if (O.Kind == "interpolate" || O.Kind == "interpolatebackward")
    return resample(O, O.Kind != "interpolate");
  return std::nullopt;
}
