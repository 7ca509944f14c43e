//===-- RMSDecompose.cpp - rms ops in linalg and arith ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/RMS/RMS.h"
#include "rmsc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace rmsc {
#define GEN_PASS_DEF_RMSDECOMPOSE
#include "rmsc/Transforms/Passes.h.inc"
} // namespace rmsc

using namespace mlir;
using namespace mlir::rms;

namespace {
using utils::IteratorType;

/// Builds loops over the rows and columns of one tensor.
class RowMath {
public:
  /// What computes one element: f32 values in, one f32 value out.
  using Body = function_ref<Value(RowMath &, ValueRange)>;

  RowMath(OpBuilder &builder, Location loc, TypedValue<RankedTensorType> rows)
      : builder(builder), loc(loc), rank(rows.getType().getRank()),
        hiddenSize(rows.getType().getShape().back()),
        sizes(tensor::getMixedSizes(builder, loc, rows)) {}

  /// A tensor of rows: each element follows from the elements of the inputs
  /// that belong to its row and column.
  Value mapRows(ValueRange rowInputs, ValueRange scalarInputs,
                ValueRange columnInputs, Body body) {
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    return loop(rowInputs, scalarInputs, columnInputs, identityMap(rank),
                empty(sizes), iterators, body);
  }

  /// One element a row: the sum of `body` over the columns.
  Value sumRows(ValueRange rowInputs, ValueRange scalarInputs,
                ValueRange columnInputs, Body body) {
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    iterators.back() = IteratorType::reduction;
    return loop(rowInputs, scalarInputs, columnInputs, leadingMap(),
                zeros(leadingSizes()), iterators, body, /*accumulate=*/true);
  }

  /// One element a column: the sum of `body` over the rows.
  Value sumColumns(ValueRange rowInputs, ValueRange scalarInputs, Body body) {
    SmallVector<IteratorType> iterators(rank, IteratorType::reduction);
    iterators.back() = IteratorType::parallel;
    return loop(rowInputs, scalarInputs, {}, columnMap(), zeros({sizes.back()}),
                iterators, body, /*accumulate=*/true);
  }

  /// One element a row from one element a row.
  Value mapScalars(Value input, Body body) {
    SmallVector<AffineMap> maps(2, identityMap(rank - 1));
    SmallVector<IteratorType> iterators(rank - 1, IteratorType::parallel);
    return generic({input}, maps, empty(leadingSizes()), iterators, body,
                   /*accumulate=*/false);
  }

  /// Rounds an f32 tensor to the element type of `type`, and gives it that
  /// type: a last dimension of 1 and what is known of the sizes included.
  Value store(Value value, RankedTensorType type) {
    auto source = cast<RankedTensorType>(value.getType());
    if (source.getElementType() != type.getElementType()) {
      source = source.clone(type.getElementType());
      value = arith::TruncFOp::create(builder, loc, source, value);
    }
    if (source.getRank() < type.getRank()) {
      SmallVector<OpFoldResult> outputSizes = leadingSizes();
      outputSizes.push_back(builder.getIndexAttr(1));
      SmallVector<int64_t> shape(source.getShape());
      shape.push_back(1);
      // The new dimension joins the last of the leading ones.
      SmallVector<ReassociationIndices> groups;
      for (int64_t dim = 0; dim < source.getRank(); ++dim)
        groups.push_back({dim});
      if (!groups.empty())
        groups.back().push_back(source.getRank());
      source = source.clone(shape);
      value = tensor::ExpandShapeOp::create(builder, loc, source, value, groups,
                                            outputSizes);
    }
    if (source != type)
      value = tensor::CastOp::create(builder, loc, type, value);
    return value;
  }

