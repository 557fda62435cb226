// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHATTRS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHATTRS_TD

include "Dialect/Graph/IR/GraphDialect.td"
include "Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::gc::graph";
  let genSpecializedAttr = 0;
}

def Graph_LayoutKind : Graph_Enum<"LayoutKind", "kind of memory layout", [
  I32EnumAttrCase<"strided", 0>, I32EnumAttrCase<"blocked", 1>,
  I32EnumAttrCase<"any", 2>]>;

def Graph_FusibleKind : Graph_Enum<"FusibleKind", "kind of fusible op", [
  I32EnumAttrCase<"elementwise", 0>, I32EnumAttrCase<"broadcast", 1>,
  I32EnumAttrCase<"reduction", 2>, I32EnumAttrCase<"reorder", 3>,
  I32EnumAttrCase<"transpose", 4>, I32EnumAttrCase<"cast", 5>,
  I32EnumAttrCase<"windows", 6>]>;

// As an operand grows, the result does not decrease (increasing), does not
// increase (decreasing), or one of the two, depending on the other operands
// (either).
def Graph_Monotonicity : Graph_Enum<"Monotonicity",
    "how a function depends on an operand", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"increasing", 1>,
  I32EnumAttrCase<"decreasing", 2>, I32EnumAttrCase<"either", 3>]>;

def Graph_SoftmaxMode : Graph_Enum<"SoftmaxMode", "kind of softmax", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"inf_as_zero", 1>,
  I32EnumAttrCase<"unshifted", 2>]>;

class Graph_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Graph_LayoutAttr : Graph_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "memory layout of a tensor";
  let description = [{
    The encoding of a tensor type. No encoding means the plain layout (dense,
    row-major), which has no other spelling. Shape inference ignores layouts.

    - `#graph.layout<any>`: the compiler chooses.
    - `#graph.layout<strided, [s0, s1, ...]>`: element strides, a view of a
      larger or transposed buffer.
    - `#graph.layout<blocked, outer = [d0, d1, ...], inner = [d : b, ...]>`: the
      physical tensor has one dimension per entry of `outer` (a permutation of
      the logical dimensions), of size ceil(size / product of that dimension's
      inner blocks), followed by one dimension of size b per inner block of
      logical dimension d. The same dimension may be blocked more than once
      (VNNI: `inner = [0 : 32, 1 : 64, 0 : 2]`). Sizes that are not multiples
      of the blocks are padded: with zeros where kernels read the padding;
      elsewhere its contents are undefined.

    Constraints:
    - (C1) strided: one non-negative stride per dimension.
    - (C2) strided: not the row-major strides, which are written without an
      encoding.
    - (C3) blocked: `outer` is a permutation of the dimensions.
    - (C4) blocked: inner dimensions are in range and blocks are at least 1.
    - (C5) blocked: not the identity permutation without inner blocks.
    - (C6) strided and blocked layouts need a static shape and at least one
      dimension.
    - (C7) the tensor, padding and gaps included, has at most 2^46 elements.
  }];
  let parameters = (ins "::gc::graph::LayoutKind":$kind,
    ArrayRefParameter<"int64_t">:$strides,
    ArrayRefParameter<"int64_t">:$outer,
    ArrayRefParameter<"int64_t">:$innerDims,
    ArrayRefParameter<"int64_t">:$innerBlocks);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$outer,
                     "::llvm::ArrayRef<int64_t>":$innerDims,
                     "::llvm::ArrayRef<int64_t>":$innerBlocks), [{
      return $_get($_ctxt, ::gc::graph::LayoutKind::blocked,
                   ::llvm::ArrayRef<int64_t>(), outer, innerDims, innerBlocks);
    }]>,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$strides), [{
      return $_get($_ctxt, ::gc::graph::LayoutKind::strided, strides,
                   ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>(),
                   ::llvm::ArrayRef<int64_t>());
    }]>
  ];
  let extraClassDeclaration = [{
    bool isAny() const { return getKind() == ::gc::graph::LayoutKind::any; }
    bool isStrided() const { return getKind() == ::gc::graph::LayoutKind::strided; }
    bool isBlocked() const { return getKind() == ::gc::graph::LayoutKind::blocked; }
    /// Product of the inner blocks of logical dimension dim (1 if unblocked).
    int64_t getBlock(int64_t dim) const;
    /// Shape of the physical tensor of a logical shape (blocked layouts).
    ::llvm::SmallVector<int64_t> getPhysicalShape(
        ::llvm::ArrayRef<int64_t> shape) const;
  }];
}

