// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_POLY_TRANSFORMS_PASSES_TD
#define GC_DIALECT_POLY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PolyConvToFractal : Pass<"poly-conv-to-fractal", "::gc::poly::ScopOp"> {
  let summary = "Turns a convolution into a product of matrices in fractals";
  let description = [{
    A contraction that reads a window of an image for each position becomes one
    over [image, row, column, term]: a row is a position, a term is a channel of
    an element of the kernel, in the order (c1, kh, kw, c0) in which the machine
    makes fractals of them. Equation (1) of the AKG paper relates the two. It
    becomes the access of the image, and the attribute `img2col` has its
    constants (see the attribute for the correction). Height and width become
    one dimension in the statements that follow, too. The new statements get the
    same kind of tree as after extraction.

    The sum runs over dimensions of the kernel and channels. Elements beyond the
    image are zeros, as are channels that are missing in the last 32 bytes.

    A dilated kernel, a kernel that slides along three dimensions, a convolution
    with a single position, and statements that treat height and width
    differently are errors.

    ```mlir
    // before: a kernel of 3 x 3 on images of 28 x 28, padded
    poly.statement @S domain "{ S[n, y, x, o, kh, kw, c] : 0 <= n < 16 and ... }"
        reads [@X "{ S[...] -> X[n, -1 + y + kh, -1 + x + kw, c] : ... }",
               @W "{ S[...] -> W[32(3kh + kw) + c, o] }", @T ...]
        writes @T "{ S[...] -> T[n, y, x, o] }" { ... }
    // after
    poly.statement @S domain "{ S[n, m, o, k] : 0 <= m < 784 and 0 <= k < 288 and ... }"
        reads [@X_image "{ S[n, m, o, k] -> X_image[n, h, w, c] : ... }",
               @W_taps "{ S[n, m, o, k] -> W_taps[t, c, o] : ... }", @T ...]
        writes @T "{ S[n, m, o, k] -> T[n, m, o] }"
        img2col <kernel = [3, 3], strides = [1, 1], pads = [1, 1], output_width = 28> { ... }
    ```
  }];
}

