//===-- RuntimeCalls.cpp - what compiled kernels call -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "Machine.h"
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
// What orders two accesses
//===----------------------------------------------------------------------===//

namespace {

enum class Relation {
  /// One happens before the other, or both are of one thread.
  Ordered,
  /// Nothing says which comes first.
  Race,
  /// The earlier one belongs to a launch that may still be running.
  Unwaited,
};

/// Whether a thread at `now` comes after the cluster barrier that follows an
/// access of another thread at `then`. The numbers count half steps: an access
/// between arrival and wait belongs to the next barrier.
bool clusterOrdered(unsigned then, unsigned now) {
  unsigned distance = (now / 2 - (then + 1) / 2) & (Record::clusterMask >> 1);
  return distance != 0 && distance < Record::clusterMask / 4;
}

/// How an earlier access relates to what a thread does now.
Relation relate(Record earlier, const Thread &thread, bool nowAtomic) {
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
  if (!earlier.manyCtas()) {
    if (earlier.cta() == now.cta()) {
      if (earlier.epoch() != now.epoch() ||
          clusterOrdered(earlier.cluster(), now.cluster()))
        return Relation::Ordered;
      if (!earlier.manyThreads() &&
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

/// The reader to note, given the one that is there.
Record mergedReader(Record there, Record now, const Thread &thread) {
  if (there.empty() || there.launch() != now.launch() || there.sameThread(now))
    return now;
  if (there.cta() != now.cta() || there.manyCtas())
    return Record(now.bits | Record::manyCtasBit | Record::manyThreadsBit);
  if (there.epoch() == now.epoch())
    return Record(now.bits | Record::manyThreadsBit);
  return now;
}

template <bool concurrent>
void noteReader(Cell &cell, Record now, const Thread &thread) {
  Record there(cell.reader.load(std::memory_order_relaxed));
  Record merged = mergedReader(there, now, thread);
  if (!concurrent)
    return cell.reader.store(merged.bits, std::memory_order_relaxed);
  // Ordered before the load of the writer that follows, as a store's exchange
  // is before its load of the reader: one of two racing threads sees the other.
  while (!cell.reader.compare_exchange_weak(there.bits, merged.bits))
    merged = mergedReader(there, now, thread);
}

enum class Mode { Load, Store, Atomic };

} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string Memory::place(uint64_t offset) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (buffer.kind == Buffer::Kind::Workspace) {
    os << "byte " << offset;
    return text;
  }
  uint64_t row = buffer.strideBytes ? offset / buffer.strideBytes : 0;
  uint64_t column = buffer.strideBytes ? offset % buffer.strideBytes : offset;
  column /= buffer.elementBytes;
  if (buffer.rowBytes == buffer.elementBytes)
    os << "element " << row;
  else if (buffer.rows > 1)
    os << "row " << row << ", column " << column;
  else
    os << "column " << column;
  return text;
}

namespace {

const Site &siteOf(const Thread &thread, uint32_t site) {
  return thread.launch->sites[site];
}

/// "llvm.store of 16 bytes at y+4096 (row 2, column 0)".
void describeGlobal(llvm::raw_ostream &os, const Site &site,
                    const Memory &memory, uint64_t offset, uint64_t bytes) {
  os << site.op << " of " << bytes << " bytes at " << memory.buffer.name << "+"
     << offset << " (" << memory.place(offset) << ")";
}

void describeWho(llvm::raw_ostream &os, Record record, const Thread &thread) {
  if (record.launch() != thread.launch->number)
    os << "launch " << record.launch() << ", ";
  if (record.manyCtas())
    os << "several blocks";
  else if (record.manyThreads())
    os << "several threads of block " << record.cta();
  else
    os << "block " << record.cta() << ", thread " << record.thread();
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// The buffer that a site's pointer points into: the one of the argument it was
/// computed from, else the one that holds the address. Null where there is
/// none.
Memory *memoryOf(LaunchState &launch, const Site &site, uint64_t address) {
  if (site.argument >= 0)
    return launch.argumentMemories[site.argument];
  for (Memory &memory : launch.session->memories)
    if (address - memory.start < memory.bytes)
      return &memory;
  return nullptr;
}

[[noreturn]] void outOfBounds(Thread &thread, uint32_t number, Memory *memory,
                              uint64_t address, uint64_t bytes) {
  const Site &site = siteOf(thread, number);
  Session &session = *thread.launch->session;
  int operand = memory ? int(memory - session.memories.data()) : -1;
  fatal(thread, FaultKind::OutOfBounds, number, operand, [&](Fault &fault) {
    llvm::raw_string_ostream os(fault.message);
    os << site.op << " of " << bytes << " bytes at ";
    if (!memory) {
      os << "address 0x" << llvm::utohexstr(address)
         << ", which belongs to no buffer";
      return;
    }
    fault.operand = memory->buffer.name;
    int64_t offset = int64_t(address - memory->start);
    os << memory->buffer.name << (offset < 0 ? "-" : "+")
       << (offset < 0 ? -offset : offset);
    int64_t end = offset + int64_t(bytes);
    if (offset < 0)
      os << ", " << -offset << " bytes before its start";
    else if (end > int64_t(memory->bytes))
      os << ", " << end - int64_t(memory->bytes)
         << " bytes beyond its end (it has " << memory->bytes << ")";
    else
      os << ", between the end of row " << offset / memory->buffer.strideBytes
         << " and the start of the next one";
  });
}

/// Notes and judges an access. `value` is what a store will write.
template <bool concurrent>
void touchGlobal(Thread &thread, uint32_t number, const Site &site,
                 Memory &memory, uint64_t offset, uint64_t bytes, Mode mode,
                 const char *value) {
  LaunchState &launch = *thread.launch;
  int operand = int(&memory - launch.session->memories.data());
  Record now = thread.record();
  if (site.atomic)
    now.bits |= Record::atomicBit;

  // Of the cells of one access the first fault of a kind says enough.
  uint32_t reported = 0;
  auto fault = [&](FaultKind kind, uint64_t at,
                   llvm::function_ref<void(llvm::raw_ostream &)> rest) {
    if (reported >> int(kind) & 1)
      return;
    reported |= 1u << int(kind);
    report(thread, kind, number, operand, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      fault.operand = memory.buffer.name;
      uint64_t element = memory.buffer.elementBytes;
      describeGlobal(os, site, memory, std::max(offset, at / element * element),
                     bytes);
      rest(os);
    });
  };
  auto judge = [&](Record other, uint64_t at, const char *did) {
    Relation relation = relate(other, thread, site.atomic);
    if (relation == Relation::Ordered)
      return;
    FaultKind kind = relation == Relation::Race ? FaultKind::GlobalRace
                     : mode != Mode::Load       ? FaultKind::StoreBeforeWait
                                                : FaultKind::ReadBeforeWait;
    fault(kind, at, [&](llvm::raw_ostream &os) {
      os << ", which ";
      describeWho(os, other, thread);
      os << " " << did;
      if (relation == Relation::Race)
        os << " with no barrier, fence or atomic between";
      else
        os << "; the thread has not executed griddepcontrol.wait";
    });
  };
  auto uninitialized = [&](uint64_t at) {
    if (at >= memory.initialized)
      fault(FaultKind::UninitializedRead, at, [&](llvm::raw_ostream &os) {
        os << ", which nothing has written";
      });
  };

  for (uint64_t index = offset / 2; index <= (offset + bytes - 1) / 2;
       ++index) {
    Cell &cell = memory.cells[index];
    uint64_t at = std::max(index * 2, offset);
    if (mode == Mode::Load) {
      // Atomic loads leave no reader: what follows them is ordered by what
      // they return, which a cell cannot tell of more than one.
      if (!site.atomic)
        noteReader<concurrent>(cell, now, thread);
      Record writer(cell.writer.load(concurrent ? std::memory_order_seq_cst
                                                : std::memory_order_relaxed));
      if (writer.empty()) {
        uninitialized(at);
        continue;
      }
      judge(writer, at, "wrote");
      if (site.invariant && writer.launch() == launch.number)
        fault(FaultKind::InvariantLoad, at, [&](llvm::raw_ostream &os) {
          os << " is marked invariant, but ";
          describeWho(os, writer, thread);
          os << " wrote there in the same launch";
        });
      continue;
    }
    Record before(concurrent ? cell.writer.exchange(now.bits)
                             : cell.writer.load(std::memory_order_relaxed));
    if (!concurrent)
      cell.writer.store(now.bits, std::memory_order_relaxed);
    Record reader(cell.reader.load(concurrent ? std::memory_order_seq_cst
                                              : std::memory_order_relaxed));
    if (!reader.empty())
      judge(reader, at, "read");
    if (before.empty()) {
      if (mode == Mode::Atomic)
        uninitialized(at);
      continue;
    }
    judge(before, at, "wrote");
    if (!value || !memory.isOutput())
      continue;
    uint64_t size = std::min<uint64_t>(2, offset + bytes - at);
    const char *there = static_cast<char *>(memory.buffer.data) + at;
    if (std::memcmp(there, value + (at - offset), size) != 0)
      fault(FaultKind::Rewritten, at, [&](llvm::raw_ostream &os) {
        os << " changes what ";
        describeWho(os, before, thread);
        os << " wrote";
      });
  }
}

void accessGlobal(Thread &thread, uint32_t number, const Site &site,
                  uint64_t address, uint64_t bytes, Mode mode,
                  const char *value) {
  LaunchState &launch = *thread.launch;
  Session &session = *launch.session;
  Memory *memory = memoryOf(*thread.launch, site, address);
  if (LLVM_UNLIKELY(!memory))
    outOfBounds(thread, number, nullptr, address, bytes);
  uint64_t offset = address - memory->start;
  if (LLVM_UNLIKELY(offset > memory->bytes || bytes > memory->bytes - offset ||
                    (memory->gaps && !memory->insideRow(offset, bytes))))
    outOfBounds(thread, number, memory, address, bytes);
  if (LLVM_UNLIKELY(launch.inputsPending && !thread.waited))
    report(
        thread,
        mode != Mode::Load ? FaultKind::StoreBeforeWait
                           : FaultKind::ReadBeforeWait,
        number, int(memory - session.memories.data()), [&](Fault &fault) {
          llvm::raw_string_ostream os(fault.message);
          fault.operand = memory->buffer.name;
          describeGlobal(os, site, *memory, offset, bytes);
          os << ": the launch may start before the one ahead of the call has "
                "ended, and the thread has not executed griddepcontrol.wait";
        });
  if (memory->input) {
    if (LLVM_LIKELY(mode == Mode::Load))
      return;
    fatal(thread, FaultKind::StoreToInput, number,
          int(memory - session.memories.data()), [&](Fault &fault) {
            llvm::raw_string_ostream os(fault.message);
            fault.operand = memory->buffer.name;
            describeGlobal(os, site, *memory, offset, bytes);
            os << ", which is an input";
          });
  }
  if (session.concurrent)
    touchGlobal<true>(thread, number, site, *memory, offset, bytes, mode,
                      value);
  else
    touchGlobal<false>(thread, number, site, *memory, offset, bytes, mode,
                       value);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The CTA of the thread's cluster whose shared memory holds an address.
Cta *ctaOfShared(Thread &thread, uint64_t address) {
  Cluster &cluster = *thread.cta->cluster;
  uint64_t bytes = cluster.launch->layout.bytes;
  uint64_t first = reinterpret_cast<uint64_t>(cluster.worker->ctas[0].shared);
  if (bytes == 0 || address < first)
    return nullptr;
  uint64_t rank = (address - first) / bytes;
  return rank < cluster.worker->ctaCount ? &cluster.worker->ctas[rank]
                                         : nullptr;
}

void accessShared(Thread &thread, uint32_t number, const Site &site,
                  uint64_t address, uint64_t bytes, Mode mode) {
  Cluster &cluster = *thread.cta->cluster;
  LaunchState &launch = *cluster.launch;
  const auto &places = launch.layout.places;
  const auto &objects = launch.code->sharedObjects();
  Cta *owner = ctaOfShared(thread, address);
  uint64_t offset =
      owner ? address - reinterpret_cast<uint64_t>(owner->shared) : 0;
  // The object that the pointer came from, else the one that is hit.
  int object = site.object;
  if (owner && object < 0)
    for (unsigned i = 0; i < places.size(); ++i)
      if (offset - places[i].offset < places[i].bytes)
        object = i;
  bool inside =
      owner && object >= 0 && (owner == thread.cta || site.space != 3);
  if (inside) {
    uint64_t within = offset - places[object].offset;
    inside = within <= places[object].bytes &&
             bytes <= places[object].bytes - within;
  }
  if (LLVM_UNLIKELY(!inside))
    fatal(thread, FaultKind::OutOfBounds, number, object, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      os << site.op << " of " << bytes << " bytes ";
      if (object < 0) {
        os << "outside of all shared memory objects";
        return;
      }
      fault.operand = objects[object].name;
      uint64_t start = reinterpret_cast<uint64_t>(
          (site.space == 3 || !owner ? thread.cta : owner)->shared);
      int64_t within = int64_t(address - start - places[object].offset);
      os << "at " << objects[object].name << (within < 0 ? "-" : "+")
         << std::abs(within) << ", outside of the " << places[object].bytes
         << " bytes of the shared object";
    });
  if (LLVM_UNLIKELY(owner->live == 0))
    fatal(thread, FaultKind::ExitedRemote, number, object, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      fault.operand = objects[object].name;
      os << site.op << " of " << bytes
         << " bytes in the shared memory of block " << owner->number
         << ", which has ended";
    });

  Record now = thread.record();
  if (site.atomic)
    now.bits |= Record::atomicBit;
  uint64_t firstCta = cluster.number * cluster.worker->ctaCount;
  // A record of a CTA that had this memory before is none.
  auto current = [&](uint64_t bits) {
    Record record(bits);
    bool ours = record.launch() == launch.number &&
                ((record.cta() - firstCta) & Record::ctaMask) <
                    cluster.worker->ctaCount;
    return ours ? record : Record();
  };
  uint32_t reported = 0;
  auto fault = [&](FaultKind kind, uint64_t at,
                   llvm::function_ref<void(llvm::raw_ostream &)> rest) {
    if (reported >> int(kind) & 1)
      return;
    reported |= 1u << int(kind);
    report(thread, kind, number, object, [&](Fault &fault) {
      llvm::raw_string_ostream os(fault.message);
      fault.operand = objects[object].name;
      // Its elements are not known; most have four bytes.
      uint64_t within = at - places[object].offset;
      os << site.op << " of " << bytes << " bytes at " << objects[object].name
         << "+" << std::max(offset - places[object].offset, within / 4 * 4);
      rest(os);
    });
  };
  auto judge = [&](Record other, uint64_t at, const char *did) {
    if (relate(other, thread, site.atomic) == Relation::Ordered)
      return;
    fault(FaultKind::SharedRace, at, [&](llvm::raw_ostream &os) {
      os << ", which ";
      describeWho(os, other, thread);
      os << " " << did << " since the last barrier";
    });
  };
  for (uint64_t index = offset / 2; index <= (offset + bytes - 1) / 2;
       ++index) {
    Cell &cell = owner->sharedCells[index];
    uint64_t at = std::max(index * 2, offset);
    Record writer = current(cell.writer.load(std::memory_order_relaxed));
    Record reader = current(cell.reader.load(std::memory_order_relaxed));
    if (mode != Mode::Load) {
      cell.writer.store(now.bits, std::memory_order_relaxed);
      if (!reader.empty())
        judge(reader, at, "read");
    } else if (!site.atomic) {
      cell.reader.store(mergedReader(reader, now, thread).bits,
                        std::memory_order_relaxed);
    }
    if (!writer.empty())
      judge(writer, at, "wrote");
    else if (mode != Mode::Store)
      fault(FaultKind::UninitializedRead, at, [&](llvm::raw_ostream &os) {
        os << ", which nothing has written";
      });
  }
}

bool isShared(Thread &thread, const Site &site, uint64_t address) {
  // A generic pointer tells its space by its value.
  return site.space == 3 || site.space == 7 ||
         (site.space == 0 && site.argument < 0 &&
          (site.object >= 0 || ctaOfShared(thread, address)));
}

void checkAlignment(Thread &thread, uint32_t number, const Site &site,
                    uint64_t address) {
  if (LLVM_LIKELY((address & (site.alignment - 1)) == 0))
    return;
  Session &session = *thread.launch->session;
  Memory *memory = isShared(thread, site, address)
                       ? nullptr
                       : memoryOf(*thread.launch, site, address);
  int operand = memory ? int(memory - session.memories.data()) : site.object;
  fatal(thread, FaultKind::Misaligned, number, operand, [&](Fault &fault) {
    llvm::raw_string_ostream os(fault.message);
    if (memory) {
      fault.operand = memory->buffer.name;
      describeGlobal(os, site, *memory, address - memory->start, site.bytes);
    } else {
      os << site.op << " of " << site.bytes << " bytes";
      if (site.object >= 0) {
        fault.operand = thread.launch->code->sharedObjects()[site.object].name;
        os << " in " << fault.operand;
      }
    }
    os << " is not aligned to " << site.alignment << " bytes";
  });
}

void access(Thread &thread, uint32_t number, uint64_t address, uint64_t bytes,
            Mode mode, const void *value) {
  const Site &site = siteOf(thread, number);
  if (isShared(thread, site, address))
    accessShared(thread, number, site, address, bytes, mode);
  else
    accessGlobal(thread, number, site, address, bytes, mode,
                 static_cast<const char *>(value));
}

/// An access of all bytes of a site.
void wholeAccess(uint64_t address, uint32_t number, Mode mode,
                 const void *value) {
  Thread &thread = *currentThread;
  const Site &site = siteOf(thread, number);
  checkAlignment(thread, number, site, address);
  access(thread, number, address, site.bytes, mode, value);
}

void maskedAccess(uint64_t address, uint64_t mask, uint32_t number, Mode mode,
                  const char *value) {
  Thread &thread = *currentThread;
  const Site &site = siteOf(thread, number);
  if (mask)
    checkAlignment(thread, number, site, address);
  for (uint64_t at = 0; mask; ++at, mask >>= 1)
    if (mask & 1)
      access(thread, number, address + at * site.elementBytes,
             site.elementBytes, mode,
             value ? value + at * site.elementBytes : nullptr);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

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

/// Spreads what one thread of a CTA knows to all of them, as a barrier does.
void shareKnowledge(Cta &cta, unsigned block) {
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

void fence(Thread &thread) {
  thread.fenceEpoch = thread.cta->epoch + 1;
  if (!thread.seen)
    return;
  if (!thread.known)
    thread.known = std::make_unique<Knowledge>();
  thread.known->join(*thread.seen);
  thread.seen.reset();
}

/// What an atomic tells the thread, and what it tells others through it.
void synchronize(Thread &thread, uint64_t address, bool stores, bool releases,
                 bool acquires) {
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

} // namespace

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

extern "C" {

static void rmsemu_load(uint64_t address, uint32_t number) {
  // Most accesses are plain loads of dense inputs, which need only be inside.
  const Thread &thread = *currentThread;
  const LaunchState &launch = *thread.launch;
  const Site &site = launch.sites[number];
  if (site.argument >= 0) {
    const Memory *memory = launch.argumentMemories[site.argument];
    if (memory && memory->input && !memory->gaps && !launch.inputsPending &&
        memory->bytes >= site.bytes &&
        address - memory->start <= memory->bytes - site.bytes &&
        (address & (site.alignment - 1)) == 0)
      return;
  }
  wholeAccess(address, number, Mode::Load, nullptr);
}

static void rmsemu_store(uint64_t address, uint32_t number, const void *value) {
  wholeAccess(address, number, Mode::Store, value);
}

static void rmsemu_masked_load(uint64_t address, uint64_t mask,
                               uint32_t number) {
  maskedAccess(address, mask, number, Mode::Load, nullptr);
}

static void rmsemu_masked_store(uint64_t address, uint64_t mask,
                                uint32_t number, const void *value) {
  maskedAccess(address, mask, number, Mode::Store,
               static_cast<const char *>(value));
}

static void rmsemu_atomic(uint64_t address, uint32_t releases,
                          uint32_t acquires, uint32_t number) {
  synchronize(*currentThread, address, true, releases, acquires);
  wholeAccess(address, number, Mode::Atomic, nullptr);
}

static void rmsemu_atomic_load(uint64_t address, uint32_t acquires,
                               uint32_t number) {
  synchronize(*currentThread, address, false, false, acquires);
}

static void rmsemu_fence() { fence(*currentThread); }

static uint32_t rmsemu_sreg(uint32_t which) {
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

static uint64_t rmsemu_shuffle(uint32_t mask, uint32_t value, uint32_t offset,
                               uint32_t clamp, uint32_t kind, uint32_t site) {
  return collective(mask, ShuffleBfly + kind, site, value, offset, clamp);
}

static uint32_t rmsemu_vote(uint32_t mask, uint32_t predicate, uint32_t kind,
                            uint32_t site) {
  return collective(mask, VoteAny + kind, site, predicate, 0, 0);
}

static void rmsemu_warp_barrier(uint32_t mask, uint32_t site) {
  collective(mask, WarpBarrier, site, 0, 0, 0);
}

static void rmsemu_barrier(uint32_t site) {
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

static void rmsemu_cluster_arrive(uint32_t relaxed, uint32_t site) {
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

static void rmsemu_cluster_wait(uint32_t site) {
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

static void rmsemu_grid_wait() {
  Thread &thread = *currentThread;
  thread.waited = true;
  thread.launch->anyWaited.store(true, std::memory_order_relaxed);
}

static void rmsemu_grid_trigger() {
  Thread &thread = *currentThread;
  if (!thread.triggered && !thread.waited)
    thread.launch->anyEarlyTrigger.store(true, std::memory_order_relaxed);
  thread.triggered = true;
}

static uint64_t rmsemu_mapa(uint64_t address, uint32_t rank, uint32_t site) {
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

static uint64_t rmsemu_shared(uint32_t object) {
  const Thread &thread = *currentThread;
  return reinterpret_cast<uint64_t>(thread.cta->shared) +
         thread.launch->layout.places[object].offset;
}

static void rmsemu_tick(uint32_t count, uint32_t site) {
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

static float rmsemu_rsqrt_approx(float value) {
  // The GPU's instruction is within 2^-22.9 of this; its own last bits are not
  // documented.
  return float(1.0 / std::sqrt(double(value)));
}

} // extern "C"

llvm::ArrayRef<RuntimeCall> rmsc::emulator::runtimeCalls() {
#define CALL(name)                                                             \
  {                                                                            \
    #name, reinterpret_cast<void *>(&name)                                     \
  }
  static const RuntimeCall calls[] = {
      CALL(rmsemu_load),
      CALL(rmsemu_store),
      CALL(rmsemu_masked_load),
      CALL(rmsemu_masked_store),
      CALL(rmsemu_atomic),
      CALL(rmsemu_atomic_load),
      CALL(rmsemu_fence),
      CALL(rmsemu_sreg),
      CALL(rmsemu_shuffle),
      CALL(rmsemu_vote),
      CALL(rmsemu_warp_barrier),
      CALL(rmsemu_barrier),
      CALL(rmsemu_cluster_arrive),
      CALL(rmsemu_cluster_wait),
      CALL(rmsemu_grid_wait),
      CALL(rmsemu_grid_trigger),
      CALL(rmsemu_mapa),
      CALL(rmsemu_shared),
      CALL(rmsemu_tick),
      CALL(rmsemu_rsqrt_approx),
      // What LLVM makes of large copies and fills.
      {"memcpy", reinterpret_cast<void *>(&std::memcpy)},
      {"memmove", reinterpret_cast<void *>(&std::memmove)},
      {"memset", reinterpret_cast<void *>(&std::memset)},
  };
#undef CALL
  return calls;
}
