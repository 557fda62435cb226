// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pipes of a core: take entries from their queues in order and run them.

#include "Core.h"

using namespace gc::npu;

/// Takes effect at `now`: leaves the queue.
void Core::leave(PipeState &pipe, int64_t now) {
  pipe.left[pipe.popped % pipe.slots.size()] = now;
  pipe.leftAt = now;
  ++pipe.popped;
  if (block == Block::barrier || (block == Block::fifo && blocking == &pipe))
    wake(Pipe::s);
}

/// Runs a pipe as far as it is known when its entries take effect.
bool Core::runPipe(Pipe id) {
  PipeState &pipe = get(id);
  while (!pipe.isEmpty()) {
    Slot &slot = pipe.front();
    const Instruction &in = slot.entry.instruction;
    int64_t now = std::max(slot.issued + 1, pipe.leftAt);
    if (slot.hasNews) {
      pipe.clock.join(slot.news);
      slot.hasNews = false;
    }
    switch (in.opcode) {
    case Opcode::setFlag:
      ++pipe.entries;
      if (!setFlag(in, pipe, now))
        return false;
      break;
    case Opcode::waitFlag:
      if (!waitFlag(in, pipe, now))
        return true;
      break;
    case Opcode::barrier:
      if (pipe.transferring)
        return true;
      now = std::max(now, pipe.visibleAt);
      pipe.clock[id] = ++pipe.entries;
      ++report.barriers;
      break;
    default:
      if (pipe.transferring)
        return true;
      now = std::max(now, pipe.freeAt);
      ++pipe.entries;
      if (!start(id, slot, now))
        return false;
      break;
    }
    leave(pipe, now);
  }
  return true;
}

bool Core::setFlag(const Instruction &in, PipeState &pipe, int64_t now) {
  Flag &flag = getFlag(in.pipe, in.toPipe, in.flag.event);
  if (flag.set || pipe.clock[in.toPipe] < flag.lastWait) {
    Error error = makeError(
        ErrorKind::flagSet, in,
        "set_flag" + getFlagName(in) +
            (flag.set ? " of a flag that is still set"
                      : " of a flag that may still be set: nothing orders it "
                        "after the last wait_flag"));
    error.otherLocation = flag.set ? flag.setLocation : flag.waitLocation;
    return shared.fail(std::move(error));
  }
  flag.set = true;
  flag.pending = pipe.transferring;
  flag.time = std::max(now, pipe.visibleAt);
  flag.clock = pipe.clock;
  flag.clock[in.pipe] = pipe.entries;
  flag.setLocation = in.location;
  ++report.flags;
  wake(in.toPipe);
  return true;
}

void Core::traceWait(const Instruction &in, const Flag &flag, int64_t start,
                     int64_t end) {
  TraceEvent event;
  event.core = coreId;
  event.pipe = in.toPipe;
  event.opcode = Opcode::waitFlag;
  event.location = in.location;
  event.start = start;
  event.end = event.visible = end;
  event.from = in.pipe;
  event.flag = static_cast<int8_t>(in.flag.event);
  event.setLocation = flag.setLocation;
  event.set = flag.time;
  shared.trace.push_back(event);
}

bool Core::waitFlag(const Instruction &in, PipeState &pipe, int64_t &now) {
  Flag &flag = getFlag(in.pipe, in.toPipe, in.flag.event);
  if (!flag.set || flag.pending)
    return false;
  int64_t start = std::max(now, pipe.transferring ? flag.time : pipe.freeAt);
  now = std::max(now, flag.time);
  if (shared.options.trace)
    traceWait(in, flag, std::min(start, now), now);
  flag.set = false;
  flag.lastWait = ++pipe.entries;
  flag.waitLocation = in.location;
  pipe.clock.join(flag.clock);
  // S sees its own effects immediately.
  if (in.toPipe == Pipe::s)
    pipe.clock[Pipe::s] = pipe.entries;
  return true;
}

