//===-- Ordering.h - which of two accesses comes first ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_ORDERING_H
#define RMSC_LIB_EMULATOR_ORDERING_H

#include "Machine.h"

namespace rmsc::emulator {

enum class Relation {
  /// One happens before the other, or both are of one thread.
  Ordered,
  /// Nothing says which comes first.
  Race,
  /// The earlier one belongs to a launch that may still be running.
  Unwaited,
};

/// How an earlier access relates to what a thread does now; accesses that are
/// both atomic do not race.
Relation relate(Record earlier, const Thread &thread, bool nowAtomic);

/// The reader to note in a cell, given the one that is there.
Record mergedReader(Record there, Record now, const Thread &thread);

/// Spreads what one thread of a CTA knows to all of them, as a barrier does.
void shareKnowledge(Cta &cta, unsigned block);

/// A fence of the thread: what atomics have shown it counts from now on, and
/// what it has done can be passed on.
void fence(Thread &thread);

/// What an atomic access tells the thread, and (where it stores) what the
/// thread tells others through it.
void synchronize(Thread &thread, uint64_t address, bool stores, bool releases,
                 bool acquires);

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_ORDERING_H
