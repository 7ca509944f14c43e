//===-- Compiler.cpp - from MLIR text to packages ---------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Compiler.h"
#include "Describe.h"
#include "Diagnostics.h"
#include "Error.h"
#include "Floor.h"
#include "Timer.h"
#include "Translate.h"
#include "Tuning.h"
#include "rmsc/Compiler/Package.h"
#include "rmsc/Pipelines/Pipelines.h"
#include "rmsc/Target/Scheduler.h"
#include "rmsc/Target/Target.h"
#include "rmsrt/Sha256.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/IR/Threading.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include <mutex>

using namespace mlir;
using namespace rmsc;

StringRef rmsc::getVersion() { return RMSC_VERSION; }
StringRef rmsc::getLLVMVersion() { return LLVM_VERSION_STRING; }

static constexpr std::pair<Level, StringLiteral> levelNames[] = {
    {Level::Input, "input"},       {Level::RMS, "rms"}, {Level::Row, "row"},
    {Level::Schedule, "schedule"}, {Level::GPU, "gpu"}, {Level::NVVM, "nvvm"},
    {Level::LLVM, "llvm"},         {Level::PTX, "ptx"}, {Level::Cubin, "cubin"},
};

StringRef rmsc::stringifyLevel(Level level) {
  return levelNames[static_cast<size_t>(level)].second;
}

std::optional<Level> rmsc::symbolizeLevel(StringRef name) {
  for (auto [level, levelName] : levelNames)
    if (levelName == name)
      return level;
  return std::nullopt;
}

namespace {
/// What is compiled for one chip.
struct ChipState {
  const TargetInfo *target;
  /// PTX version times ten.
  int ptx = maxLlvmPtx;
  OwningOpRef<ModuleOp> module;
};
} // namespace

namespace rmsc {
class CompilationImpl {
public:
  explicit CompilationImpl(const CompileOptions &options) : options(options) {}

  llvm::Error run(llvm::MemoryBufferRef input);

  llvm::Error checkOptions();
  llvm::Error findAssembler();
  llvm::Error parse(llvm::MemoryBufferRef input);
  llvm::Error compileChip(ChipState &chip);
  llvm::Error applyTuning(ChipState &chip);
  llvm::Error applyRanges(row::KernelOp kernel,
                          llvm::ArrayRef<TunedRange> ranges,
                          const TargetInfo &target, StringRef tableName);
  llvm::Error selectVariants(ChipState &chip);
  llvm::Error emitVariants();
  llvm::Error emit(CompiledVariant &variant);
  llvm::Error checkRegisters(const rmsrt::Variant &variant,
                             const TargetInfo &target, StringRef what);

  /// Runs passes that `add` adds, and times them as one stage.
  llvm::Error runPasses(
      StringRef stage, ModuleOp module,
      llvm::function_ref<void(OpPassManager &, const PipelineOptions &)> add,
      const ChipState *chip = nullptr);
  /// Adds to the time of a stage; called from several threads.
  void addTime(StringRef stage, double milliseconds);

  const ChipState &chipOf(const CompiledVariant &variant) const {
    StringRef name = describe(variant).chip.name;
    return *llvm::find_if(chips, [&](const ChipState &chip) {
      return chip.target->chip == name;
    });
  }
  const rmsrt::Variant &describe(const CompiledVariant &variant) const {
    return manifest.kernels[variant.kernelIndex].variants[variant.variantIndex];
  }

  CompileOptions options;
  // Declared so that each goes before what it uses: the pool after the context,
  // the context after the modules.
  std::unique_ptr<llvm::DefaultThreadPool> pool;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<DiagnosticKeeper> diagnostics;
  OwningOpRef<ModuleOp> module;
  std::vector<ChipState> chips;
  std::optional<Ptxas> ptxas;
  /// The table that the user named.
  std::optional<TuningTable> tuning;
  rmsrt::Manifest manifest;
  std::vector<CompiledVariant> variants;
  std::vector<StageTime> times;
  std::mutex timesMutex;
};
} // namespace rmsc

