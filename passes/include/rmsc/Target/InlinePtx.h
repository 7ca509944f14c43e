//===-- InlinePtx.h - the inline PTX that kernels may hold ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no spelling for the cache policy of a global access, so those
// accesses are inline PTX. This table is the only source of such text: the
// lowering takes an entry from it, and the emulator finds by the text what the
// entry does.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TARGET_INLINEPTX_H
#define RMSC_TARGET_INLINEPTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace rmsc {

/// An access to global memory in 32-bit words. A load has the words as results
/// and the address as its only operand; a store has the address, then the words
/// as operands.
struct InlinePtx {
  llvm::StringLiteral text;
  bool isStore;
  /// Bytes accessed: 4 times the number of words.
  int64_t bytes;
};

/// All entries.
llvm::ArrayRef<InlinePtx> allInlinePtx();

/// The entry of a streaming (`.cs`, evict first) access, or null where there is
/// none of that width.
const InlinePtx *streamingAccess(bool isStore, int64_t bytes);

/// The entry with exactly this text, or null.
const InlinePtx *lookupInlinePtx(llvm::StringRef text);

} // namespace rmsc

#endif // RMSC_TARGET_INLINEPTX_H
