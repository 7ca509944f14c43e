//===-- Emitter.cpp - per-thread code of a row kernel ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rmsc/Target/InlinePtx.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace rmsc;

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Emitter::Emitter(row::KernelOp kernel, const TargetInfo &target,
                 gpu::GPUModuleOp module, const Launch &launch)
    : b(kernel.getLoc(), OpBuilder::atBlockEnd(module.getBody())),
      kernel(kernel), schedule(kernel.getScheduleAttr()), target(target),
      module(module) {
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
  SmallVector<Type> types(kernel.getHandles().size(), pointer);
  types.push_back(b.getI64Type());
  for (BlockArgument handle : kernel.getHandles())
    if (isa<row::RowsType>(handle.getType()))
      types.push_back(b.getI64Type());
  types.push_back(pointer);
  function =
      gpu::GPUFuncOp::create(b, launch.entry, b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.block), 1, 1}));
  // The register limit that lets as many CTAs share an SM as the grid has.
  if (launch.entry == kernel.getSymName() && schedule.getCtasPerSm() != 0)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(schedule.getCtasPerSm()));
  // It is enough that what is written aliases nothing. Saying it of inputs too
  // would send their loads down the read-only path (`ld.global.nc`), which is
  // no faster and leaves ptxas free to put a weight's load off until the row
  // has arrived; and a buffer shared in place or still written by the grid
  // before this one must not be read that way at all.
  for (BlockArgument handle : kernel.getOutputs())
    if (!kernel.mayBeAliased(handle))
      function.setArgAttr(handle.getArgNumber(),
                          LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
  b.setInsertionPointToStart(&function.getBody().front());
  phase = i32(0);
  if (launch.waits)
    NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::wait);
}

void Emitter::finish() { gpu::ReturnOp::create(b); }

Value Emitter::getPointer(Value handle) const {
  return const_cast<gpu::GPUFuncOp &>(function).getArgument(
      cast<BlockArgument>(handle).getArgNumber());
}

Value Emitter::getRows() const {
  auto &kernelOp = const_cast<row::KernelOp &>(kernel);
  return const_cast<gpu::GPUFuncOp &>(function).getArgument(
      kernelOp.getHandles().size());
}

Value Emitter::getWorkspace() const {
  return const_cast<gpu::GPUFuncOp &>(function).getArguments().back();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value Emitter::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

Value Emitter::i64(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI64Type(), value);
}

Value Emitter::getThread() {
  if (!thread)
    thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  return thread;
}

Value Emitter::getCta() {
  if (!cta)
    cta = NVVM::BlockIdXOp::create(b, b.getI32Type());
  return cta;
}

Value Emitter::makeZero(Value number) {
  return NVVM::InlinePtxOp::create(b, TypeRange{b.getI32Type()}, number,
                                   ValueRange{}, rmsc::threadZero().text,
                                   Value())
      .getResult(0);
}

Value Emitter::getThreadZero() {
  if (!threadZero) {
    Value number = getThread();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(number);
    threadZero = makeZero(number);
  }
  return threadZero;
}

Value Emitter::divide(Value value, int64_t divisor) {
  if (divisor == 1)
    return value;
  return arith::DivUIOp::create(b, value, i32(divisor));
}

Value Emitter::remainder(Value value, int64_t divisor) {
  return arith::RemUIOp::create(b, value, i32(divisor));
}

Value Emitter::lessThan(Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lhs, rhs);
}

Value Emitter::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, lhs, rhs);
}

Value Emitter::countRowCtas(const Launch &launch) {
  Value ctas = getRows();
  if (launch.rowsPerCta > 1)
    ctas = arith::DivUIOp::create(
        b, arith::AddIOp::create(b, ctas, i64(launch.rowsPerCta - 1)),
        i64(launch.rowsPerCta));
  if (launch.ctasPerRow > 1)
    ctas = arith::MulIOp::create(b, ctas, i64(launch.ctasPerRow));
  if (launch.maxCtas != 0)
    ctas = arith::MinUIOp::create(b, ctas, i64(launch.maxCtas));
  return ctas;
}

