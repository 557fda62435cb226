// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a program for the NPU did wrong.

#ifndef GC_NPUMODEL_ERROR_H
#define GC_NPUMODEL_ERROR_H

#include <cstdint>
#include <string>

namespace gc::npu {

enum class ErrorKind : uint8_t {
  // Errors of one instruction, seen without running the program.
  path,      ///< no pipe moves data between these buffers
  type,      ///< the instruction does not exist for this type
  shape,     ///< sizes that contradict each other, or are not positive
  alignment, ///< an address or stride that is not a multiple of what it must be
  limit,     ///< repeats, strides, bursts: more than the machine can
  capacity,  ///< past the end of a memory of the core
  flag,      ///< no such flag, or a pipe pair without flags
  // Of a run.
  bounds,       ///< outside of a tensor, or no such tensor
  buffer,       ///< outside of the buffer that the operand is a part of
  readOnly,     ///< writes an input
  poison,       ///< reads bytes that have not been written since the buffer was
                ///< allocated
  race,         ///< two accesses to a byte, one a write, without order
  flagSet,      ///< set_flag of a flag that may still be set
  flagLeft,     ///< a flag that is still set at the end
  waitForever,  ///< a wait_flag that no set_flag answers
  deadlock,     ///< pipes that wait for each other
  limitReached, ///< more instructions or buffers than the run allows
  frontEnd,     ///< a division by zero, an invalid step or a slot that does not
                ///< exist
};

const char *getName(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::path;
  /// One sentence without a location.
  std::string message;
  /// Location index of the instruction that is wrong, and of the other one that
  /// it conflicts with, or that made the buffer; -1: none.
  int32_t location = -1, otherLocation = -1;
  int32_t core = 0;
};

} // namespace gc::npu

#endif // GC_NPUMODEL_ERROR_H
