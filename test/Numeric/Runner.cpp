//===-- Runner.cpp - runs cases of the numeric suite ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "rmsc/Emulator/Call.h"
#include "rmscheck/Numbers.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace rmsc;
using namespace rmsc::numeric;

llvm::Expected<std::unique_ptr<Program>>
Program::compile(const Spec &spec, bool enumerateSchedules) {
  std::string text = spec.toMLIR();
  CompileOptions options;
  options.chips = {spec.get("chip")};
  options.stopAfter = Level::NVVM;
  options.schedule = spec.get("schedule");
  options.rsqrt = spec.get("rsqrt") == "exact" ? Rsqrt::Exact : Rsqrt::Approx;
  options.batchInvariant = spec.getInt("invariant");
  options.enumerateSchedules = enumerateSchedules;
  options.threads = 1;
  auto compiled =
      rmsc::compile(llvm::MemoryBufferRef(text, "case.mlir"), options);
  if (!compiled)
    return compiled.takeError();
  auto program = std::make_unique<Program>();
  program->compilation = std::make_unique<Compilation>(std::move(*compiled));
  return program;
}

llvm::Expected<const emulator::Code *> Program::code(size_t variant) {
  std::unique_ptr<emulator::Code> &code = codes[variant];
  if (code)
    return code.get();
  for (const CompiledVariant &compiled : compilation->variants())
    if (compiled.variantIndex == variant) {
      auto result = emulator::Code::compile(compiled.module);
      if (!result)
        return result.takeError();
      code = std::move(*result);
      return code.get();
    }
  return llvm::createStringError("the variant has no module");
}

/// Puts a value into an input's row.
static void fillRow(rmscheck::Case &checked, llvm::StringRef role, int64_t row,
                    float value, int64_t column = -1) {
  const rmsrt::Kernel &kernel = checked.kernel();
  int p = kernel.find(std::string_view(role.data(), role.size()),
                      rmsrt::Direction::Input);
  if (p < 0)
    return;
  rmscheck::Buffer &image = checked.buffers()[checked.bufferOf(p)];
  for (int64_t j = 0; j < kernel.hiddenSize; ++j)
    if (column < 0 || column == j)
      rmscheck::storeElement(kernel.parameters[p].dtype, image.data(),
                             row * checked.stride(p) + j, value);
}

/// Special values go into every third row, so that their neighbours show
/// whether they stay there.
static void putSpecialValues(rmscheck::Case &checked, llvm::StringRef special) {
  for (int64_t row = 0; row < checked.options().rows; row += 3) {
    int64_t column = (row * 7) % checked.kernel().hiddenSize;
    if (special == "nan") {
      fillRow(checked, "x", row, NAN, column);
      fillRow(checked, "grad_output", row, NAN, column);
    } else if (special == "inf") {
      fillRow(checked, "x", row, INFINITY, column);
    } else if (special == "zero") {
      for (const char *role : {"x", "residual", "grad_output"})
        fillRow(checked, role, row, 0);
    } else if (special == "denormal") {
      fillRow(checked, "x", row, 0x1p-130f);
      fillRow(checked, "residual", row, 0x1p-133f);
      fillRow(checked, "grad_output", row, 0x1p-130f);
      // What comes out must be normal again: the bounds are relative.
      fillRow(checked, "weight", 0, 0x1p14f);
    } else if (special == "overflow") {
      // The sum of squares leaves f32's range (of f16 the largest does not).
      fillRow(checked, "x", row, 0x1p100f);
      fillRow(checked, "residual", row, 0);
    }
  }
}

/// The name of the variant "#2" of those for dense operands, counted round.
static std::string denseVariant(const rmsrt::Kernel &kernel,
                                llvm::StringRef number) {
  std::vector<std::string> names;
  for (const rmsrt::Variant &variant : kernel.variants)
    if (!variant.strided)
      names.push_back(variant.name);
  size_t index = 0;
  number.drop_front().getAsInteger(10, index);
  return names.empty() ? "" : names[index % names.size()];
}

std::string rmsc::numeric::runCase(Program &program, const Spec &spec,
                                   const rmsrt::Variant **ran) {
  const rmsrt::Kernel &kernel = program.kernel();
  int64_t rows = spec.getInt("rows");
  std::string variant = spec.get("variant"), chip = spec.get("chip");
  if (llvm::StringRef(variant).starts_with("#"))
    variant = denseVariant(kernel, variant);
  rmscheck::CaseOptions options;
  options.rows = rows;
  options.seed = spec.getInt("seed");
  options.misalign = spec.getInt("misalign");
  options.extraStride = spec.getInt("stride");
  options.inPlace = spec.getInt("inplace");
  options.threads = 1;
  options.workspaceBytes = variant.empty() ? rmsrt::workspaceBytes(kernel, rows)
                                           : rmsrt::maxWorkspaceBytes(kernel);
  auto failed = [](llvm::Error error) {
    return llvm::toString(std::move(error));
  };
  auto checked = std::make_unique<rmscheck::Case>(kernel, options);
  auto chosen = emulator::chooseVariant(*checked, chip, variant);
  if (!chosen)
    return failed(chosen.takeError());
  // Exactly as much as the manifest says: a kernel that uses more is caught.
  const rmsrt::Variant &picked = kernel.variants[*chosen];
  if (ran)
    *ran = &picked;
  uint64_t workspace = rmsrt::workspaceBytes(picked, rows);
  uint64_t zeroed = picked.workspace.zeroedBytes;
  if (workspace != options.workspaceBytes || zeroed) {
    options.workspaceBytes = workspace;
    options.workspaceZeroedBytes = zeroed;
    checked = std::make_unique<rmscheck::Case>(kernel, options);
  }
  putSpecialValues(*checked, spec.get("special"));

  emulator::CallOptions call;
  call.jobs = 1;
  call.variant = picked.name;
  bool reverse = spec.get("order") == "reverse";
  call.interleavings = {
      {emulator::Order::Forward, 0},
      {reverse ? emulator::Order::Reverse : emulator::Order::Random,
       options.seed}};
  auto result = emulator::emulateCall(
      *checked, chip, [&](size_t index) { return program.code(index); }, call);
  if (!result)
    return failed(result.takeError());
  std::string text;
  llvm::raw_string_ostream os(text);
  result->report.print(os);
  rmscheck::CaseReport report = checked->verify();
  if (!report.passed())
    os << rmscheck::formatReport(*checked, report, picked.name);
  return text;
}