//===----------------------------------------------------------------------===//
// Layout and memory
//===----------------------------------------------------------------------===//

Layout Emitter::makeLayout(Value first, int64_t firstBound, int64_t chunks,
                           int64_t chunksApart) {
  int64_t elements = schedule.getElements();
  int64_t rowChunks = kernel.getHiddenSize() / elements;
  Layout layout;
  layout.elements = elements;
  layout.firstChunk = first;
  layout.column = arith::MulIOp::create(b, first, i32(elements),
                                        arith::IntegerOverflowFlags::nsw |
                                            arith::IntegerOverflowFlags::nuw);
  layout.chunkStride = chunksApart * elements;
  for (int64_t c = 0; c < chunks; ++c) {
    if (firstBound + c * chunksApart <= rowChunks) {
      layout.inRow.push_back({});
      layout.clampedColumn.push_back({});
      continue;
    }
    Value chunk = arith::AddIOp::create(b, first, i32(c * chunksApart));
    layout.inRow.push_back(lessThan(chunk, i32(rowChunks)));
    Value clamped = arith::MinUIOp::create(b, chunk, i32(rowChunks - 1));
    layout.clampedColumn.push_back(arith::MulIOp::create(
        b, clamped, i32(elements),
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw));
  }
  return layout;
}

Value Emitter::rowPointer(Value handle, Value row) {
  Type elementType = row::getHandleElementType(handle.getType());
  Value stride;
  if (schedule.getStrided()) {
    int64_t number = cast<BlockArgument>(handle).getArgNumber();
    int64_t strides = llvm::count_if(
        kernel.getHandles().take_front(number), [](BlockArgument other) {
          return isa<row::RowsType>(other.getType());
        });
    stride = function.getArgument(kernel.getHandles().size() + 1 + strides);
  } else {
    stride = i64(kernel.getHiddenSize());
  }
  // 64 bits: rows times the hidden size passes 2^31 in practice.
  Value offset = arith::MulIOp::create(b, row, stride,
                                       arith::IntegerOverflowFlags::nsw |
                                           arith::IntegerOverflowFlags::nuw);
  return offsetPointer(b, getPointer(handle), elementType, offset);
}

Value Emitter::chunkPointer(Value base, Type elementType, const Layout &layout,
                            int64_t chunk) {
  if (Value column = layout.clampedColumn[chunk])
    return offsetPointer(b, base, elementType, column);
  // One register addresses all chunks of the thread.
  return offsetPointer(b, offsetPointer(b, base, elementType, layout.column),
                       elementType, chunk * layout.chunkStride);
}

Access Emitter::getAccess(row::LoadOp op) const {
  Type handle = op.getSource().getType();
  Access access;
  access.bytes = schedule.getAccessBytes(
      row::getHandleElementType(handle).getIntOrFloatBitWidth() / 8);
  if (isa<row::RowsType>(handle))
    access.policy = schedule.getLoads();
  return access;
}

VectorType Emitter::chunkType(row::LoadOp op, const Layout &layout) const {
  return VectorType::get({layout.elements},
                         row::getHandleElementType(op.getSource().getType()));
}

SmallVector<Value> Emitter::chunkPointers(row::LoadOp op, const Layout &layout,
                                          Value row) {
  Value handle = op.getSource();
  Value base = isa<row::RowsType>(handle.getType()) ? rowPointer(handle, row)
                                                    : getPointer(handle);
  SmallVector<Value> pointers;
  for (int64_t c = 0; c < layout.chunks(); ++c)
    pointers.push_back(chunkPointer(
        base, row::getHandleElementType(handle.getType()), layout, c));
  return pointers;
}

