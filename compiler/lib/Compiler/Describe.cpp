//===-- Describe.cpp - kernels as the manifest has them ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "rmsc/Dialect/RMS/RMS.h"
#include "rmsc/Target/LaunchPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>

using namespace mlir;
using namespace rmsc;

/// The shortest decimal that reads back as this f32, so that a manifest says
/// 1e-6 and not 9.999999974752427e-07.
static double toShortestDouble(float value) {
  char digits[32];
  auto *end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  double result = value;
  StringRef(digits, end - digits).getAsDouble(result);
  return result;
}

static rmsrt::Operation describeOperation(rms::KernelOpInterface op,
                                          rmsrt::Rsqrt rsqrt) {
  rmsrt::Operation operation;
  operation.kind = op.getOperationKind() == "norm"
                       ? rmsrt::OperationKind::Norm
                       : rmsrt::OperationKind::NormBackward;
  DictionaryAttr fields = op.describeOperation();
  auto number = [&](StringRef name) {
    auto attr = fields.getAs<FloatAttr>(name);
    return attr ? toShortestDouble(attr.getValue().convertToFloat()) : 0.0;
  };
  auto rounding = [&](StringRef name) {
    auto attr = fields.getAs<StringAttr>(name);
    return attr && attr.getValue() == "storage" ? rmsrt::Rounding::Storage
                                                : rmsrt::Rounding::None;
  };
  operation.epsilon = number("epsilon");
  operation.weightOffset = number("weight_offset");
  operation.residualRounding = rounding("residual_rounding");
  operation.normRounding = rounding("norm_rounding");
  operation.rsqrt = rsqrt;
  return operation;
}

/// Names the parameters that the program does not: after their role, with a
/// number where that name is taken.
static void nameParameters(std::vector<rmsrt::Parameter> &parameters) {
  auto taken = [&](const std::string &name) {
    return llvm::any_of(parameters, [&](const rmsrt::Parameter &parameter) {
      return parameter.name == name;
    });
  };
  for (rmsrt::Parameter &parameter : parameters) {
    if (!parameter.name.empty())
      continue;
    std::string name = parameter.role;
    for (int number = 2; taken(name); ++number)
      name = parameter.role + std::to_string(number);
    parameter.name = std::move(name);
  }
}

static rmsrt::Kernel describeFunction(func::FuncOp function,
                                      rms::KernelOpInterface op,
                                      rmsrt::Rsqrt rsqrt) {
  rmsrt::Kernel kernel;
  kernel.name = function.getSymName().str();
  kernel.hiddenSize = op.getHiddenSize();
  kernel.operation = describeOperation(op, rsqrt);
  auto add = [&](Type type, StringAttr name, StringRef role,
                 rmsrt::Direction direction) {
    rmsrt::Parameter &parameter = kernel.parameters.emplace_back();
    parameter.name = name ? name.str() : "";
    parameter.role = role.empty() ? "unused" : role.str();
    parameter.direction = direction;
    parameter.rank = cast<ShapedType>(type).getRank();
  };
  for (BlockArgument argument : function.getArguments()) {
    StringRef role;
    // An argument may be several operands; the first says what it is.
    for (OpOperand &operand : op->getOpOperands())
      if (role.empty() && operand.get() == argument)
        role = op.getOperandRole(operand.getOperandNumber());
    add(argument.getType(),
        function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                              "rms.name"),
        role, rmsrt::Direction::Input);
  }
  for (OpOperand &returned :
       function.getBody().front().getTerminator()->getOpOperands()) {
    unsigned number = returned.getOperandNumber();
    auto result = dyn_cast<OpResult>(returned.get());
    bool ours = result && result.getOwner() == op;
    add(returned.get().getType(),
        function.getResultAttrOfType<StringAttr>(number, "rms.name"),
        ours ? op.getResultRole(result.getResultNumber()) : StringRef(),
        rmsrt::Direction::Output);
  }
  nameParameters(kernel.parameters);
  return kernel;
}

/// Whether a name can be that of an entry point in PTX and of a file.
static bool isKernelName(StringRef name) {
  constexpr size_t maxLength = 200;
  return !name.empty() && name.size() <= maxLength &&
         !llvm::isDigit(name.front()) && llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_';
         });
}

