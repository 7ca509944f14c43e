//===-- RMSLinalgToArith.cpp - element-wise linalg as arith -----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One addition can be spelt in many ways: arith.addf on tensors, linalg.add,
// linalg.map, linalg.generic with casts in its body. Fusion knows the first
// one; here the others become it.
//
//===----------------------------------------------------------------------===//

#include "RMSFusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rms;

static bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp>(op);
}

static bool isCastOrAdd(Operation *op) {
  return isCast(op) || isa<arith::AddFOp>(op);
}

/// The constant behind a scalar that a body reads, or null.
static TypedAttr getScalarConstant(Value value) {
  FloatAttr attr;
  if (matchPattern(value, m_Constant(&attr)))
    return attr;
  return {};
}

std::string rmsc::explainLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "it works on buffers, and only ops on tensors are folded";
  if (op.getNumParallelLoops() != op.getNumLoops())
    return "it reduces, and only element-wise ops are folded";
  if (!llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return "it broadcasts or transposes an operand, and only ops whose "
           "operands "
           "all have one shape are folded";
  std::optional<ArrayRef<int64_t>> shape;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || (shape && *shape != type.getShape()))
      return "its operands do not all have one shape";
    shape = type.getShape();
  }
  Block *body = op.getBlock();
  for (Value arg : body->getArguments().drop_front(op.getNumDpsInputs()))
    if (!arg.use_empty())
      return "its body reads what the output held before";
  bool isDynamic = shape && ShapedType::isDynamicShape(*shape);
  for (Operation &inner : body->without_terminator()) {
    if (matchPattern(&inner, m_Constant()))
      continue;
    if (!isCastOrAdd(&inner))
      return ("its body holds '" + inner.getName().getStringRef() +
              "', and only additions and casts are folded")
          .str();
  }
  for (Operation &inner : *body)
    for (Value operand : inner.getOperands()) {
      bool isLocal = operand.getParentBlock() == body;
      bool isConstant = static_cast<bool>(getScalarConstant(operand));
      if ((!isLocal && !isConstant) || (isConstant && isDynamic))
        return "its body reads a scalar, and only ops on tensors are folded";
    }
  return {};
}

/// Whether the value reaches an rms op through additions and casts.
static bool feedsKernel(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<KernelOpInterface>(user))
      return true;
    return isCastOrAdd(user) && feedsKernel(user->getResult(0));
  });
}

/// Whether the value is a result of an rms op, or of additions and casts of
/// one.
static bool comesFromKernel(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  if (isa<KernelOpInterface>(def))
    return true;
  return isCastOrAdd(def) && llvm::any_of(def->getOperands(), comesFromKernel);
}

/// Whether fusion could fold the op if it were `arith` on tensors.
static bool isNextToKernel(linalg::LinalgOp op) {
  if (llvm::any_of(op->getResults(), feedsKernel))
    return true;
  bool onlyCasts =
      llvm::all_of(op.getBlock()->without_terminator(),
                   [](Operation &inner) { return isCast(&inner); });
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    // A truncation of the sum that an rms op uses too becomes a result of the
    // op, and so does a truncation of a result. Beyond that only the gradient
    // takes an addition after the op.
    if (onlyCasts &&
        (comesFromKernel(operand) ||
         (operand.getDefiningOp<arith::AddFOp>() && feedsKernel(operand))))
      return true;
    return operand.getDefiningOp<NormBackwardOp>() != nullptr;
  });
}

static void rewriteAsArith(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  Block *body = op.getBlock();
  IRMapping tensors;
  for (auto [arg, operand] : llvm::zip(body->getArguments(), op->getOperands()))
    tensors.map(arg, operand);
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType());
  auto mapConstants = [&](Operation &inner) {
    for (Value operand : inner.getOperands()) {
      TypedAttr scalar = getScalarConstant(operand);
      if (!scalar || tensors.contains(operand))
        continue;
      auto splat = DenseElementsAttr::get(shape.clone(scalar.getType()),
                                          ArrayRef<Attribute>(scalar));
      tensors.map(
          operand,
          arith::ConstantOp::create(rewriter, op.getLoc(), splat).getResult());
    }
  };
  for (Operation &inner : *body) {
    mapConstants(inner);
    if (!isCastOrAdd(&inner))
      continue;
    Operation *onTensors = rewriter.clone(inner, tensors);
    Value result = onTensors->getResult(0);
    result.setType(shape.clone(result.getType()));
  }
  rewriter.replaceOp(op,
                     llvm::map_to_vector(body->getTerminator()->getOperands(),
                                         [&](Value value) -> Value {
                                           return tensors.lookup(value);
                                         }));
}

unsigned rmsc::rewriteLinalgAsArith(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (explainLinalg(op).empty())
      ops.push_back(op);
  });
  // An op that is rewritten may bring the next one beside an rms op.
  unsigned numRewritten = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (linalg::LinalgOp &op : ops) {
      if (!op || !isNextToKernel(op))
        continue;
      rewriteAsArith(rewriter, op);
      op = nullptr;
      changed = true;
      ++numRewritten;
    }
  }
  return numRewritten;
}
