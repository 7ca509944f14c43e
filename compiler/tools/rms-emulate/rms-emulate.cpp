//===-- rms-emulate.cpp - run kernels without a GPU -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program to the level that is translated to PTX, runs that on the
// CPU, watches it, and compares the results with the float64 reference.
// docs/emulator.md describes what is watched.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "mlir/Parser/Parser.h"
#include "rmsc/Compiler/Compiler.h"
#include "rmsc/Emulator/Call.h"
#include "rmsc/Target/Target.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace rmsc;
using namespace llvm;

static cl::OptionCategory category("rms-emulate options");

static cl::opt<std::string> inputFile(cl::Positional, cl::desc("INPUT.mlir"),
                                      cl::init(""), cl::cat(category));
static cl::opt<std::string> arch("arch",
                                 cl::desc("Chip to compile for (sm_100)"),
                                 cl::init(rmsc::defaultChip.str()),
                                 cl::cat(category));
static cl::opt<std::string>
    schedule("schedule", cl::desc("Schedule in place of the rules' choice"),
             cl::init(""), cl::cat(category));
static cl::opt<Rsqrt> rsqrt(
    "rsqrt", cl::desc("Reciprocal root"),
    cl::values(clEnumValN(Rsqrt::Approx, "approx", "the GPU's approximate one"),
               clEnumValN(Rsqrt::Exact, "exact", "IEEE root and division")),
    cl::init(Rsqrt::Approx), cl::cat(category));
static cl::opt<bool>
    batchInvariant("batch-invariant",
                   cl::desc("One schedule for every row count"),
                   cl::init(false), cl::cat(category));
static cl::opt<std::string> tuning("tuning", cl::desc("Tuning table to use"),
                                   cl::init(""), cl::cat(category));
static cl::opt<bool> enumerateSchedules(
    "enumerate",
    cl::desc("Compile every schedule that tuning would measure, as variants "
             "s0, s1, ..."),
    cl::init(false), cl::cat(category));
static cl::opt<bool>
    withFloors("with-floors",
               cl::desc("Also run the kernels that only move each kernel's "
                        "rows (NAME_floor)"),
               cl::init(false), cl::cat(category));
static cl::opt<std::string>
    variantName("variant",
                cl::desc("Variant to run; 'all': one after the other; by "
                         "default the one that the runtime would choose"),
                cl::init(""), cl::cat(category));
static cl::opt<std::string>
    kernelName("kernel", cl::desc("Run only the kernel of this name"),
               cl::init(""), cl::cat(category));
static cl::list<int64_t> rowCounts("rows", cl::desc("Row counts (1)"),
                                   cl::CommaSeparated, cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of the inputs (1)"),
                              cl::init(1), cl::cat(category));
static cl::opt<bool>
    check("check", cl::desc("Compare the results with the float64 reference"),
          cl::init(false), cl::cat(category));
static cl::opt<bool> digest("digest",
                            cl::desc("Print the SHA-256 of every output"),
                            cl::init(false), cl::cat(category));
static cl::opt<bool> noChecks("no-checks",
                              cl::desc("Run without watching (faster; a wild "
                                       "access ends the process)"),
                              cl::init(false), cl::cat(category));
