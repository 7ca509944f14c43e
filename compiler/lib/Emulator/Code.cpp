//===-- Code.cpp - an L5 gpu.module compiled for the host -------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Emulator/Code.h"
#include "RuntimeCalls.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <cstring>
#include <mutex>

using namespace mlir;
using namespace rmsc::emulator;

struct Code::Jit {
  std::unique_ptr<llvm::orc::LLJIT> engine;
};

Code::Code() : jit(std::make_unique<Jit>()) {}
Code::~Code() = default;

const Entry *Code::find(StringRef name) const {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

/// The machine that kernels are compiled for. The processor is pinned, so that
/// two machines give the same bits: newer processors have conversions to bf16
/// that flush denormals, and LLVM would use them.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder> hostMachine() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getProcessTriple());
  llvm::orc::JITTargetMachineBuilder builder(triple);
  if (triple.getArch() == llvm::Triple::x86_64) {
    auto features = llvm::sys::getHostCPUFeatures();
    for (const char *needed : {"avx2", "fma", "f16c", "bmi2"})
      if (!features.lookup(needed))
        return llvm::createStringError(
            "the emulator needs a processor with AVX2, FMA, F16C and BMI2 "
            "(x86-64-v3); this one has no %s",
            needed);
    builder.setCPU("x86-64-v3");
  } else if (triple.getArch() != llvm::Triple::aarch64) {
    // Both have a fused multiply-add and conversions of f16; on others LLVM
    // would call a library for them.
    return llvm::createStringError(
        "the emulator runs on x86-64 and AArch64, not on %s",
        triple.getArchName().str().c_str());
  }
  // Nothing may be contracted: fma is written where it is meant.
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  return builder;
}

llvm::Expected<std::unique_ptr<Code>>
Code::compile(gpu::GPUModuleOp module, const CompileOptions &options) {
  MLIRContext *context = module.getContext();
  std::string messages;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(messages);
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    if (auto location = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      os << (messages.empty() ? "" : "\n") << location.getFilename().getValue()
         << ":" << location.getLine() << ":" << location.getColumn() << ": ";
    os << diagnostic;
  });
  FailureOr<LoweredModule> lowered = lowerToEmulatorCalls(module, options);
  if (failed(lowered))
    return llvm::createStringError(messages);
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError(
        "cannot compile the kernels for this machine: " +
        llvm::toString(std::move(error)));
  };

  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(
      lowered->module->getOperation(), *llvmContext, "rms-emulator",
      /*disableVerification=*/true);
  if (!llvmModule)
    return llvm::createStringError("the kernels do not translate to LLVM IR: " +
                                   messages);

  auto machine = hostMachine();
  if (!machine)
    return fail(machine.takeError());
  llvmModule->setTargetTriple(machine->getTargetTriple());
  auto layout = machine->getDefaultDataLayoutForTarget();
  if (!layout)
    return fail(layout.takeError());
  llvmModule->setDataLayout(*layout);

  // No platform and no symbols of the process: a kernel can call what the table
  // of the emulator holds, and nothing else.
  auto engine = llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(std::move(*machine))
                    .setDataLayout(*layout)
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .setLinkProcessSymbolsByDefault(false)
                    .create();
  if (!engine)
    return fail(engine.takeError());
  std::unique_ptr<Code> code(new Code);
  code->jit->engine = std::move(*engine);
  llvm::orc::LLJIT &lljit = *code->jit->engine;
  // The errors come back from the calls below as well, where they belong.
  lljit.getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  llvm::orc::SymbolMap symbols;
  for (const RuntimeCall &call : runtimeCalls())
    symbols[lljit.mangleAndIntern(call.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(call.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (auto error = lljit.getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return fail(std::move(error));
  if (auto error = lljit.addIRModule(llvm::orc::ThreadSafeModule(
          std::move(llvmModule), std::move(llvmContext))))
    return fail(std::move(error));

  code->checked = options.checks;
  code->entries = std::move(lowered->entries);
  code->siteTable = std::move(lowered->sites);
  code->objects = std::move(lowered->objects);
  for (Entry &entry : code->entries) {
    auto address = lljit.lookup(entry.name + entrySuffix.str());
    if (!address)
      return fail(address.takeError());
    entry.function = address->toPtr<EntryFunction>();
  }
  return code;
}