void CompilationImpl::addTime(StringRef stage, double milliseconds) {
  std::lock_guard<std::mutex> lock(timesMutex);
  auto it = llvm::find_if(
      times, [&](const StageTime &time) { return time.name == stage; });
  if (it == times.end())
    times.push_back({stage.str(), milliseconds});
  else
    it->milliseconds += milliseconds;
}

llvm::Error CompilationImpl::checkOptions() {
  if (options.enumerateSchedules && !options.schedule.empty())
    return makeError("a schedule is given ('" + options.schedule +
                     "'), and every one worth measuring is asked for; leave "
                     "one of the two options out");
  if (options.chips.empty())
    options.chips.push_back(defaultChip.str());
  for (const std::string &name : options.chips) {
    llvm::Expected<const TargetInfo *> target = requireTarget(name);
    if (!target)
      return target.takeError();
    if (llvm::none_of(chips, [&](const ChipState &chip) {
          return chip.target == *target;
        }))
      chips.push_back({*target, maxLlvmPtx, {}});
  }
  if (!options.tuningFile.empty()) {
    llvm::Expected<TuningTable> table =
        TuningTable::readFile(options.tuningFile);
    if (!table)
      return table.takeError();
    // One that serves none of them is named by mistake, and would be missed
    // only when the kernels are slow.
    if (llvm::none_of(chips, [&](const ChipState &chip) {
          return table->isOf(*chip.target);
        }))
      return makeError("tuning table '" + table->getName() + "' is of " +
                       table->getChip() + ", and the program is compiled for " +
                       llvm::join(options.chips, ", ") +
                       "; name the table's chip with --arch, or a table of "
                       "that chip");
    tuning = std::move(*table);
  }
  return llvm::Error::success();
}

static std::string spellPtx(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// ptxas is called last, but decides at the start which PTX is written, and
/// with that which accesses a schedule may use. So the same code comes out of
/// every level, it is looked for at all of them; only machine code cannot do
/// without.
llvm::Error CompilationImpl::findAssembler() {
  if (options.stopAfter < Level::Schedule)
    return llvm::Error::success();
  StageTimer timer;
  llvm::Expected<Ptxas> found = findPtxas(options.ptxas);
  addTime("find ptxas", timer.milliseconds());
  if (!found) {
    if (options.stopAfter == Level::Cubin)
      return found.takeError();
    llvm::consumeError(found.takeError());
    return llvm::Error::success();
  }
  ptxas = std::move(*found);
  manifest.compiler.ptxas = ptxas->version;
  for (ChipState &chip : chips) {
    chip.ptx = std::min(maxLlvmPtx, ptxas->maxPtx);
    if (chip.ptx >= chip.target->minPtx)
      continue;
    if (options.stopAfter == Level::Cubin)
      return makeError(
          chip.target->chip + " needs PTX " + spellPtx(chip.target->minPtx) +
          ", and ptxas " + ptxas->version + " ('" + ptxas->path +
          "') reads no newer one than " + spellPtx(ptxas->maxPtx) +
          "; install a newer CUDA toolkit, or set RMSC_PTXAS to a newer ptxas");
    chip.ptx = maxLlvmPtx;
  }
  return llvm::Error::success();
}

llvm::Error CompilationImpl::parse(llvm::MemoryBufferRef input) {
  StageTimer timer;
  DialectRegistry registry;
  registerDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  unsigned threads =
      options.threads
          ? options.threads
          : llvm::heavyweight_hardware_concurrency().compute_thread_count();
  // One variant has nothing to do at the same time, and threads cost locks.
  bool single = chips.size() == 1 &&
                (options.firstVariantOnly || !options.variant.empty());
  if (threads > 1 && !single && options.stopAfter >= Level::GPU) {
    pool = std::make_unique<llvm::DefaultThreadPool>(
        llvm::hardware_concurrency(threads));
    context->setThreadPool(*pool);
  }
  // The op as it is inside the compiler says little to a user.
  context->printOpOnDiagnostic(false);
  diagnostics = std::make_unique<DiagnosticKeeper>(context.get());
  addTime("start", timer.milliseconds());

  StageTimer parseTimer;
  // The parser wants a terminated buffer, which the caller's need not be.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(input.getBuffer(),
                                           input.getBufferIdentifier()),
      llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, context.get());
  addTime("parse", parseTimer.milliseconds());
  if (module)
    return llvm::Error::success();
  std::string message = llvm::toString(
      diagnostics->take("parsing '" + input.getBufferIdentifier() + "'"));
  // Upstream's remedies are an option of mlir-opt and a page on how to write
  // tools.
  for (StringRef remedy :
       {" If this is intended, please use -allow-unreg",
        "\n  note: Available dialects:", ": Available dialects:"}) {
    size_t begin = message.find(remedy.str());
    if (begin == std::string::npos)
      continue;
    message.resize(begin);
    // A note has its place on the line ahead of it.
    message.resize(std::min(message.size(), message.find("\n  note: ")));
    message = StringRef(message).rtrim(" .").str() +
              "; a program may hold rms ops and, around them, func, arith, "
              "math, linalg and tensor ops: lower any other first";
  }
  return makeError(message);
}

