// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpTable.h"

#include <limits>

using namespace llvm;
using namespace gc::onednn;

static constexpr unsigned kAny = std::numeric_limits<unsigned>::max();

// Attributes, named by what they hold where several ops share them.
static constexpr AttrUse Required = AttrUse::Required;
static constexpr AttrUse Optional = AttrUse::Optional;
static constexpr AttrUse Hint = AttrUse::Hint;

static constexpr AttrSpec kAlpha[] = {{"alpha", AttrType::F32, Required}};
static constexpr AttrSpec kAlphaBeta[] = {{"alpha", AttrType::F32, Required},
                                          {"beta", AttrType::F32, Required}};
static constexpr AttrSpec kBeta[] = {{"beta", AttrType::F32, Required}};
static constexpr AttrSpec kOptionalBeta[] = {{"beta", AttrType::F32, Optional}};
static constexpr AttrSpec kBroadcast[] = {
    {"auto_broadcast", AttrType::String, Optional}};
static constexpr AttrSpec kAxis[] = {{"axis", AttrType::S64, Required}};
static constexpr AttrSpec kOptionalAxis[] = {{"axis", AttrType::S64, Optional}};
static constexpr AttrSpec kSoftmax[] = {{"axis", AttrType::S64, Optional},
                                        {"mode", AttrType::String, Optional}};
static constexpr AttrSpec kReduction[] = {
    {"axes", AttrType::S64List, Optional},
    {"keep_dims", AttrType::Bool, Optional}};
static constexpr AttrSpec kBatchNorm[] = {
    {"epsilon", AttrType::F32, Required},
    {"data_format", AttrType::String, Optional}};
static constexpr AttrSpec kGroupNorm[] = {
    {"groups", AttrType::S64, Required},
    {"keep_stats", AttrType::Bool, Optional},
    {"use_affine", AttrType::Bool, Optional},
    {"epsilon", AttrType::F32, Optional},
    {"data_format", AttrType::String, Optional}};
static constexpr AttrSpec kLayerNorm[] = {
    {"keep_stats", AttrType::Bool, Optional},
    {"begin_norm_axis", AttrType::S64, Optional},
    {"use_affine", AttrType::Bool, Optional},
    {"epsilon", AttrType::F32, Optional}};
static constexpr AttrSpec kRmsNorm[] = {
    {"epsilon", AttrType::F32, Optional},
    {"begin_norm_axis", AttrType::S64, Optional}};
static constexpr AttrSpec kQuantize[] = {
    {"qtype", AttrType::String, Optional},
    {"axis", AttrType::S64, Optional},
    {"scales", AttrType::F32List, Required},
    {"zps", AttrType::S64List, Optional}};
static constexpr AttrSpec kConvolution[] = {
    {"strides", AttrType::S64List, Required},
    {"pads_begin", AttrType::S64List, Required},
    {"pads_end", AttrType::S64List, Required},
    {"dilations", AttrType::S64List, Required},
    {"auto_pad", AttrType::String, Optional, /*anyCase=*/true},
    {"groups", AttrType::S64, Optional},
    {"data_format", AttrType::String, Optional},
    {"weights_format", AttrType::String, Optional}};
static constexpr AttrSpec kDynamicQuantize[] = {
    {"qtype", AttrType::String, Optional}, {"axis", AttrType::S64, Optional}};
static constexpr AttrSpec kDynamicDequantize[] = {
    {"qtype", AttrType::String, Optional},
    {"axis", AttrType::S64, Optional},
    {"group_shape", AttrType::S64List, Optional}};
static constexpr AttrSpec kFormat[] = {
    {"data_format", AttrType::String, Optional}};
static constexpr AttrSpec kMatMul[] = {
    {"transpose_a", AttrType::Bool, Optional},
    {"transpose_b", AttrType::Bool, Optional},
    // Sums are always as wide as the strictest mode asks.
    {"accumulation_mode", AttrType::String, Hint}};
static constexpr AttrSpec kMinMax[] = {{"min", AttrType::F32, Required},
                                       {"max", AttrType::F32, Required}};
static constexpr AttrSpec kMode[] = {{"mode", AttrType::String, Optional}};
static constexpr AttrSpec kOrder[] = {{"order", AttrType::S64List, Required}};
static constexpr AttrSpec kShape[] = {
    {"shape", AttrType::S64List, Required},
    {"special_zero", AttrType::Bool, Required}};

