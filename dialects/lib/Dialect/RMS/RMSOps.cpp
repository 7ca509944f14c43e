//===-- RMSOps.cpp - ops of the rms dialect ---------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/RMS/RMS.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"

#include <limits>

using namespace mlir;
using namespace mlir::rms;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Parses an f32 without its type: the op says f32, the text need not.
static ParseResult parseShortFloat(OpAsmParser &parser, FloatAttr &attr) {
  APFloat value(0.0f);
  if (parser.parseFloat(APFloat::IEEEsingle(), value))
    return failure();
  attr = FloatAttr::get(parser.getBuilder().getF32Type(), value);
  return success();
}

/// Prints the fewest digits that parse to the same f32: 1.0e-06, where the
/// builtin printer writes 9.99999997E-7.
static void printShortFloat(OpAsmPrinter &printer, Operation *,
                            FloatAttr attr) {
  APFloat value = attr.getValue();
  if (!value.isFinite()) {
    SmallString<16> bits;
    value.bitcastToAPInt().toString(bits, /*Radix=*/16, /*Signed=*/false,
                                    /*formatAsCLiteral=*/true);
    printer << bits;
    return;
  }
  std::string text;
  for (int digits = 1; digits <= std::numeric_limits<float>::max_digits10;
       ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format(
        "%.*g", digits, static_cast<double>(value.convertToFloat()));
    if (APFloat(APFloat::IEEEsingle(), text).bitwiseIsEqual(value))
      break;
  }
  // The token of a float has a point, which %g leaves out where it can.
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  printer << text;
}

/// Parses and prints a rounding as a bare word.
static ParseResult parseRounding(OpAsmParser &parser, RoundingAttr &attr) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Rounding> rounding = symbolizeRounding(keyword);
  if (!rounding)
    return parser.emitError(loc)
           << "expected a rounding, 'none' or 'storage', but found '" << keyword
           << "'";
  attr = RoundingAttr::get(parser.getContext(), *rounding);
  return success();
}

static void printRounding(OpAsmPrinter &printer, Operation *,
                          RoundingAttr attr) {
  printer << stringifyRounding(attr.getValue());
}

#define GET_OP_CLASSES
#include "rmsc/Dialect/RMS/RMSOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Prints a shape as it stands in a tensor's type: [?, 2048].
static std::string formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(shape, stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << '?';
    else
      stream << size;
  });
  stream << ']';
  return text;
}

namespace {
/// Checks the tensors of one op against the tensor that gives its rows and its
/// hidden size.
class TensorVerifier {
public:
  TensorVerifier(Operation *op, StringRef mainName, Value mainValue)
      : op(op), mainName(mainName),
        mainType(cast<RankedTensorType>(mainValue.getType())) {}

  LogicalResult verifyMain() const {
    if (mainType.getRank() == 0)
      return op->emitOpError()
             << mainName << " must have a last dimension, the hidden size, but "
             << "is " << mainType
             << "; a single row of H elements is a tensor of shape [H]";
    if (ShapedType::isDynamic(getHiddenSize()))
      return op->emitOpError()
             << "hidden size, the last dimension of " << mainName
             << ", must be static, but " << mainName << " is " << mainType
             << "; write it as a number and compile a kernel for each hidden "
                "size in use";
    if (getHiddenSize() < 1)
      return op->emitOpError()
             << "hidden size, the last dimension of " << mainName
             << ", must be at least 1, but " << mainName << " is " << mainType
             << "; a row without elements has no mean";
    return verifyElementType(mainName, mainType);
  }

