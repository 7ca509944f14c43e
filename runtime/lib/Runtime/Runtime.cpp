//===-- Runtime.cpp - The C API -------------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executable.h"

#include <deque>
#include <new>

using namespace rmsrt;

struct RmsrtKernelImpl {
  RmsrtKernelImpl(const Kernel &kernel, LoadedImages &images)
      : kernel(kernel), executable(kernel, images) {}

  const Kernel &kernel;
  // Its state is a cache behind a constant interface, with a lock of its own.
  mutable Executable executable;
};

struct RmsrtPackageImpl {
  explicit RmsrtPackageImpl(Package &&opened)
      : package(std::move(opened)), images(package) {
    for (const Kernel &kernel : package.manifest().kernels)
      kernels.emplace_back(kernel, images);
  }

  Package package;
  LoadedImages images;
  std::deque<RmsrtKernelImpl> kernels;
};

static std::string &lastError() {
  thread_local std::string message;
  return message;
}

static RmsrtStatus report(const Error &error) {
  if (error)
    lastError() = error.message();
  return error.status();
}

/// Runs the body of an entry and turns what it throws into a status: no
/// exception may cross into C.
template <typename Body> static RmsrtStatus entry(Body body) {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    // Assigning a message could throw again; the status says it all.
    lastError().clear();
    return RMSRT_OUT_OF_MEMORY;
  }
}

static Error nullArgument(const char *function, const char *argument) {
  return Error(RMSRT_INVALID_ARGUMENT,
               concat(function, ": `", argument, "` is NULL; pass one"));
}

static Error adopt(Package &&opened, RmsrtPackage *package) {
  *package = new RmsrtPackageImpl(std::move(opened));
  return {};
}

RmsrtStatus rmsrtPackageOpenFile(const char *path, RmsrtPackage *package) {
  return entry([&]() -> Error {
    if (!path || !package)
      return nullArgument("rmsrtPackageOpenFile", path ? "package" : "path");
    *package = nullptr;
    Package opened;
    if (Error error = Package::openFile(path, opened))
      return error;
    return adopt(std::move(opened), package);
  });
}

RmsrtStatus rmsrtPackageOpenMemory(const void *data, size_t size,
                                   RmsrtPackage *package) {
  return entry([&]() -> Error {
    if (!data || !package)
      return nullArgument("rmsrtPackageOpenMemory", data ? "package" : "data");
    *package = nullptr;
    Package opened;
    std::string_view bytes(static_cast<const char *>(data), size);
    if (Error error = Package::openMemory(bytes, "package in memory", opened))
      return error;
    return adopt(std::move(opened), package);
  });
}

RmsrtStatus rmsrtPackageClose(RmsrtPackage package) {
  return entry([&]() -> Error {
    if (!package)
      return {};
    std::unique_ptr<RmsrtPackageImpl> owned(package);
    return owned->images.unload();
  });
}

size_t rmsrtPackageKernelCount(RmsrtPackage package) {
  return package ? package->kernels.size() : 0;
}

RmsrtStatus rmsrtPackageGetKernel(RmsrtPackage package, size_t index,
                                  RmsrtKernel *kernel) {
  return entry([&]() -> Error {
    if (!package || !kernel)
      return nullArgument("rmsrtPackageGetKernel",
                          package ? "kernel" : "package");
    if (index >= package->kernels.size())
      return Error(RMSRT_INVALID_ARGUMENT,
                   concat("rmsrtPackageGetKernel: index is ", index,
                          ", and the package holds ", package->kernels.size(),
                          " kernels"));
    *kernel = &package->kernels[index];
    return {};
  });
}

RmsrtStatus rmsrtPackageFindKernel(RmsrtPackage package, const char *name,
                                   RmsrtKernel *kernel) {
  return entry([&]() -> Error {
    if (!package || !name || !kernel)
      return nullArgument("rmsrtPackageFindKernel", !package ? "package"
                                                    : !name  ? "name"
                                                             : "kernel");
    std::string names;
    for (const RmsrtKernelImpl &candidate : package->kernels) {
      if (candidate.kernel.name == name) {
        *kernel = &candidate;
        return {};
      }
      names += (names.empty() ? "" : ", ") + candidate.kernel.name;
    }
    return Error(RMSRT_NOT_FOUND, concat("the package holds no kernel \"", name,
                                         "\"; it holds ", names));
  });
}

const char *rmsrtKernelName(RmsrtKernel kernel) {
  return kernel ? kernel->kernel.name.c_str() : "";
}

int64_t rmsrtKernelHiddenSize(RmsrtKernel kernel) {
  return kernel ? kernel->kernel.hiddenSize : 0;
}

size_t rmsrtKernelParameterCount(RmsrtKernel kernel) {
  return kernel ? kernel->kernel.parameters.size() : 0;
}

RmsrtStatus rmsrtKernelParameter(RmsrtKernel kernel, size_t index,
                                 RmsrtParameter *parameter) {
  return entry([&]() -> Error {
    if (!kernel || !parameter)
      return nullArgument("rmsrtKernelParameter",
                          kernel ? "parameter" : "kernel");
    const auto &parameters = kernel->kernel.parameters;
    if (index >= parameters.size())
      return Error(RMSRT_INVALID_ARGUMENT,
                   concat("rmsrtKernelParameter: index is ", index,
                          ", and kernel \"", kernel->kernel.name, "\" has ",
                          parameters.size(), " parameters"));
    const Parameter &p = parameters[index];
    parameter->name = p.name.c_str();
    parameter->role = p.role.c_str();
    parameter->direction = RmsrtDirection(p.direction);
    parameter->kind = RmsrtKind(p.kind);
    parameter->dtype = RmsrtDtype(p.dtype);
    parameter->rank = p.rank;
    parameter->used = p.used;
    parameter->mayAlias = p.mayAlias;
    return {};
  });
}

