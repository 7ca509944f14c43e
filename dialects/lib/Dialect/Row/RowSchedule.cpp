//===-- RowSchedule.cpp - the schedule attribute ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes a schedule consistent in itself. Whether it fits a kernel is for
// the kernel's verifier, whether it fits a chip for rmsc/Target/Schedule.h.
//
//===----------------------------------------------------------------------===//

#include "rmsc/Dialect/Row/Row.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::row;

#include "rmsc/Dialect/Row/RowEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "rmsc/Dialect/Row/RowAttrs.cpp.inc"

void RowDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "rmsc/Dialect/Row/RowAttrs.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, int64_t threadsPerRow,
    int64_t rowsPerCta, int64_t ctasPerRow, int64_t elements,
    int64_t accessBytes, Grid grid, int64_t ctasPerSm, int64_t prefetchRows,
    ColumnLoad columnLoad, ColumnSum columnSum, Accumulators accumulators,
    int64_t sumColumns, int64_t sumThreads, int64_t sumRows, CachePolicy loads,
    CachePolicy stores, bool strided, bool dependentLaunch) {
  if (threadsPerRow < 1 ||
      (threadsPerRow < 32 ? !llvm::isPowerOf2_64(threadsPerRow)
                          : threadsPerRow % 32 != 0))
    return emitError() << "threads_per_row must be a power of two up to 32 or "
                          "a multiple of 32, but is "
                       << threadsPerRow;
  if (rowsPerCta < 1)
    return emitError() << "rows_per_cta must be at least 1, but is "
                       << rowsPerCta;
  int64_t threads = threadsPerRow * rowsPerCta;
  if (threadsPerRow > 1024 || rowsPerCta > 1024 || threads > 1024 ||
      threads % 32 != 0)
    return emitError() << "threads_per_row times rows_per_cta must be a "
                          "multiple of 32 and at most 1024, but is "
                       << threads;
  if (!llvm::isPowerOf2_64(ctasPerRow) || ctasPerRow > 8)
    return emitError() << "ctas_per_row must be a power of two up to 8, but is "
                       << ctasPerRow;
  if (ctasPerRow > 1 && (grid != Grid::OneShot || rowsPerCta != 1 ||
                         columnSum != ColumnSum::None))
    return emitError() << "ctas_per_row needs grid = one_shot, rows_per_cta = "
                          "1 and no column_sum: CTAs share rows where those "
                          "are few";
  if (!llvm::isPowerOf2_64(elements) || elements > 32)
    return emitError() << "elements must be a power of two up to 32, but is "
                       << elements;
  if (!llvm::isPowerOf2_64(accessBytes) || accessBytes > 32)
    return emitError() << "access_bytes must be a power of two up to 32, but "
                          "is "
                       << accessBytes;
  if (ctasPerSm < 0 || ctasPerSm > 32)
    return emitError() << "ctas_per_sm must be between 0 and 32, but is "
                       << ctasPerSm;
  if (grid == Grid::Persistent && ctasPerSm == 0)
    return emitError() << "a persistent grid needs ctas_per_sm";
  if (prefetchRows < 0 || prefetchRows > 4)
    return emitError() << "prefetch_rows must be between 0 and 4, but is "
                       << prefetchRows;
  if (stores == CachePolicy::NoAllocate)
    return emitError() << "no_allocate is a policy of loads; stores do not "
                          "allocate in the first-level cache";
  if (grid == Grid::OneShot && prefetchRows != 0)
    return emitError() << "prefetch_rows needs a persistent grid";
  if (columnSum == ColumnSum::Partials && grid != Grid::Persistent)
    return emitError() << "column_sum = partials needs a persistent grid: the "
                          "number of partial sums must not grow with the rows";
  if (accumulators == Accumulators::Shared && columnSum != ColumnSum::Partials)
    return emitError() << "accumulators = shared needs column_sum = partials: "
                          "nothing else keeps sums over rows";
  // Every thread owns its columns of shared memory, so that adding to them
  // needs no barrier.
  if (accumulators == Accumulators::Shared && rowsPerCta != 1)
    return emitError() << "accumulators = shared needs rows_per_cta = 1, but "
                          "that is "
                       << rowsPerCta;
  if (sumRows < 1 || sumRows > 16)
    return emitError() << "sum_rows must be between 1 and 16, but is "
                       << sumRows;
  if (columnSum == ColumnSum::None) {
    if (sumColumns != 0 || sumThreads != 0)
      return emitError() << "sum_columns and sum_threads need a column_sum";
    return success();
  }
  if (!llvm::isPowerOf2_64(sumColumns) || sumColumns > 1024)
    return emitError() << "sum_columns must be a power of two up to 1024, but "
                          "is "
                       << sumColumns;
  if (columnSum == ColumnSum::Partials &&
      (!llvm::isPowerOf2_64(sumThreads) || sumThreads < 32 ||
       sumThreads > 1024 || sumThreads < sumColumns))
    return emitError() << "sum_threads must be a power of two between 32 and "
                          "1024 and not below sum_columns, but is "
                       << sumThreads;
  if (columnSum == ColumnSum::RoleSplit && sumThreads != 0)
    return emitError() << "sum_threads is for column_sum = partials";
  if (columnSum == ColumnSum::RoleSplit &&
      (sumColumns % elements != 0 || sumColumns / elements > threads))
    return emitError() << "sum_columns must be a multiple of elements and give "
                          "every chunk a thread, but is "
                       << sumColumns;
  return success();
}

ScheduleAttr
mlir::row::parseSchedule(StringRef text, MLIRContext *context,
                         function_ref<InFlightDiagnostic()> emitError) {
  std::string full = text.str();
  if (!text.starts_with("#row.schedule"))
    full = text.starts_with("<") ? "#row.schedule" + full
                                 : "#row.schedule<" + full + ">";
  // The parser reports syntax errors as diagnostics at a buffer of its own;
  // the caller wants one message that names the option.
  std::string reason;
  Attribute attribute;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (reason.empty())
        reason = diagnostic.str();
      return success();
    });
    attribute = parseAttribute(full, context);
  }
  if (auto schedule = dyn_cast_or_null<ScheduleAttr>(attribute))
    return schedule;
  emitError() << "cannot read the schedule '" << text << "'"
              << (reason.empty() ? "" : ": ") << reason;
  return {};
}
