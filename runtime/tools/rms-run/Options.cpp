//===-- Options.cpp - The command line of rms-run -------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <cerrno>
#include <cstdlib>

using rmsrt::concat;
using rmsrt::Error;

namespace rms_run {

const char *const kUsage =
    R"(rms-run: looks into, checks and times packages of rmsc

usage: rms-run info  PACKAGE... [--sass] [--kernel=NAME]
       rms-run check PACKAGE... [options]
       rms-run bench PACKAGE... [options]
       rms-run tune  PACKAGE... --output=FILE [options]

info     shows each kernel's parameters and variants. Needs no GPU.
  --sass            also shows the machine code, through cuobjdump or nvdisasm
check    runs kernels on random inputs and compares with a float64 reference;
         prints one PASS or FAIL line a case, with each output's worst error in
         units of its bound. The exit status is 0 when every case passed.
  --suite=NAME      the cases and tolerances of a suite: forward or backward
  --rows=N[,N...]   row counts (default 0,1,3,133,1024)
  --kernel=NAME     one kernel only
  --variant=NAME    one variant, whatever the rows; `all`: each in turn
  --seed=N          of the random inputs (default 1)
  --misalign=N      all pointers off by N elements
  --stride=N        N elements between rows
  --in-place        inputs that may be overwritten are
  --batch-invariant only variants that serve every row count
  --dependent       launch as dependent on the kernel before it
  --digest          print each output's SHA-256
  --repeat          run twice: the same bits?
  --graph           also through graph capture and two replays: the same bits?
  --streams=2       two calls at once on two streams
  --json=FILE       write the results as JSON
bench    times kernels: the median of 50 calls after 10 warm-ups, each on
         buffers of its own after a flush of the L2 cache, from the first
         kernel's start to the last one's end as CUPTI records it, beside the
         floor (the fastest kernel of the package that only moves the bytes).
  --suite, --rows, --kernel, --variant, --json, --seed, --batch-invariant,
  --dependent       as above
  --runs=N          repeat everything N times and report medians (default 1)
  --calls=N, --warmups=N
tune     times every variant of every kernel at every row count and writes the
         figures as a tuning table.
  --output=FILE     where to write it
  --rows, --suite, --kernel, --seed, --batch-invariant, --dependent, --calls,
  --warmups         as above
check, bench, tune
  --device=N        the GPU to use (default 0)

RMSRT_CUDA_DRIVER and RMSRT_CUPTI name other libraries than libcuda.so.1 and
libcupti.so.
)";

namespace {

/// Sets of commands, for the options that they take.
enum : unsigned { kInfo = 1, kCheck = 2, kBench = 4, kTune = 8 };
constexpr unsigned kTimes = kBench | kTune, kRuns = kCheck | kTimes;

unsigned setOf(Command command) {
  switch (command) {
  case Command::Info:
    return kInfo;
  case Command::Check:
    return kCheck;
  case Command::Bench:
    return kBench;
  case Command::Tune:
    return kTune;
  case Command::Help:
    return 0;
  }
  return 0;
}

/// Takes "--name=value" and "--name value" apart.
class Parser {
public:
  Parser(int argc, char **argv)
      : command(argv[0]), arguments(argv + 1, argv + argc) {}