static cl::opt<int64_t>
    misalign("misalign",
             cl::desc("Elements by which pointers are off a 256-byte boundary"),
             cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    extraStride("extra-stride",
                cl::desc("Elements between the end of a row and the next row"),
                cl::init(0), cl::cat(category));
static cl::opt<bool>
    inPlace("in-place",
            cl::desc("Use inputs that may share an output's buffer in place"),
            cl::init(false), cl::cat(category));
static cl::list<std::string>
    inputArrays("input", cl::desc("Values of an input, NAME=FILE.npy"),
                cl::cat(category));
static cl::list<std::string>
    outputArrays("output", cl::desc("Where to write an output, NAME=FILE.npy"),
                 cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Host threads (all cores)"),
                              cl::init(0), cl::cat(category));
static cl::opt<uint64_t>
    budget("budget",
           cl::desc("Instructions in loops that a thread may execute"),
           cl::init(emulator::RunOptions().budget), cl::cat(category));
static cl::list<std::string> orders(
    "order",
    cl::desc("Interleavings to run: forward, reverse, random:SEED (default "
             "forward,reverse,random:1)"),
    cl::CommaSeparated, cl::cat(category));
static cl::opt<std::string>
    kernelIR("kernel-ir",
             cl::desc("Run the gpu.modules of this file (level L5) in place of "
                      "compiling a program; needs --manifest"),
             cl::init(""), cl::cat(category));
static cl::opt<std::string>
    manifestFile("manifest", cl::desc("Manifest that describes --kernel-ir"),
                 cl::init(""), cl::cat(category));
static cl::opt<bool>
    printLowered("print-lowered",
                 cl::desc("Print what the kernels become before they are "
                          "compiled for this machine, and stop"),
                 cl::init(false), cl::cat(category));

namespace {

/// Kernels to run, from a compilation or from files.
class Program {
public:
  static Expected<std::unique_ptr<Program>> load();

  const rmsrt::Manifest &manifest() const {
    return compilation ? compilation->manifest() : fileManifest;
  }
  /// The module of a variant, null where there is none.
  mlir::gpu::GPUModuleOp module(size_t kernel, size_t variant);
  /// The compiled code of a variant.
  Expected<const emulator::Code *> code(size_t kernel, size_t variant);

private:
  Error loadFiles();

  std::optional<Compilation> compilation;
  rmsrt::Manifest fileManifest;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> fileModule;
  std::map<std::pair<size_t, size_t>, std::unique_ptr<emulator::Code>> codes;
};

Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return std::move(*buffer);
}

Error Program::loadFiles() {
  auto text = readFile(manifestFile);
  if (!text)
    return text.takeError();
  StringRef bytes = (*text)->getBuffer();
  if (auto error = rmsrt::parseManifest(
          std::string_view(bytes.data(), bytes.size()), fileManifest))
    return createStringError("'" + manifestFile + "': " + error.message());
  auto ir = readFile(kernelIR);
  if (!ir)
    return ir.takeError();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(registry);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(
      context.get(), [&](mlir::Diagnostic &diagnostic) {
        raw_string_ostream os(messages);
        os << diagnostic.getLocation() << ": " << diagnostic << "\n";
      });
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*ir), SMLoc());
  fileModule = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  if (!fileModule)
    return createStringError(StringRef(messages).rtrim());
  return Error::success();
}

Expected<std::unique_ptr<Program>> Program::load() {
  auto program = std::make_unique<Program>();
  if (kernelIR.empty() != manifestFile.empty())
    return createStringError(
        "--kernel-ir and --manifest go together: the one holds the code, the "
        "other says how to launch it");
  if (kernelIR.empty() == inputFile.empty())
    return createStringError("give one program: INPUT.mlir, or --kernel-ir "
                             "with --manifest");
  if (!kernelIR.empty()) {
    if (auto error = program->loadFiles())
      return std::move(error);
    return program;
  }
  auto text = readFile(inputFile);
  if (!text)
    return text.takeError();
  CompileOptions options;
  options.chips = {arch};
  options.stopAfter = Level::NVVM;
  options.schedule = schedule;
  options.rsqrt = rsqrt;
  options.batchInvariant = batchInvariant;
  options.tuningFile = tuning;
  options.enumerateSchedules = enumerateSchedules;
  options.withFloors = withFloors;
  auto compiled = rmsc::compile((*text)->getMemBufferRef(), options);
  if (!compiled)
    return compiled.takeError();
  program->compilation.emplace(std::move(*compiled));
  return program;
}

mlir::gpu::GPUModuleOp Program::module(size_t kernel, size_t variant) {
  if (compilation) {
    for (const CompiledVariant &compiled : compilation->variants())
      if (compiled.kernelIndex == kernel && compiled.variantIndex == variant)
        return compiled.module;
    return nullptr;
  }
  StringRef entry =
      fileManifest.kernels[kernel].variants[variant].launches.front().entry;
  for (auto module : fileModule->getOps<mlir::gpu::GPUModuleOp>())
    if (module.lookupSymbol(entry))
      return module;
  return nullptr;
}

Expected<const emulator::Code *> Program::code(size_t kernel, size_t variant) {
  std::unique_ptr<emulator::Code> &code = codes[{kernel, variant}];
  if (code)
    return code.get();
  mlir::gpu::GPUModuleOp gpuModule = module(kernel, variant);
  if (!gpuModule)
    return createStringError(
        "no gpu.module holds the entry point '" +
        manifest().kernels[kernel].variants[variant].launches.front().entry +
        "'");
  emulator::CompileOptions options;
  options.checks = !noChecks;
  auto compiled = emulator::Code::compile(gpuModule, options);
  if (!compiled)
    return compiled.takeError();
  code = std::move(*compiled);
  return code.get();
}

