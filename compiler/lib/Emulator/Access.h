//===-- Access.h - checks of accesses to memory -----------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_ACCESS_H
#define RMSC_LIB_EMULATOR_ACCESS_H

#include <cstdint>

/// The checks that compiled kernels call before an access, for the GPU thread
/// that the host thread is running. `site` is the instruction's number, `value`
/// what it will store.
namespace rmsc::emulator::calls {

void load(uint64_t address, uint32_t site);
void store(uint64_t address, uint32_t site, const void *value);
/// One bit of the mask for each element.
void maskedLoad(uint64_t address, uint64_t mask, uint32_t site);
void maskedStore(uint64_t address, uint64_t mask, uint32_t site,
                 const void *value);
/// An atomic read-modify-write, and what its own memory order is.
void atomic(uint64_t address, uint32_t releases, uint32_t acquires,
            uint32_t site);
/// What an atomic load means for memory order; `load` comes before it.
void atomicLoad(uint64_t address, uint32_t acquires, uint32_t site);

} // namespace rmsc::emulator::calls

#endif // RMSC_LIB_EMULATOR_ACCESS_H
