//===-- Support.h - kernels for the emulator's unit tests -------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TEST_UNIT_EMULATOR_SUPPORT_H
#define RMSC_TEST_UNIT_EMULATOR_SUPPORT_H

#include "mlir/IR/MLIRContext.h"
#include "rmsc/Emulator/Code.h"
#include "rmsc/Emulator/Engine.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A gpu.module with one kernel `@kernel(%in: ptr<1>, %out: ptr<1>)`, in whose
/// body %tid, %cta (i32), %i (the thread's number in the grid, i64), %from and
/// %to (addresses of element %i) are there to use.
std::string kernelText(const std::string &inType, const std::string &outType,
                       const std::string &body,
                       const std::string &globals = "");

/// A compiled kernel and the launch of it over typed buffers.
class KernelUnderTest {
public:
  explicit KernelUnderTest(const std::string &text,
                           rmsc::emulator::CompileOptions options = {});

  /// Not null unless the compilation failed; then `error` says why.
  std::unique_ptr<rmsc::emulator::Code> code;
  std::string error;

  /// Runs `ctas` CTAs of `block` threads with an input and an output, both of
  /// them vectors or arrays.
  template <typename In, typename Out>
  rmsc::emulator::Report
  run(const In &in, Out &out, uint64_t ctas, uint32_t block,
      rmsc::emulator::RunOptions options = {}, uint32_t cluster = 1) {
    rmsc::emulator::Buffer input, output;
    describe(input, "in", const_cast<typename In::value_type *>(in.data()),
             sizeof(typename In::value_type), in.size());
    describe(output, "out", out.data(), sizeof(typename Out::value_type),
             out.size());
    output.kind = rmsc::emulator::Buffer::Kind::Output;
    return runBuffers({input, output}, ctas, block, options, cluster);
  }

private:
  static void describe(rmsc::emulator::Buffer &buffer, const char *name,
                       void *data, size_t elementBytes, size_t elements);
  rmsc::emulator::Report runBuffers(std::vector<rmsc::emulator::Buffer> buffers,
                                    uint64_t ctas, uint32_t block,
                                    rmsc::emulator::RunOptions options,
                                    uint32_t cluster);

  mlir::MLIRContext context;
};

/// The faults' lines, for messages of failed expectations.
std::string toText(const rmsc::emulator::Report &report);

#endif // RMSC_TEST_UNIT_EMULATOR_SUPPORT_H
