// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "Support/KernelOption.td"
include "mlir/Pass/PassBase.td"

def GraphCancelTransposes
    : Pass<"graph-cancel-transposes", "::mlir::func::FuncOp"> {
  let summary = "Removes transposes that others undo";
  let description = [{
    Elementwise ops between a transpose and its inverse work on the tensor as it
    was before the first transpose, and both transposes are removed. Broadcast
    operands, and results that other ops read, are transposed instead. The pass
    does so only where fewer tensors are transposed afterwards. In a graph of
    channels-first images, nothing between two convolutions is transposed then.
    Run it after `graph-decompose`.

    ```mlir
    // before
    %0 = graph.static_transpose %x {order = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
    %1 = graph.relu %0 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %2 = graph.static_transpose %1 {order = array<i64: 0, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
    // after
    %0 = graph.relu %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    ```

    A remark says how many ops now work on untransposed tensors.
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphCheckSupport : Pass<"graph-check-support"> {
  let summary = "Reports ops that a target cannot run";
  let description = [{
    Asks the named target (`TargetSupport`) about every op of the dialect that
    is not dead, about arguments that nothing reads, and about what functions
    return, and reports together all that it cannot run, with the reasons. Run it after `graph-decompose`, so that it
    checks the basic ops that complex ops have become. It changes nothing.

    ```mlir
    // refused for the CPU: 'graph.wildcard' op cannot run on target 'cpu': it
    // has no meaning there
    %0 = graph.wildcard %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "the target's name, as `gc-translate --list-ops` shows it">,
    Option<"publicOnly", "public-only", "bool", "false",
           "leave out private functions, as where they are not compiled">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::gc::graph::GraphDialect",
                           "::mlir::math::MathDialect"];
}

def GraphCollapseRows : Pass<"graph-collapse-rows", "::mlir::func::FuncOp"> {
  let summary = "Turns batch dimensions that weights lack into rows";
  let description = [{
    A matmul of src [b, m, k] by weights [k, n], or [1, k, n], is one product of
    b m rows. As a batch it would read the weights b times, for m rows each;
    when one token of each of b sequences is decoded, m is 1. The same holds for
    heads that share keys and values: queries [b, heads, group, m, d] times keys
    [b, heads, 1, d, s] have group m rows. The pass gives such dimensions size 1
    and multiplies the number of rows by them; ranks, and thus axes, stay.

    Ops that exchange whole rows with the matmul (elementwise ops, casts,
    reductions of the last dimension, other matmuls of that kind) collapse with
    it. Arguments and results are reshaped, which costs nothing; a reshape
    between ops ends a fused region. Matrices of 16 rows or more therefore stay
    a batch if they exchange rows with other fusible ops, or with matmuls that
    have weights for each index of the batch. They also stay a batch if the
    weights are constants: these are packed once, and computing one matrix after
    another keeps the values passed between ops in the cache. A matmul that has
    `template_params` stays as it is. Run the pass after `graph-decompose` and
    before `graph-form-attention`.

    ```mlir
    // before
    %0 = graph.matmul %x, %w : (tensor<16x1x8xf32>, tensor<8x4xf32>) -> tensor<16x1x4xf32>
    %1 = graph.relu %0 : (tensor<16x1x4xf32>) -> tensor<16x1x4xf32>
    // after
    %rows = graph.static_reshape %x {shape = array<i64: 1, 16, 8>, special_zero = false} : (tensor<16x1x8xf32>) -> tensor<1x16x8xf32>
    %0 = graph.matmul %rows, %w : (tensor<1x16x8xf32>, tensor<8x4xf32>) -> tensor<1x16x4xf32>
    %relu = graph.relu %0 : (tensor<1x16x4xf32>) -> tensor<1x16x4xf32>
    %1 = graph.static_reshape %relu {shape = array<i64: 16, 1, 4>, special_zero = false} : (tensor<1x16x4xf32>) -> tensor<16x1x4xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphDecompose : Pass<"graph-decompose"> {
  let summary = "Replaces complex ops by basic ops";
  let description = [{
    Rewrites every op that is complex according to its `ComplexOpInterface` into
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
    element type of their tensors, with casts around them. Softmax subtracts the
    maximum of each row first.

    With `fast-softmax` it does not (mode `none` only), which saves a pass over
    the row: exp(clamp(x, -64, 64)) divided by its sum. This never overflows. It
    is as accurate as the safe form, up to rounding, where every element is in
    [-64, 64]. Elements below -64, masked ones for example, count as -64: with a
    row of n elements whose largest is m, results are off by at most
    n * exp(-64 - m), which for m >= -40 is 4e-11 per element. Elements above 64
    count as 64: rows that contain any are silently wrong. Use it where the range
    is known.

    Convolutions become products of matrices, with the windows of the image as
    rows. With `contractions-only` nothing else is decomposed: the pipeline does
    that first, so that low precision treats convolutions and matmuls alike.
  }];
  let options = [
    Option<"contractionsOnly", "contractions-only", "bool", "false",
           "decompose only what becomes contractions">,
    Option<"fastSoftmax", "fast-softmax", "bool", "false",
           "softmax of rows in [-64, 64] without subtracting their maximum">
  ];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphDump : Pass<"graph-dump", "::mlir::ModuleOp"> {
  let summary = "Draws graphs with their fused regions and merge groups";
  let description = [{
    Draws all functions with one block: arguments and ops with their types,
    templates and anchors, and boxes around fused regions and around the merge
    groups that `graph-mark-mergeable` has found. The output is text for
    Graphviz (`format=dot`), or a picture (`format=svg`) that needs no other
    tool. The IR stays as it is; the pass may run anywhere.

    ```
    gc-opt model.mlir --gc-cpu-pipeline="stop-after=fusion" | gc-opt --graph-dump="format=svg output=model.svg" -o /dev/null
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"dot\"", "dot or svg">,
    Option<"output", "output", "std::string", "\"-\"",
           "File to write (-: standard output)">
  ];
}

def GraphExpandTemplates
    : Pass<"graph-expand-templates", "::mlir::func::FuncOp"> {
  let summary = "Splits an op whose template is composed of other templates";
  let description = [{
    Replaces every tunable op whose chosen template consists of the templates of
    simpler ops with these ops and their templates: a `graph.attention` with row
    panels becomes two matmuls with softmax as basic ops between them. Ops whose
    template is emitted directly stay. Run it after `graph-select-template`.

    ```mlir
    // before
    %o = graph.attention %q, %k, %v {template_params = #graph.attention_panel_template<scores = <...>, product = <...>>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> {
    ^bb0(%s: tensor<4x6xf32>):
      graph.yield %s : tensor<4x6xf32>
    }
    // after
    %s = graph.matmul %q, %k {template_params = #graph.matmul_template<...>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %m = graph.reduce_max %s {any_if_nan, axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
    %d = graph.subtract %s, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
    %e = graph.exp %d {at_most_one} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
    %p = graph.matmul %e, %v {template_params = #graph.matmul_template<...>} : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
    %o = graph.divide %p, %t : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphExportTemplates : Pass<"graph-export-templates", "::mlir::ModuleOp"> {
  let summary = "Writes the templates of graphs to a file";
  let description = [{
    Writes the templates of every function with tunable ops, all of which must
    have one, to a file that `graph-import-templates` reads, for example after
    manual changes. Run the pass right after `graph-select-template`, with the
    same options. An existing file is replaced.
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "File to write">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads that the work is divided among (0: the machine's cores)">,
    KernelOption<"Which kernels will run">
  ];
}

def GraphFormAttention : Pass<"graph-form-attention", "::mlir::func::FuncOp"> {
  let summary = "Combines two matmuls with a softmax between them into one op";
  let description = [{
    Recognises a matmul, elementwise ops on its result, a softmax and a second
    matmul, and combines them into a `graph.attention`. The softmax is one op
    (`SoftmaxOpInterface`) or basic ops: with the maximum of each row subtracted,
    also if rows without a finite logit count as 0 (mode `inf_as_zero`), or
    without, where the exponentials are bounded (`fast-softmax`); its division
    may come before or after the second matmul. Which template computes the
    attention is chosen later, by cost. Queries and values that are stored as
    columns are transposed before it, if they are no larger than the scores.
    A softmax before a matmul that cannot become an attention is reported as a
    remark with the reason. The pass may run before or after `graph-decompose`;
    complex ops between the scores and the softmax are recognised only after it.

    ```mlir
    // before
    %s = graph.matmul %q, %k {transpose_b = true} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %x = graph.add %s, %mask : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
    %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
    // after
    %o = graph.attention %q, %k, %v {transpose_key = true} : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> {
    ^bb0(%s: tensor<4x6xf32>):
      %x = graph.add %s, %mask : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
      graph.yield %x : tensor<4x6xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphFuse : Pass<"graph-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups ops into regions that become one loop nest";
  let description = [{
    Grows a region from every tunable op over the fusible ops that consume its
    result, directly or not (post-ops), then over the ops that compute its operands
    (pre-ops). A post-op joins if it has a place in the iteration space of the
    tunable op's result, permuted by transposes, and its other inputs do not depend
    on the region (that would be a cycle). Reductions join along the last dimension
    only, and only if the template has whole rows at some anchor. A reorder, a
    transpose or an elementwise op joins as a pre-op if its result has no other use
    and the batch does not share it, together with all elementwise ops before it,
    unless these are tied to other ops that cannot join.

    The remaining fusible ops form as few regions as possible among themselves,
    over consumers, producers, and elementwise ops of the same space that share
    an input; nothing is computed twice for this, and all reductions of a region
    reduce the same dimensions. Ops that stay alone become regions of one op. An
    op that could not join is reported as a remark with the reason. Finally, a
    result that takes one or two instructions to compute from a tensor of the
    same size, such as the centred elements of a norm, is recomputed by the
    regions that read it rather than stored.

    A result of the function that no op computes for it alone (an argument, a
    constant, a reshaped value, one that is returned twice) is first copied by a
    `graph.reorder`.

    With `tunable-only` the pass leaves ops alone that do not join a region with
    a tunable op. The pipeline does so first: `graph-select-anchors` may remove
    some ops from regions again, `graph-split-reductions` then sees exactly the
    reductions that have to find rows for all threads by themselves, and a
    second run gives every remaining op its region.

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
           "Maximum number of fusible ops in a region">,
    Option<"maxReductions", "max-reductions", "int64_t", "4",
           "Maximum number of reductions in a region">,
    Option<"maxReorders", "max-reorders", "int64_t", "1",
           "Maximum number of reorders in a region, not counting "
           "those of the tunable op's operands">,
    Option<"maxInputBytes", "max-input-bytes", "int64_t", "0",
           "Maximum bytes of additional inputs of a region (0: no limit)">,
    Option<"tunableOnly", "tunable-only", "bool", "false",
           "Only regions around tunable ops">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads that share the work (0: the machine's cores)">
  ];
}

def GraphImportTemplates : Pass<"graph-import-templates", "::mlir::ModuleOp"> {
  let summary = "Sets templates that were found by measuring";
  let description = [{
    Gives the tunable ops of each function the templates that a file has for it,
    except for ops that already have one. `gc-tune --target=cpu` writes such
    files, and so does `graph-export-templates`. A function is found by a
    fingerprint of its body and by the number of threads and the kernels that
    `graph-select-template` chooses for; run the pass right before that one,
    with the same options.

    A file of another version or for another machine is not used, and a function
    that is not in the file gets its templates from `graph-select-template`; a
    remark says so in both cases. A file that is not a database, and templates
    that do not match their ops, are errors.

    ```json
    { "version": 1, "machine": "laptop-avx2-4-0123456789abcdef",
      "graphs": [ { "graph": "main", "problem": "0123456789abcdef",
                    "threads": 4, "kernel": "auto", "nanoseconds": 81250,
                    "templates": [ "#graph.matmul_template<...>" ] } ] }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "File to read">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads to divide the work among (0: the machine's cores)">,
    KernelOption<"Which kernels will run">
  ];
}

def GraphInferShapes : Pass<"graph-infer-shapes"> {
  let summary = "Computes result types and reports ops that have none";
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

def GraphInvertDivisors : Pass<"graph-invert-divisors", "::mlir::func::FuncOp"> {
  let summary = "Replaces divisions by shared divisors with multiplications";
  let description = [{
    A vector division takes as long as ten multiplications or more. Where at least
    eight elements are divided by one number, this pass computes its inverse once,
    in f32, and multiplies by that. The result differs from the quotient by at most
    1.5 units in the last place of f32. A quotient half way between two integers may
    therefore be cast to either.

    - Constant divisors, such as scales of `quantize`, are inverted here, if their
      inverses are normal numbers.
    - The sum of softmax is at least 1; it is inverted once per row.
    - One element, or one per row, may be any number, and the inverse of 2^-128 or
      less is infinity. So it is multiplied by s before it is inverted, and the
      dividend too: s is 2^64 if the divisor is smaller than 2^-64, 2^-64 if it is
      2^64 or more, else 1. Where the divisor is constant, the fold function
      computes s and the inverse.

    A constant factor between 2^-40 and 2^40 is merged into the inverse where
    the result stays as precise: a factor of integers that are divided by one
    number (the scale of sums of 8-bit products), and one that follows the
    division by the sum of softmax (the scale of `quantize`).

    Other divisors stay, and so do those of quotients that are soon compared or
    rounded, such as x / 41 >= 1, where the last bit would decide. A remark says
    so. Run the pass after `graph-form-attention` and `graph-expand-templates`.

    ```mlir
    // before
    %0 = graph.divide %x, %c : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
    // after, if %c is the constant 5
    %i = graph.constant dense<2.000000e-01> : tensor<f32>
    %0 = graph.multiply %x, %i : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphBoundCasts : Pass<"graph-bound-casts", "::mlir::func::FuncOp"> {
  let summary = "Marks casts to integers whose operands are small";
  let description = [{
    A conversion from f32 to si32 that is out of range has no useful result on most
    processors, so a cast to 8 bits first limits its operand. This pass marks casts
    that do not need this as `bounded`: no element of their operand, other than NaN,
    can be beyond 2^29 in magnitude. That follows from

    - types: sums of a product of 8-bit integers are si32;
    - constants, and ops whose `inferInterval` says what they make of the intervals
      of their operands: sums, products, maxima, casts;
    - ops with a fixed interval, such as sigmoid;
    - softmax, in whatever form: no element is more than 1, or than the constant
      that `graph-invert-divisors` has merged into the inverse of the sum.

    ```mlir
    // before
    %0 = graph.multiply %sums, %scale : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %1 = graph.type_cast %0 : tensor<8x8xf32> -> tensor<8x8xui8>
    // after, if %sums are cast from si32 and %scale is the constant 0.01
    %1 = graph.type_cast %0 {bounded = true} : tensor<8x8xf32> -> tensor<8x8xui8>
    ```
  }];
}

def GraphLowerPrecision : Pass<"graph-lower-precision", "::mlir::func::FuncOp"> {
  let summary = "Computes products of converted operands in their narrow types";
  let description = [{
    A matmul in f32 whose operands are dequantized 8-bit integers becomes a matmul
    of these integers with sums in si32, with A = (a - za) * sa and
    B = (b - zb) * sb (low-precision section of the oneDNN Graph Compiler's paper):

        A * B = (a * b - za * colsum(b) - zb * rowsum(a) + K * za * zb) * sa * sb

    If B is constant, za * colsum(b) is subtracted by an op after the matmul,
    and the column sums are folded. Kernels subtract other zero points (`src_zp`
    and `weights_zp`). All of this is in si32, so that nothing is rounded before
    the scale. Weights may have a scale per column (`per_channel` along N).
    Quantize and dequantize ops stay as they are: their rounding is part of the
    graph. Run the pass after `graph-mark-constants`.

    Constant weights of 4, 8 or 16 bits that are converted for a product with
    floating-point numbers stay in their type: the matmul converts them, with
    scales and zero points of groups along K if there are any (`weights_group`).
    Constant weights of bf16 or f16 in a product of that type do so, too, where
    the machine multiplies f32 only: the other factor is then converted once by
    an op, not by every tile of a kernel.

    The same holds for operands that are not constant, such as keys and values, if at
    most eight rows read each of their matrices: 8-bit integers with scales that vary
    along at most one dimension of a matrix, f16 and bf16. The scales multiply the
    result or the other factor.

    If a matmul stays in f32 although an operand is converted from a narrow
    type, a remark gives the reason.

    ```mlir
    // before: %b is an argument with graph.const_arg
    %0 = graph.dequantize %a {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
    %1 = graph.dequantize %b {scales = array<f32: 0.25>} : (tensor<16x8xsi8>) -> tensor<16x8xf32>
    %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    // after
    %3 = graph.matmul %a, %b : (tensor<4x16xui8>, tensor<16x8xsi8>) -> tensor<4x8xsi32>
    %4 = graph.type_cast %b : tensor<16x8xsi8> -> tensor<16x8xf32>
    %5 = graph.reduce_sum %4 {axes = array<i64: 0>, keep_dims = true} : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %6 = graph.type_cast %5 : tensor<1x8xf32> -> tensor<1x8xsi32>
    %7 = graph.multiply %6, %three : (tensor<1x8xsi32>, tensor<si32>) -> tensor<1x8xsi32>
    %8 = graph.subtract %3, %7 {no_overflow = true} : (tensor<4x8xsi32>, tensor<1x8xsi32>) -> tensor<4x8xsi32>
    %9 = graph.type_cast %8 : tensor<4x8xsi32> -> tensor<4x8xf32>
    %10 = graph.multiply %9, %eighth : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphMarkConstants : Pass<"graph-mark-constants", "::mlir::func::FuncOp"> {
  let summary = "Marks ops that depend only on constants";
  let description = [{
    Sets `graph.constant_value` on every graph op without side effects whose
    operands are all constants, arguments with `graph.const_arg`, or results of
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
  let options = [
    Option<"publicOnly", "public-only", "bool", "false",
           "Leave private functions alone">
  ];
}

def GraphMarkMergeable : Pass<"graph-mark-mergeable", "::mlir::func::FuncOp"> {
  let summary = "Marks regions whose parallel loops are merged";
  let description = [{
    Coarse-grain fusion. Neighbouring regions with a tunable op get the same
    `graph.merge_group` if their parallel loops have the same sizes and each
    iteration of the later region reads from the earlier ones only what the same
    iteration has written: the same batch item and, where rows or columns are
    divided into parts, the same part. Such a group saves a barrier per loop,
    and the values that one region passes to the next stay in the core's cache.
    Ops between two regions move out of the way, 128 at most.

    Regions whose loops over blocks of rows can be merged as well, because each
    block reads only its own rows, get `graph.merge_rows` if that costs less: the
    values between them shrink to one block of rows, but the other operands of all
    of them are streamed for every block and should fit the L2 cache together.

    A region that uses the result of its neighbour but cannot be merged with it is
    reported as a remark with the reason. Run it after `graph-select-anchors`.

    ```mlir
    // before: both templates divide the 512 rows in two parts, in blocks of 32
    %0 = graph.fused_op -> (tensor<512x64xf32>) {
      %1 = graph.matmul %x, %v {...} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
      graph.yield %1 : tensor<512x64xf32>
    }
    %2 = graph.fused_op -> (tensor<512x64xf32>) {
      %3 = graph.matmul %0, %w {...} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
      graph.yield %3 : tensor<512x64xf32>
    }
    // after
    %0 = graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows} -> (tensor<512x64xf32>) {...}
    %2 = graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows} -> (tensor<512x64xf32>) {...}
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads that the work is divided among (0: the machine's cores), for "
           "the costs of decisions">
  ];
}

def GraphOrientMatmuls : Pass<"graph-orient-matmuls", "::mlir::func::FuncOp"> {
  let summary = "Folds transposes into the matmuls that read them";
  let description = [{
    A transpose of rows and columns before a matmul becomes its transpose flag. A
    product with a transposed second operand whose rows come from another tunable
    op is turned around, A * transpose(P) = transpose(P * transpose(A)), so that
    the second product can follow the first one row by row; the transpose of the
    result only changes how it is stored. Transposes of transposes become one.
    Run it after `graph-decompose`.

    ```mlir
    // before: %p is made from the result of a matmul
    %t = graph.static_transpose %p {order = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %0 = graph.matmul %a, %t : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    // after
    %q = graph.matmul %p, %a {transpose_b = true} : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<8x2xf32>
    %0 = graph.static_transpose %q {order = array<i64: 1, 0>} : (tensor<8x2xf32>) -> tensor<2x8xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphPartition : Pass<"graph-partition", "::mlir::func::FuncOp"> {
  let summary = "Divides a graph into parts that can be compiled as one";
  let description = [{
    Asks the named target (`TargetSupport`) about every op of a function and
    writes the number of its partition on it (`graph.partition`); the function
    gets one boolean per partition (`graph.partition_support`). Every op is in
    exactly one partition. Partitions are connected, numbered in topological
    order, and do not depend on each other in cycles. An op that the target does
    not run (such as `graph.wildcard`) and a `graph.end` are partitions of their
    own, and so are ops that share with another partition a value of a type that
    the target takes neither as an argument nor as a result (i1 on the NPU). The
    target is asked once more about each op of a partition, as part of a
    function that computes only the partition: there, what others compute is an
    argument, and what others read is returned, unless no result of the graph
    depends on the readers. The NPU, which does not copy i8, refuses a reshape
    that makes such a result of such an argument.

    Constants that the target runs are in every partition that reads them: all
    but the first get copies, with the attributes. A constant alone does not
    connect ops. One that the function returns is also a partition of its own,
    which the NPU does not run. Constants that the target does not run are
    arguments of the partitions that read them.

    With policy `fusion` an op joins the partitions of the ops that it reads,
    unless a path leads to it through another partition. A partition has at most
    one convolution: an op that reads two of them joins the later one, and ops
    before a convolution join it only if they prepare its operands:
    quantization, casts, reshapes. Without convolutions, all connected ops form
    one partition: matmuls and everything between them. With policy `debug` each
    op is a partition, with the constants that it reads.

    ```mlir
    // before
    %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = graph.wildcard %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = graph.add %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = graph.relu %2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // after: the path through the wildcard keeps %0 and %2 apart; the function has
    // graph.partition_support = array<i1: true, false, true>
    %0 = graph.matmul %x, %w {graph.partition = 0 : i64} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = graph.wildcard %0 {graph.partition = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = graph.add %0, %1 {graph.partition = 2 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = graph.relu %2 {graph.partition = 2 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```

    A remark names every op that the target does not run, with the reason. Types
    may be unknown yet (unranked); ops are then judged by their names.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "the target's name, as `gc-translate --list-ops` shows it">,
    Option<"policy", "policy", "std::string", "\"fusion\"",
           "`fusion`, or `debug` for one op per partition">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::gc::graph::GraphDialect",
                           "::mlir::math::MathDialect"];
}

def GraphPredictCost : Pass<"graph-predict-cost", "::mlir::func::FuncOp"> {
  let summary = "Records the predicted cost of regions";
  let description = [{
    Sets `graph.cost` on every `graph.fused_op`, and on the function the sum of
    these costs plus the cost of starting the threads. The cost is what the
    machine model predicts for the chosen template, the passes of the fusible
    ops at their anchors, the data that is moved, and the barrier after the
    region, as described in `docs/machine-model.md`. No decision depends on it.
    Run the pass after everything else on the graph has been decided.

    A region whose ops have no common iteration space is an error.

    ```mlir
    // before
    func.func @example(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> {
      %0 = graph.fused_op -> (tensor<512x64xf32>) {
        %1 = graph.matmul %x, %w {...} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
        graph.yield %1 : tensor<512x64xf32>
      }
      return %0 : tensor<512x64xf32>
    }
    // after
    func.func @example(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> attributes {graph.cost = #graph.cost<...>} {
      %0 = graph.fused_op attributes {graph.cost = #graph.cost<cycles = 70000, flops = 4194304, bytes = 278528, bound = compute>} -> (tensor<512x64xf32>) {...}
      return %0 : tensor<512x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads that divide the work (0: the machine's cores)">
  ];
}

def GraphPropagateLayout : Pass<"graph-propagate-layout", "::mlir::func::FuncOp"> {
  let summary = "Gives tensors the layouts that templates require";
  let description = [{
    Asks the chosen template of every tunable op for the layouts of its operands
    and inserts `graph.reorder` where the operand has another layout. A value
    that is produced in the function and that all its consumers want in one
    blocked layout gets that layout itself; so does one that is reordered for a
    result of the function. Arguments and results of the function keep their
    layouts. If only reorders read an argument in layout `any`, and all to the
    same layout, it gets that layout; elsewhere `any` becomes plain. A reshape
    reads and gives plain tensors.

    With `propagate=false` values stay plain, and every operand that is not
    constant is reordered for the op that reads it. The reorder has
    `graph.where_read`, which keeps `graph-fuse` from putting it into the region
    that computes the operand.

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
  let options = [
    Option<"propagate", "propagate", "bool", "true",
           "Give values the blocked layout that their consumers want "
           "(false: values stay plain, and every operand is reordered "
           "where it is read)">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads that the work is divided among (0: the machine's cores), for "
           "the costs of decisions">,
    KernelOption<"Which kernels will run, for the costs of decisions">,
    FixedPointOption<>
  ];
}

def GraphSelectAnchors : Pass<"graph-select-anchors", "::mlir::func::FuncOp"> {
  let summary = "Chooses the anchor of every fusible op";
  let description = [{
    Sets `graph.anchor` on the fusible ops of every region with a tunable op:
    the feasible anchor of the template with the lowest cost by the table of the
    paper's figure 3 (working set, number of passes over it, elements touched in
    total, on the core with the most work). Slices that fit L1 or L2 are cheaper
    per element. Ops that need whole rows, and the ops that depend on them, go
    only to anchors with whole rows. An op for which a separate loop is cheaper,
    because its anchors repeat work or leave threads idle, leaves the region
    together with the ops that depend on it; so does one without a feasible
    anchor. A remark says so; `graph-fuse`, with the limits that it is given,
    puts such ops into regions of their own. With `print-costs` every row of the
    table, including that of not fusing, is a diagnostic at the op. Existing
    anchors stay.

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
    Option<"threads", "threads", "int64_t", "0",
           "Threads to divide the work among (0: the machine's cores)">,
    Option<"printCosts", "print-costs", "bool", "false",
           "Report the cost table of every op">
  ];
}

def GraphSelectSchedule : Pass<"graph-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Decides how regions run on the machine";
  let description = [{
    Sets `graph.schedule` on every `graph.fused_op` that has none: everything
    that lowering would otherwise have to decide from the machine. See
    `#graph.schedule` for what its parts mean, and docs/schedule.md for how they
    are chosen. In short:

    - vectors are as wide as the machine's, along the dimension in which most of
      what a region writes, then most of what it reads, is contiguous;
    - a region without a tunable op becomes some 16 tasks per thread, in pieces
      that leave vectors and reduced dimensions whole as far as possible. If
      reductions leave fewer tasks than threads, a remark says so;
    - microkernels come from the library where it is fast for their sizes;
      otherwise they are vector code, and a remark says so;
    - results are written with non-temporal stores where arguments and results of
      the function fill the last-level cache; a remark says so;
    - operands of a batched product are fetched one batch item ahead where two
      items fit the L2 cache and all of them do not. Generated kernels that read
      their second matrix once, those of a few rows and dot products with a
      transposed one, fetch it 8 KiB ahead;
    - in the passes of a template, vectors lie along rows, or along the
      dimension in which more of what they write and read is contiguous;
    - a pass that reduces works on as many rows at a time as registers allow, or
      on several vectors of columns; a value that is needed again after the
      reduction is computed again where that takes few instructions, else kept.

    An option can force each decision except that for the passes of a template.
    Run the pass when regions, templates, anchors and layouts are chosen, right
    before `convert-graph-to-tir`.

    ```mlir
    // before
    %0 = graph.fused_op -> (tensor<512x1024xf32>) {
      %1 = graph.relu %x : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
      graph.yield %1 : tensor<512x1024xf32>
    }
    // after, for two threads and vectors of 512 bits
    %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 4]>} -> (tensor<512x1024xf32>) {
      %1 = graph.relu %x : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
      graph.yield %1 : tensor<512x1024xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads that share the work (0: the machine's cores)">,
    Option<"vectorBytes", "vector-bytes", "int64_t", "0",
           "The width of a vector of f32, from 4 to 64 bytes (0: what the "
           "machine has)">,
    Option<"vectorDim", "vector-dim", "int64_t", "-1",
           "The dimension of vectors in regions without a tunable op that have "
           "it (-1: the best one)">,
    Option<"tasks", "tasks", "int64_t", "0",
           "Tasks of a region without a tunable op, as far as its sizes allow "
           "(0: 16 per thread)">,
    Option<"unroll", "unroll", "int64_t", "0",
           "Rows, or vectors of columns, that passes which reduce compute "
           "together (0: what registers allow)">,
    Option<"recompute", "recompute", "int64_t", "-1",
           "The most instructions per vector that passes compute again after a "
           "reduction rather than keep the value (-1: by the size of a row)">,
    KernelOption<"Where microkernels come from">,
    FixedPointOption<>,
    Option<"stream", "stream", "::gc::graph::ScheduleSwitch",
           "::gc::graph::ScheduleSwitch::automatic",
           "Whether results of templates are written with non-temporal "
           "stores", [{
      ::llvm::cl::values(
        clEnumValN(::gc::graph::ScheduleSwitch::automatic, "auto",
                   "Where they would not stay in the last-level cache"),
        clEnumValN(::gc::graph::ScheduleSwitch::always, "always",
                   "Wherever passes store whole cache lines"),
        clEnumValN(::gc::graph::ScheduleSwitch::never, "never", "Nowhere"))}]>,
    Option<"prefetch", "prefetch", "::gc::graph::ScheduleSwitch",
           "::gc::graph::ScheduleSwitch::automatic",
           "Whether operands are fetched ahead: of the next batch item, and by kernels "
           "that read them once", [{
      ::llvm::cl::values(
        clEnumValN(::gc::graph::ScheduleSwitch::automatic, "auto",
                   "Where two items fit the L2 cache and not all do, and by "
                   "kernels that read a matrix once"),
        clEnumValN(::gc::graph::ScheduleSwitch::always, "always",
                   "Wherever there is a next one"),
        clEnumValN(::gc::graph::ScheduleSwitch::never, "never", "Nowhere"))}]>
  ];
}

def GraphSelectTemplate : Pass<"graph-select-template", "::mlir::func::FuncOp"> {
  let summary = "Chooses templates and parameters of tunable ops";
  let description = [{
    Sets the template of every tunable op that has none: the cheapest of all
    templates registered for the op, with its parameters, according to their cost
    models for the machine (cores, cache sizes, vector width, taken from the host
    or from the module's DLTI target description). An op without a suitable
    template is an error: shapes must be static, and biases and vectors
    decomposed.

    With `force` an op takes the named template if it is registered for the op.
    With `alternatives` the pass reports that many parameter sets that were not
    chosen as remarks (`--remarks-filter-analyse=graph-select-template`), with
    their predicted cycles.

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
    KernelOption<"Which kernels will run">,
    FixedPointOption<>,
    ListOption<"force", "force", "std::string",
           "Templates to force on their ops, by attribute name">,
    Option<"alternatives", "alternatives", "int64_t", "0",
           "Maximum number of parameter sets per template to report "
           "besides the best">
  ];
}

def GraphSinkRowScale : Pass<"graph-sink-row-scale", "::mlir::func::FuncOp"> {
  let summary = "Scales rows after a matmul instead of before it";
  let description = [{
    A division or multiplication by one value per row, per matrix or for all
    commutes with a matmul that takes those rows as its first operand. Where the
    product's rows are no longer than the scaled ones, this pass moves it after
    the matmul: softmax's division then works on the smaller result, and the rows
    need no separate pass for it. Run it after `graph-decompose`.

    The pass leaves rows without a known bound alone, because the product of
    unscaled rows might overflow: their elements must be at most e^64 according
    to the op that computes them (`getResultInterval` of the fusible ops), such
    as exp(x - max(x)) over the row, exp of a clamp at no more than 64, a
    sigmoid, a tanh or a softmax. It leaves types alone whose range is smaller
    than that of f32, such as f16. A scale that stays is reported as a remark.

    ```mlir
    // before: %e = exp(x - max(x)), %t is its sum over the last dimension
    %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    // after
    %p = graph.matmul %e, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %0 = graph.divide %p, %t : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
}

def GraphSplitConstants : Pass<"graph-split-constants", "::mlir::ModuleOp"> {
  let summary = "Moves constant computations into a fold function";
  let description = [{
    For every function with marked ops (`graph-mark-constants`), moves them into
    a function `<name>_fold` that takes the `graph.const_arg` arguments and
    returns the values that the remaining ops need; the function gets them as
    additional arguments with `graph.folded`. Arguments that only the fold
    function reads stay arguments of the function. The fold function runs once,
    when weights arrive. Values that would only grow (a result larger than all
    its operands, unless it is a reorder) stay. With `keep-views`, reshapes
    that no moved op reads stay, too, for a target that reads through them, and
    so do values that it has no memory for, or would copy: integers that do not
    have 8 bits, and what the function returns.

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
  let options = [
    Option<"threads", "threads", "int64_t", "0",
           "Threads that the work is divided among (0: the machine's cores), for "
           "the costs of decisions">,
    Option<"keepViews", "keep-views", "bool", "false",
           "Leave reshapes of constants, bits, sums of bytes and results in the "
           "function">
  ];
}

def GraphSpecialize : Pass<"graph-specialize"> {
  let summary = "Fixes sizes that vary between executions";
  let description = [{
    Assigns sizes to the named dimensions (`graph.dims`, `graph.dim_bounds`) of
    all functions that declare them: the types of arguments become static, and
    those of all ops and of the results are inferred again. Dimensions without a
    size stay dynamic.

    Run it first. It reports an error if no function declares a given name, a
    size is out of bounds, or the shape of an op does not follow from its
    operands. Nothing is specialized inside of regions whose arguments have
    sizes that vary.

    ```mlir
    // before
    func.func @example(%x: tensor<?x8xf32> {graph.dims = ["batch", ""]},
                       %w: tensor<8x2xf32>) -> tensor<?x2xf32>
        attributes {graph.dim_bounds = {batch = [1, 64]}} {
      %0 = graph.matmul %x, %w : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
      return %0 : tensor<?x2xf32>
    }
    // after, with dims=batch=16
    func.func @example(%x: tensor<16x8xf32>, %w: tensor<8x2xf32>) -> tensor<16x2xf32> {
      %0 = graph.matmul %x, %w : (tensor<16x8xf32>, tensor<8x2xf32>) -> tensor<16x2xf32>
      return %0 : tensor<16x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    ListOption<"dims", "dims", "::gc::graph::NamedSize",
               "Sizes: name=size, separated by commas">
  ];
}

def GraphSplitReductions : Pass<"graph-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Splits reductions that leave too few rows to the threads";
  let description = [{
    Splits a reduction of at least `split-elements` elements that is in no
    region, if it leaves fewer rows than there are threads, or gives some threads
    a long row more than the others. By default the number is the smallest for
    which a team of threads is faster than one. The first of the two new
    reductions reduces parts of the elements (index by index of outer dimensions,
    or `part_size` indices of one dimension at once), the second one the parts'
    results. A remark reports each split.

    The threads synchronise between the steps. If ops on both sides of such a
    barrier need a tensor that fills the caches, and can compute it from one in
    memory, each side computes it itself, if regions have room for it
    (`max-ops`).

    Run it after `graph-fuse{tunable-only}` and `graph-select-anchors`, so that
    reductions that are part of a template's loops are left as they are, and
    before the `graph-fuse` that groups the others.

    ```mlir
    // before
    %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<1000000xf32>) -> tensor<1xf32>
    // after, on two threads
    %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true, part_size = 31264 : i64} : (tensor<1000000xf32>) -> tensor<32xf32>
    %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<32xf32>) -> tensor<1xf32>
    ```
  }];
  let dependentDialects = ["::gc::graph::GraphDialect"];
  let options = [
    Option<"splitElements", "split-elements", "int64_t", "-1",
           "Least elements of a reduction that is split because it leaves too "
           "few rows to the threads (0: never, -1: as many as make it faster)">,
    Option<"maxOps", "max-ops", "int64_t", "32",
           "Maximum number of fusible ops in a region (as for graph-fuse)">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads that share the work (0: the machine's cores)">
  ];
}

#endif // GC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
