// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS_TD

include "Dialect/Graph/IR/GraphOpBase.td"

// Combines the elements along the dimensions `axes` of src into one.
//
// - (C1) axes are in range and name no dimension twice.
class Graph_ReductionOp<string mnemonic, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, traits #
        [DeclareOpInterfaceMethods<ComplexOpInterface, ["isComplex"]>]> {
  let arguments = (ins Graph_FloatTensor:$src,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDeclaration = compatibleTypes # [{
    /// `axes` counted from the first dimension, in ascending order.
    ::llvm::SmallVector<int64_t> getReducedAxes() {
      return ::gc::graph::resolveAxes(getAxes(), getSrc().getType().getRank());
    }
  }];
  code inferDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      return ::gc::graph::inferReductionType(loc, operands[0].getType(),
                                             adaptor.getAxes(),
                                             adaptor.getKeepDims(), types);
    }
  }];
  let extraClassDefinition = inferDefinition;
}

// A reduction that is computed directly: it iterates over src, and the result
// has index 0 in the reduced dimensions (keep_dims) or lacks them. With parts,
// the index in the first of them is the number of the part.
//
// - (C2) part_size is not negative; a positive one needs an axis and keep_dims.
class Graph_FusibleReductionOp<string mnemonic>
    : Graph_ReductionOp<mnemonic, [
        DeclareOpInterfaceMethods<FusibleOpInterface,
          ["getFusibleKind", "getIterationSpace", "getOperandMap",
           "getResultMap", "reduceInSteps"]>,
        DeclareOpInterfaceMethods<ReductionOpInterface>]> {
  let arguments = (ins Graph_FloatTensor:$src,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$keep_dims,
    DefaultValuedAttr<I64Attr, "0">:$part_size);
  code inferPartsDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      // Builders that take attributes infer before defaults are filled in.
      auto partSize = adaptor.getProperties().part_size;
      return ::gc::graph::inferReductionType(
          loc, operands[0].getType(), adaptor.getAxes(), adaptor.getKeepDims(),
          types, partSize ? partSize.getInt() : 0);
    }
  }];
  let extraClassDefinition = inferPartsDefinition # [{
    ::gc::graph::FusibleKind $cppClass::getFusibleKind() {
      return ::gc::graph::FusibleKind::reduction;
    }
    ::llvm::SmallVector<int64_t> $cppClass::getIterationSpace() {
      return ::llvm::SmallVector<int64_t>(getSrc().getType().getShape());
    }
    ::mlir::AffineMap $cppClass::getOperandMap(unsigned) {
      return ::mlir::AffineMap::getMultiDimIdentityMap(
          getSrc().getType().getRank(), getContext());
    }
    ::mlir::AffineMap $cppClass::getResultMap(unsigned) {
      return ::gc::graph::getReductionMap(getContext(),
                                          getSrc().getType().getRank(),
                                          getReducedAxes(), getKeepDims(),
                                          getPartSize());
    }
    ::mlir::Value $cppClass::reduceInSteps(::mlir::OpBuilder &builder,
                                           ::llvm::ArrayRef<int64_t> later,
                                           int64_t partSize) {
      return ::gc::graph::reduceInSteps(builder, *this, later, partSize);
    }
    bool $cppClass::isComplex() {
      // A reduction of windows may drop dimensions: positions index its result.
      return (!getKeepDims() && !::gc::graph::isOfWindows(getSrc())) ||
             getAxes().empty();
    }
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::decompose(::mlir::RewriterBase &rewriter) {
      return ::gc::graph::decomposeToKeptDims(rewriter, *this);
    }
  }];
}

def Graph_ReduceMaxOp : Graph_FusibleReductionOp<"reduce_max"> {
  let summary = "largest element";
  let description = [{
    dst = the largest element over the dimensions `axes` of src; negative axes
    count from the last dimension. The reduced dimensions stay with size 1
    (`keep_dims`) or are dropped. Without axes, every element is reduced on its
    own. A NaN among the elements gives NaN.

    With `any_if_nan`, a NaN gives NaN or any of the elements, which is cheaper.
    It is for users whose own result is then NaN whatever the maximum is, such
    as softmax.

    With `part_size` = p > 0, the first reduced dimension is reduced in parts of
    p indices each (the last one may be shorter) and keeps one element per part:
    several threads reduce parts, and another reduction combines their results.

    - (C1) axes are in range and name no dimension twice.
    - (C2) part_size is not negative; a positive one needs an axis and
      keep_dims.
  }];
  let onednnKind = "ReduceMax";
  let extensionAttrs = ["any_if_nan", "part_size"];
  let arguments = (ins Graph_FloatTensor:$src,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$keep_dims, UnitAttr:$any_if_nan,
    DefaultValuedAttr<I64Attr, "0">:$part_size);
}

