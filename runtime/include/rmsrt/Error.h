//===-- Error.h - A status and its sentence ---------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSRT_ERROR_H
#define RMSRT_ERROR_H

#include "rmsrt/rmsrt.h"

#include <sstream>
#include <string>
#include <utility>

namespace rmsrt {

/// What a fallible function returns: success, or a status of the C API with one
/// sentence that names the thing and the remedy. True means failure, as with
/// llvm::Error.
class [[nodiscard]] Error {
public:
  Error() = default;
  Error(RmsrtStatus status, std::string message)
      : code(status), text(std::move(message)) {}

  explicit operator bool() const { return code != RMSRT_SUCCESS; }
  RmsrtStatus status() const { return code; }
  const std::string &message() const { return text; }

private:
  RmsrtStatus code = RMSRT_SUCCESS;
  std::string text;
};

/// Writes its arguments one after the other. For messages only: a launch that
/// succeeds never comes here.
template <typename... Ts> std::string concat(const Ts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

} // namespace rmsrt

#endif // RMSRT_ERROR_H