  // Arithmetic on the f32 values of a body.
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return arith::SubFOp::create(builder, loc, lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  }
  /// The mean of a row whose elements sum up to `sum`.
  Value mean(Value sum) { return multiply(sum, constant(1.0 / hiddenSize)); }
  /// 1 / sqrt(value), both rounded to nearest even.
  Value reciprocalRoot(Value value) {
    Value root = math::SqrtOp::create(builder, loc, value);
    return arith::DivFOp::create(builder, loc, constant(1.0), root);
  }
  /// Rounds to an element type and goes on in f32.
  Value round(Value value, Type type) {
    if (type.isF32())
      return value;
    value = arith::TruncFOp::create(builder, loc, type, value);
    return extend(value);
  }
  /// Adds an attribute; 0 is no operation.
  Value addOffset(Value value, const APFloat &offset) {
    if (offset.isZero())
      return value;
    return add(value, constant(offset.convertToDouble()));
  }

private:
  AffineMap identityMap(unsigned dims) {
    return builder.getMultiDimIdentityMap(dims);
  }
  AffineMap leadingMap() {
    // getMajorSubMap would give no map at all where there is no leading
    // dimension.
    return AffineMap::get(rank, 0, identityMap(rank).getResults().drop_back(),
                          builder.getContext());
  }
  AffineMap columnMap() { return identityMap(rank).getMinorSubMap(1); }
  /// The map of one element a row, with or without a last dimension of 1.
  AffineMap scalarMap(Value input) {
    AffineMap map = leadingMap();
    if (cast<RankedTensorType>(input.getType()).getRank() == rank)
      map = map.insertResult(builder.getAffineConstantExpr(0), rank - 1);
    return map;
  }

  SmallVector<OpFoldResult> leadingSizes() {
    return llvm::to_vector(ArrayRef(sizes).drop_back());
  }
  Value empty(ArrayRef<OpFoldResult> shape) {
    return tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type());
  }
  Value zeros(ArrayRef<OpFoldResult> shape) {
    return linalg::FillOp::create(builder, loc, constant(0.0), empty(shape))
        .getResult(0);
  }
  Value extend(Value value) {
    Type f32 = builder.getF32Type();
    if (value.getType() == f32)
      return value;
    return arith::ExtFOp::create(builder, loc, f32, value);
  }

  Value loop(ValueRange rowInputs, ValueRange scalarInputs,
             ValueRange columnInputs, AffineMap outputMap, Value output,
             ArrayRef<IteratorType> iterators, Body body,
             bool accumulate = false) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (Value input : rowInputs) {
      inputs.push_back(input);
      maps.push_back(identityMap(rank));
    }
    for (Value input : scalarInputs) {
      inputs.push_back(input);
      maps.push_back(scalarMap(input));
    }
    for (Value input : columnInputs) {
      inputs.push_back(input);
      maps.push_back(columnMap());
    }
    maps.push_back(outputMap);
    return generic(inputs, maps, output, iterators, body, accumulate);
  }

  Value generic(ValueRange inputs, ArrayRef<AffineMap> maps, Value output,
                ArrayRef<IteratorType> iterators, Body body, bool accumulate) {
    auto op = linalg::GenericOp::create(
        builder, loc, output.getType(), inputs, output, maps, iterators,
        [&](OpBuilder &nested, Location, ValueRange args) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(nested.getInsertionBlock(),
                                    nested.getInsertionPoint());
          SmallVector<Value> values;
          for (Value arg : args.drop_back())
            values.push_back(extend(arg));
          Value value = body(*this, values);
          if (accumulate)
            value = add(args.back(), value);
          linalg::YieldOp::create(builder, loc, value);
        });
    return op.getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  int64_t rank;
  int64_t hiddenSize;
  SmallVector<OpFoldResult> sizes;
};

/// weight + weight_offset, or null where there is no weight.
Value getScale(RowMath &math, ValueRange columns, const APFloat &offset) {
  return columns.empty() ? Value() : math.addOffset(columns.front(), offset);
}

