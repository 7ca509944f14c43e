//===-- Access.cpp - checks of accesses to memory ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Ordering.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace rmsc::emulator;

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

/// "llvm.store of 16 bytes at y+4096 (row 2, column 0)".
void describeGlobal(llvm::raw_ostream &os, const Site &site,
                    const Memory &memory, uint64_t offset, uint64_t bytes) {
  os << site.op << " of " << bytes << " bytes at " << memory.buffer.name << "+"
     << offset << " (" << memory.place(offset) << ")";
}

void describeWho(llvm::raw_ostream &os, Record record, const Thread &thread) {
  if (record.launch() != thread.launch->number)
    os << "launch " << record.launch() << ", ";
  switch (record.spread()) {
  case Record::Alone:
    os << "block " << record.cta() << ", thread " << record.thread();
    return;
  case Record::LanesOfWarp:
  case Record::ThreadsOfCta:
    os << "several threads of block " << record.cta();
    return;
  case Record::SeveralCtas:
    os << "several blocks";
    return;
  }
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

enum class Mode { Load, Store, Atomic };

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

} // namespace

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

void calls::load(uint64_t address, uint32_t number) {
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

void calls::store(uint64_t address, uint32_t number, const void *value) {
  wholeAccess(address, number, Mode::Store, value);
}

void calls::maskedLoad(uint64_t address, uint64_t mask, uint32_t number) {
  maskedAccess(address, mask, number, Mode::Load, nullptr);
}

void calls::maskedStore(uint64_t address, uint64_t mask, uint32_t number,
                        const void *value) {
  maskedAccess(address, mask, number, Mode::Store,
               static_cast<const char *>(value));
}

void calls::atomic(uint64_t address, uint32_t releases, uint32_t acquires,
                   uint32_t number) {
  synchronize(*currentThread, address, true, releases, acquires);
  wholeAccess(address, number, Mode::Atomic, nullptr);
}

void calls::atomicLoad(uint64_t address, uint32_t acquires, uint32_t number) {
  synchronize(*currentThread, address, false, false, acquires);
}
