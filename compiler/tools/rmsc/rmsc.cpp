//===-- rmsc.cpp - the compiler's command line ------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options, files and messages. What is done with them is the Compiler library's
// work.
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Compiler.h"
#include "rmsc/Compiler/Package.h"
#include "rmsc/Target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace rmsc;

namespace {
enum class Emit { Package, Cubin, PTX, LLVM, NVVM, GPU, Row, RMS };

/// Made in main, not at file scope: options at file scope would be those of
/// every program that links this file's neighbours.
struct Arguments {
  cl::OptionCategory category{"rmsc options"};
  // An option keeps no copy of its description.
  std::string chipsDescription =
      "Chips to compile for (see --list-targets); default: " +
      defaultChip.str();
  cl::opt<std::string> input{cl::Positional, cl::value_desc("INPUT.mlir"),
                             cl::desc("<input: MLIR text or bytecode, - for "
                                      "standard input>"),
                             cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::value_desc("FILE"), cl::cat(category),
      cl::desc("Where to write to, - for standard output. By default the "
               "input's name with .rmspkg or .cubin in the current folder, and "
               "standard output for text")};
  cl::list<std::string> chips{"arch", cl::CommaSeparated,
                              cl::value_desc("CHIP[,CHIP...]"),
                              cl::cat(category), cl::desc(chipsDescription)};
  cl::opt<Emit> emit{
      "emit", cl::desc("What to write:"), cl::init(Emit::Package),
      cl::cat(category),
      cl::values(
          clEnumValN(Emit::Package, "package",
                     "a .rmspkg with all chips and variants (default)"),
          clEnumValN(Emit::Cubin, "cubin",
                     "machine code of one chip and variant, and FILE.json, "
                     "which says how to launch it"),
          clEnumValN(Emit::PTX, "ptx", "PTX of one chip and variant, likewise"),
          clEnumValN(Emit::LLVM, "llvm",
                     "optimized LLVM IR of one chip and variant"),
          clEnumValN(Emit::NVVM, "nvvm", "the llvm and nvvm dialects"),
          clEnumValN(Emit::GPU, "gpu", "gpu modules, ahead of their lowering"),
          clEnumValN(Emit::Row, "row", "row kernels, ahead of scheduling"),
          clEnumValN(Emit::RMS, "rms", "fused rms ops"))};
  cl::opt<std::string> stopAfter{
      "stop-after", cl::value_desc("LEVEL"), cl::cat(category),
      cl::desc("Print the program as it is after a level: input, rms, row, "
               "schedule, gpu, nvvm, llvm or ptx")};
  cl::opt<std::string> variant{
      "variant", cl::value_desc("NAME"), cl::cat(category),
      cl::desc("Compile this variant only; --emit=cubin and ptx take the most "
               "preferred one by default")};
  cl::opt<std::string> schedule{
      "schedule", cl::value_desc("SCHEDULE"), cl::cat(category),
      cl::desc("Schedule for dense and aligned operands in place of the rules' "
               "choice; several: a semicolon between them")};
  cl::opt<bool> printSchedule{
      "print-schedule", cl::cat(category),
      cl::desc("Print the schedule of every variant, and stop there")};
  cl::opt<Rsqrt> rsqrt{
      "rsqrt", cl::desc("Reciprocal root:"), cl::init(Rsqrt::Approx),
      cl::cat(category),
      cl::values(
          clEnumValN(Rsqrt::Approx, "approx", "the GPU's (default)"),
          clEnumValN(Rsqrt::Exact, "exact", "IEEE square root and division"))};
  cl::opt<bool> batchInvariant{
      "batch-invariant", cl::cat(category),
      cl::desc("One schedule for every row count, so that a row's result does "
               "not depend on how many rows there are")};
  cl::opt<std::string> tuning{
      "tuning", cl::value_desc("FILE"), cl::cat(category),
      cl::desc("Tuning table to use before the shipped ones")};
  cl::opt<bool> tunePackage{
      "tune-package", cl::cat(category),
      cl::desc("Make every schedule worth measuring a variant, for rms-run "
               "tune")};
  cl::opt<bool> withFloors{
      "with-floors", cl::cat(category),
      cl::desc("Also compile kernels that only move the rows of each kernel, "
               "for rms-run bench")};
  cl::opt<bool> includePtx{
      "include-ptx", cl::cat(category),
      cl::desc("Also put PTX into the package, for chips that no cubin fits")};
  cl::opt<std::string> ptxas{"ptxas", cl::value_desc("FILE"), cl::cat(category),
                             cl::desc("ptxas to call; default: the one found "
                                      "through RMSC_PTXAS, PATH, CUDA_HOME")};
  cl::opt<unsigned> threads{"threads", cl::init(0), cl::cat(category),
                            cl::desc("Threads; default: one a core")};
  cl::opt<bool> time{"time", cl::cat(category),
                     cl::desc("Report the time of each stage (median of "
                              "--time-runs) and peak memory")};
  cl::opt<unsigned> timeRuns{"time-runs", cl::init(20), cl::cat(category),
                             cl::desc("How often to compile for --time")};
  cl::opt<bool> listTargets{"list-targets", cl::cat(category),
                            cl::desc("List the known chips")};
};
} // namespace

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static void printVersion(raw_ostream &stream) {
  stream << "rmsc " << getVersion() << ", LLVM " << getLLVMVersion() << '\n';
  Expected<Ptxas> ptxas = findPtxas();
  if (ptxas)
    stream << "ptxas " << ptxas->version << " (" << ptxas->path << ")\n";
  else
    stream << toString(ptxas.takeError()) << '\n';
}

