//===-- rms-numeric-suite.cpp - thousands of emulated cases -----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four parts, each a function below:
//   schedules   every schedule that is enumerated for a few shapes
//   forward     every pair of (hidden size, rows, types, alignment, rounding),
//               and with them chips, schedules, roots, results, in-place use
//   backward    the same for the backward, with every way to sum columns
//   special     NaN, infinities, zeros, denormals, overflow
// Every case is compiled, run in two interleavings under watch, and compared
// with the float64 reference. A failure is printed with the command that
// repeats it.
//
//===----------------------------------------------------------------------===//

#include "Covering.h"
#include "Runner.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

using namespace rmsc;
using namespace rmsc::numeric;
using namespace llvm;

static cl::opt<std::string> oneCase("case", cl::desc("Run this case alone"));
static cl::opt<std::string>
    onlyPart("part", cl::desc("schedules, forward, backward or special"));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of what is random (1)"),
                              cl::init(1));
static cl::opt<unsigned> jobs("jobs", cl::desc("Host threads (all cores)"),
                              cl::init(0));
static cl::opt<unsigned>
    scale("scale", cl::desc("Percent of the random cases to run (100)"),
          cl::init(100));
static cl::opt<bool> printProgram("print-program",
                                  cl::desc("Print the program of --case"));

namespace {

/// Distinct cases of a whole run, at the least.
constexpr size_t wantedCases = 2000;

/// Cases that share a program.
struct Group {
  Spec program;
  /// Run every enumerated schedule, with each of `calls` in turn.
  bool enumerated = false;
  /// Try these schedules first, and take the first that fits.
  std::vector<std::string> schedules;
  std::vector<Spec> calls;
};

class Suite {
public:
  void add(Group group) { groups.push_back(std::move(group)); }
  size_t count() const { return distinct.size(); }
  void run();
  /// Prints the summary; true where everything passed, with every way to sum
  /// columns and with several CTAs a row where that is asked for.
  bool finish(bool needsColumnSums = false, bool needsSharedRows = false);

private:
  void runGroup(const Group &group);
  void runOne(Program &program, const Spec &spec);
  void fail(const Spec &spec, StringRef text);
  /// Counts a run by the way its schedule sums columns, and where several CTAs
  /// share a row; needs the lock.
  void noteSchedule(const rmsrt::Variant &variant);

  std::vector<Group> groups;
  std::mutex mutex;
  std::set<std::string> distinct;
  std::set<std::string> programs;
  std::map<std::string, unsigned> columnSums;
  unsigned sharedRows = 0;
  unsigned failures = 0, enumeratedSchedules = 0, randomSchedules = 0;
};

void Suite::fail(const Spec &spec, StringRef text) {
  std::lock_guard<std::mutex> lock(mutex);
  // The first ones tell; a broken lowering breaks thousands.
  if (++failures > 20)
    return;
  outs() << "FAIL " << spec.str() << "\n" << text;
  if (!text.ends_with("\n"))
    outs() << "\n";
  outs() << "  repeat: rms-numeric-suite --case='" << spec.str() << "'\n";
  outs().flush();
}

void Suite::noteSchedule(const rmsrt::Variant &variant) {
  StringRef schedule = variant.schedule;
  sharedRows += schedule.contains("ctas_per_row");
  auto [before, after] = schedule.split("column_sum = ");
  ++columnSums[after.take_while([](char c) { return isAlpha(c) || c == '_'; })
                   .str()];
}

void Suite::runOne(Program &program, const Spec &spec) {
  const rmsrt::Variant *variant = nullptr;
  std::string text = runCase(program, spec, &variant);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (variant) {
      randomSchedules += variant->name == "forced";
      noteSchedule(*variant);
    }
    distinct.insert(spec.str());
    programs.insert(spec.program());
  }
  if (!text.empty())
    fail(spec, text);
}

