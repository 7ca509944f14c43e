//===-- RMSToRow.cpp - rms ops to row kernels ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The row-level mathematics of every `rms` op. A new member of the family is
// written here and nowhere below.
//
//===----------------------------------------------------------------------===//

#include "rmsc/Conversion/Passes.h"
#include "rmsc/Dialect/RMS/RMS.h"
#include "rmsc/Dialect/Row/Row.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace rmsc {
#define GEN_PASS_DEF_CONVERTRMSTOROW
#include "rmsc/Conversion/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace rmsc;

namespace {
/// Builds the body of a row kernel. Rows are f32 while they are computed with.
class RowBuilder {
public:
  RowBuilder(row::KernelOp kernel, const IRMapping &handles, bool exactRoot)
      : b(kernel.getLoc(), OpBuilder::atBlockEnd(&kernel.getBody().front())),
        handles(handles), hiddenSize(kernel.getHiddenSize()),
        exactRoot(exactRoot) {}

  /// The row, the shared row or the scalar behind a tensor, in f32.
  Value load(Value tensor) {
    Value handle = handles.lookup(tensor);
    Value &loaded = loads[handle];
    if (!loaded) {
      Type elementType = row::getHandleElementType(handle.getType());
      Type type = isa<row::ScalarsType>(handle.getType())
                      ? elementType
                      : rowType(elementType);
      loaded = extend(row::LoadOp::create(b, type, handle));
    }
    return loaded;
  }

  Value add(Value lhs, Value rhs) { return arith::AddFOp::create(b, lhs, rhs); }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulFOp::create(b, lhs, rhs);
  }
  Value scale(Value scalar, Value row) { return multiply(row, splat(scalar)); }
  /// lhs * rhs + addend in one rounding.
  Value fma(Value lhs, Value rhs, Value addend) {
    return math::FmaOp::create(b, lhs, rhs, addend);
  }
  Value splat(Value scalar) {
    return vector::BroadcastOp::create(b, rowType(b.getF32Type()), scalar);
  }
  Value constant(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  /// sum_j lhs[j] * rhs[j]
  Value dot(Value lhs, Value rhs) { return row::DotOp::create(b, lhs, rhs); }
  /// 1/H
  Value reciprocalHiddenSize() {
    return constant(1.0f / static_cast<float>(hiddenSize));
  }
  Value negate(Value value) { return arith::NegFOp::create(b, value); }
  /// 1 / sqrt(value)
  Value reciprocalRoot(Value value) {
    if (!exactRoot)
      return math::RsqrtOp::create(b, value);
    Value root = math::SqrtOp::create(b, value);
    return arith::DivFOp::create(b, constant(1.0f), root);
  }
  /// `value` as if it had been stored as `type` and read back.
  Value roundTo(Type type, Value value) {
    return extend(truncate(value, type));
  }
  /// weight + weight_offset, or null for an op without weight.
  Value loadWeight(Value weight, const APFloat &offset) {
    if (!weight)
      return {};
    Value row = load(weight);
    if (offset.isZero())
      return row;
    return add(row, splat(constant(offset.convertToFloat())));
  }
  /// Rounds an f32 value to what the handle holds, and stores it.
  void store(Value value, Value handle) {
    row::StoreOp::create(
        b, truncate(value, row::getHandleElementType(handle.getType())),
        handle);
  }
  void accumulate(Value lhs, Value rhs, Value handle) {
    row::AccumulateOp::create(b, lhs, rhs, handle);
  }

private:
  VectorType rowType(Type elementType) {
    return VectorType::get({hiddenSize}, elementType);
  }
  static Type withElementType(Type type, Type elementType) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(elementType) : elementType;
  }
  Value extend(Value value) {
    if (getElementTypeOrSelf(value.getType()).isF32())
      return value;
    return arith::ExtFOp::create(
        b, withElementType(value.getType(), b.getF32Type()), value);
  }
  Value truncate(Value value, Type elementType) {
    if (elementType.isF32())
      return value;
    return arith::TruncFOp::create(
        b, withElementType(value.getType(), elementType), value);
  }

  ImplicitLocOpBuilder b;
  const IRMapping &handles;
  DenseMap<Value, Value> loads;
  int64_t hiddenSize;
  bool exactRoot;
};

