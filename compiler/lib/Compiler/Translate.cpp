//===-- Translate.cpp - from NVVM to PTX ------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Translate.h"
#include "Error.h"
#include "Timer.h"

#include "mlir/Target/LLVM/ModuleToObject.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace mlir;
using namespace rmsc;

namespace {
/// Keeps LLVM's first error. Without a handler, an error ends the process.
struct ErrorKeeper : llvm::DiagnosticHandler {
  explicit ErrorKeeper(std::string &message) : message(message) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !message.empty())
      return true;
    llvm::raw_string_ostream stream(message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

  std::string &message;
};

/// Upstream's serialization, which stops at PTX and links no libdevice, so that
/// it needs no CUDA toolkit.
class Serializer : public LLVM::ModuleToObject {
public:
  Serializer(gpu::GPUModuleOp module, StringRef chip, StringRef features,
             bool llvmOnly, std::string &message)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", chip, features,
                       /*optLevel=*/3),
        llvmOnly(llvmOnly), message(message) {}

  Translation result;

protected:
  void setDataLayoutAndTriple(llvm::Module &llvmModule) override {
    // The first hook that sees the context, ahead of anything that can fail.
    llvmModule.getContext().setDiagnosticHandler(
        std::make_unique<ErrorKeeper>(message));
    ModuleToObject::setDataLayoutAndTriple(llvmModule);
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    result.optimizeTime = timer.milliseconds();
    if (llvmOnly) {
      llvm::raw_string_ostream stream(result.llvmIR);
      stream << llvmModule;
      return SmallVector<char, 0>();
    }
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    FailureOr<SmallString<0>> isa = translateModuleToISA(
        llvmModule, **machine, [&] { return getOperation().emitError(); });
    if (failed(isa))
      return failure();
    result.ptx = isa->str().str();
    result.backEndTime = timer.milliseconds() - result.optimizeTime;
    return SmallVector<char, 0>();
  }

private:
  bool llvmOnly;
  std::string &message;
  StageTimer timer;
};
} // namespace

llvm::Expected<Translation> rmsc::translate(gpu::GPUModuleOp module,
                                            StringRef chip, int ptxVersion,
                                            bool llvmOnly) {
  static std::once_flag once;
  // No other back end: each costs start-up time.
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string message;
  std::string features = "+ptx" + std::to_string(ptxVersion);
  Serializer serializer(module, chip, features, llvmOnly, message);
  bool done = serializer.run().has_value();
  if (!message.empty() || !done)
    return makeError(message);
  return std::move(serializer.result);
}
