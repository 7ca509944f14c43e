//===-- RMSFuseResidualAdd.cpp - fold adds and casts into rms ops -*- C++
//-*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every fold has two halves. Its `plan` looks at the program, changes nothing,
// and either says what to do or refuses a candidate with the reason; its
// pattern carries a plan out. The reasons are so the same for the rewriter's
// listener, for the pass's remarks and for the errors of rms-check-fused.
//
//===----------------------------------------------------------------------===//

#include "RMSFusion.h"
#include "rmsc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace rmsc {
#define GEN_PASS_DEF_RMSFUSERESIDUALADD
#include "rmsc/Transforms/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace mlir::rms;
using rmsc::Refusal;

static Type getElementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// Whether values of this element type can be operands and results of an rms
/// op.
static bool isStorageType(Type element) {
  return element.isBF16() || element.isF16() || element.isF32();
}

/// Whether the truncation rounds as the ops do.
static bool roundsToNearestEven(arith::TruncFOp op) {
  std::optional<arith::RoundingMode> mode = op.getRoundingmode();
  return !mode || *mode == arith::RoundingMode::to_nearest_even;
}

static std::string format(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// What an extension from this element type has extended, or null.
static Value getExtendedFrom(Value value, Type element) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  if (extension && getElementType(extension.getIn()) == element)
    return extension.getIn();
  return {};
}

//===----------------------------------------------------------------------===//
// Extensions of operands
//===----------------------------------------------------------------------===//

/// Plans to give the op what this operand's extension has extended. No value
/// changes: the op extends to f32 itself.
static arith::ExtFOp planOperandExtension(OpOperand &operand, Refusal refused) {
  auto op = cast<KernelOpInterface>(operand.getOwner());
  StringRef role = op.getOperandRole(operand.getOperandNumber());
  Operation *def = operand.get().getDefiningOp();
  if (!def)
    return {};
  if (auto truncation = dyn_cast<arith::TruncFOp>(def)) {
    // A truncated sum is the residual add's to plan.
    if (role != "x" || !truncation.getIn().getDefiningOp<arith::AddFOp>())
      refused(truncation, role + " is rounded before the op, and the op has no "
                                 "attribute that says so");
    return {};
  }
  auto extension = dyn_cast<arith::ExtFOp>(def);
  if (!extension)
    return {};
  if (role == "rstd") {
    refused(extension, "rstd has to be f32");
    return {};
  }
  Type element = getElementType(extension.getIn());
  if (!isStorageType(element)) {
    refused(extension, "it extends " + format(element) + ", and " + role +
                           " has to be bf16, f16 or f32");
    return {};
  }
  return extension;
}

namespace {
struct FoldOperandExtension : OpInterfaceRewritePattern<KernelOpInterface> {
  FoldOperandExtension(MLIRContext *context, Pass::Statistic &numFolded)
      : OpInterfaceRewritePattern(context), numFolded(numFolded) {}

  LogicalResult matchAndRewrite(KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      arith::ExtFOp extension = planOperandExtension(
          operand, [&](Operation *at, const Twine &reason) {
            (void)rewriter.notifyMatchFailure(at, reason);
          });
      if (!extension)
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        // The roundings are to the types that x and the residual have had: to
        // f32, which is no rounding.
        if (auto norm = dyn_cast<NormOp>(op.getOperation())) {
          if (operand.get() == norm.getX())
            norm.setNormRounding(Rounding::None);
          if (operand.get() == norm.getResidual())
            norm.setResidualRounding(Rounding::None);
        }
        operand.set(extension.getIn());
      });
      ++numFolded;
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is an extension");
  }

private:
  Pass::Statistic &numFolded;
};
} // namespace

//===----------------------------------------------------------------------===//
// Residual add
//===----------------------------------------------------------------------===//

namespace {
struct ResidualAdd {
  Value x, residual;
  Rounding residualRounding = Rounding::None;
  /// What the op's result `sum` stands for, where anything but the op uses it:
  /// the addition, or the truncations of it.
  SmallVector<Value, 2> sums;
  /// Where the fused op goes, so that it comes before every use of the sum.
  Operation *insertBefore = nullptr;
  unsigned numCasts = 0;
};
} // namespace