ThreadValue Emitter::load(row::LoadOp op, const Layout &layout, Value row,
                          Value valid) {
  Value handle = op.getSource();
  if (isa<row::ScalarsType>(handle.getType())) {
    Type elementType = row::getHandleElementType(handle.getType());
    // All threads of a row load the same value, and ptxas likes to keep such a
    // one in a uniform register. What is loaded from memory gets there by a
    // move that waits for it: within the row that is computed meanwhile.
    if (schedule.getPrefetchRows() != 0)
      row = arith::AddIOp::create(
          b, row, arith::ExtUIOp::create(b, b.getI64Type(), getThreadZero()));
    Value pointer = offsetPointer(b, getPointer(handle), elementType, row);
    return {LLVM::LoadOp::create(b, elementType, pointer,
                                 elementType.getIntOrFloatBitWidth() / 8)
                .getResult()};
  }
  bool inPlace = kernel.mayBeAliased(cast<BlockArgument>(handle));
  VectorType type = chunkType(op, layout);
  ThreadValue chunks;
  for (auto [c, pointer] : llvm::enumerate(chunkPointers(op, layout, row))) {
    Value predicate = inPlace ? both(valid, layout.inRow[c]) : Value();
    if (!predicate) {
      chunks.push_back(loadVector(b, pointer, type, getAccess(op)));
      continue;
    }
    // What is written in place is read by the thread that writes it and by no
    // other: a repeated chunk or row is another thread's.
    auto branch =
        scf::IfOp::create(b, type, predicate, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loadVector(b, pointer, type, getAccess(op)));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(
        b, arith::ConstantOp::create(
               b, type,
               DenseElementsAttr::get(
                   type, b.getFloatAttr(type.getElementType(), 0.0)))
               .getResult());
    chunks.push_back(branch.getResult(0));
  }
  return chunks;
}

