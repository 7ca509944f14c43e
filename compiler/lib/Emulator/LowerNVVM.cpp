//===-- LowerNVVM.cpp - what a thread shares with others --------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "RuntimeCalls.h"

using namespace mlir;
using namespace rmsc;
using namespace rmsc::emulator;

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
