// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
#define GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def FusibleOpInterface : OpInterface<"FusibleOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that can be computed on a slice: elementwise ops, broadcasts,
    reorders, transposes, casts, reductions. Like a structured op it has an
    iteration space and one affine map per operand and per result from that
    space to the tensor's indices. A size-1 dimension that is broadcast maps to
    the constant 0. If an operand has gaps, its map may also give indices that
    are between or outside of its elements (see `Gaps`).

    By default the space is the shape of all results and every result is written
    at the point itself; an op whose results differ in shape overrides both. An
    op may have several results, computed together at each point, except
    reductions, which have one.
  }];
  let methods = [
    InterfaceMethod<"The kind of computation on a slice.",
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
    InterfaceMethod<"Map from the iteration space to indices of result i.",
      "::mlir::AffineMap", "getResultMap", (ins "unsigned":$result), "", [{
        return ::mlir::AffineMap::getMultiDimIdentityMap(
            $_op.getIterationSpace().size(), $_op->getContext());
      }]>,
    InterfaceMethod<"What the op reads where the map of operand i gives an "
                    "index without an element; nothing if there is no such "
                    "index.",
      "::std::optional<::gc::graph::Gaps>", "getGaps",
      (ins "unsigned":$operand), "", "return ::std::nullopt;">,
    InterfaceMethod<"Whether the result is operand i times a function of the "
                    "other operands, so that the op commutes with sums over it.",
      "bool", "scalesOperand", (ins "unsigned":$operand), "",
      "return false;">,
    InterfaceMethod<"Whether the smallest error of an operand may change the "
                    "result by a whole unit, as in rounding to integers and in "
                    "comparisons. Ops right before it are then not "
                    "approximated.",
      "bool", "isDiscontinuous", (ins), "", [{
        return ::llvm::any_of($_op->getResultTypes(), [](::mlir::Type type) {
          return ::mlir::isa<::mlir::IntegerType>(
              ::mlir::getElementTypeOrSelf(type));
        });
      }]>,
    InterfaceMethod<"Builds ops that compute the result, with reduced "
                    "dimensions of size 1, in two steps. The first step does "
                    "not reduce the dimensions `later`, and reduces the first "
                    "one of the others in parts of `partSize` (0: as a whole); "
                    "the second step reduces the rest. Sums of narrow floats "
                    "are f32 between the steps. Null if the op is not a "
                    "reduction that can be split.",
      "::mlir::Value", "reduceInSteps",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<int64_t>":$later, "int64_t":$partSize), "",
      "return ::mlir::Value();">,
    InterfaceMethod<"Bounds of the elements of result i other than NaN, as far "
                    "as they follow from the op and the ops right before it.",
      "::gc::graph::Interval", "getResultInterval", (ins "unsigned":$result), "",
      "return ::gc::graph::Interval();">,
    InterfaceMethod<"The same, given those of the operands; by default, what "
                    "only moves elements leaves them as they are. Rounding is "
                    "not taken into account.",
      "::gc::graph::Interval", "inferInterval",
      (ins "unsigned":$result,
           "::llvm::ArrayRef<::gc::graph::Interval>":$operands), "",
      [{
        ::mlir::Operation *op = $_op;
        auto fusible = ::llvm::cast<::gc::graph::FusibleOpInterface>(op);
        ::gc::graph::FusibleKind kind = fusible.getFusibleKind();
        bool isMove = kind == ::gc::graph::FusibleKind::transpose ||
                      kind == ::gc::graph::FusibleKind::reorder;
        return isMove ? operands[0] : fusible.getResultInterval(result);
      }]>
  ];
}

