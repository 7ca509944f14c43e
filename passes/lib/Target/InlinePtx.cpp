//===-- InlinePtx.cpp - the inline PTX that kernels may hold ---------*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/InlinePtx.h"

#include "llvm/ADT/STLExtras.h"

using namespace rmsc;

using Kind = InlinePtx::Kind;

static const InlinePtx entries[] = {
    {"// pinned", Kind::Pin, PtxCache::Streaming, 0},
    {"shr.u32 $0, $1, 31;", Kind::Zero, PtxCache::Streaming, 0},
    {"ld.global.cs.b32 $0, [$1];", Kind::Load, PtxCache::Streaming, 4},
    {"ld.global.cs.v2.b32 {$0, $1}, [$2];", Kind::Load, PtxCache::Streaming, 8},
    {"ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", Kind::Load,
     PtxCache::Streaming, 16},
    {"ld.global.cs.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];", Kind::Load,
     PtxCache::Streaming, 32},
    {"ld.global.L1::no_allocate.b32 $0, [$1];", Kind::Load,
     PtxCache::NoAllocate, 4},
    {"ld.global.L1::no_allocate.v2.b32 {$0, $1}, [$2];", Kind::Load,
     PtxCache::NoAllocate, 8},
    {"ld.global.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];", Kind::Load,
     PtxCache::NoAllocate, 16},
    {"ld.global.L1::no_allocate.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];",
     Kind::Load, PtxCache::NoAllocate, 32},
    {"st.global.cs.b32 [$0], $1;", Kind::Store, PtxCache::Streaming, 4},
    {"st.global.cs.v2.b32 [$0], {$1, $2};", Kind::Store, PtxCache::Streaming,
     8},
    {"st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", Kind::Store,
     PtxCache::Streaming, 16},
    {"st.global.cs.v8.b32 [$0], {$1, $2, $3, $4, $5, $6, $7, $8};", Kind::Store,
     PtxCache::Streaming, 32},
};

llvm::ArrayRef<InlinePtx> rmsc::allInlinePtx() { return entries; }

static const InlinePtx *
findEntry(llvm::function_ref<bool(const InlinePtx &)> matches) {
  const InlinePtx *entry = llvm::find_if(entries, matches);
  return entry == std::end(entries) ? nullptr : entry;
}

const InlinePtx *rmsc::cachedAccess(Kind kind, PtxCache cache, int64_t bytes) {
  return findEntry([&](const InlinePtx &entry) {
    return entry.kind == kind && entry.cache == cache && entry.bytes == bytes;
  });
}

const InlinePtx &rmsc::pin() { return entries[0]; }

const InlinePtx &rmsc::threadZero() { return entries[1]; }

const InlinePtx *rmsc::lookupInlinePtx(llvm::StringRef text) {
  return findEntry([&](const InlinePtx &entry) { return entry.text == text; });
}
