//===-- Engine.cpp - runs compiled kernels under watch ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Emulator/Engine.h"
#include "Machine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <numeric>
#include <thread>

using namespace rmsc::emulator;

/// Bytes between shared objects.
static constexpr uint64_t sharedGap = 64;

static SharedLayout layOut(const Code &code, uint64_t dynamicBytes) {
  SharedLayout layout;
  for (const SharedObject &object : code.sharedObjects()) {
    // Dynamic shared memory has no size of its own; what it is aligned to is
    // the code's promise, not more.
    uint64_t bytes = object.bytes ? object.bytes : dynamicBytes;
    layout.bytes =
        llvm::alignTo(layout.bytes, std::max<uint64_t>(object.alignment, 2));
    layout.places.push_back({layout.bytes, bytes});
    layout.bytes += bytes + sharedGap;
  }
  layout.bytes = llvm::alignTo(layout.bytes, 256);
  return layout;
}

static llvm::Error checkLaunch(const LaunchConfig &config, const Entry *entry,
                               size_t arguments) {
  auto error = [&](const llvm::Twine &text) {
    return llvm::createStringError("launch of '" + llvm::Twine(config.entry) +
                                   "': " + text);
  };
  if (!entry)
    return error("the module holds no kernel of that name");
  if (entry->arguments != arguments)
    return error("the kernel takes " + llvm::Twine(entry->arguments) +
                 " arguments, the call has " + llvm::Twine(arguments));
  if (config.block == 0 || config.block > 1024)
    return error("a CTA has 1 to 1024 threads, not " +
                 llvm::Twine(config.block));
  if (config.cluster == 0 || config.cluster > 16)
    return error("a cluster has 1 to 16 CTAs, not " +
                 llvm::Twine(config.cluster));
  if (config.ctas % config.cluster)
    return error(llvm::Twine(config.ctas) + " CTAs are no whole clusters of " +
                 llvm::Twine(config.cluster));
  if (entry->maxThreads &&
      (config.block > entry->maxThreads ||
       (entry->exactThreads && config.block != entry->maxThreads)))
    return error("the kernel is compiled for blocks of " +
                 llvm::Twine(entry->maxThreads) + " threads, not of " +
                 llvm::Twine(config.block));
  if (entry->cluster && config.cluster != entry->cluster)
    return error("the kernel is compiled for clusters of " +
                 llvm::Twine(entry->cluster) + " CTAs, not of " +
                 llvm::Twine(config.cluster));
  return llvm::Error::success();
}

static void runLaunch(LaunchState &launch, unsigned jobs) {
  unsigned workers = std::min<uint64_t>(jobs, launch.clusters);
  auto work = [&](unsigned index) { Worker(launch, index).run(); };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < workers; ++i)
    helpers.emplace_back(work, i);
  work(0);
  for (std::thread &helper : helpers)
    helper.join();
}

/// Outputs that have holes and counters that are not zero again.
static void checkResults(Session &session) {
  for (auto [number, memory] : llvm::enumerate(session.memories)) {
    const Buffer &buffer = memory.buffer;
    Fault fault;
    fault.operand = buffer.name;
    llvm::raw_string_ostream os(fault.message);
    if (memory.isOutput()) {
      uint64_t missing = 0, first = 0;
      uint64_t cellsPerRow = buffer.rowBytes / 2;
      for (int64_t row = 0; row < buffer.rows; ++row) {
        uint64_t start = row * buffer.strideBytes;
        for (uint64_t i = 0; i < cellsPerRow; ++i)
          if (memory.cells[start / 2 + i].writer.load(
                  std::memory_order_relaxed) == 0 &&
              missing++ == 0)
            first = start + 2 * i;
      }
      if (!missing)
        continue;
      uint64_t cells = std::max<int64_t>(1, buffer.elementBytes / 2);
      fault.kind = FaultKind::NeverWritten;
      os << buffer.name << "+" << first << " (" << memory.place(first) << ")";
      if (missing > cells)
        os << " and " << missing / cells - 1 << " more of "
           << buffer.rows * (buffer.rowBytes / buffer.elementBytes)
           << " elements";
      os << " of an output never written";
      session.collector.add(0, number, std::move(fault));
    } else if (buffer.kind == Buffer::Kind::Workspace) {
      const char *bytes = static_cast<const char *>(buffer.data);
      int64_t at = 0;
      while (at < buffer.zeroedBytes && bytes[at] == 0)
        ++at;
      if (at == buffer.zeroedBytes)
        continue;
      fault.kind = FaultKind::CounterNotReset;
      os << buffer.name << "+" << at << " is not zero after the call, so that "
         << "the next call would find it changed";
      session.collector.add(0, number, std::move(fault));
    }
  }
}