def ScalarBodyOpInterface : OpInterface<"ScalarBodyOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    What an elementwise op computes at one point of its iteration space, defined
    once, as ops of arith and math. Every back end builds its code from it:
    vectors for the CPU, bodies of linalg.generic, statements of scops, exported
    C.

    Operands and results of the body are scalars, or vectors of one shape, in
    the compute type of the tensors' elements (`getComputeType`): f32 for
    floating-point numbers, i1 for booleans, signless integers of at least 8
    bits for integers. The caller converts what it loads, and rounds the results
    of the body to the tensor's own type.
  }];
  let methods = [
    InterfaceMethod<"Builds the body; one value per result, or none if the op "
                    "is not defined for the element types.",
      "::llvm::SmallVector<::mlir::Value>", "buildBody",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands)>,
    InterfaceMethod<"Approximate number of instructions of the body for one "
                    "vector; expensive bodies are not computed twice.",
      "int64_t", "getBodyCost", (ins), "", "return 1;">,
    InterfaceMethod<"The dimension of the iteration space whose index, as i32, "
                    "the body takes in place of the op's operands.",
      "::std::optional<unsigned>", "getIndexDim", (ins), "",
      "return ::std::nullopt;">,
    InterfaceMethod<"How the results depend on operand i of the body, for "
                    "numbers other than NaN and any other operands.",
      "::gc::graph::Monotonicity", "getMonotonicity",
      (ins "unsigned":$operand), "",
      "return ::gc::graph::Monotonicity::none;">
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    How a reduction combines elements; the combination is associative and
    commutative except for rounding. Types are as in ScalarBodyOpInterface.
  }];
  let methods = [
    InterfaceMethod<"Builds the combination of two elements, or vectors, of "
                    "one type.",
      "::mlir::Value", "combine",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$lhs, "::mlir::Value":$rhs)>,
    InterfaceMethod<"The neutral element of a compute type.",
      "::mlir::TypedAttr", "getIdentity", (ins "::mlir::Type":$type)>
  ];
}

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    A product of matrices, result[..., m, n] = sum over k of
    factor 0 [..., m, k] * factor 1 [..., k, n], in which leading dimensions
    broadcast and either factor may be stored transposed.
  }];
  let methods = [
    InterfaceMethod<"Whether the op computes only the product, of factors with "
                    "rows and columns, and adds nothing to it.",
      "bool", "isMatrixProduct">,
    InterfaceMethod<"The windows of factor 0, an image [n, x..., c], that are "
                    "the rows of the product; nothing if factor 0 is a matrix "
                    "with rows of its own.",
      "::std::optional<::gc::graph::RowWindow>", "getRowWindow", (ins), "",
      "return ::std::nullopt;">,
    InterfaceMethod<"Whether a zero point is subtracted from the elements of a "
                    "factor before they are multiplied.",
      "bool", "hasZeroPoints", (ins), "", "return false;">,
    InterfaceMethod<"For an op whose rows are windows: sets the dimensions of "
                    "the result that count them.",
      "void", "setRows", (ins "::llvm::ArrayRef<int64_t>":$rows), "", "">,
    InterfaceMethod<"Factor 0 or 1.", "::mlir::OpOperand &", "getFactor",
      (ins "unsigned":$factor)>,
    InterfaceMethod<"Whether a factor is stored transposed.", "bool",
      "isTransposed", (ins "unsigned":$factor)>,
    InterfaceMethod<"Sets whether a factor is stored transposed.", "void",
      "setTransposed", (ins "unsigned":$factor, "bool":$transposed)>,
    InterfaceMethod<"Builds the transpose of the product, with its factors "
                    "exchanged; nothing is copied.",
      "::mlir::Value", "buildExchanged", (ins "::mlir::OpBuilder &":$builder)>
  ];
  let extraClassDeclaration = [{
    /// Whether the rows of the product are windows of factor 0.
    bool makesRows() { return getRowWindow().has_value(); }
  }];
}