/// NAME=FILE of --input and --output.
Expected<std::map<std::string, std::string>>
parseAssignments(const cl::list<std::string> &list) {
  std::map<std::string, std::string> result;
  for (const std::string &text : list) {
    auto [name, file] = StringRef(text).split('=');
    if (name.empty() || file.empty())
      return createStringError("--" + list.ArgStr + "=" + text +
                               ": expected NAME=FILE.npy");
    if (!result.emplace(name.str(), file.str()).second)
      return createStringError("--" + list.ArgStr + ": '" + name +
                               "' is given twice");
  }
  return result;
}

/// The number of a kernel's parameter of that name and direction.
Expected<size_t> findParameter(const rmsrt::Kernel &kernel, StringRef name,
                               rmsrt::Direction direction) {
  std::string names;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const rmsrt::Parameter &parameter = kernel.parameters[i];
    if (parameter.direction != direction)
      continue;
    if (parameter.name == name)
      return i;
    names += (names.empty() ? "" : ", ") + parameter.name;
  }
  bool input = direction == rmsrt::Direction::Input;
  return createStringError("kernel '" + kernel.name + "' has no " +
                           (input ? "input" : "output") + " '" + name +
                           "'; it has " + names);
}

/// Rows of a parameter's tensor, given its array.
int64_t rowsOf(const rmsrt::Kernel &kernel, size_t parameter,
               const NpyArray &array) {
  return kernel.parameters[parameter].kind == rmsrt::Kind::Rows
             ? array.elements() / kernel.hiddenSize
             : array.elements();
}

Error fillFromArray(rmscheck::Case &checked, size_t parameter,
                    const NpyArray &array, StringRef file) {
  const rmsrt::Kernel &kernel = checked.kernel();
  const rmsrt::Parameter &p = kernel.parameters[parameter];
  if (!canHold(array, p.dtype))
    return createStringError("'" + file + "': an array of type " + array.type +
                             " cannot hold '" + p.name + "', which is " +
                             rmsrt::toString(p.dtype) + "; save it as float32");
  if (array.elements() != checked.elements(parameter))
    return createStringError("'" + file + "' holds " + Twine(array.elements()) +
                             " elements, '" + p.name + "' has " +
                             Twine(checked.elements(parameter)));
  if (!p.used)
    return Error::success();
  rmscheck::Buffer &image = checked.buffers()[checked.bufferOf(parameter)];
  if (image.written)
    return createStringError("--input and --in-place do not go together for '" +
                             p.name + "'");
  int64_t columns = p.kind == rmsrt::Kind::Scalars ? 1 : kernel.hiddenSize;
  int64_t size = rmsrt::sizeOf(p.dtype);
  for (int64_t i = 0; i < array.elements(); ++i)
    copyElement(array, i, p.dtype,
                image.data() +
                    (i / columns * checked.stride(parameter) + i % columns) *
                        size);
  return Error::success();
}

class Emulation {
public:
  Emulation(Program &program, std::map<std::string, std::string> inputs,
            std::map<std::string, std::string> outputs)
      : program(program), inputs(std::move(inputs)),
        outputs(std::move(outputs)) {}

  Error readOptions();
  /// Runs one kernel at one row count, in the chosen variant or all of them.
  Error runKernel(size_t kernel, int64_t rows);
  Error runKernel(size_t kernel);
  bool allPassed() const { return passed; }

private:
  Error runVariant(size_t kernelIndex, int64_t rows, StringRef variant);
  Error writeOutputs(const rmscheck::Case &checked);

  Program &program;
  std::map<std::string, std::string> inputs, outputs;
  std::map<std::string, NpyArray> arrays;
  emulator::CallOptions callOptions;
  bool passed = true;
};

