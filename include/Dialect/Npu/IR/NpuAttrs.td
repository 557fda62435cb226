// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUATTRS_TD
#define GC_DIALECT_NPU_IR_NPUATTRS_TD

include "Dialect/Npu/IR/NpuDialect.td"
include "mlir/IR/EnumAttr.td"

// The enums of the model (NpuModel/Machine.h) as attributes: same order.

def Npu_MemorySpace : I32EnumAttr<"MemorySpace", "memory of the NPU", [
    I32EnumAttrCase<"gm", 0>, I32EnumAttrCase<"l1", 1>,
    I32EnumAttrCase<"ub", 2>, I32EnumAttrCase<"l0a", 3>,
    I32EnumAttrCase<"l0b", 4>, I32EnumAttrCase<"l0c", 5>]> {
  let cppNamespace = "::gc::npu";
  let genSpecializedAttr = 0;
}
/// Memory space of a memref: `memref<16x16xf16, #npu.space<l1>>`.
def Npu_SpaceAttr : EnumAttr<Npu_Dialect, Npu_MemorySpace, "space"> {
  // Written by hand, so that a wrong name causes only one error.
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
  let description = [{
    Written as the memory's name: `#npu.space<ub>`.
  }];
}

def Npu_PipeKind : I32EnumAttr<"PipeKind", "pipe of a core", [
    I32EnumAttrCase<"s", 0>, I32EnumAttrCase<"v", 1>, I32EnumAttrCase<"m", 2>,
    I32EnumAttrCase<"mte1", 3>, I32EnumAttrCase<"mte2", 4>,
    I32EnumAttrCase<"mte3", 5>]> {
  let cppNamespace = "::gc::npu";
  let genSpecializedAttr = 0;
}
def Npu_PipeAttr : EnumAttr<Npu_Dialect, Npu_PipeKind, "pipe">;

class Npu_Enum<string name, string summary, list<string> cases>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(cases), I32EnumAttrCase<cases[i], i>)> {
  let cppNamespace = "::gc::npu";
  let genSpecializedAttr = 0;
}

def Npu_BinaryKind : Npu_Enum<"BinaryKind", "op on two tiles",
    ["add", "sub", "mul", "div", "max", "min"]>;
def Npu_BinaryAttr : EnumAttr<Npu_Dialect, Npu_BinaryKind, "binary">;

def Npu_ScalarKind : Npu_Enum<"ScalarKind", "op on a tile and a register",
    ["adds", "muls"]>;
def Npu_ScalarAttr : EnumAttr<Npu_Dialect, Npu_ScalarKind, "scalar">;

def Npu_UnaryKind : Npu_Enum<"UnaryKind", "op on a tile",
    ["relu", "abs", "exp", "log", "sqrt", "rsqrt", "rec"]>;
def Npu_UnaryAttr : EnumAttr<Npu_Dialect, Npu_UnaryKind, "unary">;

def Npu_ReduceKind : Npu_Enum<"ReduceKind", "reduction",
    ["sum", "max", "min"]>;
def Npu_ReduceAttr : EnumAttr<Npu_Dialect, Npu_ReduceKind, "reduction">;

def Npu_ComparePredicate : Npu_Enum<"ComparePredicate", "comparison",
    ["eq", "ne", "lt", "le", "gt", "ge"]>;
def Npu_CompareAttr : EnumAttr<Npu_Dialect, Npu_ComparePredicate, "compare">;

/// The vector instructions: VectorOp of the model, same order.
def Npu_VectorKind : Npu_Enum<"VectorKind", "vector instruction", [
    "add", "sub", "mul", "div", "max", "min",
    "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le", "cmp_gt", "cmp_ge",
    "adds", "muls", "relu", "abs", "exp", "log", "sqrt", "rsqrt", "rec",
    "select", "convert", "dup", "copy", "transpose",
    "reduce_sum", "reduce_max", "reduce_min",
    "group_sum", "group_max", "group_min"]>;
def Npu_VectorAttr : EnumAttr<Npu_Dialect, Npu_VectorKind, "vector_kind">;

#endif // GC_DIALECT_NPU_IR_NPUATTRS_TD