def Graph_WindowAttr : Graph_Attr<"Window", "window"> {
  let summary = "the windows of an image that are the rows of a matrix";
  let description = [{
    A matmul with a window reads an image [n, x..., c] as a matrix whose rows
    are the windows: the elements [k..., c / groups], in row-major order, that a
    kernel of these sizes covers at each of its positions. The matrix is never
    materialised: kernels read the image in place. Elements outside the image,
    in the pads, contribute nothing: they are 0, or zero points if there are
    any.

    There is a window for each index of [n, y...], where
    y = (x + pad_begin + pad_end - ((k - 1) * dilation + 1)) / stride + 1,
    rounded down. With several groups there is one matrix for each group of
    c / groups neighbouring channels.

    `rows` are the dimensions that count the windows; their product is the
    number of windows. Without `rows` they are [n, y...], or with several groups
    [groups, n, y...].

    - (C1) one to three spatial dimensions; one element of each list for each.
    - (C2) sizes of the kernel, strides and dilations are from 1 to 2^30, pads
      from 0 to 2^30.
    - (C3) groups is at least 1; rows, if given, are at least two dimensions,
      and groups is then 1.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$kernel,
    ArrayRefParameter<"int64_t">:$strides,
    ArrayRefParameter<"int64_t">:$dilations,
    ArrayRefParameter<"int64_t">:$padsBegin,
    ArrayRefParameter<"int64_t">:$padsEnd,
    "int64_t":$groups,
    OptionalArrayRefParameter<"int64_t">:$rows);
  let assemblyFormat = [{
    `<` `kernel` `=` `[` $kernel `]` `,` `strides` `=` `[` $strides `]` `,`
    `dilations` `=` `[` $dilations `]` `,` `pads_begin` `=` `[` $padsBegin `]`
    `,` `pads_end` `=` `[` $padsEnd `]` `,` `groups` `=` $groups
    (`,` `rows` `=` `[` $rows^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of positions of the kernel in each spatial dimension of an
    /// image [n, x..., c] of static shape; 0 where it does not fit.
    ::llvm::SmallVector<int64_t> getPositions(
        ::llvm::ArrayRef<int64_t> image) const;
    /// The positions in a line (the last spatial dimension) at which element
    /// `column` of the kernel is inside the image: the first one, and how many
    /// there are.
    ::std::pair<int64_t, int64_t> getRun(::llvm::ArrayRef<int64_t> image,
                                         int64_t column) const;
    /// The lengths of the runs of all columns, each length once.
    ::llvm::SmallVector<int64_t> getRunLengths(
        ::llvm::ArrayRef<int64_t> image) const;
    /// Whether the image has pads, so that windows may reach beyond it.
    bool isPadded() const;
    /// The number of elements of a window in one channel.
    int64_t getTaps() const;
    /// The same window with these dimensions as rows.
    ::gc::graph::WindowAttr withRows(::llvm::ArrayRef<int64_t> rows) const;
  }];
}

def Graph_AnchorAttr : Graph_Attr<"Anchor", "anchor"> {
  let summary = "anchor of a template at which a fusible op is committed";
  let description = [{
    `#graph.anchor<post, 1>`: post-op anchor 1 of the paper's figure 3;
    `#graph.anchor<pre, 4>`: pre-op anchor 4.
  }];
  let parameters = (ins "::gc::graph::AnchorKind":$kind, "unsigned":$index);
  let assemblyFormat = "`<` $kind `,` $index `>`";
}

// The order is that of gc::CostBound.
def Graph_Bound : Graph_Enum<"Bound", "what limits a region", [
  I32EnumAttrCase<"compute", 0>, I32EnumAttrCase<"vector", 1>,
  I32EnumAttrCase<"cache", 2>, I32EnumAttrCase<"memory", 3>,
  I32EnumAttrCase<"calls", 4>, I32EnumAttrCase<"barrier", 5>]>;

def Graph_CostAttr : Graph_Attr<"Cost", "cost"> {
  let summary = "predicted cost of a region or a function";
  let description = [{
    The cost that the machine model predicts, in the attribute `graph.cost` of a
    `graph.fused_op` or a function (`graph-predict-cost`): cycles of the busiest
    core; the number of multiplications and additions of contractions; bytes
    that have to be read and written once; and what takes most of the cycles:
    `compute` (microkernels), `vector` (other instructions, packing), `cache`
    (data from L2 and L3), `memory`, `calls` (of kernels) or `barrier`.

    - (C1) no number is negative.
  }];
  let parameters = (ins "int64_t":$cycles, "int64_t":$flops, "int64_t":$bytes,
    "::gc::graph::Bound":$bound);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Graph_AnchorKind : Graph_Enum<"AnchorKind", "kind of anchor", [
  I32EnumAttrCase<"pre", 0>, I32EnumAttrCase<"post", 1>]>;

include "Dialect/Graph/IR/GraphScheduleAttrs.td"
include "Dialect/Graph/Templates/Templates.td"

#endif // GC_DIALECT_GRAPH_IR_GRAPHATTRS_TD