Error Emulation::readOptions() {
  // The bounds are those of rms-run.
  struct {
    const char *name;
    int64_t value, highest;
  } const numbers[] = {{"misalign", misalign, 1 << 20},
                       {"extra-stride", extraStride, 1 << 28}};
  for (const auto &entry : numbers)
    if (entry.value < 0 || entry.value > entry.highest)
      return createStringError("--" + Twine(entry.name) + "=" +
                               Twine(entry.value) + ": expected 0 to " +
                               Twine(entry.highest));
  callOptions.jobs = jobs;
  callOptions.budget = budget;
  if (!orders.empty())
    callOptions.interleavings.clear();
  for (const std::string &text : orders) {
    auto [name, number] = StringRef(text).split(':');
    emulator::Interleaving interleaving;
    if (name == "forward")
      interleaving.order = emulator::Order::Forward;
    else if (name == "reverse")
      interleaving.order = emulator::Order::Reverse;
    else if (name == "random")
      interleaving.order = emulator::Order::Random;
    else
      return createStringError("--order=" + text +
                               ": expected forward, reverse or random:SEED");
    if (!number.empty() && number.getAsInteger(10, interleaving.seed))
      return createStringError("--order=" + text + ": the seed is no number");
    callOptions.interleavings.push_back(interleaving);
  }
  for (auto &[name, file] : inputs) {
    auto array = readNpy(file);
    if (!array)
      return array.takeError();
    arrays[name] = std::move(*array);
  }
  return Error::success();
}

Error Emulation::writeOutputs(const rmscheck::Case &checked) {
  const rmsrt::Kernel &kernel = checked.kernel();
  for (auto &[name, file] : outputs) {
    auto parameter = findParameter(kernel, name, rmsrt::Direction::Output);
    if (!parameter)
      return parameter.takeError();
    const rmsrt::Parameter &p = kernel.parameters[*parameter];
    int64_t rows = p.kind == rmsrt::Kind::Columns ? 1 : checked.options().rows;
    int64_t columns = p.kind == rmsrt::Kind::Scalars ? 1 : kernel.hiddenSize;
    SmallVector<int64_t> shape;
    if (p.kind != rmsrt::Kind::Columns)
      shape.push_back(rows);
    if (p.kind != rmsrt::Kind::Scalars)
      shape.push_back(columns);
    if (auto error =
            writeNpy(file, shape, p.dtype,
                     checked.buffers()[checked.bufferOf(*parameter)].data(),
                     rows, columns, checked.stride(*parameter)))
      return createStringError("cannot write '" + file +
                               "': " + toString(std::move(error)));
  }
  return Error::success();
}

Error Emulation::runVariant(size_t kernelIndex, int64_t rows,
                            StringRef variantToRun) {
  const rmsrt::Kernel &kernel = program.manifest().kernels[kernelIndex];
  rmscheck::CaseOptions caseOptions;
  caseOptions.rows = rows;
  caseOptions.seed = seed;
  caseOptions.misalign = misalign;
  caseOptions.extraStride = extraStride;
  caseOptions.inPlace = inPlace;
  caseOptions.threads = jobs;
  // The workspace depends on the variant and the choice of the variant on the
  // buffers, which a case without a workspace has as well.
  std::string chip =
      kernelIR.empty() ? std::string(arch) : kernel.variants.front().chip.name;
  caseOptions.workspaceBytes = rmsrt::workspaceBytes(kernel, rows);
  if (!variantToRun.empty())
    caseOptions.workspaceBytes = rmsrt::maxWorkspaceBytes(kernel);
  if (auto error = emulator::checkMemory(kernel, caseOptions))
    return error;
  std::optional<rmscheck::Case> checked;
  checked.emplace(kernel, caseOptions);
  auto chosen = emulator::chooseVariant(*checked, chip, variantToRun);
  if (!chosen)
    return chosen.takeError();
  const rmsrt::Variant &variant = kernel.variants[*chosen];
  // Exactly as much as the manifest says: a kernel that uses more is caught.
  uint64_t workspace = rmsrt::workspaceBytes(variant, rows);
  uint64_t zeroed = variant.workspace.zeroedBytes;
  if (workspace != caseOptions.workspaceBytes || zeroed) {
    caseOptions.workspaceBytes = workspace;
    caseOptions.workspaceZeroedBytes = zeroed;
    checked.emplace(kernel, caseOptions);
  }
  for (auto &[name, array] : arrays) {
    auto parameter = findParameter(kernel, name, rmsrt::Direction::Input);
    if (!parameter)
      return parameter.takeError();
    if (auto error = fillFromArray(*checked, *parameter, array, inputs[name]))
      return error;
  }

  emulator::CallOptions options = callOptions;
  options.variant = variant.name;
  auto result = emulator::emulateCall(
      *checked, chip,
      [&](size_t index) { return program.code(kernelIndex, index); }, options);
  if (!result)
    return result.takeError();
  result->report.print(errs());
  passed &= result->report.empty();

  std::string title = kernel.name + " " + chip + " " + variant.name +
                      " rows=" + std::to_string(rows);
  if (check) {
    rmscheck::CaseReport report = checked->verify();
    bool good = report.passed() && result->report.empty();
    passed &= good;
    std::string text = rmscheck::formatReport(*checked, report, title);
    // A fault makes a failure of right values, too.
    if (!good && StringRef(text).starts_with("PASS"))
      text.replace(0, 4, "FAIL");
    outs() << text;
  } else {
    outs() << (result->report.empty() ? "ran " : "FAIL ") << title << "\n";
  }
  if (digest)
    outs() << rmscheck::formatDigests(*checked, title);
  return writeOutputs(*checked);
}

