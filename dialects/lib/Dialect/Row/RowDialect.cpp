//===-- RowDialect.cpp - row dialect, types and handles ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/Row/Row.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::row;

#include "rmsc/Dialect/Row/RowDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "rmsc/Dialect/Row/RowTypes.cpp.inc"

void RowDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "rmsc/Dialect/Row/RowTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "rmsc/Dialect/Row/RowOps.cpp.inc"
      >();
}

Type mlir::row::getHandleElementType(Type handle) {
  return TypeSwitch<Type, Type>(handle)
      .Case<RowsType, ColumnsType, ScalarsType>(
          [](auto type) { return type.getElementType(); })
      .Default(Type());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static LogicalResult
verifyElementType(function_ref<InFlightDiagnostic()> emitError, Type type) {
  if (type.isBF16() || type.isF16() || type.isF32())
    return success();
  return emitError() << "element type must be bf16, f16 or f32, but is "
                     << type;
}

static LogicalResult verifyHandle(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t hiddenSize, Type elementType) {
  if (hiddenSize < 1)
    return emitError() << "hidden size must be at least 1, but is "
                       << hiddenSize;
  return verifyElementType(emitError, elementType);
}

LogicalResult RowsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t hiddenSize, Type elementType) {
  return verifyHandle(emitError, hiddenSize, elementType);
}

LogicalResult ColumnsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t hiddenSize, Type elementType) {
  return verifyHandle(emitError, hiddenSize, elementType);
}

LogicalResult ScalarsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type elementType) {
  return verifyElementType(emitError, elementType);
}

/// Parses `<2048xbf16>`.
template <typename HandleType> static Type parseSizedHandle(AsmParser &parser) {
  SmallVector<int64_t, 1> dims;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(dims, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  if (dims.size() != 1) {
    parser.emitError(loc, "expected one hidden size, as in `<2048xbf16>`");
    return {};
  }
  return parser.getChecked<HandleType>(loc, parser.getContext(), dims[0],
                                       elementType);
}

template <typename HandleType>
static void printSizedHandle(AsmPrinter &printer, HandleType type) {
  printer << '<' << type.getHiddenSize() << 'x' << type.getElementType() << '>';
}

Type RowsType::parse(AsmParser &parser) {
  return parseSizedHandle<RowsType>(parser);
}
void RowsType::print(AsmPrinter &printer) const {
  printSizedHandle(printer, *this);
}
Type ColumnsType::parse(AsmParser &parser) {
  return parseSizedHandle<ColumnsType>(parser);
}
void ColumnsType::print(AsmPrinter &printer) const {
  printSizedHandle(printer, *this);
}
