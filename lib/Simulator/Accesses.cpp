// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What ops touch, checked when they start, and the errors if it is wrong.

#include "Core.h"

using namespace gc::npu;

static std::string getSubject(const Toucher &op, Pipe pipe) {
  std::string name = op.opcode == Opcode::vector
                         ? std::string("vector ") + getName(op.vectorOp)
                         : getName(op.opcode);
  return name + " on " + getName(pipe);
}

static const char *getVerb(Access access) {
  return access == Access::read    ? "reads"
         : access == Access::write ? "writes"
                                   : "adds to";
}

static Toucher getToucher(const Instruction &in, uint32_t entry,
                          uint32_t sequence, int core) {
  return {entry,     sequence,   in.location, static_cast<int16_t>(core),
          in.opcode, in.vectorOp};
}

/// An op that is before `reader` in the program and has not started, which
/// writes some of the bytes that the reader finds poisoned: the two are not
/// ordered.
std::optional<Conflict> Core::findLateWriter(Space space, int64_t begin,
                                             int64_t end,
                                             const Accessor &reader) const {
  std::optional<Conflict> result;
  for (int i = 1; i < kNumPipes; ++i) {
    const PipeState &pipe = pipes[i];
    if (static_cast<Pipe>(i) == reader.pipe)
      continue;
    for (uint64_t j = pipe.popped; j < pipe.pushed; ++j) {
      const Slot &slot = pipe.slots[j % pipe.slots.size()];
      if (slot.sequence > reader.self.sequence)
        break;
      const Instruction &in = slot.entry.instruction;
      forEachRange(in, [&](Address address, int64_t bytes, Access access) {
        int64_t first = std::max(begin, address.getOffset());
        int64_t last = std::min(end, address.getOffset() + bytes);
        if (access == Access::read || address.getSpace() != space ||
            first >= last)
          return;
        // The last one in the program is the intended one.
        if (result && result->other.sequence > slot.sequence)
          return;
        result.emplace();
        result->begin = first;
        result->end = last;
        result->other = getToucher(in, 0, slot.sequence, coreId);
        result->pipe = static_cast<Pipe>(i);
        result->access = access;
      });
    }
  }
  return result;
}

void Core::reportPoison(const Accessor &accessor, const std::string &range) {
  Error error;
  error.kind = ErrorKind::poison;
  error.message = getSubject(accessor.self, accessor.pipe) + " reads " + range +
                  ", which nothing has written since the buffer was allocated";
  error.location = accessor.self.location;
  error.core = coreId;
  shared.fail(std::move(error));
}

void Core::reportRace(const Accessor &accessor, Access access,
                      const Conflict &conflict, const std::string &range) {
  // The later one in the program is at fault; the order in which the simulator
  // reached them is irrelevant.
  Toucher later = accessor.self, earlier = conflict.other;
  Pipe laterPipe = accessor.pipe, earlierPipe = conflict.pipe;
  Access laterAccess = access, earlierAccess = conflict.access;
  bool foreign = later.core != earlier.core;
  if (!foreign && earlier.sequence > later.sequence) {
    std::swap(later, earlier);
    std::swap(laterPipe, earlierPipe);
    std::swap(laterAccess, earlierAccess);
  }
  Error error;
  error.kind = ErrorKind::race;
  error.message = "race: " + getSubject(later, laterPipe) + " " +
                  getVerb(laterAccess) + " " + range + ", which " +
                  getSubject(earlier, earlierPipe) +
                  (foreign ? " of core " + std::to_string(earlier.core) : "") +
                  " " + getVerb(earlierAccess);
  if (foreign)
    error.message += "; cores are not ordered";
  else if (laterPipe == earlierPipe)
    error.message += std::string(" before it; no barrier(") +
                     getName(laterPipe) + ") makes that visible";
  else
    error.message += std::string("; no flag from ") + getName(earlierPipe) +
                     " to " + getName(laterPipe) + " orders them";
  error.location = later.location;
  error.otherLocation = earlier.location;
  error.core = later.core;
  shared.fail(std::move(error));
}

bool Core::checkAccesses(const Instruction &in, Pipe pipe, uint32_t sequence) {
  if (!shared.options.check)
    return true;
  PipeState &state = get(pipe);
  Accessor accessor = {getToucher(in, state.entries, sequence, coreId), pipe,
                       state.clock};
  uint32_t oldest = getOldest();
  bool good = true;
  forEachRange(in, [&](Address address, int64_t bytes, Access access) {
    if (!good)
      return;
    Space space = address.getSpace();
    int64_t begin = address.getOffset(), end = begin + bytes;
    Conflict conflict;
    std::string where;
    if (space == Space::gm) {
      size_t tensor = static_cast<size_t>(address.getTensor());
      GlobalShadow *shadow = shared.shadows[tensor].get();
      good = !shadow || shadow->access(access, begin, end, accessor, conflict);
      if (!good)
        where = "tensor '" + shared.tensors[tensor].name + "'";
    } else {
      good = shadows[static_cast<size_t>(space)]->access(
          access, begin, end, accessor, oldest, conflict);
      if (!good)
        where = getName(space);
    }
    if (good)
      return;
    if (conflict.poison)
      if (auto late =
              findLateWriter(space, conflict.begin, conflict.end, accessor))
        conflict = *late;
    std::string range = "bytes [" + std::to_string(conflict.begin) + ", " +
                        std::to_string(conflict.end) + ") of " + where;
    if (conflict.poison)
      reportPoison(accessor, range);
    else
      reportRace(accessor, access, conflict, range);
  });
  return good;
}
