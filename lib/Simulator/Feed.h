// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carries a program's instructions from the thread that runs it to the engine.

#ifndef GC_LIB_SIMULATOR_FEED_H
#define GC_LIB_SIMULATOR_FEED_H

#include "Simulator/Simulator.h"

#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <unordered_map>

namespace gc::npu {

/// An instruction as the engine takes it: everything that can be derived from
/// it alone has been, on the program's thread.
struct Entry {
  Instruction instruction;
  Cost cost;
  Pipe pipe = Pipe::s;
  /// Something is wrong with it or with the program: Feed::getError says what.
  bool illegal = false;
  /// Not an instruction: only scalar work.
  bool empty = false;
  /// Scalar work of the front end before the instruction.
  uint32_t iterations = 0, scalars = 0;
};

class Feed {
public:
  Feed(const Machine &machine, const std::vector<Tensor> &tensors, int id);

  //===--- The program's side -----------------------------------------------===
  /// Starts `program` on a thread. False if no thread can be created.
  bool start(const Program &program);
  void join();

  /// The place of the next instruction; null after a stop.
  Entry *begin();
  /// Completes it: no more of it is written.
  void commit();
  /// Passes on what there is and waits for the engine's answer.
  double ask();
  void addIteration(int32_t location) {
    loop = location;
    addScalarWork(&Entry::iterations);
  }
  void addScalar() { addScalarWork(&Entry::scalars); }
  int getId() const { return id; }
  /// A buffer's address with the buffer's number.
  Address nameBuffer(Address address, int64_t bytes, int32_t location);
  /// `bytes` bytes past `address`, if that is near enough to be an address.
  Address move(Address address, int64_t elements, int64_t bytes,
               int32_t location);
  /// The program has an error, and cannot continue. The first error stays.
  void fail(ErrorKind kind, std::string message, int32_t location,
            int32_t otherLocation = -1);
  /// Then ends the program where it is.
  [[noreturn]] void leave();

  //===--- The engine's side ------------------------------------------------===
  /// The next entry, valid until the call after; null at the end. Waits.
  const Entry *next();
  void answer(double value);
  /// The error of the first entry that is illegal.
  const Error &getError() const { return *error; }
  /// From now on the program's calls do nothing.
  void stop();

private:
  static constexpr size_t kBatch = 256, kBatches = 8;
  /// Calls that do nothing, until the program is cut off.
  static constexpr uint64_t kPatience = 100000000;

  struct Batch {
    std::array<Entry, kBatch> entries;
    size_t count = 0;
  };

  static void *runThread(void *feed);
  void addScalarWork(uint32_t Entry::*work);
  void flush();
  bool isStopped();
  void add();
  /// An entry of scalar work alone.
  void addEmpty(bool illegal = false);
  std::string describe(Address address) const;

  const Machine &machine;
  const std::vector<Tensor> &tensors;
  int id;
  Program program;
  pthread_t thread = {};
  /// Where a program that does not end after a stop is cut off.
  std::jmp_buf exit;
  uint64_t idleCalls = 0;

  /// Being filled; scalar work for its next entry.
  std::unique_ptr<Batch> filling;
  uint32_t iterations = 0, scalars = 0;
  /// The current loop.
  int32_t loop = -1;
  std::optional<Error> error;
  /// Buffers by number, from 1 on; and the number of each, by its place.
  std::vector<Buffer> buffers;
  std::unordered_map<uint64_t, int> numbers;
  /// Recently requested places, for loops that ask repeatedly.
  std::array<std::pair<uint64_t, int>, 64> recent = {};

  std::atomic<bool> stopped{false};
  std::mutex mutex;
  /// For the engine: there is something to read. For the program: there is
  /// room, or an answer.
  std::condition_variable readable, writable;
  std::deque<std::unique_ptr<Batch>> ready;
  std::vector<std::unique_ptr<Batch>> spare;
  bool finished = false, answered = false;
  double value = 0;

  /// Being read.
  std::unique_ptr<Batch> reading;
  size_t position = 0;
};

} // namespace gc::npu

/// What the C interface calls a core.
struct gc_npu_core {
  gc::npu::Feed *feed;
};

#endif // GC_LIB_SIMULATOR_FEED_H