void Emitter::storeChunks(ValueRange chunks, Value pointer,
                          const Layout &layout, Value valid,
                          const Access &access) {
  for (auto [c, chunk] : llvm::enumerate(chunks)) {
    OpBuilder::InsertionGuard guard(b);
    if (Value predicate = both(valid, layout.inRow[c])) {
      auto branch = scf::IfOp::create(b, predicate, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Type elementType = cast<VectorType>(chunk.getType()).getElementType();
    storeVector(b, chunk, chunkPointer(pointer, elementType, layout, c),
                access);
  }
}

Value Emitter::declareShared(int64_t floats, LLVM::Linkage linkage,
                             const Twine &suffix) {
  OpBuilder::InsertionGuard guard(b);
  auto type = LLVM::LLVMArrayType::get(b.getF32Type(), floats);
  std::string name = (function.getName() + suffix).str();
  b.setInsertionPoint(function);
  auto global = LLVM::GlobalOp::create(
      b, type, /*isConstant=*/false, linkage, name, Attribute(),
      /*alignment=*/16, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  b.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AddressOfOp::create(b, global);
}

Value Emitter::allocateShared(int64_t floats) {
  return declareShared(floats, LLVM::Linkage::Internal,
                       "_shared" + Twine(sharedCount++));
}

Value Emitter::declareDynamicShared() {
  return declareShared(0, LLVM::Linkage::External, "_dynamic");
}

Value Emitter::sharedElement(Value array, Value index) {
  return offsetPointer(b, array, b.getF32Type(), index);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value Emitter::combine(Value lhs, Value rhs, row::ReduceKind kind) {
  switch (kind) {
  case row::ReduceKind::Sum:
    return arith::AddFOp::create(b, lhs, rhs);
  case row::ReduceKind::Max:
    return arith::MaximumFOp::create(b, lhs, rhs);
  }
  llvm_unreachable("unknown reduction");
}

/// What changes no value that it is combined with. Positive zero would change a
/// negative one.
static float getNeutral(row::ReduceKind kind) {
  switch (kind) {
  case row::ReduceKind::Sum:
    return -0.0f;
  case row::ReduceKind::Max:
    return -std::numeric_limits<float>::infinity();
  }
  llvm_unreachable("unknown reduction");
}

Value Emitter::combineTree(SmallVector<Value> values, row::ReduceKind kind) {
  // A chain would stay a chain: floating-point additions are not reordered.
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(values[i], values[i + 1], kind));
    if (values.size() % 2 != 0)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

/// Cuts chunks into pairs, the unit of packed f32 arithmetic.
static SmallVector<Value> cutIntoPairs(ImplicitLocOpBuilder &b,
                                       ValueRange chunks) {
  SmallVector<Value> pairs;
  for (Value chunk : chunks) {
    int64_t elements = cast<VectorType>(chunk.getType()).getDimSize(0);
    if (elements <= 2) {
      pairs.push_back(chunk);
      continue;
    }
    for (int64_t i = 0; i < elements; i += 2)
      pairs.push_back(vector::ExtractStridedSliceOp::create(
          b, chunk, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{2},
          ArrayRef<int64_t>{1}));
  }
  return pairs;
}

/// Partial sums that one thread keeps side by side, so that the latency of a
/// long chain of additions does not show.
static size_t countChains(size_t terms) {
  return std::clamp<size_t>(terms / 2, 1, 4);
}

Value Emitter::reduceThread(ValueRange chunks, row::ReduceKind kind) {
  SmallVector<Value> pairs = cutIntoPairs(b, chunks);
  size_t chains = countChains(pairs.size());
  for (size_t i = chains; i < pairs.size(); ++i)
    pairs[i % chains] = combine(pairs[i % chains], pairs[i], kind);
  pairs.truncate(chains);
  Value pair = combineTree(std::move(pairs), kind);
  auto elements = vector::ToElementsOp::create(b, pair);
  return combineTree(SmallVector<Value>(elements.getResults()), kind);
}

Value Emitter::dotThread(ValueRange lhs, ValueRange rhs) {
  SmallVector<Value> left = cutIntoPairs(b, lhs);
  SmallVector<Value> right = lhs == rhs ? left : cutIntoPairs(b, rhs);
  size_t chains = countChains(left.size());
  SmallVector<Value> sums;
  for (size_t i = 0; i < left.size(); ++i) {
    if (i < chains)
      sums.push_back(arith::MulFOp::create(b, left[i], right[i]));
    else
      sums[i % chains] =
          math::FmaOp::create(b, left[i], right[i], sums[i % chains]);
  }
  return reduceThread(sums, row::ReduceKind::Sum);
}

Value Emitter::reduceLanes(Value value, int64_t width, row::ReduceKind kind,
                           int64_t stride) {
  for (int64_t offset = width / 2; offset >= stride; offset /= 2)
    value = exchange(value, offset, kind);
  return value;
}

Value Emitter::exchange(Value value, ArrayRef<int64_t> offsets,
                        row::ReduceKind kind) {
  SmallVector<Value> values{value};
  SmallVector<int64_t> apart{0};
  for (int64_t offset : offsets)
    for (size_t i = 0, e = apart.size(); i < e; ++i) {
      apart.push_back(apart[i] ^ offset);
      values.push_back(NVVM::ShflOp::create(
          b, value.getType(), i32(-1), value, i32(apart.back()),
          i32(warpSize - 1), NVVM::ShflKind::bfly, UnitAttr()));
    }
  return combineTree(std::move(values), kind);
}

Value Emitter::reduceWarp(Value value, row::ReduceKind kind) {
  int64_t width = std::min(schedule.getThreadsPerRow(), warpSize);
  // In a one-shot grid a CTA has nothing else to do meanwhile: three steps in
  // one trip take little longer than one. One that walks rows has, and no
  // shuffles to give away.
  size_t stepsOfTrip = schedule.getGrid() == row::Grid::OneShot ? 3 : 1;
  SmallVector<int64_t> offsets;
  for (int64_t offset = width / 2; offset >= 1; offset /= 2) {
    offsets.push_back(offset);
    if (offsets.size() < stepsOfTrip && offset > 1)
      continue;
    value = exchange(value, offsets, kind);
    offsets.clear();
  }
  return value;
}

Value Emitter::reduceRow(Value partial, row::ReduceKind kind) {
  int64_t threadsPerRow = schedule.getThreadsPerRow();
  Value sum = reduceWarp(partial, kind);
  if (threadsPerRow <= warpSize)
    return sum;

  // Every warp leaves its part in shared memory, every thread adds the parts
  // of its row up: one barrier, against two where one warp does it for all. The
  // buffer has two halves, used in turn, so that no barrier is needed after the
  // parts are read either.
  int64_t warps = threadsPerRow / warpSize;
  int64_t stride = llvm::alignTo(warps, 4);
  int64_t rowsPerCta = schedule.getRowsPerCta();
  if (!reductionBuffer)
    reductionBuffer = allocateShared(2 * rowsPerCta * stride);
  Value slot = phase;
  // Nobody knows that this changes nothing, so one address serves the store
  // and the loads: else ptxas computes another one after the barrier.
  if (schedule.getCtasPerRow() > 1)
    slot = arith::AddIOp::create(b, slot, getThreadZero());
  if (rowsPerCta > 1)
    slot = arith::AddIOp::create(
        b, arith::MulIOp::create(b, slot, i32(rowsPerCta)),
        divide(getThread(), threadsPerRow));
  Value parts = sharedElement(reductionBuffer,
                              arith::MulIOp::create(b, slot, i32(stride)));
  Value isFirstLane = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, remainder(getThread(), warpSize), i32(0));
  auto branch = scf::IfOp::create(b, isFirstLane, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value warp = divide(remainder(getThread(), threadsPerRow), warpSize);
    LLVM::StoreOp::create(b, sum, sharedElement(parts, warp), 4);
  }
  NVVM::BarrierOp::create(b);
  // One part in each lane takes one register, where a thread that holds them
  // all needs as many as there are. Exchanges take longer, but the next row is
  // on its way meanwhile.
  bool overLanes = isShortOfRegisters() && schedule.getPrefetchRows() != 0;
  SmallVector<Value> values =
      overLanes ? SmallVector<Value>{loadPart(parts, warps, kind)}
                : loadParts(parts, warps);
  phase = arith::XOrIOp::create(b, phase, i32(1));
  if (!overLanes)
    return combineTree(std::move(values), kind);
  // Nearest lanes first: the order of the tree, and so its bits.
  Value result = values.front();
  for (int64_t offset = 1; offset < warps; offset *= 2)
    result = exchange(result, offset, kind);
  return result;
}

SmallVector<Value> Emitter::loadParts(Value parts, int64_t count) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < count;) {
    int64_t width = std::min<int64_t>(4, llvm::bit_floor<uint64_t>(count - i));
    Value loaded = LLVM::LoadOp::create(
        b, VectorType::get({width}, b.getF32Type()),
        offsetPointer(b, parts, b.getF32Type(), i), 4 * width);
    auto elements = vector::ToElementsOp::create(b, loaded);
    llvm::append_range(values, elements.getResults());
    i += width;
  }
  return values;
}

Value Emitter::loadPart(Value parts, int64_t count, row::ReduceKind kind) {
  int64_t width = llvm::PowerOf2Ceil(count);
  Value lane = remainder(getThread(), width);
  Value source = lane;
  if (count < width)
    source = arith::MinUIOp::create(b, lane, i32(count - 1));
  Value value =
      LLVM::LoadOp::create(b, b.getF32Type(), sharedElement(parts, source), 4);
  if (count < width)
    value = arith::SelectOp::create(
        b, lessThan(lane, i32(count)), value,
        arith::ConstantOp::create(b, b.getF32FloatAttr(getNeutral(kind))));
  return value;
}

ThreadValue Emitter::maskChunks(ValueRange chunks, ArrayRef<Value> conditions,
                                float neutral) {
  ThreadValue masked;
  for (auto [chunk, condition] : llvm::zip_equal(chunks, conditions)) {
    if (!condition) {
      masked.push_back(chunk);
      continue;
    }
    auto type = cast<VectorType>(chunk.getType());
    Value zero = arith::ConstantOp::create(
        b, type, DenseElementsAttr::get(type, neutral));
    masked.push_back(arith::SelectOp::create(b, condition, chunk, zero));
  }
  return masked;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

LogicalResult rmsc::verifyRowOp(Operation *op) {
  // A vector of another length would be taken for a row.
  int64_t hiddenSize = cast<row::KernelOp>(op->getParentOp()).getHiddenSize();
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type);
          vector && vector.getShape() != ArrayRef<int64_t>{hiddenSize})
        return op->emitError()
               << "works on " << vector << ", which is no row: a row has "
               << hiddenSize << " elements";
  if (isa<row::LoadOp, row::StoreOp, row::ReduceOp, row::DotOp,
          row::AccumulateOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<FloatAttr, IntegerAttr, SplatElementsAttr>(constant.getValue()))
      return success();
    return op->emitError("a constant row must be one value for all columns; "
                         "pass others as an operand of columns");
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (!isa<VectorType>(broadcast.getSource().getType()))
      return success();
  } else if (isa<math::RsqrtOp, math::SqrtOp>(op)) {
    if (op->getResult(0).getType().isF32())
      return success();
    return op->emitError("a root is supported on one f32 of a row only");
  } else if (isa<math::FmaOp>(op) ||
             (isa<arith::ArithDialect>(op->getDialect()) &&
              OpTrait::hasElementwiseMappableTraits(op))) {
    return success();
  }
  return op->emitError() << "'" << op->getName()
                         << "' cannot be spread over the threads of a row; a "
                            "row kernel holds row ops, element-wise arith, "
                            "math.fma, and roots of scalars";
}