/// An op starts.
bool Core::start(Pipe id, Slot &slot, int64_t now) {
  PipeState &pipe = get(id);
  const Entry &entry = slot.entry;
  const Instruction &in = entry.instruction;
  if (!checkAccesses(in, id, slot.sequence))
    return false;
  if (memory)
    execute(in, *memory);
  if (in.opcode == Opcode::vector)
    ++report.vectorOps[static_cast<size_t>(in.vectorOp)];
  if (entry.cost.packages > 0) {
    startTransfer(id, slot, now);
    return true;
  }
  int64_t head = now > pipe.freeAt ? entry.cost.head : entry.cost.busyHead;
  int64_t busy = head + entry.cost.busy;
  pipe.freeAt = now + busy;
  pipe.visibleAt = std::max(pipe.visibleAt, pipe.freeAt + entry.cost.tail);
  report.busy[static_cast<size_t>(id)] += busy;
  if (shared.options.trace) {
    TraceEvent event = {
        coreId,      id,          in.opcode,
        in.vectorOp, -1,          in.location,
        now,         pipe.freeAt, pipe.freeAt + entry.cost.tail};
    shared.trace.push_back(event);
  }
  return true;
}

static int getRequester(int core, Pipe pipe) {
  return core * 2 + (pipe == Pipe::mte3);
}

void Core::startTransfer(Pipe id, const Slot &slot, int64_t now) {
  PipeState &pipe = get(id);
  const Cost &cost = slot.entry.cost;
  const Instruction &in = slot.entry.instruction;
  Transfer transfer;
  transfer.arrival = now;
  transfer.packages = cost.packages;
  transfer.write = in.dst.getSpace() == Space::gm;
  transfer.twice = in.accumulate;
  Address address = transfer.write ? in.dst : in.src0;
  transfer.begin = shared.places[static_cast<size_t>(address.getTensor())] +
                   address.getOffset();
  if (in.opcode == Opcode::dma) {
    transfer.runs = in.dma.bursts;
    transfer.bytes = in.dma.bytes;
    transfer.stride = transfer.write ? in.dma.dstStride : in.dma.srcStride;
  } else {
    int64_t bytes = getBytes(in.type);
    transfer.runs = in.box.rows;
    transfer.bytes = in.box.columns * bytes;
    transfer.stride = in.box.pitch * bytes;
  }
  // Runs that touch are one.
  if (transfer.stride == transfer.bytes) {
    transfer.bytes *= transfer.runs;
    transfer.runs = 1;
  }
  (transfer.write ? report.gmBytesWritten : report.gmBytesRead) += cost.gmBytes;
  // An atomic add reads what it adds to.
  if (in.accumulate)
    report.gmBytesRead += cost.gmBytes;
  report.packages += cost.packages;
  pipe.transferring = true;
  pipe.transfer = {coreId, id, in.opcode, in.vectorOp, -1, in.location,
                   now,    0,  0};
  shared.channel.start(getRequester(coreId, id), transfer);
}

void Core::complete(Pipe id, const Completion &completion) {
  PipeState &pipe = get(id);
  pipe.transferring = false;
  pipe.freeAt = completion.end;
  pipe.visibleAt = std::max(pipe.visibleAt, completion.visible);
  pipe.transfer.end = completion.end;
  pipe.transfer.visible = completion.visible;
  report.busy[static_cast<size_t>(id)] += completion.end - pipe.transfer.start;
  if (shared.options.trace)
    shared.trace.push_back(pipe.transfer);
  for (int to = 0; to < kNumPipes; ++to)
    for (int64_t event = 0; event < machine.flagsPerPair; ++event) {
      Flag &flag = getFlag(id, static_cast<Pipe>(to), event);
      if (!flag.pending)
        continue;
      flag.pending = false;
      flag.time = std::max(flag.time, pipe.visibleAt);
      wake(static_cast<Pipe>(to));
    }
  wake(id);
  if (block == Block::barrier)
    wake(Pipe::s);
}