  /// Checks a tensor of one row of H elements for every row. A value that is
  /// not there passes, here and below.
  LogicalResult verifyRows(StringRef name, Value value) const {
    if (!value)
      return success();
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyElementType(name, type)))
      return failure();
    if (succeeded(verifyCompatibleShape(type, mainType)))
      return success();
    return op->emitOpError()
           << name << " must have the shape of " << mainName << ", "
           << formatShape(mainType.getShape()) << ", but has the shape "
           << formatShape(type.getShape())
           << "; broadcast or reshape it before the op";
  }

  /// Checks a tensor of H elements that all rows share.
  LogicalResult verifyColumns(StringRef name, Value value) const {
    if (!value)
      return success();
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyElementType(name, type)))
      return failure();
    if (type.getRank() == 1 && type.getDimSize(0) == getHiddenSize())
      return success();
    return op->emitOpError()
           << name << " must have one element a column, shape ["
           << getHiddenSize() << "], but has the shape "
           << formatShape(type.getShape());
  }

  /// Checks a tensor of one f32 for every row.
  LogicalResult verifyScalars(StringRef name, Value value) const {
    if (!value)
      return success();
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyEncoding(name, type)))
      return failure();
    if (!type.getElementType().isF32())
      return op->emitOpError()
             << name << " must hold f32, but holds " << type.getElementType()
             << "; a reciprocal root of fewer bits would spoil its whole row";
    ArrayRef<int64_t> leading = mainType.getShape().drop_back();
    SmallVector<int64_t> kept(leading);
    kept.push_back(1);
    if (succeeded(verifyCompatibleShape(type.getShape(), leading)) ||
        succeeded(verifyCompatibleShape(type.getShape(), kept)))
      return success();
    return op->emitOpError()
           << name << " must have one element a row, shape "
           << formatShape(leading) << " or " << formatShape(kept)
           << ", but has the shape " << formatShape(type.getShape());
  }

private:
  int64_t getHiddenSize() const { return mainType.getShape().back(); }

  LogicalResult verifyEncoding(StringRef name, RankedTensorType type) const {
    if (!type.getEncoding())
      return success();
    return op->emitOpError()
           << name << " must be a dense tensor without encoding, but is "
           << type;
  }

  LogicalResult verifyElementType(StringRef name, RankedTensorType type) const {
    if (failed(verifyEncoding(name, type)))
      return failure();
    Type element = type.getElementType();
    if (element.isBF16() || element.isF16() || element.isF32())
      return success();
    InFlightDiagnostic diag = op->emitOpError()
                              << name << " must hold bf16, f16 or f32, but "
                              << "holds " << element;
    if (element.isInteger() || element.isIndex())
      diag << "; convert it before the op, with arith.sitofp for example";
    else if (isa<FloatType>(element))
      diag << "; convert it before the op, with arith.truncf or arith.extf";
    return diag;
  }

  Operation *op;
  StringRef mainName;
  RankedTensorType mainType;
};
} // namespace

static LogicalResult verifyWeightOffset(Operation *op, APFloat offset,
                                        Value weight) {
  if (!offset.isFinite())
    return op->emitOpError() << "weight_offset must be a finite number";
  if (!weight && !offset.isZero())
    return op->emitOpError()
           << "weight_offset needs a weight to be added to; give a weight or "
              "leave weight_offset out";
  return success();
}

LogicalResult NormOp::verify() {
  TensorVerifier tensors(*this, "x", getX());
  if (failed(tensors.verifyMain()) ||
      failed(tensors.verifyRows("residual", getResidual())) ||
      failed(tensors.verifyColumns("weight", getWeight())) ||
      failed(tensors.verifyRows("y", getY())) ||
      failed(tensors.verifyRows("sum", getSum())) ||
      failed(tensors.verifyScalars("rstd", getRstd())) ||
      failed(tensors.verifyRows("normalized", getNormalized())))
    return failure();
  APFloat epsilon = getEpsilon();
  if (!epsilon.isFinite() || (epsilon.isNegative() && !epsilon.isZero()))
    return emitOpError()
           << "epsilon must be a finite number of at least 0; it is added to "
              "the mean of squares under the root";
  if (failed(verifyWeightOffset(*this, getWeightOffset(), getWeight())))
    return failure();
  if (getSum() && !getResidual())
    return emitOpError() << "the result sum needs a residual; without one the "
                            "sum is x itself";
  if (getResidualRounding() == Rounding::Storage && !getResidual())
    return emitOpError()
           << "residual_rounding(storage) needs a residual, whose element type "
              "is what the sum is rounded to";
  return success();
}

