// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The least that graph ops cost on the NPU's vector unit.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/NpuBound.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace gc;
using namespace gc::graph;
using npu::VectorOp;

#include "Driver/NpuBoundInterface.cpp.inc"

namespace {

/// One instruction after the other.
template <typename Op, VectorOp... instructions>
struct SequenceModel
    : NpuBoundOpInterface::ExternalModel<SequenceModel<Op, instructions...>,
                                         Op> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool) const {
    return (machine.getCost(instructions).slope + ...);
  }
};

/// Sums, which the cube can do as products with ones.
template <typename Op>
struct SumModel : NpuBoundOpInterface::ExternalModel<SumModel<Op>, Op> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool) const {
    return machine.getCost(VectorOp::groupSum).slope;
  }
  NpuBoundRole getRole(Operation *) const { return NpuBoundRole::sum; }
};

/// One instruction, which the move out of the cube can also do.
template <typename Op, VectorOp instruction>
struct CubeExitModel
    : NpuBoundOpInterface::ExternalModel<CubeExitModel<Op, instruction>, Op> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool) const {
    return machine.getCost(instruction).slope;
  }
  bool isFreeAfterCube(Operation *) const { return true; }
  NpuBoundRole getRole(Operation *) const {
    return instruction == VectorOp::convert ? NpuBoundRole::cast
                                            : NpuBoundRole::other;
  }
};

/// An instruction on two tensors, or one with a number from a register.
template <typename Op, VectorOp binary, VectorOp scalar>
struct BinaryModel
    : NpuBoundOpInterface::ExternalModel<BinaryModel<Op, binary, scalar>, Op> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool isUniform) const {
    int64_t cycles = machine.getCost(binary).slope;
    return isUniform ? std::min(cycles, machine.getCost(scalar).slope) : cycles;
  }
  NpuBoundRole getRole(Operation *) const {
    return binary == VectorOp::mul ? NpuBoundRole::product
                                   : NpuBoundRole::other;
  }
};

struct SquareModel : NpuBoundOpInterface::ExternalModel<SquareModel, SquareOp> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool) const {
    return machine.getCost(VectorOp::mul).slope;
  }
  NpuBoundRole getRole(Operation *) const { return NpuBoundRole::product; }
};

struct DivideModel : NpuBoundOpInterface::ExternalModel<DivideModel, DivideOp> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool isUniform) const {
    auto slope = [&](VectorOp op) -> int64_t {
      return machine.getCost(op).slope;
    };
    if (isUniform)
      return slope(VectorOp::muls);
    return std::min(slope(VectorOp::div),
                    slope(VectorOp::reciprocal) + slope(VectorOp::mul));
  }
};

/// The cube reads whole blocks of channels.
struct ConvolutionModel
    : NpuBoundOpInterface::ExternalModel<ConvolutionModel, ConvolutionOp> {
  double getInputPadding(Operation *op) const {
    auto convolution = cast<ConvolutionOp>(op);
    auto type = convolution.getSrc().getType();
    if (!type.hasStaticShape())
      return 1;
    bool isLast = convolution.getDataFormat() == "NXC";
    int64_t channels = type.getDimSize(isLast ? type.getRank() - 1 : 1) /
                       convolution.getGroups();
    int64_t block = npu::kBlockBytes * 8 / type.getElementTypeBitWidth();
    if (channels <= 0)
      return 1;
    return static_cast<double>(llvm::alignTo(channels, block)) / channels;
  }
  double getReadPart(Operation *op) const {
    auto convolution = cast<ConvolutionOp>(op);
    auto source = convolution.getSrc().getType(),
         weights = convolution.getWeights().getType(),
         result = convolution.getDst().getType();
    if (!source.hasStaticShape() || !weights.hasStaticShape() ||
        !result.hasStaticShape())
      return 1;
    int64_t first = convolution.getDataFormat() == "NXC" ? 1 : 2;
    int64_t firstTap = convolution.getWeightsFormat() == "XIO" ? 0 : 2;
    double part = 1;
    for (int64_t i = 0; i < source.getRank() - 2; ++i) {
      int64_t stride = convolution.getStrides()[i],
              dilation = convolution.getDilations()[i],
              taps = weights.getDimSize(firstTap + i),
              size = source.getDimSize(first + i),
              results = result.getDimSize(first + i);
      int64_t padding = convolution.getPadsBegin()[i];
      if (convolution.getAutoPad() != "none")
        padding = convolution.getAutoPad() == "valid"
                      ? 0
                      : std::max<int64_t>((results - 1) * stride +
                                              (taps - 1) * dilation + 1 - size,
                                          0) /
                            2;
      llvm::SmallBitVector isRead(size);
      for (int64_t x = 0; x < results; ++x)
        for (int64_t tap = 0; tap < taps; ++tap)
          if (int64_t at = x * stride + tap * dilation - padding;
              at >= 0 && at < size)
            isRead.set(at);
      part *= static_cast<double>(isRead.count()) / size;
    }
    return part;
  }
};

template <typename Op, VectorOp... instructions>
void attach(MLIRContext *context) {
  Op::template attachInterface<SequenceModel<Op, instructions...>>(*context);
}

template <typename Op, VectorOp binary, VectorOp scalar>
void attachBinary(MLIRContext *context) {
  Op::template attachInterface<BinaryModel<Op, binary, scalar>>(*context);
}

} // namespace

void gc::registerNpuBoundModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    attach<AbsOp, VectorOp::abs>(context);
    attachBinary<AddOp, VectorOp::add, VectorOp::adds>(context);
    ConvolutionOp::attachInterface<ConvolutionModel>(*context);
    DivideOp::attachInterface<DivideModel>(*context);
    attach<ExpOp, VectorOp::exp>(context);
    attach<GreaterEqualOp, VectorOp::compareGe>(context);
    attach<LogOp, VectorOp::log>(context);
    attach<MaximumOp, VectorOp::max>(context);
    attach<MinimumOp, VectorOp::min>(context);
    attachBinary<MultiplyOp, VectorOp::mul, VectorOp::muls>(context);
    attach<ReciprocalOp, VectorOp::reciprocal>(context);
    attach<ReduceMaxOp, VectorOp::groupSum>(context);
    ReduceMeanOp::attachInterface<SumModel<ReduceMeanOp>>(*context);
    attach<ReduceMinOp, VectorOp::groupSum>(context);
    ReduceSumOp::attachInterface<SumModel<ReduceSumOp>>(*context);
    ReluOp::attachInterface<CubeExitModel<ReluOp, VectorOp::relu>>(*context);
    attach<SelectOp, VectorOp::select>(context);
    attach<SigmoidOp, VectorOp::exp>(context);
    // Maximum, difference, power, quotient; the cube can do the sum.
    attach<SoftmaxOp, VectorOp::groupMax, VectorOp::adds, VectorOp::exp,
           VectorOp::muls>(context);
    attach<SqrtOp, VectorOp::sqrt>(context);
    SquareOp::attachInterface<SquareModel>(*context);
    attachBinary<SubtractOp, VectorOp::sub, VectorOp::adds>(context);
    attach<TanhOp, VectorOp::exp>(context);
    TypeCastOp::attachInterface<CubeExitModel<TypeCastOp, VectorOp::convert>>(
        *context);
  });
}