void Suite::runGroup(const Group &group) {
  Spec spec = group.program;
  std::unique_ptr<Program> program;
  std::string error;
  // A random schedule need not fit the kernel; then the compiler says so, and
  // the next one is tried. The last try is the rules' own choice.
  std::vector<std::string> schedules = group.schedules;
  schedules.push_back(spec.get("schedule"));
  for (const std::string &schedule : schedules) {
    spec.set("schedule", schedule);
    auto compiled = Program::compile(spec, group.enumerated);
    if (compiled) {
      program = std::move(*compiled);
      break;
    }
    error = toString(compiled.takeError());
  }
  if (!program)
    return fail(group.calls.empty() ? spec : group.calls.front(),
                "does not compile: " + error);
  for (size_t i = 0; i < group.calls.size() && !group.enumerated; ++i) {
    Spec call = group.calls[i];
    call.set("schedule", spec.get("schedule"));
    // A forced schedule replaces the variants that a call may have named.
    if (!spec.get("schedule").empty())
      call.set("variant", "");
    runOne(*program, call);
  }
  if (!group.enumerated)
    return;
  const auto &variants = program->kernel().variants;
  for (size_t v = 0; v < variants.size(); ++v) {
    if (variants[v].strided)
      continue;
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++enumeratedSchedules;
    }
    // To repeat the case its schedule is given by its text.
    Spec call = group.calls[v % group.calls.size()];
    Spec named = call;
    call.set("variant", variants[v].name);
    std::string text = runCase(*program, call);
    named.set("schedule", variants[v].schedule);
    {
      std::lock_guard<std::mutex> lock(mutex);
      distinct.insert(named.str());
      programs.insert(named.program());
      noteSchedule(variants[v]);
    }
    if (!text.empty())
      fail(named, text);
    program->dropCode();
  }
}

void Suite::run() {
  unsigned count =
      jobs ? unsigned(jobs) : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < groups.size();)
      runGroup(groups[i]);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

bool Suite::finish(bool needsColumnSums, bool needsSharedRows) {
  bool complete = true;
  for (const char *kind : {"partials", "role_split"}) {
    unsigned count = columnSums[kind];
    if (needsColumnSums)
      outs() << count << " runs with column_sum = " << kind << "\n";
    complete &= count != 0 || !needsColumnSums;
  }
  if (needsSharedRows)
    outs() << sharedRows << " runs with several CTAs a row\n";
  complete &= sharedRows != 0 || !needsSharedRows;
  outs() << distinct.size() << " distinct cases of " << programs.size()
         << " programs, " << enumeratedSchedules << " enumerated and "
         << randomSchedules << " random schedules, seed " << seed << "\n";
  outs() << distinct.size() - std::min<size_t>(failures, distinct.size())
         << " passed, " << failures << " failed\n";
  return failures == 0 && complete;
}

std::mt19937_64 randomFor(uint64_t part) {
  return std::mt19937_64(seed * 0x9e3779b97f4a7c15ull + part);
}

template <typename T>
const T &pick(std::mt19937_64 &random, const std::vector<T> &list) {
  return list[random() % list.size()];
}

/// Aligned; off by one element; strided and aligned; strided by an odd number.
struct Alignment {
  int64_t misalign, stride;
};
const std::vector<Alignment> alignments = {
    {0, 0}, {1, 0}, {0, 64}, {0, 3}, {3, 5}};

