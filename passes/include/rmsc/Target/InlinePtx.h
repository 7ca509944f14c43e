//===-- InlinePtx.h - the inline PTX that kernels may hold ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no spelling for the cache policy of a global access, nor for the
// wish that a load stay where it is, so both are inline PTX. This table is the
// only source of such text: the lowering takes an entry from it, and the
// emulator finds by the text what the entry does.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TARGET_INLINEPTX_H
#define RMSC_TARGET_INLINEPTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace rmsc {

/// How an access treats the caches.
enum class PtxCache {
  /// `.cs`: likely used once, first to be evicted.
  Streaming,
  /// `.L1::no_allocate` (loads): past the first-level cache.
  NoAllocate,
};

struct InlinePtx {
  enum class Kind {
    /// Loads 32-bit words from global memory: the words are the results, the
    /// address is the only operand.
    Load,
    /// Stores 32-bit words to global memory: the address, then the words are
    /// the
    /// operands.
    Store,
    /// Does nothing with its operands. LLVM has to have them ready at this
    /// point, and so cannot move the loads that they come from further down.
    Pin,
    /// A zero, made of the number of a thread: LLVM does not know the number's
    /// range here, and the assembler makes no use of it.
    Zero,
  };
  llvm::StringLiteral text;
  Kind kind;
  /// For Load and Store.
  PtxCache cache;
  /// Bytes accessed: 4 times the number of words. 0 for Pin and Zero.
  int64_t bytes;
};

/// All entries.
llvm::ArrayRef<InlinePtx> allInlinePtx();

/// The entry of an access with a cache policy, or null where there is none of
/// that width.
const InlinePtx *cachedAccess(InlinePtx::Kind kind, PtxCache cache,
                              int64_t bytes);

/// The entry that pins values.
const InlinePtx &pin();

/// The entry that gives a zero.
const InlinePtx &threadZero();

/// The entry with exactly this text, or null.
const InlinePtx *lookupInlinePtx(llvm::StringRef text);

} // namespace rmsc

#endif // RMSC_TARGET_INLINEPTX_H
