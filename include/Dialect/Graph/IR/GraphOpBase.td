// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHOPBASE_TD
#define GC_DIALECT_GRAPH_IR_GRAPHOPBASE_TD

include "Dialect/Graph/IR/GraphAttrs.td"
include "Dialect/Graph/IR/GraphDialect.td"
include "Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_FloatTensor : RankedTensorOf<[F32, BF16, F16]>;
def Graph_NumberTensor : RankedTensorOf<[F32, BF16, F16, SI<32>]>;
def Graph_MatmulTensor : RankedTensorOf<[F32, BF16, F16, SI<8>]>;
def Graph_AnyTensor : RankedTensorOf<[AnyType]>;
def Graph_BooleanTensor : RankedTensorOf<[I1]>;
def Graph_IndexTensor : RankedTensorOf<[SI<32>]>;

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits> {
  // Filled in by the op: what oneDNN Graph calls it, for importers and docs.
  string onednnKind = "";
}

// Verifies the result types against the inferred ones, with one error.
def Graph_InferredTypes : NativeOpTrait<"InferredTypes"> {
  let cppNamespace = "::gc::graph";
}

// An op whose result type follows from operands and attributes. Shapes and
// element types are compared, layouts and dynamic sizes are not.
class Graph_InferredOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, [Graph_InferredTypes] # traits # [Pure,
        DeclareOpInterfaceMethods<InferTypeOpInterface,
                                  ["isCompatibleReturnTypes"]>]> {
  // The interface would verify once more, with an error that says nothing.
  code refinesNothing = [{
    static ::llvm::LogicalResult refineReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
        ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
  }];
  code compatibleTypes = refinesNothing # [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange l,
                                        ::mlir::TypeRange r) {
      return ::gc::graph::areCompatibleTypes(l, r);
    }
  }];
  // The same where the result may also be the f32 of a narrower float, or the
  // reverse.
  code castingTypes = refinesNothing # [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange l,
                                        ::mlir::TypeRange r) {
      return ::gc::graph::areCastableTypes(l, r);
    }
  }];
  code axisDimension = [{
    /// `axis` counted from the first dimension.
    int64_t getDimension() {
      int64_t axis = getAxis();
      return axis < 0 ? axis + getSrc().getType().getRank() : axis;
    }
  }];
  let extraClassDeclaration = compatibleTypes;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// y[i] = f(x[i]); the result has the type of the operand, without its layout.
class Graph_UnaryOp<string mnemonic, list<string> overrides = [],
                    list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, traits #
        [DeclareOpInterfaceMethods<FusibleOpInterface, overrides>]> {
  let arguments = (ins Graph_FloatTensor:$src);
  let results = (outs Graph_FloatTensor:$dst);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(::gc::graph::dropLayout(operands[0].getType()));
      return ::mlir::success();
    }
  }];
}

// y[i] = f(a[i], b[i]) with numpy broadcasting.
//
// - (C1) the shapes broadcast to one shape (and are equal where auto_broadcast
//   is "none").
// - (C2) the element types are equal, also that of the result, or one is f32 and
//   the other bf16 or f16, and the result has one of the two.
class Graph_BinaryOp<string mnemonic, list<string> overrides = [],
                     list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, traits #
        [DeclareOpInterfaceMethods<FusibleOpInterface, overrides>]> {
  let arguments = (ins Graph_NumberTensor:$src_0, Graph_NumberTensor:$src_1,
    DefaultValuedStrAttr<StrAttr, "numpy">:$auto_broadcast);
  let results = (outs Graph_NumberTensor:$dst);
  let extraClassDeclaration = castingTypes;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::gc::graph::verifyBroadcastElements(*this);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      return ::gc::graph::inferBroadcastType(
          loc, operands[0].getType(), operands[1].getType(),
          adaptor.getAutoBroadcast(), types);
    }
  }];
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHOPBASE_TD