static void printTargets(raw_ostream &stream) {
  stream << "chip      capability   SMs  widest access  oldest PTX\n";
  for (const TargetInfo &target : allTargets())
    stream << left_justify(target.chip, 10)
           << format("%6d.%d %8d %11lld B %8d.%d", target.major, target.minor,
                     target.sms, static_cast<long long>(target.maxAccessBytes),
                     target.minPtx / 10, target.minPtx % 10)
           << (target.chip == defaultChip ? "  (default)" : "") << '\n';
}

/// The level that an `--emit` stands for.
static Level getLevel(Emit emit) {
  switch (emit) {
  case Emit::Package:
  case Emit::Cubin:
    return Level::Cubin;
  case Emit::PTX:
    return Level::PTX;
  case Emit::LLVM:
    return Level::LLVM;
  case Emit::NVVM:
    return Level::NVVM;
  case Emit::GPU:
    return Level::GPU;
  case Emit::Row:
    return Level::Row;
  case Emit::RMS:
    return Level::RMS;
  }
  llvm_unreachable("every value of the option is handled");
}

/// Whether what is written is one variant on one chip.
static bool isSingle(const Arguments &arguments, Level level) {
  return level == Level::LLVM || level == Level::PTX ||
         (level == Level::Cubin && arguments.emit != Emit::Package);
}

static Expected<CompileOptions> getOptions(const Arguments &arguments) {
  CompileOptions options;
  options.stopAfter = getLevel(arguments.emit);
  if (!arguments.stopAfter.empty()) {
    if (arguments.emit.getNumOccurrences())
      return makeError("--emit and --stop-after both say what to write; give "
                       "one of them");
    std::optional<Level> level = symbolizeLevel(arguments.stopAfter);
    if (!level || *level == Level::Cubin)
      return makeError("unknown level '" + arguments.stopAfter +
                       "' for --stop-after; known are input, rms, row, "
                       "schedule, gpu, nvvm, llvm, ptx");
    options.stopAfter = *level;
  }
  if (arguments.printSchedule)
    options.stopAfter = Level::Schedule;
  options.chips.assign(arguments.chips.begin(), arguments.chips.end());
  options.firstVariantOnly = isSingle(arguments, options.stopAfter);
  if (options.firstVariantOnly && options.chips.size() > 1)
    return makeError("--emit=" + stringifyLevel(options.stopAfter) +
                     " writes for one chip, and --arch names " +
                     join(options.chips, ", ") +
                     "; name one, or write a package");
  options.variant = arguments.variant;
  options.schedule = arguments.schedule;
  options.rsqrt = arguments.rsqrt;
  options.batchInvariant = arguments.batchInvariant;
  options.tuningFile = arguments.tuning;
  options.enumerateSchedules = arguments.tunePackage;
  options.withFloors = arguments.withFloors;
  options.includePtx = arguments.includePtx;
  options.ptxas = arguments.ptxas;
  options.threads = arguments.threads;
  return options;
}

/// The path to write to; "-" is standard output.
static Expected<std::string> getOutputPath(const Arguments &arguments,
                                           Level level) {
  if (!arguments.output.empty())
    return arguments.output.getValue();
  if (level != Level::Cubin)
    return std::string("-");
  if (arguments.input == "-")
    return makeError("standard input gives the output no name; name it with "
                     "-o");
  SmallString<128> path(sys::path::filename(arguments.input));
  sys::path::replace_extension(path, arguments.emit == Emit::Package ? "rmspkg"
                                                                     : "cubin");
  return path.str().str();
}

static Error write(StringRef path, StringRef bytes, StringRef description) {
  if (path != "-") {
    SmallVector<OutputFile, 2> files = {{path.str(), bytes}};
    if (!description.empty())
      files.push_back({(path + ".json").str(), description});
    return writeFiles(files);
  }
  outs() << bytes;
  outs().flush();
  if (std::error_code code = outs().error()) {
    outs().clear_error();
    return makeError("cannot write to standard output: " + code.message() +
                     "; name a file with -o");
  }
  return Error::success();
}

static std::string describeSchedules(const Compilation &compilation) {
  std::string text;
  raw_string_ostream stream(text);
  for (const rmsrt::Kernel &kernel : compilation.manifest().kernels)
    for (const rmsrt::Variant &variant : kernel.variants)
      stream << kernel.name << ' ' << variant.chip.name << ' ' << variant.name
             << " rows " << variant.firstRows << ".." << variant.lastRows
             << ": " << variant.schedule << '\n';
  return text;
}

