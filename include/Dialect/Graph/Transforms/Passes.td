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
  }];
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
    or a size of 0.
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphMarkConstants : Pass<"graph-mark-constants", "::mlir::func::FuncOp"> {
  let summary = "Marks ops that depend on constants alone";
  let description = [{
    Sets `graph.constant_value` on every graph op without side effects whose
    operands all are constants, arguments with `graph.const_arg`, or results of
    marked ops. `graph-split-constants` moves them out later.
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
    anchor's row is a remark at the op.
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
    the module's DLTI target description. An op without a template is an error.
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
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
