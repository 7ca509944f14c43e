//===-- Machine.cpp - threads, warps, CTAs and clusters ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace rmsc::emulator;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

thread_local Thread *rmsc::emulator::currentThread = nullptr;

/// Only what a fiber touches of its stack takes memory.
static constexpr size_t stackBytes = size_t(256) * 1024;

/// A stack and the page below it that nobody may touch.
static size_t stackStride() {
  static const size_t stride = stackBytes + sysconf(_SC_PAGESIZE);
  return stride;
}

Record Thread::record() const {
  return who.at(cta->epoch, clusterEpoch, warpEpoch);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

bool Collector::countOnly(FaultKind kind, int launch, uint32_t site,
                          int operand, int64_t block, int thread) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = faults.find({int(kind), launch, site, operand});
  if (it == faults.end())
    return false;
  Fault &known = it->second.fault;
  if (std::make_pair(block, thread) < std::make_pair(known.block, known.thread))
    return false;
  ++known.count;
  return true;
}

void Collector::add(uint32_t site, int operand, Fault fault) {
  std::lock_guard<std::mutex> lock(mutex);
  Key key{int(fault.kind), fault.launch, site, operand};
  auto it = faults.find(key);
  if (it == faults.end()) {
    faults.emplace(key, Entry{std::move(fault), next++});
    return;
  }
  Fault &known = it->second.fault;
  fault.count = known.count + 1;
  if (std::make_pair(fault.block, fault.thread) <
      std::make_pair(known.block, known.thread))
    it->second = Entry{std::move(fault), next++};
  else
    known.count = fault.count;
}

Report Collector::take() {
  std::vector<Entry *> order;
  order.reserve(faults.size());
  for (auto &item : faults)
    order.push_back(&item.second);
  // By place; the faults of one thread as they came.
  llvm::sort(order, [](const Entry *a, const Entry *b) {
    return std::make_tuple(a->fault.launch < 0, a->fault.launch, a->fault.block,
                           a->fault.thread, a->number) <
           std::make_tuple(b->fault.launch < 0, b->fault.launch, b->fault.block,
                           b->fault.thread, b->number);
  });
  Report report;
  for (Entry *entry : order)
    report.faults.push_back(std::move(entry->fault));
  faults.clear();
  return report;
}

void rmsc::emulator::report(Thread &thread, FaultKind kind, uint32_t site,
                            int operand,
                            llvm::function_ref<void(Fault &)> describe) {
  LaunchState &launch = *thread.cta->cluster->launch;
  Collector &collector = launch.session->collector;
  if (collector.countOnly(kind, launch.number, site, operand,
                          thread.cta->number, thread.number))
    return;
  Fault fault;
  fault.kind = kind;
  fault.entry = launch.config->entry;
  fault.launch = launch.number;
  fault.block = thread.cta->number;
  fault.thread = thread.number;
  fault.location = launch.code->sites()[site].location;
  describe(fault);
  collector.add(site, operand, std::move(fault));
}