llvm::Error CompilationImpl::runPasses(
    StringRef stage, ModuleOp module,
    llvm::function_ref<void(OpPassManager &, const PipelineOptions &)> add,
    const ChipState *chip) {
  StageTimer timer;
  PipelineOptions pipeline;
  if (chip) {
    pipeline.chip = chip->target->chip.str();
    pipeline.ptx = chip->ptx;
  }
  pipeline.schedule = options.schedule;
  pipeline.enumerate = options.enumerateSchedules;
  pipeline.rsqrt = options.rsqrt == Rsqrt::Exact ? "exact" : "approx";
  pipeline.batchInvariant = options.batchInvariant;
  PassManager manager(context.get());
  add(manager, pipeline);
  bool done = succeeded(manager.run(module));
  addTime(stage, timer.milliseconds());
  if (!done)
    return diagnostics->take("the step '" + stage + "'");
  return llvm::Error::success();
}

llvm::Error CompilationImpl::selectVariants(ChipState &chip) {
  StringRef chipName = chip.target->chip;
  std::vector<std::string> seen;
  llvm::SmallVector<bool> found(manifest.kernels.size());
  for (auto kernel :
       llvm::make_early_inc_range(chip.module->getOps<row::KernelOp>())) {
    size_t index = findKernel(kernel, manifest.kernels);
    StringRef name = kernel.getVariant().value_or("");
    if (!llvm::is_contained(seen, name))
      seen.push_back(name.str());
    bool wanted = options.variant.empty()
                      ? !(options.firstVariantOnly && found[index])
                      : name == options.variant;
    if (!wanted) {
      kernel.erase();
      continue;
    }
    found[index] = true;
    manifest.kernels[index].variants.push_back(
        describeVariant(kernel, *chip.target));
  }
  if (!options.variant.empty() && !llvm::is_contained(seen, options.variant))
    return makeError("no kernel has a variant '" + options.variant + "' on " +
                     chipName + "; there are " + llvm::join(seen, ", "));
  return llvm::Error::success();
}

/// Schedules the kernels that a tuning table knows; the rules choose for the
/// rest. What the user asks for by an option comes before any table.
llvm::Error CompilationImpl::applyTuning(ChipState &chip) {
  if (!options.schedule.empty() || options.enumerateSchedules ||
      options.batchInvariant)
    return llvm::Error::success();
  llvm::SmallVector<const TuningTable *> tables;
  if (tuning)
    tables.push_back(&*tuning);
  for (const TuningTable &table : TuningTable::getShipped())
    tables.push_back(&table);
  // The ops first: the variants that take their places have names of their own,
  // which may be those of other kernels.
  llvm::SmallVector<std::pair<row::KernelOp, const rmsrt::Kernel *>> kernels;
  for (const rmsrt::Kernel &kernel : manifest.kernels)
    kernels.emplace_back(chip.module->lookupSymbol<row::KernelOp>(kernel.name),
                         &kernel);
  for (auto [op, kernel] : kernels)
    for (const TuningTable *table : tables) {
      std::vector<TunedRange> ranges = table->lookup(*kernel, *chip.target);
      if (ranges.empty())
        continue;
      if (llvm::Error error =
              applyRanges(op, ranges, *chip.target, table->getName()))
        return error;
      break;
    }
  return llvm::Error::success();
}

