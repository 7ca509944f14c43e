//===-- Lowering.cpp - functions, entries, and what stays as it is *- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Origin.h"
#include "RuntimeCalls.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::emulator;

/// NVPTX's address space of shared memory.
static constexpr unsigned sharedSpace = 3;

static std::string describe(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream os(text);
    os << llvm::sys::path::filename(file.getFilename().getValue()) << ":"
       << file.getLine() << ":" << file.getColumn();
    return WalkResult::interrupt();
  });
  return text;
}

/// Ops of the LLVM dialect that mean the same on the host. They neither touch
/// memory nor call anything nor leave the result's bits open.
static bool isPlainOp(Operation *op) {
  // clang-format off
  static const llvm::StringSet<> names = {
      "llvm.add", "llvm.sub", "llvm.mul", "llvm.udiv", "llvm.sdiv",
      "llvm.urem", "llvm.srem", "llvm.and", "llvm.or", "llvm.xor", "llvm.shl",
      "llvm.lshr", "llvm.ashr", "llvm.icmp", "llvm.fcmp", "llvm.fadd",
      "llvm.fsub", "llvm.fmul", "llvm.fdiv", "llvm.fneg", "llvm.select",
      "llvm.getelementptr", "llvm.alloca", "llvm.bitcast",
      "llvm.addrspacecast", "llvm.inttoptr", "llvm.ptrtoint", "llvm.sext",
      "llvm.zext", "llvm.trunc", "llvm.sitofp", "llvm.uitofp", "llvm.fptosi",
      "llvm.fptoui", "llvm.extractelement", "llvm.extractvalue",
      "llvm.insertelement", "llvm.insertvalue", "llvm.shufflevector",
      "llvm.freeze", "llvm.br", "llvm.cond_br", "llvm.switch", "llvm.return",
      "llvm.unreachable", "llvm.mlir.constant", "llvm.mlir.undef",
      "llvm.mlir.poison", "llvm.mlir.zero", "llvm.intr.fma", "llvm.intr.sqrt",
      "llvm.intr.fabs", "llvm.intr.copysign", "llvm.intr.maxnum",
      "llvm.intr.minnum", "llvm.intr.maximum", "llvm.intr.minimum",
      "llvm.intr.abs", "llvm.intr.smax", "llvm.intr.smin", "llvm.intr.umax",
      "llvm.intr.umin", "llvm.intr.bswap", "llvm.intr.bitreverse",
      "llvm.intr.ctlz", "llvm.intr.cttz", "llvm.intr.ctpop", "llvm.intr.fshl",
      "llvm.intr.fshr", "llvm.intr.sadd.with.overflow",
      "llvm.intr.uadd.with.overflow", "llvm.intr.smul.with.overflow",
      "llvm.intr.umul.with.overflow", "llvm.intr.expect",
      "llvm.intr.vector.extract", "llvm.intr.vector.insert",
      "llvm.intr.vector.reduce.fadd", "llvm.intr.vector.reduce.add",
      "llvm.intr.vector.reduce.and", "llvm.intr.vector.reduce.or",
      "llvm.intr.vector.reduce.umax", "llvm.intr.vector.reduce.umin",
      "llvm.intr.vector.reduce.fmax", "llvm.intr.vector.reduce.fmin",
  };
  // clang-format on
  return names.contains(op->getName().getStringRef());
}

/// Plain ops that compute with their floating-point operands, and do not just
/// move them.
static bool isArithmetic(Operation *op) {
  return isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp,
             LLVM::FNegOp, LLVM::FCmpOp, LLVM::SIToFPOp, LLVM::UIToFPOp,
             LLVM::FPToSIOp, LLVM::FPToUIOp, LLVM::FMAOp, LLVM::SqrtOp,
             LLVM::FAbsOp, LLVM::CopySignOp, LLVM::MaxNumOp, LLVM::MinNumOp,
             LLVM::MaximumOp, LLVM::MinimumOp, LLVM::vector_reduce_fadd,
             LLVM::vector_reduce_fmax, LLVM::vector_reduce_fmin>(op);
}

/// Ops that only advise the optimiser.
static bool isHint(Operation *op) {
  return isa<LLVM::AssumeOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp,
             LLVM::NoAliasScopeDeclOp>(op);
}

Value Lowering::call(StringRef name, Type resultType, ValueRange operands) {
  ModuleOp module = *result.module;
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    Type returned =
        resultType ? resultType : LLVM::LLVMVoidType::get(module.getContext());
    function = LLVM::LLVMFuncOp::create(
        builder, builder.getUnknownLoc(), name,
        LLVM::LLVMFunctionType::get(returned,
                                    llvm::to_vector(operands.getTypes())));
  }
  auto op = LLVM::CallOp::create(builder, location, function, operands);
  return resultType ? op.getResult() : Value();
}

