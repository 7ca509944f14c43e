//===-- Executable.h - A kernel's code, loaded and launched -----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_LIB_EXECUTABLE_H
#define RMSRT_LIB_EXECUTABLE_H

#include "Driver.h"
#include "rmsrt/LaunchPlan.h"
#include "rmsrt/Package.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace rmsrt {

/// The code of a package that is loaded, one library an image for all contexts
/// and devices.
class LoadedImages {
public:
  explicit LoadedImages(const Package &package) : package(package) {}

  /// The library of an image, loaded if it is not yet.
  Error load(const Driver &driver, const Kernel &kernel, const Variant &variant,
             cuda::Library &library);
  /// Unloads everything; reports the first failure and goes on.
  Error unload();

private:
  const Package &package;
  std::mutex mutex;
  std::map<std::string, cuda::Library> libraries;
};

/// A variant that is ready in one context: a handle for each of its launches.
struct PreparedVariant {
  cuda::KernelHandle handles[kMaxLaunches];
};

/// All variants of one kernel for one context. Immutable once it is published.
struct PreparedContext {
  unsigned long long contextId = 0;
  /// Indices into the kernel's variants, in order of preference...
  std::vector<size_t> candidates;
  /// ...and the code of each, by the kernel's variant index.
  std::vector<PreparedVariant> variants;
  const PreparedContext *next = nullptr;
};

/// One kernel's launching side.
class Executable {
public:
  Executable(const Kernel &kernel, LoadedImages &images)
      : kernel(kernel), images(images) {}
  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  /// Prepares for the current context.
  Error prepare();
  /// Makes every check of a launch and chooses the variant.
  Error select(const Call &call, void *stream, size_t &variant);
  Error launch(const Call &call, void *stream);

private:
  /// Checks a call, finds its context and the code prepared for it (preparing
  /// it if need be), and chooses the variant.
  Error resolve(const Driver &driver, const Call &call, cuda::Stream stream,
                cuda::Context &context, const PreparedContext *&prepared,
                size_t &variant);
  /// The published state of a context, or null.
  const PreparedContext *find(unsigned long long contextId) const;
  /// Prepares for the current context, whose id is given.
  Error prepareCurrent(const Driver &driver, unsigned long long contextId,
                       const PreparedContext *&prepared);
  Error prepareVariant(const Driver &driver, cuda::Device device,
                       const Variant &variant, PreparedVariant &prepared);
  Error enqueue(const Driver &driver, const Variant &variant,
                const PreparedVariant &prepared, const Call &call,
                cuda::Stream stream);

  const Kernel &kernel;
  LoadedImages &images;
  // A list that only grows, so that launches read it without a lock. It has one
  // element a context, of which a process has one a GPU as a rule. Contexts are
  // known by their ids, which are never given out twice; their handles are.
  std::atomic<const PreparedContext *> contexts{nullptr};
  std::mutex mutex;
};

/// Fills `config` (and `attributes`, two of them) for launch `index` of a
/// variant; `first` says whether it is the first of its call. False when the
/// launch is left out.
bool configure(const Variant &variant, size_t index, const Call &call,
               bool first, cuda::Stream stream, cuda::LaunchConfig &config,
               cuda::LaunchAttribute (&attributes)[2]);

} // namespace rmsrt

#endif // RMSRT_LIB_EXECUTABLE_H
