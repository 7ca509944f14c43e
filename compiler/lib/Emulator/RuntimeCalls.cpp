//===-- RuntimeCalls.cpp - what compiled kernels call -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "Access.h"
#include "Ordering.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace rmsc::emulator;

std::optional<SpecialRegister>
rmsc::emulator::lookupSpecialRegister(llvm::StringRef name) {
  using R = SpecialRegister;
  return llvm::StringSwitch<std::optional<R>>(name)
      .Case("tid.x", R::Tid)
      .Case("ntid.x", R::Ntid)
      .Case("ctaid.x", R::Ctaid)
      .Case("nctaid.x", R::Nctaid)
      .Case("laneid", R::Laneid)
      .Case("warpid", R::Warpid)
      .Case("nwarpid", R::Warps)
      .Case("warpsize", R::WarpSize)
      .Case("clusterid.x", R::ClusterId)
      .Case("nclusterid.x", R::Clusters)
      .Case("cluster.ctaid.x", R::ClusterRank)
      .Case("cluster.ctarank", R::ClusterRank)
      .Case("cluster.nctaid.x", R::ClusterSize)
      .Case("cluster.nctarank", R::ClusterSize)
      .Case("lanemask.eq", R::LanemaskEq)
      .Case("lanemask.le", R::LanemaskLe)
      .Case("lanemask.lt", R::LanemaskLt)
      .Case("lanemask.ge", R::LanemaskGe)
      .Case("lanemask.gt", R::LanemaskGt)
      .Cases({"tid.y", "tid.z", "ctaid.y", "ctaid.z", "clusterid.y",
              "clusterid.z", "cluster.ctaid.y", "cluster.ctaid.z"},
             R::Zero)
      .Cases({"ntid.y", "ntid.z", "nctaid.y", "nctaid.z", "nclusterid.y",
              "nclusterid.z", "cluster.nctaid.y", "cluster.nctaid.z"},
             R::One)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

namespace {

/// What a warp's threads do together; also tells which of them belong together.
enum Operation : uint32_t {
  ShuffleBfly,
  ShuffleUp,
  ShuffleDown,
  ShuffleIdx,
  VoteAny = 16,
  VoteAll,
  VoteBallot,
  VoteUni,
  WarpBarrier = 32,
};

/// Value and validity of a shuffle for one lane, as PTX defines shfl.sync.
uint64_t shuffled(Thread &thread) {
  Warp &warp = *thread.warp;
  unsigned lane = thread.lane, offset = thread.offset & 31;
  unsigned clamp = thread.clamp & 31, segment = thread.clamp >> 8 & 31;
  unsigned maxLane = (lane & segment) | (clamp & ~segment);
  unsigned minLane = lane & segment;
  unsigned source = lane;
  bool valid = false;
  switch (thread.operation) {
  case ShuffleUp:
    source = lane - offset;
    valid = int(source) >= int(maxLane);
    break;
  case ShuffleDown:
    source = lane + offset;
    valid = source <= maxLane;
    break;
  case ShuffleBfly:
    source = lane ^ offset;
    valid = source <= maxLane;
    break;
  default:
    source = minLane | (offset & ~segment);
    valid = source <= maxLane;
    break;
  }
  if (!valid)
    source = lane;
  if (LLVM_UNLIKELY(!(thread.mask >> source & 1)))
    report(thread, FaultKind::BadShuffle, thread.site, -1, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      os << siteOf(thread, thread.site).op << " reads lane " << source
         << ", which is not in its mask 0x" << llvm::utohexstr(thread.mask);
    });
  return warp.threads[source].value | uint64_t(valid) << 32;
}

void complete(Warp &warp, uint32_t mask, uint32_t operation) {
  uint32_t votes = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    votes |= uint32_t(warp.threads[lane].value != 0) << lane;
  }
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    Thread &thread = warp.threads[llvm::countr_zero(rest)];
    switch (operation) {
    case VoteAny:
      thread.result = votes != 0;
      break;
    case VoteAll:
      thread.result = votes == mask;
      break;
    case VoteBallot:
      thread.result = votes;
      break;
    case VoteUni:
      thread.result = votes == 0 || votes == mask;
      break;
    case WarpBarrier:
      ++thread.warpEpoch;
      break;
    default:
      thread.result = shuffled(thread);
    }
  }
}