void rmsc::emulator::fatal(Thread &thread, FaultKind kind, uint32_t site,
                           int operand,
                           llvm::function_ref<void(Fault &)> describe) {
  report(thread, kind, site, operand, describe);
  thread.cta->cluster->worker->abortCluster();
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

/// Notes where the context that jumped here has stopped.
static void arrive(transfer_t transfer) {
  static_cast<Context *>(transfer.data)->point = transfer.fctx;
}

static void fiberMain(transfer_t transfer) {
  arrive(transfer);
  Thread &thread = *currentThread;
  LaunchState &launch = *thread.cta->cluster->launch;
  launch.entry->function(launch.argumentValues.data());
  // A thread that ends lets dependents start, as if it had said so.
  if (!thread.triggered && !thread.waited)
    launch.anyEarlyTrigger.store(true, std::memory_order_relaxed);
  thread.cta->cluster->worker->exit(thread);
}

void Worker::switchTo(Context &self, Thread &next) {
  currentThread = &next;
  if (!next.started) {
    next.started = true;
    size_t index = &next - threads.get();
    char *top = stacks + (index + 1) * stackStride();
    // Stacks lie a multiple of a page apart; without this their tops would all
    // fall into the same few cache lines.
    top -= (index % 32) * 128;
    next.point = make_fcontext(top, stackBytes - 32 * 128, fiberMain);
  }
  arrive(jump_fcontext(next.point, &self));
}

void Worker::suspend(Thread &thread) {
  resume(thread, pick(launch.session->options->order));
}

void Worker::yield(Thread &thread) {
  // In the order of lanes a thread that spins could be picked for ever.
  makeRunnable(thread);
  resume(thread, pick(Order::Random));
}

void Worker::resume(Thread &thread, Thread *next) {
  if (next == &thread)
    return;
  if (next) {
    switchTo(thread, *next);
  } else {
    currentThread = nullptr;
    arrive(jump_fcontext(point, &thread));
  }
}

void Worker::exit(Thread &thread) {
  thread.wait = Wait::Done;
  thread.warp->done |= 1u << thread.lane;
  --thread.cta->live;
  --cluster.live;
  suspend(thread);
  llvm_unreachable("a thread that has ended was resumed");
}

void Worker::abortCluster() {
  launch.session->aborted.store(true, std::memory_order_relaxed);
  currentThread = nullptr;
  // The jump back finds no live threads and leaves the rest where they are.
  cluster.live = 0;
  Context nowhere;
  jump_fcontext(point, &nowhere);
  llvm_unreachable("a thread of an ended cluster was resumed");
}

void Worker::makeRunnable(Warp &warp, uint32_t lanes) {
  warp.runnable |= lanes;
  readyWarps[warp.index / 64] |= uint64_t(1) << (warp.index % 64);
}

void Worker::makeRunnable(Thread &thread) {
  makeRunnable(*thread.warp, 1u << thread.lane);
}

/// The first set bit at or after `from`, going round.
static unsigned nextBit(llvm::ArrayRef<uint64_t> words, unsigned from) {
  unsigned count = words.size();
  unsigned word = from / 64;
  uint64_t bits = words[word] & (~uint64_t(0) << (from % 64));
  for (unsigned i = 0; i <= count; ++i) {
    if (bits)
      return word * 64 + llvm::countr_zero(bits);
    word = word + 1 == count ? 0 : word + 1;
    bits = words[word];
  }
  return ~0u;
}

/// The first set bit at or before `from`, going round.
static unsigned previousBit(llvm::ArrayRef<uint64_t> words, unsigned from) {
  unsigned count = words.size();
  unsigned word = from / 64;
  uint64_t bits = words[word] & (~uint64_t(0) >> (63 - from % 64));
  for (unsigned i = 0; i <= count; ++i) {
    if (bits)
      return word * 64 + 63 - llvm::countl_zero(bits);
    word = word == 0 ? count - 1 : word - 1;
    bits = words[word];
  }
  return ~0u;
}

Thread *Worker::pick(Order order) {
  // Forward and reverse stay with a warp as long as it can go on: that is how a
  // warp runs, and its lanes' stacks stay in the cache.
  unsigned lane = 0;
  switch (order) {
  case Order::Forward:
    if (!warps[currentWarp].runnable)
      currentWarp = nextBit(readyWarps, currentWarp);
    if (currentWarp == ~0u)
      break;
    lane = llvm::countr_zero(warps[currentWarp].runnable);
    break;
  case Order::Reverse:
    if (!warps[currentWarp].runnable)
      currentWarp = previousBit(readyWarps, currentWarp);
    if (currentWarp == ~0u)
      break;
    lane = 31 - llvm::countl_zero(warps[currentWarp].runnable);
    break;
  case Order::Random: {
    uint64_t number = random();
    currentWarp = nextBit(readyWarps, unsigned(number >> 32) % warpCount);
    if (currentWarp == ~0u)
      break;
    unsigned turn = number % 32;
    uint32_t turned = llvm::rotr(warps[currentWarp].runnable, int(turn));
    lane = (llvm::countr_zero(turned) + turn) % 32;
    break;
  }
  }
  if (currentWarp == ~0u) {
    currentWarp = 0;
    return nullptr;
  }
  Warp &warp = warps[currentWarp];
  warp.runnable &= ~(1u << lane);
  if (!warp.runnable)
    readyWarps[currentWarp / 64] &= ~(uint64_t(1) << (currentWarp % 64));
  return &warp.threads[lane];
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

namespace {
/// Stacks of workers that are gone, for those to come: mapping and guarding a
/// thousand of them takes longer than a small launch.
class StackPool {
public:
  /// At least `count` stacks; `count` becomes the number there are.
  char *take(unsigned &count) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (auto it = free.begin(); it != free.end(); ++it) {
        if (it->second < count)
          continue;
        auto [area, found] = *it;
        free.erase(it);
        count = found;
        return area;
      }
    }
    size_t stride = stackStride();
    void *area =
        mmap(nullptr, stride * count, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (area == MAP_FAILED)
      llvm::report_fatal_error("no address space for the stacks of the "
                               "emulated threads");
    // A page that nobody may touch lies below every stack.
    for (unsigned i = 0; i < count; ++i)
      mprotect(static_cast<char *>(area) + i * stride, stride - stackBytes,
               PROT_NONE);
    return static_cast<char *>(area);
  }

  void give(char *area, unsigned count) {
    std::lock_guard<std::mutex> lock(mutex);
    free.emplace_back(area, count);
  }

private:
  std::mutex mutex;
  std::vector<std::pair<char *, unsigned>> free;
};

StackPool &stackPool() {
  static StackPool pool;
  return pool;
}
} // namespace

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

Worker::Worker(LaunchState &launch, unsigned index) : launch(launch) {
  const LaunchConfig &config = *launch.config;
  unsigned warpsOfCta = llvm::divideCeil(config.block, 32);
  ctaCount = config.cluster;
  warpCount = ctaCount * warpsOfCta;
  // Lanes that do not exist still have their place, so that a warp's threads
  // can be numbered by lane.
  threadCount = warpCount * 32;
  ctas = std::make_unique<Cta[]>(ctaCount);
  warps = std::make_unique<Warp[]>(warpCount);
  threads = std::make_unique<Thread[]>(threadCount);
  readyWarps.resize(llvm::divideCeil(warpCount, 64));
  sharedStorage =
      std::make_unique<char[]>(launch.layout.bytes * ctaCount + 256);
  char *shared = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uint64_t>(sharedStorage.get()), 256));
  uint64_t cellCount = launch.layout.bytes / 2;
  sharedCells = std::make_unique<Cell[]>(cellCount * ctaCount);

  cluster.launch = &launch;
  cluster.worker = this;
  for (unsigned c = 0; c < ctaCount; ++c) {
    Cta &cta = ctas[c];
    cta.cluster = &cluster;
    cta.rank = c;
    cta.warps = &warps[c * warpsOfCta];
    cta.warpCount = warpsOfCta;
    cta.threads = &threads[c * warpsOfCta * 32];
    cta.shared = shared + c * launch.layout.bytes;
    cta.sharedCells = &sharedCells[c * cellCount];
    for (unsigned w = 0; w < warpsOfCta; ++w) {
      Warp &warp = cta.warps[w];
      warp.cta = &cta;
      warp.index = c * warpsOfCta + w;
      warp.threads = &cta.threads[w * 32];
      unsigned lanes = std::min(32u, config.block - w * 32);
      warp.exists = lanes == 32 ? ~0u : (1u << lanes) - 1;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Thread &thread = warp.threads[lane];
        thread.cta = &cta;
        thread.warp = &warp;
        thread.launch = &launch;
        thread.number = w * 32 + lane;
        thread.lane = lane;
      }
    }
  }

  stackCount = threadCount;
  stacks = stackPool().take(stackCount);
}