Value Lowering::spill(Value value) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (!scratch) {
    // One slot serves all: the called function reads it at once.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&current.getBody().front());
    auto words = LLVM::LLVMArrayType::get(builder.getI64Type(), 16);
    scratch = LLVM::AllocaOp::create(builder, builder.getUnknownLoc(), pointer,
                                     words, i32(1), 32);
  }
  LLVM::StoreOp::create(builder, location, value, scratch, 4);
  return scratch;
}

uint32_t Lowering::site(Operation *op) {
  Site entry;
  entry.op = op->getName().getStringRef().str();
  entry.location = describe(op->getLoc());
  result.sites.push_back(std::move(entry));
  return result.sites.size() - 1;
}

LogicalResult Lowering::lowerOp(Operation *op) {
  location = op->getLoc();
  builder.setInsertionPoint(op);
  if (isa<NVVM::NVVMDialect>(op->getDialect()))
    return lowerNVVM(op);
  if (auto flags = dyn_cast<LLVM::FastmathFlagsInterface>(op))
    if (flags.getFastmathAttr() &&
        flags.getFastmathAttr().getValue() != LLVM::FastmathFlags::none)
      return op->emitError("fast-math flags leave the bits of the result open, "
                           "so that no two back ends need agree: write what is "
                           "meant (llvm.intr.fma, an order of additions)");
  if (isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp,
          LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op))
    return lowerAccess(op);
  if (isa<LLVM::FPExtOp, LLVM::FPTruncOp>(op))
    return lowerConversion(op, builder);
  if (isa<LLVM::FenceOp>(op)) {
    call("rmsemu_fence", {}, {});
    return success();
  }
  if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return lowerIntrinsicCall(intrinsic);
  if (auto reference = dyn_cast<LLVM::AddressOfOp>(op)) {
    auto object = objectNumbers.find(reference.getGlobalName());
    if (object == objectNumbers.end())
      return success();
    Value start =
        call("rmsemu_shared", builder.getI64Type(), {i32(object->second)});
    auto pointer =
        LLVM::IntToPtrOp::create(builder, location, reference.getType(), start);
    // So that an access through the pointer still knows its object.
    pointer->setAttr(objectAttr, builder.getI32IntegerAttr(object->second));
    reference.replaceAllUsesWith(pointer.getResult());
    reference.erase();
    return success();
  }
  if (auto callOp = dyn_cast<LLVM::CallOp>(op)) {
    auto callee = callOp.getCallee();
    auto function =
        callee ? source.lookupSymbol<LLVM::LLVMFuncOp>(*callee) : nullptr;
    if (function && !function.isExternal())
      return success();
    return op->emitError("the emulator cannot call '")
           << (callee ? *callee : StringRef("a function by its address"))
           << "', which the module does not define";
  }
  if (isHint(op)) {
    op->erase();
    return success();
  }
  if (!isPlainOp(op))
    return op->emitError("the emulator does not support '")
           << op->getName() << "'";
  if (isArithmetic(op))
    for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                        llvm::to_vector(op->getResultTypes())))
      if (isNarrowFloat(getElementTypeOrSelf(type)))
        return op->emitError("the emulator supports arithmetic in f32 only, "
                             "not in ")
               << getElementTypeOrSelf(type);
  return success();
}

/// Puts a tick at every block that ends a loop, so that a loop that never ends
/// is noticed and a thread that waits for another one in a loop lets it run.
void Lowering::addTicks(LLVM::LLVMFuncOp function) {
  llvm::DenseMap<Block *, unsigned> position;
  SmallVector<unsigned> opsBefore;
  unsigned ops = 0;
  for (auto [number, block] : llvm::enumerate(function.getBody())) {
    position[&block] = number;
    opsBefore.push_back(ops);
    ops += block.getOperations().size();
  }
  for (Block &block : function.getBody()) {
    unsigned here = position[&block];
    for (Block *successor : block.getSuccessors()) {
      unsigned there = position[successor];
      if (there > here)
        continue;
      // In any order of blocks a cycle has an edge that goes backwards.
      Operation *terminator = block.getTerminator();
      builder.setInsertionPoint(terminator);
      location = terminator->getLoc();
      unsigned length =
          opsBefore[here] + block.getOperations().size() - opsBefore[there];
      call("rmsemu_tick", {}, {i32(length), i32(site(terminator))});
      break;
    }
  }
}