/// Emits a root of a scalar without the libdevice call that the upstream
/// lowering of `math` would need.
static Value emitRoot(ImplicitLocOpBuilder &b, Operation &op, Value operand) {
  StringRef intrinsic = isa<math::SqrtOp>(op) ? "llvm.nvvm.sqrt.rn.f"
                                              : "llvm.nvvm.rsqrt.approx.f";
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr(intrinsic), ValueRange{operand})
      .getResult(0);
}

/// bf16 is the upper half of an f32, so a pair of them is extended by a shift
/// and a mask. Left to itself, the back end takes the pair apart first: three
/// instructions where these are two, ahead of everything else a row waits for.
static Value extendPairs(ImplicitLocOpBuilder &b, Value chunk) {
  int64_t elements = cast<VectorType>(chunk.getType()).getDimSize(0);
  auto wordsType = VectorType::get({elements / 2}, b.getI32Type());
  auto halvesType = VectorType::get({elements / 2}, b.getF32Type());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, wordsType,
                                     DenseElementsAttr::get(wordsType, value));
  };
  Value words = vector::BitCastOp::create(b, wordsType, chunk);
  Value lower = arith::ShLIOp::create(b, words, constant(16));
  Value upper = arith::AndIOp::create(
      b, words, constant(static_cast<int32_t>(0xffff0000u)));
  SmallVector<int64_t> interleave;
  for (int64_t i = 0; i < elements / 2; ++i)
    interleave.append({i, elements / 2 + i});
  return vector::ShuffleOp::create(
      b, vector::BitCastOp::create(b, halvesType, lower),
      vector::BitCastOp::create(b, halvesType, upper), interleave);
}

