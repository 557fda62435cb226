// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One core of the simulated machine: its front end and its pipes.
//
// A core is not advanced cycle by cycle. When an op starts depends only on the
// ops before it in its pipe, on its issue, on flags, and, for transfers, on the
// channel; so each pipe and the front end are run ahead as far as those are
// known, in any order, until all wait for the channel. The channel then
// completes one transfer: whatever that unblocks happens no earlier than the
// transfer's end, so all requests that the channel has to order are known.
//
// Where the specification is silent:
//  - The front end is at the next instruction one cycle after it issued one;
//  the
//    first op of a program is issued at cycle 0 and starts at cycle 1.
//  - set_flag, wait_flag and barrier leave their queue when they take effect;
//  they
//    do not wait for the pipe to be free. Any number may leave in one cycle.
//  - wait_flag on S and barrier(all) take their issue cycle after the wait.
//  - Ops of a pipe start in order, so a transfer after another starts when that
//    one has had its last package.
//  - Values are computed when an op starts; race detection makes that equal to
//    any other order that the synchronisation allows.

#ifndef GC_LIB_SIMULATOR_CORE_H
#define GC_LIB_SIMULATOR_CORE_H

#include "Channel.h"
#include "Clock.h"
#include "Feed.h"
#include "Shadow.h"

#include <memory>

namespace gc::npu {

/// What all cores share.
struct Shared {
  const Machine &machine;
  const Options &options;
  const std::vector<Tensor> &tensors;
  /// Place of each tensor as the cache sees it.
  std::vector<int64_t> places;
  /// Of tensors that are written; null for others.
  std::vector<std::unique_ptr<GlobalShadow>> shadows;
  Channel channel;
  int64_t instructions = 0;
  /// Of all cores; only if nothing waits.
  int64_t packages = 0;
  std::vector<TraceEvent> trace;
  std::optional<Error> error;

  /// The first error stays.
  bool fail(Error newError) {
    if (!error)
      error = std::move(newError);
    return false;
  }
};

class Core {
public:
  Core(int id, Shared &shared, Feed &feed);

  /// Runs everything that does not wait for the channel. False after an error.
  bool settle();
  /// The transfer of a pipe is complete.
  void complete(Pipe pipe, const Completion &completion);
  /// Nothing is left to do.
  bool isDone() const;
  /// Takes the program to its end as Options::waits says, instead of running
  /// it. False after an error.
  bool countWork();
  /// Checks at the end that no flag is left. False after an error.
  bool finish();
  /// The core cannot proceed: names the wait to blame, with its place in
  /// program order for comparison with other cores.
  std::optional<std::pair<uint32_t, Error>> getStuck() const;

  CoreReport getReport() const;

private:
  struct Slot {
    Entry entry;
    int64_t issued;
    uint32_t sequence;
    /// What S knew at issue, if that is news to the pipe.
    bool hasNews;
    Clock news;
  };

  struct PipeState {
    /// Ring of the queue's entries, and when the entry in each place left.
    std::vector<Slot> slots;
    std::vector<int64_t> left;
    uint64_t pushed = 0, popped = 0;
    /// End of the last op, when all that the pipe did is visible, when the last
    /// entry left.
    int64_t freeAt = -1, visibleAt = 0, leftAt = 0;
    /// A transfer is in progress: freeAt and visibleAt are not known yet.
    bool transferring = false;
    TraceEvent transfer;
    /// Entries that took effect; what the next one knows.
    uint32_t entries = 0;
    Clock clock;
    uint64_t knownNews = 0;

    bool isEmpty() const { return pushed == popped; }
    Slot &front() { return slots[popped % slots.size()]; }
    const Slot &front() const { return slots[popped % slots.size()]; }
  };

  struct Flag {
    bool set = false;
    /// Set after a transfer in progress: `time` is not final yet.
    bool pending = false;
    int64_t time = 0;
    Clock clock;
    /// The entry of the last wait in the waiting pipe; 0: none yet.
    uint32_t lastWait = 0;
    int32_t setLocation = -1, waitLocation = -1;
  };

  /// Why the front end cannot proceed.
  enum class Block : uint8_t { none, fifo, flag, barrier, end };

  PipeState &get(Pipe pipe) { return pipes[static_cast<size_t>(pipe)]; }
  Flag &getFlag(Pipe from, Pipe to, int64_t event) {
    return flags[(static_cast<size_t>(from) * kNumPipes +
                  static_cast<size_t>(to)) *
                     static_cast<size_t>(machine.flagsPerPair) +
                 static_cast<size_t>(event)];
  }
  void wake(Pipe pipe) { runnable |= 1u << static_cast<int>(pipe); }

  // FrontEnd.cpp
  bool runFrontEnd();
  bool admit(const Entry &entry);
  bool issue(const Entry &entry);
  bool issueAlone(const Entry &entry);
  bool push(const Entry &entry);
  bool loadScalar(const Entry &entry);
  bool barrierAll();
  void stall(Stall reason, int64_t until, int32_t location);
  uint32_t getOldest() const;
  /// An instruction of S itself takes effect.
  void learn() {
    PipeState &s = get(Pipe::s);
    s.clock[Pipe::s] = ++s.entries;
    ++news;
  }

  // Work.cpp
  bool addWork(const Entry &entry);
  bool failLate(const Instruction &in);

  // Pipes.cpp
  bool runPipe(Pipe pipe);
  bool setFlag(const Instruction &in, PipeState &pipe, int64_t now);
  /// False if the flag is not set; else waits, from `now` on.
  bool waitFlag(const Instruction &in, PipeState &pipe, int64_t &now);
  void traceWait(const Instruction &in, const Flag &flag, int64_t start,
                 int64_t end);
  bool start(Pipe pipe, Slot &slot, int64_t now);
  void startTransfer(Pipe pipe, const Slot &slot, int64_t now);
  void leave(PipeState &pipe, int64_t now);

  // Accesses.cpp
  bool checkAccesses(const Instruction &in, Pipe pipe, uint32_t sequence);
  std::optional<Conflict> findLateWriter(Space space, int64_t begin,
                                         int64_t end,
                                         const Accessor &reader) const;
  void reportPoison(const Accessor &accessor, const std::string &range);
  void reportRace(const Accessor &accessor, Access access,
                  const Conflict &conflict, const std::string &range);

  static std::string getFlagName(const Instruction &in);
  /// The set_flag that a wait waits for, in the queue of its pipe.
  const Instruction *findSet(const Instruction &wait) const;
  Error makeError(ErrorKind kind, const Instruction &in,
                  std::string message) const;

  const int coreId;
  const Machine &machine;
  Shared &shared;
  Feed &feed;
  std::unique_ptr<Memory> memory;
  std::vector<std::unique_ptr<LocalShadow>> shadows;
  std::array<PipeState, kNumPipes> pipes;
  std::vector<Flag> flags;
  /// Bits of pipes that may proceed; S is the front end.
  uint32_t runnable = 1;
  /// Pipe S: the front end's time.
  int64_t now = 0;
  Block block = Block::none;
  /// The pipe whose full queue blocks it.
  const PipeState *blocking = nullptr;
  const Entry *current = nullptr;
  uint32_t sequence = 0;
  /// Counts what S learnt, for pipes to see whether they know it.
  uint64_t news = 0;
  CoreReport report;
};

} // namespace gc::npu

#endif // GC_LIB_SIMULATOR_CORE_H
