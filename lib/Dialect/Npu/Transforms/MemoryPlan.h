// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the buffers of a kernel live, and when.

#ifndef GC_LIB_DIALECT_NPU_TRANSFORMS_MEMORYPLAN_H
#define GC_LIB_DIALECT_NPU_TRANSFORMS_MEMORYPLAN_H

#include "Dialect/Npu/IR/NpuOps.h"
#include "Support/MemoryPicture.h"

namespace gc::npu {

/// A buffer with one address.
struct PlannedBuffer {
  AllocOp alloc;
  MemorySpace space = MemorySpace::ub;
  /// Bytes from one slot to the next.
  int64_t slotBytes = 0, slots = 1;
  /// When it holds something that is needed; empty if it is not used.
  Interval lifetime;
  /// The outermost loops that use it.
  llvm::SmallVector<mlir::Operation *, 2> loops;
  /// Bit i: pipe i reads or writes it.
  uint32_t pipes = 0;
  /// The program gave the address.
  bool fixed = false;
  int64_t offset = 0;

  mlir::MemRefType getType() const {
    return AllocOp(alloc).getBuffer().getType();
  }
  int64_t getBytes() const { return slotBytes * slots; }
  int64_t getEnd() const { return offset + getBytes(); }
  bool isAliveWith(const PlannedBuffer &other) const {
    return lifetime.overlaps(other.lifetime);
  }
  bool sharesLoopWith(const PlannedBuffer &other) const;
  bool meets(const PlannedBuffer &other) const {
    return offset < other.getEnd() && other.offset < getEnd();
  }
  /// `v, mte2`.
  std::string getPipeText() const;
};

/// Which buffers, of those that are not alive at the same time, may have bytes
/// in common. Each level allows what those before it allow.
enum class Sharing {
  none,
  /// Buffers that the same single pipe uses: it runs in order anyway.
  samePipe,
  /// Buffers of different outermost loops: no iterations overlap.
  phases,
  /// All, although a pipe may have to wait for another.
  any
};

bool mayShare(const PlannedBuffer &a, const PlannedBuffer &b, Sharing sharing);

/// Calls `use` for each use of a buffer that reads or writes it, through views
/// and slots. Emits an error at an op through which uses cannot be followed.
llvm::LogicalResult forEachUse(mlir::Value memref,
                               llvm::function_ref<void(mlir::OpOperand &)> use);

/// The buffers of a kernel of one block, with their lifetimes: from the first
/// op that uses it to the last, each lifted to the block of the `npu.alloc`.
/// A buffer allocated outside a loop and used in it is alive throughout the
/// loop.
llvm::FailureOr<llvm::SmallVector<PlannedBuffer>>
collectBuffers(mlir::func::FuncOp function, const Machine &machine);

/// Calls `fn` for each space of the core that has buffers, with them.
void forEachSpace(
    llvm::ArrayRef<PlannedBuffer> buffers,
    llvm::function_ref<void(MemorySpace, llvm::ArrayRef<const PlannedBuffer *>)>
        fn);

/// The moment at which the most bytes are needed, and the buffers that are
/// alive then.
struct Peak {
  int64_t bytes = -1;
  llvm::SmallVector<const PlannedBuffer *> alive;
};
Peak findPeak(llvm::ArrayRef<const PlannedBuffer *> buffers);

/// Places the buffers of one space. Fixed ones keep their offsets.
struct Packing {
  Sharing sharing = Sharing::none;
  /// The bytes from 0 to the end of the last buffer.
  int64_t bytes = 0;
  bool fits = false;
  /// Offsets in the order of the buffers.
  llvm::SmallVector<int64_t> offsets;
};

/// The lowest level of sharing at which the buffers fit, up to `limit`; if none
/// does, the smallest packing that was found with that limit. Several orders
/// are tried, the largest buffers first.
Packing packBuffers(llvm::ArrayRef<const PlannedBuffer *> buffers,
                    int64_t capacity, int64_t alignment, Sharing limit);

/// The plan of a kernel as a picture: a strip for each space that is used, with
/// its capacity, buffers by address; all loops are phases, `loop 1.0` the first
/// in the second. Needs the kernel as it was when its buffers were collected.
MemoryPicture drawPlan(mlir::func::FuncOp kernel,
                       llvm::ArrayRef<PlannedBuffer> buffers,
                       const Machine &machine);

/// The same as lines of text.
void printPlan(const MemoryPicture &plan, llvm::raw_ostream &os);

/// `2 slots of 64x128xf16`, with its name before the shape if its location has
/// one.
std::string getBufferText(const PlannedBuffer &buffer);

} // namespace gc::npu

#endif // GC_LIB_DIALECT_NPU_TRANSFORMS_MEMORYPLAN_H
