// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a program gives the front end, the pipes and the channel to do, without
// the order between them: no order takes fewer cycles.

#include "Core.h"

#include <algorithm>

using namespace gc::npu;

bool Core::failLate(const Instruction &in) {
  return shared.fail(makeError(ErrorKind::limitReached, in,
                               "the program is cut off after " +
                                   std::to_string(shared.options.maxCycles) +
                                   " cycles"));
}

bool Core::addWork(const Entry &entry) {
  const Cost &cost = entry.cost;
  ++report.instructions[static_cast<size_t>(entry.instruction.opcode)];
  if (entry.instruction.opcode == Opcode::alloc)
    return true;
  int64_t issue = entry.instruction.opcode == Opcode::loadScalar
                      ? machine.registerLoadCycles
                      : machine.issueCycles;
  now += issue;
  report.busy[0] += issue;
  if (entry.instruction.opcode == Opcode::loadScalar)
    feed.answer(0);
  int64_t work = cost.busyHead + cost.busy;
  if (cost.packages > 0) {
    work = shared.channel.getLeastCycles(cost.packages);
    shared.packages += cost.packages;
    report.packages += cost.packages;
  }
  // Flags and barriers have no cost of their own; S has none but issue.
  int64_t &busy = report.busy[static_cast<size_t>(entry.pipe)];
  if (entry.pipe != Pipe::s)
    busy += work;
  PipeState &pipe = get(entry.pipe);
  pipe.visibleAt = std::max(pipe.visibleAt, busy);
  pipe.visibleAt =
      std::max(pipe.visibleAt, shared.channel.getLeastCycles(shared.packages));
  return std::max(now, pipe.visibleAt) <= shared.options.maxCycles ||
         failLate(entry.instruction);
}

bool Core::countWork() {
  while (const Entry *entry = feed.next())
    if (!admit(*entry) || (!entry->empty && !addWork(*entry)))
      return false;
  return true;
}
