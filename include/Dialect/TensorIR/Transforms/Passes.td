// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_TD
#define GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_TD

include "Support/KernelOption.td"
include "mlir/Pass/PassBase.td"

def TirLowerMicrokernels : Pass<"tir-lower-microkernels", "::mlir::ModuleOp"> {
  let summary = "Turns batch-reduce GEMM calls into library calls or vectors";
  let description = [{
    A library kernel becomes a handle that is resolved when the module loads,
    and every `tir.brgemm` a call of it. A vector kernel becomes a private
    function of vector code that is called instead and runs on any host.

    The attribute `implementation` of a `tir.brgemm_dispatch` says which of the
    two it becomes. Without it the option decides: `kernel=libxsmm` and
    `kernel=vector` use one for all, `kernel=auto` follows `chooseKernel`
    (Machine/KernelChoice.h): libxsmm, or vector code, with a remark, for the
    shapes where libxsmm is slow. If the implementation does not support the
    types, packing or transposition of a kernel, an error names the whole spec.
  }];
  let dependentDialects = ["::gc::tir::TensorIRDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::math::MathDialect"];
  let options = [
    KernelOption<"Implementation of kernels that do not state one">
  ];
}

def TirMergeLoops : Pass<"tir-merge-loops", "::mlir::func::FuncOp"> {
  let summary = "Merges the parallel loops of a group";
  let description = [{
    Consecutive `tir.parallel` loops with the same `merge` attribute become one:
    each iteration runs the bodies one after the other, without the barriers
    between them. Whoever sets the attribute must make sure that no iteration
    reads what other iterations of the group write; this pass checks that the
    boxes are equal and that the ops between the loops can move before them. The
    names of the loops are joined with `|`.

    Loops directly inside the merged body with equal bounds and the same
    `tir.merge` attribute are merged too. The ops between them move before the
    first loop, or after the second where necessary; if neither is possible, a
    remark says so and the loops stay separate.

    ```mlir
    // before
    tir.parallel (%i) in (4) attributes {merge = 0, name = "a"} {
      scf.for %j = %c0 to %c8 step %c1 { "first"(%i, %j) } {tir.merge = 0}
    }
    tir.parallel (%i) in (4) attributes {merge = 0, name = "b"} {
      "prepare"(%i)
      scf.for %j = %c0 to %c8 step %c1 { "second"(%i, %j) } {tir.merge = 0}
    }
    // after
    tir.parallel (%i) in (4) attributes {name = "a|b"} {
      "prepare"(%i)
      scf.for %j = %c0 to %c8 step %c1 { "first"(%i, %j) "second"(%i, %j) }
    }
    ```
  }];
}

def TirShrinkTensors : Pass<"tir-shrink-tensors", "::mlir::func::FuncOp"> {
  let summary = "Shrinks temporaries to the slice that is live";
  let description = [{
    A temporary that only one parallel loop uses becomes thread-local and keeps
    the slice that one iteration of a loop uses: in each dimension whose indices
    are all `base + inner`, with a base that is the same for all accesses of the
    iteration, the base is dropped and the dimension gets the extent of `inner`.
    (Paper, section VI, tensor size optimization.)

    The loop may be the parallel one, or a sequential one inside it if the bases
    keep the iterations of all sequential loops up to the parallel one apart:
    each of their indices advances, in some dimension, in steps of at least what
    the rest of the index spans. Iterations of the parallel loop itself cannot
    pass anything to each other. Of all such loops the one with the smallest
    slice is taken; the temporary moves into it. The strides of the microkernels
    are adjusted. Only `affine.apply` is analysed in indices; the result of any
    other op is an opaque value. Thread-local temporaries of one parallel loop
    move into it even if they keep their size.

    ```mlir
    // before
    %s = tir.scratch : memref<4x8x32x64xf32>
    tir.parallel (%i) in (4) {
      scf.for %j = %c0 to %c8 step %c1 {
        tir.brgemm ... c(%s[%i, %j, %c0, %c0])
        "use"(%s[%i, %j, ...])
      }
    }
    // after
    tir.parallel (%i) in (4) {
      scf.for %j = %c0 to %c8 step %c1 {
        %s = tir.scratch per_thread : memref<1x1x32x64xf32>
        tir.brgemm ... c(%s[%c0, %c0, %c0, %c0])
        "use"(%s[%c0, %c0, ...])
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect"];
}

def TirForwardStores : Pass<"tir-forward-stores", "::mlir::func::FuncOp"> {
  let summary = "Removes detours through temporaries";
  let description = [{
    A load from a `tir.scratch` takes the value that was stored to the same place
    before, within the block or the blocks around it, if nothing in between
    writes there. Stores to a temporary that is never read are removed, and so is
    a temporary without uses. A temporary of one element thus becomes a scalar.
    (Paper, section VI.)

    ```mlir
    // before
    %t = tir.scratch per_thread : memref<1xf32>
    memref.store %x, %t[%c0] : memref<1xf32>
    %y = memref.load %t[%c0] : memref<1xf32>
    "use"(%y)
    // after
    "use"(%x)
    ```
  }];
}

def TirPlanBuffers : Pass<"tir-plan-buffers", "::mlir::func::FuncOp"> {
  let summary = "Places temporaries in one arena";
  let description = [{
    Replaces every `tir.scratch` of an entry function by a view of the arena
    argument, so that buffers whose lifetimes do not overlap share memory. The
    free place that was used last is taken first, since it is likely still in
    the cache. Thread-local buffers are placed after the shared part, once per
    thread. Addresses are multiples of 64 bytes. A buffer that a loop without a
    barrier uses lives until the team's next barrier. A temporary of a loop's
    body lives from its first to its last use in one iteration. A temporary that
    would enlarge the arena may live in an output of the same element type that
    nothing has touched yet, or whose elements the temporary's last loop writes
    right after reading those of the temporary.

    `tir.in_place` names inputs and outputs of equal type that may share memory,
    because no element is overwritten that is still to be read:
    `array<i64: 0, 1>` are input 0 and output 1.

    ```mlir
    // before, in a function with tir.entry
    %a = tir.scratch : memref<64xf32>
    %b = tir.scratch : memref<64xf32>
    %c = tir.scratch : memref<64xf32>
    call @write(%a) : (memref<64xf32>) -> ()
    call @copy(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
    call @copy(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
    // after: %arena is a new argument, the function has tir.arena_bytes = 512
    %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
    %b = memref.view %arena[%c256][] : memref<?xi8> to memref<64xf32>
    %c = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
    ```
  }];
  let dependentDialects = ["::gc::tir::TensorIRDialect",
    "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
  let options = [
    Option<"reuse", "reuse", "bool", "true",
           "temporaries that do not live at the same time may share memory">,
    Option<"outputs", "outputs", "bool", "true",
           "temporaries may live in outputs that are not written yet">,
    Option<"print", "print", "bool", "false",
           "print the plan as a remark, one line per temporary">,
    Option<"svg", "svg", "std::string", "",
           "directory for a picture of the plan of each function, "
           "FUNCTION.svg: time to the right, addresses upwards">
  ];
}

#endif // GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_TD
