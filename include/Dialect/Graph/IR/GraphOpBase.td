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

// A tensor of the given element types; `elements` are their names in the table
// of operations.
class Graph_TensorOf<list<Type> types, string names> : RankedTensorOf<types> {
  string elements = names;
}

def Graph_FloatTensor : Graph_TensorOf<[F32, BF16, F16], "f32 bf16 f16">;
def Graph_F32Tensor : Graph_TensorOf<[F32], "f32">;
def Graph_NumberTensor
    : Graph_TensorOf<[F32, BF16, F16, SI<32>], "f32 bf16 f16 s32">;
def Graph_MatmulTensor
    : Graph_TensorOf<[F32, BF16, F16, SI<8>, UI<8>], "f32 bf16 f16 s8 u8">;
def Graph_WeightsTensor
    : Graph_TensorOf<[F32, BF16, F16, SI<8>, UI<8>, SI<4>, UI<4>],
                     "f32 bf16 f16 s8 u8 s4 u4">;
def Graph_ConvolutionTensor
    : Graph_TensorOf<[F32, BF16, F16, SI<8>], "f32 bf16 f16 s8">;
def Graph_AnyTensor : Graph_TensorOf<[AnyType], "any">;
def Graph_BooleanTensor : Graph_TensorOf<[I1], "boolean">;
def Graph_IndexTensor : Graph_TensorOf<[SI<32>], "s32">;

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits> {
  // Ops fill in the fields below for the table of operations, which importer,
  // exporter and docs share (gc-tblgen).

  // The op's name in oneDNN Graph; empty for extensions of its operation set.
  string onednnKind = "";
  // Attributes that oneDNN Graph does not have: decisions and extensions.
  list<string> extensionAttrs = [];
  // Attributes that the specification requires even though they have a default.
  list<string> requiredAttrs = [];
  // Strings whose case does not matter; the dialect has them in lower case.
  list<string> anyCaseAttrs = [];
  // Strings of the specification that are read and dropped: what the op does
  // is correct for any value.
  list<string> hintAttrs = [];
  // Unlisted attributes are dropped as well.
  bit anyAttrs = 0;
  // Names of the tensors that make up a variadic operand or result, all of them
  // optional; empty if there may be any number of tensors.
  list<string> variadicOperands = [];
  list<string> variadicResults = [];
}

// Verifies the result types against the inferred ones, with one error.
def Graph_InferredTypes : NativeOpTrait<"InferredTypes"> {
  let cppNamespace = "::gc::graph";
}

// The result has the shape of the first operand; the program chooses element
// type and layout.
def Graph_KeepsShape : NativeOpTrait<"KeepsShape"> {
  let cppNamespace = "::gc::graph";
}

// The result has the elements of the first operand, in row-major order, in
// another shape. Where both are plain, it is the same memory.
def Graph_RowMajorView : NativeOpTrait<"RowMajorView"> {
  let cppNamespace = "::gc::graph";
}

// An op whose result type follows from operands and attributes. Shapes and
// element types are compared, layouts and dynamic sizes are not.
class Graph_InferredOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, [Graph_InferredTypes] # traits # [Pure,
        DeclareOpInterfaceMethods<InferTypeOpInterface,
                                  ["isCompatibleReturnTypes"]>]> {
  // The interface would verify again, with an unhelpful error.
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
  // The same, but the result may also be f32 instead of a narrower float, or
  // the reverse.
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

// An op that is defined by simpler ops.
class Graph_ComplexOp<string mnemonic, list<string> overrides = []>
    : Graph_InferredOp<mnemonic,
        [DeclareOpInterfaceMethods<ComplexOpInterface, overrides>]>;

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

// The same for an op that is computed directly, by its scalar body.
class Graph_UnaryFunctionOp<string mnemonic, list<string> overrides = []>
    : Graph_UnaryOp<mnemonic, overrides,
        [DeclareOpInterfaceMethods<ScalarBodyOpInterface, ["getBodyCost"]>]>;

// y[i] = f(a[i], b[i]) with numpy broadcasting.
//
// - (C1) the shapes broadcast to one shape (and are equal where auto_broadcast
//   is "none").
// - (C2) operands and result have the same element type; or one operand is f32,
//   the other bf16 or f16, and the result has either type.
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

// The same for an op that is computed directly, by its scalar body.
class Graph_BinaryFunctionOp<string mnemonic, list<string> overrides = [],
                             list<Trait> traits = [],
                             list<string> bodyOverrides = []>
    : Graph_BinaryOp<mnemonic, overrides, traits #
        [DeclareOpInterfaceMethods<ScalarBodyOpInterface,
                                   ["getBodyCost"] # bodyOverrides>]>;

#endif // GC_DIALECT_GRAPH_IR_GRAPHOPBASE_TD