ThreadValue Emitter::cloneElementwise(Operation &op, const Layout &layout,
                                      DenseMap<Value, ThreadValue> &values) {
  bool isRow = isa<VectorType>(op.getResult(0).getType());
  ThreadValue results;
  if (isa<arith::ExtFOp>(op) && isRow && layout.elements % 2 == 0 &&
      getElementTypeOrSelf(op.getOperand(0).getType()).isBF16()) {
    for (Value chunk : values[op.getOperand(0)])
      results.push_back(extendPairs(b, chunk));
    return results;
  }
  for (int64_t c = 0, e = isRow ? layout.chunks() : 1; c < e; ++c) {
    IRMapping mapping;
    for (Value operand : op.getOperands()) {
      const ThreadValue &value = values[operand];
      mapping.map(operand,
                  isa<VectorType>(operand.getType()) ? value[c] : value[0]);
    }
    Operation *clone = b.clone(op, mapping);
    if (isRow)
      clone->getResult(0).setType(VectorType::get(
          {layout.elements}, getElementTypeOrSelf(op.getResult(0).getType())));
    results.push_back(clone->getResult(0));
  }
  return results;
}

void Emitter::emit(Operation &op, const Layout &layout, const CurrentRow &row,
                   DenseMap<Value, ThreadValue> &values) {
  // Loads that were put off, and what was forgotten, are due now.
  if (!isa<row::AccumulateOp>(op))
    for (Value operand : op.getOperands())
      get(operand, layout, row, values);

  TypeSwitch<Operation *>(&op)
      .Case<row::LoadOp>([&](row::LoadOp load) {
        if (!values.contains(load.getResult()))
          values[load.getResult()] =
              this->load(load, layout, row.row, row.valid);
      })
      .Case<row::StoreOp>([&](row::StoreOp store) {
        Value target = store.getTarget();
        Type elementType = row::getHandleElementType(target.getType());
        const ThreadValue &value = values[store.getValue()];
        if (isa<row::RowsType>(target.getType())) {
          Access access;
          access.bytes =
              schedule.getAccessBytes(elementType.getIntOrFloatBitWidth() / 8);
          access.policy = schedule.getStores();
          // Left to itself, LLVM has threads that store nothing leave at the
          // barrier, and what the others then execute is fetched late (at one
          // row 1.63 us in place of 1.38; an H200).
          if (schedule.getCtasPerRow() > 1)
            pinVectors(b, value);
          storeChunks(value, rowPointer(target, row.row), layout, row.valid,
                      access);
          return;
        }
        Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                              layout.firstChunk, i32(0));
        auto branch = scf::IfOp::create(b, both(row.valid, isFirst),
                                        /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        LLVM::StoreOp::create(
            b, value[0],
            offsetPointer(b, getPointer(target), elementType, row.row),
            elementType.getIntOrFloatBitWidth() / 8);
      })
      .Case<row::ReduceOp>([&](row::ReduceOp reduce) {
        float neutral = reduce.getKind() == row::ReduceKind::Max
                            ? -std::numeric_limits<float>::infinity()
                            : 0.0f;
        ThreadValue masked =
            maskChunks(values[reduce.getValue()], layout.inRow, neutral);
        values[reduce.getResult()] = {reduceRow(
            reduceThread(masked, reduce.getKind()), reduce.getKind())};
        forgetComputed(values);
      })
      .Case<row::DotOp>([&](row::DotOp dot) {
        ThreadValue lhs = maskChunks(values[dot.getLhs()], layout.inRow, 0.0f);
        ThreadValue rhs = lhs;
        if (dot.getLhs() != dot.getRhs())
          rhs = maskChunks(values[dot.getRhs()], layout.inRow, 0.0f);
        values[dot.getResult()] = {
            reduceRow(dotThread(lhs, rhs), row::ReduceKind::Sum)};
        forgetComputed(values);
      })
      // Column accumulators live longer than a row; whoever walks the rows
      // keeps them.
      .Case<row::AccumulateOp>([](row::AccumulateOp) {})
      .Case<vector::BroadcastOp>([&](vector::BroadcastOp broadcast) {
        auto type = VectorType::get(
            {layout.elements},
            cast<VectorType>(broadcast.getType()).getElementType());
        Value chunk = vector::BroadcastOp::create(
            b, type, values[broadcast.getSource()].front());
        values[broadcast.getResult()] = ThreadValue(layout.chunks(), chunk);
      })
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        TypedAttr value = constant.getValue();
        size_t copies = 1;
        if (auto splat = dyn_cast<SplatElementsAttr>(value)) {
          value = splat.resizeSplat(
              VectorType::get({layout.elements}, splat.getElementType()));
          copies = layout.chunks();
        }
        values[constant.getResult()] =
            ThreadValue(copies, arith::ConstantOp::create(b, value));
      })
      .Case<math::RsqrtOp, math::SqrtOp>([&](auto root) {
        values[root.getResult()] = {
            emitRoot(b, op, values[root.getOperand()].front())};
      })
      .Default([&](Operation *) {
        values[op.getResult(0)] = cloneElementwise(op, layout, values);
      });
}

