// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The front end of a core: takes the program's instructions in order and puts
// them into the queues of the pipes.

#include "Core.h"

using namespace gc::npu;

static Stall getFifoStall(Pipe pipe) {
  return static_cast<Stall>(static_cast<int>(pipe) - 1);
}

void Core::stall(Stall reason, int64_t until, int32_t location) {
  if (until <= now)
    return;
  report.stalls[static_cast<size_t>(reason)] += until - now;
  if (shared.options.trace) {
    TraceEvent event;
    event.core = coreId;
    event.stall = static_cast<int8_t>(reason);
    event.location = location;
    event.start = now;
    event.end = event.visible = until;
    shared.trace.push_back(event);
  }
  now = until;
}

bool Core::runFrontEnd() {
  while (!shared.error) {
    if (!current) {
      current = feed.next();
      if (!current) {
        block = Block::end;
        return true;
      }
      if (!admit(*current))
        return false;
      if (current->empty) {
        current = nullptr;
        continue;
      }
    }
    block = Block::none;
    if (!issue(*current))
      return false;
    if (block != Block::none)
      return true;
    ++report.instructions[static_cast<size_t>(current->instruction.opcode)];
    current = nullptr;
  }
  return false;
}

/// The scalar work before an instruction, and its errors, which do not depend
/// on time.
bool Core::admit(const Entry &entry) {
  const Instruction &in = entry.instruction;
  int64_t work = int64_t(entry.iterations) * machine.iterationCycles +
                 int64_t(entry.scalars) * machine.scalarCycles;
  now += work;
  report.busy[0] += work;
  report.iterations += entry.iterations;
  shared.instructions += int64_t(entry.iterations) + entry.scalars + 1;
  if (shared.instructions > shared.options.maxInstructions)
    return shared.fail(
        makeError(ErrorKind::limitReached, in,
                  "the program is cut off after " +
                      std::to_string(shared.options.maxInstructions) +
                      " instructions and loop iterations"));
  if (now > shared.options.maxCycles)
    return failLate(in);
  if (entry.illegal)
    return shared.fail(feed.getError());
  if (entry.empty)
    return true;
  int64_t extent = getGlobalExtent(in);
  if (extent == 0)
    return true;
  bool written = in.dst.getSpace() == Space::gm;
  Address address = written ? in.dst : in.src0;
  size_t tensor = static_cast<size_t>(address.getTensor());
  if (tensor >= shared.tensors.size())
    return shared.fail(makeError(ErrorKind::bounds, in,
                                 std::string(getName(in.opcode)) +
                                     ": there is no tensor " +
                                     std::to_string(tensor)));
  const Tensor &t = shared.tensors[tensor];
  int64_t begin = address.getOffset(), end = begin + extent;
  if (begin < 0 || end > t.bytes)
    return shared.fail(makeError(
        ErrorKind::bounds, in,
        std::string(getName(in.opcode)) + (written ? " writes" : " reads") +
            " bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
            ") of tensor '" + t.name + "', which has " +
            std::to_string(t.bytes)));
  if (written && !t.writable)
    return shared.fail(makeError(ErrorKind::readOnly, in,
                                 std::string(getName(in.opcode)) +
                                     " writes tensor '" + t.name +
                                     "', which is an input"));
  return true;
}

/// Issues, or says in `block` why not yet. False after an error.
bool Core::issue(const Entry &entry) {
  const Instruction &in = entry.instruction;
  if (in.opcode == Opcode::alloc) {
    ++sequence;
    if (shared.options.check)
      shadows[static_cast<size_t>(in.dst.getSpace())]->alloc(
          in.dst.getOffset(), in.dst.getOffset() + in.alloc.bytes, sequence,
          getOldest());
    return true;
  }
  return entry.pipe == Pipe::s ? issueAlone(entry) : push(entry);
}

bool Core::push(const Entry &entry) {
  PipeState &pipe = get(entry.pipe);
  uint64_t depth = pipe.slots.size();
  if (pipe.pushed - pipe.popped == depth) {
    block = Block::fifo;
    blocking = &pipe;
    return true;
  }
  // The place is known to become free, but possibly later than now.
  uint64_t place = pipe.pushed % depth;
  if (pipe.pushed >= depth)
    stall(getFifoStall(entry.pipe), pipe.left[place],
          entry.instruction.location);
  Slot &slot = pipe.slots[place];
  slot.entry = entry;
  slot.issued = now;
  slot.sequence = ++sequence;
  slot.hasNews = pipe.knownNews != news;
  if (slot.hasNews) {
    slot.news = get(Pipe::s).clock;
    pipe.knownNews = news;
  }
  ++pipe.pushed;
  now += machine.issueCycles;
  report.busy[0] += machine.issueCycles;
  wake(entry.pipe);
  return true;
}

/// Instructions that the front end executes itself.
bool Core::issueAlone(const Entry &entry) {
  const Instruction &in = entry.instruction;
  PipeState &s = get(Pipe::s);
  switch (in.opcode) {
  case Opcode::loadScalar:
    return loadScalar(entry);
  case Opcode::barrier:
    if (!barrierAll())
      return true;
    break;
  case Opcode::setFlag:
    ++sequence;
    learn();
    s.visibleAt = now;
    if (!setFlag(in, s, now))
      return false;
    break;
  case Opcode::waitFlag: {
    int64_t until = now;
    if (!waitFlag(in, s, until)) {
      block = Block::flag;
      return true;
    }
    ++sequence;
    ++news;
    stall(Stall::waitFlag, until, in.location);
    break;
  }
  default:
    break;
  }
  now += machine.issueCycles;
  report.busy[0] += machine.issueCycles;
  return true;
}

bool Core::loadScalar(const Entry &entry) {
  const Instruction &in = entry.instruction;
  ++sequence;
  learn();
  if (!checkAccesses(in, Pipe::s, sequence))
    return false;
  feed.answer(memory ? npu::loadScalar(*memory, in.src0, in.type) : 0);
  now += machine.registerLoadCycles;
  report.busy[0] += machine.registerLoadCycles;
  return true;
}

bool Core::barrierAll() {
  int64_t until = now;
  for (const PipeState &pipe : pipes) {
    if (!pipe.isEmpty() || pipe.transferring) {
      block = Block::barrier;
      return false;
    }
    until = std::max({until, pipe.visibleAt, pipe.leftAt});
  }
  stall(Stall::barrierAll, until, current->instruction.location);
  ++sequence;
  learn();
  PipeState &s = get(Pipe::s);
  for (int i = 1; i < kNumPipes; ++i)
    s.clock.entries[i] = pipes[i].entries;
  ++report.barriersAll;
  return true;
}

/// The lowest position in program order of anything that has not started.
uint32_t Core::getOldest() const {
  uint32_t oldest = sequence;
  for (const PipeState &pipe : pipes)
    if (!pipe.isEmpty())
      oldest = std::min(oldest, pipe.front().sequence);
  return oldest;
}