  Error run(Options &o) {
    for (index = 0; index < arguments.size(); ++index)
      if (Error error = argument(o))
        return error;
    return {};
  }

private:
  Error argument(Options &o) {
    std::string text = arguments[index];
    if (text[0] != '-') {
      o.packages.push_back(text);
      return {};
    }
    size_t equals = text.find('=');
    name = text.substr(0, equals);
    hasValue = equals != std::string::npos;
    value = hasValue ? text.substr(equals + 1) : "";
    struct Flag {
      const char *name;
      bool *where;
      unsigned commands;
    };
    const Flag flags[] = {{"--in-place", &o.inPlace, kCheck},
                          {"--digest", &o.digest, kCheck},
                          {"--repeat", &o.repeat, kCheck},
                          {"--graph", &o.graph, kCheck},
                          {"--batch-invariant", &o.batchInvariant, kRuns},
                          {"--dependent", &o.dependent, kRuns},
                          {"--sass", &o.sass, kInfo}};
    // An option that a command does not heed is a mistake: who gives tune a
    // --json would look for the figures there in vain.
    const unsigned mine = setOf(o.command);
    for (const Flag &flag : flags)
      if (name == flag.name) {
        if (!(flag.commands & mine))
          return notOurs();
        if (hasValue)
          return bad("takes no value");
        *flag.where = true;
        return {};
      }
    struct Text {
      const char *name;
      std::string *where;
      unsigned commands;
    };
    const Text texts[] = {{"--suite", &o.suite, kRuns},
                          {"--kernel", &o.kernel, kRuns | kInfo},
                          {"--variant", &o.variant, kCheck | kBench},
                          {"--json", &o.json, kCheck | kBench},
                          {"--output", &o.output, kTune},
                          {"-o", &o.output, kTune}};
    for (const Text &entry : texts)
      if (name == entry.name) {
        if (!(entry.commands & mine))
          return notOurs();
        if (Error error = takeValue())
          return error;
        *entry.where = value;
        return {};
      }
    struct Number {
      const char *name;
      int64_t *where;
      int64_t lowest, highest;
      unsigned commands;
    };
    const Number numbers[] = {{"--misalign", &o.misalign, 0, 1 << 20, kCheck},
                              {"--stride", &o.extraStride, 0, 1 << 28, kCheck},
                              {"--streams", &o.streams, 1, 2, kCheck},
                              {"--device", &o.device, 0, 1023, kRuns},
                              {"--runs", &o.runs, 1, 1000, kBench},
                              {"--calls", &o.calls, 1, 100000, kTimes},
                              {"--warmups", &o.warmups, 0, 100000, kTimes}};
    for (const Number &entry : numbers)
      if (name == entry.name) {
        if (!(entry.commands & mine))
          return notOurs();
        if (Error error = takeValue())
          return error;
        return number(value, entry.lowest, entry.highest, *entry.where);
      }
    if ((name == "--seed" || name == "--rows") && !(kRuns & mine))
      return notOurs();
    if (name == "--seed") {
      if (Error error = takeValue())
        return error;
      int64_t seed = 0;
      if (Error error = number(value, 0, INT64_MAX, seed))
        return error;
      o.seed = uint64_t(seed);
      return {};
    }
    if (name == "--rows") {
      if (Error error = takeValue())
        return error;
      return rowList(o.rows);
    }
    return bad("is not an option of rms-run");
  }

  Error bad(const std::string &what) const {
    return Error(RMSRT_INVALID_ARGUMENT,
                 name + " " + what + "; rms-run --help lists the options");
  }

  Error notOurs() const { return bad("is not an option of " + command); }

  Error takeValue() {
    if (!hasValue) {
      if (++index == arguments.size())
        return bad("needs a value");
      value = arguments[index];
    }
    return value.empty() ? bad("needs a value") : Error();
  }

  Error number(const std::string &text, int64_t lowest, int64_t highest,
               int64_t &result) const {
    char *end = nullptr;
    errno = 0;
    long long n = std::strtoll(text.c_str(), &end, 10);
    if (errno || text.empty() || *end || n < lowest || n > highest)
      return bad(concat("is \"", text, "\", not a number from ", lowest, " to ",
                        highest));
    result = n;
    return {};
  }

  Error rowList(std::vector<int64_t> &rows) const {
    rows.clear();
    for (size_t begin = 0; begin <= value.size();) {
      size_t comma = std::min(value.find(',', begin), value.size());
      int64_t n = 0;
      if (Error error =
              number(value.substr(begin, comma - begin), 0, RMSRT_MAX_ROWS, n))
        return error;
      rows.push_back(n);
      begin = comma + 1;
    }
    return {};
  }

  std::string command;
  std::vector<std::string> arguments;
  size_t index = 0;
  std::string name, value;
  bool hasValue = false;
};

} // namespace

Error parseOptions(int argc, char **argv, Options &options) {
  for (int i = 0; i < argc; ++i)
    options.commandLine +=
        (i ? " " : "") + std::string(i ? argv[i] : "rms-run");
  if (argc < 2 || std::string(argv[1]) == "--help" ||
      std::string(argv[1]) == "help")
    return {};
  const std::string command = argv[1];
  if (command == "info")
    options.command = Command::Info;
  else if (command == "check")
    options.command = Command::Check;
  else if (command == "bench")
    options.command = Command::Bench;
  else if (command == "tune")
    options.command = Command::Tune;
  else
    return Error(RMSRT_INVALID_ARGUMENT,
                 "\"" + command +
                     "\" is not a command of rms-run; use info, check, bench "
                     "or tune (rms-run --help)");
  for (int i = 2; i < argc; ++i)
    if (std::string(argv[i]) == "--help") {
      options.command = Command::Help;
      return {};
    }
  if (Error error = Parser(argc - 1, argv + 1).run(options))
    return error;
  if (options.packages.empty())
    return Error(RMSRT_INVALID_ARGUMENT,
                 "no package given; pass a .rmspkg file of rmsc");
  if (options.command == Command::Tune && options.output.empty())
    return Error(RMSRT_INVALID_ARGUMENT,
                 "tune needs --output=FILE, where the table is written");
  return {};
}

} // namespace rms_run
