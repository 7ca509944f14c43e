//===-- Memory.h - what is known of each byte -------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every two bytes of memory that a kernel may write have a cell, which names
// the last writer and the last reader. Two bytes, because that is the narrowest
// element: cells of four would take two neighbouring bf16 stores for one.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_EMULATOR_MEMORY_H
#define RMSC_LIB_EMULATOR_MEMORY_H

#include "rmsc/Emulator/Engine.h"
#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>

namespace rmsc::emulator {

/// Who touched a cell, and between which barriers: a thread, the launch, and
/// how many barriers of each kind the thread had passed. Numbers that do not
/// fit wrap; two accesses a whole wrap apart are then taken for near ones,
/// which no kernel of ours reaches.
struct Record {
  uint64_t bits = 0;

  // launch:4 atomic:1 cta:20 thread:10 spread:2 epoch:13 cluster:6 warp:8
  static constexpr uint64_t warpMask = 0xff, clusterMask = 0x3f,
                            epochMask = 0x1fff, threadMask = 0x3ff,
                            ctaMask = 0xfffff, spreadMask = 3;
  static constexpr int clusterShift = 8, epochShift = 14, spreadShift = 27,
                       threadShift = 29, ctaShift = 39, atomicShift = 59,
                       launchShift = 60;
  static constexpr uint64_t atomicBit = uint64_t(1) << atomicShift;
  /// What identifies the thread: launch, CTA and thread.
  static constexpr uint64_t whoMask = (uint64_t(0xf) << launchShift) |
                                      (ctaMask << ctaShift) |
                                      (threadMask << threadShift);

  Record() = default;
  explicit Record(uint64_t bits) : bits(bits) {}
  static Record of(unsigned launch, uint64_t cta, unsigned thread) {
    return Record((uint64_t(launch + 1) << launchShift) |
                  ((cta & ctaMask) << ctaShift) |
                  (uint64_t(thread) << threadShift));
  }
  Record at(uint64_t epoch, uint64_t cluster, uint64_t warp) const {
    return Record(bits | ((epoch & epochMask) << epochShift) |
                  ((cluster & clusterMask) << clusterShift) |
                  (warp & warpMask));
  }

  bool empty() const { return bits == 0; }
  int launch() const { return int(bits >> launchShift) - 1; }
  uint64_t cta() const { return (bits >> ctaShift) & ctaMask; }
  unsigned thread() const { return (bits >> threadShift) & threadMask; }
  unsigned epoch() const { return (bits >> epochShift) & epochMask; }
  unsigned cluster() const { return (bits >> clusterShift) & clusterMask; }
  unsigned warp() const { return bits & warpMask; }
  bool atomic() const { return bits & atomicBit; }
  /// Of a reader: whether the record stands for others, too.
  enum Spread { Alone, LanesOfWarp, ThreadsOfCta, SeveralCtas };
  Spread spread() const { return Spread(bits >> spreadShift & spreadMask); }
  Record spreadTo(Spread spread) const {
    return Record((bits & ~(spreadMask << spreadShift)) | uint64_t(spread)
                                                              << spreadShift);
  }
  bool sameThread(Record other) const {
    return ((bits ^ other.bits) & (whoMask | spreadMask << spreadShift)) == 0;
  }
};

struct Cell {
  std::atomic<uint64_t> writer{0}, reader{0};
};

/// A buffer of the call, with the cells of those that may be written.
struct Memory {
  Buffer buffer;
  uint64_t start = 0, bytes = 0;
  /// Rows are apart, so that a byte may lie between two of them.
  bool gaps = false;
  /// Nothing but plain loads is allowed.
  bool input = false;
  /// Bytes at the start that hold something before the call.
  uint64_t initialized = 0;
  std::unique_ptr<Cell[]> cells;
  uint64_t cellCount = 0;

  explicit Memory(const Buffer &buffer)
      : buffer(buffer), start(reinterpret_cast<uint64_t>(buffer.data)),
        bytes(buffer.bytes()),
        gaps(buffer.rows > 1 && buffer.strideBytes > buffer.rowBytes),
        input(buffer.kind == Buffer::Kind::Input) {
    if (input || buffer.kind == Buffer::Kind::InputOutput)
      initialized = bytes;
    else if (buffer.kind == Buffer::Kind::Workspace)
      initialized = buffer.zeroedBytes;
    if (!input) {
      cellCount = (bytes + 1) / 2;
      cells = std::make_unique<Cell[]>(cellCount);
    }
  }

  bool isOutput() const {
    return buffer.kind == Buffer::Kind::Output ||
           buffer.kind == Buffer::Kind::InputOutput;
  }
  /// Whether all of the bytes belong to one row.
  bool insideRow(uint64_t offset, uint64_t size) const {
    return offset % buffer.strideBytes + size <= uint64_t(buffer.rowBytes);
  }
  /// "row 3, column 5", "element 7" or "byte 12".
  std::string place(uint64_t offset) const;
};

} // namespace rmsc::emulator

#endif // RMSC_LIB_EMULATOR_MEMORY_H
