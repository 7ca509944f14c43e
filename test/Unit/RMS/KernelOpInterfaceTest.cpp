//===-- KernelOpInterfaceTest.cpp - what rms ops say ------------*- C++ -*-===//
//-*-//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/RMS/RMS.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::rms;

namespace {
/// Builds ops on the arguments of one block: rows, columns, one value a row.
class KernelOpInterfaceTest : public ::testing::Test {
protected:
  KernelOpInterfaceTest() : builder(&context) {
    context.loadDialect<RMSDialect>();
    rowsType = RankedTensorType::get({4, 8}, builder.getBF16Type());
    columnsType = RankedTensorType::get({8}, builder.getF32Type());
    scalarsType = RankedTensorType::get({4}, builder.getF32Type());
    module = ModuleOp::create(builder, loc);
    builder.setInsertionPointToStart(module->getBody());
    rows = makeValue(rowsType);
    columns = makeValue(columnsType);
    scalars = makeValue(scalarsType);
  }

  Value makeValue(Type type) {
    return UnrealizedConversionCastOp::create(builder, loc, type, ValueRange())
        .getResult(0);
  }

  std::vector<std::string> operandRoles(KernelOpInterface op) {
    std::vector<std::string> roles;
    for (unsigned i = 0; i != op->getNumOperands(); ++i)
      roles.push_back(op.getOperandRole(i).str());
    return roles;
  }

  std::vector<std::string> resultRoles(KernelOpInterface op) {
    std::vector<std::string> roles;
    for (unsigned i = 0; i != op->getNumResults(); ++i)
      roles.push_back(op.getResultRole(i).str());
    return roles;
  }

  using Roles = std::vector<std::string>;

  MLIRContext context;
  OpBuilder builder;
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module;
  RankedTensorType rowsType, columnsType, scalarsType;
  Value rows, columns, scalars;
};

TEST_F(KernelOpInterfaceTest, RolesOfEveryOperandAndResult) {
  auto norm =
      NormOp::create(builder, loc, rowsType, rowsType, scalarsType, rowsType,
                     rows, rows, columns, APFloat(1e-6f), APFloat(0.0f));
  EXPECT_EQ(operandRoles(norm), (Roles{"x", "residual", "weight"}));
  EXPECT_EQ(resultRoles(norm), (Roles{"y", "sum", "rstd", "normalized"}));
  EXPECT_EQ(norm.getOperationKind(), "norm");

  auto backward =
      NormBackwardOp::create(builder, loc, rowsType, columnsType, rows, rows,
                             Value(), scalars, columns, rows, APFloat(0.0f));
  EXPECT_EQ(operandRoles(backward),
            (Roles{"grad_output", "normalized", "rstd", "weight", "grad_sum"}));
  EXPECT_EQ(resultRoles(backward), (Roles{"dx", "dw"}));
  EXPECT_EQ(backward.getOperationKind(), "norm_backward");
  EXPECT_TRUE(succeeded(verify(*module)));
}

// A role is that of the value at hand, whatever optional ones are not there.
TEST_F(KernelOpInterfaceTest, RolesBesideWhatIsAbsent) {
  auto norm =
      NormOp::create(builder, loc, rowsType, Type(), Type(), rowsType, rows,
                     Value(), columns, APFloat(1e-6f), APFloat(0.0f));
  EXPECT_EQ(operandRoles(norm), (Roles{"x", "weight"}));
  EXPECT_EQ(resultRoles(norm), (Roles{"y", "normalized"}));

  auto backward =
      NormBackwardOp::create(builder, loc, Type(), columnsType, rows, Value(),
                             rows, scalars, Value(), Value(), APFloat(0.0f));
  EXPECT_EQ(operandRoles(backward), (Roles{"grad_output", "sum", "rstd"}));
  EXPECT_EQ(resultRoles(backward), (Roles{"dw"}));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(KernelOpInterfaceTest, DescriptionHoldsWhatTheManifestDoes) {
  auto norm = NormOp::create(builder, loc, rowsType, Type(), Type(), Type(),
                             rows, rows, columns, APFloat(0.5f), APFloat(1.0f),
                             Rounding::Storage, Rounding::None);
  EXPECT_EQ(
      norm.describeOperation(),
      builder.getDictionaryAttr(
          {builder.getNamedAttr("epsilon", builder.getF32FloatAttr(0.5)),
           builder.getNamedAttr("weight_offset", builder.getF32FloatAttr(1.0)),
           builder.getNamedAttr("residual_rounding",
                                builder.getStringAttr("storage")),
           builder.getNamedAttr("norm_rounding",
                                builder.getStringAttr("none"))}));
  auto backward =
      NormBackwardOp::create(builder, loc, rowsType, Type(), rows, rows,
                             Value(), scalars, columns, Value(), APFloat(1.0f));
  EXPECT_EQ(backward.describeOperation(),
            builder.getDictionaryAttr({builder.getNamedAttr(
                "weight_offset", builder.getF32FloatAttr(1.0))}));
}

TEST_F(KernelOpInterfaceTest, HiddenSizeIsTheLastDimension) {
  KernelOpInterface norm =
      NormOp::create(builder, loc, rowsType, Type(), Type(), Type(), rows,
                     Value(), Value(), APFloat(0.5f), APFloat(0.0f));
  KernelOpInterface backward =
      NormBackwardOp::create(builder, loc, rowsType, Type(), rows, rows,
                             Value(), scalars, Value(), Value(), APFloat(0.0f));
  EXPECT_EQ(norm.getHiddenSize(), 8);
  EXPECT_EQ(backward.getHiddenSize(), 8);
}
} // namespace