/// Picks the addends' roles where the sum is rounded to `element`: the residual
/// has to be stored in it, for `residual_rounding` rounds to its type.
static LogicalResult planRoundedSum(NormOp op, arith::AddFOp add,
                                    arith::TruncFOp truncation,
                                    ResidualAdd &plan, Refusal refused) {
  Type element = getElementType(truncation.getOut());
  Value x = add.getLhs(), other = add.getRhs();
  if (!getExtendedFrom(other, element))
    std::swap(x, other);
  plan.residual = getExtendedFrom(other, element);
  if (!plan.residual) {
    refused(truncation,
            "it rounds the sum to " + format(element) +
                ", but neither addend is extended from that type, and "
                "residual_rounding can round to the residual's type only");
    return failure();
  }
  plan.x = x;
  if (op.getNormRounding() == Rounding::Storage) {
    plan.x = getExtendedFrom(x, element);
    if (!plan.x) {
      refused(truncation,
              "norm_rounding rounds to x's type, which would change "
              "from " +
                  format(element) + " to " + format(getElementType(x)));
      return failure();
    }
  }
  plan.residualRounding = Rounding::Storage;
  // Two truncations of one sum are one value; anything else would need the sum
  // that the op no longer has.
  for (Operation *user : add->getUsers()) {
    auto same = dyn_cast<arith::TruncFOp>(user);
    if (same && roundsToNearestEven(same) &&
        same.getType() == truncation.getType()) {
      plan.sums.push_back(same.getOut());
      ++plan.numCasts;
      continue;
    }
    refused(add, "the norm uses the sum rounded to " + format(element) +
                     ", but '" + user->getName().getStringRef() +
                     "' uses it unrounded, and the op has one sum only");
    return failure();
  }
  return success();
}

static std::optional<ResidualAdd> planResidualAdd(NormOp op, Refusal refused) {
  Operation *def = op.getX().getDefiningOp();
  auto truncation = dyn_cast_or_null<arith::TruncFOp>(def);
  auto add = truncation ? truncation.getIn().getDefiningOp<arith::AddFOp>()
                        : dyn_cast_or_null<arith::AddFOp>(def);
  if (!add)
    return std::nullopt;
  if (op.getResidual()) {
    refused(add, "the op has a residual already, and adds two terms only");
    return std::nullopt;
  }
  ResidualAdd plan;
  Type element = getElementType(add);
  if (truncation) {
    if (!roundsToNearestEven(truncation)) {
      refused(truncation, "it does not round to nearest even, as the op does");
      return std::nullopt;
    }
    if (!element.isF32()) {
      refused(add, "the sum is computed in " + format(element) +
                       ", and the op computes it in f32");
      return std::nullopt;
    }
    if (failed(planRoundedSum(op, add, truncation, plan, refused)))
      return std::nullopt;
  } else {
    // An addition in bf16 or f16 rounds the exact sum. The op rounds it to f32
    // first, which gives the same: f32 has more than twice their digits, and
    // two more.
    plan.x = add.getLhs();
    plan.residual = add.getRhs();
    if (!element.isF32())
      plan.residualRounding = Rounding::Storage;
    plan.sums.push_back(add);
  }

  // Uses of the sum beside the norm's own.
  SmallVector<Operation *> users;
  for (Value sum : plan.sums)
    for (OpOperand &use : sum.getUses()) {
      if (use.getOwner() != op) {
        users.push_back(use.getOwner());
      } else if (use.get() != op.getX() || use.getOperandNumber() != 0) {
        refused(add, "the op uses the sum as its weight too");
        return std::nullopt;
      }
    }
  if (users.empty()) {
    plan.sums.clear();
    plan.insertBefore = op;
    return plan;
  }
  DominanceInfo dominance;
  if (!op.getWeight() || dominance.properlyDominates(op.getWeight(), add)) {
    plan.insertBefore = add;
    return plan;
  }
  for (Operation *user : users)
    if (!dominance.properlyDominates(op.getOperation(), user)) {
      refused(add, "'" + user->getName().getStringRef() +
                       "' uses the sum before the norm's weight is computed");
      return std::nullopt;
    }
  plan.insertBefore = op;
  return plan;
}

