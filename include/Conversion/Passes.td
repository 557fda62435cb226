// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_CONVERSION_PASSES_TD
#define GC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGraphToTir : Pass<"convert-graph-to-tir", "::mlir::ModuleOp"> {
  let summary = "Instantiates templates and commits fusible ops at anchors";
  let description = [{
    Turns every function that has graph ops into a function on buffers: inputs,
    results and folded constants become memref arguments, intermediate tensors
    become `tir.scratch`, every `graph.fused_op` becomes one `tir.parallel` with
    the loops of its template. Functions without graph ops are left untouched.

    Regions have to come from `graph-fuse`, `graph-select-template`,
    `graph-propagate-layout`, `graph-select-anchors` and
    `graph-select-schedule`. An op outside of a region, without a template or
    anchor, at an anchor that the template does not offer, or of an unsupported
    element type is an error, and so is a region without a schedule. Nothing
    here depends on the machine: the schedules contain everything that does.

    ```mlir
    // before
    %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32>} -> (tensor<8x32xf32>) {
      %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
      graph.yield %1 : tensor<8x32xf32>
    }
    // after, canonicalised; %y is the argument that takes the result
    tir.parallel (%mpi, %npi) in (2, 1) {
      scf.for %nsi = %c0 to %c2 step %c1 {
        %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 16, ldb = 32, ldc = 32, stride_a = 8, stride_b = 256, beta = 0>
        %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%mpi)
        %column = affine.apply affine_map<(d0) -> (d0 * 16)>(%nsi)
        tir.brgemm %kernel batch(%c2) a(%x[%row, %c0]) b(%w[%c0, %column]) c(%y[%row, %column]) : memref<8x16xf32>, memref<16x32xf32>, memref<8x32xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::gc::tir::TensorIRDialect",
    "::gc::graph::GraphDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
    "::mlir::affine::AffineDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect"];
}

def ConvertTirToLLVM : Pass<"convert-tir-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers Tensor IR to the LLVM dialect";
  let description = [{
    Entry functions become functions of bare pointers that every thread of a
    team runs; `tir.parallel` becomes a loop over the thread's share, barriers
    become calls of the runtime. Indices (`affine.apply`) become integer
    arithmetic, with unsigned division where loops show that the dividend is not
    negative. For every entry point a descriptor `<name>_module` is emitted (see
    Runtime/Runtime.h). Loops that differ only in the values that they work on
    become one function, `<name>_loop`. Code that runs once, for folding and for
    finding kernels, is marked `optimize_none`. In a compute function of more
    than `part-ops` ops, the largest loops with few inputs, about half of the
    function, become such functions too: two threads then generate its code. An
    entry function of more than twice `part-ops` ops is cut between its loops
    into functions of about `part-ops` ops, `<name>_compute_part`, which it
    calls one after another, because later steps take more than linear time in
    the size of a function. Upstream conversions lower the rest.

    With `abi=memref` every entry point also becomes a function of its own name
    that takes and returns memrefs, for programs of other compilers: it
    allocates the results and calls the runtime. A declaration `<name>__memref`,
    which gc-memref-abi-calls makes, is resolved to it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"trace", "trace", "bool", "false",
           "Record the start and end of every parallel loop">,
    ListOption<"features", "features", "std::string",
               "Instruction sets that the code needs, by LLVM's names, checked "
               "when it is loaded">,
    Option<"abi", "abi", "::gc::CallAbi", "::gc::CallAbi::pointers",
           "How compiled graphs are called", [{
      ::llvm::cl::values(
        clEnumValN(::gc::CallAbi::pointers, "pointers",
                   "By the runtime, with bare pointers"),
        clEnumValN(::gc::CallAbi::memref, "memref",
                   "By function name, with tensors as memrefs, as well"))}]>,
    Option<"partOps", "part-ops", "int64_t", "400",
           "Ops of a part of a long entry function, and the size from which "
           "large loops become functions; 0: entry functions stay whole">
  ];
}

def ConvertNpuToLLVM : Pass<"convert-npu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers NPU programs to host code for the simulator";
  let description = [{
    Every function with `npu.kernel` becomes `void name(ptr core, i64...)`, with
    the address of each tensor in global memory. Every instruction becomes one
    call of the simulator's C interface (Simulator/Interface.h). A buffer is a
    number that encodes memory space and byte address; views and slots add to
    it, using the upstream conversions. Loops and branches of scf and scalar
    arithmetic run on the host; iterations and comparisons are reported to the
    simulator, which counts their cycles. Each call carries the number of its
    source location.

    ```mlir
    npu.dma %x to %b length 256 : memref<128xf16, #npu.space<gm>>
        to memref<128xf16, #npu.space<ub>>
    // becomes, for %b at 1024 of ub, which is space 2
    llvm.call @gc_npu_dma(%core, %location, %c144115188075856896, %x, %c1,
        %c256, %c256, %c256, %none) : ...
    ```

    Ops on whole tiles and buffers without an address are errors, and so are ops
    of other dialects that touch memory. With `mode=cycles`, addresses and
    branches that depend on `npu.load_scalar` are errors too, because no values
    are computed.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"mode", "mode", "::gc::SimulatedResult",
           "::gc::SimulatedResult::values", "What the programs are run for", [{
      ::llvm::cl::values(
        clEnumValN(::gc::SimulatedResult::values, "values",
                   "Values and cycles"),
        clEnumValN(::gc::SimulatedResult::cycles, "cycles",
                   "Cycles only: refuse programs that need values to run"))}]>
  ];
}

def PolyShortenFunctions : Pass<"poly-shorten-functions", "::mlir::ModuleOp"> {
  let summary = "Replaces functions of f16 by fewer instructions on f16";
  let description = [{
    The vector unit has neither erf nor tanh; in f32, where these would be
    accurate, it has half as many lanes as in f16. Functions whose errors in f16
    are of the order of its rounding are replaced by formulas in f16:

    | function | becomes |
    |---|---|
    | gelu(x), mode gelu_tanh | x / (1 + exp(-x * (1.59577 + 0.0713548 * x^2))), which is the same |
    | gelu(x), mode gelu_erf | x / (1 + exp(-x * (1.5975 + 0.0706 * x^2))) |

    The last form has an error of at most 1.43e-4 * |x|, a third of a unit in the
    last place.

    ```mlir
    // before
    %0 = graph.gelu %x {mode = "gelu_tanh"} : (tensor<4x8xf16>) -> tensor<4x8xf16>
    // after; %b, %a and %one are constants
    %0 = graph.multiply %x, %x : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
    %1 = graph.multiply %0, %b : (tensor<4x8xf16>, tensor<f16>) -> tensor<4x8xf16>
    %2 = graph.add %1, %a : (tensor<4x8xf16>, tensor<f16>) -> tensor<4x8xf16>
    %3 = graph.multiply %2, %x : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
    %4 = graph.exp %3 : (tensor<4x8xf16>) -> tensor<4x8xf16>
    %5 = graph.add %4, %one : (tensor<4x8xf16>, tensor<f16>) -> tensor<4x8xf16>
    %6 = graph.divide %x, %5 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
    ```
  }];
}

def PolyNarrowFactors : Pass<"poly-narrow-factors", "::mlir::ModuleOp"> {
  let summary = "Multiplies and compares f16 where it was widened to f32";
  let description = [{
    The cube unit multiplies f16 exactly and adds in f32. So an f32 product of
    two factors that were converted from f16 equals the product of the f16
    factors. `graph-decompose` makes such products for convolutions of images
    with few channels.

    The largest or smallest of f32 elements that were converted from f16 is the
    converted maximum or minimum in f16. `graph-decompose` computes all of a
    softmax in f32; only this part is exact in f16.

    ```mlir
    // before
    %0 = graph.type_cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
    %1 = graph.type_cast %w : tensor<8x8xf16> -> tensor<8x8xf32>
    %2 = graph.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    // after
    %2 = graph.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def PolySplitReductions : Pass<"poly-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Makes two reductions of one with too many elements";
  let description = [{
    A tile has all elements of a reduction. Long rows do not fit UB, and only a
    few long columns do, of which transfers move short runs. The pass divides the
    reduced dimensions, or one of them, so that a first reduction leaves one
    element for each part and a second one reduces these, as often as necessary.
    If the tiles of parts do not fit, smaller parts are tried. Elementwise ops on
    the way to the reduction are computed again for it, if they read at most one
    tensor of its size or nothing else reads them. Sums are f32 between the
    reductions.

    Both forms are priced: sums of columns of f16 are faster as one product of
    the cube unit, for example. A size without a suitable divisor stays. A remark
    says what was chosen and why.

    ```mlir
    // before
    %0 = graph.subtract %x, %m : (tensor<4096x64xf32>, tensor<64xf32>) -> tensor<4096x64xf32>
    %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<4096x64xf32>) -> tensor<1x64xf32>
    // after
    %0 = graph.static_reshape %x {shape = array<i64: 16, 256, 64>} : (tensor<4096x64xf32>) -> tensor<16x256x64xf32>
    %1 = graph.subtract %0, %m : (tensor<16x256x64xf32>, tensor<64xf32>) -> tensor<16x256x64xf32>
    %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<16x256x64xf32>) -> tensor<16x1x64xf32>
    %3 = graph.reduce_max %2 {axes = array<i64: 0>, keep_dims = true} : (tensor<16x1x64xf32>) -> tensor<1x1x64xf32>
    %4 = graph.static_reshape %3 {shape = array<i64: 1, 64>} : (tensor<1x1x64xf32>) -> tensor<1x64xf32>
    ```
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true",
           "Compute elementwise ops again for the reduction of parts">
  ];
  let dependentDialects = ["::gc::graph::GraphDialect", "::gc::npu::NpuDialect",
    "::gc::poly::PolyDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def PolyJoinProducts : Pass<"poly-join-products", "::mlir::ModuleOp"> {
  let summary = "Prepares pairs of dependent products to become one kernel";
  let description = [{
    Finds products of matrices whose left factor is computed from another
    product element by element and with reductions of rows, as in attention.
    Both become one kernel if blocks of 16 rows, with all columns of both
    products, fit the memories of the machine. The pass marks the ops with
    `poly.joined` for `poly-cut-kernels`, and rewrites the ops between the
    products:

    - A division of rows by their sums moves after the second product, where
      there are fewer elements. The sums become those of the factor in f16, so
      that they can be computed as products with ones.
    - If the first product is multiplied by 1/2, 1/4 ... 1/128 (or divided by a
      power of two), its left factor is multiplied instead, which has fewer
      elements. In f16 this is exact, except that scaled elements below 2^-14
      lose bits: less than 2^-24 each. Other scales would round, or overflow
      where the product does not, so they stay.
    - Values that are computed in f32 from f16 and then rounded to f16 are
      computed in f16 if they are differences from the largest element of a row,
      or exponentials of these, which are at most one.

    Products without a reduction of rows between them stay separate, and so do
    products if another op needs the values between them. A remark says why.

    ```mlir
    // before
    %0 = graph.matmul %q, %k {transpose_b} : (tensor<32x64xf16>, tensor<48x64xf16>) -> tensor<32x48xf16>
    %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf16>) -> tensor<32x1xf16>
    %2 = graph.subtract %0, %1 : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
    %3 = graph.matmul %2, %v : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
    // after
    %0 = graph.matmul %q, %k {poly.joined = 0 : i64, transpose_b} : (tensor<32x64xf16>, tensor<48x64xf16>) -> tensor<32x48xf16>
    %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true, poly.joined = 0 : i64} : (tensor<32x48xf16>) -> tensor<32x1xf16>
    %2 = graph.subtract %0, %1 {poly.joined = 0 : i64} : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
    %3 = graph.matmul %2, %v {poly.joined = 0 : i64} : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def PolyCutKernels : Pass<"poly-cut-kernels", "::mlir::ModuleOp"> {
  let summary = "Divides graphs into functions that each become one kernel";
  let description = [{
    Divides the ops of every public function of the graph dialect into kernels:
    public functions `<name>_<number>`, which the function then calls in order.
    A function that is one kernel stays as it is. Run it after
    `graph-decompose`.

    An op joins the kernels that compute its operands if the result can be one
    nest of loops over tiles:

    - a contraction with elementwise ops on its result; further contractions and
      reductions are other kernels;
    - reductions of the innermost dimensions of one space, with elementwise ops
      on that space, on rows, and on anything that broadcasts to it. A reduction
      of other dimensions can only be followed by ops on its result;
    - elementwise ops on one space or on tensors that broadcast to it.

    A kernel of elementwise ops that only compute factors of a contraction
    becomes part of the contraction's kernel, which computes them in its tiles.
    It is priced both ways: one kernel may have to compute some elements for
    several tiles, two of them store and load all. `producers` = `always` does so
    wherever tiles fit the core, `never` keeps two kernels.

    Without `fuse` an op joins only the ops that compute its one-bit operands,
    which have no representation in memory.

    A function that `graph-split-constants` has split calls the kernels of its
    fold function first, with `npu.once`; its arguments are then those that it
    had before. `npu.repeated` names a private copy of the function without them,
    with what they compute as arguments.

    A kernel that stores what it reduces, and whose tiles do not fit, becomes two:
    the second one loads what the first one stores. The cube unit may add up
    columns of any length if they are loaded, but not if they are computed.

    An elementwise op whose result only other kernels read is computed by these
    instead, with up to three ops that it is computed from, if they read fewer
    bytes for it than the result has: f32 elements that were f16 are never stored
    for that.

    Kernels do not depend on each other in cycles. Where an op does not join the
    op that it reads, a remark says why, with both numbers of cycles where they
    decided. Constants and reshapes are duplicated into each kernel that reads
    them, since they compute nothing.

    ```mlir
    // before
    func.func @example(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf16> {
      %0 = graph.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      %1 = graph.relu %0 : (tensor<4x8xf16>) -> tensor<4x8xf16>
      %2 = graph.matmul %1, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      return %2 : tensor<4x8xf16>
    }
    // after
    func.func @example_0(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf16> {
      %0 = graph.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      %1 = graph.relu %0 : (tensor<4x8xf16>) -> tensor<4x8xf16>
      return %1 : tensor<4x8xf16>
    }
    func.func @example_1(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf16> {
      %0 = graph.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      return %0 : tensor<4x8xf16>
    }
    func.func @example(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<4x8xf16> {
      %0 = call @example_0(%x, %w) : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      %1 = call @example_1(%0, %w) : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      return %1 : tensor<4x8xf16>
    }
    ```
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true",
           "Make one kernel of as many ops as possible">,
    Option<"producers", "producers", "::gc::ProducerFusion",
           "::gc::ProducerFusion::cost",
           "When factors of a contraction are computed in its tiles; not without "
           "fuse", [{
      ::llvm::cl::values(
        clEnumValN(::gc::ProducerFusion::cost, "cost",
                   "Where that is predicted to be faster"),
        clEnumValN(::gc::ProducerFusion::always, "always",
                   "Where it is possible"),
        clEnumValN(::gc::ProducerFusion::never, "never", "Nowhere"))}]>
  ];
  let dependentDialects = ["::gc::graph::GraphDialect", "::gc::npu::NpuDialect",
    "::gc::poly::PolyDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def PolyExtract : Pass<"poly-extract", "::mlir::ModuleOp"> {
  let summary = "Describes graph functions as scops";
  let description = [{
    Every public function of the graph dialect becomes a `poly.scop` of its
    name; the function itself stays, as `NAME_graph`, and is the scop's
    reference. An elementwise op, a cast or a transpose is one statement. A
    reduction or a product of matrices is two statements, an initialisation and
    an update, plus a third that converts f32 sums to the result's type if that
    is f16. Bodies come from the interfaces of the ops (`ScalarBodyOpInterface`
    and others), so a new op needs no change here. Reshapes are maps of indices.

    Run it after `graph-decompose`. Ops without an iteration space, ops that
    read elements outside of their operands, dynamic shapes, blocked layouts,
    constants that are not splats, element types that the NPU does not have, and
    products of element types other than f16 and i8 are errors.

    Dimensions of size 1 are dropped, and neighbouring dimensions that all
    accesses traverse together are merged: an elementwise operator is flat,
    whatever the shape of its tensors.

    ```mlir
    // before
    func.func @relu(%x: tensor<10x100xf16>) -> tensor<10x100xf16> {
      %y = graph.relu %x : (tensor<10x100xf16>) -> tensor<10x100xf16>
      return %y : tensor<10x100xf16>
    }
    // after
    poly.scop @relu reference @relu_graph schedule {
      domain: "{ S_0[i0] : 0 <= i0 <= 999 }",
      child: {
        schedule: "[{ S_0[i0] -> [(i0)] } ]"
      }
    } {
      poly.array @I0 input 0 : tensor<1000xf16>
      poly.array @O0 output 0 : tensor<1000xf16>
      poly.statement @S_0 domain "{ S_0[i0] : 0 <= i0 <= 999 }"
          reads [@I0 "{ S_0[i0] -> I0[i0] }"] writes @O0 "{ S_0[i0] -> O0[i0] }" {
      ^bb0(%x: f16):
        %zero = arith.constant 0.0 : f32
        %wide = arith.extf %x : f16 to f32
        %y = arith.maximumf %wide, %zero : f32
        %narrow = arith.truncf %y : f32 to f16
        poly.yield %narrow : f16
      }
    }
    ```
  }];
  let dependentDialects = ["::gc::poly::PolyDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ConvertPolyToNpu : Pass<"convert-poly-to-npu", "::mlir::ModuleOp"> {
  let summary = "Generates NPU programs from scops of tiles";
  let description = [{
    The schedule tree of each `poly.scop` becomes loops and branches of scf, as
    isl generates them; an instance of a `poly.tile` is a copy of its ops. The
    result is a tile-level function of the scop's name with `npu.kernel`, on the
    inputs and outputs of the reference function in global memory.

    - A mark `buffer:NAME` allocates the buffer there, with `npu.alloc`.
    - A mark `pipeline:N` directly above a band puts `npu.pipeline = N` on its
      loop, unless the loop runs only once.
    - A scop that still has statements in its tree is an error.
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def ConvertLinalgToGraph : Pass<"convert-linalg-to-graph", "::mlir::ModuleOp"> {
  let summary = "Converts linalg on tensors to the Graph dialect";
  let description = [{
    Structured ops, named or generic, become graph ops according to their bodies
    and indexing maps. `linalg.softmax`, `linalg.pack` and `linalg.unpack`,
    reshapes, slices, pads and concatenations of tensor, and ops of arith and
    math on tensors are converted as well.

    - If all loops are parallel, each op of the body is one graph op. Maps are
      projected permutations; dimensions that they leave out are broadcast.
    - Reductions: a sum, product, maximum or minimum of what the body computes.
      The init operand is added where it is not the neutral element.
    - A reduction that indexes an image by sums of loops is a
      `graph.convolution`, or a reduction of `graph.windows`. A `tensor.pad` of
      the image becomes part of it.
    - A sum of products of two operands that share a reduced loop and do not
      share all others is a `graph.matmul`. Several loops may form its rows,
      columns or reduced dimension.

    Unsupported ops stay as they are, and a remark gives the reason: sizes that
    are not static, element types other than f32, bf16, f16 and the booleans and
    integers that graph ops take, bodies with indices, with scalars that are not
    constants, or with ops whose meaning differs from the dialect's (integer
    arithmetic wraps there and saturates here). To compile the converted ops
    separately from the rest, use `gc-outline`, which runs the same conversions.

    ```mlir
    // before
    %empty = tensor.empty() : tensor<4x16xf32>
    %zero = arith.constant 0.0 : f32
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
    %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
    // after
    %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvertTosaToGraph : Pass<"convert-tosa-to-graph", "::mlir::ModuleOp"> {
  let summary = "Converts TOSA to the Graph dialect";
  let description = [{
    For floating-point numbers the pass converts elementwise ops (`pow` with a
    constant exponent; `select` by any comparison), reductions, `matmul` (also
    of 8-bit integers, with zero points), `conv2d`, `conv3d`,
    `depthwise_conv2d`, `max_pool2d`, `avg_pool2d`, `pad` and `tile`. For
    elements of any type it converts `cast` (except of booleans and to narrower
    integers), `concat`, `reshape`, `transpose`, `slice`, `identity` and
    `const`.

    Everything else stays as it is, and a remark gives the reason: sizes that are
    not static, integer arithmetic, shape operands that are not constants, the
    mode that ignores NaN. `gc-outline` runs the same conversions.

    ```mlir
    // before
    %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %1 = tosa.rsqrt %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
    // after
    %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %1 = graph.sqrt %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %2 = graph.reciprocal %1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // GC_CONVERSION_PASSES_TD