FailureOr<std::vector<rmsrt::Kernel>>
rmsc::describeFunctions(ModuleOp module, rmsrt::Rsqrt rsqrt) {
  std::vector<rmsrt::Kernel> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    auto ops = function.getOps<rms::KernelOpInterface>();
    if (ops.empty())
      continue;
    if (!isKernelName(function.getSymName())) {
      function.emitError()
          << "the kernel is named after its function, whose name must be of "
             "letters, digits and '_', begin with no digit, and have at most "
             "200 characters; rename the function";
      return failure();
    }
    kernels.push_back(describeFunction(function, *ops.begin(), rsqrt));
  }
  return kernels;
}

static rmsrt::Dtype getDtype(Type type) {
  return type.isBF16()  ? rmsrt::Dtype::BF16
         : type.isF16() ? rmsrt::Dtype::F16
                        : rmsrt::Dtype::F32;
}

void rmsc::describeRowKernels(ModuleOp module,
                              std::vector<rmsrt::Kernel> &kernels) {
  for (auto op : module.getOps<row::KernelOp>()) {
    auto kernel = llvm::find_if(kernels, [&](const rmsrt::Kernel &candidate) {
      return candidate.name == op.getSymName();
    });
    assert(kernel != kernels.end() &&
           kernel->parameters.size() == op.getHandles().size() &&
           "a row kernel has the name and the parameters of its function");
    for (auto [parameter, handle] :
         llvm::zip_equal(kernel->parameters, op.getHandles())) {
      Type type = handle.getType();
      parameter.kind = isa<row::RowsType>(type)      ? rmsrt::Kind::Rows
                       : isa<row::ColumnsType>(type) ? rmsrt::Kind::Columns
                                                     : rmsrt::Kind::Scalars;
      parameter.dtype = getDtype(row::getHandleElementType(type));
      parameter.used = !handle.use_empty();
      if (!parameter.used)
        parameter.role = "unused";
    }
    for (auto [output, input] : llvm::enumerate(op.getMayAlias()))
      if (input >= 0)
        kernel->parameters[input].mayAlias = op.getNumInputs() + output;
  }
}

size_t rmsc::findKernel(row::KernelOp variant,
                        llvm::ArrayRef<rmsrt::Kernel> kernels) {
  StringRef name = variant.getSymName();
  if (std::optional<StringRef> suffix = variant.getVariant())
    if (name.consume_back(*suffix))
      name.consume_back("_");
  const auto *it = llvm::find_if(kernels, [&](const rmsrt::Kernel &kernel) {
    return kernel.name == name;
  });
  assert(it != kernels.end() && "a variant is made from a described kernel");
  return it - kernels.begin();
}

rmsrt::Variant rmsc::describeVariant(row::KernelOp kernel,
                                     const TargetInfo &target) {
  LaunchPlan plan = planLaunches(kernel, target);
  rmsrt::Variant variant;
  variant.name = kernel.getVariant().value_or("").str();
  rmsrt::parseChip(target.chip.str(), variant.chip);
  variant.firstRows = kernel.getMinRows();
  variant.lastRows = kernel.getMaxRows();
  variant.alignments.assign(plan.alignments.begin(), plan.alignments.end());
  variant.strided = plan.strided;
  variant.workspace.bytes = plan.workspaceBytes;
  variant.workspace.bytesPerCta = plan.workspaceBytesPerCta;
  for (const Launch &planned : plan.launches) {
    rmsrt::Launch &launch = variant.launches.emplace_back();
    launch.entry = planned.entry;
    launch.block = planned.block;
    launch.rowsPerCta = planned.rowsPerCta;
    launch.ctasPerRow = planned.ctasPerRow;
    launch.maxCtas = planned.maxCtas;
    launch.extraCtas = planned.extraCtas;
    launch.cluster = planned.cluster;
    launch.dependent = planned.dependent;
    launch.waits = planned.waits;
    launch.sharedDynamicBytes = planned.dynamicSharedBytes;
  }
  llvm::raw_string_ostream stream(variant.schedule);
  stream << kernel.getScheduleAttr();
  return variant;
}