def TemplateAttrInterface : AttrInterface<"TemplateAttrInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    A template together with the parameters that instantiate it (paper,
    section III). It is an attribute of the tunable op it was chosen for. The
    attributes that may be chosen for an op are in the dialect's
    `TemplateRegistry`; how one is emitted is another interface of the attribute,
    which the conversion attaches.
  }];
  let methods = [
    StaticInterfaceMethod<"Parameters worth comparing for `op`, an op that the "
                    "template is registered for, cheapest first: the best one, "
                    "and up to `options.alternatives` more. None if the "
                    "template does not support this op or what the options "
                    "fix; `reason` may say which ops it supports.",
      "::llvm::SmallVector<::gc::graph::TemplateCandidate>", "getCandidates",
      (ins "::mlir::Operation *":$op, "const ::gc::Machine &":$machine,
           "const ::gc::graph::TemplateOptions &":$options,
           "::std::string &":$reason)>,
    InterfaceMethod<"Cycles that the busiest core is expected to take with these "
                    "parameters.",
      "double", "getCycles",
      (ins "::mlir::Operation *":$op, "const ::gc::Machine &":$machine,
           "const ::gc::graph::TemplateOptions &":$options)>,
    InterfaceMethod<"The type, including the layout, that the template needs "
                    "for operand `operand` of `op`.",
      "::mlir::RankedTensorType", "getOperandType",
      (ins "::mlir::Operation *":$op, "unsigned":$operand)>,
    InterfaceMethod<"The type of the copy of operand `operand` that the "
                    "template makes slice by slice if pre-ops are committed to "
                    "it or it is packed: the sizes of the operand, in the "
                    "order of the slices.",
      "::mlir::RankedTensorType", "getSliceType",
      (ins "::mlir::Operation *":$op, "unsigned":$operand), "", [{
        return ::mlir::cast<::mlir::RankedTensorType>(
            ::gc::graph::dropLayout(op->getOperand(operand).getType()));
      }]>,
    InterfaceMethod<"The anchors the template offers for `op`, with the cost "
                    "columns of the paper's figure 3.",
      "::llvm::SmallVector<::gc::graph::AnchorInfo>", "getAnchors",
      (ins "::mlir::Operation *":$op)>,
    InterfaceMethod<"The properties of the loops outside the kernels that "
                    "matter for merging them with those of a neighbour; "
                    "nothing if they cannot be merged.",
      "::std::optional<::gc::graph::OuterLoops>", "getOuterLoops",
      (ins "::mlir::Operation *":$op), "", "return ::std::nullopt;">,
    InterfaceMethod<"For a template that consists of others: builds ops with "
                    "these templates before `op` and returns the values that "
                    "replace its results. Nothing if the template itself is "
                    "emitted.",
      "::llvm::SmallVector<::mlir::Value>", "expand",
      (ins "::mlir::Operation *":$op, "::mlir::RewriterBase &":$rewriter), "",
      "return {};">,
    InterfaceMethod<"The cost of the op with these parameters for the busiest "
                    "core: kernels, operands and result, without fusible ops.",
      "::gc::Cost", "getCost",
      (ins "::mlir::Operation *":$op, "const ::gc::CostModel &":$model,
           "const ::gc::graph::TemplateOptions &":$options), "", [{
        ::gc::Cost cost;
        cost.compute = $_attr.getCycles(op, model.getMachine(), options);
        return cost;
      }]>,
    InterfaceMethod<"The features of #graph.schedule that the template's "
                    "emission supports.",
      "::gc::graph::TemplateAbilities", "getAbilities", (ins), "",
      "return ::gc::graph::TemplateAbilities();">,
    InterfaceMethod<"The microkernels that the emission may call if vectors "
                    "have this many elements: types, sizes and leading "
                    "dimensions, without batch strides and beta. Empty "
                    "for an op whose types no kernel supports.",
      "::llvm::SmallVector<::gc::KernelSpec>", "getKernels",
      (ins "::mlir::Operation *":$op, "int64_t":$lanes), "", "return {};">,
    InterfaceMethod<"Checks the parameters against an op that the template is "
                    "registered for.",
      "::llvm::LogicalResult", "verifyTemplate", (ins "::mlir::Operation *":$op)>
  ];
}

def TunableOpInterface : OpInterface<"TunableOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that is lowered by instantiating a template with parameters: a
    contraction or a gather. The chosen template is the op's `template_params`
    attribute; the available ones are in the dialect's `TemplateRegistry`.
  }];
  let methods = [
    InterfaceMethod<"The chosen template, or null.",
      "::gc::graph::TemplateAttrInterface", "getChosenTemplate", (ins), "", [{
        return $_op->template getAttrOfType<::gc::graph::TemplateAttrInterface>(
            "template_params");
      }]>,
    InterfaceMethod<"Sets the chosen template.",
      "void", "setChosenTemplate",
      (ins "::gc::graph::TemplateAttrInterface":$chosen), "", [{
        $_op->setAttr("template_params", chosen);
      }]>,
    InterfaceMethod<"Whether each row of the result (its whole last dimension) "
                    "depends only on the same row of the operand.",
      "bool", "keepsRows", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<"Whether each row of the result depends on the whole "
                    "operand (at one index of the leading dimensions), so that "
                    "blocks of rows read it repeatedly.",
      "bool", "readsWhole", (ins "unsigned":$operand), "",
      "return operand > 0;">,
    InterfaceMethod<"Whether the templates pack each block of the operand when "
                    "it is needed, even if items of the batch share the "
                    "operand.",
      "bool", "packsByBlocks", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<"Multiplications and additions of the contraction.",
      "int64_t", "getFlops">
  ];
}