Error Emulation::runKernel(size_t kernelIndex, int64_t rows) {
  const rmsrt::Kernel &kernel = program.manifest().kernels[kernelIndex];
  if (variantName != "all")
    return runVariant(kernelIndex, rows, variantName);
  for (const rmsrt::Variant &variant : kernel.variants)
    if (auto error = runVariant(kernelIndex, rows, variant.name))
      return error;
  return Error::success();
}

Error Emulation::runKernel(size_t kernelIndex) {
  const rmsrt::Kernel &kernel = program.manifest().kernels[kernelIndex];
  SmallVector<int64_t> counts(rowCounts.begin(), rowCounts.end());
  // Arrays say themselves how many rows there are.
  for (auto &[name, array] : arrays) {
    auto parameter = findParameter(kernel, name, rmsrt::Direction::Input);
    if (!parameter)
      return parameter.takeError();
    if (counts.empty() &&
        kernel.parameters[*parameter].kind != rmsrt::Kind::Columns)
      counts.push_back(rowsOf(kernel, *parameter, array));
  }
  if (counts.empty())
    counts.push_back(1);
  for (int64_t rows : counts) {
    if (rows < 0 || rows > RMSRT_MAX_ROWS)
      return createStringError("--rows=" + Twine(rows) + ": expected 0 to " +
                               Twine(RMSRT_MAX_ROWS));
    if (auto error = runKernel(kernelIndex, rows))
      return error;
  }
  return Error::success();
}

Error printAllLowered(Program &program) {
  const rmsrt::Manifest &manifest = program.manifest();
  for (size_t k = 0; k < manifest.kernels.size(); ++k)
    for (size_t v = 0; v < manifest.kernels[k].variants.size(); ++v) {
      mlir::gpu::GPUModuleOp module = program.module(k, v);
      if (!module)
        continue;
      emulator::CompileOptions options;
      options.checks = !noChecks;
      auto lowered = emulator::lowerToEmulatorCalls(module, options);
      if (mlir::failed(lowered))
        return createStringError("the kernels cannot be emulated");
      lowered->module->print(outs());
      outs() << "\n";
    }
  return Error::success();
}

Expected<bool> runTool() {
  auto inputs = parseAssignments(inputArrays);
  if (!inputs)
    return inputs.takeError();
  auto outputs = parseAssignments(outputArrays);
  if (!outputs)
    return outputs.takeError();
  auto program = Program::load();
  if (!program)
    return program.takeError();
  if (printLowered) {
    if (auto error = printAllLowered(**program))
      return std::move(error);
    return true;
  }
  Emulation emulation(**program, std::move(*inputs), std::move(*outputs));
  if (auto error = emulation.readOptions())
    return std::move(error);
  const auto &kernels = (*program)->manifest().kernels;
  bool found = false;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!kernelName.empty() && kernels[i].name != kernelName)
      continue;
    found = true;
    if (auto error = emulation.runKernel(i))
      return std::move(error);
  }
  if (!found)
    return createStringError(kernelName.empty()
                                 ? Twine("the program holds no kernel")
                                 : "the program holds no kernel '" +
                                       kernelName + "'");
  return emulation.allPassed();
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "rms-emulate " << getVersion() << " (LLVM " << getLLVMVersion()
       << ")\n";
  });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs compiled RMSNorm kernels on the CPU and watches them.\n");
  auto passed = runTool();
  if (!passed) {
    WithColor::error(errs(), "rms-emulate")
        << toString(passed.takeError()) << "\n";
    return 1;
  }
  return *passed ? 0 : 1;
}
