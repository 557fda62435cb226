// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Isolate.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace gc::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

/// What a child writes before its message.
struct Header {
  Status status;
  Features features;
};

struct Child {
  int64_t index = 0;
  pid_t process = -1;
  int pipe = -1;
  Clock::time_point deadline;
  std::string data;
};

[[noreturn]] void runChild(int pipe, llvm::function_ref<Outcome()> task) {
  // The parent reports crashes; LLVM's handlers would print a stack for each.
  for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    signal(number, SIG_DFL);
  Outcome outcome = task();
  Header header = {outcome.status, outcome.features};
  std::string data(reinterpret_cast<const char *>(&header), sizeof(header));
  data += outcome.message;
  for (size_t at = 0; at < data.size();) {
    ssize_t written = write(pipe, data.data() + at, data.size() - at);
    if (written <= 0)
      _exit(1);
    at += written;
  }
  _exit(0);
}

Child start(int64_t index, llvm::function_ref<Outcome()> task,
            int64_t seconds) {
  Child child;
  child.index = index;
  child.deadline = Clock::now() + std::chrono::seconds(seconds);
  int ends[2];
  llvm::outs().flush();
  llvm::errs().flush();
  if (pipe(ends) != 0)
    return child;
  child.process = fork();
  if (child.process == 0) {
    close(ends[0]);
    runChild(ends[1], task);
  }
  close(ends[1]);
  child.pipe = ends[0];
  return child;
}

/// Reads what there is; true when the child has closed its end.
bool readSome(Child &child) {
  char buffer[4096];
  ssize_t got = read(child.pipe, buffer, sizeof(buffer));
  if (got > 0)
    child.data.append(buffer, got);
  return got <= 0;
}

Outcome finish(Child &child, bool hung) {
  Outcome outcome;
  int status = 0;
  if (child.pipe >= 0)
    close(child.pipe);
  if (child.process > 0) {
    if (hung)
      kill(child.process, SIGKILL);
    waitpid(child.process, &status, 0);
  }
  Header header;
  if (hung) {
    outcome.status = Status::hung;
    outcome.message = "did not finish in time";
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
             child.data.size() >= sizeof(header)) {
    std::memcpy(&header, child.data.data(), sizeof(header));
    outcome.status = header.status;
    outcome.features = header.features;
    outcome.message = child.data.substr(sizeof(header));
  } else {
    outcome.status = Status::crashed;
    outcome.message =
        WIFSIGNALED(status)
            ? std::string("ended by signal: ") + strsignal(WTERMSIG(status))
            : "ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  return outcome;
}

} // namespace

void Isolation::run(int64_t count, llvm::function_ref<Outcome(int64_t)> task,
                    llvm::function_ref<bool(int64_t, const Outcome &)> done) {
  std::vector<Child> running;
  int64_t next = 0;
  bool stopped = false;
  while (!running.empty() || (next < count && !stopped)) {
    while (!stopped && next < count &&
           static_cast<int64_t>(running.size()) < jobs) {
      int64_t index = next++;
      running.push_back(start(index, [&] { return task(index); }, seconds));
    }
    std::vector<pollfd> polled;
    for (Child &child : running)
      polled.push_back({child.pipe, POLLIN, 0});
    poll(polled.data(), polled.size(), 100);
    std::vector<Child> left;
    for (size_t i = 0; i < running.size(); ++i) {
      Child &child = running[i];
      bool ended = child.pipe < 0 || (polled[i].revents && readSome(child));
      bool hung = !ended && Clock::now() > child.deadline;
      if (!ended && !hung) {
        left.push_back(std::move(child));
        continue;
      }
      Outcome outcome = finish(child, hung);
      stopped |= !done(child.index, outcome);
    }
    running = std::move(left);
  }
}

Outcome Isolation::run(llvm::function_ref<Outcome()> task) {
  Outcome result;
  Isolation one(1, seconds);
  one.run(
      1, [&](int64_t) { return task(); },
      [&](int64_t, const Outcome &outcome) {
        result = outcome;
        return true;
      });
  return result;
}

std::pair<int64_t, int64_t>
runBatches(const Batches &batches,
           llvm::function_ref<Outcome(int64_t, int64_t)> check,
           llvm::function_ref<std::string(int64_t)> describe) {
  int64_t last = batches.first + batches.count, good = 0, bad = 0;
  Isolation isolation(batches.jobs, batches.seconds * batches.batch);
  Isolation single(1, batches.seconds);
  auto getBegin = [&](int64_t number) {
    return batches.first + number * batches.batch;
  };
  auto getEnd = [&](int64_t number) {
    return std::min(last, getBegin(number) + batches.batch);
  };
  isolation.run(
      llvm::divideCeil(batches.count, batches.batch),
      [&](int64_t number) { return check(getBegin(number), getEnd(number)); },
      [&](int64_t number, const Outcome &outcome) {
        good += outcome.features.ops;
        if (outcome.status == Status::passed)
          return true;
        if (outcome.status == Status::mismatch) {
          llvm::outs() << outcome.message;
          bad += llvm::StringRef(outcome.message).count("\nmutant ") + 1;
          return true;
        }
        // Which one it was.
        for (int64_t i = getBegin(number); i < getEnd(number); ++i) {
          Outcome own = single.run([&] { return check(i, i + 1); });
          good += own.features.ops;
          if (own.status == Status::passed)
            continue;
          ++bad;
          llvm::outs() << "mutant " << i << describe(i)
                       << (own.status == Status::hung ? ": hangs: "
                                                      : ": crashes: ")
                       << own.message << "\n";
        }
        llvm::outs().flush();
        return true;
      });
  return {good, bad};
}

} // namespace gc::fuzz
