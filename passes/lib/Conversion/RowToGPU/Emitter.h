//===-- Emitter.h - per-thread code of a row kernel ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits what one thread does for the ops of a row kernel's body, given where
// the thread stands in the row. How rows are walked is for the users of this
// class: RowWalk.cpp and ColumnSum.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_LIB_CONVERSION_ROWTOGPU_EMITTER_H
#define RMSC_LIB_CONVERSION_ROWTOGPU_EMITTER_H

#include "GlobalMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "rmsc/Target/LaunchPlan.h"

namespace rmsc {

/// What a thread holds of a row-level value: its chunks of a whole row, or one
/// scalar.
using ThreadValue = llvm::SmallVector<mlir::Value, 4>;

/// Which columns of a row a thread holds.
struct Layout {
  /// Elements of a chunk.
  int64_t elements = 1;
  /// Number of the thread's first chunk (i32), which may lie beyond the row.
  mlir::Value firstChunk;
  /// Column of the thread's first chunk (i32); the other chunks follow
  /// `chunkStride` elements apart.
  mlir::Value column;
  int64_t chunkStride = 0;
  /// For each chunk, whether it lies in the row (i1); null where it always
  /// does. Chunks beyond the row repeat the row's last one when loaded, count
  /// nothing in a sum, and are not stored.
  llvm::SmallVector<mlir::Value, 4> inRow;
  /// For chunks that may lie beyond the row: their column, clamped (i32).
  llvm::SmallVector<mlir::Value, 4> clampedColumn;

  int64_t chunks() const { return inRow.size(); }
};

/// The row that is worked on.
struct CurrentRow {
  /// Number of the row (i64). It can be loaded from, whether or not it is
  /// valid.
  mlir::Value row;
  /// Whether its results count (i1); null where they always do. Where CTAs
  /// share the row, they count in the threads of the CTA's own part.
  mlir::Value valid;
};

/// Whether code may be emitted for an op inside a row kernel. Reports through
/// `emitError` why not.
llvm::LogicalResult verifyRowOp(mlir::Operation *op);

/// One GPU function that carries out a row kernel or a part of it.
class Emitter {
public:
  /// Creates the function `entry` in a `gpu.module`, with the kernel's argument
  /// list, for CTAs of `threads` threads. The builder then stands in its body.
  Emitter(mlir::row::KernelOp kernel, const TargetInfo &target,
          mlir::gpu::GPUModuleOp module, const Launch &launch);

  /// Ends the function.
  void finish();

  mlir::ImplicitLocOpBuilder b;
  mlir::row::KernelOp kernel;
  mlir::row::ScheduleAttr schedule;
  const TargetInfo &target;

  /// Arguments of the function.
  mlir::Value getPointer(mlir::Value handle) const;
  mlir::Value getRows() const;
  mlir::Value getWorkspace() const;

  /// i32 and i64 constants.
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  /// Thread number in the CTA and CTA number in the grid (i32).
  mlir::Value getThread();
  mlir::Value getCta();
  /// A zero (i32) made of a number (i32) below 2^31, of which neither LLVM nor
  /// ptxas knows that it is one.
  mlir::Value makeZero(mlir::Value number);
  /// One made of the thread's number: nobody knows either that it is the same
  /// in all threads.
  mlir::Value getThreadZero();
  /// `value / divisor` and `value % divisor` for i32 values that are not
  /// negative.
  mlir::Value divide(mlir::Value value, int64_t divisor);
  mlir::Value remainder(mlir::Value value, int64_t divisor);
  mlir::Value lessThan(mlir::Value lhs, mlir::Value rhs);
  /// The conjunction of two conditions, either of which may be null (true).
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);

  /// A layout of `chunks` chunks for a thread that starts at chunk `first`
  /// (i32, below `firstBound`) and whose chunks lie `chunksApart` chunks apart.
  Layout makeLayout(mlir::Value first, int64_t firstBound, int64_t chunks,
                    int64_t chunksApart);

  /// The address of each chunk that a `row.load` of rows or columns asks for,
  /// and how it is accessed.
  llvm::SmallVector<mlir::Value>
  chunkPointers(mlir::row::LoadOp op, const Layout &layout, mlir::Value row);
  Access getAccess(mlir::row::LoadOp op) const;
  /// Type of one chunk of a `row.load` of rows or columns.
  mlir::VectorType chunkType(mlir::row::LoadOp op, const Layout &layout) const;

  /// Loads what a `row.load` asks for. `valid` (i1, null: true) tells whether
  /// the row counts; a row that does not must be one that can be loaded from.
  ThreadValue load(mlir::row::LoadOp op, const Layout &layout, mlir::Value row,
                   mlir::Value valid);
  /// Stores per-thread chunks of a row of `type` at `pointer`.
  void storeChunks(mlir::ValueRange chunks, mlir::Value pointer,
                   const Layout &layout, mlir::Value valid,
                   const Access &access);

