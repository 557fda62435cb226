// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_GRAPH_IR_GRAPHSCHEDULEATTRS_TD
#define GC_DIALECT_GRAPH_IR_GRAPHSCHEDULEATTRS_TD

def Graph_KernelChoice : Graph_Enum<"KernelImplementation",
    "where microkernels come from", [
  I32EnumAttrCase<"library", 0>, I32EnumAttrCase<"vector", 1>]>;

def Graph_ScheduleAttr : Graph_Attr<"Schedule", "schedule"> {
  let summary = "decisions about a region that its lowering needs";
  let description = [{
    The attribute `graph.schedule` of a `graph.fused_op`, set by
    `graph-select-schedule`. Lowering follows it and never looks at the machine.

    ```mlir
    #graph.schedule<vector_bytes = 64, vector = 1,
                    partition = [0 : 32, 1 : 2048]>
    #graph.schedule<vector_bytes = 32, passes = [pre 1 : 0 transposed 1],
                    vector_kernels = [6x1x64], fetch_ahead = [6x1x64 : 8192],
                    stream = [0], prefetch = [0, 1]>
    ```

    - `vector_bytes`: the width of a vector of f32. A pass computes tensors of
      several types together, narrow ones in f32, so that its vectors of other
      types have as many elements: a vector of 64 bytes has 16.
    - `registers`: vector registers that passes may fill. Half of them hold
      results of neighbouring rows that wait to be stored together; with more
      than 16, the vectors that a long computation takes as one have room beside
      the accumulators of reductions. 16 is not printed.
    - `stream`: numbers of the region's results that are written with
      non-temporal stores, wherever a pass stores whole cache lines of them.
    - `unroll`: how many rows a pass that reduces computes together, so that
      they hide each other's latency; or how many vectors, if it reduces along
      another dimension than that of vectors. Without it, one at a time.
    - `recompute`: a pass that reads rows again after a reduction computes a
      value of those rows again if that takes at most this many instructions
      per vector, and keeps other values: a result in its own place, others in
      a buffer for the rows.
    - `interleave`: a stage of a pass, what it does from one reduction to the
      next, is a long computation if it takes more than this many instructions
      per vector. Vectors along rows are then computed four at a time, as one, and
      a reduction has two accumulators instead of four. Without it, no stage is
      long.
    - `row_bytes`, `max_row_bytes`: the rows of a kept value that are worked on
      together have a buffer of their own if they take at most `row_bytes`.
      Larger ones are kept in the place of another result that can hold them.
      If there is none, they have a buffer up to `max_row_bytes`, and beyond
      that the value is computed again. Without the two, there is no limit.

    For a region without a tunable op, with the dimensions of its iteration
    space (the largest one of its ops):

    - `vector`: the dimension that vectors lie along. A piece that has a single
      element along it is computed along `transposed`, or along the last
      dimension that has more.
    - `transposed`: the dimension along which an operand is contiguous that is
      not contiguous along `vector`; squares, with a side of as many elements as
      a vector has, are transposed in registers.
    - `partition`: the dimensions that tasks divide among themselves, each with
      the size of a piece; a task is a piece of each, the last dimension fastest.
      Threads get equal shares of the tasks. Without it there is one task.
    - `block`: dimensions along which this many neighbours are computed
      together, vector by vector: windows at neighbouring positions share
      elements and weights, which are loaded once. Along a reduced dimension
      that is not the vector dimension, this many elements are combined at a
      time, for all vectors in turn, with the sums in memory: rows are read from
      end to end. Otherwise all elements are combined for one group of vectors
      after another, with the sums in registers.
    - `ahead`: while a row is finished, the data of the row this many rows later
      is prefetched. A pass that reads a row, reduces it and reads it again
      would otherwise wait for memory at the start of each row. For windows,
      rows are blocks of positions, and the elements that they read first are
      prefetched.

    For a region with a tunable op, whose template says how the work is divided:

    - `kernel`: whether microkernels come from the library, which is not
      printed, or are generated vector code. `vector_kernels` are the exceptions
      that are vector code all the same, as m x n x k.
    - `forms`: generated kernels, as m x n x k, in which something else than
      instructions on vectors multiplies: `fixed_point` (dot products of bytes,
      after rows of f32 have become digits of fixed point) or `amx`.
    - `passes`: along which dimension vectors lie in the passes at an anchor if
      that is not the last one with several elements, and which one is
      `transposed` as above. `post i` are the passes at post-op anchor i, over
      dimensions of the region's space; `pre i` are those that copy slices of
      operand i, with or without pre-ops, over the operand's own dimensions. A
      pass that has a single element along one of the two, or whose size along
      it is not known before it runs, does not use it: vectors then lie along
      the other one, or along the last dimension with several elements. A pass
      that reduces, or that stores results with one element for all vectors,
      transposes nothing.
    - `fetch_ahead`: vector kernels, as m x n x k, that fetch their second matrix
      this many bytes before they read it.
    - `prefetch`: numbers of the tunable op's operands whose matrix of the next
      batch item is fetched while the current one is computed.

    Constraints:

    - (C1) `vector_bytes` is a power of two from 4 to 64.
    - (C2) `partition` has every dimension at most once, in pieces of at
      least 1.
    - (C3) `transposed` is not `vector`, which is given too; `vector_bytes` is
      at least 16.
    - (C4) `vector`, `transposed`, `partition`, `block` and `ahead` are for regions
      without a tunable op, `passes`, `kernel`, `vector_kernels`, `forms`,
      `fetch_ahead` and `prefetch` for regions with one.
    - (C5) `vector_kernels` are exceptions to `kernel = library`, of sizes of at
      least 1.
    - (C6) `stream` numbers results and `prefetch` operands, each once.
    - (C7) `vector`, `transposed` and `partition` name dimensions of the region's
      space; pieces are not larger than the dimension.
    - (C8) `partition` has the dimensions that reductions reduce in parts, in
      pieces of these parts, and no other dimension that reductions reduce.
    - (C9) results that are streamed have rows of whole cache lines.
    - (C10) tensors that are fetched ahead have one matrix per batch item of the
      result, not in blocks.
    - (C11) `block` has every dimension once, of the region's space, neither that
      of vectors nor one that is transposed, with at least 1 and at most 16
      neighbours together; pieces of the partition are whole blocks, except the
      last one. One that is reduced is the only one, vectors do not lie along a
      reduced dimension, and rows are not read again after the reduction.
    - (C12) `ahead` is 1 to 16 rows, if it is given.
    - (C13) `passes` has each anchor and operand once, with different dimensions,
      of the region's space or of the operand; a transposition takes
      `vector_bytes` of at least 16.
    - (C14) `fetch_ahead` has kernels that are vector code, each once, with 1 to
      2^30 bytes.
    - (C16) `forms` has generated kernels, each once, with another form than
      `vector`.
    - (C15) `unroll` is 1 to 16, `recompute` is 0 to 1000, `interleave` is 1 to
      1000, if it is given.
    - (C17) `row_bytes` and `max_row_bytes` are given together, the first is not
      larger than the second, and they are 1 to 2^30.
    - (C18) `registers` is 4 to 1024.
  }];
  let parameters = (ins "int64_t":$vectorBytes, "int64_t":$registers,
    "int64_t":$vectorDim, "int64_t":$transposedDim,
    ArrayRefParameter<"int64_t">:$partitionDims,
    ArrayRefParameter<"int64_t">:$partitionPieces,
    ArrayRefParameter<"int64_t">:$blockDims,
    ArrayRefParameter<"int64_t">:$blockSizes,
    "int64_t":$ahead, "int64_t":$unroll, "int64_t":$recompute,
    "int64_t":$interleave, "int64_t":$rowBytes, "int64_t":$maxRowBytes,
    "::gc::graph::KernelImplementation":$kernel,
    ArrayRefParameter<"int64_t">:$vectorKernels,
    ArrayRefParameter<"int64_t">:$forms,
    ArrayRefParameter<"int64_t">:$passes,
    ArrayRefParameter<"int64_t">:$fetchAhead,
    ArrayRefParameter<"int64_t">:$stream,
    ArrayRefParameter<"int64_t">:$prefetch);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The dimension of vectors, and the transposed one, of passes at an
    /// anchor; -1 if there is none, or for the default.
    struct AnchorDims {
      AnchorKind kind;
      /// Of the operand or post-op anchor.
      int64_t index;
      int64_t vector = -1, transposed = -1;
    };

    /// Elements of a vector, of f32 or any other type.
    int64_t getLanes() const { return getVectorBytes() / kElementBytes; }
    /// Bytes of an f32.
    static constexpr int64_t kElementBytes = 4;
    /// Vectors that schedules can have.
    static constexpr int64_t kMostVectorBytes = 64;

    /// The schedule of a region with a tunable op.
    static ScheduleAttr getOfTemplate(::mlir::MLIRContext *context,
        int64_t vectorBytes, int64_t registers, int64_t unroll,
        int64_t recompute, int64_t interleave, int64_t rowBytes,
        int64_t maxRowBytes,
        ::llvm::ArrayRef<AnchorDims> passes,
        KernelImplementation kernel, ::llvm::ArrayRef<int64_t> vectorKernels,
        ::llvm::ArrayRef<int64_t> forms,
        ::llvm::ArrayRef<int64_t> fetchAhead, ::llvm::ArrayRef<int64_t> stream,
        ::llvm::ArrayRef<int64_t> prefetch);

    /// What `passes` says.
    ::llvm::SmallVector<AnchorDims> getAnchorDims() const;
    AnchorDims getAnchorDims(AnchorKind kind, int64_t index) const;
    /// How many bytes ahead the kernel of these sizes fetches its second
    /// matrix; 0 if it does not.
    int64_t getFetchAhead(int64_t m, int64_t n, int64_t k) const;
    /// Checks the schedule against a region (C4, C6, C13).
    ::llvm::LogicalResult verifyRegion(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> error,
        bool hasTunable, unsigned results, unsigned operands) const;
    /// How many neighbours along a dimension are computed together.
    int64_t getBlock(int64_t dim) const;
    /// Whether the microkernel of these sizes is generated.
    bool usesVectorCode(int64_t m, int64_t n, int64_t k) const;
    /// What multiplies in a generated microkernel of these sizes.
    ::gc::KernelForm getForm(int64_t m, int64_t n, int64_t k) const;
  }];
}

#endif // GC_DIALECT_GRAPH_IR_GRAPHSCHEDULEATTRS_TD