const ThreadValue &Emitter::get(Value value, const Layout &layout,
                                const CurrentRow &row,
                                DenseMap<Value, ThreadValue> &values) {
  if (Operation *op = value.getDefiningOp(); op && !values.contains(value))
    emit(*op, layout, row, values);
  return values[value];
}

/// Elements up to which a thread has registers for all that is computed of
/// them.
static constexpr int64_t elementsHeldWidened = 8;

bool Emitter::isShortOfRegisters() const {
  auto &kernelOp = const_cast<row::KernelOp &>(kernel);
  int64_t held =
      schedule.getChunks(kernelOp.getHiddenSize()) * schedule.getElements();
  // A CTA that takes one row has registers to spare: it keeps no accumulators
  // and no row ahead. Several rows at once take registers to tell them apart.
  if (schedule.getGrid() != row::Grid::Persistent ||
      (held <= elementsHeldWidened && schedule.getRowsPerCta() == 1))
    return false;
  // Addresses and the rest take about 40, and 56 where they differ within a
  // CTA. Rows and columns are f32 where they are computed with; rows ahead are
  // held as they were loaded.
  int64_t registers = schedule.getRowsPerCta() == 1 ? 40 : 56, ahead = 0;
  for (Operation &op : kernelOp.getBody().front()) {
    auto load = dyn_cast<row::LoadOp>(op);
    if (load && isa<VectorType>(load.getType())) {
      registers += held;
      if (isa<row::RowsType>(load.getSource().getType()))
        ahead += llvm::divideCeil(
            held * getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth(),
            32);
    }
    if (isa<row::AccumulateOp>(op) &&
        schedule.getAccumulators() == row::Accumulators::Registers)
      registers += held;
  }
  return registers + schedule.getPrefetchRows() * ahead >
         target.registersPerSm /
             (schedule.getThreads() * schedule.getCtasPerSm());
}

