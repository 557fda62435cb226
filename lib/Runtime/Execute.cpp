// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folding and executing an instance.

#include "Barrier.h"
#include "DefaultExecutor.h"
#include "Error.h"
#include "Instance.h"
#include "Memory.h"
#include "Trace.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace gc::runtime;

namespace {

std::atomic<int64_t> Forks{0};

using EntryPoint = int32_t (*)(void *const *, void *, const gc_team *);

/// One fork: the team runs Entry. Lives on the stack of the caller.
struct Job {
  const gc_module &Module;
  EntryPoint Entry;
  void *const *Args;
  void *Arena;
  int64_t Threads;
  gc_trace *Trace;
  TraceKind Kind;
  int64_t Run = 0;
  std::atomic<int32_t> Status{GC_OK};
  char Message[MaxMessage] = "";
  Barrier Sync{};

  gc_status run(const gc_executor &Executor);
  void enter(int64_t Thread, int64_t Size);
};

void Job::enter(int64_t Thread, int64_t Size) {
  // The arena has room for the requested threads and no more; every thread sees
  // the same size, so none is left at a barrier.
  int32_t Result = GC_RUNTIME_ERROR;
  clearError();
  if (Size > Threads) {
    fail(GC_RUNTIME_ERROR,
         "the executor used more threads than it was asked to");
  } else if (Trace) {
    TraceCursor Cursor(*Trace, Thread, Kind, Run);
    gc_team Team = {Thread, Size, &Sync, &Cursor};
    Result = Entry(Args, Arena, &Team);
  } else {
    gc_team Team = {Thread, Size, &Sync, nullptr};
    Result = Entry(Args, Arena, &Team);
  }
  if (Result == GC_OK)
    return;
  // The first to fail says why; messages are thread-local, so the message is
  // passed on to the calling thread.
  int32_t Fine = GC_OK;
  if (Result < GC_OK || Result > GC_RUNTIME_ERROR)
    Result = GC_RUNTIME_ERROR;
  if (Status.compare_exchange_strong(Fine, Result, std::memory_order_relaxed))
    std::memcpy(Message, gc_last_error(),
                std::min<size_t>(std::strlen(gc_last_error()) + 1, MaxMessage));
}

gc_status Job::run(const gc_executor &Executor) {
  Forks.fetch_add(1, std::memory_order_relaxed);
  int64_t Begin = 0;
  if (Trace) {
    Run = Trace->nextRun(Kind);
    Begin = nanoseconds();
  }
  clearError();
  gc_status Ran = Executor.run(
      Executor.context, Threads,
      [](void *Self, int64_t Thread, int64_t Size) {
        static_cast<Job *>(Self)->enter(Thread, Size);
      },
      this);
  if (Trace)
    TraceCursor(*Trace, 0, Kind, Run).record(Begin, nanoseconds(), WholeRun);
  if (Ran != GC_OK)
    return *gc_last_error() ? Ran : fail(Ran, "the executor failed");
  auto Result = static_cast<gc_status>(Status.load(std::memory_order_relaxed));
  if (Result != GC_OK)
    fail(Result, "%s of module '%s' failed: %s",
         Kind == TraceKind::Fold ? "fold" : "compute",
         Module.name ? Module.name : "",
         Message[0] ? Message : "no reason given");
  return Result;
}

/// A fold in progress, as the cache counts them.
class FoldInProgress {
public:
  explicit FoldInProgress(ConstantCache &Cache) : Cache(Cache) {
    Cache.enterFold();
  }
  ~FoldInProgress() { Cache.leaveFold(); }

private:
  ConstantCache &Cache;
};

/// A call's choice of threads, its frame and its arena.
class Call {
public:
  Call(gc_instance &Instance, const gc_executor *Executor, int64_t Threads,
       gc_trace *Trace)
      : Instance(Instance), Module(Instance.Module),
        Executor(Executor ? *Executor : getDefaultExecutor()),
        UsesOwnThreads(!Executor || isThreadPool(*Executor)),
        Threads(Threads > 0
                    ? Threads
                    : std::max<int64_t>(
                          1, this->Executor.threads(this->Executor.context))),
        Trace(Trace) {}
  ~Call() {
    if (F)
      Instance.Frames.give(F);
  }