uint64_t collective(uint32_t mask, uint32_t operation, uint32_t site,
                    uint32_t value, uint32_t offset, uint32_t clamp) {
  Thread &thread = *currentThread;
  Warp &warp = *thread.warp;
  uint32_t self = 1u << thread.lane;
  thread.site = site;
  if (LLVM_UNLIKELY(!(mask & self) || (mask & ~warp.exists)))
    fatal(thread, FaultKind::BadShuffle, site, -1, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      os << siteOf(thread, site).op << " with mask 0x" << llvm::utohexstr(mask);
      if (mask & self)
        os << " names lane " << llvm::countr_zero(mask & ~warp.exists)
           << ", which does not exist in a block of "
           << thread.launch->config->block << " threads";
      else
        os << " does not name the lane " << thread.lane << " that executes it";
    });
  thread.mask = mask;
  thread.operation = operation;
  thread.value = value;
  thread.offset = offset;
  thread.clamp = clamp;
  warp.arrived |= self;
  if ((warp.arrived & mask) == mask) {
    bool together = true;
    const Thread *elsewhere = nullptr;
    for (uint32_t rest = mask & ~self; rest; rest &= rest - 1) {
      const Thread &other = warp.threads[llvm::countr_zero(rest)];
      together &= other.mask == mask && other.operation == operation;
      if (other.site != site)
        elsewhere = &other;
    }
    if (together) {
      if (LLVM_UNLIKELY(elsewhere))
        fatal(thread, FaultKind::Divergence, site, -1, [&](Fault &fault) {
          llvm::raw_string_ostream os(fault.message);
          const Site &there = siteOf(*elsewhere, elsewhere->site);
          os << "meets thread " << elsewhere->number << " of its warp at "
             << siteOf(thread, site).op << ", but that one is at another "
             << there.op << " (" << there.location << ")";
        });
      warp.arrived &= ~mask;
      complete(warp, mask, operation);
      for (uint32_t rest = mask & ~self; rest; rest &= rest - 1)
        warp.threads[llvm::countr_zero(rest)].wait = Wait::None;
      Worker &worker = *thread.cta->cluster->worker;
      worker.makeRunnable(warp, mask);
      // Going on through the scheduler keeps the order that was asked for.
      worker.suspend(thread);
      return thread.result;
    }
  }
  thread.wait = Wait::Collective;
  thread.cta->cluster->worker->suspend(thread);
  return thread.result;
}

} // namespace

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