Worker::~Worker() { stackPool().give(stacks, stackCount); }

void Worker::run() {
  for (;;) {
    uint64_t position =
        launch.nextCluster.fetch_add(1, std::memory_order_relaxed);
    if (position >= launch.clusters)
      return;
    switch (launch.session->options->order) {
    case Order::Forward:
      runCluster(position);
      break;
    case Order::Reverse:
      runCluster(launch.clusters - 1 - position);
      break;
    case Order::Random:
      runCluster(launch.order[position]);
      break;
    }
  }
}

void Worker::runCluster(uint64_t number) {
  const LaunchConfig &config = *launch.config;
  const RunOptions &options = *launch.session->options;
  cluster.number = number;
  cluster.arrived = cluster.phase = 0;
  cluster.live = config.block * ctaCount;
  random.seed(options.seed * 0x9e3779b97f4a7c15ull + number);
  for (unsigned c = 0; c < ctaCount; ++c) {
    Cta &cta = ctas[c];
    cta.number = number * ctaCount + c;
    cta.arrived = 0;
    cta.live = config.block;
    cta.epoch = 0;
    cta.waited = false;
    cta.known.reset();
    // Cells of a CTA that ran here before name it, and count as empty.
    for (unsigned w = 0; w < cta.warpCount; ++w) {
      Warp &warp = cta.warps[w];
      warp.runnable = warp.arrived = warp.done = 0;
      makeRunnable(warp, warp.exists);
    }
    for (unsigned t = 0; t < config.block; ++t) {
      Thread &thread = cta.threads[t];
      thread.who = Record::of(launch.number, cta.number, t);
      thread.warpEpoch = thread.clusterSteps = thread.clusterEpoch = 0;
      thread.wait = Wait::None;
      thread.started = thread.waited = thread.triggered = false;
      thread.budget = options.budget;
      thread.ticks = 0;
      thread.fenceEpoch = 0;
      thread.seen.reset();
      thread.known.reset();
    }
  }
  currentWarp = options.order == Order::Reverse ? warpCount - 1 : 0;
  if (Thread *first = pick(options.order))
    switchTo(*this, *first);
  currentThread = nullptr;
  if (cluster.live) {
    reportDivergence();
    launch.session->aborted.store(true, std::memory_order_relaxed);
  }
  llvm::fill(readyWarps, 0);
}

