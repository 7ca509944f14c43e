//===-- GlobalMemory.h - accesses to global memory ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector loads and stores at a stated width, alignment and cache policy. The
// width comes from the schedule and from nowhere else, so what a schedule
// promises and what is emitted cannot differ.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_CONVERSION_ROWTOGPU_GLOBALMEMORY_H
#define RMSC_LIB_CONVERSION_ROWTOGPU_GLOBALMEMORY_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "rmsc/Dialect/Row/Row.h"

namespace rmsc {

/// How a chunk is accessed.
struct Access {
  /// Bytes of one access; also the alignment of the address.
  int64_t bytes = 4;
  mlir::row::CachePolicy policy = mlir::row::CachePolicy::Plain;
};

/// `pointer + elements * sizeof(elementType)`.
mlir::Value offsetPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                          mlir::Type elementType, mlir::Value elements);
mlir::Value offsetPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                          mlir::Type elementType, int64_t elements);

/// The `count` elements of a vector from `first` on.
mlir::Value sliceVector(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                        int64_t first, int64_t count);

/// Vectors of one size, a power of two of them, as one.
mlir::Value joinVectors(mlir::ImplicitLocOpBuilder &b,
                        llvm::SmallVector<mlir::Value> parts);

/// Loads the vector at `pointer`.
mlir::Value loadVector(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                       mlir::VectorType type, const Access &access);

/// Stores a vector to `pointer`.
void storeVector(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                 mlir::Value pointer, const Access &access);

/// Keeps the loads that these vectors come from ahead of this point. LLVM moves
/// a load down to its first use, which for a weight lies behind the reduction,
/// where nothing is left to hide its latency.
void pinVectors(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange vectors);

/// Copies of vectors, made with a zero (i32) of which nobody after LLVM knows
/// that it is one: LLVM and ptxas compute from a copy anew what they have
/// computed from the vector, and need not keep it. Vectors that are not made of
/// 32-bit words are returned as they are.
llvm::SmallVector<mlir::Value, 4> copyVectors(mlir::ImplicitLocOpBuilder &b,
                                              mlir::ValueRange vectors,
                                              mlir::Value zero);

} // namespace rmsc

#endif // RMSC_LIB_CONVERSION_ROWTOGPU_GLOBALMEMORY_H