/// What a result of an `rms` op is worth in a row, to be written to an output.
struct RowResult {
  Value value;
  /// For a sum over the rows: the other factor.
  Value factor;
};
using RowResults = DenseMap<Value, RowResult>;

} // namespace

/// s = x + residual, rstd = 1/sqrt(mean(s^2) + epsilon), n = s * rstd,
/// y = n * (weight + weight_offset).
static void buildNorm(rms::NormOp op, RowBuilder &rows, RowResults &results) {
  Value s = rows.load(op.getX());
  if (op.getResidual()) {
    s = rows.add(s, rows.load(op.getResidual()));
    if (op.getResidualRounding() == rms::Rounding::Storage)
      s = rows.roundTo(getElementTypeOrSelf(op.getResidual().getType()), s);
  }
  Value weight = rows.loadWeight(op.getWeight(), op.getWeightOffset());
  Value rstd = rows.reciprocalRoot(
      rows.fma(rows.dot(s, s), rows.reciprocalHiddenSize(),
               rows.constant(op.getEpsilon().convertToFloat())));
  Value n = rows.scale(rstd, s);
  Value y = n;
  if (op.getNormRounding() == rms::Rounding::Storage)
    y = rows.roundTo(getElementTypeOrSelf(op.getX().getType()), y);
  if (weight)
    y = rows.multiply(y, weight);
  results[op.getY()] = {y, {}};
  if (op.getSum())
    results[op.getSum()] = {s, {}};
  if (op.getRstd())
    results[op.getRstd()] = {rstd, {}};
  if (op.getNormalized())
    results[op.getNormalized()] = {n, {}};
}

/// g = grad_output * (weight + weight_offset), m = mean(g * n),
/// dx = rstd * (g - m * n) + grad_sum, dw = sum over rows of grad_output * n.
static void buildNormBackward(rms::NormBackwardOp op, RowBuilder &rows,
                              RowResults &results) {
  Value gradOutput = rows.load(op.getGradOutput());
  Value n = op.getNormalized()
                ? rows.load(op.getNormalized())
                : rows.scale(rows.load(op.getRstd()), rows.load(op.getSum()));
  // Row inputs first: they come from far.
  Value gradSum =
      op.getGradSum() && op.getDx() ? rows.load(op.getGradSum()) : Value();
  if (op.getDx()) {
    Value rstd = rows.load(op.getRstd());
    Value g = gradOutput;
    if (Value weight = rows.loadWeight(op.getWeight(), op.getWeightOffset()))
      g = rows.multiply(g, weight);
    Value m = rows.multiply(rows.dot(g, n), rows.reciprocalHiddenSize());
    Value centred = rows.fma(rows.splat(rows.negate(m)), n, g);
    Value dx = gradSum ? rows.fma(rows.splat(rstd), centred, gradSum)
                       : rows.scale(rstd, centred);
    results[op.getDx()] = {dx, {}};
  }
  if (op.getDw())
    results[op.getDw()] = {gradOutput, n};
}

/// The handle of a tensor whose last dimension is the hidden size, of a weight,
/// or of one value a row.
static Type getHandleType(RankedTensorType type, StringRef role,
                          int64_t hiddenSize) {
  Type elementType = type.getElementType();
  if (role == "weight" || role == "dw")
    return row::ColumnsType::get(type.getContext(), hiddenSize, elementType);
  if (role == "rstd")
    return row::ScalarsType::get(type.getContext(), elementType);
  if (!role.empty())
    return row::RowsType::get(type.getContext(), hiddenSize, elementType);
  // An argument that nothing reads stays in the list of parameters; its shape
  // tells what it is.
  bool isRow = type.getRank() > 0 && type.getShape().back() == hiddenSize;
  if (isRow && type.getRank() == 1)
    return row::ColumnsType::get(type.getContext(), hiddenSize, elementType);
  if (isRow)
    return row::RowsType::get(type.getContext(), hiddenSize, elementType);
  return row::ScalarsType::get(type.getContext(), elementType);
}

