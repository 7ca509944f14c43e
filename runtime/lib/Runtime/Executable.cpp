//===-- Executable.cpp - A kernel's code, loaded and launched -------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executable.h"

#include <cstring>

namespace rmsrt {

// What a launch may use without asking for it first.
static constexpr uint32_t kDefaultDynamicShared = 48 * 1024;
static constexpr uint32_t kPortableCluster = 8;

namespace {

/// Makes a context current for the lifetime of the object, if it is not.
class ScopedContext {
public:
  explicit ScopedContext(const Driver &driver) : driver(driver) {}
  ~ScopedContext() { (void)leave(); }

  Error enter(cuda::Context context) {
    cuda::Context current = nullptr;
    if (cuda::Result result = driver.ctxGetCurrent(&current))
      return driver.error(result, "asking for the current context");
    if (current == context)
      return {};
    if (cuda::Result result = driver.ctxPushCurrent(context))
      return driver.error(result, "making the stream's context current");
    pushed = true;
    return {};
  }

  Error leave() {
    if (!pushed)
      return {};
    pushed = false;
    cuda::Context popped = nullptr;
    if (cuda::Result result = driver.ctxPopCurrent(&popped))
      return driver.error(result, "restoring the current context");
    return {};
  }

private:
  const Driver &driver;
  bool pushed = false;
};

} // namespace

static Error noContext(const std::string &what) {
  return Error(RMSRT_NO_CONTEXT,
               what +
                   ": no CUDA context is current on this thread; make one "
                   "current first (cuCtxSetCurrent, or cudaSetDevice "
                   "followed by cudaFree(0)), or pass a stream that has one");
}

/// The context that a call on `stream` runs in.
static Error contextOf(const Driver &driver, const Kernel &kernel,
                       cuda::Stream stream, cuda::Context &context) {
  context = nullptr;
  // The special streams (default, legacy, per thread) belong to whatever
  // context is current.
  if (reinterpret_cast<uintptr_t>(stream) <= 2) {
    if (cuda::Result result = driver.ctxGetCurrent(&context))
      return driver.error(result, "asking for the current context");
  } else {
    cuda::Result result = driver.streamGetCtx(stream, &context);
    if (result != cuda::kSuccess && result != cuda::kErrorInvalidContext)
      return driver.error(result,
                          "asking for the stream's context of kernel \"" +
                              kernel.name + "\"");
  }
  if (!context)
    return noContext("kernel \"" + kernel.name + "\"");
  return {};
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Error LoadedImages::load(const Driver &driver, const Kernel &kernel,
                         const Variant &variant, cuda::Library &library) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = libraries.find(variant.image.file);
  if (found != libraries.end()) {
    library = found->second;
    return {};
  }
  char log[2048] = "";
  cuda::JitOption options[] = {cuda::kJitErrorLogBuffer,
                               cuda::kJitErrorLogBufferBytes};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log) - 1))};
  // The log is for PTX, which the driver compiles; machine code has none.
  unsigned count = variant.image.format == ImageFormat::Ptx ? 2 : 0;
  cuda::Result result =
      driver.libraryLoadData(&library, package.image(variant.image).data(),
                             options, values, count, nullptr, nullptr, 0);
  if (result) {
    Error error =
        driver.error(result, concat("loading the code of kernel \"",
                                    kernel.name, "\", variant ", variant.name,
                                    " for ", variant.chip.name));
    return log[0] ? Error(error.status(), error.message() + ": " + log) : error;
  }
  libraries[variant.image.file] = library;
  return {};
}

Error LoadedImages::unload() {
  std::lock_guard<std::mutex> lock(mutex);
  if (libraries.empty())
    return {};
  const Driver *driver = nullptr;
  if (Error error = Driver::get(driver))
    return error;
  Error first;
  for (auto &entry : libraries)
    if (cuda::Result result = driver->libraryUnload(entry.second))
      if (!first)
        first = driver->error(result, "unloading " + entry.first);
  libraries.clear();
  return first;
}

Executable::~Executable() {
  const PreparedContext *context = contexts.load(std::memory_order_relaxed);
  while (context) {
    const PreparedContext *next = context->next;
    delete context;
    context = next;
  }
}

