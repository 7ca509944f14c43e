//===-- RowOps.cpp - ops of the row dialect ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/Row/Row.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::row;

#define GET_OP_CLASSES
#include "rmsc/Dialect/Row/RowOps.cpp.inc"

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     int64_t hiddenSize, TypeRange inputs, TypeRange outputs,
                     ArrayRef<int64_t> mayAlias) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.hidden_size = builder.getI64IntegerAttr(hiddenSize);
  properties.num_inputs = builder.getI64IntegerAttr(inputs.size());
  properties.may_alias = builder.getDenseI64ArrayAttr(mayAlias);
  Block &body = state.addRegion()->emplaceBlock();
  for (Type type : llvm::concat<const Type>(llvm::to_vector(inputs),
                                            llvm::to_vector(outputs)))
    body.addArgument(type, state.location);
}

bool KernelOp::mayBeAliased(BlockArgument handle) {
  int64_t number = handle.getArgNumber(), inputs = getNumInputs();
  if (number < inputs)
    return llvm::is_contained(getMayAlias(), number);
  return getMayAlias()[number - inputs] >= 0;
}

StringRef KernelOp::getProgramName() {
  StringRef name = getSymName();
  if (std::optional<StringRef> variant = getVariant())
    if (name.consume_back(*variant))
      name.consume_back("_");
  return name;
}