void Lowering::addEntry(LLVM::LLVMFuncOp function) {
  // void <entry>.run(ptr arguments): the arguments come as 8 bytes each.
  OpBuilder::InsertionGuard guard(builder);
  location = function.getLoc();
  builder.setInsertionPointToEnd(result.module->getBody());
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), {pointer});
  auto wrapper = LLVM::LLVMFuncOp::create(
      builder, location, (function.getName() + entrySuffix).str(), type);
  Block *block = wrapper.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (auto [number, argument] :
       llvm::enumerate(function.getFunctionType().getParams())) {
    Value slot = LLVM::GEPOp::create(
        builder, location, pointer, builder.getI64Type(), block->getArgument(0),
        ArrayRef<LLVM::GEPArg>{int32_t(number)});
    arguments.push_back(
        LLVM::LoadOp::create(builder, location, argument, slot, 8));
  }
  LLVM::CallOp::create(builder, location, function, arguments);
  LLVM::ReturnOp::create(builder, location, ValueRange());
}

LogicalResult Lowering::lowerGlobal(LLVM::GlobalOp global) {
  if (global.getAddrSpace() == sharedSpace) {
    objectNumbers[global.getSymName()] = result.objects.size();
    SharedObject object;
    object.name = global.getSymName().str();
    object.bytes = layout.getTypeSize(global.getGlobalType());
    object.alignment =
        std::max<uint64_t>(global.getAlignment().value_or(1),
                           layout.getTypeABIAlignment(global.getGlobalType()));
    result.objects.push_back(std::move(object));
    return success();
  }
  if (!global.getConstant())
    return global.emitError("the emulator supports no global variable but "
                            "shared memory and constants");
  builder.setInsertionPointToEnd(result.module->getBody());
  auto clone = cast<LLVM::GlobalOp>(builder.clone(*global));
  clone.setLinkage(LLVM::Linkage::Internal);
  return success();
}

LogicalResult Lowering::lowerFunction(LLVM::LLVMFuncOp function) {
  if (function.isExternal())
    return success(); // A call of it is the error.
  bool isKernel =
      function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) ||
      function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName());
  auto dimensions = [&](StringRef name) -> unsigned {
    auto array = function->getAttrOfType<DenseI32ArrayAttr>(name);
    if (!array)
      return 0;
    unsigned product = 1;
    for (int32_t size : array.asArrayRef())
      product *= size;
    return product;
  };
  Entry entry;
  entry.name = function.getName().str();
  entry.arguments = function.getNumArguments();
  entry.maxThreads = dimensions(NVVM::NVVMDialect::getMaxntidAttrName());
  if (unsigned exact = dimensions(NVVM::NVVMDialect::getReqntidAttrName())) {
    entry.maxThreads = exact;
    entry.exactThreads = true;
  }
  if (!entry.maxThreads)
    entry.maxThreads = dimensions("gpu.known_block_size");
  entry.cluster = dimensions(NVVM::NVVMDialect::getClusterDimAttrName());

  builder.setInsertionPointToEnd(result.module->getBody());
  current = cast<LLVM::LLVMFuncOp>(builder.clone(*function));
  currentIsKernel = isKernel;
  scratch = nullptr;
  // Whatever is said of a GPU or promised to an optimiser has no place here.
  for (NamedAttribute attribute : llvm::to_vector(current->getAttrs()))
    if (attribute.getName().getValue().contains('.'))
      current->removeAttr(attribute.getName());
  current.removeArgAttrsAttr();
  current.removeResAttrsAttr();
  current.setCConv(LLVM::CConv::C);
  current.setLinkage(LLVM::Linkage::Internal);

  SmallVector<Operation *> ops;
  current.walk([&](Operation *op) {
    if (op != current)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(lowerOp(op)))
      return failure();
  if (options.checks)
    addTicks(current);
  moveHalvesAsIntegers(current);
  current.walk([](Operation *op) { op->removeAttr(objectAttr); });

  if (isKernel) {
    for (Type type : current.getFunctionType().getParams())
      if (layout.getTypeSize(type) > 8 || isNarrowFloat(type))
        return function.emitError("the emulator passes pointers and numbers "
                                  "of 32 and 64 bits, not ")
               << type;
    addEntry(current);
    result.entries.push_back(std::move(entry));
  }
  return success();
}

FailureOr<LoweredModule> Lowering::run() {
  result.module = ModuleOp::create(source.getLoc());
  for (auto global : source.getOps<LLVM::GlobalOp>())
    if (failed(lowerGlobal(global)))
      return failure();
  for (Operation &op : source.getBody()->getOperations()) {
    if (isa<LLVM::GlobalOp>(op))
      continue;
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function)
      return op.emitError("the emulator does not support '")
             << op.getName() << "' in a gpu.module";
    if (failed(lowerFunction(function)))
      return failure();
  }
  if (result.entries.empty())
    return source.emitError("the module holds no kernel");
  return std::move(result);
}

FailureOr<LoweredModule>
rmsc::emulator::lowerToEmulatorCalls(gpu::GPUModuleOp module,
                                     const emulator::CompileOptions &options) {
  return Lowering(module, options).run();
}