const PreparedContext *Executable::find(unsigned long long contextId) const {
  for (const PreparedContext *context =
           contexts.load(std::memory_order_acquire);
       context; context = context->next)
    if (context->contextId == contextId)
      return context;
  return nullptr;
}

Error Executable::prepareVariant(const Driver &driver, cuda::Device device,
                                 const Variant &variant,
                                 PreparedVariant &prepared) {
  cuda::Library library = nullptr;
  if (Error error = images.load(driver, kernel, variant, library))
    return error;
  for (size_t i = 0; i < variant.launches.size(); ++i) {
    const Launch &launch = variant.launches[i];
    auto failure = [&](cuda::Result result, const char *what) {
      return driver.error(result,
                          concat(what, " ", launch.entry, " of kernel \"",
                                 kernel.name, "\", variant ", variant.name));
    };
    cuda::KernelHandle &handle = prepared.handles[i];
    if (cuda::Result result =
            driver.libraryGetKernel(&handle, library, launch.entry.c_str()))
      return failure(result, "finding the entry");
    if (launch.sharedStaticBytes + launch.sharedDynamicBytes >
        kDefaultDynamicShared)
      if (cuda::Result result = driver.kernelSetAttribute(
              cuda::kMaxDynamicSharedBytes, int(launch.sharedDynamicBytes),
              handle, device))
        return failure(result, "raising the dynamic shared memory of");
    if (launch.cluster > kPortableCluster)
      if (cuda::Result result = driver.kernelSetAttribute(
              cuda::kNonPortableClusterSizeAllowed, 1, handle, device))
        return failure(result, "allowing the cluster size of");
    // Asking for the function in this context is what ends lazy loading; a
    // launch that still had to load could not be captured.
    cuda::Function function = nullptr;
    if (cuda::Result result = driver.kernelGetFunction(&function, handle))
      return failure(result, "loading");
    if (cuda::Result result = driver.funcLoad(function))
      return failure(result, "loading");
  }
  return {};
}

Error Executable::prepareCurrent(const Driver &driver,
                                 unsigned long long contextId,
                                 const PreparedContext *&prepared) {
  std::lock_guard<std::mutex> lock(mutex);
  prepared = find(contextId);
  if (prepared)
    return {};
  cuda::Device device = 0;
  if (cuda::Result result = driver.ctxGetDevice(&device))
    return driver.error(result, "asking for the current device");
  ComputeCapability capability;
  cuda::Result result = driver.deviceGetAttribute(
      &capability.major, cuda::kComputeCapabilityMajor, device);
  if (!result)
    result = driver.deviceGetAttribute(&capability.minor,
                                       cuda::kComputeCapabilityMinor, device);
  if (result)
    return driver.error(result, "asking for the compute capability");
  auto state = std::make_unique<PreparedContext>();
  state->contextId = contextId;
  if (Error error = candidatesForDevice(kernel, capability, state->candidates))
    return error;
  state->variants.resize(kernel.variants.size());
  for (size_t i : state->candidates)
    if (Error error = prepareVariant(driver, device, kernel.variants[i],
                                     state->variants[i]))
      return error;
  state->next = contexts.load(std::memory_order_relaxed);
  prepared = state.release();
  contexts.store(prepared, std::memory_order_release);
  return {};
}