LogicalResult NormBackwardOp::verify() {
  if (!getNormalized() == !getSum())
    return emitOpError()
           << "needs exactly one of normalized and sum, but has "
           << (getSum() ? "both" : "neither")
           << "; give what the forward op has saved: its normalized rows, or "
              "its sum (x where there is no residual)";
  TensorVerifier tensors(*this, "grad_output", getGradOutput());
  if (failed(tensors.verifyMain()) ||
      failed(tensors.verifyRows("normalized", getNormalized())) ||
      failed(tensors.verifyRows("sum", getSum())) ||
      failed(tensors.verifyScalars("rstd", getRstd())) ||
      failed(tensors.verifyColumns("weight", getWeight())) ||
      failed(tensors.verifyRows("grad_sum", getGradSum())) ||
      failed(tensors.verifyRows("dx", getDx())) ||
      failed(tensors.verifyColumns("dw", getDw())) ||
      failed(verifyWeightOffset(*this, getWeightOffset(), getWeight())))
    return failure();
  if (!getDx() && !getDw())
    return emitOpError() << "must have at least one of the results dx and dw";
  if (getGradSum() && !getDx())
    return emitOpError()
           << "grad_sum needs the result dx, which it is added to";
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOpInterface
//===----------------------------------------------------------------------===//

/// The name of the group (an operand or result of the op's definition, each at
/// most one value) that holds value `index`.
static StringRef findRole(unsigned index, ArrayRef<StringLiteral> roles,
                          ArrayRef<int32_t> segmentSizes) {
  for (auto [role, size] : llvm::zip_equal(roles, segmentSizes))
    if (index-- == 0 && size != 0)
      return role;
    else if (size == 0)
      ++index;
  llvm_unreachable("no such operand or result");
}

StringRef NormOp::getOperationKind() { return "norm"; }
StringRef NormBackwardOp::getOperationKind() { return "norm_backward"; }

DictionaryAttr NormOp::describeOperation() {
  Builder builder(getContext());
  auto rounding = [&](Rounding value) {
    return builder.getStringAttr(stringifyRounding(value));
  };
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("epsilon", getEpsilonAttr()),
       builder.getNamedAttr("weight_offset", getWeightOffsetAttr()),
       builder.getNamedAttr("residual_rounding",
                            rounding(getResidualRounding())),
       builder.getNamedAttr("norm_rounding", rounding(getNormRounding()))});
}

DictionaryAttr NormBackwardOp::describeOperation() {
  Builder builder(getContext());
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("weight_offset", getWeightOffsetAttr())});
}

StringRef NormOp::getOperandRole(unsigned index) {
  return findRole(index, {"x", "residual", "weight"},
                  getProperties().operandSegmentSizes);
}
StringRef NormOp::getResultRole(unsigned index) {
  return findRole(index, {"y", "sum", "rstd", "normalized"},
                  getProperties().resultSegmentSizes);
}
StringRef NormBackwardOp::getOperandRole(unsigned index) {
  return findRole(
      index, {"grad_output", "normalized", "sum", "rstd", "weight", "grad_sum"},
      getProperties().operandSegmentSizes);
}
StringRef NormBackwardOp::getResultRole(unsigned index) {
  return findRole(index, {"dx", "dw"}, getProperties().resultSegmentSizes);
}

int64_t NormOp::getHiddenSize() { return getX().getType().getShape().back(); }
int64_t NormBackwardOp::getHiddenSize() {
  return getGradOutput().getType().getShape().back();
}

//===----------------------------------------------------------------------===//
// Result shapes
//===----------------------------------------------------------------------===//

/// Sizes of a result: dimension d is dimension d of the tensor that gives the
/// rows, but for the last dimension of 1 that `rstd` may have.
static SmallVector<OpFoldResult> reifyResult(OpBuilder &builder, Location loc,
                                             Value rows, Value result) {
  SmallVector<OpFoldResult> sizes;
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? tensor::getMixedSize(builder, loc, rows, dim)
                        : OpFoldResult(builder.getIndexAttr(size)));
  return sizes;
}