namespace {
struct ConvertRMSToRow
    : public rmsc::impl::ConvertRMSToRowBase<ConvertRMSToRow> {
  using Base::Base;

  void runOnOperation() override {
    if (rsqrt != "approx" && rsqrt != "exact") {
      getOperation().emitError()
          << "rsqrt must be approx or exact, but is '" << rsqrt << "'";
      return signalPassFailure();
    }
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      // A private function that computes nothing here is no kernel (see
      // rms-check-fused), and nobody can call it any more.
      if (function.isPrivate() &&
          function.getOps<rms::KernelOpInterface>().empty()) {
        function.erase();
        continue;
      }
      if (failed(convert(function)))
        return signalPassFailure();
    }
    // The conversion is full: what stands elsewhere, in a module of its own for
    // example, must not be lost.
    WalkResult left =
        getOperation().walk<WalkOrder::PreOrder>(
            [](Operation *op) {
              if (!isa<rms::RMSDialect, func::FuncDialect>(op->getDialect()))
                return WalkResult::advance();
              op->emitError()
                  << "'" << op->getName()
                  << "' is not at the top of the module, where kernels are "
                     "made from functions";
              return WalkResult::interrupt();
            });
    if (left.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult convert(func::FuncOp function) {
    auto ops = llvm::to_vector(function.getOps<rms::KernelOpInterface>());
    if (ops.size() != 1 || !function.getBody().hasOneBlock())
      return function.emitError()
             << "holds " << ops.size()
             << " rms ops, but one kernel is made from one; run "
                "rms-check-fused to see what is left over";
    rms::KernelOpInterface op = ops.front();
    auto returnOp =
        cast<func::ReturnOp>(function.getBody().front().getTerminator());
    int64_t hiddenSize = op.getHiddenSize();

    DenseMap<Value, StringRef> roles;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<BlockArgument>(operand.get()))
        return op.emitError()
               << "operand #" << operand.getOperandNumber()
               << " is computed outside of the kernel; only arguments of its "
                  "function can be read";
      roles[operand.get()] = op.getOperandRole(operand.getOperandNumber());
    }
    SmallVector<Type> inputs, outputs;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        return function.emitError()
               << "argument #" << argument.getArgNumber()
               << " is no ranked tensor but " << argument.getType();
      inputs.push_back(getHandleType(type, roles.lookup(argument), hiddenSize));
    }
    for (auto [number, value] : llvm::enumerate(returnOp.getOperands())) {
      if (value.getDefiningOp() != op)
        return returnOp.emitError()
               << "returns value #" << number << ", which no rms op computes";
      outputs.push_back(getHandleType(
          cast<RankedTensorType>(value.getType()),
          op.getResultRole(cast<OpResult>(value).getResultNumber()),
          hiddenSize));
    }
    SmallVector<int64_t> mayAlias(outputs.size(), -1);
    for (BlockArgument argument : function.getArguments())
      if (auto result = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), "rms.may_alias"))
        mayAlias[result.getInt()] = argument.getArgNumber();

    OpBuilder builder(function);
    auto kernel =
        row::KernelOp::create(builder, op.getLoc(), function.getSymName(),
                              hiddenSize, inputs, outputs, mayAlias);
    IRMapping handles;
    handles.map(function.getArguments(), kernel.getInputs());
    RowBuilder rows(kernel, handles, /*exactRoot=*/rsqrt == "exact");
    RowResults results;
    LogicalResult built =
        TypeSwitch<Operation *, LogicalResult>(op)
            .Case<rms::NormOp>([&](rms::NormOp norm) {
              buildNorm(norm, rows, results);
              return success();
            })
            .Case<rms::NormBackwardOp>([&](rms::NormBackwardOp backward) {
              buildNormBackward(backward, rows, results);
              return success();
            })
            .Default([](Operation *other) {
              return other->emitError("has no row-level mathematics");
            });
    if (failed(built))
      return failure();
    for (auto [value, handle] :
         llvm::zip_equal(returnOp.getOperands(), kernel.getOutputs())) {
      const RowResult &result = results.at(value);
      if (result.factor)
        rows.accumulate(result.value, result.factor, handle);
      else
        rows.store(result.value, handle);
    }
    function.erase();
    return success();
  }
};
} // namespace
