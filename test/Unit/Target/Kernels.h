//===-- Kernels.h - row kernels to test with --------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TEST_UNIT_TARGET_KERNELS_H
#define RMSC_TEST_UNIT_TARGET_KERNELS_H

#include "rmsc/Dialect/Row/Row.h"
#include "rmsc/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"
#include <string>

namespace rmsc::test {

/// Element types of the operands of a kernel, by their names in MLIR.
struct Types {
  llvm::StringRef x = "bf16", weight = "bf16", y = "bf16";
};

/// Text of a kernel that scales a row by a reduction of it and by a weight: the
/// streams of a forward normalization.
std::string forwardText(int64_t hiddenSize, const Types &types = {});
/// Text of a kernel that besides sums a product of `accumulators` columns.
std::string backwardText(int64_t hiddenSize, const Types &types = {},
                         int64_t accumulators = 1);

/// Tests that have a context and parse kernels.
class KernelTest : public testing::Test {
protected:
  KernelTest();

  /// The one kernel of a text, which lives until the next call.
  mlir::row::KernelOp parse(const std::string &text);
  /// A schedule, from the part between the angle brackets.
  mlir::row::ScheduleAttr schedule(const std::string &fields);
  /// The kernel of a text with a schedule.
  mlir::row::KernelOp parse(const std::string &text, const std::string &fields);
  /// What `verifySchedule` says, or an empty text where it is content.
  std::string verify(mlir::row::KernelOp kernel,
                     mlir::row::ScheduleAttr schedule, llvm::StringRef chip);

  static const TargetInfo &target(llvm::StringRef chip);

  mlir::MLIRContext context;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace rmsc::test

#endif // RMSC_TEST_UNIT_TARGET_KERNELS_H
