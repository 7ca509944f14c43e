//===-- Call.cpp - calls of a package's kernels, emulated -------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Emulator/Call.h"
#include "Memory.h"
#include "rmsrt/LaunchPlan.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace rmsc::emulator;

static llvm::Error toLLVM(const rmsrt::Error &error) {
  return llvm::createStringError(error.message());
}

/// The images' own addresses: the emulator works in place.
static std::vector<void *> addressesOf(const rmscheck::Case &checked) {
  std::vector<void *> addresses;
  for (const rmscheck::Buffer &image : checked.buffers())
    addresses.push_back(image.memory.get());
  return addresses;
}

/// What the emulator has to know of each image.
static std::vector<Buffer> describeBuffers(const rmscheck::Case &checked) {
  const rmsrt::Kernel &kernel = checked.kernel();
  std::vector<Buffer> buffers(checked.buffers().size());
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const rmsrt::Parameter &parameter = kernel.parameters[i];
    size_t image = checked.bufferOf(i);
    Buffer &buffer = buffers[image];
    bool output = parameter.direction == rmsrt::Direction::Output;
    if (buffer.data) {
      // An input and the output that takes its place.
      buffer.kind = Buffer::Kind::InputOutput;
      buffer.name += "/" + parameter.name;
      continue;
    }
    buffer.name = parameter.name;
    buffer.kind = output ? Buffer::Kind::Output : Buffer::Kind::Input;
    buffer.data = checked.buffers()[image].data();
    buffer.elementBytes = rmsrt::sizeOf(parameter.dtype);
    bool rowwise = parameter.kind != rmsrt::Kind::Columns;
    buffer.rows = rowwise ? checked.options().rows : 1;
    bool whole = parameter.kind != rmsrt::Kind::Scalars;
    buffer.rowBytes = (whole ? kernel.hiddenSize : 1) * buffer.elementBytes;
    buffer.strideBytes = checked.stride(i) * buffer.elementBytes;
    // What no kernel reads has no memory.
    if (!parameter.used)
      buffer.rows = 0;
  }
  if (int image = checked.workspaceBuffer(); image >= 0) {
    Buffer &buffer = buffers[image];
    buffer.name = "workspace";
    buffer.kind = Buffer::Kind::Workspace;
    buffer.data = checked.buffers()[image].data();
    buffer.rows = 1;
    buffer.rowBytes = buffer.strideBytes = checked.options().workspaceBytes;
    buffer.zeroedBytes = checked.options().workspaceZeroedBytes;
  }
  return buffers;
}

llvm::Error rmsc::emulator::checkMemory(const rmsrt::Kernel &kernel,
                                        const rmscheck::CaseOptions &options) {
  rmscheck::CaseBytes bytes = rmscheck::measureCase(kernel, options);
  // A cell watches two bytes of what a run writes.
  bytes.all += bytes.written / 2 * double(sizeof(Cell));
  if (auto error = rmscheck::checkHostMemory(kernel, options.rows, bytes.all))
    return toLLVM(error);
  return llvm::Error::success();
}

llvm::Expected<size_t>
rmsc::emulator::chooseVariant(const rmscheck::Case &checked,
                              llvm::StringRef chip, llvm::StringRef name) {
  const rmsrt::Kernel &kernel = checked.kernel();
  std::vector<size_t> candidates;
  if (auto error = rmsrt::candidatesForChip(
          kernel, std::string_view(chip.data(), chip.size()), candidates))
    return toLLVM(error);
  std::vector<RmsrtTensor> tensors;
  rmsrt::Call call = checked.call(addressesOf(checked), tensors);
  call.variant = std::string_view(name.data(), name.size());
  if (auto error = rmsrt::checkCall(kernel, call))
    return toLLVM(error);
  size_t variant = 0;
  if (auto error = rmsrt::chooseVariant(kernel, candidates, call, variant))
    return toLLVM(error);
  return variant;
}

llvm::Expected<CallResult>
rmsc::emulator::emulateCall(rmscheck::Case &checked, llvm::StringRef chip,
                            CodeOfVariant codeOf, const CallOptions &options) {
  const rmsrt::Kernel &kernel = checked.kernel();
  CallResult result;
  auto variantIndex = chooseVariant(checked, chip, options.variant);
  if (!variantIndex)
    return variantIndex.takeError();
  result.variant = *variantIndex;
  const rmsrt::Variant &variant = kernel.variants[result.variant];
  auto code = codeOf(result.variant);
  if (!code)
    return code.takeError();

  std::vector<RmsrtTensor> tensors;
  rmsrt::Call call = checked.call(addressesOf(checked), tensors);
  rmsrt::ArgumentList list(kernel, call);
  std::vector<Buffer> buffers = describeBuffers(checked);
  std::vector<Argument> arguments;
  for (size_t i = 0; i < list.count; ++i) {
    Argument argument;
    argument.value = list.values[i];
    if (i < kernel.parameters.size())
      argument.buffer = int(checked.bufferOf(i));
    else if (i + 1 == list.count)
      argument.buffer = checked.workspaceBuffer();
    arguments.push_back(argument);
  }
  std::vector<LaunchConfig> launches;
  bool first = true;
  for (const rmsrt::Launch &launch : variant.launches) {
    LaunchConfig config;
    config.code = *code;
    config.entry = launch.entry;
    config.ctas =
        rmsrt::launchCtas(launch, checked.options().rows) * launch.cluster;
    config.block = launch.block;
    config.cluster = launch.cluster;
    config.dynamicSharedBytes = launch.sharedDynamicBytes;
    // The first launch that there is gets the attribute only when the caller
    // asks for it, and then has to wait. One that says that it waits is always
    // run as if the caller had asked.
    config.dependent = launch.dependent && !first;
    config.waits = launch.waits && first;
    first &= config.ctas == 0;
    launches.push_back(std::move(config));
  }

  std::vector<rmscheck::Buffer> before;
  for (const Interleaving &interleaving : options.interleavings) {
    bool again = !before.empty();
    if (&interleaving != options.interleavings.begin())
      checked.reset();
    RunOptions runOptions;
    runOptions.order = interleaving.order;
    runOptions.seed = interleaving.seed;
    runOptions.jobs = options.jobs;
    runOptions.budget = options.budget;
    auto report = run(launches, buffers, arguments, runOptions);
    if (!report)
      return report.takeError();
    result.report.append(*report);
    if (!result.report.empty())
      break;
    for (size_t i = 0; again && i < kernel.parameters.size(); ++i) {
      if (kernel.parameters[i].direction != rmsrt::Direction::Output ||
          checked.sameBits(i, before[checked.bufferOf(i)]))
        continue;
      Fault fault;
      fault.kind = FaultKind::Nondeterminism;
      fault.entry = variant.launches.front().entry;
      fault.operand = kernel.parameters[i].name;
      fault.message = "the bits of " + fault.operand +
                      " depend on the order in which blocks and warps run";
      result.report.faults.push_back(std::move(fault));
    }
    if (again || options.interleavings.size() == 1)
      continue;
    for (size_t image = 0; image < checked.buffers().size(); ++image) {
      const rmscheck::Buffer &source = checked.buffers()[image];
      before.emplace_back();
      if (!source.written)
        continue;
      before.back() = checked.pristine(image);
      std::memcpy(before.back().memory.get(), source.memory.get(),
                  source.bytes);
    }
  }
  return result;
}
