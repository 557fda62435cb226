// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core.h"

using namespace gc::npu;

Core::Core(int id, Shared &shared, Feed &feed)
    : coreId(id), machine(shared.machine), shared(shared), feed(feed),
      flags(static_cast<size_t>(kNumPipes * kNumPipes * machine.flagsPerPair)) {
  if (shared.options.mode == Mode::values)
    memory = std::make_unique<Memory>(machine, shared.tensors);
  shadows.resize(kNumSpaces);
  if (shared.options.check)
    for (Space space :
         {Space::l1, Space::ub, Space::l0a, Space::l0b, Space::l0c})
      shadows[static_cast<size_t>(space)] =
          std::make_unique<LocalShadow>(machine.getCapacity(space));
  for (PipeState &pipe : pipes) {
    pipe.slots.resize(static_cast<size_t>(machine.fifoDepth));
    pipe.left.resize(static_cast<size_t>(machine.fifoDepth));
  }
}

bool Core::settle() {
  while (runnable) {
    Pipe pipe = static_cast<Pipe>(__builtin_ctz(runnable));
    runnable &= runnable - 1;
    if (!(pipe == Pipe::s ? runFrontEnd() : runPipe(pipe)))
      return false;
  }
  return true;
}

bool Core::isDone() const {
  if (block != Block::end)
    return false;
  for (const PipeState &pipe : pipes)
    if (!pipe.isEmpty() || pipe.transferring)
      return false;
  return true;
}

std::string Core::getFlagName(const Instruction &in) {
  return "(" + std::string(getName(in.pipe)) + ", " + getName(in.toPipe) +
         ", " + std::to_string(in.flag.event) + ")";
}

bool Core::finish() {
  for (int from = 0; from < kNumPipes; ++from)
    for (int to = 0; to < kNumPipes; ++to)
      for (int64_t event = 0; event < machine.flagsPerPair; ++event) {
        Instruction in(Opcode::setFlag);
        in.pipe = static_cast<Pipe>(from);
        in.toPipe = static_cast<Pipe>(to);
        in.flag = {event};
        const Flag &flag = getFlag(in.pipe, in.toPipe, event);
        in.location = flag.setLocation;
        if (flag.set)
          return shared.fail(makeError(
              ErrorKind::flagLeft, in,
              "set_flag" + getFlagName(in) +
                  " is never waited for: the flag is set at the end"));
      }
  return true;
}

const Instruction *Core::findSet(const Instruction &wait) const {
  const PipeState &from = pipes[static_cast<size_t>(wait.pipe)];
  for (uint64_t i = from.popped; i < from.pushed; ++i) {
    const Instruction &in = from.slots[i % from.slots.size()].entry.instruction;
    if (in.opcode == Opcode::setFlag && in.toPipe == wait.toPipe &&
        in.flag.event == wait.flag.event)
      return &in;
  }
  return nullptr;
}

std::optional<std::pair<uint32_t, Error>> Core::getStuck() const {
  // The first wait in program order that cannot proceed; one without any
  // set_flag before one that only waits for what is itself stuck.
  const Instruction *wait = nullptr, *set = nullptr;
  uint32_t first = 0;
  auto consider = [&](const Instruction &in, uint32_t place) {
    if (in.opcode != Opcode::waitFlag)
      return;
    const Instruction *found = findSet(in);
    if (wait && (!set == !found ? first < place : !set))
      return;
    wait = &in;
    set = found;
    first = place;
  };
  for (const PipeState &pipe : pipes)
    if (!pipe.isEmpty())
      consider(pipe.front().entry.instruction, pipe.front().sequence);
  if (block == Block::flag)
    consider(current->instruction, sequence + 1);
  if (!wait)
    return std::nullopt;
  if (set) {
    Error error = makeError(ErrorKind::deadlock, *wait,
                            "deadlock: wait_flag" + getFlagName(*wait) +
                                " waits for a set_flag that is stuck in the "
                                "queue of " +
                                getName(wait->pipe));
    error.otherLocation = set->location;
    return std::make_pair(first, error);
  }
  if (block == Block::end)
    return std::make_pair(
        first, makeError(ErrorKind::waitForever, *wait,
                         "wait_flag" + getFlagName(*wait) +
                             " waits forever: no set_flag is left for it"));
  const char *reason = block == Block::barrier ? "in barrier(all)"
                       : block == Block::flag  ? "at a wait_flag on S"
                                               : "at a full queue";
  return std::make_pair(
      first, makeError(ErrorKind::deadlock, *wait,
                       "deadlock: wait_flag" + getFlagName(*wait) +
                           " waits, no set_flag for it has been issued, and "
                           "the front end is stuck " +
                           reason));
}

CoreReport Core::getReport() const {
  CoreReport result = report;
  result.cycles = now;
  for (const PipeState &pipe : pipes)
    result.cycles = std::max({result.cycles, pipe.visibleAt, pipe.leftAt});
  return result;
}

Error Core::makeError(ErrorKind kind, const Instruction &in,
                      std::string message) const {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  error.location = in.location;
  error.core = coreId;
  return error;
}
