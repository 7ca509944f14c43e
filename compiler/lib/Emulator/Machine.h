//===-- Machine.h - threads, warps, CTAs and clusters -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster of CTAs (most often one CTA) runs on one host thread, every GPU
// thread of it as a fiber. A fiber runs until it has to wait for others or
// ends, then hands the host thread to the next one that can go on, by the
// chosen order. When nobody can go on and somebody waits, the cluster has
// diverged.
//
// Fibers are plain stacks switched by Boost.Context's fcontext, not its fiber
// class: that one unwinds an unfinished fiber, and code compiled just in time
// cannot be unwound. A faulty cluster's fibers are simply never resumed; they
// own nothing but their stack.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_MACHINE_H
#define RMSC_LIB_EMULATOR_MACHINE_H

#include "Memory.h"
#include "RuntimeCalls.h"
#include "llvm/ADT/SmallVector.h"
#include <boost/context/detail/fcontext.hpp>
#include <map>
#include <mutex>
#include <random>

namespace rmsc::emulator {

struct Cluster;
struct Cta;
struct LaunchState;
struct Warp;
struct Worker;

/// What a thread knows to have happened in other CTAs, through atomics and
/// fences: of each, everything before a barrier, and of one of its threads
/// everything up to and with it.
struct Knowledge {
  struct Item {
    uint64_t epoch = 0;
    int thread = -1;
  };
  std::map<uint64_t, Item> ctas;

  void join(uint64_t cta, Item item) {
    Item &mine = ctas[cta];
    if (item.epoch >= mine.epoch)
      mine = item;
  }
  void join(const Knowledge &other) {
    for (auto &[cta, item] : other.ctas)
      join(cta, item);
  }
  bool covers(Record record) const {
    auto it = ctas.find(record.cta());
    if (it == ctas.end() || record.spread() == Record::SeveralCtas)
      return false;
    unsigned epoch = it->second.epoch & Record::epochMask;
    return record.epoch() < epoch ||
           (record.epoch() == epoch && record.spread() == Record::Alone &&
            int(record.thread()) == it->second.thread);
  }
};

/// Somewhere that a host thread can be: a fiber or the worker's own stack.
struct Context {
  boost::context::detail::fcontext_t point = nullptr;
};

enum class Wait : uint8_t { None, Barrier, Collective, Cluster, Done };

struct Thread : Context {
  Cta *cta = nullptr;
  Warp *warp = nullptr;
  LaunchState *launch = nullptr;
  /// In the CTA and in the warp.
  uint32_t number = 0, lane = 0;
  Record who;
  uint32_t warpEpoch = 0;
  /// Twice the cluster barriers passed, plus one between arrival and wait; the
  /// second number leaves out those arrived at relaxed, which order nothing.
  uint32_t clusterSteps = 0, clusterEpoch = 0;
  bool relaxedArrival = false;
  Wait wait = Wait::None;
  bool started = false;
  /// griddepcontrol.wait and griddepcontrol.launch_dependents.
  bool waited = false, triggered = false;
  uint32_t site = 0;
  // Of the collective (shuffle, vote, warp barrier) that it waits in.
  uint32_t mask = 0, operation = 0, value = 0, offset = 0, clamp = 0;
  uint64_t result = 0;
  int64_t budget = 0;
  uint32_t ticks = 0;
  /// Barriers passed when the last fence was executed, plus one; 0: none.
  uint64_t fenceEpoch = 0;
  /// What atomics have shown; it counts as known from the next fence on.
  std::unique_ptr<Knowledge> seen, known;

