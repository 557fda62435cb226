// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUBUFFEROPS_TD
#define GC_DIALECT_NPU_IR_NPUBUFFEROPS_TD

// Buffers, flags and scalars: what is the same at both levels.

include "Dialect/Npu/IR/NpuOpBase.td"

def Npu_AllocOp : Npu_Op<"alloc"> {
  let summary = "a buffer of the core";
  let description = [{
    A buffer in the memory space of its type; its contents are undefined
    (poisoned) at the op. With `slots` it is that many equal buffers, one after
    another at the space's alignment; `npu.slot` selects one of them. Two slots
    give double buffering. `address` is the byte address in the space, which
    `npu-plan-memory` assigns.

    ```mlir
    %a = npu.alloc : memref<8x256x16xf16, #npu.space<l1>>
    %b = npu.alloc slots 2 at 32768 : memref<16384xf16, #npu.space<ub>>
    ```

    - (C1) the memref has a static shape, the identity layout, at least one
      element, and elements of f16, f32, i8 or i32.
    - (C2) its space is `l1`, `ub`, `l0a`, `l0b` or `l0c`.
    - (C3) the address is a multiple of the space's alignment.
    - (C4) if there is an address, all slots are within the space.
    - (C5) `slots` is at least 1; only `npu.slot` uses a buffer of more than one
      slot.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$slots,
    OptionalAttr<I64Attr>:$address);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = [{
    (`slots` $slots^)? (`at` $address^)? attr-dict `:` type($buffer)
  }];
  let extraClassDeclaration = [{
    /// Bytes from one slot to the next: the buffer's size, rounded up to its
    /// space's alignment.
    int64_t getSlotBytes(const ::gc::npu::Machine &machine);
    /// Bytes from the first slot to the end of the last one.
    int64_t getBytes(const ::gc::npu::Machine &machine);
  }];
  let hasVerifier = 1;
}

def Npu_SlotOp : Npu_Op<"slot", [Pure]> {
  let summary = "one of a buffer's slots";
  let description = [{
    Slot `index mod slots` of the buffer. The index is not negative.

    ```mlir
    %s = npu.slot %b[%i] : memref<128xf16, #npu.space<ub>>
        to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
    ```

    - (C1) the buffer is the result of `npu.alloc`.
    - (C2) the result has the buffer's shape, element type, strides and space, and
      a dynamic offset.
    - (C3) a constant index is not negative.
  }];
  let arguments = (ins AnyMemRef:$buffer, Index:$index);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $buffer `[` $index `]` attr-dict `:` type($buffer) `to` type($result)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer,
                                 "::mlir::Value":$index)>];
}

class Npu_FlagOp<string mnemonic> : Npu_Op<mnemonic, [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Npu_PipeAttr:$from, Npu_PipeAttr:$to, Index:$event);
  let assemblyFormat = [{
    custom<PipePair>($from, $to) `[` $event `]` attr-dict
  }];
  let hasVerifier = 1;
}

def Npu_SetFlagOp : Npu_FlagOp<"set_flag"> {
  let summary = "tells a pipe that another pipe's earlier ops are visible";
  let description = [{
    An entry in the queue of pipe `from`: sets flag `event` of the pair when the
    effects of all earlier ops in that queue are visible. It does not hold up
    the queue.

    ```mlir
    npu.set_flag mte2 -> v [%event]
    ```

    - (C1) the pipes differ.
    - (C2) a constant event is one of the machine's flags per pair, 0 to 3.
  }];
}

def Npu_WaitFlagOp : Npu_FlagOp<"wait_flag"> {
  let summary = "holds a pipe until a flag is set, and clears it";
  let description = [{
    An entry in the queue of pipe `to`: later entries start when flag `event` of
    the pair is set. Clears the flag. The constraints are those of
    `npu.set_flag`.
  }];
}

def Npu_BarrierOp : Npu_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the effects of a pipe's ops are visible";
  let description = [{
    `npu.barrier v`: later ops of pipe v start when the effects of its earlier
    ones are visible. `npu.barrier all`: the front end issues nothing until every
    pipe is empty and its effects are visible.

    - (C1) the pipe is not `s`.
  }];
  let arguments = (ins OptionalAttr<Npu_PipeAttr>:$pipe);
  let assemblyFormat = "custom<BarrierPipe>($pipe) attr-dict";
  let hasVerifier = 1;
}

def Npu_LoadScalarOp : Npu_InstructionOp<"load_scalar", [],
                                         ["getRunTimeNumbers"]> {
  let summary = "an element of UB as a register of the front end";
  let description = [{
    Pipe S reads one element; the front end continues when it has arrived.

    - (C1) the source is in `ub`.
    - (C2) there is one index for each dimension.
    - (C3) the result has the source's element type.
  }];
  let arguments = (ins Npu_Source:$source, Variadic<Index>:$indices);
  let results = (outs AnyTypeOf<[F16, F32, I8, I32]>:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` type($source) `->` type($result)
  }];
}

def Npu_CoreIdOp : Npu_Op<"core_id", [Pure]> {
  let summary = "number of the core, starting at 0";
  let results = (outs Index:$id);
  let assemblyFormat = "attr-dict";
}

#endif // GC_DIALECT_NPU_IR_NPUBUFFEROPS_TD