/// Says of a thread why it does not come: "thread 5 has ended".
static std::string excuse(const Thread &thread, const Code &code) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "thread " << thread.number;
  if (thread.wait == Wait::Done) {
    os << " has ended";
  } else {
    const Site &site = code.sites()[thread.site];
    os << " waits at " << site.op;
    if (!site.location.empty())
      os << " (" << site.location << ")";
  }
  return text;
}

void Worker::reportDivergence() {
  const Code &code = *launch.code;
  // The first thread that waits in vain names the place, and the first that it
  // waits for says why: the later ones are most often consequences.
  for (unsigned c = 0; c < ctaCount; ++c) {
    Cta &cta = ctas[c];
    for (unsigned t = 0; t < launch.config->block; ++t) {
      Thread &thread = cta.threads[t];
      if (thread.wait == Wait::None || thread.wait == Wait::Done)
        continue;
      // A collective is more local than a barrier, so it is looked for first.
      bool collective = thread.wait == Wait::Collective;
      if (!collective &&
          llvm::any_of(
              llvm::make_range(cta.threads, cta.threads + launch.config->block),
              [](const Thread &other) {
                return other.wait == Wait::Collective;
              }))
        continue;
      uint64_t here = 0, all = 0;
      const Thread *missing = nullptr;
      auto look = [&](Thread &other, bool present) {
        ++all;
        if (present)
          ++here;
        else if (!missing)
          missing = &other;
      };
      if (collective) {
        for (unsigned lane = 0; lane < 32; ++lane)
          if (thread.mask >> lane & 1) {
            Thread &other = thread.warp->threads[lane];
            look(other, other.wait == Wait::Collective &&
                            other.mask == thread.mask &&
                            other.operation == thread.operation);
          }
      } else if (thread.wait == Wait::Barrier) {
        for (unsigned o = 0; o < launch.config->block; ++o)
          look(cta.threads[o], cta.threads[o].wait == Wait::Barrier);
      } else {
        for (unsigned r = 0; r < ctaCount; ++r)
          for (unsigned o = 0; o < launch.config->block; ++o)
            look(ctas[r].threads[o],
                 ctas[r].threads[o].clusterSteps >= thread.clusterSteps);
      }
      report(thread, FaultKind::Divergence, thread.site, -1, [&](Fault &fault) {
        llvm::raw_string_ostream os(fault.message);
        os << "waits in vain at " << code.sites()[thread.site].op << ", which "
           << here << " of " << all << " threads have reached";
        if (missing) {
          os << "; ";
          if (missing->cta != &cta)
            os << "block " << missing->cta->number << ", ";
          os << excuse(*missing, code);
        }
      });
      return;
    }
  }
}