llvm::Expected<Report> rmsc::emulator::run(
    llvm::ArrayRef<LaunchConfig> launches, llvm::ArrayRef<Buffer> buffers,
    llvm::ArrayRef<Argument> arguments, const RunOptions &options) {
  unsigned jobs = options.jobs
                      ? options.jobs
                      : std::max(1u, std::thread::hardware_concurrency());
  Session session;
  session.arguments = arguments;
  session.options = &options;
  session.concurrent = jobs > 1;
  session.memories.reserve(buffers.size());
  for (const Buffer &buffer : buffers)
    session.memories.emplace_back(buffer);

  for (const LaunchConfig &config : launches)
    if (auto error = checkLaunch(config, config.code->find(config.entry),
                                 arguments.size()))
      return std::move(error);
  if (launches.size() > 15)
    return llvm::createStringError("a call has 15 launches at most");

  // What has ended for sure when a launch starts, and once it has waited.
  uint32_t endedAtStart = 0, endedAfterWait = 0;
  bool inputsPending = false, anyWaited = false, earlyTrigger = false;
  int previous = -1;
  for (auto [number, config] : llvm::enumerate(launches)) {
    if (config.ctas == 0)
      continue;
    LaunchState launch;
    launch.session = &session;
    launch.config = &config;
    launch.code = config.code;
    launch.entry = config.code->find(config.entry);
    launch.number = number;
    launch.sites = config.code->sites().data();
    for (const Argument &argument : arguments) {
      launch.argumentValues.push_back(argument.value);
      launch.argumentMemories.push_back(
          argument.buffer < 0 ? nullptr : &session.memories[argument.buffer]);
    }
    launch.layout = layOut(*config.code, config.dynamicSharedBytes);
    launch.clusters = config.ctas / config.cluster;
    if (options.order == Order::Random) {
      launch.order.resize(launch.clusters);
      std::iota(launch.order.begin(), launch.order.end(), 0);
      std::shuffle(launch.order.begin(), launch.order.end(),
                   std::mt19937_64(options.seed + number));
    }
    if (previous < 0) {
      launch.inputsPending = config.waits;
    } else if (!config.dependent) {
      launch.endedAtStart = launch.endedAfterWait = (1u << number) - 1;
    } else {
      // It may start once all threads of the one before have said so or ended.
      // Had they waited before that, then what they waited for has ended too.
      uint32_t previousBit = 1u << previous;
      launch.endedAtStart = earlyTrigger ? endedAtStart : endedAfterWait;
      launch.endedAfterWait = launch.endedAtStart | previousBit |
                              (anyWaited ? endedAfterWait : endedAtStart);
      launch.inputsPending = inputsPending && earlyTrigger;
    }
    runLaunch(launch, jobs);
    if (session.aborted)
      break;
    endedAtStart = launch.endedAtStart;
    endedAfterWait = launch.endedAfterWait;
    inputsPending = launch.inputsPending;
    anyWaited = launch.anyWaited;
    earlyTrigger = launch.anyEarlyTrigger;
    previous = number;
  }
  // After a fault that ended a CTA the rest is a consequence.
  bool checked = llvm::all_of(launches, [](const LaunchConfig &config) {
    return config.code->isChecked();
  });
  if (checked && !session.aborted)
    checkResults(session);
  return session.collector.take();
}