template <typename OpTy>
static LogicalResult reifyResults(OpBuilder &builder, OpTy op, Value rows,
                                  ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : op->getResults())
    shapes.push_back(reifyResult(builder, op.getLoc(), rows, result));
  return success();
}

LogicalResult NormOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyResults(builder, *this, getX(), shapes);
}
LogicalResult
NormBackwardOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  return reifyResults(builder, *this, getGradOutput(), shapes);
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

/// The type of a result that is in use, or null.
static Type getTypeIfUsed(Value result) {
  return result && !result.use_empty() ? result.getType() : Type();
}

/// The results that stay in place of those of an op that is replaced by one
/// with fewer results: null where a result is gone.
static void replaceResults(PatternRewriter &rewriter, Operation *op,
                           ArrayRef<std::pair<Value, Value>> results) {
  for (auto [from, to] : results)
    if (from && to)
      rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
}

namespace {
struct DropUnusedNormResults : OpRewritePattern<NormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    Type sum = getTypeIfUsed(op.getSum());
    Type rstd = getTypeIfUsed(op.getRstd());
    Type normalized = getTypeIfUsed(op.getNormalized());
    if (!sum == !op.getSum() && !rstd == !op.getRstd() &&
        !normalized == !op.getNormalized())
      return rewriter.notifyMatchFailure(op, "every optional result is in use");
    auto fewer =
        NormOp::create(rewriter, op.getLoc(), op.getY().getType(), sum, rstd,
                       normalized, op.getX(), op.getResidual(), op.getWeight(),
                       op.getEpsilonAttr(), op.getWeightOffsetAttr(),
                       op.getResidualRoundingAttr(), op.getNormRoundingAttr());
    fewer->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    replaceResults(rewriter, op,
                   {{op.getY(), fewer.getY()},
                    {op.getSum(), fewer.getSum()},
                    {op.getRstd(), fewer.getRstd()},
                    {op.getNormalized(), fewer.getNormalized()}});
    return success();
  }
};

struct DropNoOpRounding : OpRewritePattern<NormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    // Rounding an f32 to f32 changes nothing. Rounding n to y's type is what
    // the store of y does where no weight comes in between.
    bool dropResidual = op.getResidualRounding() == Rounding::Storage &&
                        op.getResidual().getType().getElementType().isF32();
    Type xElement = op.getX().getType().getElementType();
    bool dropNorm =
        op.getNormRounding() == Rounding::Storage &&
        (xElement.isF32() ||
         (!op.getWeight() && xElement == op.getY().getType().getElementType()));
    if (!dropResidual && !dropNorm)
      return rewriter.notifyMatchFailure(op, "every rounding changes values");
    rewriter.modifyOpInPlace(op, [&] {
      if (dropResidual)
        op.setResidualRounding(Rounding::None);
      if (dropNorm)
        op.setNormRounding(Rounding::None);
    });
    return success();
  }
};

struct DropUnusedGradients : OpRewritePattern<NormBackwardOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NormBackwardOp op,
                                PatternRewriter &rewriter) const override {
    Type dx = getTypeIfUsed(op.getDx());
    Type dw = getTypeIfUsed(op.getDw());
    if (!dx && !dw)
      return rewriter.notifyMatchFailure(op, "the op itself is unused");
    bool keepsResults = !dx == !op.getDx() && !dw == !op.getDw();
    if (keepsResults && (dx || !op.getWeight()))
      return rewriter.notifyMatchFailure(op, "nothing is unused");
    auto fewer = NormBackwardOp::create(
        rewriter, op.getLoc(), dx, dw, op.getGradOutput(), op.getNormalized(),
        op.getSum(), op.getRstd(), dx ? op.getWeight() : Value(),
        dx ? op.getGradSum() : Value(),
        dx ? op.getWeightOffsetAttr() : rewriter.getF32FloatAttr(0.0f));
    fewer->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    replaceResults(rewriter, op,
                   {{op.getDx(), fewer.getDx()}, {op.getDw(), fewer.getDw()}});
    return success();
  }
};
} // namespace

void NormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropUnusedNormResults, DropNoOpRounding>(context);
}
void NormBackwardOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<DropUnusedGradients>(context);
}