/// The single variant that is written; several kernels have several.
static Expected<const CompiledVariant *>
getSingleVariant(const Compilation &compilation) {
  ArrayRef<CompiledVariant> variants = compilation.variants();
  if (variants.size() == 1)
    return &variants.front();
  std::vector<std::string> names;
  for (const rmsrt::Kernel &kernel : compilation.manifest().kernels)
    names.push_back(kernel.name);
  return makeError("the program has " + Twine(names.size()) + " kernels (" +
                   join(names, ", ") +
                   "), and one can be written this way; write a package, or "
                   "give each kernel a file of its own");
}

static Error writeResult(const Arguments &arguments,
                         const Compilation &compilation, Level level) {
  Expected<std::string> path = getOutputPath(arguments, level);
  if (!path)
    return path.takeError();
  if (arguments.printSchedule)
    return write(*path, describeSchedules(compilation), "");
  if (!isSingle(arguments, level)) {
    if (level < Level::LLVM)
      return write(*path, compilation.moduleText(), "");
    Expected<std::string> package = compilation.package();
    if (!package)
      return package.takeError();
    return write(*path, *package, "");
  }
  Expected<const CompiledVariant *> variant = getSingleVariant(compilation);
  if (!variant)
    return variant.takeError();
  if (level == Level::LLVM)
    return write(*path, (*variant)->llvmIR, "");
  return write(
      *path, level == Level::PTX ? (*variant)->ptx : (*variant)->cubin,
      compilation.variantManifest(**variant, sys::path::filename(*path)));
}

static double median(std::vector<double> values) {
  size_t middle = values.size() / 2;
  llvm::sort(values);
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

static double peakMegabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

/// Compiles until there are enough samples, and reports their medians.
static Expected<Compilation> compileTimed(MemoryBufferRef input,
                                          const CompileOptions &options,
                                          unsigned runs) {
  using Clock = std::chrono::steady_clock;
  // In the order in which the stages first ran.
  std::vector<std::pair<std::string, std::vector<double>>> stages;
  std::vector<double> totals;
  std::optional<Compilation> last;
  for (unsigned run = 0; run < std::max(1u, runs); ++run) {
    last.reset();
    Clock::time_point start = Clock::now();
    Expected<Compilation> compilation = compile(input, options);
    if (!compilation)
      return compilation.takeError();
    totals.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - start)
            .count());
    last.emplace(std::move(*compilation));
    for (const StageTime &stage : last->times()) {
      auto it = find_if(
          stages, [&](const auto &entry) { return entry.first == stage.name; });
      if (it == stages.end())
        it = stages.insert(it, {stage.name, {}});
      it->second.push_back(stage.milliseconds);
    }
  }
  errs() << "stage              ms (median of " << totals.size() << ")\n";
  for (auto &[name, samples] : stages)
    errs() << left_justify(name, 16) << format("%8.2f\n", median(samples));
  errs() << left_justify("total", 16) << format("%8.2f\n", median(totals));
  errs() << left_justify("first run", 16) << format("%8.2f\n", totals.front());
  errs() << left_justify("peak memory", 16)
         << format("%8.1f MB\n", peakMegabytes());
  return std::move(*last);
}

static Error run(const Arguments &arguments) {
  Expected<CompileOptions> options = getOptions(arguments);
  if (!options)
    return options.takeError();
  if (arguments.input.empty())
    return makeError("no input; name an MLIR file, or - for standard input "
                     "(rmsc --help lists the options)");
  ErrorOr<std::unique_ptr<MemoryBuffer>> input =
      MemoryBuffer::getFileOrSTDIN(arguments.input);
  if (!input)
    return makeError("cannot read '" + arguments.input +
                     "': " + input.getError().message() +
                     "; name an MLIR file, or - for standard input");
  Expected<Compilation> compilation =
      arguments.time ? compileTimed(**input, *options, arguments.timeRuns)
                     : compile(**input, *options);
  if (!compilation)
    return compilation.takeError();
  return writeResult(arguments, *compilation, options->stopAfter);
}

/// LLVM ends the process on faults of its own; the user gets one message in our
/// form, and no file stays behind.
static void reportFatalError(void *, const char *reason, bool) {
  // Several threads may get here; the first one's message is the one.
  static std::mutex mutex;
  mutex.lock();
  errs() << "rmsc: error: LLVM gave up: " + std::string(reason) +
                "; please report this with the program\n";
  sys::RunInterruptHandlers();
  _exit(1);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  setBugReportMsg("rmsc: error: internal fault; please report this with the "
                  "program and the trace below\n");
  install_fatal_error_handler(reportFatalError);
  // A limit on the size of files is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // LLVM's own options, which linking with it brings: some have the names of
  // ours, and none is meant for this tool's users.
  cl::ResetCommandLineParser();
  Arguments arguments;
  cl::HideUnrelatedOptions(arguments.category);
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(
      argc, argv, "compiles RMSNorm computations in MLIR to GPU code\n");
  if (arguments.listTargets) {
    printTargets(outs());
    return 0;
  }
  if (Error error = run(arguments)) {
    errs() << "rmsc: error: " << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
