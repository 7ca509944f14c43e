//===-- Allocations.cpp - Counts and fails allocations --------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of its own, so that no caller is compiled with the bodies in sight:
// compilers then take the pairing of new and free for a mistake.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cstdlib>
#include <new>

static thread_local size_t allocationCount;
static thread_local bool allocationsFail;

// Replaced for the whole test program, so that a test can see an allocation.
void *operator new(size_t size) {
  ++allocationCount;
  if (allocationsFail)
    throw std::bad_alloc();
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

size_t support::allocations() { return allocationCount; }
void support::failAllocations(bool fail) { allocationsFail = fail; }