  /// Emits one op of the body; `values` maps what was emitted before. Loads
  /// that are mapped already are left alone.
  void emit(mlir::Operation &op, const Layout &layout, const CurrentRow &row,
            llvm::DenseMap<mlir::Value, ThreadValue> &values);

  /// Emits what defines `value` unless that is mapped already.
  const ThreadValue &get(mlir::Value value, const Layout &layout,
                         const CurrentRow &row,
                         llvm::DenseMap<mlir::Value, ThreadValue> &values);

  /// Whether a thread has registers for a row as it was loaded, but not for
  /// what is computed from it too.
  bool isShortOfRegisters() const;

  /// The f32 zeros a column accumulator starts from.
  ThreadValue makeAccumulator(const Layout &layout);
  /// Adds a row to a column accumulator.
  void accumulate(mlir::row::AccumulateOp op, const Layout &layout,
                  const CurrentRow &row,
                  llvm::DenseMap<mlir::Value, ThreadValue> &values,
                  llvm::MutableArrayRef<mlir::Value> accumulator);

  /// Sums over the lanes of a warp: every lane gets the sum over those of its
  /// group of `width` lanes that are a multiple of `stride` lanes from it.
  mlir::Value reduceLanes(mlir::Value value, int64_t width,
                          mlir::row::ReduceKind kind, int64_t stride = 1);
  /// A shared array of f32.
  mlir::Value allocateShared(int64_t floats);
  /// The shared memory that the launch asks for at run time.
  mlir::Value declareDynamicShared();
  /// Pointer to element `index` (i32) of a shared array.
  mlir::Value sharedElement(mlir::Value array, mlir::Value index);

  /// Number of CTAs that walk rows in the first launch of the plan, given the
  /// number of rows (i64), as i64.
  mlir::Value countRowCtas(const Launch &launch);

  /// Toggles between the two halves of the buffer that reductions along the row
  /// use (i32, 0 or 1), so that one barrier a reduction is enough. Code that
  /// loops carries it.
  mlir::Value phase;

private:
  /// Behind a reduction, where registers are short: forgets what was computed
  /// from the rows, and columns that are loaded late, so that only the rows as
  /// loaded had to be kept through it.
  void forgetComputed(llvm::DenseMap<mlir::Value, ThreadValue> &values);
  mlir::Value declareShared(int64_t floats, mlir::LLVM::Linkage linkage,
                            const llvm::Twine &suffix);
  mlir::Value reduceRow(mlir::Value partial, mlir::row::ReduceKind kind);
  /// The `count` f32 values in shared memory.
  llvm::SmallVector<mlir::Value> loadParts(mlir::Value parts, int64_t count);
  /// In each of as many neighbouring lanes as there are values (rounded up to a
  /// power of two, and so on in the next lanes) one of the `count` f32 values
  /// in shared memory, and what changes nothing beyond the last one.
  mlir::Value loadPart(mlir::Value parts, int64_t count,
                       mlir::row::ReduceKind kind);
  /// Combines each lane's value with those of the lanes that lie `offsets`
  /// apart: to the bit what one offset after the other gives, in a single trip
  /// through the shuffle unit, but with 2^n - 1 shuffles for n offsets.
  mlir::Value exchange(mlir::Value value, llvm::ArrayRef<int64_t> offsets,
                       mlir::row::ReduceKind kind);
  /// Combines what the lanes of a warp hold of a row.
  mlir::Value reduceWarp(mlir::Value value, mlir::row::ReduceKind kind);
  mlir::Value combine(mlir::Value lhs, mlir::Value rhs,
                      mlir::row::ReduceKind kind);
  mlir::Value combineTree(llvm::SmallVector<mlir::Value> values,
                          mlir::row::ReduceKind kind);
  mlir::Value reduceThread(mlir::ValueRange chunks, mlir::row::ReduceKind kind);
  mlir::Value dotThread(mlir::ValueRange lhs, mlir::ValueRange rhs);
  /// Puts `neutral` in place of each chunk whose condition (i1; null: true)
  /// does not hold.
  ThreadValue maskChunks(mlir::ValueRange chunks,
                         llvm::ArrayRef<mlir::Value> conditions, float neutral);
  mlir::Value rowPointer(mlir::Value handle, mlir::Value row);
  mlir::Value chunkPointer(mlir::Value base, mlir::Type elementType,
                           const Layout &layout, int64_t chunk);
  ThreadValue
  cloneElementwise(mlir::Operation &op, const Layout &layout,
                   llvm::DenseMap<mlir::Value, ThreadValue> &values);

  mlir::gpu::GPUModuleOp module;
  mlir::gpu::GPUFuncOp function;
  mlir::Value thread, cta, threadZero, reductionBuffer;
  int64_t sharedCount = 0;
};

} // namespace rmsc

#endif // RMSC_LIB_CONVERSION_ROWTOGPU_EMITTER_H