void Emitter::forgetComputed(DenseMap<Value, ThreadValue> &values) {
  if (!isShortOfRegisters())
    return;
  for (Operation &op : kernel.getBody().front()) {
    auto entry =
        op.getNumResults() == 1 ? values.find(op.getResult(0)) : values.end();
    if (entry == values.end() || !isa<VectorType>(entry->first.getType()))
      continue;
    auto load = dyn_cast<row::LoadOp>(op);
    if (!load || (isa<row::ColumnsType>(load.getSource().getType()) &&
                  schedule.getColumnLoad() == row::ColumnLoad::Late))
      values.erase(entry);
    else if (!getElementTypeOrSelf(load.getType()).isF32())
      entry->second = copyVectors(b, entry->second, getThreadZero());
  }
}

//===----------------------------------------------------------------------===//
// Column accumulators
//===----------------------------------------------------------------------===//

ThreadValue Emitter::makeAccumulator(const Layout &layout) {
  auto type = VectorType::get({layout.elements}, b.getF32Type());
  Value zero =
      arith::ConstantOp::create(b, type, DenseElementsAttr::get(type, 0.0f));
  return ThreadValue(layout.chunks(), zero);
}

void Emitter::accumulate(row::AccumulateOp op, const Layout &layout,
                         const CurrentRow &row,
                         DenseMap<Value, ThreadValue> &values,
                         MutableArrayRef<Value> accumulator) {
  // Columns beyond the row are never stored, so only whole rows are masked.
  SmallVector<Value> conditions(layout.chunks(), row.valid);
  get(op.getRhs(), layout, row, values);
  ThreadValue lhs =
      maskChunks(get(op.getLhs(), layout, row, values), conditions, 0.0f);
  ThreadValue rhs = maskChunks(values.at(op.getRhs()), conditions, 0.0f);
  for (auto [sum, left, right] : llvm::zip_equal(accumulator, lhs, rhs))
    sum = math::FmaOp::create(b, left, right, sum);
}