llvm::Error CompilationImpl::applyRanges(row::KernelOp kernel,
                                         llvm::ArrayRef<TunedRange> ranges,
                                         const TargetInfo &target,
                                         StringRef tableName) {
  auto fail = [&] {
    return joinContext(diagnostics->take("its schedule"),
                       "tuning table '" + tableName + "'");
  };
  ScheduleRequest request;
  for (const TunedRange &range : ranges) {
    request.forced.push_back(row::parseSchedule(
        range.schedule, context.get(), [&] { return kernel.emitError(); }));
    if (!request.forced.back())
      return fail();
  }
  llvm::SmallVector<Variant> variants = chooseVariants(kernel, target, request);
  for (auto [number, range] : llvm::enumerate(ranges)) {
    variants[number].name = "tuned" + std::to_string(number);
    variants[number].minRows = range.minRows;
    variants[number].maxRows = range.maxRows;
  }
  if (failed(splitIntoVariants(kernel, variants, target)))
    return fail();
  return llvm::Error::success();
}

llvm::Error CompilationImpl::compileChip(ChipState &chip) {
  if (options.withFloors)
    if (llvm::Error error =
            runPasses("floors", *chip.module, addFloorPasses, &chip))
      return error;
  if (llvm::Error error = applyTuning(chip))
    return error;
  if (llvm::Error error =
          runPasses("schedule", *chip.module, addSchedulePasses, &chip))
    return error;
  if (llvm::Error error = selectVariants(chip))
    return error;
  if (options.stopAfter >= Level::GPU)
    if (llvm::Error error =
            runPasses("row to gpu", *chip.module, addRowToGPUPasses, &chip))
      return error;
  if (options.stopAfter >= Level::NVVM)
    if (llvm::Error error =
            runPasses("gpu to nvvm", *chip.module, addGPUToNVVMPasses, &chip))
      return error;
  // Some NVVM ops are PTX text to LLVM. The emulator knows them as they are, so
  // that they become text only on the way to PTX.
  auto addTextPasses = [](OpPassManager &manager, const PipelineOptions &) {
    manager.nest<gpu::GPUModuleOp>().addPass(createConvertNVVMToLLVMPass());
  };
  if (options.stopAfter >= Level::LLVM)
    if (llvm::Error error =
            runPasses("nvvm to llvm", *chip.module, addTextPasses, &chip))
      return error;
  return llvm::Error::success();
}

/// A launch whose registers do not fit an SM fails only on the device.
llvm::Error CompilationImpl::checkRegisters(const rmsrt::Variant &variant,
                                            const TargetInfo &target,
                                            StringRef what) {
  for (const rmsrt::Launch &launch : variant.launches) {
    // Registers are given out to warps, 8 a thread at a time.
    int64_t needed = llvm::alignTo<8>(int64_t(launch.registers)) *
                     llvm::alignTo<warpSize>(int64_t(launch.block));
    if (needed > target.registersPerSm)
      return makeError(what + ": '" + launch.entry + "' needs " +
                       Twine(needed) + " registers for a CTA of " +
                       Twine(launch.block) + " threads, and an SM of " +
                       target.chip + " has " + Twine(target.registersPerSm) +
                       "; give --schedule with fewer threads or elements");
    int64_t shared =
        int64_t(launch.sharedStaticBytes) + launch.sharedDynamicBytes;
    if (shared > target.sharedPerCta)
      return makeError(what + ": '" + launch.entry + "' needs " +
                       Twine(shared) +
                       " bytes of shared memory, and a CTA on " + target.chip +
                       " can have " + Twine(target.sharedPerCta) +
                       "; give --schedule with fewer rows_per_cta");
  }
  return llvm::Error::success();
}