def SoftmaxOpInterface : OpInterface<"SoftmaxOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that is a whole softmax: its first result holds the weights, computed
    in f32, which add up to 1 along one dimension of its only operand.
  }];
  let methods = [
    InterfaceMethod<"Dimension of the operand along which weights sum to 1.",
      "int64_t", "getNormalizedDim">,
    InterfaceMethod<"How it guards against overflow, and the result of an "
                    "empty row.",
      "::gc::graph::SoftmaxMode", "getSoftmaxMode">
  ];
}

def BoundaryOpInterface : OpInterface<"BoundaryOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that is left to the graph's owner, at the boundary of the compiled
    parts. It is a partition of its own, which no target runs.
  }];
  let methods = [
    StaticInterfaceMethod<"Whether the op only marks its operands: it computes "
                          "nothing, and no code is generated for it.",
      "bool", "isMark", (ins), "", "return false;">
  ];
  let extraClassDeclaration = [{
    /// Whether an op is a boundary that only marks its operands.
    static bool marks(::mlir::Operation *op) {
      auto boundary = ::llvm::dyn_cast<BoundaryOpInterface>(op);
      return boundary && boundary.isMark();
    }
  }];
}

def NamedSizesOpInterface : OpInterface<"NamedSizesOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op with sizes as attributes, some of which may be sums of products of the
    names that the function declares (`graph.dim_bounds`) and numbers.
  }];
  let methods = [
    InterfaceMethod<"The names: an array of strings, which is empty if all "
                    "sizes are numbers, as are sizes with an empty string.",
      "::mlir::ArrayAttr", "getDims">,
    InterfaceMethod<"Sets the names.", "void", "setDimsAttr",
      (ins "::mlir::ArrayAttr":$dims)>,
    InterfaceMethod<"Sets the number of size i, which has no name any more.",
      "void", "setSize", (ins "unsigned":$i, "int64_t":$size)>
  ];
}

def PlacementOpInterface : OpInterface<"PlacementOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op whose only result consists of its operands, each of which is a box of
    it: the op that computes an operand writes it to its place in the result.
  }];
  let methods = [
    InterfaceMethod<"The index in the result of the first element of operand i.",
      "::llvm::SmallVector<int64_t>", "getPlace", (ins "unsigned":$operand)>
  ];
}

def QuantizationOpInterface : OpInterface<"QuantizationOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that converts the elements of operand 0 with a scale: one for all
    elements, or one for each index of a dimension.
  }];
  let methods = [
    InterfaceMethod<"Whether scales belong to groups of elements instead.",
      "bool", "hasScalesPerGroup", (ins), "",
      [{ return $_op.getQtype() == "per_group"; }]>,
    InterfaceMethod<"The dimension whose indices have a scale each, or nothing if "
                    "there is one for all.",
      "::std::optional<int64_t>", "getScaleDim", (ins), "", [{
        if ($_op.getQtype() != "per_channel")
          return ::std::nullopt;
        int64_t axis = $_op.getAxis();
        auto type = ::mlir::cast<::mlir::RankedTensorType>(
            $_op->getOperand(0).getType());
        return axis < 0 ? axis + type.getRank() : axis;
      }]>,
    InterfaceMethod<"The scales and zero points.",
      "::gc::graph::Quantization", "getQuantization">,
    InterfaceMethod<"Sets the dimension whose indices have a scale each.",
      "void", "setScaleDim", (ins "int64_t":$dim), "",
      [{ $_op.setAxis(dim); }]>
  ];
}

def ComplexOpInterface : OpInterface<"ComplexOpInterface"> {
  let cppNamespace = "::gc::graph";
  let description = [{
    An op that is defined by simpler ops of the dialect.
  }];
  let methods = [
    InterfaceMethod<"Whether this op, with its operands and attributes, must "
                    "be decomposed.",
      "bool", "isComplex", (ins), "", "return true;">,
    InterfaceMethod<"Whether the simpler ops are contractions of the operands. "
                    "Such ops are decomposed first, so that passes that look "
                    "for contractions find them.",
      "bool", "decomposesToContractions", (ins), "", "return false;">,
    InterfaceMethod<"Builds the simpler ops before this op and returns their "
                    "results, one per result.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::RewriterBase &":$rewriter)>,
    InterfaceMethod<"The same for a program that promises operands of moderate "
                    "size: guards against overflow are left out. The op "
                    "documents where this is correct, and how large the error "
                    "is elsewhere.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "decomposeUnguarded", (ins "::mlir::RewriterBase &":$rewriter), "",
      "return $_op.decompose(rewriter);">
  ];
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
