//===-- rmsrt.hpp - The runtime for C++ -------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rmsrt.h with ownership and exceptions, in a header alone. What each function
// means is said there. The classes are in a namespace of their own, rmsrt::api,
// because the library's internal ones have the same names.
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_RMSRT_HPP
#define RMSRT_RMSRT_HPP

#include "rmsrt/rmsrt.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rmsrt {
namespace api {

/// A status other than RMSRT_SUCCESS, with the library's message.
class Exception : public std::runtime_error {
public:
  Exception(RmsrtStatus status, const std::string &message)
      : std::runtime_error(message), code(status) {}
  RmsrtStatus status() const noexcept { return code; }

private:
  RmsrtStatus code;
};

/// Throws unless `status` is RMSRT_SUCCESS.
inline void check(RmsrtStatus status) {
  if (status == RMSRT_SUCCESS)
    return;
  const char *message = rmsrtLastError();
  throw Exception(status, *message ? message : rmsrtStatusName(status));
}

/// A kernel of a package, which must outlive it. Cheap to copy.
class Kernel {
public:
  explicit Kernel(RmsrtKernel handle) : handle(handle) {}

  std::string name() const { return rmsrtKernelName(handle); }
  int64_t hiddenSize() const { return rmsrtKernelHiddenSize(handle); }
  std::vector<RmsrtParameter> parameters() const {
    std::vector<RmsrtParameter> result(rmsrtKernelParameterCount(handle));
    for (size_t i = 0; i < result.size(); ++i)
      check(rmsrtKernelParameter(handle, i, &result[i]));
    return result;
  }
  void prepare() const { check(rmsrtKernelPrepare(handle)); }
  size_t workspaceBytes(int64_t rows) const {
    size_t bytes = 0;
    check(rmsrtKernelWorkspaceBytes(handle, rows, &bytes));
    return bytes;
  }
  size_t maxWorkspaceBytes() const {
    size_t bytes = 0;
    check(rmsrtKernelMaxWorkspaceBytes(handle, &bytes));
    return bytes;
  }
  size_t workspaceZeroedBytes() const {
    size_t bytes = 0;
    check(rmsrtKernelWorkspaceZeroedBytes(handle, &bytes));
    return bytes;
  }
  /// The variant that a call would take.
  std::string select(const RmsrtCall &call) const {
    const char *variant = nullptr;
    check(rmsrtKernelSelect(handle, &call, &variant));
    return variant;
  }
  void launch(const RmsrtCall &call) const {
    check(rmsrtKernelLaunch(handle, &call));
  }
  RmsrtKernel get() const { return handle; }

private:
  RmsrtKernel handle;
};

/// An open package; closes it.
class Package {
public:
  static Package fromFile(const std::string &path) {
    RmsrtPackage handle = nullptr;
    check(rmsrtPackageOpenFile(path.c_str(), &handle));
    return Package(handle);
  }
  static Package fromMemory(const void *data, size_t size) {
    RmsrtPackage handle = nullptr;
    check(rmsrtPackageOpenMemory(data, size, &handle));
    return Package(handle);
  }
  Package(Package &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  Package &operator=(Package &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  Package(const Package &) = delete;
  Package &operator=(const Package &) = delete;
  /// A destructor cannot report; call close() where a failure matters.
  ~Package() { (void)rmsrtPackageClose(handle); }

  void close() { check(rmsrtPackageClose(std::exchange(handle, nullptr))); }

  std::vector<Kernel> kernels() const {
    std::vector<Kernel> result;
    for (size_t i = 0; i < rmsrtPackageKernelCount(handle); ++i) {
      RmsrtKernel kernel = nullptr;
      check(rmsrtPackageGetKernel(handle, i, &kernel));
      result.emplace_back(kernel);
    }
    return result;
  }
  Kernel kernel(const std::string &name) const {
    RmsrtKernel kernel = nullptr;
    check(rmsrtPackageFindKernel(handle, name.c_str(), &kernel));
    return Kernel(kernel);
  }
  void prepare() const { check(rmsrtPackagePrepare(handle)); }
  RmsrtPackage get() const { return handle; }

private:
  explicit Package(RmsrtPackage handle) : handle(handle) {}

  RmsrtPackage handle;
};

} // namespace api
} // namespace rmsrt

#endif // RMSRT_RMSRT_HPP
