//===-- TuningTest.cpp - row ranges from measured times ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

#include "rmsc/Dialect/Row/Row.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace rmsc;
using nlohmann::json;

/// A table for a kernel of one input and one output: times by rows and
/// schedule.
static json
makeTable(std::map<int64_t, std::map<std::string, double>> measured) {
  json entries = json::array();
  for (const auto &[rows, times] : measured) {
    json variants = json::array();
    for (const auto &[schedule, us] : times)
      variants.push_back({{"schedule", schedule}, {"us", us}});
    entries.push_back(
        {{"hidden_size", 64},
         {"rows", rows},
         {"parameters",
          {{{"direction", "input"}, {"kind", "rows"}, {"dtype", "bf16"}},
           {{"direction", "output"}, {"kind", "rows"}, {"dtype", "f32"}}}},
         {"variants", variants}});
  }
  return {{"format", "rms-tuning"},
          {"version", 1},
          {"chip", "sm_90"},
          {"entries", entries}};
}

static rmsrt::Kernel makeKernel() {
  rmsrt::Kernel kernel;
  kernel.name = "any name";
  kernel.hiddenSize = 64;
  rmsrt::Parameter x, unused, y;
  x.role = "x";
  x.dtype = rmsrt::Dtype::BF16;
  unused.role = "unused";
  unused.used = false;
  y.role = "y";
  y.direction = rmsrt::Direction::Output;
  y.dtype = rmsrt::Dtype::F32;
  kernel.parameters = {x, unused, y};
  return kernel;
}

static std::vector<TunedRange>
lookup(const json &table, const rmsrt::Kernel &kernel = makeKernel(),
       StringRef chip = "sm_90") {
  Expected<TuningTable> parsed = TuningTable::parse(table.dump(), "t.json");
  EXPECT_TRUE(bool(parsed)) << toString(parsed.takeError());
  return parsed ? parsed->lookup(kernel, *lookupTarget(chip))
                : std::vector<TunedRange>();
}

static void expectRange(const TunedRange &range, int64_t minRows,
                        int64_t maxRows, StringRef schedule) {
  EXPECT_EQ(range.minRows, minRows);
  EXPECT_EQ(range.maxRows, maxRows);
  EXPECT_EQ(range.schedule, schedule);
}

TEST(Tuning, OneRangeWhereOneIsBest) {
  auto ranges = lookup(makeTable(
      {{1, {{"a", 2.0}, {"b", 3.0}}}, {9000, {{"a", 20.0}, {"b", 30.0}}}}));
  ASSERT_EQ(ranges.size(), 1u);
  expectRange(ranges[0], 0, 2147483647, "a");
}

TEST(Tuning, RangesMeetHalfWayInRatio) {
  auto ranges = lookup(makeTable({{1, {{"a", 2.0}, {"b", 3.0}}},
                                  {100, {{"a", 4.0}, {"b", 5.0}}},
                                  {400, {{"a", 9.0}, {"b", 8.0}}},
                                  {500, {{"a", 9.0}, {"b", 8.0}}}}));
  ASSERT_EQ(ranges.size(), 2u);
  expectRange(ranges[0], 0, 200, "a");
  expectRange(ranges[1], 201, 2147483647, "b");
}

TEST(Tuning, ATickOrAHundredthIsNoReasonToChange) {
  // One tick at few rows, less than a hundredth at many.
  auto ranges = lookup(makeTable({{1, {{"a", 2.00}, {"b", 2.03}}},
                                  {100, {{"a", 500.0}, {"b", 497.0}}},
                                  {200, {{"a", 500.0}, {"b", 400.0}}}}));
  ASSERT_EQ(ranges.size(), 1u);
  expectRange(ranges[0], 0, 2147483647, "b");
  ranges = lookup(makeTable(
      {{1, {{"a", 2.00}, {"b", 2.04}}}, {100, {{"a", 500.0}, {"b", 490.0}}}}));
  EXPECT_EQ(ranges.size(), 2u);
}

TEST(Tuning, StridedVariantsAreNoChoice) {
  auto ranges = lookup(
      makeTable({{1, {{"<strided = true>", 1.0}, {"<elements = 1>", 2.0}}}}));
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].schedule, "<elements = 1>");
}

