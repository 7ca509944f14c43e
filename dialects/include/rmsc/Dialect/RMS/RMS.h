//===-- RMS.h - the rms dialect ---------------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the ops, attributes and interfaces of the `rms` dialect; RMSOps.td
// documents them.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_RMS_RMS_H
#define RMSC_DIALECT_RMS_RMS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "rmsc/Dialect/RMS/RMSDialect.h.inc"
#include "rmsc/Dialect/RMS/RMSEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "rmsc/Dialect/RMS/RMSAttrs.h.inc"

#include "rmsc/Dialect/RMS/RMSInterfaces.h.inc"

#define GET_OP_CLASSES
#include "rmsc/Dialect/RMS/RMSOps.h.inc"

#endif // RMSC_DIALECT_RMS_RMS_H
