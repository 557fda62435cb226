// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphDecompose : Pass<"graph-decompose"> {
  let summary = "Replaces complex ops by basic ops";
  let description = [{
    Rewrites every op whose `ComplexOpInterface` says that it is complex into
    simpler ops, until none is left. Run it before constants are marked and
    templates are chosen.

    ```mlir
    // before
    %0 = graph.matmul %a, %b, %bias : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    // after
    %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = graph.add %0, %bias : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    ```

    Softmax and norms become elementwise ops and reductions in f32 whatever the
    element type of their tensors, casts around them. Softmax subtracts the
    maximum of each row first.

    With `fast-softmax` it does not (mode `none` only), which saves a pass over
    the row: exp(clamp(x, -64, 64)) divided by its sum. This never overflows. It
    is as accurate as the safe form, up to rounding, where every element is in
    [-64, 64]. Elements below -64, masked ones for example, count as -64: with a
    row of n elements whose largest is m, results are off by at most
    n * exp(-64 - m), which for m >= -40 is 4e-11 per element. Elements above 64
    count as 64: rows that have some are wrong, and nothing says so. Use it where
    the range is known.
  }];
  let options = [
    Option<"fastSoftmax", "fast-softmax", "bool", "false",
           "softmax of rows in [-64, 64] without subtracting their maximum">
  ];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphFuse : Pass<"graph-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups ops into regions that become one loop nest";
  let description = [{
    Grows a region from every tunable op over the fusible ops that consume its
    result (post-ops), then over reorders of its operands (pre-ops). Fusible
    ops without a tunable op form regions among themselves. An op joins when all
    of its inputs are available where it would be committed. Ops that stay alone
    become regions of one op. A consumer that could not join is a remark.

    An op does not join whose other inputs depend on the region (that would be a
    cycle), that iterates over another shape, that reads the region at other
    indices, or that moves dimensions.

    ```mlir
    // before
    %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = graph.add %0, %bias : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    %2 = graph.relu %1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // after
    %0 = graph.fused_op attributes {name = "matmul+add+relu"} -> (tensor<4x2xf32>) {
      %1 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %2 = graph.add %1, %bias : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
      %3 = graph.relu %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
      graph.yield %3 : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "32",
           "Most fusible ops in one region">,
    Option<"maxInputBytes", "max-input-bytes", "int64_t", "0",
           "Most bytes of additional inputs in one region (0: no limit)">
  ];
}

def GraphInferShapes : Pass<"graph-infer-shapes"> {
  let summary = "Computes result types and refuses what has none";
  let description = [{
    Recomputes the result types of all graph ops from their operands, so that
    dynamic sizes become static where they follow, and updates the function's
    results. Reports an error at the first op whose result has no static shape,
    a size of 0, or an encoding that is not a layout.

    ```mlir
    // before
    func.func @example(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<?x?xf32> {
      %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<?x?xf32>
      %1 = graph.relu %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    }
    // after
    func.func @example(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %1 = graph.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphMarkConstants : Pass<"graph-mark-constants", "::mlir::func::FuncOp"> {
  let summary = "Marks ops that depend on constants alone";
  let description = [{
    Sets `graph.constant_value` on every graph op without side effects whose
    operands all are constants, arguments with `graph.const_arg`, or results of
    marked ops. `graph-split-constants` moves them out later.

    ```mlir
    // before: %w is an argument with graph.const_arg
    %0 = graph.exp %w : (tensor<8xf32>) -> tensor<8xf32>
    %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // after
    %0 = graph.exp %w {graph.constant_value} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphPropagateLayout : Pass<"graph-propagate-layout", "::mlir::func::FuncOp"> {
  let summary = "Gives tensors the layouts that templates want";
  let description = [{
    Asks the chosen template of every tunable op for the layouts of its operands
    and inserts `graph.reorder` where the operand has another. A value that is
    produced in the function and that all its consumers want in one blocked
    layout gets that layout itself. Arguments and results of the function keep
    their layouts; `any` becomes plain.

    ```mlir
    // before: the templates have MB = 4, NB = 16, KB = 8 and pack B; the second
    // one packs A as well
    %0 = graph.matmul %x, %w {...} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %1 = graph.relu %0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = graph.matmul %1, %w {...} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    // after
    #a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 8]>
    #b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16]>
    %p = graph.reorder %w {graph.constant_value} : tensor<16x16xf32> -> tensor<16x16xf32, #b>
    %0 = graph.matmul %x, %p {...} : (tensor<8x16xf32>, tensor<16x16xf32, #b>) -> tensor<8x16xf32>
    %1 = graph.relu %0 : (tensor<8x16xf32>) -> tensor<8x16xf32, #a>
    %2 = graph.matmul %1, %p {...} : (tensor<8x16xf32, #a>, tensor<16x16xf32, #b>) -> tensor<8x16xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphSelectAnchors : Pass<"graph-select-anchors", "::mlir::func::FuncOp"> {
  let summary = "Chooses the anchor of every fusible op";
  let description = [{
    Sets `graph.anchor` on the fusible ops of every region with a tunable op: the
    feasible anchor of the template with the least cost by the table of the
    paper's figure 3 (working set, times it is passed, elements touched in all).
    Slices that fit L1 or L2 are cheaper per element. With `print-costs` every
    anchor's row is a remark at the op. Anchors that are there already stay. It is
    an error if the template can commit an op nowhere.

    ```mlir
    // before, inside a region whose matmul has MB = 16, NB = 32
    %2 = graph.add %1, %b : (tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
    %3 = graph.relu %2 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    // after
    %2 = graph.add %1, %b {graph.anchor = #graph.anchor<post, 1>} : (tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
    %3 = graph.relu %2 {graph.anchor = #graph.anchor<post, 1>} : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"printCosts", "print-costs", "bool", "false",
           "Report the cost table of every op">
  ];
}

def GraphSelectTemplate : Pass<"graph-select-template", "::mlir::func::FuncOp"> {
  let summary = "Chooses template and parameters of tunable ops";
  let description = [{
    Sets the template of every tunable op that has none, by the cost model over
    the machine's facts: cores, cache sizes, vector width, from the host or from
    the module's DLTI target description. An op without a template is an error:
    shapes have to be static, and biases and vectors decomposed.

    ```mlir
    // before
    %0 = graph.matmul %a, %b : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
    // after, on two cores: each takes half of the rows
    %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 128, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads to divide the work among (0: the machine's cores)">,
    Option<"kernel", "kernel", "std::string", "\"auto\"",
           "Which kernels will run: auto, libxsmm or vector">
  ];
}

def GraphSplitConstants : Pass<"graph-split-constants", "::mlir::ModuleOp"> {
  let summary = "Moves constant work into a fold function";
  let description = [{
    For every function with marked ops (`graph-mark-constants`), moves them into
    a function `<name>_fold` that takes the `graph.const_arg` arguments and
    returns the values that the rest needs; the function gets them as additional
    arguments with `graph.folded`. Arguments that only the fold function reads
    stay arguments of the function. The fold function runs once, when weights
    arrive. Values that would only grow (a result larger than all its operands,
    unless it is a reorder) stay.

    ```mlir
    // before
    func.func @example(%x: tensor<8xf32>, %w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
      %0 = graph.exp %w {graph.constant_value} : (tensor<8xf32>) -> tensor<8xf32>
      %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // after
    func.func @example(%x: tensor<8xf32>, %w: tensor<8xf32> {graph.const_arg}, %0: tensor<8xf32> {graph.folded = 0 : i64}) -> tensor<8xf32> attributes {graph.fold_function = @example_fold} {
      %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @example_fold(%w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
      %0 = graph.exp %w : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
