// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One instruction of an NPU program: what it is, which pipe runs it, what it
// costs, which bytes it touches, whether it is legal. Shared by the simulator,
// the dialect's verifiers and the pass that inserts synchronisation.

#ifndef GC_NPUMODEL_INSTRUCTION_H
#define GC_NPUMODEL_INSTRUCTION_H

#include "NpuModel/Address.h"
#include "NpuModel/Error.h"
#include "NpuModel/Machine.h"

#include <optional>
#include <type_traits>

namespace gc::npu {

enum class Opcode : uint8_t {
  alloc,
  dma,
  pack,
  unpack,
  load2d,
  load3d,
  mad,
  drain,
  vector,
  setFlag,
  waitFlag,
  barrier,
  loadScalar,
};
constexpr int kNumOpcodes = static_cast<int>(Opcode::loadScalar) + 1;

const char *getName(Opcode opcode);

/// All sizes are 64-bit so that no argument of the C interface is cut before it
/// is checked. C0 is 32 bytes of elements.
struct Instruction {
  Opcode opcode = Opcode::barrier;

  /// Element type of the source; vector ops: of src0 and src1. (dma: only with
  /// accumulate.)
  DType type = DType::f16;
  /// Of the destination: drain, vector.
  DType dstType = DType::f16;
  VectorOp vectorOp = VectorOp::add;

  /// setFlag, waitFlag: from `pipe` to `toPipe`. barrier: `pipe`, S for all.
  Pipe pipe = Pipe::s, toPipe = Pipe::s;

  /// pack: packs the transposed box; load2d: transposes each fractal.
  bool transpose = false;
  /// dma, unpack: adds to global memory (f16, f32, s32).
  bool accumulate = false;
  /// mad: overwrites C instead of adding to it.
  bool initialise = false;
  /// drain: max(x, 0) before the cast.
  bool relu = false;

  /// Index of a source location that the program's owner understands.
  int32_t location = -1;

  /// mad: src0 is A, src1 is B, dst is C.
  Address dst, src0, src1, src2;

  /// alloc: `bytes` bytes at dst hold nothing from now on. No cycles.
  struct Alloc {
    int64_t bytes;
  };

  /// `bursts` runs of `bytes` adjacent bytes; run i from src + i * srcStride to
  /// dst + i * dstStride. A local buffer that is written gets whole blocks: the
  /// bytes from the end of a run to a multiple of 32 become zeros. Paths: GM to
  /// L1, UB, L0A, L0B (MTE2); UB to GM, L1 (MTE3); L1 to UB (MTE1).
  struct Dma {
    int64_t bursts, bytes, dstStride, srcStride;
  };

  /// A box of rows x columns elements of a row-major matrix in global memory,
  /// whose rows are `pitch` elements apart.
  /// pack, to L1 or UB: element (r, c) goes to [c / C0][r][c % C0] in `blocks`
  /// blocks that are localRows rows apart. Of each, `paddedRows` rows are
  /// written, zeros where the box has no element. With transpose the same for
  /// element (c, r): [r / C0][c][r % C0], and rows and columns of the box
  /// change roles. unpack, from UB: element (r, c) comes from [c / width][r][c
  /// % width] in blocks of localRows >= rows rows.
  struct Box {
    int64_t rows, columns, pitch, localRows;
    /// Of unpack; and of pack.
    int64_t width, paddedRows, blocks;
  };

  /// Fractals of 512 bytes from L1 to L0A or L0B, strides in fractals.
  /// Transposing needs a type of two bytes.
  struct Load2d {
    int64_t fractals, dstStride, srcStride;
  };

  /// Rows [mStart, mStart + mCount) and columns [kStart, kStart + kCount) of
  /// the img2col matrix of image [C1][height][width][C0] in L1, as A fractals
  /// in L0A: [mCount / 16][kCount / C0][16][C0]. Row m and column k = (c1, kh,
  /// kw, c0) is pixel (m / outWidth * strideH + kh - padTop, m % outWidth *
  /// strideW + kw - padLeft), 0 outside the image. kStart, kCount: multiples of
  /// C0; mCount of 16.
  struct Load3d {
    int64_t height, width, kernelH, kernelW, strideH, strideW, padTop, padLeft,
        outWidth, mStart, mCount, kStart, kCount;
  };

  /// C[m, n] (+)= A[m, k] B[k, n]; f16 into f32, s8 into s32. A is [M1][aStride
  /// >= K1][16][C0] (row, k), B is [K1][bStride >= N1][16][C0] (column, k), C
  /// is [N1][cStride >= M1][16][16] (row, column); M1 = ceil(m / 16), N1 =
  /// ceil(n / 16), K1 = ceil(k / C0); strides in fractals. Only elements inside
  /// m, n and k are read and written.
  struct Mad {
    int64_t m, k, n, aStride, bStride, cStride;
  };

  /// C [n / 16][srcStride >= M1][16][16] in L0C, fractals, to UB: [n / width]
  /// [dstRows >= m][width], elements (row < m, column < n) only; with cast from
  /// f32 to f32 or f16, from s32 to s32, s8 or f16, and ReLU.
  struct Drain {
    int64_t m, n, srcStride, dstRows, width;
  };

