// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_TRANSFORMS_PASSES_TD
#define GC_DIALECT_NPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Every pass works on functions with the attribute `npu.kernel` and leaves the
// others alone.

def NpuDoubleBuffer : Pass<"npu-double-buffer", "::mlir::func::FuncOp"> {
  let summary = "Gives buffers of marked loops slots and issues loads ahead";
  let description = [{
    A loop with `npu.pipeline = N` may have N iterations in flight at the same
    time.

    - Every buffer in its body that several pipes use gets N slots and moves to
      the beginning of the kernel. Iteration i uses slot i mod N, counted
      through all loops around it: slots also alternate from the last iteration
      of an inner loop to the first of its next run. If the space has no room
      for all slots, given what else is live and what expanding tiles needs, a
      buffer gets fewer; buffers of outer loops lose slots first.
    - Loads from global memory are issued N - 1 iterations ahead of the rest,
      since the front end issues in order and would otherwise reach them only
      when the ops before them have left their queues. A prologue issues the
      first loads; a comparison guards the last iterations, which have none to
      issue. A load that must not go that far ahead goes fewer iterations.
    - A marked loop inside a marked loop is merged with it if both have constant
      bounds and the inner one loads from global memory, so that its first loads
      do not wait for the end of its previous run. Ops before and after the
      inner loop are guarded; a loop of loads in front of it is spread over its
      first iterations if these do not need more.
    - With N of four or more, ops that compute a value that the front end then
      waits for are issued ahead too, at least two iterations after the loads, so
      that the pipes have other work in the meantime.
    - Ops with `npu.stage = S`, and the ops after them, are stage S of the body;
      each stage is issued one iteration ahead of the next one.

    The order of conflicting accesses stays the same. An op is not issued ahead
    if it touches what another op, of the same or an earlier iteration, writes,
    or writes what that op touches, unless linear indices, or else those of each
    iteration, show that the two boxes are disjoint. A remark says so, as it
    does for every other loop, buffer and op that is left unchanged. Loops with
    flags or barriers are not pipelined.

    `most-slots` limits the iterations in flight of every loop; with 1, every
    buffer has one slot and nothing is issued ahead.

    Run it first, on tile-level programs.

    ```mlir
    // before
    scf.for %i = %c0 to %c8 step %c1 {
      %t = npu.alloc : memref<128xf16, #npu.space<ub>>
      npu.copy %x[%i] to %t
      npu.unary relu %t to %t
      npu.copy %t to %y[%i]
    } {npu.pipeline = 2}
    // after
    %t = npu.alloc slots 2 : memref<128xf16, #npu.space<ub>>
    npu.copy %x[0] to %t[0]
    scf.for %i = %c0 to %c8 step %c1 {
      %more = arith.cmpi slt, %i, %c7 : index
      scf.if %more {
        npu.copy %x[%i + 1] to %t[(%i + 1) mod 2]
      }
      npu.unary relu %t[%i mod 2] to %t[%i mod 2]
      npu.copy %t[%i mod 2] to %y[%i]
    }
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
    "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect"];
  let options = [
    Option<"mostSlots", "most-slots", "int64_t", "0",
           "Most iterations that may be in flight; 0: as the loops say">
  ];
}

def NpuExpandTiles : Pass<"npu-expand-tiles", "::mlir::func::FuncOp"> {
  let summary = "Turns ops on tiles into instructions";
  let description = [{
    Every tile op becomes the cheapest of the instruction sequences that the
    expansion knows, by the machine's own costs: contiguous dimensions are
    merged, repeats run up to the machine's limit, a remainder becomes a repeat
    with a mask, strided tiles use repeat strides. Many instructions of one form
    become a loop. Temporary buffers that a sequence needs are allocated before
    it. The pass inserts no flags or barriers: `npu-insert-sync` does that
    later.

    Run it after `npu-double-buffer` and before `npu-plan-memory`. It refuses
    tiles that no instruction can address.

    ```mlir
    // before
    npu.unary exp %a to %b : memref<2x200xf16, strided<[256, 1]>,
        #npu.space<ub>> to memref<2x200xf16, strided<[256, 1]>, #npu.space<ub>>
    // after: 128 columns of both rows, then the other 72
    %b0 = memref.subview %b[0, 0] [2, 128] [1, 1] : ...
    %a0 = memref.subview %a[0, 0] [2, 128] [1, 1] : ...
    npu.vector exp (%a0) to %b0 repeat 2 strides [1, 16, 1, 16, 1, 8] : ...
    %b1 = memref.subview %b[0, 128] [2, 72] [1, 1] : ...
    %a1 = memref.subview %a[0, 128] [2, 72] [1, 1] : ...
    npu.vector exp (%a1) to %b1 repeat 2 mask [-1, 255]
        strides [1, 16, 1, 16, 1, 8] : ...
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def NpuInsertSync : Pass<"npu-insert-sync", "::mlir::func::FuncOp"> {
  let summary = "Orders the pipes with flags and barriers";
  let description = [{
    Programs are static, so the pass runs the kernel at compile time: every
    address, bound and condition is computed for every iteration, and exact byte
    ranges determine which instruction has to wait for which. Flags order the
    pipes; `npu.barrier` orders the instructions of one pipe where one reads or
    overwrites what another wrote. Orderings that other flags imply get no flag.
    Flags are grouped by dynamic programming and moved out of loops where that
    costs no cycles in the machine's cost model. A dependence over N iterations
    uses flag `iteration mod N`, set N times before the loops and waited for
    after them. Finally the result is checked on the whole run. Nests for which
    no common plan is found are planned separately, with a barrier of all pipes
    between them. The last resort before more barriers is one flag for each pair
    of pipes and loop, from the last set to the first wait.

    Without `group` each pair of instructions that needs an order has its own
    flags; where the machine has too few of them, pipes that could run ahead
    wait. Without `flags` a barrier of all pipes precedes every instruction.

    Run it last, when all buffers have addresses. It refuses tile ops, buffers
    without address, calls, regions other than scf.for and scf.if, and programs
    that have flags or barriers already. Remarks (`Unknown`, `Grouped`, `Apart`,
    `Coarse`, `Barrier`, `Barriers`) say where it had to choose a slow form; see
    docs/npu-sync.md.

    ```mlir
    // before
    scf.for %i = %c0 to %c8 step %c1 {
      %a = npu.slot %as[%i] : ...
      npu.dma %x_i to %a length 16384 : ...
      npu.vector exp (%a) to %a repeat 64 : ...
      npu.dma %a to %y_i length 16384 : ...
    }
    // after
    npu.set_flag mte3 -> mte2 [%c0]
    npu.set_flag mte3 -> mte2 [%c1]
    scf.for %i = %c0 to %c8 step %c1 {
      %a = npu.slot %as[%i] : ...
      %e = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)
      npu.wait_flag mte3 -> mte2 [%e]
      npu.dma %x_i to %a length 16384 : ...
      npu.set_flag mte2 -> v [%e]
      npu.wait_flag mte2 -> v [%e]
      npu.vector exp (%a) to %a repeat 64 : ...
      npu.set_flag v -> mte3 [%e]
      npu.wait_flag v -> mte3 [%e]
      npu.dma %a to %y_i length 16384 : ...
      npu.set_flag mte3 -> mte2 [%e]
    }
    npu.wait_flag mte3 -> mte2 [%c0]
    npu.wait_flag mte3 -> mte2 [%c1]
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"flags", "flags", "bool", "true",
           "Order pipes with flags; otherwise with barriers of all pipes">,
    Option<"group", "group", "bool", "true", "Group flags and move them">
  ];
}

def NpuPlanMemory : Pass<"npu-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Gives every buffer an address";
  let description = [{
    A buffer is live from the first op that uses it to the last, as seen from
    the block of its `npu.alloc`: a buffer allocated outside a loop and used
    inside is live throughout the loop, one allocated inside is new in each
    iteration. All buffers move out of loops.

    If there is room, no two buffers have bytes in common. Otherwise buffers
    that are not live at the same time share bytes: first those that the same
    pipe uses, then those of different outermost loops, and finally any others,
    which makes pipes wait for each other and is reported as a remark. Addresses
    are multiples of the space's alignment. Several orders are tried, such as
    the largest buffers first.

    Run it after `npu-expand-tiles`, which makes buffers, and before
    `npu-insert-sync`, which needs addresses. Buffers that have an address keep
    it; it is an error if two of them overlap while both are live. If a buffer
    does not fit, an error names the buffer, its space, the bytes needed and the
    largest tile that would fit.

    ```mlir
    // before
    scf.for %i = %c0 to %c8 step %c1 {
      %a = npu.alloc : memref<128xf16, #npu.space<ub>>
      %b = npu.alloc : memref<128xf16, #npu.space<ub>>
      ...
    }
    // after
    %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
    %b = npu.alloc at 256 : memref<128xf16, #npu.space<ub>>
    scf.for %i = %c0 to %c8 step %c1 {
      ...
    }
    ```
  }];
  let dependentDialects = ["::gc::npu::NpuDialect"];
  let options = [
    Option<"print", "print", "bool", "false",
           "print the plan as a remark, one line per buffer">,
    Option<"svg", "svg", "std::string", "",
           "directory for a picture of the plan of each kernel, "
           "KERNEL.svg: a strip for each memory, time to the right, "
           "addresses upwards">
  ];
}

#endif // GC_DIALECT_NPU_TRANSFORMS_PASSES_TD
