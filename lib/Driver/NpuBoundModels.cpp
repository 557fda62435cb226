// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The least that graph ops cost on the NPU's vector unit.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Driver/NpuBound.h"
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

/// One instruction, which the move out of the cube can also do.
template <typename Op, VectorOp instruction>
struct CubeExitModel
    : NpuBoundOpInterface::ExternalModel<CubeExitModel<Op, instruction>, Op> {
  int64_t getRepeatCycles(Operation *, const npu::Machine &machine,
                          bool) const {
    return machine.getCost(instruction).slope;
  }
  bool isFreeAfterCube(Operation *) const { return true; }
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
};

struct DivideModel
    : NpuBoundOpInterface::ExternalModel<DivideModel, DivideOp> {
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
    attach<LogOp, VectorOp::log>(context);
    attach<MaximumOp, VectorOp::max>(context);
    attach<MinimumOp, VectorOp::min>(context);
    attachBinary<MultiplyOp, VectorOp::mul, VectorOp::muls>(context);
    attach<ReciprocalOp, VectorOp::reciprocal>(context);
    attach<ReduceMaxOp, VectorOp::groupSum>(context);
    attach<ReduceMeanOp, VectorOp::groupSum>(context);
    attach<ReduceMinOp, VectorOp::groupSum>(context);
    attach<ReduceSumOp, VectorOp::groupSum>(context);
    ReluOp::attachInterface<CubeExitModel<ReluOp, VectorOp::relu>>(*context);
    attach<SelectOp, VectorOp::select>(context);
    attach<SigmoidOp, VectorOp::exp>(context);
    // Maximum, difference, power, sum, quotient.
    attach<SoftmaxOp, VectorOp::groupSum, VectorOp::adds, VectorOp::exp,
           VectorOp::groupSum, VectorOp::muls>(context);
    attach<SqrtOp, VectorOp::sqrt>(context);
    attach<SquareOp, VectorOp::mul>(context);
    attachBinary<SubtractOp, VectorOp::sub, VectorOp::adds>(context);
    attach<TanhOp, VectorOp::exp>(context);
    TypeCastOp::attachInterface<CubeExitModel<TypeCastOp, VectorOp::convert>>(
        *context);
  });
}
