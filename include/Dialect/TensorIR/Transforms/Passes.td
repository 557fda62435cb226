// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_TD
#define GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TirLowerMicrokernels : Pass<"tir-lower-microkernels", "::mlir::ModuleOp"> {
  let summary = "Turns batch-reduce GEMM calls into library calls or vectors";
  let description = [{
    With `kernel=libxsmm` every `tir.brgemm_dispatch` becomes a handle that is
    resolved when the module loads and every `tir.brgemm` a call of it. With
    `kernel=vector` each kernel becomes a private function of vector code that is
    called instead, which runs on any host. `kernel=auto` uses libxsmm and
    vectors for the shapes where libxsmm is slow (a remark says which).
  }];
  let dependentDialects = ["::gc::tir::TensorIRDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::math::MathDialect"];
  let options = [
    Option<"kernel", "kernel", "std::string", "\"auto\"",
           "auto, libxsmm or vector">
  ];
}

def TirMergeLoops : Pass<"tir-merge-loops", "::mlir::func::FuncOp"> {
  let summary = "Merges the parallel loops of a group";
  let description = [{
    Consecutive `tir.parallel` loops with the same `merge` attribute become one:
    each iteration runs the bodies one behind the other, and the barriers between
    them are gone. That one iteration reads what the others of its group wrote is
    the business of whoever sets the attribute; this pass checks that the boxes
    are equal and that what stands between the loops can move in front of them.
    The names of the loops are joined with `|`.

    Inside the merged body, loops directly in it with equal bounds and the same
    `tir.merge` attribute are merged too. What stands between them moves in front
    of the first, or behind the second where it must; a remark tells when neither
    is possible, and the loops stay apart.

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

def TirPlanBuffers : Pass<"tir-plan-buffers", "::mlir::func::FuncOp"> {
  let summary = "Places temporaries in one arena";
  let description = [{
    Replaces every `tir.scratch` of an entry function by a view of the arena
    argument, so that buffers whose lifetimes do not overlap share memory. A
    free place that was used last is taken first, since it is likely still in the
    cache. Thread-local buffers are placed behind the shared part, once per
    thread. Places begin at multiples of 64 bytes. A buffer that a loop without
    barrier uses lives until the team has met.

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
}

#endif // GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_TD