def PolyExportPlan : Pass<"poly-export-plan", "::mlir::ModuleOp"> {
  let summary = "Writes the plans of the scops to a file";
  let description = [{
    The file is JSON: the machine's fingerprint and, for each scop, its name, a
    fingerprint of what it computes, the tiling policy, the memory hierarchy,
    and the numbers that passes decided, with their alternatives.

    Run it after `poly-tile-statements`. A file that cannot be written is an
    error.

    ```
    {
      "kernels": [
        {
          "alternatives": { "schedule": [ 0, 1 ], "slots": [ 1, 2, 3, 4 ] },
          "choices": { "schedule": 1, "slots": 3 },
          "hierarchy": [ "buf UB (262144)", "I0 : buf UB (49152)", ... ],
          "kernel": "relu",
          "policy": "S_0 : 8192 @ UB",
          "problem": "5d2c51c0b0a5a7f1"
        }
      ],
      "machine": "gm64-8c5fd8a1b1c35e4a",
      "version": 1
    }
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "The file">
  ];
}

def PolyImportPlan : Pass<"poly-import-plan", "::mlir::ModuleOp"> {
  let summary = "Reads plans of the scops from a file";
  let description = [{
    Sets the attributes `policy`, `hierarchy` and `choices` of the scops from a
    file of `poly-export-plan`, which may be edited: the passes decide whatever
    it leaves out. A plan is found by the scop's name.

    It is an error if the file is not a file of plans, or is for another version
    or machine, if a scop has no plan, or if a plan is for another problem. With
    `database`, plans of up to `cores` cores are found by what the scop
    computes, whatever its name. Then a scop without a plan is only a remark,
    and so is a file that is not a file of plans, or is for another version or
    machine.

    The plan of a kernel that several cores run gives their number, and the loop
    that they divide (`cores`, `core_loop`). `poly-split-cores` applies it, and
    gives a core whose part has another size the plan that is `beside` it.

    Run it after `poly-extract`. The alternatives in the file are not read.
  }];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "The file">,
    Option<"database", "database", "bool", "false",
           "The file has plans of any kernels; a scop without one is a remark">,
    Option<"cores", "cores", "int64_t", "1",
           "Most cores of the plans that are taken from a database">
  ];
}

def PolyFuse : Pass<"poly-fuse", "::gc::poly::ScopOp"> {
  let summary = "Computes intermediate arrays in the tiles that read them";
  let description = [{
    The reverse strategy of the AKG paper: the reads of a live-out tile,
    composed with the inverse of writes, give the instances of producers that
    the tile needs. They may have any shape, and overlap with those of
    neighbouring tiles that share elements. An extension node below the tile
    band adds them before the tile's own statements; producers of producers
    likewise. The original instances leave the domain.

    Run it after `poly-tile`; a part without a tile band is left alone.

    ```mlir
    // before
    domain: "{ S_0[i] : 0 <= i <= 1001; S_1[i] : 0 <= i <= 999 }",
    child: { sequence: [
      { filter: "{ S_0[i] }", child: { schedule: "[{ S_0[i] -> [(i)] } ]" } },
      { filter: "{ S_1[i] }", child: { mark: "tile:UB", child: { ... } } }
    ] }
    // after, where S_1[i] reads what S_0[i] to S_0[i + 2] write
    domain: "{ S_1[i] : 0 <= i <= 999 }",
    child: { mark: "tile:UB", child: {
      schedule: "[{ S_1[i] -> [(floor((i)/100))] } ]",
      child: {
        extension: "{ [o] -> S_0[i] : 100o <= i <= 101 + 100o and ... }",
        child: { sequence: [
          { filter: "{ S_0[i] }", child: { schedule: "[{ S_0[i] -> [(i)] } ]" } },
          { filter: "{ S_1[i] }", child: { schedule: "[{ S_1[i] -> [(i)] } ]" } }
        ] }
      }
    } }
    ```
  }];
}

def PolyMapUnits : Pass<"poly-map-units", "::gc::poly::ScopOp"> {
  let summary = "Divides statements between the cube and the vector unit";
  let description = [{
    Contractions and the initialisation of their sums are placed below a mark
    `cube`, runs of other statements below `local_UB`. The point loops of a tile
    are distributed: every statement gets its own, with the fastest dimension
    innermost, so that it becomes instructions on whole rows. Loops over slices
    of a contraction's terms are outside of its point loops. Where the policy
    has sizes for UB, the vector unit works on parts of a cube tile.

    Sums over rows of one array of f16, and sums of its squares, are assigned to
    the unit that takes fewer cycles. The cube unit computes them as products:
    of the array with ones, and with itself. The remark `ColumnSums` gives both
    costs.

    Run it after `poly-fuse`.

    ```mlir
    // before
    schedule: "[{ S_0[i, j] -> [(i)]; ... } ]",
    child: { sequence: [ { filter: "{ S_0[i, j] }" }, { filter: "{ S_1[i, j] }" } ] }
    // after
    mark: "local_UB",
    child: { sequence: [
      { filter: "{ S_0[i, j] }", child: { schedule: "[{ S_0[i, j] -> [(i)] }, ...]" } },
      { filter: "{ S_1[i, j] }", child: { schedule: "[{ S_1[i, j] -> [(i)] }, ...]" } }
    ] }
    ```
  }];
}

def PolySchedule : Pass<"poly-schedule", "::gc::poly::ScopOp"> {
  let summary = "Clusters statements and orders their loops";
  let description = [{
    Statements that can share their outer loops without any dependence between
    iterations become one cluster: the initialisation, the terms and the
    consumers of a reduction, chains of elementwise statements. isl schedules
    the clusters (the Pluto algorithm first, then Feautrier's); a point of a
    cluster stands for everything that is computed there. The tree is then
    pulled back to the statements. Below the common loops a sequence has the
    statements in the order of the scop, with their own loops.

    A statement does not join a cluster of fewer instances than its own (a row
    that is broadcast), nor does a contraction join the cluster of its operands:
    these are intermediate spaces that `poly-fuse` computes tile by tile.

    Dependences are writes composed with reads, since arrays are written once.
    Terms of a reduction may be added in any order. If isl does not find a
    schedule within `budget` operations, loops stay as they are, and a remark
    says so.

    ```mlir
    // before
    sequence: [
      { filter: "{ S_0[i] }", child: { schedule: "[{ S_0[i] -> [(i)] } ]" } },
      { filter: "{ S_1[i] }", child: { schedule: "[{ S_1[i] -> [(i)] } ]" } }
    ]
    // after
    schedule: "[{ S_0[i] -> [(i)]; S_1[i] -> [(i)] } ]",
    permutable: 1,
    coincident: [ 1 ],
    child: { sequence: [ { filter: "{ S_0[i] }" }, { filter: "{ S_1[i] }" } ] }
    ```
  }];
  let options = [
    Option<"budget", "budget", "uint64_t", "5000000",
           "Operations of isl after which it gives up">
  ];
}

def PolySplitCores : Pass<"poly-split-cores", "::mlir::ModuleOp"> {
  let summary = "Divides the outermost parallel loop of a scop among cores";
  let description = [{
    Cores share nothing but global memory, and nothing synchronises them. So a
    loop is divided only if it is coincident (no iteration needs another one)
    and divides each output, and what is read, into parts: each core writes
    elements that no other core writes. Data that all iterations need, such as
    the second factor of a product where rows are divided, is read by all cores;
    intermediate arrays that all of them need are computed by all of them. Sums
    are not divided.

    For each such loop of the outermost band, and for `cores` cores, half of
    them and so on, Auto Tiling predicts the cycles of the part of a core, with
    that core's share of global memory. The loop and the number of cores with
    the fewest cycles are taken, or no loop if that is not 5% faster than one
    core. The remark `CoreSplit` says what was chosen, or for each loop why it
    was not; the choices `cores` and `core_loop` record it. If the scop's plan
    has these choices, they are applied without a comparison, or are an error.

    Parts are equal, except that the last one may be shorter: it then becomes a
    scop of its own, `beside` the first one. Everything after this pass works on
    the part of one core as if it were the whole.

    Run it after `poly-schedule` and before `poly-tile`.

    ```mlir
    // before
    poly.scop @exp reference @exp_graph schedule { domain: "{ S_0[i] : 0 <= i <= 999999 }", ... } {
      poly.array @X input 0 : tensor<1000000xf16>
      ...
    }
    // after, for 2 cores
    poly.scop @exp reference @exp_graph schedule { domain: "{ S_0[i] : 0 <= i <= 500095 }", ... } attributes {all_cores = 2 : i64} {
      poly.array @X input 0 part <[1000000] at affine_map<(d0) -> (d0 * 500096)>> : tensor<500096xf16>
      ...
    }
    poly.scop @exp_rest reference @exp_graph schedule { domain: "{ S_0[i] : 0 <= i <= 499903 }", ... }
        attributes {all_cores = 2 : i64, beside = @exp, first_core = 1 : i64} { ... }
    ```
  }];
  let options = [
    Option<"cores", "cores", "int64_t", "1", "Cores that the machine has">
  ];
}

def PolyTile : Pass<"poly-tile", "::gc::poly::ScopOp"> {
  let summary = "Tiles the live-out space";
  let description = [{
    Tiles the common loops of the statements that write outputs. The loops of
    contractions over their terms are tiled into slices for L1 and for L0. A
    mark above a band says which memory its tiles are for: `tile:UB` for what
    the vector unit computes, `tile:L1` where there is a contraction.
    Intermediate spaces are left to `poly-fuse`.

    Sizes come from the option `policy`, or the scop's attribute of that name,
    in the language of figure 4 of the AKG paper, extended by a rule for several
    loops: the sizes for one buffer apply to the statement's loops from the
    outermost one on, and a loop without a size is not tiled.

    ```
    S_1 : 256 @ L1, 256 @ L1, 128 @ L1, 256 @ L0, 256 @ L0, 64 @ L0  S_2 : 64 @ UB
    ```

    Auto Tiling chooses the sizes that the policy does not mention: those with
    the fewest cycles by the machine's costs, of all that fit the buffers twice,
    so that loads and stores overlap the computation. If these do not fit
    together with everything that instructions need (as `poly-promote` counts
    it), the pass takes sizes that would be chosen for smaller memories, if they
    fit. The attribute `policy` then holds the applied policy. Without
    `auto-tiling`, sizes are the same for all kernels, as a baseline; only
    kernels of two products, and sums as products, still get sizes that fit.

    A policy with a syntax error, an unknown statement or buffer, too many sizes
    or loops that are not permutable is an error. It is also an error if no tile
    sizes fit.

    ```mlir
    // before
    schedule: "[{ S_0[i] -> [(i)] } ]", permutable: 1, coincident: [ 1 ]
    // after, with policy="S_0 : 512 @ UB"
    mark: "tile:UB",
    child: {
      schedule: "[{ S_0[i] -> [(floor((i)/512))] } ]", permutable: 1, coincident: [ 1 ],
      child: {
        schedule: "[{ S_0[i] -> [(i)] } ]", permutable: 1, coincident: [ 1 ]
      }
    }
    ```
  }];
  // Tiles are tried.
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"policy", "policy", "std::string", "\"\"",
           "Tile sizes, in place of the scop's attribute">,
    Option<"autoTiling", "auto-tiling", "bool", "true",
           "Choose sizes that the policy lacks; otherwise products get "
           "tiles of 128 x 128 with 64 terms, others tiles of 4 KiB">
  ];
}

def PolyPromote : Pass<"poly-promote", "ScopOp"> {
  let summary = "Decides what the core's buffers hold";
  let description = [{
    Adds a `poly.buffer` for each part of an array that is in a memory of the core
    while a tile is computed, and decides how long it stays. Statements and the
    tree are not changed; `poly-tile-statements` makes tiles that use these
    buffers. Run it after `poly-map-units`.

    - Each array that the vector unit works on gets a buffer in UB for the box
      that a tile of the loops around all of its statements touches. A result
      may reuse the buffer of an operand that nothing reads afterwards.
    - The factors of a product get slices in L1 and steps in L0A and L0B. Its
      sums get L0C, and the statements after it parts of their rows in UB.
    - A panel of a product's factor stays in L1 for all tiles that use it, as do
      the weights of a convolution. Data that does not change in an inner loop
      stays while that loop runs. Without `promote` all of this is loaded for
      each tile.

    These decisions are recorded as `choices` of the scop: `panel` and
    `resident`, `parts`, `slots`, `skewed` and the steps of two products.
    Choices of a plan are applied, or are an error. `promoted` says that the
    pass has run, and whether data that several tiles read stays.

    Memory is counted before addresses are planned: a copy of the scop is turned
    into tiles, their instructions are expanded, and the buffers that are live
    at the same time are added up, with one slot for each. The sums are the
    attribute `peak_bytes`. If a memory has fewer bytes, there is one error: it
    names the buffers that are live then, with their bytes, and the cheapest
    policies that were found to fit, with the cycles that Auto Tiling expects.

    ```mlir
    // before, with tiles of 512
    poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
        reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" { ... }
    // after
    poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
        reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" { ... }
    poly.buffer @X_ub of @X : memref<512xf16, #npu.space<ub>>
    poly.buffer @Y_ub of @Y : memref<512xf16, #npu.space<ub>>
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"promote", "promote", "bool", "true",
           "Keep data in the core that several tiles read">,
    Option<"skew", "skew", "bool", "true",
           "Overlap the statements after a product with the next tile's sums">,
    Option<"check", "check", "bool", "true",
           "Refuse tiles that do not fit; otherwise npu-plan-memory does">,
    Option<"repairs", "repairs", "bool", "true",
           "If tiles do not fit, look for some that do">
  ];
}

def PolyTileStatements : Pass<"poly-tile-statements", "ScopOp"> {
  let summary = "Turns statements into ops on tiles in the core's buffers";
  let description = [{
    A statement with its tile loops becomes a `poly.tile` with one instance for
    each tile; point loops and extension nodes disappear.

    - The buffers are those that `poly-promote` has added. Inputs are loaded
      where the box changes, outputs are stored after the last statement, and
      temporaries stay in the core. A scop without buffers, or with others, is
      an error.
    - Operations of a body become tile ops of the vector unit. A value that only
      varies over rows is a register for each row. Functions that the unit does
      not have (tanh, erf …) are expanded in f32.
    - A sum or maximum over the last dimension is an `npu.reduce`; one over other
      dimensions combines tiles. Its initialisation is dropped if one tile has
      all of its terms.
    - The last tile of a loop is a full tile that ends where the extent ends:
      the elements that it shares with the tile before are computed twice, with
      the same result.
    - If the choice `skewed` says so, statements on the sums of a product's tile
      are computed while the next tile is summed.

    ```mlir
    // before
    poly.statement @S0 domain "{ S0[i] : 0 <= i < 1000 }"
        reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
    ^bb0(%x: f16):
      %zero = arith.constant 0.0 : f16
      %y = arith.maximumf %x, %zero : f16
      poly.yield %y : f16
    }
    poly.buffer @X_ub of @X : memref<512xf16, #npu.space<ub>>
    poly.buffer @Y_ub of @Y : memref<512xf16, #npu.space<ub>>
    // after, with tiles of 512
    poly.buffer @X_ub of @X : memref<512xf16, #npu.space<ub>>
    poly.buffer @Y_ub of @Y : memref<512xf16, #npu.space<ub>>
    poly.tile @S0_tile domain "{ S0_tile[i0] : 0 <= i0 <= 1 }" {
    ^bb0(%t: index):
      %x = poly.ref @X_ub : memref<512xf16, #npu.space<ub>>
      %y = poly.ref @Y_ub : memref<512xf16, #npu.space<ub>>
      npu.unary relu %x to %y : memref<512xf16, #npu.space<ub>> to memref<512xf16, #npu.space<ub>>
    }
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

#endif // GC_DIALECT_POLY_TRANSFORMS_PASSES_TD