Error Executable::prepare() {
  const Driver *driver = nullptr;
  if (Error error = Driver::get(driver))
    return error;
  cuda::Context context = nullptr;
  if (Error error = contextOf(*driver, kernel, nullptr, context))
    return error;
  unsigned long long id = 0;
  if (cuda::Result result = driver->ctxGetId(context, &id))
    return driver->error(result, "asking for the context's id");
  const PreparedContext *prepared = find(id);
  return prepared ? Error() : prepareCurrent(*driver, id, prepared);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Error Executable::resolve(const Driver &driver, const Call &call,
                          cuda::Stream stream, cuda::Context &context,
                          const PreparedContext *&prepared, size_t &variant) {
  if (Error error = checkCall(kernel, call))
    return error;
  if (Error error = contextOf(driver, kernel, stream, context))
    return error;
  unsigned long long id = 0;
  if (cuda::Result result = driver.ctxGetId(context, &id))
    return driver.error(result, "asking for the context's id");
  prepared = find(id);
  if (!prepared) {
    int capturing = 0;
    if (cuda::Result result = driver.streamIsCapturing(stream, &capturing))
      return driver.error(result, "asking whether the stream is captured");
    if (capturing)
      return Error(RMSRT_NOT_PREPARED,
                   "kernel \"" + kernel.name +
                       "\": the stream is being captured and the kernel's code "
                       "is not loaded in its context; call rmsrtKernelPrepare "
                       "(or launch once) before the capture");
    ScopedContext scope(driver);
    if (Error error = scope.enter(context))
      return error;
    if (Error error = prepareCurrent(driver, id, prepared))
      return error;
    if (Error error = scope.leave())
      return error;
  }
  return chooseVariant(kernel, prepared->candidates, call, variant);
}

bool configure(const Variant &variant, size_t index, const Call &call,
               bool first, cuda::Stream stream, cuda::LaunchConfig &config,
               cuda::LaunchAttribute (&attributes)[2]) {
  const Launch &launch = variant.launches[index];
  const uint64_t ctas = launchCtas(launch, call.rows);
  if (ctas == 0)
    return false;
  config = {};
  config.gridDimX = unsigned(ctas * launch.cluster);
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = launch.block;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = launch.sharedDynamicBytes;
  config.stream = stream;
  config.attrs = attributes;
  if (launch.cluster > 1) {
    cuda::LaunchAttribute &a = attributes[config.numAttrs++];
    std::memset(&a, 0, sizeof(a));
    a.id = cuda::kLaunchClusterDimension;
    a.value.clusterDim = {launch.cluster, 1, 1};
  }
  // The first launch follows somebody else's kernel, so it overlaps with that
  // one only on request, and only when it was compiled to wait for it.
  bool overlaps = first ? (call.flags & RMSRT_LAUNCH_DEPENDENT) && launch.waits
                        : launch.dependent;
  if (overlaps) {
    cuda::LaunchAttribute &a = attributes[config.numAttrs++];
    std::memset(&a, 0, sizeof(a));
    a.id = cuda::kLaunchProgrammaticStreamSerialization;
    a.value.programmaticStreamSerializationAllowed = 1;
  }
  return true;
}

Error Executable::enqueue(const Driver &driver, const Variant &variant,
                          const PreparedVariant &prepared, const Call &call,
                          cuda::Stream stream) {
  ArgumentList arguments(kernel, call);
  bool first = true;
  for (size_t i = 0; i < variant.launches.size(); ++i) {
    cuda::LaunchConfig config;
    cuda::LaunchAttribute attributes[2];
    if (!configure(variant, i, call, first, stream, config, attributes))
      continue;
    first = false;
    // The driver takes a CUkernel in place of a CUfunction and resolves it in
    // the stream's context.
    auto *function = reinterpret_cast<cuda::Function>(prepared.handles[i]);
    if (cuda::Result result = driver.launchKernelEx(
            &config, function, arguments.pointers, nullptr))
      return driver.error(
          result,
          concat("launching ", variant.launches[i].entry, " of kernel \"",
                 kernel.name, "\" (rows = ", call.rows, ", grid ",
                 config.gridDimX, ", block ", config.blockDimX, ")"));
  }
  return {};
}

Error Executable::select(const Call &call, void *stream, size_t &variant) {
  const Driver *driver = nullptr;
  if (Error error = Driver::get(driver))
    return error;
  cuda::Context context = nullptr;
  const PreparedContext *prepared = nullptr;
  return resolve(*driver, call, static_cast<cuda::Stream>(stream), context,
                 prepared, variant);
}

Error Executable::launch(const Call &call, void *stream) {
  const Driver *driver = nullptr;
  if (Error error = Driver::get(driver))
    return error;
  cuda::Context context = nullptr;
  const PreparedContext *prepared = nullptr;
  size_t variant = 0;
  auto *cudaStream = static_cast<cuda::Stream>(stream);
  if (Error error =
          resolve(*driver, call, cudaStream, context, prepared, variant))
    return error;
  // Drivers differ in whether a launch may name a stream of another context
  // than the current one; with the stream's own it always may.
  ScopedContext scope(*driver);
  if (Error error = scope.enter(context))
    return error;
  if (Error error = enqueue(*driver, kernel.variants[variant],
                            prepared->variants[variant], call, cudaStream))
    return error;
  return scope.leave();
}

} // namespace rmsrt
