// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Feed.h"

using namespace gc::npu;

Feed::Feed(const Machine &machine, const std::vector<Tensor> &tensors, int id)
    : machine(machine), tensors(tensors), id(id),
      filling(std::make_unique<Batch>()) {}

bool Feed::start(const Program &newProgram) {
  program = newProgram;
  return pthread_create(&thread, nullptr, runThread, this) == 0;
}

void Feed::join() { pthread_join(thread, nullptr); }

void *Feed::runThread(void *argument) {
  Feed &feed = *static_cast<Feed *>(argument);
  gc_npu_core core = {&feed};
  // Returns here a second time if the program has to be cut off.
  if (setjmp(feed.exit) == 0)
    feed.program(&core);
  if (!feed.stopped && (feed.iterations || feed.scalars))
    feed.addEmpty();
  feed.flush();
  std::lock_guard<std::mutex> lock(feed.mutex);
  feed.finished = true;
  feed.readable.notify_one();
  return nullptr;
}

/// After a stop a program runs to its end with calls that do nothing. One that
/// still continues after very many of them never ends on its own: it is
/// abandoned in the middle, without unwinding, which compiled programs do not
/// need.
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
  if (std::optional<Error> found =
          check(machine, entry.instruction, &buffers)) {
    entry.illegal = true;
    fail(found->kind, std::move(found->message), entry.instruction.location,
         found->otherLocation);
  } else {
    entry.pipe = getPipe(entry.instruction);
    entry.cost = getCost(machine, entry.instruction);
  }
  add();
}

void Feed::add() {
  if (++filling->count == kBatch)
    flush();
}

void Feed::addEmpty(bool illegal) {
  Entry *entry = begin();
  if (!entry)
    return;
  entry->empty = true;
  entry->illegal = illegal;
  // A program that runs forever is in a loop.
  entry->instruction.location = loop;
  add();
}

void Feed::fail(ErrorKind kind, std::string message, int32_t location,
                int32_t otherLocation) {
  if (error)
    return;
  error.emplace();
  error->kind = kind;
  error->message = std::move(message);
  error->location = location;
  error->otherLocation = otherLocation;
  error->core = id;
}

void Feed::leave() {
  addEmpty(/*illegal=*/true);
  std::longjmp(exit, 1);
}

void Feed::addScalarWork(uint32_t Entry::*work) {
  if (isStopped())
    return;
  uint32_t &count = work == &Entry::iterations ? iterations : scalars;
  // A program that never does anything else still reaches the engine.
  if (++count >= 1000000)
    addEmpty();
}

Address Feed::nameBuffer(Address address, int64_t bytes, int32_t location) {
  // An address outside its space is wrong on its own, and known to be.
  if (error || !address.isSpaceValid() || address.getSpace() == Space::gm ||
      address.getOffset() < 0 || bytes < 0 ||
      bytes > machine.getCapacity(address.getSpace()) - address.getOffset())
    return address;
  // Capacities are less than 2^30.
  uint64_t key = static_cast<uint64_t>(address.getSpace()) << 60 |
                 static_cast<uint64_t>(address.getOffset()) << 30 |
                 static_cast<uint64_t>(bytes);
  auto &[place, number] = recent[key * 0x9e3779b97f4a7c15 >> 58];
  if (place != key) {
    auto it = numbers.find(key);
    if (it == numbers.end()) {
      if (buffers.size() == Address::kMaxNumber) {
        fail(ErrorKind::limitReached,
             "the program has more than " +
                 std::to_string(Address::kMaxNumber) + " different buffers",
             location);
        leave();
      }
      buffers.emplace_back(machine, address.getSpace(), address.getOffset(),
                           bytes);
      it = numbers.emplace(key, static_cast<int>(buffers.size())).first;
    }
    place = key;
    number = it->second;
  }
  buffers[static_cast<size_t>(number) - 1].location = location;
  return Address(address.getSpace(), address.getOffset(), number);
}

std::string Feed::describe(Address address) const {
  size_t number = static_cast<size_t>(address.getNumber());
  if (address.getSpace() == Space::gm)
    return number < tensors.size()
               ? "tensor '" + tensors[number].name + "', which has " +
                     std::to_string(tensors[number].bytes)
               : "tensor " + std::to_string(number) + ", which does not exist";
  if (number == 0 || number > buffers.size())
    return std::string(getName(address.getSpace())) + ", which has " +
           std::to_string(machine.getCapacity(address.getSpace()));
  const Buffer &buffer = buffers[number - 1];
  return std::string("a buffer in ") + getName(buffer.space) + " of " +
         std::to_string(buffer.bytes) + " bytes from " +
         std::to_string(buffer.begin) + " on";
}

Address Feed::move(Address address, int64_t elements, int64_t bytes,
                   int32_t location) {
  int64_t distance, offset;
  bool isNear =
      address.isSpaceValid() &&
      !__builtin_mul_overflow(elements, bytes, &distance) &&
      !__builtin_add_overflow(address.getOffset(), distance, &offset) &&
      offset < Address::kMaxBytes && offset > -Address::kMaxBytes;
  if (isNear)
    return address + distance;
  if (error || !address.isSpaceValid())
    return address;
  fail(ErrorKind::bounds,
       "the address " + std::to_string(elements) + " elements of " +
           std::to_string(bytes) + " bytes past byte " +
           std::to_string(address.getOffset()) + " is far outside of " +
           describe(address),
       location);
  leave();
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
  // batches, so that the two threads do not alternate at every batch.
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