namespace {

void fenceCall() { fence(*currentThread); }

uint32_t specialRegister(uint32_t which) {
  const Thread &thread = *currentThread;
  const Cluster &cluster = *thread.cta->cluster;
  const LaunchConfig &config = *cluster.launch->config;
  uint32_t bit = 1u << thread.lane;
  switch (SpecialRegister(which)) {
  case SpecialRegister::Tid:
    return thread.number;
  case SpecialRegister::Ntid:
    return config.block;
  case SpecialRegister::Ctaid:
    return thread.cta->number;
  case SpecialRegister::Nctaid:
    return config.ctas;
  case SpecialRegister::Laneid:
    return thread.lane;
  case SpecialRegister::Warpid:
    return thread.number / 32;
  case SpecialRegister::Warps:
    return thread.cta->warpCount;
  case SpecialRegister::WarpSize:
    return 32;
  case SpecialRegister::ClusterId:
    return cluster.number;
  case SpecialRegister::Clusters:
    return cluster.launch->clusters;
  case SpecialRegister::ClusterRank:
    return thread.cta->rank;
  case SpecialRegister::ClusterSize:
    return config.cluster;
  case SpecialRegister::LanemaskEq:
    return bit;
  case SpecialRegister::LanemaskLt:
    return bit - 1;
  case SpecialRegister::LanemaskLe:
    return bit | (bit - 1);
  case SpecialRegister::LanemaskGt:
    return ~(bit | (bit - 1));
  case SpecialRegister::LanemaskGe:
    return ~(bit - 1);
  case SpecialRegister::Zero:
    return 0;
  case SpecialRegister::One:
    return 1;
  }
  return 0;
}

uint64_t shuffle(uint32_t mask, uint32_t value, uint32_t offset, uint32_t clamp,
                 uint32_t kind, uint32_t site) {
  return collective(mask, ShuffleBfly + kind, site, value, offset, clamp);
}

uint32_t vote(uint32_t mask, uint32_t predicate, uint32_t kind, uint32_t site) {
  return collective(mask, VoteAny + kind, site, predicate, 0, 0);
}

void warpBarrier(uint32_t mask, uint32_t site) {
  collective(mask, WarpBarrier, site, 0, 0, 0);
}

void barrier(uint32_t site) {
  Thread &thread = *currentThread;
  Cta &cta = *thread.cta;
  Worker &worker = *cta.cluster->worker;
  unsigned block = cta.cluster->launch->config->block;
  thread.site = site;
  thread.wait = Wait::Barrier;
  if (++cta.arrived == block) {
    // The barrier is `.aligned`: a warp comes to it as one.
    for (unsigned t = 0; t < block; ++t) {
      Thread &first = cta.threads[t / 32 * 32], &other = cta.threads[t];
      if (LLVM_UNLIKELY(first.site != other.site))
        fatal(other, FaultKind::Divergence, other.site, -1, [&](Fault &fault) {
          llvm::raw_string_ostream os(fault.message);
          const Site &there = siteOf(first, first.site);
          os << "meets thread " << first.number << " of its warp at "
             << siteOf(other, other.site).op << ", but that one is at another "
             << there.op << " (" << there.location << ")";
        });
      other.wait = Wait::None;
    }
    cta.arrived = 0;
    shareKnowledge(cta, block);
    ++cta.epoch;
    for (unsigned w = 0; w < cta.warpCount; ++w)
      worker.makeRunnable(cta.warps[w], cta.warps[w].exists);
  }
  worker.suspend(thread);
}

void clusterArrive(uint32_t relaxed, uint32_t site) {
  Thread &thread = *currentThread;
  Cluster &cluster = *thread.cta->cluster;
  Worker &worker = *cluster.worker;
  thread.site = site;
  if (LLVM_UNLIKELY(thread.clusterSteps % 2))
    fatal(thread, FaultKind::Divergence, site, -1, [&](Fault &fault) {
      fault.message = siteOf(thread, site).op +
                      " for the second time without a wait between";
    });
  ++thread.clusterSteps;
  thread.relaxedArrival = relaxed;
  if (!relaxed)
    ++thread.clusterEpoch;
  unsigned block = cluster.launch->config->block;
  if (++cluster.arrived < block * worker.ctaCount)
    return;
  cluster.arrived = 0;
  ++cluster.phase;
  for (unsigned c = 0; c < worker.ctaCount; ++c) {
    Cta &cta = worker.ctas[c];
    shareKnowledge(cta, block);
    for (unsigned t = 0; t < block; ++t)
      if (cta.threads[t].wait == Wait::Cluster) {
        cta.threads[t].wait = Wait::None;
        worker.makeRunnable(cta.threads[t]);
      }
  }
}

void clusterWait(uint32_t site) {
  Thread &thread = *currentThread;
  Cluster &cluster = *thread.cta->cluster;
  thread.site = site;
  if (LLVM_UNLIKELY(thread.clusterSteps % 2 == 0))
    fatal(thread, FaultKind::Divergence, site, -1, [&](Fault &fault) {
      fault.message = siteOf(thread, site).op + " without an arrival before it";
    });
  if (cluster.phase == thread.clusterSteps / 2) {
    thread.wait = Wait::Cluster;
    cluster.worker->suspend(thread);
  }
  ++thread.clusterSteps;
  if (!thread.relaxedArrival)
    ++thread.clusterEpoch;
}

void gridWait() {
  Thread &thread = *currentThread;
  thread.waited = true;
  thread.launch->anyWaited.store(true, std::memory_order_relaxed);
}

void gridTrigger() {
  Thread &thread = *currentThread;
  if (!thread.triggered && !thread.waited)
    thread.launch->anyEarlyTrigger.store(true, std::memory_order_relaxed);
  thread.triggered = true;
}

uint64_t mapa(uint64_t address, uint32_t rank, uint32_t site) {
  Thread &thread = *currentThread;
  Worker &worker = *thread.cta->cluster->worker;
  if (LLVM_UNLIKELY(rank >= worker.ctaCount))
    fatal(thread, FaultKind::OutOfBounds, site, -1, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      os << siteOf(thread, site).op << " of block " << rank
         << " of a cluster of " << worker.ctaCount;
    });
  return address - reinterpret_cast<uint64_t>(thread.cta->shared) +
         reinterpret_cast<uint64_t>(worker.ctas[rank].shared);
}

