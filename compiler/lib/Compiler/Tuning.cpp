//===-- Tuning.cpp - schedules that were measured ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

using namespace rmsc;
using nlohmann::json;

/// Two times that differ by no more than this are the same: one tick of the
/// clock that measured them, in microseconds, or a part of them.
static constexpr double clockTick = 0.033, sameRatio = 1.01;

/// What a schedule's time depends on beside the rows: the hidden size, and what
/// is read and written, in any order. It is what the scheduler's rules see of a
/// row kernel too; what the operands mean makes no difference.
static std::string describeShape(int64_t hiddenSize,
                                 std::vector<std::string> streams) {
  llvm::sort(streams);
  return std::to_string(hiddenSize) + " " + llvm::join(streams, " ");
}

static std::string describeStream(llvm::StringRef direction,
                                  llvm::StringRef kind, llvm::StringRef dtype) {
  return (direction + ":" + kind + ":" + dtype).str();
}

llvm::Expected<TuningTable> TuningTable::parse(llvm::StringRef text,
                                               llvm::StringRef name) {
  auto fail = [&](const llvm::Twine &what) {
    return makeError("tuning table '" + name + "': " + what +
                     "; write the table with rms-run tune");
  };
  json document = json::parse(text.begin(), text.end(), nullptr,
                              /*allow_exceptions=*/false);
  if (document.is_discarded() || !document.is_object())
    return fail("the text is not a JSON object");
  if (document.value("format", json()) != "rms-tuning")
    return fail("its \"format\" is not \"rms-tuning\"");
  if (document.value("version", json()) != 1)
    return fail("its \"version\" is not 1, the one that this rmsc reads");
  TuningTable table;
  table.name = name.str();
  rmsrt::Chip chip;
  json chipName = document.value("chip", json());
  if (!chipName.is_string() ||
      !rmsrt::parseChip(chipName.get<std::string>(), chip))
    return fail("its \"chip\" is no name like sm_90");
  table.chip = chip.name;
  table.capability = chip.capability;
  json entries = document.value("entries", json());
  if (!entries.is_array())
    return fail("it has no list \"entries\"");
  for (auto [number, entry] : llvm::enumerate(entries)) {
    // The types are checked by the conversions, whose failures are exceptions
    // that end here.
    try {
      std::vector<std::string> streams;
      for (const json &parameter : entry.at("parameters"))
        streams.push_back(
            describeStream(parameter.at("direction").get<std::string>(),
                           parameter.at("kind").get<std::string>(),
                           parameter.at("dtype").get<std::string>()));
      std::string shape = describeShape(entry.at("hidden_size").get<int64_t>(),
                                        std::move(streams));
      int64_t rows = entry.at("rows").get<int64_t>();
      if (rows < 0 || rows > std::numeric_limits<int32_t>::max())
        return fail("entries[" + llvm::Twine(number) +
                    "]: its \"rows\" is not from 0 to 2147483647");
      Times &times = table.shapes[shape][rows];
      for (const json &variant : entry.at("variants")) {
        std::string schedule = variant.at("schedule").get<std::string>();
        // Variants for strided operands are there too and are not tuned.
        if (llvm::StringRef(schedule).contains("strided = true"))
          continue;
        double time = variant.at("us").get<double>();
        // It would win against all that was measured.
        if (!(time > 0))
          return fail("entries[" + llvm::Twine(number) + "]: the time of '" +
                      schedule + "' is not above 0");
        times[schedule] = time;
      }
      if (times.empty())
        table.shapes[shape].erase(rows);
    } catch (const json::exception &exception) {
      return fail("entries[" + llvm::Twine(number) + "]: " + exception.what());
    }
  }
  return table;
}

llvm::Expected<TuningTable> TuningTable::readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError("cannot read the tuning table '" + path +
                     "': " + buffer.getError().message() +
                     "; name a file that rms-run tune wrote");
  return parse((*buffer)->getBuffer(), path);
}

llvm::ArrayRef<TuningTable> TuningTable::getShipped() {
  static const std::vector<TuningTable> tables = [] {
    std::vector<TuningTable> parsed;
    for (auto [name, text] : getShippedTuningTexts()) {
      llvm::Expected<TuningTable> table = parse(text, name);
      // A test reads every shipped table, so none is dropped here unseen.
      if (table)
        parsed.push_back(std::move(*table));
      else
        llvm::consumeError(table.takeError());
    }
    return parsed;
  }();
  return tables;
}

std::vector<TunedRange> TuningTable::lookup(const rmsrt::Kernel &kernel,
                                            const TargetInfo &target) const {
  if (!isOf(target))
    return {};
  // A copy reduces nothing, which the operands do not show.
  if (kernel.operation.kind == rmsrt::OperationKind::Copy)
    return {};
  std::vector<std::string> streams;
  for (const rmsrt::Parameter &parameter : kernel.parameters)
    if (parameter.used)
      streams.push_back(describeStream(
          parameter.direction == rmsrt::Direction::Input ? "input" : "output",
          rmsrt::toString(parameter.kind), rmsrt::toString(parameter.dtype)));
  auto found =
      shapes.find(describeShape(kernel.hiddenSize, std::move(streams)));
  if (found == shapes.end() || found->second.empty())
    return {};

  // As few ranges as possible: each goes on for as long as one schedule is as
  // good as the best one everywhere in it.
  std::vector<TunedRange> ranges;
  std::set<std::string> good;
  int64_t lastRows = 0;
  auto pick = [&](const Times &times) {
    return *llvm::min_element(good,
                              [&](const std::string &a, const std::string &b) {
                                return times.at(a) < times.at(b);
                              });
  };
  const Times *lastTimes = nullptr;
  for (const auto &[rows, times] : found->second) {
    double best = std::numeric_limits<double>::max();
    for (const auto &[schedule, time] : times)
      best = std::min(best, time);
    std::set<std::string> goodHere;
    for (const auto &[schedule, time] : times)
      if (time <= best + clockTick || time <= best * sameRatio)
        goodHere.insert(schedule);
    std::set<std::string> both;
    std::set_intersection(good.begin(), good.end(), goodHere.begin(),
                          goodHere.end(), std::inserter(both, both.end()));
    if (lastTimes && both.empty()) {
      // Half way between two numbers of rows, in their ratio.
      int64_t end = std::max<int64_t>(
          lastRows, std::sqrt(double(std::max<int64_t>(1, lastRows)) * rows));
      int64_t begin = ranges.empty() ? 0 : ranges.back().maxRows + 1;
      ranges.push_back({begin, end, pick(*lastTimes)});
      both = std::move(goodHere);
    } else if (!lastTimes) {
      both = std::move(goodHere);
    }
    good = std::move(both);
    lastRows = rows;
    lastTimes = &times;
  }
  ranges.push_back({ranges.empty() ? 0 : ranges.back().maxRows + 1,
                    std::numeric_limits<int32_t>::max(), pick(*lastTimes)});
  return ranges;
}