RmsrtStatus rmsrtKernelPrepare(RmsrtKernel kernel) {
  return entry([&]() -> Error {
    if (!kernel)
      return nullArgument("rmsrtKernelPrepare", "kernel");
    return kernel->executable.prepare();
  });
}

RmsrtStatus rmsrtPackagePrepare(RmsrtPackage package) {
  return entry([&]() -> Error {
    if (!package)
      return nullArgument("rmsrtPackagePrepare", "package");
    for (const RmsrtKernelImpl &kernel : package->kernels)
      if (Error error = kernel.executable.prepare())
        return error;
    return {};
  });
}

static Error checkRows(const Kernel &kernel, int64_t rows) {
  if (rows >= 0 && rows <= RMSRT_MAX_ROWS)
    return {};
  return Error(RMSRT_BAD_ROWS,
               concat("kernel \"", kernel.name, "\": rows is ", rows,
                      ", not from 0 to ", RMSRT_MAX_ROWS));
}

RmsrtStatus rmsrtKernelWorkspaceBytes(RmsrtKernel kernel, int64_t rows,
                                      size_t *bytes) {
  return entry([&]() -> Error {
    if (!kernel || !bytes)
      return nullArgument("rmsrtKernelWorkspaceBytes",
                          kernel ? "bytes" : "kernel");
    if (Error error = checkRows(kernel->kernel, rows))
      return error;
    *bytes = workspaceBytes(kernel->kernel, rows);
    return {};
  });
}

RmsrtStatus rmsrtKernelMaxWorkspaceBytes(RmsrtKernel kernel, size_t *bytes) {
  return entry([&]() -> Error {
    if (!kernel || !bytes)
      return nullArgument("rmsrtKernelMaxWorkspaceBytes",
                          kernel ? "bytes" : "kernel");
    *bytes = maxWorkspaceBytes(kernel->kernel);
    return {};
  });
}

RmsrtStatus rmsrtKernelWorkspaceZeroedBytes(RmsrtKernel kernel, size_t *bytes) {
  return entry([&]() -> Error {
    if (!kernel || !bytes)
      return nullArgument("rmsrtKernelWorkspaceZeroedBytes",
                          kernel ? "bytes" : "kernel");
    *bytes = 0;
    for (const Variant &v : kernel->kernel.variants)
      *bytes = std::max<size_t>(*bytes, v.workspace.zeroedBytes);
    return {};
  });
}

static Call toCall(const RmsrtCall &call) {
  Call result;
  result.tensors = call.tensors;
  result.tensorCount = call.tensorCount;
  result.rows = call.rows;
  result.workspace = call.workspace;
  result.workspaceBytes = call.workspaceBytes;
  result.flags = call.flags;
  if (call.variant)
    result.variant = call.variant;
  return result;
}

RmsrtStatus rmsrtKernelSelect(RmsrtKernel kernel, const RmsrtCall *call,
                              const char **variant) {
  return entry([&]() -> Error {
    if (!kernel || !call || !variant)
      return nullArgument("rmsrtKernelSelect", !kernel ? "kernel"
                                               : !call ? "call"
                                                       : "variant");
    size_t index = 0;
    if (Error error =
            kernel->executable.select(toCall(*call), call->stream, index))
      return error;
    *variant = kernel->kernel.variants[index].name.c_str();
    return {};
  });
}

RmsrtStatus rmsrtKernelLaunch(RmsrtKernel kernel, const RmsrtCall *call) {
  return entry([&]() -> Error {
    if (!kernel || !call)
      return nullArgument("rmsrtKernelLaunch", kernel ? "call" : "kernel");
    return kernel->executable.launch(toCall(*call), call->stream);
  });
}

const char *rmsrtLastError(void) { return lastError().c_str(); }

const char *rmsrtStatusName(RmsrtStatus status) {
  switch (status) {
#define RMSRT_NAME(name)                                                       \
  case name:                                                                   \
    return #name;
    RMSRT_NAME(RMSRT_SUCCESS)
    RMSRT_NAME(RMSRT_INVALID_ARGUMENT)
    RMSRT_NAME(RMSRT_IO_ERROR)
    RMSRT_NAME(RMSRT_NOT_A_PACKAGE)
    RMSRT_NAME(RMSRT_UNSUPPORTED_VERSION)
    RMSRT_NAME(RMSRT_BAD_MANIFEST)
    RMSRT_NAME(RMSRT_CORRUPT)
    RMSRT_NAME(RMSRT_NOT_FOUND)
    RMSRT_NAME(RMSRT_NO_DRIVER)
    RMSRT_NAME(RMSRT_NO_CONTEXT)
    RMSRT_NAME(RMSRT_NO_CODE)
    RMSRT_NAME(RMSRT_NO_VARIANT)
    RMSRT_NAME(RMSRT_NOT_PREPARED)
    RMSRT_NAME(RMSRT_BAD_ROWS)
    RMSRT_NAME(RMSRT_NULL_POINTER)
    RMSRT_NAME(RMSRT_MISALIGNED)
    RMSRT_NAME(RMSRT_BAD_STRIDE)
    RMSRT_NAME(RMSRT_OVERLAP)
    RMSRT_NAME(RMSRT_WORKSPACE_TOO_SMALL)
    RMSRT_NAME(RMSRT_DRIVER_ERROR)
    RMSRT_NAME(RMSRT_OUT_OF_MEMORY)
#undef RMSRT_NAME
  }
  return "unknown status";
}