namespace {
struct FoldResidualAdd : OpRewritePattern<NormOp> {
  FoldResidualAdd(MLIRContext *context, Pass::Statistic &numAdds,
                  Pass::Statistic &numCasts)
      : OpRewritePattern(context), numAdds(numAdds), numCasts(numCasts) {}

  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ResidualAdd> plan =
        planResidualAdd(op, [&](Operation *at, const Twine &reason) {
          (void)rewriter.notifyMatchFailure(at, reason);
        });
    if (!plan)
      return rewriter.notifyMatchFailure(op, "x is no sum that can be folded");
    rewriter.setInsertionPoint(plan->insertBefore);
    auto fused = NormOp::create(
        rewriter, op.getLoc(), op.getY().getType(),
        plan->sums.empty() ? Type() : plan->sums.front().getType(),
        op.getRstd() ? op.getRstd().getType() : Type(),
        op.getNormalized() ? op.getNormalized().getType() : Type(), plan->x,
        plan->residual, op.getWeight(), op.getEpsilonAttr(),
        op.getWeightOffsetAttr(),
        RoundingAttr::get(getContext(), plan->residualRounding),
        op.getNormRoundingAttr());
    fused->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<Value> results{fused.getY()};
    if (op.getRstd())
      results.push_back(fused.getRstd());
    if (op.getNormalized())
      results.push_back(fused.getNormalized());
    rewriter.replaceOp(op, results);
    for (Value sum : plan->sums)
      rewriter.replaceAllUsesWith(sum, fused.getSum());
    ++numAdds;
    numCasts += plan->numCasts;
    return success();
  }

private:
  Pass::Statistic &numAdds, &numCasts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Weight offset
//===----------------------------------------------------------------------===//

namespace {
struct WeightOffset {
  Value weight;
  APFloat offset;
};
} // namespace

template <typename OpTy>
static std::optional<WeightOffset> planWeightOffset(OpTy op, Refusal refused) {
  if (!op.getWeight())
    return std::nullopt;
  auto add = op.getWeight().template getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  Type element = getElementType(add);
  if (!element.isF32()) {
    refused(add, "it adds to the weight in " + format(element) +
                     ", and the op adds weight_offset in f32");
    return std::nullopt;
  }
  for (auto [weight, offset] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())}) {
    DenseElementsAttr constant;
    if (!matchPattern(offset, m_Constant(&constant)) || !constant.isSplat())
      continue;
    APFloat value = constant.getSplatValue<APFloat>();
    if (!value.isFinite()) {
      refused(add, "weight_offset has to be finite");
      return std::nullopt;
    }
    if (!op.getWeightOffset().isZero()) {
      refused(add, "the op has a weight_offset already, and adds one only");
      return std::nullopt;
    }
    return WeightOffset{weight, value};
  }
  refused(add, "what it adds to the weight is not one constant");
  return std::nullopt;
}

namespace {
template <typename OpTy> struct FoldWeightOffset : OpRewritePattern<OpTy> {
  FoldWeightOffset(MLIRContext *context, Pass::Statistic &numAdds)
      : OpRewritePattern<OpTy>(context), numAdds(numAdds) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<WeightOffset> plan =
        planWeightOffset(op, [&](Operation *at, const Twine &reason) {
          (void)rewriter.notifyMatchFailure(at, reason);
        });
    if (!plan)
      return rewriter.notifyMatchFailure(op,
                                         "the weight has no offset to fold");
    rewriter.modifyOpInPlace(op, [&] {
      op.getWeightMutable().assign(plan->weight);
      op.setWeightOffset(plan->offset);
    });
    ++numAdds;
    return success();
  }

private:
  Pass::Statistic &numAdds;
};
} // namespace

