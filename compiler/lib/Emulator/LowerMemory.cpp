//===-- LowerMemory.cpp - accesses to memory, watched -----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Origin.h"
#include "rmsc/Target/InlinePtx.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::emulator;

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
  if (entry->kind == InlinePtx::Kind::Zero && op->getNumOperands() == 1 &&
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(32)) {
    op->getResult(0).replaceAllUsesWith(i32(0));
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
