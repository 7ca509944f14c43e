//===-- RMSDialect.cpp - rms dialect and argument attributes ----*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/RMS/RMS.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rms;

#include "rmsc/Dialect/RMS/RMSDialect.cpp.inc"
#include "rmsc/Dialect/RMS/RMSEnums.cpp.inc"
#include "rmsc/Dialect/RMS/RMSInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "rmsc/Dialect/RMS/RMSAttrs.cpp.inc"

void RMSDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "rmsc/Dialect/RMS/RMSAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "rmsc/Dialect/RMS/RMSOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes of function arguments and results
//===----------------------------------------------------------------------===//

/// Whether a name can stand in a manifest, a file name and generated C.
static bool isParameterName(StringRef name) {
  return !name.empty() &&
         (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Checks the `rms.name` of an argument or result; `place` says which one in
/// messages.
static LogicalResult verifyName(FunctionOpInterface function, Attribute value,
                                const Twine &place, bool isResult,
                                unsigned index) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || !isParameterName(name.getValue()))
    return function.emitOpError()
           << place << ": 'rms.name' must be a string that starts with a "
           << "letter or '_' and goes on with letters, digits and '_', but is "
           << value;
  // Only places before this one are looked at: each clash is reported once.
  StringRef attrName = RMSDialect::getNameAttrName();
  unsigned numArguments = function.getNumArguments();
  for (unsigned i = 0, e = isResult ? numArguments : index; i != e; ++i)
    if (function.getArgAttr(i, attrName) == name)
      return function.emitOpError()
             << place << ": 'rms.name' " << name
             << " is already the name of argument #" << i
             << "; give every parameter a name of its own";
  for (unsigned i = 0, e = isResult ? index : 0; i != e; ++i)
    if (function.getResultAttr(i, attrName) == name)
      return function.emitOpError()
             << place << ": 'rms.name' " << name
             << " is already the name of result #" << i
             << "; give every parameter a name of its own";
  return success();
}

static LogicalResult verifyMayAlias(FunctionOpInterface function,
                                    Attribute value, unsigned argIndex) {
  auto position = dyn_cast<IntegerAttr>(value);
  unsigned numResults = function.getNumResults();
  if (!numResults)
    return function.emitOpError()
           << "argument #" << argIndex
           << ": 'rms.may_alias' needs a result whose buffer the argument may "
              "share, but the function has none";
  if (!position || !position.getType().isIndex() ||
      position.getValue().isNegative() || position.getValue().uge(numResults))
    return function.emitOpError()
           << "argument #" << argIndex
           << ": 'rms.may_alias' must be the number of a result, from 0 to "
           << numResults - 1 << ", as in '0 : index', but is " << value;
  unsigned resultIndex = position.getValue().getZExtValue();
  Type argType = function.getArgumentTypes()[argIndex];
  Type resultType = function.getResultTypes()[resultIndex];
  if (argType != resultType)
    return function.emitOpError()
           << "argument #" << argIndex << ": 'rms.may_alias' names result #"
           << resultIndex << ", but their types differ: " << argType << " and "
           << resultType
           << "; only exact in-place use, element for element, can be declared";
  for (unsigned i = 0; i != argIndex; ++i)
    if (function.getArgAttr(i, RMSDialect::getMayAliasAttrName()) == value)
      return function.emitOpError()
             << "argument #" << argIndex << ": result #" << resultIndex
             << " may already share the buffer of argument #" << i
             << "; a result can share the buffer of one argument only";
  return success();
}

LogicalResult RMSDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "'" << attribute.getName().getValue()
                             << "' belongs on the arguments of a function";
  if (attribute.getName() == getNameAttrName())
    return verifyName(function, attribute.getValue(),
                      "argument #" + Twine(argIndex), /*isResult=*/false,
                      argIndex);
  if (attribute.getName() == getMayAliasAttrName())
    return verifyMayAlias(function, attribute.getValue(), argIndex);
  return op->emitOpError()
         << "argument #" << argIndex << ": unknown attribute '"
         << attribute.getName().getValue()
         << "'; an argument may carry 'rms.name' and 'rms.may_alias'";
}

LogicalResult
RMSDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                        unsigned resultIndex,
                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "'" << attribute.getName().getValue()
                             << "' belongs on the results of a function";
  if (attribute.getName() == getNameAttrName())
    return verifyName(function, attribute.getValue(),
                      "result #" + Twine(resultIndex), /*isResult=*/true,
                      resultIndex);
  if (attribute.getName() == getMayAliasAttrName())
    return op->emitOpError()
           << "result #" << resultIndex
           << ": 'rms.may_alias' belongs on the argument whose buffer the "
              "result may share, with the result's number as its value";
  return op->emitOpError() << "result #" << resultIndex
                           << ": unknown attribute '"
                           << attribute.getName().getValue()
                           << "'; a result may carry 'rms.name'";
}