//===----------------------------------------------------------------------===//
// Truncations of results
//===----------------------------------------------------------------------===//

/// Plans to give this result the type to which all its uses round it. No value
/// changes: the op computes in f32 and rounds once, to the result's type.
static Type planResultTruncation(OpResult result, Refusal refused) {
  auto op = cast<KernelOpInterface>(result.getOwner());
  StringRef role = op.getResultRole(result.getResultNumber());
  Type element = getElementType(result);
  arith::TruncFOp first;
  Operation *other = nullptr;
  for (Operation *user : result.getUsers()) {
    if (auto extension = dyn_cast<arith::ExtFOp>(user))
      refused(extension, role + " is rounded to " + format(element) +
                             " before it is extended, and the op would not "
                             "round it there");
    auto truncation = dyn_cast<arith::TruncFOp>(user);
    if (!truncation || (first && truncation.getType() != first.getType()))
      other = user;
    else if (!first)
      first = truncation;
  }
  if (!first)
    return {};
  Type narrow = getElementType(first.getOut());
  if (role == "rstd")
    refused(first, "rstd has to be f32");
  else if (!element.isF32())
    refused(first, role + " is rounded to " + format(element) +
                       " first, and the op would round it once");
  else if (!isStorageType(narrow))
    refused(first, "it gives " + format(narrow) + ", and " + role +
                       " has to be bf16, f16 or f32");
  else if (other)
    refused(first, "'" + other->getName().getStringRef() + "' uses " + role +
                       " with another rounding or none, and the op gives it "
                       "once");
  else if (!llvm::all_of(result.getUsers(), [](Operation *user) {
             return roundsToNearestEven(cast<arith::TruncFOp>(user));
           }))
    refused(first, "it does not round to nearest even, as the op does");
  else
    return first.getType();
  return {};
}

namespace {
struct FoldResultTruncation : OpInterfaceRewritePattern<KernelOpInterface> {
  FoldResultTruncation(MLIRContext *context, Pass::Statistic &numFolded)
      : OpInterfaceRewritePattern(context), numFolded(numFolded) {}

  LogicalResult matchAndRewrite(KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (OpResult result : op->getResults()) {
      Type type =
          planResultTruncation(result, [&](Operation *at, const Twine &reason) {
            (void)rewriter.notifyMatchFailure(at, reason);
          });
      if (!type)
        continue;
      rewriter.modifyOpInPlace(op, [&] { result.setType(type); });
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        rewriter.replaceOp(user, result);
        ++numFolded;
      }
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no result is truncated");
  }

private:
  Pass::Statistic &numFolded;
};
} // namespace

//===----------------------------------------------------------------------===//
// Direct gradient of the residual stream
//===----------------------------------------------------------------------===//

namespace {
struct GradSum {
  arith::AddFOp add;
  Value gradSum;
  Operation *insertBefore = nullptr;
};
} // namespace

static std::optional<GradSum> planGradSum(NormBackwardOp op, Refusal refused) {
  if (!op.getDx())
    return std::nullopt;
  arith::AddFOp add;
  for (Operation *user : op.getDx().getUsers())
    if (auto candidate = dyn_cast<arith::AddFOp>(user))
      add = candidate;
  if (!add)
    return std::nullopt;
  Type element = getElementType(op.getDx());
  auto refuse = [&](const Twine &reason) {
    refused(add, reason);
    return std::nullopt;
  };
  if (!element.isF32())
    return refuse("dx is rounded to " + format(element) +
                  " before the addition, and the op rounds it after it");
  if (!op.getDx().hasOneUse())
    return refuse("dx is used without the addition too");
  if (op.getGradSum())
    return refuse("the op has a grad_sum already, and adds one only");
  GradSum plan;
  plan.add = add;
  plan.gradSum = add.getLhs() == op.getDx() ? add.getRhs() : add.getLhs();
  plan.insertBefore = op;
  // The op moves down to the addition where what is added comes after the op.
  DominanceInfo dominance;
  if (!dominance.properlyDominates(plan.gradSum, op)) {
    plan.insertBefore = add;
    if (op.getDw())
      for (Operation *user : op.getDw().getUsers())
        if (!dominance.properlyDominates(add.getOperation(), user))
          return refuse("'" + user->getName().getStringRef() +
                        "' uses dw before the addend is computed");
  }
  return plan;
}