void decompose(RewriterBase &rewriter, NormOp op) {
  RowMath rows(rewriter, op.getLoc(), op.getX());
  Value sum = op.getX();
  if (op.getResidual()) {
    Type rounded = op.getResidualRounding() == Rounding::Storage
                       ? op.getResidual().getType().getElementType()
                       : rewriter.getF32Type();
    sum = rows.mapRows(
        {sum, op.getResidual()}, {}, {}, [&](RowMath &math, ValueRange values) {
          return math.round(math.add(values[0], values[1]), rounded);
        });
  }
  Value squares =
      rows.sumRows(sum, {}, {}, [](RowMath &math, ValueRange values) {
        return math.multiply(values[0], values[0]);
      });
  Value rstd = rows.mapScalars(squares, [&](RowMath &math, ValueRange values) {
    Value mean = math.mean(values[0]);
    return math.reciprocalRoot(math.addOffset(mean, op.getEpsilon()));
  });
  Value normalized =
      rows.mapRows(sum, rstd, {}, [](RowMath &math, ValueRange values) {
        return math.multiply(values[0], values[1]);
      });
  Value y = normalized;
  Type rounded = op.getNormRounding() == Rounding::Storage
                     ? op.getX().getType().getElementType()
                     : rewriter.getF32Type();
  SmallVector<Value, 1> weight;
  if (op.getWeight())
    weight.push_back(op.getWeight());
  if (op.getWeight() || !rounded.isF32())
    y = rows.mapRows(y, {}, weight, [&](RowMath &math, ValueRange values) {
      Value n = math.round(values[0], rounded);
      Value scale = getScale(math, values.drop_front(), op.getWeightOffset());
      return scale ? math.multiply(n, scale) : n;
    });

  SmallVector<Value> results{rows.store(y, op.getY().getType())};
  if (op.getSum())
    results.push_back(rows.store(sum, op.getSum().getType()));
  if (op.getRstd())
    results.push_back(rows.store(rstd, op.getRstd().getType()));
  if (op.getNormalized())
    results.push_back(rows.store(normalized, op.getNormalized().getType()));
  rewriter.replaceOp(op, results);
}

void decompose(RewriterBase &rewriter, NormBackwardOp op) {
  RowMath rows(rewriter, op.getLoc(), op.getGradOutput());
  Value gradOutput = op.getGradOutput();
  Value normalized = op.getNormalized();
  if (!normalized)
    normalized = rows.mapRows(op.getSum(), op.getRstd(), {},
                              [](RowMath &math, ValueRange values) {
                                return math.multiply(values[0], values[1]);
                              });

  SmallVector<Value> results;
  if (op.getDx()) {
    Value scaled = gradOutput;
    if (op.getWeight())
      scaled = rows.mapRows(gradOutput, {}, op.getWeight(),
                            [&](RowMath &math, ValueRange values) {
                              return math.multiply(
                                  values[0], getScale(math, values.drop_front(),
                                                      op.getWeightOffset()));
                            });
    Value sum = rows.sumRows({scaled, normalized}, {}, {},
                             [](RowMath &math, ValueRange values) {
                               return math.multiply(values[0], values[1]);
                             });
    Value mean = rows.mapScalars(sum, [](RowMath &math, ValueRange values) {
      return math.mean(values[0]);
    });
    SmallVector<Value> rowInputs{scaled, normalized};
    if (op.getGradSum())
      rowInputs.push_back(op.getGradSum());
    Value dx = rows.mapRows(
        rowInputs, {op.getRstd(), mean}, {},
        [](RowMath &math, ValueRange values) {
          Value g = values[0], n = values[1];
          Value gradSum = values.size() == 5 ? values[2] : Value();
          Value rstd = values.drop_back().back(), mean = values.back();
          Value dx =
              math.multiply(rstd, math.subtract(g, math.multiply(mean, n)));
          return gradSum ? math.add(dx, gradSum) : dx;
        });
    results.push_back(rows.store(dx, op.getDx().getType()));
  }
  if (op.getDw()) {
    Value dw = rows.sumColumns({gradOutput, normalized}, {},
                               [](RowMath &math, ValueRange values) {
                                 return math.multiply(values[0], values[1]);
                               });
    results.push_back(rows.store(dw, op.getDw().getType()));
  }
  rewriter.replaceOp(op, results);
}

struct RMSDecompose : rmsc::impl::RMSDecomposeBase<RMSDecompose> {
  void runOnOperation() override {
    // No pattern driver: it would fold the very operations that this pass is to
    // show.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](KernelOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      TypeSwitch<Operation *>(op).Case<NormOp, NormBackwardOp>(
          [&](auto kernel) { decompose(rewriter, kernel); });
      ++numDecomposed;
    }
  }
};
} // namespace
