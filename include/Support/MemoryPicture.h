// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The picture of a memory plan: one strip for each memory, time to the right,
// addresses upwards, a box for each buffer. Any pass that places buffers can
// describe its plan this way.

#ifndef GC_SUPPORT_MEMORYPICTURE_H
#define GC_SUPPORT_MEMORYPICTURE_H

#include "Support/OpClock.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc {

/// A named part of the program, such as a loop.
struct PicturePhase {
  std::string name;
  Interval time;
  /// Phases around it.
  unsigned depth = 0;
};

struct PictureBuffer {
  /// What it is, `64x128xf32`; written into the box if there is room.
  std::string name;
  /// More about it, shown after its name, place and size in the box's tooltip.
  std::string detail;
  Interval life;
  int64_t offset = 0;
  /// Bytes of one slot; slots are adjacent.
  int64_t slotBytes = 0, slots = 1;
};

struct PictureStrip {
  std::string title;
  /// Where the last buffer ends.
  int64_t bytes = 0;
  /// How many bytes there are, if there is a limit, drawn as a line across the
  /// strip.
  std::optional<int64_t> capacity;
  llvm::SmallVector<PictureBuffer> buffers;
};

struct MemoryPicture {
  std::string title;
  llvm::SmallVector<PicturePhase> phases;
  llvm::SmallVector<PictureStrip> strips;
};

/// Writes the picture as SVG. Only times at which a phase or a buffer begins or
/// ends take up space.
void drawMemory(const MemoryPicture &picture, llvm::raw_ostream &os);

/// Writes it to FOLDER/FUNCTION.svg. Emits an error at the function if that
/// cannot be written.
llvm::LogicalResult writeMemoryPicture(const MemoryPicture &picture,
                                       mlir::func::FuncOp function,
                                       llvm::StringRef folder);

/// The phases of `phases`, in order of time, that overlap with a life: `loop
/// 0`, or the first and the last, `loop 0 to loop 2`. Empty if there are none.
std::string getPhaseText(llvm::ArrayRef<PicturePhase> phases,
                         const Interval &life);

/// `64x128xf32`, the element type alone for a shape without dimensions.
std::string getShapeText(mlir::ShapedType type);

} // namespace gc

#endif // GC_SUPPORT_MEMORYPICTURE_H