namespace {
struct FoldGradSum : OpRewritePattern<NormBackwardOp> {
  FoldGradSum(MLIRContext *context, Pass::Statistic &numAdds)
      : OpRewritePattern(context), numAdds(numAdds) {}

  LogicalResult matchAndRewrite(NormBackwardOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<GradSum> plan =
        planGradSum(op, [&](Operation *at, const Twine &reason) {
          (void)rewriter.notifyMatchFailure(at, reason);
        });
    if (!plan)
      return rewriter.notifyMatchFailure(op, "dx has no addition to fold");
    rewriter.setInsertionPoint(plan->insertBefore);
    auto fused = NormBackwardOp::create(
        rewriter, op.getLoc(), op.getDx().getType(),
        op.getDw() ? op.getDw().getType() : Type(), op.getGradOutput(),
        op.getNormalized(), op.getSum(), op.getRstd(), op.getWeight(),
        plan->gradSum, op.getWeightOffsetAttr());
    fused->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(plan->add, fused.getDx());
    if (op.getDw())
      rewriter.replaceAllUsesWith(op.getDw(), fused.getDw());
    rewriter.eraseOp(op);
    ++numAdds;
    return success();
  }

private:
  Pass::Statistic &numAdds;
};
} // namespace

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

void rmsc::explainRefusals(KernelOpInterface op, Refusal refused) {
  for (OpOperand &operand : op->getOpOperands()) {
    StringRef role = op.getOperandRole(operand.getOperandNumber());
    (void)planOperandExtension(operand, refused);
    Operation *def = operand.get().getDefiningOp();
    if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(def))
      if (std::string reason = explainLinalg(linalgOp); !reason.empty())
        refused(linalgOp, reason);
    if (isa_and_nonnull<arith::AddFOp>(def) && role != "x" && role != "weight")
      refused(def, "the op adds nothing to " + role);
  }
  for (OpResult result : op->getResults()) {
    StringRef role = op.getResultRole(result.getResultNumber());
    (void)planResultTruncation(result, refused);
    for (Operation *user : result.getUsers())
      if (isa<arith::AddFOp>(user) && role != "dx")
        refused(user, "the op adds nothing to " + role);
  }
  if (auto norm = dyn_cast<NormOp>(op.getOperation())) {
    (void)planResidualAdd(norm, refused);
    (void)planWeightOffset(norm, refused);
  } else if (auto backward = dyn_cast<NormBackwardOp>(op.getOperation())) {
    (void)planGradSum(backward, refused);
    (void)planWeightOffset(backward, refused);
  }
}

namespace {
struct RMSFuseResidualAdd
    : rmsc::impl::RMSFuseResidualAddBase<RMSFuseResidualAdd> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    numLinalg += rmsc::rewriteLinalgAsArith(rewriter, getOperation());

    RewritePatternSet patterns(&getContext());
    patterns.add<FoldOperandExtension>(&getContext(), numCasts);
    patterns.add<FoldResultTruncation>(&getContext(), numCasts);
    patterns.add<FoldResidualAdd>(&getContext(), numAdds, numCasts);
    patterns.add<FoldGradSum>(&getContext(), numAdds);
    patterns.add<FoldWeightOffset<NormOp>, FoldWeightOffset<NormBackwardOp>>(
        &getContext(), numAdds);
    // Nothing else is to change: folding and merging of constants are left to
    // canonicalize, whoever wants it.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();

    if (!remarks)
      return;
    getOperation()->walk([](KernelOpInterface op) {
      rmsc::explainRefusals(op, [&](Operation *at, const Twine &reason) {
        at->emitRemark() << "not folded into '" << op->getName()
                         << "': " << reason;
      });
    });
  }
};
} // namespace