TEST(Tuning, OnlyTheSameShape) {
  json table = makeTable({{1, {{"a", 1.0}}}});
  EXPECT_EQ(lookup(table).size(), 1u);
  EXPECT_EQ(lookup(table, makeKernel(), "sm_90a").size(), 1u);
  EXPECT_EQ(lookup(table, makeKernel(), "sm_100").size(), 0u);
  rmsrt::Kernel kernel = makeKernel();
  kernel.hiddenSize = 128;
  EXPECT_EQ(lookup(table, kernel).size(), 0u);
  kernel = makeKernel();
  kernel.parameters[0].dtype = rmsrt::Dtype::F16;
  EXPECT_EQ(lookup(table, kernel).size(), 0u);
  kernel = makeKernel();
  kernel.parameters[0].kind = rmsrt::Kind::Columns;
  EXPECT_EQ(lookup(table, kernel).size(), 0u);
  kernel = makeKernel();
  kernel.parameters[1].used = true;
  EXPECT_EQ(lookup(table, kernel).size(), 0u);
  // Neither what the operands mean nor their order makes a difference.
  kernel = makeKernel();
  kernel.operation.kind = rmsrt::OperationKind::NormBackward;
  kernel.parameters[0].role = "grad_output";
  std::swap(kernel.parameters[0], kernel.parameters[1]);
  EXPECT_EQ(lookup(table, kernel).size(), 1u);
  kernel = makeKernel();
  kernel.operation.kind = rmsrt::OperationKind::Copy;
  EXPECT_EQ(lookup(table, kernel).size(), 0u);
}

TEST(Tuning, FaultsAreNamed) {
  auto messageOf = [](const std::string &text) {
    Expected<TuningTable> table = TuningTable::parse(text, "t.json");
    return table ? std::string("(none)") : toString(table.takeError());
  };
  auto expectMessage = [&](const json &table, StringRef what) {
    EXPECT_EQ(messageOf(table.dump()), ("tuning table 't.json': " + what +
                                        "; write the table with rms-run tune")
                                           .str());
  };
  EXPECT_EQ(messageOf("{"), "tuning table 't.json': the text is not a JSON "
                            "object; write the table with rms-run tune");
  json good = makeTable({{1, {{"a", 1.0}}}});
  json table = good;
  table["format"] = "x";
  expectMessage(table, "its \"format\" is not \"rms-tuning\"");
  table = good;
  table["version"] = 2;
  expectMessage(table,
                "its \"version\" is not 1, the one that this rmsc reads");
  table = good;
  table.erase("chip");
  expectMessage(table, "its \"chip\" is no name like sm_90");
  table = good;
  table.erase("entries");
  expectMessage(table, "it has no list \"entries\"");
  for (const char *field : {"hidden_size", "rows", "parameters", "variants"}) {
    table = good;
    table["entries"][0].erase(field);
    std::string message = messageOf(table.dump());
    EXPECT_NE(message.find("entries[0]: "), std::string::npos) << message;
    EXPECT_NE(message.find(field), std::string::npos) << message;
  }
  for (int64_t rows : {int64_t(-1), int64_t(1) << 31}) {
    table = good;
    table["entries"][0]["rows"] = rows;
    expectMessage(table,
                  "entries[0]: its \"rows\" is not from 0 to 2147483647");
  }
  for (double us : {0.0, -2.0}) {
    table = good;
    table["entries"][0]["variants"][0]["us"] = us;
    expectMessage(table, "entries[0]: the time of 'a' is not above 0");
  }
}

TEST(Tuning, EveryShippedTableCanBeUsed) {
  EXPECT_EQ(TuningTable::getShipped().size(), getShippedTuningTexts().size());
  mlir::DialectRegistry registry;
  registry.insert<mlir::row::RowDialect>();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (auto [name, text] : getShippedTuningTexts()) {
    json table = json::parse(text.str());
    for (const json &entry : table["entries"])
      for (const json &variant : entry["variants"])
        EXPECT_TRUE(mlir::row::parseSchedule(
            variant["schedule"].get<std::string>(), &context,
            [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); }))
            << name.str();
  }
}
