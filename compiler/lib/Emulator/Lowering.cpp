//===-- Lowering.cpp - NVVM ops become calls of the emulator ----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is decided here, before LLVM sees the code: an NVVM op that got as
// far as the x86 back end would end the process. So this is a closed list; what
// is not on it is an error with the op's name.
//
//===----------------------------------------------------------------------===//

#include "Halves.h"
#include "Origin.h"
#include "RuntimeCalls.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "rmsc/Emulator/Code.h"
#include "rmsc/Target/InlinePtx.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::emulator;

namespace {

/// Address spaces of NVPTX.
enum : unsigned { Generic = 0, Global = 1, Shared = 3, Const = 4, Cluster = 7 };

std::string describe(Location location) {
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
bool isPlainOp(Operation *op) {
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
bool isArithmetic(Operation *op) {
  return isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp,
             LLVM::FNegOp, LLVM::FCmpOp, LLVM::SIToFPOp, LLVM::UIToFPOp,
             LLVM::FPToSIOp, LLVM::FPToUIOp, LLVM::FMAOp, LLVM::SqrtOp,
             LLVM::FAbsOp, LLVM::CopySignOp, LLVM::MaxNumOp, LLVM::MinNumOp,
             LLVM::MaximumOp, LLVM::MinimumOp, LLVM::vector_reduce_fadd,
             LLVM::vector_reduce_fmax, LLVM::vector_reduce_fmin>(op);
}

/// Ops that only advise the optimiser.
bool isHint(Operation *op) {
  return isa<LLVM::AssumeOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp,
             LLVM::NoAliasScopeDeclOp>(op);
}

class Lowering {
public:
  Lowering(gpu::GPUModuleOp source, const emulator::CompileOptions &options)
      : source(source), options(options), builder(source.getContext()) {}

  FailureOr<LoweredModule> run();

private:
  LogicalResult lowerGlobal(LLVM::GlobalOp global);
  LogicalResult lowerFunction(LLVM::LLVMFuncOp function);
  void addEntry(LLVM::LLVMFuncOp function);
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerNVVM(Operation *op);
  LogicalResult lowerAccess(Operation *op);
  LogicalResult lowerInlinePtx(NVVM::InlinePtxOp op);
  LogicalResult lowerIntrinsicCall(LLVM::CallIntrinsicOp op);
  void addTicks(LLVM::LLVMFuncOp function);

  /// Enters an op into the table of sites.
  uint32_t site(Operation *op);
  /// Enters an access; false where it needs no check.
  bool accessSite(Operation *op, Value pointer, uint64_t bytes,
                  uint64_t alignment, uint32_t &number);

  Value constant(Type type, uint64_t value) {
    return createConstant(builder, location, type, value);
  }
  Value i32(uint32_t value) { return constant(builder.getI32Type(), value); }
  Value address(Value pointer) {
    return LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(),
                                    pointer);
  }
  /// Calls an emulator function; null where it returns nothing.
  Value call(StringRef name, Type result, ValueRange operands);
  /// A pointer to memory of the calling thread that holds `value`.
  Value spill(Value value);

  gpu::GPUModuleOp source;
  CompileOptions options;
  OpBuilder builder;
  Location location = builder.getUnknownLoc();
  LoweredModule result;
  llvm::StringMap<int> objectNumbers;
  LLVM::LLVMFuncOp current;
  bool currentIsKernel = false;
  /// Of the current function, made at the first spill.
  Value scratch;
  DataLayout layout = DataLayout();
};

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

bool Lowering::accessSite(Operation *op, Value pointer, uint64_t bytes,
                          uint64_t alignment, uint32_t &number) {
  if (!options.checks)
    return false;
  Origin origin = traceOrigin(pointer, objectNumbers, currentIsKernel);
  if (origin.kind == Origin::Local || origin.kind == Origin::Constant)
    return false;
  number = site(op);
  Site &entry = result.sites[number];
  entry.bytes = bytes;
  entry.alignment = alignment;
  entry.elementBytes = bytes;
  entry.space =
      cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  if (origin.kind == Origin::Argument)
    entry.argument = origin.index;
  if (origin.kind == Origin::SharedObject)
    entry.object = origin.index;
  return true;
}

LogicalResult Lowering::lowerAccess(Operation *op) {
  builder.setInsertionPoint(op);
  uint32_t number = 0;
  // NVPTX takes the type's own alignment where none is given, and splits an
  // access that is wider than its alignment.
  auto alignmentOf = [&](std::optional<uint64_t> given, Type type) {
    return given.value_or(layout.getTypeABIAlignment(type));
  };
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    Type type = load.getResult().getType();
    uint64_t bytes = layout.getTypeSize(type);
    if (accessSite(op, load.getAddr(), bytes,
                   alignmentOf(load.getAlignment(), type), number)) {
      result.sites[number].invariant = load.getInvariant();
      result.sites[number].atomic =
          load.getOrdering() != LLVM::AtomicOrdering::not_atomic ||
          load.getVolatile_();
      call("rmsemu_load", {}, {address(load.getAddr()), i32(number)});
      bool acquires = load.getOrdering() == LLVM::AtomicOrdering::acquire;
      if (result.sites[number].atomic)
        call("rmsemu_atomic_load", {},
             {address(load.getAddr()), i32(acquires), i32(number)});
    }
    // The attributes are promises to the optimiser of another target.
    load.setInvariant(false);
    return success();
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    Type type = store.getValue().getType();
    uint64_t bytes = layout.getTypeSize(type);
    if (bytes > 128)
      return op->emitError("the emulator does not support stores of more than "
                           "128 bytes");
    if (accessSite(op, store.getAddr(), bytes,
                   alignmentOf(store.getAlignment(), type), number)) {
      result.sites[number].atomic =
          store.getOrdering() != LLVM::AtomicOrdering::not_atomic ||
          store.getVolatile_();
      call("rmsemu_store", {},
           {address(store.getAddr()), i32(number), spill(store.getValue())});
    }
    return success();
  }
  auto maskBits = [&](Value mask) -> Value {
    unsigned width = cast<VectorType>(mask.getType()).getNumElements();
    Value bits = LLVM::BitcastOp::create(builder, location,
                                         builder.getIntegerType(width), mask);
    if (width < 64)
      bits =
          LLVM::ZExtOp::create(builder, location, builder.getI64Type(), bits);
    return bits;
  };
  auto masked = [&](Value pointer, VectorType type, uint64_t alignment,
                    Value mask, Value stored) -> LogicalResult {
    if (type.getNumElements() > 64)
      return op->emitError("the emulator does not support masks of more than "
                           "64 elements");
    if (!accessSite(op, pointer, layout.getTypeSize(type), alignment, number))
      return success();
    result.sites[number].elementBytes =
        layout.getTypeSize(type.getElementType());
    if (stored)
      call("rmsemu_masked_store", {},
           {address(pointer), maskBits(mask), i32(number), spill(stored)});
    else
      call("rmsemu_masked_load", {},
           {address(pointer), maskBits(mask), i32(number)});
    return success();
  };
  if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
    return masked(load.getData(), cast<VectorType>(load.getRes().getType()),
                  load.getAlignment(), load.getMask(), Value());
  if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
    return masked(store.getData(), cast<VectorType>(store.getValue().getType()),
                  store.getAlignment(), store.getMask(), store.getValue());

  // Atomics run as the host's own.
  Value pointer;
  Type type;
  LLVM::AtomicOrdering ordering;
  if (auto rmw = dyn_cast<LLVM::AtomicRMWOp>(op)) {
    pointer = rmw.getPtr();
    type = rmw.getVal().getType();
    ordering = rmw.getOrdering();
  } else {
    auto exchange = cast<LLVM::AtomicCmpXchgOp>(op);
    pointer = exchange.getPtr();
    type = exchange.getVal().getType();
    ordering = exchange.getSuccessOrdering();
  }
  uint64_t bytes = layout.getTypeSize(type);
  if (accessSite(op, pointer, bytes, bytes, number)) {
    result.sites[number].atomic = true;
    using Ordering = LLVM::AtomicOrdering;
    bool both = ordering == Ordering::acq_rel || ordering == Ordering::seq_cst;
    bool releases = both || ordering == Ordering::release;
    bool acquires = both || ordering == Ordering::acquire;
    call("rmsemu_atomic", {},
         {address(pointer), i32(releases), i32(acquires), i32(number)});
  }
  return success();
}

LogicalResult Lowering::lowerInlinePtx(NVVM::InlinePtxOp op) {
  const InlinePtx *entry = lookupInlinePtx(op.getPtxCode());
  if (!entry)
    return op->emitError("the emulator has no twin of the inline PTX '")
           << op.getPtxCode()
           << "': it is not in the table of passes/include/rmsc/Target/"
              "InlinePtx.h";
  if (entry->kind == InlinePtx::Kind::Pin && op->getNumResults() == 0) {
    op->erase();
    return success();
  }
  bool isStore = entry->kind == InlinePtx::Kind::Store;
  unsigned words = entry->bytes / 4;
  unsigned operands = op.getReadOnlyArgs().size();
  if (op.getPredicate() || !op.getReadWriteArgs().empty() ||
      operands != (isStore ? words + 1 : 1) ||
      op->getNumResults() != (isStore ? 0 : words))
    return op->emitError("the operands of the inline PTX '")
           << op.getPtxCode() << "' are not those of its entry in the table";
  Value pointer = op.getReadOnlyArgs().front();
  Type word = builder.getI32Type();
  auto type = VectorType::get(words, word);
  uint32_t number = 0;
  bool checked = accessSite(op, pointer, entry->bytes, entry->bytes, number);
  if (checked)
    result.sites[number].op = entry->text.split(' ').first.str();
  if (isStore) {
    Value value = LLVM::UndefOp::create(builder, location, type);
    for (unsigned i = 0; i < words; ++i) {
      Value operand = op.getReadOnlyArgs()[i + 1];
      if (operand.getType() != word)
        operand = LLVM::BitcastOp::create(builder, location, word, operand);
      value = LLVM::InsertElementOp::create(builder, location, value, operand,
                                            i32(i));
    }
    if (checked)
      call("rmsemu_store", {}, {address(pointer), i32(number), spill(value)});
    LLVM::StoreOp::create(builder, location, value, pointer, 4);
  } else {
    if (checked)
      call("rmsemu_load", {}, {address(pointer), i32(number)});
    Value value = LLVM::LoadOp::create(builder, location, type, pointer, 4);
    for (unsigned i = 0; i < words; ++i) {
      Value loaded =
          LLVM::ExtractElementOp::create(builder, location, value, i32(i));
      Type wanted = op->getResult(i).getType();
      if (wanted != word)
        loaded = LLVM::BitcastOp::create(builder, location, wanted, loaded);
      op->getResult(i).replaceAllUsesWith(loaded);
    }
  }
  op->erase();
  return success();
}

LogicalResult Lowering::lowerIntrinsicCall(LLVM::CallIntrinsicOp op) {
  StringRef name = op.getIntrin();
  ValueRange args = op.getArgs();
  Value value;
  Type f32 = builder.getF32Type();
  // The names on the left are LLVM's; what they do is PTX's.
  if (name == "llvm.nvvm.rsqrt.approx.f")
    value = call("rmsemu_rsqrt_approx", f32, args);
  else if (name == "llvm.nvvm.sqrt.rn.f")
    value = LLVM::SqrtOp::create(builder, location, args[0]);
  else if (name == "llvm.nvvm.div.rn.f")
    value = LLVM::FDivOp::create(builder, location, args[0], args[1]);
  else if (name == "llvm.nvvm.add.rn.f")
    value = LLVM::FAddOp::create(builder, location, args[0], args[1]);
  else if (name == "llvm.nvvm.mul.rn.f")
    value = LLVM::FMulOp::create(builder, location, args[0], args[1]);
  else if (name == "llvm.nvvm.fma.rn.f")
    value = LLVM::FMAOp::create(builder, location, args[0], args[1], args[2]);
  else if (name == "llvm.nvvm.rcp.rn.f")
    value = LLVM::FDivOp::create(
        builder, location,
        LLVM::ConstantOp::create(builder, location, f32,
                                 builder.getF32FloatAttr(1.0f)),
        args[0]);
  else
    return op->emitError("the emulator does not support the intrinsic '")
           << name << "'";
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

LogicalResult Lowering::lowerNVVM(Operation *op) {
  Type word = builder.getI32Type(), wide = builder.getI64Type();
  auto replace = [&](Value value) {
    if (value)
      op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };

  StringRef name = op->getName().stripDialect();
  if (name.consume_front("read.ptx.sreg.")) {
    std::optional<SpecialRegister> which = lookupSpecialRegister(name);
    if (!which)
      return op->emitError("the emulator does not support '")
             << op->getName() << "'";
    return replace(call("rmsemu_sreg", word, {i32(uint32_t(*which))}));
  }
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    Value operand = shuffle.getVal();
    Type type = operand.getType();
    if (type != word)
      operand = LLVM::BitcastOp::create(builder, location, word, operand);
    Value packed = call("rmsemu_shuffle", wide,
                        {shuffle.getThreadMask(), operand, shuffle.getOffset(),
                         shuffle.getMaskAndClamp(),
                         i32(uint32_t(shuffle.getKind())), i32(site(op))});
    Value value = LLVM::TruncOp::create(builder, location, word, packed);
    if (type != word)
      value = LLVM::BitcastOp::create(builder, location, type, value);
    if (!shuffle.getReturnValueAndIsValid())
      return replace(value);
    Value valid =
        LLVM::LShrOp::create(builder, location, packed, constant(wide, 32));
    valid =
        LLVM::TruncOp::create(builder, location, builder.getI1Type(), valid);
    Value pair =
        LLVM::UndefOp::create(builder, location, shuffle.getRes().getType());
    pair = LLVM::InsertValueOp::create(builder, location, pair, value,
                                       ArrayRef<int64_t>{0});
    pair = LLVM::InsertValueOp::create(builder, location, pair, valid,
                                       ArrayRef<int64_t>{1});
    return replace(pair);
  }
  if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op)) {
    Value predicate =
        LLVM::ZExtOp::create(builder, location, word, vote.getPred());
    Value value = call("rmsemu_vote", word,
                       {vote.getMask(), predicate,
                        i32(uint32_t(vote.getKind())), i32(site(op))});
    if (vote.getRes().getType() != word)
      value = LLVM::TruncOp::create(builder, location, vote.getRes().getType(),
                                    value);
    return replace(value);
  }
  if (isa<NVVM::Barrier0Op>(op)) {
    call("rmsemu_barrier", {}, {i32(site(op))});
    return replace({});
  }
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op)) {
    if (barrier->getNumOperands() != 0)
      return op->emitError("the emulator supports 'nvvm.barrier' for the whole "
                           "CTA only, without a barrier number, a number of "
                           "threads or a reduction");
    call("rmsemu_barrier", {}, {i32(site(op))});
    return replace({});
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    call("rmsemu_warp_barrier", {}, {sync.getMask(), i32(site(op))});
    return replace({});
  }
  if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op)) {
    bool relaxed = isa<NVVM::ClusterArriveRelaxedOp>(op);
    call("rmsemu_cluster_arrive", {}, {i32(relaxed), i32(site(op))});
    return replace({});
  }
  if (isa<NVVM::ClusterWaitOp>(op)) {
    call("rmsemu_cluster_wait", {}, {i32(site(op))});
    return replace({});
  }
  if (auto control = dyn_cast<NVVM::GriddepcontrolOp>(op)) {
    bool wait = control.getKind() == NVVM::GridDepActionKind::wait;
    call(wait ? "rmsemu_grid_wait" : "rmsemu_grid_trigger", {}, {});
    return replace({});
  }
  if (auto map = dyn_cast<NVVM::MapaOp>(op)) {
    Value mapped = call("rmsemu_mapa", wide,
                        {address(map.getA()), map.getB(), i32(site(op))});
    return replace(LLVM::IntToPtrOp::create(builder, location,
                                            map.getRes().getType(), mapped));
  }
  if (isa<NVVM::MembarOp, NVVM::FenceScClusterOp>(op)) {
    call("rmsemu_fence", {}, {});
    return replace({});
  }
  if (auto inlinePtx = dyn_cast<NVVM::InlinePtxOp>(op))
    return lowerInlinePtx(inlinePtx);
  return op->emitError("the emulator does not support '")
         << op->getName() << "'";
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
  if (global.getAddrSpace() == Shared) {
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

} // namespace

FailureOr<LoweredModule>
rmsc::emulator::lowerToEmulatorCalls(gpu::GPUModuleOp module,
                                     const emulator::CompileOptions &options) {
  return Lowering(module, options).run();
}