llvm::Error CompilationImpl::emit(CompiledVariant &variant) {
  const ChipState &chip = chipOf(variant);
  rmsrt::Kernel &kernel = manifest.kernels[variant.kernelIndex];
  rmsrt::Variant &described = kernel.variants[variant.variantIndex];
  std::string what =
      kernel.name + " (" + described.name + ", " + described.chip.name + ")";

  llvm::Expected<Translation> translation =
      translate(variant.module, chip.target->chip, chip.ptx,
                options.stopAfter == Level::LLVM);
  if (!translation) {
    std::string message = llvm::toString(translation.takeError());
    return message.empty()
               ? diagnostics->take("translating " + what + " to LLVM IR")
               : makeError(what +
                           ": LLVM's back end refused the kernel: " + message);
  }
  variant.llvmIR = std::move(translation->llvmIR);
  variant.ptx = std::move(translation->ptx);
  addTime("llvm optimize", translation->optimizeTime);
  if (options.stopAfter == Level::LLVM)
    return llvm::Error::success();
  addTime("llvm to ptx", translation->backEndTime);
  if (llvm::Error error = checkPtx(variant.ptx, what))
    return error;
  if (options.stopAfter == Level::PTX)
    return llvm::Error::success();

  StageTimer timer;
  llvm::Expected<PtxasOutput> output =
      assemble(*ptxas, variant.ptx, chip.target->chip, what);
  addTime("ptxas", timer.milliseconds());
  if (!output)
    return output.takeError();
  variant.cubin = std::move(output->cubin);
  variant.report = std::move(output->report);
  for (rmsrt::Launch &launch : described.launches) {
    const PtxasEntry *entry = variant.report.find(launch.entry);
    if (!entry)
      return makeError(what + ": ptxas reported no entry point '" +
                       launch.entry + "'; please report this with the program");
    launch.registers = entry->registers;
    launch.spillBytes = entry->spillStores + entry->spillLoads;
    launch.localBytes = entry->stack;
    launch.sharedStaticBytes = entry->shared;
  }
  described.image.file =
      described.chip.name + "/" + kernel.name + "." + described.name + ".cubin";
  described.image.format = rmsrt::ImageFormat::Cubin;
  described.image.bytes = variant.cubin.size();
  described.image.sha256 =
      rmsrt::sha256(variant.cubin.data(), variant.cubin.size());
  return checkRegisters(described, *chip.target, what);
}

llvm::Error CompilationImpl::emitVariants() {
  for (auto [kernelIndex, kernel] : llvm::enumerate(manifest.kernels))
    for (auto [variantIndex, described] : llvm::enumerate(kernel.variants)) {
      CompiledVariant &variant = variants.emplace_back();
      variant.kernelIndex = kernelIndex;
      variant.variantIndex = variantIndex;
      StringRef entry = described.launches.front().entry;
      ModuleOp module = *chipOf(variant).module;
      variant.module = module.lookupSymbol<gpu::GPUModuleOp>(entry);
      if (!variant.module)
        return makeError("no gpu.module @" + entry + " was made for " +
                         kernel.name + "; please report this with the program");
    }
  if (options.stopAfter < Level::LLVM)
    return llvm::Error::success();
  // The first error in the order of the manifest is reported, whichever variant
  // failed first in time.
  std::vector<std::string> errors(variants.size());
  std::atomic<bool> failed = false;
  parallelFor(context.get(), 0, variants.size(), [&](size_t i) {
    if (failed)
      return;
    if (llvm::Error error = emit(variants[i])) {
      errors[i] = llvm::toString(std::move(error));
      failed = true;
    }
  });
  for (std::string &error : errors)
    if (!error.empty())
      return makeError(error);
  return llvm::Error::success();
}

llvm::Error CompilationImpl::run(llvm::MemoryBufferRef input) {
  manifest.compiler.name = "rmsc";
  manifest.compiler.version = getVersion().str();
  manifest.compiler.llvm = getLLVMVersion().str();
  if (llvm::Error error = checkOptions())
    return error;
  if (llvm::Error error = findAssembler())
    return error;
  if (llvm::Error error = parse(input))
    return error;
  if (options.stopAfter == Level::Input)
    return llvm::Error::success();

  if (llvm::Error error = runPasses(
          "fuse", *module, [](OpPassManager &manager, const PipelineOptions &) {
            addFusionPasses(manager);
          }))
    return error;
  FailureOr<std::vector<rmsrt::Kernel>> kernels = describeFunctions(
      *module, options.rsqrt == Rsqrt::Exact ? rmsrt::Rsqrt::Exact
                                             : rmsrt::Rsqrt::Approx);
  if (failed(kernels))
    return diagnostics->take("describing the kernels");
  manifest.kernels = std::move(*kernels);
  if (options.stopAfter == Level::RMS)
    return llvm::Error::success();

  if (llvm::Error error = runPasses("rms to row", *module, addRMSToRowPasses))
    return error;
  describeRowKernels(*module, manifest.kernels);
  if (options.withFloors)
    describeFloors(manifest.kernels);
  if (options.stopAfter == Level::Row)
    return llvm::Error::success();

  for (ChipState &chip : chips) {
    chip.module = module->clone();
    if (llvm::Error error = compileChip(chip))
      return error;
  }
  if (options.stopAfter < Level::GPU)
    return llvm::Error::success();
  return emitVariants();
}

