// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The errors of a single instruction, regardless of what came before it: what
// the checks of all kinds of instructions share.

#ifndef GC_LIB_NPUMODEL_CHECK_H
#define GC_LIB_NPUMODEL_CHECK_H

#include "NpuModel/Instruction.h"

#include <algorithm>

namespace gc::npu {

/// Sizes stay below this, so that products of two of them and a small factor
/// cannot overflow.
inline constexpr int64_t kHuge = int64_t(1) << 28;

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

/// Collects the first error; every function returns false from then on.
class Checker {
public:
  Checker(const Machine &machine, const Instruction &instruction,
          const std::vector<Buffer> *buffers)
      : machine(machine), in(instruction), buffers(buffers) {}

  std::optional<Error> run() {
    if (checkEnums())
      checkOpcode();
    if (mayLeaveBuffer && !error)
      checkBuffers();
    return std::move(error);
  }

private:
  bool checkEnums();
  void checkOpcode();
  void checkAlloc();
  void checkDma();
  void checkBox();
  void checkLoad2d();
  void checkLoad3d();
  void checkMad();
  void checkDrain();
  void checkFlag();
  void checkBuffers();
  void checkScalarLoad();
  void checkVector();
  bool checkVectorTypes();
  bool checkVectorOperand(const char *what, Address address, DType type,
                          int64_t block, int64_t repeat, bool written);

  bool fail(ErrorKind kind, std::string message) {
    if (!error) {
      error.emplace();
      error->kind = kind;
      error->message = getSubject() + ": " + std::move(message);
    }
    return false;
  }
  std::string getSubject() const {
    if (in.opcode == Opcode::vector &&
        static_cast<int>(in.vectorOp) < kNumVectorOps)
      return std::string("vector ") + getName(in.vectorOp);
    return getName(in.opcode);
  }
  bool checkType(DType type, std::initializer_list<DType> types,
                 const char *what) {
    if (std::find(types.begin(), types.end(), type) != types.end())
      return true;
    return fail(ErrorKind::type, std::string("there is no form for ") + what +
                                     " of type " + getName(type));
  }
  bool checkRange(const char *what, int64_t value, int64_t min, int64_t max,
                  ErrorKind kind = ErrorKind::shape) {
    if (value >= min && value <= max)
      return true;
    std::string message = std::string(what) + " is " + std::to_string(value);
    if (value < min)
      return fail(kind,
                  message + ", but must be at least " + std::to_string(min));
    return fail(kind, message + ", but the most is " + std::to_string(max));
  }
  /// Sizes that only memory limits.
  bool checkSize(const char *what, int64_t value, int64_t min = 1) {
    return checkRange(what, value, min, kHuge);
  }
  bool checkMultiple(const char *what, int64_t value, int64_t factor,
                     ErrorKind kind = ErrorKind::shape) {
    if (value % factor == 0)
      return true;
    return fail(kind, std::string(what) + " is " + std::to_string(value) +
                          ", but must be a multiple of " +
                          std::to_string(factor));
  }
  bool checkSpace(const char *what, Address address,
                  std::initializer_list<Space> spaces) {
    Space space = address.getSpace();
    if (std::find(spaces.begin(), spaces.end(), space) != spaces.end())
      return true;
    return fail(ErrorKind::path, std::string("there is no path with ") + what +
                                     " in " + getName(space));
  }
  /// Alignment and end of `bytes` bytes at `address`, in a local buffer.
  bool checkLocal(const char *what, Address address, int64_t bytes) {
    Space space = address.getSpace();
    if (space == Space::gm)
      return true;
    int64_t offset = address.getOffset();
    int64_t alignment = machine.getAlignment(space);
    if (offset % alignment)
      return fail(ErrorKind::alignment,
                  std::string(what) + " is at byte " + std::to_string(offset) +
                      " of " + getName(space) +
                      ", but addresses there are multiples of " +
                      std::to_string(alignment));
    return checkEnd(what, address, bytes);
  }
  bool checkEnd(const char *what, Address address, int64_t bytes) {
    if (const Buffer *buffer = findBuffer(address))
      if (buffer->contains(address.getOffset(), bytes))
        return true;
    return checkCapacity(what, address, bytes);
  }
  // Apart from the check above, which runs for each operand that is simulated.
  __attribute__((noinline)) bool checkCapacity(const char *what,
                                               Address address, int64_t bytes) {
    int64_t offset = address.getOffset();
    int64_t capacity = machine.getCapacity(address.getSpace());
    const Buffer *buffer = findBuffer(address);
    if (offset >= 0 && offset + bytes <= capacity) {
      // What an operand spans is known here; how much of that it touches is
      // not.
      mayLeaveBuffer |= buffer != nullptr;
      return true;
    }
    return buffer ? failBuffer(*buffer, offset, bytes)
                  : failCapacity(what, address, bytes);
  }
  __attribute__((noinline)) bool failCapacity(const char *what, Address address,
                                              int64_t bytes) {
    int64_t offset = address.getOffset();
    std::string where = std::string(" of ") + getName(address.getSpace()) +
                        ", which has " +
                        std::to_string(machine.getCapacity(address.getSpace()));
    if (offset < 0)
      return fail(ErrorKind::capacity, std::string(what) + " begins at byte " +
                                           std::to_string(offset) + where);
    return fail(ErrorKind::capacity, std::string(what) + " ends at byte " +
                                         std::to_string(offset + bytes) +
                                         where);
  }
  /// The buffer that an operand belongs to; null if unknown.
  const Buffer *findBuffer(Address address) const {
    size_t number = static_cast<size_t>(address.getNumber());
    if (number == 0 || !buffers || number > buffers->size() ||
        address.getSpace() == Space::gm || in.opcode == Opcode::alloc)
      return nullptr;
    return &(*buffers)[number - 1];
  }
  __attribute__((noinline)) bool failBuffer(const Buffer &buffer,
                                            int64_t offset, int64_t bytes) {
    auto getRange = [](int64_t begin, int64_t size) {
      return "[" + std::to_string(begin) + ", " + std::to_string(begin + size) +
             ")";
    };
    fail(ErrorKind::buffer, "bytes " + getRange(offset, bytes) + " of " +
                                getName(buffer.space) +
                                " are not all in the operand's buffer, "
                                "bytes " +
                                getRange(buffer.begin, buffer.bytes));
    error->otherLocation = buffer.location;
    return false;
  }

  const Machine &machine;
  const Instruction &in;
  const std::vector<Buffer> *buffers;
  /// An operand spans more than its buffer.
  bool mayLeaveBuffer = false;
  std::optional<Error> error;
};

} // namespace gc::npu

#endif // GC_LIB_NPUMODEL_CHECK_H
