//===-- Kernels.cpp - row kernels to test with ------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "rmsc/Target/LaunchPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::test;
using llvm::formatv;

/// Appends the cast of a row from one element type to another to `text` under
/// the name `name`, and returns the name of what holds the result: where the
/// types are the same there is no cast.
static StringRef cast(std::string &text, StringRef name, StringRef value,
                      int64_t hiddenSize, StringRef from, StringRef to) {
  if (from == to)
    return value;
  const char *op = to == "f32" ? "arith.extf" : "arith.truncf";
  text += formatv("  {0} = {1} {2} : vector<{3}x{4}> to vector<{3}x{5}>\n",
                  name, op, value, hiddenSize, from, to);
  return name;
}

/// A kernel with further outputs, written as `outputs`, and further ops.
static std::string
kernelText(int64_t hiddenSize, const Types &types, StringRef outputs,
           llvm::function_ref<std::string(StringRef)> furtherOps) {
  std::string text = formatv(
      "row.kernel @kernel hidden {0} inputs(%x: !row.rows<{0}x{1}>, "
      "%w: !row.columns<{0}x{2}>) outputs(%y: !row.rows<{0}x{3}>{4}) {{\n"
      "  %0 = row.load %x : !row.rows<{0}x{1}> -> vector<{0}x{1}>\n"
      "  %1 = row.load %w : !row.columns<{0}x{2}> -> vector<{0}x{2}>\n",
      hiddenSize, types.x, types.weight, types.y, outputs);
  StringRef x = cast(text, "%x32", "%0", hiddenSize, types.x, "f32");
  StringRef weight = cast(text, "%w32", "%1", hiddenSize, types.weight, "f32");
  text += formatv("  %dot = row.dot {1}, {1} : vector<{0}xf32>\n"
                  "  %splat = vector.broadcast %dot : f32 to vector<{0}xf32>\n"
                  "  %scaled = arith.mulf %splat, {2} : vector<{0}xf32>\n",
                  hiddenSize, x, weight);
  StringRef y = cast(text, "%rounded", "%scaled", hiddenSize, "f32", types.y);
  text += formatv("  row.store {2}, %y : vector<{0}x{1}>, !row.rows<{0}x{1}>\n",
                  hiddenSize, types.y, y);
  return text + furtherOps(x) + "}\n";
}

std::string rmsc::test::forwardText(int64_t hiddenSize, const Types &types) {
  return kernelText(hiddenSize, types, "",
                    [](StringRef) { return std::string(); });
}

std::string rmsc::test::backwardText(int64_t hiddenSize, const Types &types,
                                     int64_t accumulators) {
  std::string outputs;
  for (int64_t i = 0; i < accumulators; ++i)
    outputs += formatv(", %s{0}: !row.columns<{1}xf32>", i, hiddenSize);
  return kernelText(hiddenSize, types, outputs, [&](StringRef x) {
    std::string ops;
    for (int64_t i = 0; i < accumulators; ++i)
      ops += formatv("  row.accumulate {2}, {2} into %s{0} : vector<{1}xf32>, "
                     "!row.columns<{1}xf32>\n",
                     i, hiddenSize, x);
    return ops;
  });
}

KernelTest::KernelTest() {
  context.loadDialect<row::RowDialect, arith::ArithDialect,
                      vector::VectorDialect>();
}

row::KernelOp KernelTest::parse(const std::string &text) {
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    llvm::report_fatal_error(llvm::Twine("a test's kernel is wrong:\n") + text);
  return *module->getOps<row::KernelOp>().begin();
}

row::ScheduleAttr KernelTest::schedule(const std::string &fields) {
  row::ScheduleAttr schedule = row::parseSchedule(
      fields, &context, [&] { return emitError(UnknownLoc::get(&context)); });
  EXPECT_TRUE(schedule) << fields;
  return schedule;
}

row::KernelOp KernelTest::parse(const std::string &text,
                                const std::string &fields) {
  row::KernelOp kernel = parse(text);
  kernel.setScheduleAttr(schedule(fields));
  return kernel;
}

std::string KernelTest::verify(row::KernelOp kernel, row::ScheduleAttr schedule,
                               StringRef chip) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  LogicalResult result = verifySchedule(kernel, schedule, target(chip),
                                        [&] { return kernel.emitError(); });
  EXPECT_EQ(failed(result), !message.empty());
  return message;
}

const TargetInfo &KernelTest::target(StringRef chip) {
  const TargetInfo *info = lookupTarget(chip);
  EXPECT_TRUE(info) << chip.str();
  return *info;
}
