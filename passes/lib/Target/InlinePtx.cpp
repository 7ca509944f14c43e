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

static const InlinePtx entries[] = {
    {"// pinned", InlinePtx::Kind::Pin, 0},
    {"ld.global.cs.b32 $0, [$1];", InlinePtx::Kind::Load, 4},
    {"ld.global.cs.v2.b32 {$0, $1}, [$2];", InlinePtx::Kind::Load, 8},
    {"ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", InlinePtx::Kind::Load, 16},
    {"st.global.cs.b32 [$0], $1;", InlinePtx::Kind::Store, 4},
    {"st.global.cs.v2.b32 [$0], {$1, $2};", InlinePtx::Kind::Store, 8},
    {"st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", InlinePtx::Kind::Store, 16},
};

llvm::ArrayRef<InlinePtx> rmsc::allInlinePtx() { return entries; }

static const InlinePtx *
findEntry(llvm::function_ref<bool(const InlinePtx &)> matches) {
  const InlinePtx *entry = llvm::find_if(entries, matches);
  return entry == std::end(entries) ? nullptr : entry;
}

const InlinePtx *rmsc::streamingAccess(InlinePtx::Kind kind, int64_t bytes) {
  return findEntry([&](const InlinePtx &entry) {
    return entry.kind == kind && entry.bytes == bytes;
  });
}

const InlinePtx &rmsc::pin() { return entries[0]; }

const InlinePtx *rmsc::lookupInlinePtx(llvm::StringRef text) {
  return findEntry([&](const InlinePtx &entry) { return entry.text == text; });
}
