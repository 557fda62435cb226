// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folded (prepacked) constants of an instance.

#ifndef GC_LIB_RUNTIME_CONSTANTCACHE_H
#define GC_LIB_RUNTIME_CONSTANTCACHE_H

#include "ConstantPool.h"
#include "Runtime/Runtime.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace gc::runtime {

/// One set of folded buffers and what it was folded from.
struct ConstantSet {
  std::atomic<int64_t> Users{0}; // executions that read it
  /// The version that it was folded for, plus 1; 0: no execution may find it.
  std::atomic<uint64_t> Tag{0};
  /// When its fold began, by the cache's count of folds.
  uint64_t Start = 0;
  /// When it was last found, by the cache's clock.
  std::atomic<uint64_t> LastUse{0};
  const void **Inputs = nullptr; // num_fold_inputs
  void **Buffers = nullptr;      // num_folded; NULL after release
  /// All buffers of a set that are not to be shared one by one.
  void *Block = nullptr;
  /// Whether the buffers are in the pool, where others may read them.
  bool IsPooled = false;
  ConstantSet *Next = nullptr;

  ~ConstantSet();
  bool isPublished() const { return Tag.load(std::memory_order_relaxed) != 0; }
};

/// Executions pin a set without a lock. A fold writes only to a set that is
/// neither published nor pinned, so that executions with other constants finish
/// undisturbed. Sets are never freed before the cache is, which is what makes
/// pinning safe; the buffers of sets beyond the capacity are. There are at most
/// as many sets as the capacity plus the number of concurrent executions.
class ConstantCache {
public:
  explicit ConstantCache(const gc_module &Module) : Module(Module) {}
  ~ConstantCache();

  /// The published set of this version for which Matches(Set), pinned; else
  /// nullptr.
  template <typename Fn>
  ConstantSet *pin(int64_t Version, Fn Matches) {
    uint64_t Tag = static_cast<uint64_t>(Version) + 1;
    for (ConstantSet *Set = First.load(std::memory_order_acquire); Set;
         Set = Set->Next) {
      if (Set->Tag.load(std::memory_order_relaxed) != Tag)
        continue;
      // Sequentially consistent with retract, then the look at Users, in the
      // folding thread: either it sees this user, or this thread sees that the
      // set is retracted.
      Set->Users.fetch_add(1, std::memory_order_seq_cst);
      if (Set->Tag.load(std::memory_order_seq_cst) == Tag && Matches(*Set)) {
        touch(Set);
        return Set;
      }
      unpin(Set);
    }
    return nullptr;
  }
  void unpin(ConstantSet *Set) {
    Set->Users.fetch_sub(1, std::memory_order_release);
  }
  /// After an execution: what is not published is not needed any more, unless
  /// a later fold may write to it.
  void release(ConstantSet *Set);

  /// Where buffers are kept that others may have as well; none by default.
  void setPool(std::shared_ptr<ConstantPool> NewPool) {
    Pool = std::move(NewPool);
  }

  /// Bytes of all existing folded buffers.
  uint64_t bytes() const { return Bytes.load(std::memory_order_relaxed); }

  /// Held during the decision to fold and during the fold, so that the same
  /// constants are not folded twice: by folds on the runtime's own threads, and
  /// by those on threads of an application. Nobody waits for the latter: the
  /// application may need the thread that would wait.
  std::mutex Folding, FoldingOutside;

  /// Whether there is nothing that a fold depends on and that could change: the
  /// first set that is published stays for good, whatever its version.
  bool isForGood() const { return Module.num_fold_inputs == 0; }
  /// Done(Context) is called once, when no fold is in progress and none will
  /// begin any more; never if folds depend on inputs.
  void setDone(void (*NewDone)(void *), void *NewContext) {
    Context = NewContext;
    Done.store(NewDone, std::memory_order_release);
  }
  /// Enclose a fold. Whoever has entered and then finds no set to pin may read
  /// what the module holds until it leaves.
  void enterFold() { Folds.fetch_add(1, std::memory_order_acq_rel); }
  void leaveFold();

  /// No new execution finds a set, nor one whose fold has begun.
  void retractAll();
  /// The beginning of a fold. If it is Shared, no new execution finds what it
  /// replaces: without a version (0), anything that was folded without one. The
  /// result says which of two folds began later.
  uint64_t begin(int64_t Version, void *const *Inputs, bool Shared);
  /// A set to fold into, pinned, created if necessary; nullptr when memory is
  /// short. If it MakesRoom, the least recently found set gives way.
  ConstantSet *writable(bool MakesRoom);
  /// Ends the writing to a set: what the pool has already is given up.
  void finish(ConstantSet *Set);
  /// Publishes a writable set, folded from Inputs since Start, unless that is
  /// out of date.
  void publish(ConstantSet *Set, int64_t Version, void *const *Inputs,
               uint64_t Start);
  /// At most this many sets may be found; buffers of others are freed unless an
  /// execution reads them.
  void setCapacity(int64_t Count);

private:
  /// Executions with only one set write nothing here.
  void touch(ConstantSet *Set) {
    if (Latest.load(std::memory_order_relaxed) == Set)
      return;
    Latest.store(Set, std::memory_order_relaxed);
    Set->LastUse.store(1 + Clock.fetch_add(1, std::memory_order_relaxed),
                       std::memory_order_relaxed);
  }
  bool allocateBuffers(ConstantSet &Set);
  /// In one block, so that buffers share huge pages.
  bool allocateBlock(ConstantSet &Set);
  void releaseBuffers(ConstantSet &Set);
  ConstantSet *oldestPublished(int64_t &Published) const;
  /// Calls Visit with the published sets that a fold replaces. Needs Sets.
  template <typename Fn>
  void visitReplaced(int64_t Version, void *const *Inputs, Fn Visit);
  /// Retracts the least recently found sets until at most Count are published.
  void retractDownTo(int64_t Count);
  void trim();

  /// Folds that have begun, and how many had when the constants were last said
  /// to be out of date.
  uint64_t Starts = 0, Invalidated = 0;
  /// Guards the sets and these numbers, for short times.
  std::mutex Sets;
  const gc_module &Module;
  std::shared_ptr<ConstantPool> Pool;
  /// New sets come first; existing entries stay.
  std::atomic<ConstantSet *> First{nullptr};
  std::atomic<ConstantSet *> Latest{nullptr};
  std::atomic<uint64_t> Clock{0};
  std::atomic<uint64_t> Bytes{0};
  /// Threads that fold, and whether a set is published for good.
  std::atomic<int64_t> Folds{0};
  std::atomic<bool> IsComplete{false};
  std::atomic<void (*)(void *)> Done{nullptr};
  void *Context = nullptr;
  int64_t Capacity = 2;
};

} // namespace gc::runtime

#endif // GC_LIB_RUNTIME_CONSTANTCACHE_H
