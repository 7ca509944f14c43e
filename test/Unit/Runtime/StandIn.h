//===-- StandIn.h - The stand-in driver's controls --------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_TEST_STANDIN_H
#define RMSRT_TEST_STANDIN_H

#include <cstdint>
#include <string>
#include <vector>

namespace standin {

/// A launch as the driver saw it.
struct LaunchRecord {
  std::string entry;
  unsigned grid = 0, block = 0, shared = 0, cluster = 0;
  bool overlaps = false;
  void *stream = nullptr, *contextAtLaunch = nullptr;
  std::vector<uint64_t> arguments;
};

struct AttributeRecord {
  std::string entry;
  int attribute = 0, value = 0, device = 0;
};

/// What the stand-in does and what it has seen. Contexts are 1-based numbers
/// cast to handles; a stream's handle is 1000 * context + anything above 2.
struct Control {
  int version = 13000, initResult = 0;
  int major = 9, minor = 0;
  /// Of the second device, which context 2 is on; 0: like the first.
  int secondMajor = 0;
  /// The entry that fails, with what, after so many good calls.
  std::string failing;
  int failure = 0, failAfter = 0;
  /// Milliseconds that loading a function takes.
  int loadMs = 0;
  bool capturing = false;
  /// Set when something that a capture forbids was called while capturing.
  std::string forbidden;
  /// How many arguments a launch takes, so that they can be copied.
  size_t argumentCount = 0;
  uint64_t calls = 0, loads = 0, unloads = 0;
  std::vector<LaunchRecord> launches;
  std::vector<AttributeRecord> attributes;
  std::vector<std::string> loadedEntries;
};

/// Takes the lock that the stand-in takes in every entry.
using ControlFunction = Control *();
/// Sets the calling thread's current context (0: none), with nothing on top.
using SetCurrentFunction = void(int context);
using GetCurrentFunction = int();

} // namespace standin

#endif // RMSRT_TEST_STANDIN_H