uint64_t sharedAddress(uint32_t object) {
  const Thread &thread = *currentThread;
  return reinterpret_cast<uint64_t>(thread.cta->shared) +
         thread.launch->layout.places[object].offset;
}

void tick(uint32_t count, uint32_t site) {
  Thread &thread = *currentThread;
  thread.budget -= count;
  if (LLVM_UNLIKELY(thread.budget < 0))
    fatal(thread, FaultKind::Runaway, site, -1, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      os << "has executed more than " << thread.launch->session->options->budget
         << " instructions in loops";
    });
  // Another thread of the cluster may be what this one is waiting for.
  if (LLVM_UNLIKELY(++thread.ticks % 4096 == 0)) {
    Worker &worker = *thread.cta->cluster->worker;
    worker.yield(thread);
  }
}

float rsqrtApprox(float value) {
  // The GPU's instruction is within 2^-22.9 of this; its own last bits are not
  // documented.
  return float(1.0 / std::sqrt(double(value)));
}

} // namespace

llvm::ArrayRef<RuntimeCall> rmsc::emulator::runtimeCalls() {
  auto address = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  static const RuntimeCall table[] = {
      {"rmsemu_load", address(calls::load)},
      {"rmsemu_store", address(calls::store)},
      {"rmsemu_masked_load", address(calls::maskedLoad)},
      {"rmsemu_masked_store", address(calls::maskedStore)},
      {"rmsemu_atomic", address(calls::atomic)},
      {"rmsemu_atomic_load", address(calls::atomicLoad)},
      {"rmsemu_fence", address(fenceCall)},
      {"rmsemu_sreg", address(specialRegister)},
      {"rmsemu_shuffle", address(shuffle)},
      {"rmsemu_vote", address(vote)},
      {"rmsemu_warp_barrier", address(warpBarrier)},
      {"rmsemu_barrier", address(barrier)},
      {"rmsemu_cluster_arrive", address(clusterArrive)},
      {"rmsemu_cluster_wait", address(clusterWait)},
      {"rmsemu_grid_wait", address(gridWait)},
      {"rmsemu_grid_trigger", address(gridTrigger)},
      {"rmsemu_mapa", address(mapa)},
      {"rmsemu_shared", address(sharedAddress)},
      {"rmsemu_tick", address(tick)},
      {"rmsemu_rsqrt_approx", address(rsqrtApprox)},
      // What LLVM makes of large copies and fills.
      {"memcpy", address(&std::memcpy)},
      {"memmove", address(&std::memmove)},
      {"memset", address(&std::memset)},
  };
  return table;
}