  /// `repeat` times: getLanes() elements, of which those whose bit is set in
  /// the mask (lanes 0 to 63 in maskLow) are computed. Lane i of an operand
  /// with elements of s bytes is in block i * s / 32 of its repeat. Strides
  /// count blocks of 32 bytes: between the blocks of a repeat, and between
  /// repeats; 0 repeats a source. Repeats go one after the other, each reads
  /// all before it writes. compare: bits packed, lane i of repeat r is bit i %
  /// 8 of byte (r * lanes +
  ///   i) / 8 of dst; bits of lanes outside of the mask become 0. No dst
  ///   strides.
  /// select: reads the bits in the same way from src2.
  /// repeat reduction: result r goes to element r of dst. No dst strides. A sum
  ///   of f16 may give f32. A mask of no lanes writes nothing.
  /// group reduction: one result for each block with any lane in the mask, one
  ///   after another without gaps. No dst strides.
  /// transpose: a square of elements whose rows are a block long per repeat,
  ///   16x16 of two bytes or 8x8 of four; row i of the source is block i
  ///   (strides as above), row i of the result is block i. No mask.
  struct Vector {
    int64_t repeat;
    uint64_t maskLow, maskHigh;
    int64_t dstBlock, dstRepeat, src0Block, src0Repeat, src1Block, src1Repeat;
    double scalar;
  };

  struct Flag {
    int64_t event;
  };

  union {
    Alloc alloc;
    Dma dma;
    Box box;
    Load2d load2d;
    Load3d load3d;
    Mad mad;
    Drain drain;
    Vector vector;
    Flag flag;
  };

  Instruction() : load3d{} {}
  explicit Instruction(Opcode opcode) : opcode(opcode), load3d{} {}
};

/// Elements that a vector instruction handles in one repeat: 256 bytes of the
/// wider type of a cast, else of the source (dup: of the destination).
int64_t getLanes(const Instruction &instruction);

/// Lanes of `instruction` that its mask selects, as bits of two words.
struct Mask {
  uint64_t low, high;
  bool test(int64_t lane) const {
    return (lane < 64 ? low >> lane : high >> (lane - 64)) & 1;
  }
};
/// The mask without the bits of lanes that do not exist.
Mask getMask(const Instruction &instruction);
bool isMaskPartial(const Instruction &instruction);
/// Blocks of a repeat of src0 with any lane in the mask: the results of a group
/// reduction.
int64_t getActiveBlocks(const Instruction &instruction);

/// The pipe whose queue the instruction goes through. S: the front end itself
/// (alloc, loads of scalars, barrier(all), waits and sets of S), or a move on a
/// path that does not exist.
Pipe getPipe(const Instruction &instruction);

/// What an instruction costs its pipe.
struct Cost {
  /// Paid if the pipe was idle; and if it was busy.
  int64_t head = 0, busyHead = 0;
  /// Without the head. 0 for moves to and from global memory, whose time comes
  /// from `packages`.
  int64_t busy = 0;
  int64_t tail = 0;
  /// Packages on the channel to global memory, twice as many for atomic adds,
  /// and the bytes in them, each byte counted once.
  int64_t packages = 0, gmBytes = 0;
};
Cost getCost(const Machine &machine, const Instruction &instruction);

enum class Access : uint8_t {
  read,
  write,
  /// Reads and writes, as an accumulation: those in global memory need no order
  /// among themselves, those of mads in L0C only the order of their pipe.
  accumulate
};

/// Calls fn(Address, int64_t bytes, Access) for each range of bytes that a
/// legal instruction touches, reads before writes; adjacent bytes of an operand
/// are one range where that is cheap to see. Vector strides that make repeats
/// overlap make ranges overlap.
template <typename Fn>
void forEachRange(const Instruction &instruction, Fn &&fn);

/// What is wrong with an instruction regardless of what came before it: paths,
/// types, alignment, limits, strides, capacity. The simulator checks the sizes
/// of tensors, with getGlobalExtent. The error has no location yet. With
/// `buffers`, the bytes that it touches must also be within the buffers, in
/// whole blocks, whose numbers (starting at 1) its addresses carry.
std::optional<Error> check(const Machine &machine,
                           const Instruction &instruction,
                           const std::vector<Buffer> *buffers = nullptr);

/// Bytes from an address in global memory up to the last that the instruction
/// touches there; 0 if it does not touch global memory.
int64_t getGlobalExtent(const Instruction &instruction);

namespace detail {
using RangeFn = void (*)(void *context, Address address, int64_t bytes,
                         Access access);
void forEachRange(const Instruction &instruction, RangeFn fn, void *context);
} // namespace detail

template <typename Fn>
void forEachRange(const Instruction &instruction, Fn &&fn) {
  detail::forEachRange(
      instruction,
      [](void *context, Address address, int64_t bytes, Access access) {
        (*static_cast<std::remove_reference_t<Fn> *>(context))(address, bytes,
                                                               access);
      },
      const_cast<void *>(static_cast<const void *>(&fn)));
}

} // namespace gc::npu

#endif // GC_NPUMODEL_INSTRUCTION_H
