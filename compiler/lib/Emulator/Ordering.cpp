//===-- Ordering.cpp - which of two accesses comes first --------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"

using namespace rmsc::emulator;

/// Whether a thread at `now` comes after the cluster barrier that follows an
/// access of another thread at `then`. The numbers count half steps: an access
/// between arrival and wait belongs to the next barrier.
static bool clusterOrdered(unsigned then, unsigned now) {
  unsigned distance = (now / 2 - (then + 1) / 2) & (Record::clusterMask >> 1);
  return distance != 0 && distance < Record::clusterMask / 4;
}

Relation rmsc::emulator::relate(Record earlier, const Thread &thread,
                                bool nowAtomic) {
  const Cta &cta = *thread.cta;
  const LaunchState &launch = *cta.cluster->launch;
  if (earlier.launch() != launch.number) {
    uint32_t ended =
        thread.waited ? launch.endedAfterWait : launch.endedAtStart;
    return ended >> earlier.launch() & 1 ? Relation::Ordered
                                         : Relation::Unwaited;
  }
  Record now = thread.record();
  if (earlier.sameThread(now))
    return Relation::Ordered;
  if (earlier.atomic() && nowAtomic)
    return Relation::Ordered;
  if (earlier.spread() != Record::SeveralCtas) {
    if (earlier.cta() == now.cta()) {
      if (earlier.epoch() != now.epoch() ||
          clusterOrdered(earlier.cluster(), now.cluster()))
        return Relation::Ordered;
      if (earlier.spread() <= Record::LanesOfWarp &&
          earlier.thread() / 32 == now.thread() / 32 &&
          earlier.warp() != now.warp())
        return Relation::Ordered;
      return Relation::Race;
    }
    uint64_t first = cta.cluster->number * launch.config->cluster;
    if (launch.config->cluster > 1 &&
        ((earlier.cta() - first) & Record::ctaMask) < launch.config->cluster &&
        clusterOrdered(earlier.cluster(), now.cluster()))
      return Relation::Ordered;
  }
  if ((thread.known && thread.known->covers(earlier)) ||
      (cta.known && cta.known->covers(earlier)))
    return Relation::Ordered;
  return Relation::Race;
}

Record rmsc::emulator::mergedReader(Record there, Record now,
                                    const Thread &thread) {
  if (there.empty() || there.launch() != now.launch() || there.sameThread(now))
    return now;
  if (there.cta() != now.cta() || there.spread() == Record::SeveralCtas)
    return now.spreadTo(Record::SeveralCtas);
  if (there.epoch() != now.epoch())
    return now;
  if (there.spread() == Record::ThreadsOfCta ||
      there.thread() / 32 != now.thread() / 32)
    return now.spreadTo(Record::ThreadsOfCta);
  return there.warp() == now.warp() ? now.spreadTo(Record::LanesOfWarp) : now;
}

void rmsc::emulator::shareKnowledge(Cta &cta, unsigned block) {
  for (unsigned t = 0; t < block; ++t) {
    Thread &thread = cta.threads[t];
    cta.waited |= thread.waited;
    if (!thread.known)
      continue;
    if (!cta.known)
      cta.known = std::make_unique<Knowledge>();
    cta.known->join(*thread.known);
    thread.known.reset();
  }
  if (cta.waited)
    for (unsigned t = 0; t < block; ++t)
      cta.threads[t].waited = true;
}

void rmsc::emulator::fence(Thread &thread) {
  thread.fenceEpoch = thread.cta->epoch + 1;
  if (!thread.seen)
    return;
  if (!thread.known)
    thread.known = std::make_unique<Knowledge>();
  thread.known->join(*thread.seen);
  thread.seen.reset();
}

void rmsc::emulator::synchronize(Thread &thread, uint64_t address, bool stores,
                                 bool releases, bool acquires) {
  Cta &cta = *thread.cta;
  Session &session = *cta.cluster->launch->session;
  std::lock_guard<std::mutex> lock(session.syncMutex);
  SyncVariable &variable = session.syncVariables[address];
  // What the variable holds becomes known once a fence (or the order of the
  // atomic itself) keeps later loads behind it.
  if (!variable.released.ctas.empty()) {
    if (!thread.seen)
      thread.seen = std::make_unique<Knowledge>();
    thread.seen->join(variable.released);
    if (acquires) {
      uint64_t epoch = thread.fenceEpoch;
      fence(thread);
      thread.fenceEpoch = epoch;
    }
  }
  uint64_t epoch = releases ? cta.epoch + 1 : thread.fenceEpoch;
  if (!stores || !epoch)
    return;
  variable.released.join(cta.number & Record::ctaMask,
                         {epoch - 1, int(thread.number)});
  if (cta.known)
    variable.released.join(*cta.known);
  if (thread.known)
    variable.released.join(*thread.known);
}