/// `inputs(%a: type, ...)`
static ParseResult parseHandles(OpAsmParser &parser, StringRef keyword,
                                SmallVectorImpl<OpAsmParser::Argument> &args) {
  return failure(parser.parseKeyword(keyword) ||
                 parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true,
                                          /*allowAttrs=*/false));
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  Builder &builder = parser.getBuilder();
  StringAttr name;
  int64_t hiddenSize = 0;
  SmallVector<OpAsmParser::Argument> args, outputs;
  if (parser.parseSymbolName(name) || parser.parseKeyword("hidden") ||
      parser.parseInteger(hiddenSize) || parseHandles(parser, "inputs", args) ||
      parseHandles(parser, "outputs", outputs))
    return failure();
  properties.sym_name = name;
  properties.hidden_size = builder.getI64IntegerAttr(hiddenSize);
  properties.num_inputs = builder.getI64IntegerAttr(args.size());

  SmallVector<int64_t> mayAlias(outputs.size(), -1);
  if (succeeded(parser.parseOptionalKeyword("may_alias"))) {
    mayAlias.clear();
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(mayAlias.emplace_back());
        }))
      return failure();
  }
  properties.may_alias = builder.getDenseI64ArrayAttr(mayAlias);

  if (succeeded(parser.parseOptionalKeyword("variant"))) {
    StringAttr variant;
    int64_t minRows, maxRows;
    if (parser.parseAttribute(variant) || parser.parseKeyword("rows") ||
        parser.parseLSquare() || parser.parseInteger(minRows) ||
        parser.parseComma() || parser.parseInteger(maxRows) ||
        parser.parseRSquare())
      return failure();
    properties.variant = variant;
    properties.min_rows = builder.getI64IntegerAttr(minRows);
    properties.max_rows = builder.getI64IntegerAttr(maxRows);
  }
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    SMLoc loc = parser.getCurrentLocation();
    Attribute attribute;
    if (parser.parseLParen() || parser.parseAttribute(attribute) ||
        parser.parseRParen())
      return failure();
    properties.schedule = dyn_cast<ScheduleAttr>(attribute);
    if (!properties.schedule)
      return parser.emitError(loc, "expected a #row.schedule attribute");
  }
  args.append(outputs);
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  if (body->empty())
    body->emplaceBlock().addArguments(
        llvm::map_to_vector(args, [](auto &arg) { return arg.type; }),
        SmallVector<Location>(args.size(), result.location));
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " hidden " << getHiddenSize();
  auto printHandles = [&](StringRef keyword, ArrayRef<BlockArgument> handles) {
    printer.printNewline();
    printer << "    " << keyword << '(';
    llvm::interleaveComma(handles, printer, [&](BlockArgument handle) {
      printer.printRegionArgument(handle);
    });
    printer << ')';
  };
  printHandles("inputs", getInputs());
  printHandles("outputs", getOutputs());
  if (llvm::any_of(getMayAlias(), [](int64_t input) { return input >= 0; })) {
    printer << " may_alias [";
    llvm::interleaveComma(getMayAlias(), printer);
    printer << ']';
  }
  if (getVariantAttr()) {
    printer.printNewline();
    printer << "    variant " << getVariantAttr() << " rows [" << getMinRows()
            << ", " << getMaxRows() << ']';
  }
  if (getScheduleAttr()) {
    printer.printNewline();
    printer << "    schedule(" << getScheduleAttr() << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  int64_t hiddenSize = getHiddenSize();
  if (hiddenSize < 1)
    return emitOpError() << "needs a hidden size of at least 1, but has "
                         << hiddenSize;
  int64_t handles = getHandles().size(), inputs = getNumInputs();
  if (inputs < 0 || inputs > handles)
    return emitOpError() << "says it has " << inputs << " inputs, but has "
                         << handles << " operands in all (C2)";
  for (BlockArgument handle : getHandles()) {
    int64_t size = hiddenSize;
    if (auto rows = dyn_cast<RowsType>(handle.getType()))
      size = rows.getHiddenSize();
    else if (auto columns = dyn_cast<ColumnsType>(handle.getType()))
      size = columns.getHiddenSize();
    else if (!isa<ScalarsType>(handle.getType()))
      return emitOpError() << "operand #" << handle.getArgNumber()
                           << " is no row handle but " << handle.getType();
    if (size != hiddenSize)
      return emitOpError() << "has hidden size " << hiddenSize
                           << ", but operand #" << handle.getArgNumber()
                           << " is " << handle.getType() << " (C1)";
  }
  if (static_cast<int64_t>(getMayAlias().size()) != handles - inputs)
    return emitOpError() << "may_alias needs one entry for each of its "
                         << handles - inputs << " outputs (C3)";
  for (auto [output, input] : llvm::zip_equal(getOutputs(), getMayAlias())) {
    if (input == -1)
      continue;
    if (input < 0 || input >= inputs)
      return emitOpError() << "may_alias names input #" << input
                           << ", which does not exist (C3)";
    if (!isa<RowsType>(output.getType()) ||
        getHandles()[input].getType() != output.getType())
      return emitOpError() << "output #" << output.getArgNumber() - inputs
                           << " cannot share the buffer of input #" << input
                           << ": both must be rows of one element type (C3)";
  }
  int64_t minRows = getMinRows(), maxRows = getMaxRows();
  if (minRows < 0 || minRows > maxRows)
    return emitOpError() << "is meant for rows from " << minRows << " to "
                         << maxRows << ", which is no range (C9)";
  if (ScheduleAttr schedule = getScheduleAttr())
    if (hiddenSize % schedule.getElements() != 0)
      return emitOpError() << "hidden size " << hiddenSize
                           << " is not divisible by the schedule's elements = "
                           << schedule.getElements() << " (C7)";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  DenseMap<Value, unsigned> writes;
  bool accumulates = false;
  for (Operation &op : getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      ++writes[store.getTarget()];
    } else if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      ++writes[accumulate.getTarget()];
      accumulates = true;
    } else if (!isa<LoadOp>(op) && !isMemoryEffectFree(&op)) {
      return op.emitOpError() << "has effects that a row kernel cannot order; "
                                 "only row ops and ops without side effects "
                                 "are allowed in it (C6)";
    }
  }
  for (BlockArgument output : getOutputs())
    if (writes.lookup(output) != 1)
      return emitOpError() << "must write output #"
                           << output.getArgNumber() - getNumInputs()
                           << " exactly once, but writes it "
                           << writes.lookup(output) << " times (C4)";
  if (ScheduleAttr schedule = getScheduleAttr()) {
    bool sums = schedule.getColumnSum() != ColumnSum::None;
    if (sums != accumulates)
      return emitOpError()
             << (accumulates ? "accumulates along columns, so its schedule "
                               "needs a column_sum (C8)"
                             : "accumulates nothing along columns, so its "
                               "schedule must not have a column_sum (C8)");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loads, stores, accumulators
//===----------------------------------------------------------------------===//

/// The type of one row's value behind a handle.
static Type getValueType(Type handle) {
  if (auto rows = dyn_cast<RowsType>(handle))
    return VectorType::get({rows.getHiddenSize()}, rows.getElementType());
  if (auto columns = dyn_cast<ColumnsType>(handle))
    return VectorType::get({columns.getHiddenSize()}, columns.getElementType());
  return cast<ScalarsType>(handle).getElementType();
}

/// The kernel's input or output behind a handle operand. A handle that is no
/// argument of the kernel is neither.
static bool isHandleOf(Operation *op, Value handle, bool output) {
  auto kernel = dyn_cast_or_null<KernelOp>(op->getParentOp());
  auto argument = dyn_cast<BlockArgument>(handle);
  return kernel && argument &&
         argument.getOwner() == &kernel.getBody().front() &&
         output == (argument.getArgNumber() >=
                    static_cast<uint64_t>(kernel.getNumInputs()));
}

LogicalResult LoadOp::verify() {
  if (getResult().getType() != getValueType(getSource().getType()))
    return emitOpError() << "loads " << getValueType(getSource().getType())
                         << " from " << getSource().getType()
                         << ", but its result is " << getResult().getType()
                         << " (C1)";
  if (!isHandleOf(*this, getSource(), /*output=*/false))
    return emitOpError("loads from a value that is no input of its row.kernel "
                       "(C2)");
  return success();
}

LogicalResult StoreOp::verify() {
  if (getValue().getType() != getValueType(getTarget().getType()))
    return emitOpError() << "stores " << getValue().getType() << " to "
                         << getTarget().getType() << ", which holds "
                         << getValueType(getTarget().getType()) << " (C1)";
  if (!isHandleOf(*this, getTarget(), /*output=*/true))
    return emitOpError("stores to a value that is no output of its row.kernel "
                       "(C2)");
  return success();
}

LogicalResult AccumulateOp::verify() {
  if (cast<VectorType>(getLhs().getType()).getDimSize(0) !=
      getTarget().getType().getHiddenSize())
    return emitOpError() << "adds " << getLhs().getType() << " to "
                         << getTarget().getType()
                         << ", which has another number of elements (C1)";
  if (!isHandleOf(*this, getTarget(), /*output=*/true))
    return emitOpError("adds to a value that is no output of its row.kernel "
                       "(C2)");
  return success();
}
