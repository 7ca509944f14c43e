//===-- Row.h - the row dialect -*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the types, attributes and ops of the `row` dialect; RowOps.td
// documents them.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_ROW_ROW_H
#define RMSC_DIALECT_ROW_ROW_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "rmsc/Dialect/Row/RowDialect.h.inc"
#include "rmsc/Dialect/Row/RowEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "rmsc/Dialect/Row/RowTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "rmsc/Dialect/Row/RowAttrs.h.inc"

#define GET_OP_CLASSES
#include "rmsc/Dialect/Row/RowOps.h.inc"

namespace mlir::row {

/// Element type of a handle.
Type getHandleElementType(Type handle);

/// Parses the text of a `#row.schedule<...>` or of its part between the angle
/// brackets, as the command line takes it. Returns null after emitting an error
/// through `emitError`.
ScheduleAttr parseSchedule(StringRef text, MLIRContext *context,
                           function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::row

#endif // RMSC_DIALECT_ROW_ROW_H