/// A schedule that is consistent in itself; whether it fits is another matter.
std::string randomSchedule(std::mt19937_64 &random, int64_t hiddenSize,
                           bool sums, bool sm100, const Alignment &alignment) {
  int64_t elements = pick<int64_t>(random, {1, 2, 4, 8, 16, 32});
  while (hiddenSize % elements)
    elements /= 2;
  std::vector<int64_t> widths = {2, 4, 8, 16};
  if (sm100)
    widths.insert(widths.end(), {32, 32});
  // Where pointers or strides are odd only single elements are sure to fit.
  if (alignment.misalign % 2 || alignment.stride % 2)
    widths = {1, 2};
  int64_t accessBytes = pick(random, widths);
  int64_t chunks = (hiddenSize + elements - 1) / elements;
  std::vector<int64_t> choices;
  for (int64_t threads : {1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 256, 320,
                          384, 512, 640, 768, 1024})
    if ((chunks + threads - 1) / threads * elements <= 64 &&
        threads < 2 * chunks + 32)
      choices.push_back(threads);
  if (choices.empty())
    choices.push_back(1024);
  int64_t threads = pick(random, choices);
  int64_t rowsPerCta = pick<int64_t>(random, {1, 1, 2, 3, 4, 8});
  while (threads * rowsPerCta % 32)
    ++rowsPerCta;
  while (threads * rowsPerCta > 1024)
    --rowsPerCta;
  std::string text =
      "#row.schedule<threads_per_row = " + std::to_string(threads) +
      ", rows_per_cta = " + std::to_string(rowsPerCta) +
      ", elements = " + std::to_string(elements) +
      ", access_bytes = " + std::to_string(accessBytes);
  bool persistent = random() % 2;
  bool partials = sums && persistent;
  if (persistent)
    text += ", grid = persistent, ctas_per_sm = " +
            std::to_string(random() % 2 + 1) +
            ", prefetch_rows = " + std::to_string(random() % 3);
  else if (!sums && rowsPerCta == 1 && random() % 2)
    text +=
        ", ctas_per_row = " + std::to_string(pick<int64_t>(random, {2, 4, 8}));
  if (random() % 2)
    text += ", column_load = late";
  if (partials) {
    int64_t columns = pick<int64_t>(random, {8, 16, 32, 64});
    text +=
        ", column_sum = partials, sum_columns = " + std::to_string(columns) +
        ", sum_threads = " +
        std::to_string(pick<int64_t>(random, {64, 128, 256, 1024}));
    if (rowsPerCta == 1 && random() % 2)
      text += ", accumulators = shared";
  } else if (sums) {
    text += ", column_sum = role_split, sum_columns = " +
            std::to_string(
                std::max(elements, pick<int64_t>(random, {8, 16, 32, 64})));
  }
  if (random() % 2)
    text += ", loads = streaming";
  if (random() % 2)
    text += ", stores = streaming";
  if (alignment.stride)
    text += ", strided = true";
  if (random() % 3 == 0)
    text += ", dependent_launch = true";
  return text + ">";
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Hidden sizes of every kind: one, odd, power of two, one off, large.
const std::vector<int64_t> hiddenSizes = {1,    7,    64,   129,  1000, 2047,
                                          2048, 2049, 2560, 5120, 7168, 16384};
/// More rows than a grid of one CTA an SM, and than one of two, come last.
const std::vector<int64_t> rowClasses = {0, 1, 2, 3, 31, 131, 133, 311};

/// Row counts are cut where an awkward hidden size would make them slow, but
/// stay in their class.
int64_t rowsFor(int64_t rows, int64_t hiddenSize) {
  return rows == 311 && hiddenSize <= 1000 ? 700 : rows;
}

void setAlignment(Spec &spec, const Alignment &alignment) {
  spec.set("misalign", alignment.misalign).set("stride", alignment.stride);
}

/// Reports pairs of the first five factors that no case has.
bool reportPairs(StringRef name, const std::vector<unsigned> &levels,
                 const std::vector<Choice> &choices) {
  unsigned total;
  unsigned missing = missingPairs(levels, 5, choices, total);
  outs() << name << ": " << total - missing << " of " << total
         << " pairs of (hidden size, rows, types, alignment, rounding) in "
         << choices.size() << " choices\n";
  return missing == 0;
}

/// Choices for `percent` of `target`, pairwise covering first, then random.
std::vector<Choice> choicesFor(const std::vector<unsigned> &levels,
                               std::mt19937_64 &random, size_t target) {
  std::vector<Choice> choices =
      coverPairs(levels, [](const Choice &) { return true; }, random());
  target = target * scale / 100;
  while (choices.size() < target) {
    Choice choice;
    for (unsigned count : levels)
      choice.push_back(random() % count);
    choices.push_back(choice);
  }
  return choices;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

struct ForwardTypes {
  const char *x, *r, *w, *y;
};
const std::vector<ForwardTypes> forwardTypes = {
    {"bf16", "bf16", "bf16", "bf16"}, {"f16", "f16", "f16", "f16"},
    {"f32", "f32", "f32", "f32"},     {"bf16", "none", "bf16", "bf16"},
    {"bf16", "bf16", "f32", "bf16"},  {"f16", "none", "f32", "f16"},
    {"f32", "none", "bf16", "bf16"},  {"bf16", "f32", "f16", "f32"},
    {"f16", "bf16", "bf16", "f32"},   {"f32", "f16", "none", "f16"},
    {"bf16", "none", "none", "f16"},  {"f32", "bf16", "f32", "bf16"},
};

bool addForward(Suite &suite) {
  std::mt19937_64 random = randomFor(1);
  // Rounding: none, of the sum, of the norm, of both.
  std::vector<unsigned> levels = {unsigned(hiddenSizes.size()),
                                  unsigned(rowClasses.size()),
                                  unsigned(forwardTypes.size()),
                                  unsigned(alignments.size()),
                                  4,
                                  2 /* chip */,
                                  2 /* schedule */,
                                  2 /* root */,
                                  4 /* results */,
                                  2 /* offset */,
                                  2 /* in place */};
  std::vector<Choice> choices = choicesFor(levels, random, 1200);
  for (const Choice &choice : choices) {
    Spec spec;
    int64_t hidden = hiddenSizes[choice[0]];
    const ForwardTypes &types = forwardTypes[choice[2]];
    spec.set("h", hidden).set("x", types.x).set("r", types.r);
    spec.set("w", types.w).set("y", types.y);
    bool residual = spec.has("r");
    if (choice[4] & 1)
      // Without a residual there is no sum to round.
      residual ? spec.set("rres", "storage") : spec.set("rnorm", "storage");
    if (choice[4] & 2)
      spec.set("rnorm", "storage");
    spec.set("chip", choice[5] ? "sm_100" : "sm_90");
    spec.set("rsqrt", choice[7] ? "exact" : "approx");
    const std::vector<std::string> types3 = {"bf16", "f16", "f32"};
    if (choice[8] & 1) {
      if (residual)
        spec.set("sum", pick(random, types3));
      spec.set("rstd", 1);
    }
    if (choice[8] & 2)
      spec.set("norm", pick(random, types3));
    if (choice[9] && spec.has("w"))
      spec.set("offset", 1);
    spec.set("eps", pick<std::string>(random, {"1.0e-06", "1.0e-05", "0.5"}));
    // In place needs x and y of one type.
    bool sumFits = !spec.has("sum") || spec.get("sum") == types.r;
    bool inPlace = choice[10] && StringRef(types.x) == types.y && sumFits;
    spec.set("alias", inPlace);

    Group group;
    group.program = spec;
    if (choice[6])
      for (int i = 0; i < 8; ++i)
        group.schedules.push_back(randomSchedule(
            random, hidden, /*sums=*/false, choice[5], alignments[choice[3]]));
    Spec call = spec;
    call.set("rows", rowsFor(rowClasses[choice[1]], hidden));
    setAlignment(call, alignments[choice[3]]);
    call.set("inplace", inPlace).set("seed", random() % 1000000);
    call.set("order", random() % 2 ? "reverse" : "random");
    group.calls.push_back(call);
    suite.add(group);
  }
  return reportPairs("forward", levels, choices);
}

struct BackwardTypes {
  const char *go, *n, *s, *w, *gs, *dx, *dw;
};
const std::vector<BackwardTypes> backwardTypes = {
    {"bf16", "f32", "none", "f32", "none", "bf16", "f32"},
    {"bf16", "bf16", "none", "bf16", "none", "bf16", "f32"},
    {"f32", "f32", "none", "f32", "none", "f32", "f32"},
    {"f16", "none", "f16", "f16", "f16", "f16", "f32"},
    {"bf16", "none", "f32", "f32", "bf16", "f32", "f32"},
    {"f32", "none", "bf16", "f16", "f32", "bf16", "f32"},
    {"bf16", "f16", "none", "none", "f32", "f16", "f32"},
    {"f16", "none", "f32", "bf16", "none", "none", "f32"},
    {"bf16", "f32", "none", "f32", "bf16", "bf16", "none"},
    {"bf16", "none", "bf16", "bf16", "none", "bf16", "bf16"},
};

bool addBackward(Suite &suite) {
  std::mt19937_64 random = randomFor(2);
  // In place of a rounding, which the backward does not have: how columns are
  // summed. The rules' choice, and each of the variants they choose from.
  const std::vector<std::string> sums = {"", "#0", "#1", "#2", "#3", "#4"};
  std::vector<unsigned> levels = {unsigned(hiddenSizes.size()),
                                  unsigned(rowClasses.size()),
                                  unsigned(backwardTypes.size()),
                                  unsigned(alignments.size()),
                                  unsigned(sums.size()),
                                  2 /* chip */,
                                  2 /* schedule */,
                                  2 /* twice */,
                                  2 /* offset */,
                                  2 /* batch-invariant */};
  std::vector<Choice> choices = choicesFor(levels, random, 700);
  for (const Choice &choice : choices) {
    Spec spec;
    int64_t hidden = hiddenSizes[choice[0]];
    const BackwardTypes &types = backwardTypes[choice[2]];
    spec.set("op", "backward").set("h", hidden).set("go", types.go);
    spec.set("n", types.n).set("s", types.s).set("w", types.w);
    spec.set("gs", types.gs).set("dx", types.dx).set("dw", types.dw);
    if (!spec.has("dx"))
      spec.set("gs", "none");
    spec.set("chip", choice[5] ? "sm_100" : "sm_90");
    spec.set("twice", choice[7] && spec.has("dx"));
    spec.set("offset", choice[8] && spec.has("w"));
    bool sumsColumns = spec.has("dw");
    // The variants are for dense and aligned operands; others have their own.
    bool dense = choice[3] == 0 && sumsColumns;
    std::string variant = dense ? sums[choice[4]] : "";
    if (variant.empty())
      spec.set("invariant", choice[9]);

    Group group;
    group.program = spec;
    if (choice[6] && variant.empty())
      for (int i = 0; i < 8; ++i)
        group.schedules.push_back(randomSchedule(
            random, hidden, sumsColumns, choice[5], alignments[choice[3]]));
    Spec call = spec;
    call.set("rows", rowsFor(rowClasses[choice[1]], hidden));
    call.set("variant", variant);
    setAlignment(call, alignments[choice[3]]);
    call.set("seed", random() % 1000000);
    call.set("order", random() % 2 ? "reverse" : "random");
    group.calls.push_back(call);
    suite.add(group);
  }
  return reportPairs("backward", levels, choices);
}

void addSchedules(Suite &suite) {
  // Small hidden sizes let many rows meet persistent grids in little time; the
  // large ones have several chunks a thread.
  std::vector<Spec> programs;
  Spec norm, backward;
  norm.set("r", "bf16").set("w", "bf16");
  backward.set("op", "backward").set("n", "f32").set("w", "f32");
  backward.set("dx", "bf16").set("dw", "f32").set("twice", 1);
  programs.push_back(Spec(norm).set("h", 256));
  programs.push_back(
      Spec(norm).set("h", 2048).set("sum", "f32").set("rstd", 1));
  programs.push_back(Spec(norm)
                         .set("h", 1000)
                         .set("x", "f32")
                         .set("y", "f16")
                         .set("norm", "f32"));
  programs.push_back(Spec(backward).set("h", 256));
  programs.push_back(
      Spec(backward).set("h", 1000).set("n", "none").set("s", "bf16"));
  for (const Spec &program : programs)
    for (const char *chip : {"sm_90", "sm_100"}) {
      Group group;
      group.program = program;
      group.program.set("chip", chip);
      group.enumerated = true;
      int64_t hidden = program.getInt("h");
      for (int rows : {5, hidden <= 256 ? 700 : 150}) {
        Spec call = group.program;
        call.set("rows", rows).set("seed", rows + int64_t(seed));
        group.calls.push_back(call);
      }
      suite.add(group);
    }
}

void addSpecial(Suite &suite) {
  for (const char *special : {"nan", "inf", "zero", "denormal", "overflow"})
    for (const char *type : {"bf16", "f16", "f32"})
      for (int64_t hidden : {7, 129, 2048})
        for (const char *chip : {"sm_90", "sm_100"}) {
          Group group;
          Spec spec;
          spec.set("h", hidden).set("x", type).set("y", type).set("w", type);
          spec.set("r", type).set("rstd", 1).set("chip", chip);
          // A zero row is NaN where epsilon is zero.
          spec.set("eps", StringRef(special) == "zero" ? "0.0" : "1.0e-06");
          group.program = spec;
          for (int64_t rows : {1, 8}) {
            Spec call = spec;
            call.set("rows", rows).set("special", special).set("seed", rows);
            group.calls.push_back(call);
          }
          suite.add(group);
          if (StringRef(special) == "inf" || StringRef(special) == "overflow")
            continue;
          Group back;
          spec = Spec();
          spec.set("op", "backward").set("h", hidden).set("go", type);
          spec.set("n", type).set("w", type).set("dx", type).set("chip", chip);
          // Sums over the rows are NaN all over then, as they should be.
          if (StringRef(special) != "nan")
            spec.set("dw", "f32");
          back.program = spec;
          Spec call = spec;
          call.set("rows", 8).set("special", special);
          back.calls.push_back(call);
          suite.add(back);
        }
}

int runAlone() {
  auto spec = Spec::parse(oneCase);
  if (!spec) {
    errs() << "error: " << toString(spec.takeError()) << "\n";
    return 1;
  }
  if (printProgram)
    outs() << spec->toMLIR();
  Suite suite;
  Group group;
  group.program = *spec;
  group.calls.push_back(*spec);
  suite.add(group);
  suite.run();
  return suite.finish() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "The numeric suite of rmsc.\n");
  if (!oneCase.empty())
    return runAlone();
  Suite suite;
  bool covered = true;
  auto wanted = [](StringRef part) {
    return onlyPart.empty() || onlyPart == part;
  };
  if (wanted("schedules"))
    addSchedules(suite);
  if (wanted("forward"))
    covered &= addForward(suite);
  if (wanted("backward"))
    covered &= addBackward(suite);
  if (wanted("special"))
    addSpecial(suite);
  auto start = std::chrono::steady_clock::now();
  suite.run();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  outs() << "took " << format("%.1f", seconds.count()) << " s\n";
  if (onlyPart.empty() && scale >= 100 && suite.count() < wantedCases) {
    outs() << "FAIL only " << suite.count() << " distinct cases, "
           << wantedCases << " are asked for\n";
    covered = false;
  }
  bool passed = suite.finish(/*needsColumnSums=*/wanted("backward"),
                             /*needsSharedRows=*/wanted("forward"));
  return passed && covered ? 0 : 1;
}
