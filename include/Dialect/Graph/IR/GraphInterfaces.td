// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
#define GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def FusibleOpInterface : OpInterface<"FusibleOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that can be computed on a slice: elementwise ops, broadcasts,
    reorders, transposes, casts. Like a structured op it has an iteration space
    (by default the shape of its result) and one affine map per operand and
    result from that space to the tensor's indices. A size-1 dimension that is
    broadcast maps to the constant 0.
  }];
  let methods = [
    InterfaceMethod<"What kind of slice computation this is.",
      "::gc::graph::FusibleKind", "getFusibleKind", (ins), "",
      "return ::gc::graph::FusibleKind::elementwise;">,
    InterfaceMethod<"Sizes of the iteration space.",
      "::llvm::SmallVector<int64_t>", "getIterationSpace", (ins), "", [{
        auto type = ::mlir::cast<::mlir::ShapedType>($_op->getResult(0).getType());
        return ::llvm::SmallVector<int64_t>(type.getShape());
      }]>,
    InterfaceMethod<"Map from the iteration space to indices of operand i.",
      "::mlir::AffineMap", "getOperandMap", (ins "unsigned":$operand), "", [{
        return ::gc::graph::getBroadcastMap(
            ::mlir::cast<::mlir::ShapedType>($_op->getOperand(operand).getType()),
            $_op.getIterationSpace());
      }]>,
    InterfaceMethod<"Map from the iteration space to indices of the result.",
      "::mlir::AffineMap", "getResultMap", (ins), "", [{
        return ::mlir::AffineMap::getMultiDimIdentityMap(
            $_op.getIterationSpace().size(), $_op->getContext());
      }]>,
    InterfaceMethod<"Whether zero inputs give a zero result, so that padding "
                    "stays zero.",
      "bool", "preservesZero", (ins), "", "return false;">,
    InterfaceMethod<"Whether many inputs legitimately give the same result "
                    "(relu, clamp), so that a constant result says nothing.",
      "bool", "saturates", (ins), "", "return false;">,
    InterfaceMethod<"Values of operand i for which the op is well conditioned; "
                    "tools draw inputs from it.",
      "::gc::graph::ValueDomain", "getOperandDomain", (ins "unsigned":$operand),
      "", "return ::gc::graph::ValueDomain::any;">,
    InterfaceMethod<"Whether the result is operand i times what the other "
                    "operands say, so that the op commutes with sums over it.",
      "bool", "scalesOperand", (ins "unsigned":$operand), "",
      "return false;">,
    InterfaceMethod<"The result, with dimensions of size 1 where it is reduced, "
                    "computed in two steps that are built: the first one leaves "
                    "the dimensions `later` alone and reduces the first of the "
                    "others in parts of `partSize` (0: as a whole), the second one "
                    "reduces what is left. Sums of narrow floats are f32 between "
                    "the steps. Null if the op is no reduction that can do so.",
      "::mlir::Value", "reduceInSteps",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<int64_t>":$later, "int64_t":$partSize), "",
      "return ::mlir::Value();">,
    InterfaceMethod<"Where the elements of the result are, unless NaN, as far as "
                    "that follows from the op and the ops right before it.",
      "::gc::graph::Interval", "getResultInterval", (ins), "",
      "return ::gc::graph::Interval();">
  ];
}

def TemplateAttrInterface : AttrInterface<"TemplateAttrInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    A template together with the parameters that instantiate it (paper,
    section III). It is an attribute of the tunable op it was chosen for.
  }];
  let methods = [
    InterfaceMethod<"Type, layout included, that the template wants for operand "
                    "`operand` of `op`.",
      "::mlir::RankedTensorType", "getOperandType",
      (ins "::mlir::Operation *":$op, "unsigned":$operand)>,
    InterfaceMethod<"The anchors the template offers for `op`, with the cost "
                    "columns of the paper's figure 3.",
      "::llvm::SmallVector<::gc::graph::AnchorInfo>", "getAnchors",
      (ins "::mlir::Operation *":$op)>,
    InterfaceMethod<"The loops outside of the kernels, as far as merging with "
                    "those of a neighbour depends on them; nothing if they cannot "
                    "be merged.",
      "::std::optional<::gc::graph::OuterLoops>", "getOuterLoops",
      (ins "::mlir::Operation *":$op), "", "return ::std::nullopt;">,
    InterfaceMethod<"What the template's emission can be told to do (see "
                    "#graph.schedule).",
      "::gc::graph::TemplateAbilities", "getAbilities", (ins), "",
      "return ::gc::graph::TemplateAbilities();">,
    InterfaceMethod<"Checks the parameters against the op.",
      "::llvm::LogicalResult", "verifyTemplate", (ins "::mlir::Operation *":$op)>
  ];
}

def TunableOpInterface : OpInterface<"TunableOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that is lowered by instantiating a template with parameters: a
    contraction. The chosen template is the op's `template_params` attribute.
  }];
  let methods = [
    InterfaceMethod<"The chosen template, or null.",
      "::gc::graph::TemplateAttrInterface", "getChosenTemplate", (ins), "", [{
        return $_op->template getAttrOfType<::gc::graph::TemplateAttrInterface>(
            "template_params");
      }]>,
    InterfaceMethod<"Chooses template and parameters by the cost model; the "
                    "reason is reported when there is none.",
      "::mlir::FailureOr<::gc::graph::TemplateAttrInterface>", "selectTemplate",
      (ins "const ::gc::Machine &":$machine,
           "const ::gc::graph::TemplateOptions &":$options)>,
    InterfaceMethod<"Multiplications and additions of the contraction.",
      "int64_t", "getFlops">
  ];
}

def ComplexOpInterface : OpInterface<"ComplexOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that is defined by simpler ops of the dialect.
  }];
  let methods = [
    InterfaceMethod<"Whether this op, with its operands and attributes, has to "
                    "be decomposed.",
      "bool", "isComplex", (ins), "", "return true;">,
    InterfaceMethod<"Builds the simpler ops before this op and returns their "
                    "results, one per result.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::RewriterBase &":$rewriter)>,
    InterfaceMethod<"The same for a program that promises moderate operands: what "
                    "only guards against overflow is left out. Where that is "
                    "right, and how wrong it is elsewhere, the op says.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "decomposeUnguarded", (ins "::mlir::RewriterBase &":$rewriter), "",
      "return $_op.decompose(rewriter);">
  ];
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
