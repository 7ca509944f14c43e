//===-- InlinePtxTest.cpp - the one table of inline PTX ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/InlinePtx.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace rmsc;

// The emulator finds by the text what an entry does.
TEST(InlinePtx, IsFoundByItsText) {
  for (const InlinePtx &entry : allInlinePtx())
    EXPECT_EQ(lookupInlinePtx(entry.text), &entry) << entry.text.str();
  EXPECT_FALSE(lookupInlinePtx(""));
  EXPECT_FALSE(lookupInlinePtx("ld.global.cs.b32 $0, [$1]"));
  EXPECT_FALSE(lookupInlinePtx("trap;"));
}

TEST(InlinePtx, StreamsWords) {
  for (InlinePtx::Kind kind : {InlinePtx::Kind::Load, InlinePtx::Kind::Store})
    for (int64_t bytes : {4, 8, 16, 32}) {
      const InlinePtx *entry = cachedAccess(kind, PtxCache::Streaming, bytes);
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->kind, kind);
      EXPECT_EQ(entry->bytes, bytes);
      // `.cs`: evict first.
      EXPECT_NE(entry->text.find(".global.cs."), StringRef::npos);
      EXPECT_EQ(entry->text.starts_with("ld."), kind == InlinePtx::Kind::Load);
      EXPECT_EQ(entry->text.starts_with("st."), kind == InlinePtx::Kind::Store);
    }
}

TEST(InlinePtx, LoadsPastTheFirstLevelCache) {
  for (int64_t bytes : {4, 8, 16, 32}) {
    const InlinePtx *entry =
        cachedAccess(InlinePtx::Kind::Load, PtxCache::NoAllocate, bytes);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->kind, InlinePtx::Kind::Load);
    EXPECT_EQ(entry->bytes, bytes);
    EXPECT_TRUE(entry->text.starts_with("ld.global.L1::no_allocate."));
    // A store has no such policy.
    EXPECT_FALSE(
        cachedAccess(InlinePtx::Kind::Store, PtxCache::NoAllocate, bytes));
  }
}

// Narrower than a word there is no entry, and the caller leaves the hint out.
TEST(InlinePtx, HasNoOtherWidths) {
  for (int64_t bytes : {0, 1, 2, 12, 64})
    for (PtxCache cache : {PtxCache::Streaming, PtxCache::NoAllocate}) {
      EXPECT_FALSE(cachedAccess(InlinePtx::Kind::Load, cache, bytes));
      EXPECT_FALSE(cachedAccess(InlinePtx::Kind::Store, cache, bytes));
    }
}

// As many operands as words and an address, numbered from 0, each once: results
// come first in an instruction of inline PTX, then operands.
TEST(InlinePtx, NamesEveryOperandOnce) {
  for (const InlinePtx &entry : allInlinePtx()) {
    SCOPED_TRACE(entry.text.str());
    if (entry.kind == InlinePtx::Kind::Pin) {
      EXPECT_EQ(entry.bytes, 0);
      EXPECT_EQ(entry.text.count('$'), 0u);
      continue;
    }
    if (entry.kind == InlinePtx::Kind::Zero) {
      EXPECT_EQ(entry.bytes, 0);
      EXPECT_EQ(entry.text.count('$'), 2u);
      continue;
    }
    int64_t words = entry.bytes / 4;
    EXPECT_EQ(static_cast<int64_t>(entry.text.count('$')), words + 1);
    for (int64_t i = 0; i <= words; ++i)
      EXPECT_EQ(entry.text.count("$" + utostr(i)), 1u) << i;
    std::string address =
        "[$" + utostr(entry.kind == InlinePtx::Kind::Load ? words : 0) + "]";
    EXPECT_EQ(entry.text.count(address), 1u);
    EXPECT_TRUE(entry.text.ends_with(";"));
    if (words > 1)
      EXPECT_NE(entry.text.find(".v" + utostr(words) + ".b32"),
                StringRef::npos);
  }
}

// A comment: nothing for ptxas, a use of its operands for LLVM.
TEST(InlinePtx, PinDoesNothing) {
  EXPECT_EQ(pin().kind, InlinePtx::Kind::Pin);
  EXPECT_TRUE(pin().text.starts_with("//"));
}