  /// Whether it may wait for others that do.
  bool usesOwnThreads() const { return UsesOwnThreads; }
  gc_status prepare(void *UserArena);
  /// Folds from Inputs (in fold order) into a pinned set, for others to find if
  /// it is Shared.
  gc_status fold(void *const *Inputs, int64_t Version, bool Shared,
                 ConstantSet *&Set);
  /// Pins the set folded from these module inputs, folding if there is none.
  gc_status constants(void *const *Inputs, int64_t Version, ConstantSet *&Set);
  /// Folded: one pointer per folded buffer.
  gc_status compute(void *const *Inputs, void *const *Outputs,
                    void *const *Folded);

private:
  gc_instance &Instance;
  const gc_module &Module;
  const gc_executor &Executor;
  const bool UsesOwnThreads;
  const int64_t Threads;
  gc_trace *Trace;
  Frame *F = nullptr;
  void *Arena = nullptr;
};

gc_status Call::prepare(void *UserArena) {
  uint64_t Alignment = effectiveAlignment(Module.arena_alignment);
  F = Instance.Frames.take();
  if (!F)
    return fail(GC_OUT_OF_MEMORY, "no memory to execute module '%s'",
                Module.name ? Module.name : "");
  if (UserArena) {
    uint64_t Asked = std::max<uint64_t>(Module.arena_alignment, 1);
    if (reinterpret_cast<uintptr_t>(UserArena) & (Asked - 1))
      return fail(GC_INVALID_ARGUMENT, "the arena is not aligned to %llu bytes",
                  static_cast<unsigned long long>(Asked));
    Arena = UserArena;
    return GC_OK;
  }
  uint64_t Bytes = gc_arena_bytes(&Module, Threads);
  if (!F->reserve(Bytes, Alignment))
    return fail(GC_OUT_OF_MEMORY, "no memory for an arena of %llu bytes",
                static_cast<unsigned long long>(Bytes));
  Arena = F->Arena;
  return GC_OK;
}

gc_status Call::fold(void *const *Inputs, int64_t Version, bool Shared,
                     ConstantSet *&Set) {
  ConstantCache &Cache = Instance.Constants;
  FoldInProgress InProgress(Cache);
  if (Cache.isForGood()) {
    Version = 0;
    if ((Set = Cache.pin(Version, [](const ConstantSet &) { return true; })))
      return GC_OK;
  }
  uint64_t Start = Cache.begin(Version, Inputs, Shared);
  ConstantSet *Target = Cache.writable(/*MakesRoom=*/Shared);
  if (!Target)
    return fail(GC_OUT_OF_MEMORY, "no memory for the constants of module '%s'",
                Module.name ? Module.name : "");
  uint32_t NumInputs = Module.num_fold_inputs;
  std::unique_ptr<void *[]> Args(
      new (std::nothrow) void *[uint64_t(NumInputs) + Module.num_folded]);
  if (!Args) {
    Cache.release(Target);
    return fail(GC_OUT_OF_MEMORY, "no memory to fold the constants");
  }
  std::copy_n(Inputs, NumInputs, Args.get());
  std::copy_n(Target->Buffers, Module.num_folded, Args.get() + NumInputs);
  int64_t Begin = nanoseconds();
  Job Fold{Module,  Module.fold, Args.get(),     Arena,
           Threads, Trace,       TraceKind::Fold};
  if (gc_status Status = Fold.run(Executor)) {
    Cache.release(Target);
    return Status;
  }
  Instance.FoldNanoseconds.store(nanoseconds() - Begin,
                                 std::memory_order_relaxed);
  Instance.FoldCount.fetch_add(1, std::memory_order_relaxed);
  Cache.finish(Target);
  if (Shared)
    Cache.publish(Target, Version, Inputs, Start);
  Set = Target;
  return GC_OK;
}

gc_status Call::constants(void *const *Inputs, int64_t Version,
                          ConstantSet *&Set) {
  auto Matches = [&](const ConstantSet &Candidate) {
    for (uint32_t I = 0; I < Module.num_fold_inputs; ++I)
      if (Candidate.Inputs[I] != Inputs[Module.fold_inputs[I]])
        return false;
    return true;
  };
  ConstantCache &Cache = Instance.Constants;
  if (Cache.isForGood())
    Version = 0;
  if ((Set = Cache.pin(Version, Matches)))
    return GC_OK;
  // Threads of an executor of the application would be waiting here while the
  // thread that folds waits for one of them: they fold for themselves.
  std::unique_lock<std::mutex> Lock(
      UsesOwnThreads ? Cache.Folding : Cache.FoldingOutside, std::defer_lock);
  if (UsesOwnThreads)
    Lock.lock();
  bool Shared = Lock.owns_lock() || Lock.try_lock();
  // Another thread may have folded the same constants in the meantime.
  if ((Set = Cache.pin(Version, Matches)))
    return GC_OK;
  std::unique_ptr<void *[]> FoldInputs(
      new (std::nothrow) void *[uint64_t(Module.num_fold_inputs) + 1]);
  if (!FoldInputs)
    return fail(GC_OUT_OF_MEMORY, "no memory to fold the constants");
  for (uint32_t I = 0; I < Module.num_fold_inputs; ++I)
    FoldInputs[I] = Inputs[Module.fold_inputs[I]];
  return fold(FoldInputs.get(), Version, Shared, Set);
}

gc_status Call::compute(void *const *Inputs, void *const *Outputs,
                        void *const *Folded) {
  void **Next = std::copy_n(Inputs, Module.num_inputs, F->Args);
  Next = std::copy_n(Outputs, Module.num_outputs, Next);
  if (Folded)
    std::copy_n(Folded, Module.num_folded, Next);
  Job Compute{Module,  Module.compute, F->Args,           Arena,
              Threads, Trace,          TraceKind::Compute};
  return Compute.run(Executor);
}

/// NULL means the default; otherwise the executor has both functions.
bool isUsable(const gc_executor *Executor) {
  return !Executor || (Executor->threads && Executor->run);
}

} // namespace