  Record record() const;
};

struct Warp {
  Cta *cta = nullptr;
  uint32_t index = 0, exists = 0, runnable = 0, arrived = 0, done = 0;
  Thread *threads = nullptr;
};

struct Cta {
  Cluster *cluster = nullptr;
  uint64_t number = 0;
  uint32_t rank = 0, arrived = 0, live = 0;
  uint64_t epoch = 0;
  bool waited = false;
  Warp *warps = nullptr;
  uint32_t warpCount = 0;
  Thread *threads = nullptr;
  char *shared = nullptr;
  Cell *sharedCells = nullptr;
  std::unique_ptr<Knowledge> known;
};

/// Where shared objects lie in a CTA's shared memory; gaps between them, so
/// that running over an object's end meets nothing.
struct SharedLayout {
  struct Place {
    uint64_t offset, bytes;
  };
  llvm::SmallVector<Place> places;
  uint64_t bytes = 0;
};

/// Collects faults from all workers.
class Collector {
public:
  /// True when a fault at this place would only be counted, because one of a
  /// lower block and thread is there; the caller then need not describe it.
  bool countOnly(FaultKind kind, int launch, uint32_t site, int operand,
                 int64_t block, int thread);
  void add(uint32_t site, int operand, Fault fault);
  bool any() const { return !faults.empty(); }
  Report take();

private:
  using Key = std::tuple<int, int, uint32_t, int>;
  struct Entry {
    Fault fault;
    /// In the order in which faults came.
    uint64_t number;
  };
  std::mutex mutex;
  std::map<Key, Entry> faults;
  uint64_t next = 0;
};

/// A variable that atomics have touched.
struct SyncVariable {
  Knowledge released;
};

/// What all workers of a run share.
struct Session {
  llvm::ArrayRef<Argument> arguments;
  llvm::SmallVector<Memory> memories;
  const RunOptions *options = nullptr;
  bool concurrent = false;
  Collector collector;
  std::mutex syncMutex;
  std::map<uint64_t, SyncVariable> syncVariables;
  /// Some cluster was ended by a fault.
  std::atomic<bool> aborted{false};
};

/// One launch, as all workers see it.
struct LaunchState {
  Session *session = nullptr;
  const LaunchConfig *config = nullptr;
  const Code *code = nullptr;
  const Entry *entry = nullptr;
  const Site *sites = nullptr;
  int number = 0;
  llvm::SmallVector<uint64_t> argumentValues;
  /// The memory that each argument points into, null where there is none.
  llvm::SmallVector<Memory *> argumentMemories;
  SharedLayout layout;
  /// Bit k: launch k has ended for sure when this one starts; the same for a
  /// thread of it that has waited.
  uint32_t endedAtStart = 0, endedAfterWait = 0;
  /// Inputs may still be on their way until a thread has waited.
  bool inputsPending = false;
  std::atomic<bool> anyWaited{false}, anyEarlyTrigger{false};
  std::atomic<uint64_t> nextCluster{0};
  llvm::SmallVector<uint64_t> order;
  uint64_t clusters = 0;
};

struct Cluster {
  LaunchState *launch = nullptr;
  Worker *worker = nullptr;
  uint64_t number = 0;
  uint32_t arrived = 0, phase = 0, live = 0;
};

/// A host thread's share of the machine, reused from cluster to cluster.
struct Worker : Context {
  Worker(LaunchState &launch, unsigned index);
  ~Worker();

  /// Runs clusters until none is left.
  void run();
  /// Lets the next thread that can go on do so; returns when `thread` is that.
  void suspend(Thread &thread);
  /// Lets others run before a thread that could go on.
  void yield(Thread &thread);
  /// Ends the calling thread.
  [[noreturn]] void exit(Thread &thread);
  /// Ends the whole cluster after a fault.
  [[noreturn]] void abortCluster();
  void makeRunnable(Thread &thread);
  void makeRunnable(Warp &warp, uint32_t lanes);

  LaunchState &launch;
  Cluster cluster;
  std::unique_ptr<Cta[]> ctas;
  std::unique_ptr<Warp[]> warps;
  std::unique_ptr<Thread[]> threads;
  unsigned ctaCount = 0, warpCount = 0, threadCount = 0;

private:
  void runCluster(uint64_t number);
  /// Removes the thread that goes on next from the runnable ones, or null.
  Thread *pick(Order order);
  void resume(Thread &thread, Thread *next);
  void switchTo(Context &self, Thread &next);
  void reportDivergence();

  llvm::SmallVector<uint64_t> readyWarps;
  unsigned currentWarp = 0;
  std::mt19937_64 random;
  std::unique_ptr<char[]> sharedStorage;
  std::unique_ptr<Cell[]> sharedCells;
  char *stacks = nullptr;
  unsigned stackCount = 0;
};

/// The thread that this host thread is running.
extern thread_local Thread *currentThread;

/// The instruction of that number in the code that the thread runs.
inline const Site &siteOf(const Thread &thread, uint32_t number) {
  return thread.launch->sites[number];
}

/// Reports a fault of the thread at a site.
void report(Thread &thread, FaultKind kind, uint32_t site, int operand,
            llvm::function_ref<void(Fault &)> describe);
/// The same, and ends the thread's cluster.
[[noreturn]] void fatal(Thread &thread, FaultKind kind, uint32_t site,
                        int operand,
                        llvm::function_ref<void(Fault &)> describe);

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_MACHINE_H
