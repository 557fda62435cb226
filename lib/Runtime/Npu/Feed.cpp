// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Feed.h"

using namespace gc::npu;

Feed::Feed(const Machine &machine, int id)
    : machine(machine), id(id), filling(std::make_unique<Batch>()) {}

bool Feed::start(const Program &newProgram) {
  program = newProgram;
  return pthread_create(&thread, nullptr, runThread, this) == 0;
}

void Feed::join() { pthread_join(thread, nullptr); }

void *Feed::runThread(void *argument) {
  Feed &feed = *static_cast<Feed *>(argument);
  gc_npu_core core = {&feed};
  // Comes back here a second time if the program has to be cut off.
  if (setjmp(feed.exit) == 0)
    feed.program(&core);
  if (!feed.stopped && (feed.iterations || feed.scalars))
    if (Entry *entry = feed.begin()) {
      entry->empty = true;
      feed.commit();
    }
  feed.flush();
  std::lock_guard<std::mutex> lock(feed.mutex);
  feed.finished = true;
  feed.readable.notify_one();
  return nullptr;
}

/// After a stop a program runs to its end with calls that do nothing. One that
/// still goes on after very many of them never ends by itself: it is left in
/// the middle, without unwinding, which compiled programs do not need.
bool Feed::isStopped() {
  if (!stopped.load(std::memory_order_relaxed))
    return false;
  if (++idleCalls > kPatience)
    std::longjmp(exit, 1);
  return true;
}

Entry *Feed::begin() {
  if (isStopped())
    return nullptr;
  Entry &entry = filling->entries[filling->count];
  entry.illegal = entry.empty = false;
  entry.iterations = iterations;
  entry.scalars = scalars;
  iterations = scalars = 0;
  return &entry;
}

void Feed::commit() {
  Entry &entry = filling->entries[filling->count];
  if (!entry.empty) {
    entry.illegal = check(machine, entry.instruction).has_value();
    if (!entry.illegal) {
      entry.pipe = getPipe(entry.instruction);
      entry.cost = getCost(machine, entry.instruction);
    }
  }
  if (++filling->count == kBatch)
    flush();
}

void Feed::addScalarWork(uint32_t Entry::*work) {
  if (isStopped())
    return;
  uint32_t &count = work == &Entry::iterations ? iterations : scalars;
  // A program that never does anything else still reaches the engine.
  if (++count < 1000000)
    return;
  if (Entry *entry = begin()) {
    entry->empty = true;
    commit();
  }
}

void Feed::flush() {
  if (filling->count == 0)
    return;
  {
    std::unique_lock<std::mutex> lock(mutex);
    writable.wait(lock, [&] { return ready.size() < kBatches || stopped; });
    ready.push_back(std::move(filling));
    if (!spare.empty()) {
      filling = std::move(spare.back());
      spare.pop_back();
    }
  }
  readable.notify_one();
  if (!filling)
    filling = std::make_unique<Batch>();
  filling->count = 0;
}

double Feed::ask() {
  flush();
  std::unique_lock<std::mutex> lock(mutex);
  writable.wait(lock, [&] { return answered || stopped; });
  double result = answered ? value : 0;
  answered = false;
  return result;
}

const Entry *Feed::next() {
  if (reading && position < reading->count)
    return &reading->entries[position++];
  std::unique_lock<std::mutex> lock(mutex);
  if (reading) {
    spare.push_back(std::move(reading));
    reading.reset();
  }
  readable.wait(lock, [&] { return !ready.empty() || finished; });
  if (ready.empty())
    return nullptr;
  reading = std::move(ready.front());
  ready.pop_front();
  // A program that waits for room is woken when there is room for several
  // batches, so that the two threads do not take turns at every batch.
  bool roomy = ready.size() == kBatches / 2;
  lock.unlock();
  if (roomy)
    writable.notify_one();
  position = 1;
  return &reading->entries[0];
}

void Feed::answer(double newValue) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    value = newValue;
    answered = true;
  }
  writable.notify_one();
}

void Feed::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopped = true;
  }
  writable.notify_one();
}
