//===-- Walks.h - how kernels walk rows and columns ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_CONVERSION_ROWTOGPU_WALKS_H
#define RMSC_LIB_CONVERSION_ROWTOGPU_WALKS_H

#include "Emitter.h"

namespace rmsc {

/// Walks rows with every op of the body, as CTA number `cta` (i32) of `ctas`
/// (i32) that do so. Leaves partial column sums in the workspace where the
/// schedule sums them in a second launch.
void walkRows(Emitter &e, const LaunchPlan &plan, mlir::Value cta,
              mlir::Value ctas);

/// Sums columns over all rows straight from the inputs, as column CTA number
/// `cta` (i32), and stores them.
void walkColumns(Emitter &e, mlir::Value cta);

/// Adds the partial sums that the first launch left up and stores the columns.
void sumPartials(Emitter &e, const LaunchPlan &plan);

} // namespace rmsc

#endif // RMSC_LIB_CONVERSION_ROWTOGPU_WALKS_H