llvm::Expected<Compilation> rmsc::compile(llvm::MemoryBufferRef input,
                                          const CompileOptions &options) {
  auto impl = std::make_unique<CompilationImpl>(options);
  if (llvm::Error error = impl->run(input))
    return std::move(error);
  return Compilation(std::move(impl));
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Compilation::Compilation(std::unique_ptr<CompilationImpl> impl)
    : impl(std::move(impl)) {}
Compilation::Compilation(Compilation &&) noexcept = default;
Compilation &Compilation::operator=(Compilation &&) noexcept = default;
Compilation::~Compilation() = default;

const rmsrt::Manifest &Compilation::manifest() const { return impl->manifest; }

llvm::ArrayRef<CompiledVariant> Compilation::variants() const {
  return impl->variants;
}

ModuleOp Compilation::module(StringRef chip) const {
  if (impl->options.stopAfter < Level::Schedule)
    return *impl->module;
  for (const ChipState &state : impl->chips)
    if (state.target->chip == chip)
      return *state.module;
  return {};
}

std::string Compilation::moduleText() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (impl->options.stopAfter < Level::Schedule) {
    stream << *impl->module << '\n';
    return text;
  }
  llvm::interleave(
      impl->chips, stream,
      [&](const ChipState &chip) { stream << *chip.module << '\n'; },
      "\n// -----\n\n");
  return text;
}

llvm::Expected<std::string> Compilation::package() const {
  assert(impl->options.stopAfter == Level::Cubin && "no machine code was made");
  rmsrt::Manifest manifest = impl->manifest;
  std::string text;
  // Filled in once the manifest is complete.
  std::vector<PackageEntry> entries = {{rmsrt::kManifestEntry, ""}};
  for (const CompiledVariant &variant : impl->variants)
    entries.emplace_back(impl->describe(variant).image.file, variant.cubin);
  if (impl->options.includePtx)
    for (const CompiledVariant &variant : impl->variants) {
      rmsrt::Kernel &kernel = manifest.kernels[variant.kernelIndex];
      // Behind every cubin of its kernel: it is the last resort.
      rmsrt::Variant described = kernel.variants[variant.variantIndex];
      described.name += "_ptx";
      described.image.file =
          StringRef(described.image.file).drop_back(strlen("cubin")).str() +
          "ptx";
      described.image.format = rmsrt::ImageFormat::Ptx;
      described.image.bytes = variant.ptx.size();
      described.image.sha256 =
          rmsrt::sha256(variant.ptx.data(), variant.ptx.size());
      entries.emplace_back(described.image.file, variant.ptx);
      kernel.variants.push_back(std::move(described));
    }
  text = writeManifest(manifest);
  entries.front().second = text;
  return writeZip(entries);
}

std::string Compilation::variantManifest(const CompiledVariant &variant,
                                         StringRef imageFile) const {
  rmsrt::Manifest manifest = impl->manifest;
  rmsrt::Kernel kernel = manifest.kernels[variant.kernelIndex];
  kernel.variants = {kernel.variants[variant.variantIndex]};
  rmsrt::Image &image = kernel.variants.front().image;
  StringRef bytes = variant.cubin;
  if (variant.cubin.empty()) {
    image.format = rmsrt::ImageFormat::Ptx;
    bytes = variant.ptx;
  }
  image.file = imageFile.str();
  image.bytes = bytes.size();
  image.sha256 = rmsrt::sha256(bytes.data(), bytes.size());
  manifest.kernels = {std::move(kernel)};
  return writeManifest(manifest);
}

llvm::ArrayRef<StageTime> Compilation::times() const { return impl->times; }