int64_t gc_fork_count(void) { return Forks.load(std::memory_order_relaxed); }

gc_status gc_instance_fold(gc_instance *instance, const gc_executor *executor,
                           int64_t threads, void *const *fold_args) {
  return gc_instance_fold_version(instance, executor, threads, fold_args,
                                  /*version=*/0);
}

gc_status gc_instance_fold_version(gc_instance *instance,
                                   const gc_executor *executor, int64_t threads,
                                   void *const *fold_args, int64_t version) {
  if (!instance || (!fold_args && instance->Module.num_fold_inputs > 0))
    return fail(GC_INVALID_ARGUMENT, "gc_instance_fold: a NULL argument");
  if (!isUsable(executor))
    return fail(GC_INVALID_ARGUMENT,
                "gc_instance_fold: a NULL function in the executor");
  if (version < 0)
    return fail(GC_INVALID_ARGUMENT, "gc_instance_fold: a negative version");
  if (instance->Module.num_folded == 0 || instance->Prepacked)
    return GC_OK;
  Call C(*instance, executor, threads, nullptr);
  if (gc_status Status = C.prepare(nullptr))
    return Status;
  ConstantSet *Set = nullptr;
  // Executions on the runtime's own threads wait for the result.
  std::unique_lock<std::mutex> Lock(instance->Constants.Folding,
                                    std::defer_lock);
  if (C.usesOwnThreads())
    Lock.lock();
  gc_status Status = C.fold(fold_args, version, /*Shared=*/true, Set);
  if (Set)
    instance->Constants.release(Set);
  return Status;
}

gc_status gc_execute(gc_instance *instance, const gc_executor *executor,
                     int64_t threads, void *const *inputs, void *const *outputs,
                     void *arena, gc_trace *trace) {
  return gc_execute_version(instance, executor, threads, inputs, outputs, arena,
                            trace, /*version=*/0);
}

gc_status gc_execute_version(gc_instance *instance, const gc_executor *executor,
                             int64_t threads, void *const *inputs,
                             void *const *outputs, void *arena, gc_trace *trace,
                             int64_t version) {
  if (!instance || (!inputs && instance->Module.num_inputs > 0) ||
      (!outputs && instance->Module.num_outputs > 0))
    return fail(GC_INVALID_ARGUMENT, "gc_execute: a NULL argument");
  if (!isUsable(executor))
    return fail(GC_INVALID_ARGUMENT,
                "gc_execute: a NULL function in the executor");
  if (version < 0)
    return fail(GC_INVALID_ARGUMENT, "gc_execute: a negative version");
  Call C(*instance, executor, threads, trace);
  if (gc_status Status = C.prepare(arena))
    return Status;
  if (instance->Prepacked)
    return C.compute(inputs, outputs, instance->Prepacked);
  ConstantSet *Set = nullptr;
  if (instance->Module.num_folded > 0)
    if (gc_status Status = C.constants(inputs, version, Set))
      return Status;
  gc_status Status = C.compute(inputs, outputs, Set ? Set->Buffers : nullptr);
  if (Set)
    instance->Constants.release(Set);
  return Status;
}