def Graph_ReduceMinOp : Graph_FusibleReductionOp<"reduce_min"> {
  let summary = "smallest element";
  let description = [{
    dst = the smallest element over the dimensions `axes` of src; negative axes
    count from the last dimension. The reduced dimensions stay with size 1
    (`keep_dims`) or are dropped. Without axes, every element is reduced on its
    own. A NaN among the elements gives NaN.

    With `part_size` = p > 0, the first reduced dimension is reduced in parts of
    p indices each (the last one may be shorter) and keeps one element per part:
    several threads reduce parts, and another reduction combines their results.

    - (C1) axes are in range and name no dimension twice.
    - (C2) part_size is not negative; a positive one needs an axis and
      keep_dims.
  }];
  let onednnKind = "ReduceMin";
  let extensionAttrs = ["part_size"];
}

def Graph_ReduceSumOp : Graph_FusibleReductionOp<"reduce_sum"> {
  let summary = "sum";
  let description = [{
    dst = the sum over the dimensions `axes` of src; negative axes count from
    the last dimension. The reduced dimensions stay with size 1 (`keep_dims`) or
    are dropped. Without axes every element is reduced on its own.

    With `part_size` = p > 0, the first reduced dimension is reduced in parts of
    p indices each (the last one may be shorter) and keeps one element per part:
    several threads reduce parts, and another reduction combines their results.

    - (C1) axes are in range and name no dimension twice.
    - (C2) part_size is not negative; a positive one needs an axis and
      keep_dims.
  }];
  let onednnKind = "ReduceSum";
  let extensionAttrs = ["part_size"];
}

def Graph_ReduceProdOp : Graph_FusibleReductionOp<"reduce_prod"> {
  let summary = "product";
  let description = [{
    dst = the product over the dimensions `axes` of src; negative axes count from
    the last dimension. The reduced dimensions stay with size 1 (`keep_dims`) or
    are dropped. Without axes every element is reduced on its own.

    With `part_size` = p > 0, the first reduced dimension is reduced in parts of
    p indices each (the last one may be shorter) and keeps one element per part:
    several threads reduce parts, and another reduction combines their results.

    - (C1) axes are in range and name no dimension twice.
    - (C2) part_size is not negative; a positive one needs an axis and
      keep_dims.
  }];
  let onednnKind = "ReduceProd";
  let extensionAttrs = ["part_size"];
}

def Graph_ReduceMeanOp : Graph_ReductionOp<"reduce_mean"> {
  let summary = "arithmetic mean";
  let description = [{
    dst = the mean over the dimensions `axes` of src; negative axes count from
    the last dimension. The reduced dimensions stay with size 1 (`keep_dims`) or
    are dropped. Without axes every element is reduced on its own.

    - (C1) axes are in range and name no dimension twice.
  }];
  let onednnKind = "ReduceMean";
}

def Graph_ReduceL1Op : Graph_ReductionOp<"reduce_l1"> {
  let summary = "sum of absolute values";
  let description = [{
    dst = the sum of |src| over the dimensions `axes` of src; negative axes
    count from the last dimension. The reduced dimensions stay with size 1
    (`keep_dims`) or are dropped. Without axes, every element is reduced on its
    own.

    - (C1) axes are in range and name no dimension twice.
  }];
  let onednnKind = "ReduceL1";
}

def Graph_ReduceL2Op : Graph_ReductionOp<"reduce_l2"> {
  let summary = "square root of the sum of squares";
  let description = [{
    dst = the square root of the sum of src^2 over the dimensions `axes` of src;
    negative axes count from the last dimension. The reduced dimensions stay
    with size 1 (`keep_dims`) or are dropped. Without axes, every element is
    reduced on its own.

    - (C1) axes are in range and name no dimension twice.
  }];
  let onednnKind = "ReduceL2";
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS_TD