// Kind, op, inputs (least, most), outputs (least, most), attributes.
static constexpr OpSpec kOps[] = {
    {"Abs", "graph.abs", 1, 1, 1, 1, {}},
    {"Add", "graph.add", 2, 2, 1, 1, kBroadcast},
    {"BatchNormInference", "graph.batch_norm_inference", 5, 5, 1, 1,
     kBatchNorm},
    {"BiasAdd", "graph.bias_add", 2, 2, 1, 1, kFormat},
    {"Clamp", "graph.clamp", 1, 1, 1, 1, kMinMax},
    {"Convolution", "graph.convolution", 2, 3, 1, 1, kConvolution},
    {"Dequantize", "graph.dequantize", 1, 1, 1, 1, kQuantize},
    {"Divide", "graph.divide", 2, 2, 1, 1, kBroadcast},
    {"DynamicDequantize", "graph.dynamic_dequantize", 2, 3, 1, 1,
     kDynamicDequantize},
    {"DynamicQuantize", "graph.dynamic_quantize", 2, 3, 1, 1, kDynamicQuantize},
    {"Elu", "graph.elu", 1, 1, 1, 1, kAlpha},
    {"End", "graph.end", 1, 1, 0, 0, {}},
    {"Exp", "graph.exp", 1, 1, 1, 1, {}},
    {"GELU", "graph.gelu", 1, 1, 1, 1, kMode},
    {"GenIndex", "graph.gen_index", 1, 1, 1, 1, kAxis},
    {"GreaterEqual", "graph.greater_equal", 2, 2, 1, 1, kBroadcast},
    {"GroupNorm", "graph.group_norm", 1, 3, 1, 3, kGroupNorm},
    {"HardSigmoid", "graph.hard_sigmoid", 1, 1, 1, 1, kAlphaBeta},
    {"HardSwish", "graph.hard_swish", 1, 1, 1, 1, {}},
    {"LayerNorm", "graph.layer_norm", 1, 3, 1, 3, kLayerNorm},
    {"LeakyReLU", "graph.leaky_relu", 1, 1, 1, 1, kAlpha},
    {"Log", "graph.log", 1, 1, 1, 1, {}},
    {"LogSoftmax", "graph.log_softmax", 1, 1, 1, 1, kOptionalAxis},
    {"MatMul", "graph.matmul", 2, 3, 1, 1, kMatMul},
    {"Maximum", "graph.maximum", 2, 2, 1, 1, kBroadcast},
    {"Minimum", "graph.minimum", 2, 2, 1, 1, kBroadcast},
    {"Mish", "graph.mish", 1, 1, 1, 1, {}},
    {"Multiply", "graph.multiply", 2, 2, 1, 1, kBroadcast},
    {"Pow", "graph.pow", 1, 1, 1, 1, kBeta},
    {"Quantize", "graph.quantize", 1, 1, 1, 1, kQuantize},
    {"ReLU", "graph.relu", 1, 1, 1, 1, {}},
    {"Reciprocal", "graph.reciprocal", 1, 1, 1, 1, {}},
    {"ReduceL1", "graph.reduce_l1", 1, 1, 1, 1, kReduction},
    {"ReduceL2", "graph.reduce_l2", 1, 1, 1, 1, kReduction},
    {"ReduceMax", "graph.reduce_max", 1, 1, 1, 1, kReduction},
    {"ReduceMean", "graph.reduce_mean", 1, 1, 1, 1, kReduction},
    {"ReduceMin", "graph.reduce_min", 1, 1, 1, 1, kReduction},
    {"ReduceProd", "graph.reduce_prod", 1, 1, 1, 1, kReduction},
    {"ReduceSum", "graph.reduce_sum", 1, 1, 1, 1, kReduction},
    {"Reorder", "graph.reorder", 1, 1, 1, 1, {}},
    {"RMSNorm", "graph.rms_norm", 1, 2, 1, 1, kRmsNorm},
    {"Round", "graph.round", 1, 1, 1, 1, {}},
    {"Select", "graph.select", 3, 3, 1, 1, kBroadcast},
    {"Sigmoid", "graph.sigmoid", 1, 1, 1, 1, {}},
    {"SoftPlus", "graph.soft_plus", 1, 1, 1, 1, kOptionalBeta},
    {"Softmax", "graph.softmax", 1, 1, 1, 1, kSoftmax},
    {"Sqrt", "graph.sqrt", 1, 1, 1, 1, {}},
    {"Square", "graph.square", 1, 1, 1, 1, {}},
    {"SquaredDifference", "graph.squared_difference", 2, 2, 1, 1, kBroadcast},
    {"StaticReshape", "graph.static_reshape", 1, 1, 1, 1, kShape},
    {"StaticTranspose", "graph.static_transpose", 1, 1, 1, 1, kOrder},
    {"Subtract", "graph.subtract", 2, 2, 1, 1, kBroadcast},
    {"Tanh", "graph.tanh", 1, 1, 1, 1, {}},
    {"TypeCast", "graph.type_cast", 1, 1, 1, 1, {}},
    {"Wildcard", "graph.wildcard", 0, kAny, 0, kAny, {}, /*anyAttrs=*/true},
};

ArrayRef<OpSpec> gc::onednn::getOpTable() { return kOps; }

std::string gc::onednn::normalizeKind(StringRef kind) {
  static constexpr StringLiteral old = "Backprop";
  size_t position = kind.find_insensitive(old);
  if (position == StringRef::npos)
    return kind.str();
  StringRef suffix = kind.drop_front(position + old.size());
  if (suffix.equals_insensitive("Filters"))
    suffix = "Weights";
  return (kind.take_front(position) + "Backward" + suffix).str();
}

const OpSpec *gc::onednn::findOp(StringRef kind) {
  std::string name = normalizeKind(kind);
  const OpSpec *spec = llvm::find_if(kOps, [&](const OpSpec &spec) {
    return spec.kind.equals_insensitive(name);
  });
  return spec == std::end(kOps) ? nullptr : spec;
}
