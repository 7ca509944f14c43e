//===-- Scheduler.cpp - choosing schedules ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Target/Scheduler.h"

#include "rmsc/Target/LaunchPlan.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace rmsc;

static constexpr int64_t allRows = std::numeric_limits<int32_t>::max();
static constexpr int64_t maxCtaThreads = 1024;

KernelShape KernelShape::of(row::KernelOp kernel) {
  KernelShape shape;
  shape.hiddenSize = kernel.getHiddenSize();
  auto countElement = [&](Type type) {
    int64_t bytes = row::getHandleElementType(type).getIntOrFloatBitWidth() / 8;
    shape.minElementBytes = std::min(shape.minElementBytes, bytes);
    shape.maxElementBytes = std::max(shape.maxElementBytes, bytes);
    return bytes;
  };
  for (Operation &op : kernel.getBody().front())
    TypeSwitch<Operation *>(&op)
        .Case<row::LoadOp>([&](row::LoadOp load) {
          Type type = load.getSource().getType();
          if (isa<row::ColumnsType>(type)) {
            ++shape.columnInputs;
            countElement(type);
          } else if (isa<row::RowsType>(type)) {
            ++shape.rowInputs;
            int64_t elementBytes = countElement(type);
            shape.maxRowElementBytes =
                std::max(shape.maxRowElementBytes, elementBytes);
            int64_t bytes = shape.hiddenSize * elementBytes;
            shape.bytesPerRow += bytes;
            shape.inputBytesPerRow += bytes;
          }
        })
        .Case<row::StoreOp>([&](row::StoreOp store) {
          Type type = store.getTarget().getType();
          if (isa<row::RowsType>(type)) {
            ++shape.rowOutputs;
            shape.bytesPerRow += shape.hiddenSize * countElement(type);
          }
        })
        .Case<row::ReduceOp, row::DotOp>([&](auto) { ++shape.reductions; })
        .Case<row::AccumulateOp>([&](auto) { ++shape.accumulators; });
  return shape;
}

namespace {
/// The fields of a schedule while it is put together.
struct Draft {
  int64_t threadsPerRow = 32, rowsPerCta = 1, ctasPerRow = 1, elements = 1,
          accessBytes = 1;
  row::Grid grid = row::Grid::OneShot;
  int64_t ctasPerSm = 0, prefetchRows = 0;
  row::ColumnLoad columnLoad = row::ColumnLoad::Early;
  row::ColumnSum columnSum = row::ColumnSum::None;
  row::Accumulators accumulators = row::Accumulators::Registers;
  int64_t sumColumns = 0, sumThreads = 0, sumRows = 4;
  row::CachePolicy loads = row::CachePolicy::Plain,
                   stores = row::CachePolicy::Plain;
  bool strided = false, dependentLaunch = false;

  /// Null, with a message, where the fields do not go together.
  row::ScheduleAttr
  getChecked(MLIRContext *context,
             function_ref<InFlightDiagnostic()> emitError) const {
    return row::ScheduleAttr::getChecked(
        emitError, context, threadsPerRow, rowsPerCta, ctasPerRow, elements,
        accessBytes, grid, ctasPerSm, prefetchRows, columnLoad, columnSum,
        accumulators, sumColumns, sumThreads, sumRows, loads, stores, strided,
        dependentLaunch);
  }
  /// For fields that go together.
  row::ScheduleAttr get(MLIRContext *context) const {
    row::ScheduleAttr schedule = getChecked(
        context, [&] { return mlir::emitError(UnknownLoc::get(context)); });
    assert(schedule && "the fields of a draft do not go together");
    return schedule;
  }
};
} // namespace

/// Elements of a chunk so that the narrowest stream is accessed `accessBytes`
/// at a time: the largest power of two that divides the hidden size too.
static int64_t chunkElements(const KernelShape &shape, int64_t accessBytes) {
  int64_t elements = std::max<int64_t>(1, accessBytes / shape.minElementBytes);
  while (shape.hiddenSize % elements != 0)
    elements /= 2;
  return elements;
}

/// Elements of a chunk of which the widest row input's is one access of
/// `accessBytes`.
static int64_t widestChunkElements(const KernelShape &shape,
                                   int64_t accessBytes) {
  return std::max<int64_t>(1, accessBytes / shape.maxRowElementBytes);
}

/// Bytes of a row of the narrowest operand, by which accesses are counted.
static int64_t narrowestRowBytes(const KernelShape &shape) {
  return shape.hiddenSize * shape.minElementBytes;
}

/// Makes `ctas` CTAs share a row, each with all the registers that it takes to
/// have everything on its way at once: where rows are few, it need not make way
/// for others.
static Draft sharingRow(Draft draft, int64_t ctas) {
  draft.ctasPerRow = ctas;
  draft.ctasPerSm = 1;
  return draft;
}

/// Threads of an SM that leave each of them 64 registers, enough for all loads
/// of a CTA that sums columns or walks one row.
static int64_t threadsWithRoom(const TargetInfo &target) {
  return target.registersPerSm / 64;
}

/// Threads for a row, one chunk each as long as that needs no more than
/// `maxThreads`, and rows for a CTA of about `ctaThreads`.
static void spreadRow(Draft &draft, const KernelShape &shape,
                      int64_t maxThreads, int64_t ctaThreads) {
  int64_t chunks = llvm::divideCeil(shape.hiddenSize, draft.elements);
  if (chunks <= 32) {
    draft.threadsPerRow = llvm::PowerOf2Ceil(chunks);
  } else {
    int64_t perThread = llvm::divideCeil(chunks, maxThreads);
    draft.threadsPerRow =
        llvm::alignTo(llvm::divideCeil(chunks, perThread), 32);
  }
  draft.rowsPerCta = std::max<int64_t>(1, ctaThreads / draft.threadsPerRow);
  // Whole warps only.
  while (draft.rowsPerCta * draft.threadsPerRow % 32 != 0)
    ++draft.rowsPerCta;
}

/// Workspace for partial sums, in bytes for each SM, that a caller is asked for
/// at most, unless a single row of them takes more.
static constexpr int64_t maxPartialBytesPerSm = 96 << 10;

/// Elements of a row that one thread of a draft holds.
static int64_t elementsHeld(const Draft &draft, const KernelShape &shape) {
  return llvm::divideCeil(shape.hiddenSize,
                          draft.threadsPerRow * draft.elements) *
         draft.elements;
}

/// Elements up to which a thread has registers to spare: a row is computed with
/// as f32, and a row ahead is always worth its registers.
static constexpr int64_t elementsHeldAhead = 8;

/// Registers that a thread of a persistent draft needs, roughly. Accumulators
/// and columns loaded early live as long as the CTA, and the latter cost some
/// freedom. A row loaded ahead is kept as it came, and so is the one that is
/// computed where there is much of it. Threads with rows of their own to keep
/// track of take 16 more, and 32 within one warp; many narrow accesses 24,
/// inputs of several widths 8, strides 8. Held against what ptxas spilled for
/// some hundred schedules of the breadth sweep's shapes.
static int64_t registersNeeded(const Draft &draft, const KernelShape &shape) {
  int64_t held = elementsHeld(draft, shape);
  int64_t rowBytes = held * shape.inputBytesPerRow / shape.hiddenSize;
  // What is narrower than a register takes one all the same.
  bool narrow = draft.elements * shape.minElementBytes < 4;
  if (narrow)
    rowBytes = 4 * held * shape.rowInputs;
  // Addresses, and the f32 values of the chunk that is computed.
  int64_t need = 32 + 24 * std::max<int64_t>(0, shape.rowInputs - 2);
  if (draft.rowsPerCta > 1)
    need += draft.threadsPerRow > warpSize ? 16 : 32;
  if (narrow)
    need += 24;
  else if (shape.inputBytesPerRow >
           shape.hiddenSize * shape.rowInputs * shape.minElementBytes)
    need += 8;
  if (draft.strided)
    need += 8;
  bool keptAsLoaded = held > elementsHeldAhead || draft.rowsPerCta > 1;
  need += keptAsLoaded ? rowBytes / 4 : held * shape.rowInputs;
  need += draft.prefetchRows * rowBytes / 4;
  if (draft.columnLoad == row::ColumnLoad::Early && shape.columnInputs != 0)
    need += held * shape.columnInputs + 8;
  if (draft.accumulators == row::Accumulators::Registers)
    need += held * shape.accumulators;
  return need;
}

/// Registers that a thread has where as many CTAs of a persistent draft as it
/// wants share an SM, whose four parts deal them out to whole warps in eights.
static int64_t registersOfThread(const Draft &draft, const TargetInfo &target) {
  constexpr int64_t parts = 4, mostOfThread = 255;
  int64_t threads = draft.ctasPerSm * draft.threadsPerRow * draft.rowsPerCta;
  int64_t warps =
      std::max<int64_t>(1, llvm::divideCeil(threads, parts * warpSize));
  return std::min(mostOfThread,
                  target.registersPerSm / (parts * warpSize * warps) / 8 * 8);
}

/// Whether the accumulators that a persistent draft keeps in shared memory fit
/// an SM.
static bool sharedMemoryFits(const Draft &draft, const KernelShape &shape,
                             const TargetInfo &target) {
  if (draft.accumulators == row::Accumulators::Registers)
    return true;
  // Reductions and what the system keeps take some KB more.
  constexpr int64_t others = 4 << 10;
  int64_t bytes = others + 4 * shape.accumulators * draft.threadsPerRow *
                               elementsHeld(draft, shape);
  return bytes <= target.sharedPerCta &&
         draft.ctasPerSm * bytes <= target.sharedPerSm;
}

/// Whether as many CTAs of a persistent draft as it wants fit an SM, and the
/// workspace for their partial sums is not too large.
static bool ctasFit(const Draft &draft, const KernelShape &shape,
                    const TargetInfo &target) {
  int64_t threads = draft.ctasPerSm * draft.threadsPerRow * draft.rowsPerCta;
  int64_t partialBytes = 4 * shape.accumulators * shape.hiddenSize;
  return threads <= target.threadsPerSm &&
         draft.ctasPerSm <= target.ctasPerSm &&
         registersNeeded(draft, shape) <= registersOfThread(draft, target) &&
         sharedMemoryFits(draft, shape, target) &&
         (draft.ctasPerSm == 1 ||
          draft.ctasPerSm * partialBytes <= maxPartialBytesPerSm);
}

/// Whether a schedule can be carried out. One that cannot is no error here.
static bool fits(row::KernelOp kernel, const Draft &draft,
                 const TargetInfo &target) {
  MLIRContext *context = kernel.getContext();
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  auto emitError = [&] { return mlir::emitError(kernel.getLoc()); };
  row::ScheduleAttr schedule = draft.getChecked(context, emitError);
  return schedule &&
         succeeded(verifySchedule(kernel, schedule, target, emitError));
}

/// Gives a persistent draft `prefetchRows` rows ahead, and takes back what
/// registers do not suffice for, in the order in which it costs least: columns
/// kept from row to row, then accumulators in registers. Whether that did.
static bool makeRoom(Draft &draft, const KernelShape &shape,
                     const TargetInfo &target, int64_t prefetchRows) {
  draft.prefetchRows = prefetchRows;
  draft.columnLoad = row::ColumnLoad::Early;
  draft.accumulators = row::Accumulators::Registers;
  if (ctasFit(draft, shape, target))
    return true;
  draft.columnLoad = row::ColumnLoad::Late;
  if (ctasFit(draft, shape, target))
    return true;
  if (draft.rowsPerCta > 1)
    return false;
  draft.accumulators = row::Accumulators::Shared;
  return ctasFit(draft, shape, target);
}

/// Spreads a row so that a thread holds `held` elements of it, on CTAs of one
/// row, about 640 threads an SM.
static void spreadLongRow(Draft &draft, const KernelShape &shape,
                          int64_t held) {
  int64_t chunks = llvm::divideCeil(shape.hiddenSize, draft.elements);
  int64_t perThread = std::max<int64_t>(1, held / draft.elements);
  spreadRow(draft, shape,
            std::clamp<int64_t>(
                llvm::alignTo(llvm::divideCeil(chunks, perThread), 32), 32,
                maxCtaThreads),
            /*ctaThreads=*/1);
  draft.ctasPerSm =
      std::max<int64_t>(1, 640 / (draft.threadsPerRow * draft.rowsPerCta));
}

/// Columns of a CTA that sums columns, `least` or more: no more CTAs than SMs,
/// since two on one take their time one after the other (a second launch of 80
/// took 16.8 us where one of 160 took 17.0; an H200, H = 2560).
static int64_t columnsOfCta(const KernelShape &shape, const TargetInfo &target,
                            int64_t least) {
  int64_t columns = least;
  while (columns * target.sms < shape.hiddenSize)
    columns *= 2;
  return columns;
}

/// Columns and threads of a CTA of the second launch. Each thread adds five
/// partial sums at most, for which ptxas still has registers when it loads them
/// all at once, unless the threads that share columns, which meet in shared
/// memory, would need more of it than can be declared.
static void chooseSecondLaunch(Draft &draft, const KernelShape &shape,
                               const TargetInfo &target) {
  constexpr int64_t mostPartials = 5, columnsOfThread = 4;
  draft.sumColumns = columnsOfCta(shape, target, /*least=*/16);
  draft.sumThreads = 128;
  auto sharedBytes = [&](int64_t threads) {
    int64_t lanes = threads * columnsOfThread / draft.sumColumns;
    return 4 * shape.accumulators * lanes * (draft.sumColumns + 1);
  };
  while (draft.sumThreads < maxCtaThreads &&
         sharedBytes(2 * draft.sumThreads) <= maxStaticSharedBytes &&
         draft.ctasPerSm * target.sms * draft.sumColumns >
             draft.sumThreads * columnsOfThread * mostPartials)
    draft.sumThreads *= 2;
}

/// Makes a draft walk rows persistently and leave partial sums, with a row on
/// its way while another is computed. What an SM needs on its way is bytes: 32
/// or 64 of each input for each of about 500 threads, in CTAs that are not too
/// large, since one idles while it reduces (an H200, H of 128 to 16384, bf16
/// and f32; bench/notes.md).
static void addPartials(Draft &draft, const KernelShape &shape,
                        const TargetInfo &target) {
  draft.grid = row::Grid::Persistent;
  draft.columnSum = row::ColumnSum::Partials;
  int64_t leastHeld = std::min<int64_t>(16, 32 / shape.maxRowElementBytes);
  constexpr int64_t mostHeld = 32, fewThreads = 384, enoughThreads = 480;
  int64_t threads =
      llvm::alignTo(llvm::divideCeil(shape.hiddenSize, leastHeld), warpSize);
  if (threads < 96) {
    // Short rows: several to a CTA, and as many CTAs as fit.
    spreadRow(draft, shape, threads, /*ctaThreads=*/128);
    draft.ctasPerSm =
        std::max<int64_t>(1, 512 / (draft.threadsPerRow * draft.rowsPerCta));
    while (!makeRoom(draft, shape, target, /*prefetchRows=*/1) &&
           draft.ctasPerSm > 1)
      --draft.ctasPerSm;
  } else {
    // Of the spreads that have room for a row ahead, the narrowest that fills
    // an SM with threads, else the widest.
    Draft spread = draft;
    bool found = false;
    for (int64_t held = leastHeld; held <= mostHeld; held *= 2) {
      spreadLongRow(spread, shape, held);
      while (!makeRoom(spread, shape, target, /*prefetchRows=*/1) &&
             spread.threadsPerRow * (spread.ctasPerSm - 1) >= fewThreads)
        --spread.ctasPerSm;
      if (!ctasFit(spread, shape, target))
        continue;
      draft = spread;
      found = true;
      if (spread.threadsPerRow <= 640 &&
          spread.threadsPerRow * spread.ctasPerSm >= enoughThreads)
        break;
    }
    // None: no row ahead, but much of the row itself on its way, in registers
    // that nothing else takes.
    for (int64_t held = mostHeld; !found && held >= leastHeld; held /= 2) {
      spreadLongRow(draft, shape, held);
      draft.columnLoad = row::ColumnLoad::Late;
      draft.accumulators = row::Accumulators::Shared;
      found = ctasFit(draft, shape, target);
    }
    // Not even that: registers may spill, unless shared memory is too small.
    if (!found && !sharedMemoryFits(draft, shape, target))
      draft.accumulators = row::Accumulators::Registers;
  }
  chooseSecondLaunch(draft, shape, target);
}

/// Rows up to which CTAs that sum columns are no slower than a second launch
/// would be. Such a CTA takes in its columns of all rows by itself, at about 50
/// KB/us, in which time all CTAs together walk rows at about 4 MB/us; a second
/// launch takes 1.3 us longer than the rest of a column CTA (an H200).
static int64_t rowsOfColumnCtas(const KernelShape &shape, int64_t columns) {
  constexpr double ctaRate = 50e3, rowRate = 4e6, secondLaunch = 1.3;
  double columnTime = static_cast<double>(shape.inputBytesPerRow) /
                      shape.hiddenSize * columns / ctaRate;
  double rowTime = shape.bytesPerRow / rowRate;
  if (columnTime <= rowTime)
    return allRows;
  return std::max<int64_t>(1, secondLaunch / (columnTime - rowTime));
}

/// Variants of a kernel that sums columns over the rows. What is best goes by
/// the bytes that a launch moves, against the L2 that they pass through. The
/// fractions are those at which one way overtook the other on an H200 (H =
/// 2560, 25.6 KB a row; bench/notes.md).
static void chooseColumnSums(
    row::KernelOp kernel, const KernelShape &shape, const TargetInfo &target,
    const Draft &vector, bool batchInvariant,
    llvm::function_ref<void(StringRef, int64_t, int64_t, const Draft &)> add) {
  // Loads and stores as wide as the chip has them; a chunk of the widest input
  // is one of them: cut in two, neighbouring threads would touch every other
  // piece of a line (1 to 2% slower at 1,500 to 3,500 rows).
  Draft many = vector;
  many.accessBytes = target.maxAccessBytes;
  many.elements = std::min(many.elements,
                           widestChunkElements(shape, target.maxAccessBytes));
  addPartials(many, shape, target);
  if (batchInvariant) {
    add("many", 0, allRows, many);
    return;
  }
  auto rowsIn = [&](double l2Fraction) {
    return std::max<int64_t>(1, l2Fraction * target.l2Bytes /
                                    std::max<int64_t>(1, shape.bytesPerRow));
  };
  int64_t from = 0;
  auto addUpTo = [&](StringRef name, int64_t maxRows, const Draft &draft) {
    add(name, from, maxRows, draft);
    from = maxRows + 1;
  };
  // As long as the L2 holds what is read, reading it again costs less than
  // handing partial sums from one launch to the next. CTAs grow with the rows:
  // one that sums columns wants many threads, one that walks rows few. The rows
  // that a thread of the former loads at once are such that one trip does for
  // most of the range: each trip pays the latency of memory anew.
  if (roleSplitObstacle(kernel).empty()) {
    struct Split {
      StringRef name;
      double l2Fraction;
      int64_t maxThreads, ctaThreads, sumRows, sumColumns, mostRows;
    };
    int64_t columns = columnsOfCta(
        shape, target, /*least=*/std::max<int64_t>(32, vector.elements));
    SmallVector<Split, 5> splits;
    // Where the CTAs of columns and 16 of rows are more than SMs, some SMs have
    // two of them, one after the other. Beside few rows, columns then take half
    // of the SMs.
    constexpr int64_t ctasOfRows = 16;
    if (shape.hiddenSize > (target.sms - ctasOfRows) * columns)
      splits.push_back({"few", 0.12, 128, 128, 4, 2 * columns, target.sms / 2});
    splits.append({{"split", 0.075, 128, 128, 5, columns, allRows},
                   {"split256", 0.12, 128, 256, 5, columns, allRows},
                   {"split480", 0.24, 160, 480, 4, columns, allRows},
                   {"split640", 0.6, 320, 640, 8, columns, allRows}});
    for (const Split &split : splits) {
      Draft draft = vector;
      spreadRow(draft, shape,
                std::clamp<int64_t>(
                    llvm::divideCeil(shape.hiddenSize, draft.elements * 4),
                    split.maxThreads, maxCtaThreads),
                split.ctaThreads);
      // Registers for all loads of a trip or a row at once: left to itself,
      // ptxas puts some off until others have come, so as to save registers
      // (H = 1000, f32, 128 rows: 1.22 of the floor in place of 1.74). Large
      // CTAs of several rows are better off with more of them on an SM.
      int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
      if (threads <= 256 || draft.rowsPerCta == 1)
        draft.ctasPerSm = elementsHeld(draft, shape) < 32 &&
                                  2 * threads <= threadsWithRoom(target)
                              ? 2
                              : 1;
      draft.columnSum = row::ColumnSum::RoleSplit;
      draft.sumColumns = split.sumColumns;
      draft.sumRows = split.sumRows;
      // A CTA that sums columns loads so many rows at a time; beyond that,
      // those CTAs, few where the hidden size is small, take longer than all
      // others.
      int64_t rowsOfTrip = draft.threadsPerRow * draft.rowsPerCta *
                           draft.elements / draft.sumColumns * draft.sumRows;
      int64_t maxRows =
          std::min({split.mostRows, rowsIn(split.l2Fraction), rowsOfTrip,
                    rowsOfColumnCtas(shape, draft.sumColumns)});
      // Where many columns are summed at once, shared memory may not hold them.
      if (maxRows >= from && fits(kernel, draft, target))
        addUpTo(split.name, maxRows, draft);
    }
  }
  // Streaming accesses leave the lines of the launches before in the L2, so
  // that those need not be written back while this one runs; once a launch
  // moves several times what the L2 holds, that ends, and the hints only cost.
  // The hints are inline PTX, which ptxas may not move: very long rows need the
  // registers that this costs.
  if (elementsHeld(many, shape) <= 16) {
    Draft middle = many;
    middle.loads = middle.stores = row::CachePolicy::Streaming;
    addUpTo("middle", rowsIn(1.75), middle);
  }
  many.stores = row::CachePolicy::Streaming;
  add("many", from, allRows, many);
}

/// Threads and chunks for a kernel that keeps nothing from one row to the next.
/// Up to 5 KB a row, there is a thread for each wide access that a row makes,
/// or would make if its size allowed: a row's latency counts where rows are
/// few. A longer row is no faster for more than 256 threads: large CTAs are
/// few, and an SM idles while one of them reduces. With four chunks a thread,
/// 512 it is (an H200, H of 512 to 16384; bench/notes.md).
static void spreadAlone(Draft &draft, const KernelShape &shape) {
  int64_t rowBytes = narrowestRowBytes(shape);
  int64_t threads = rowBytes > (16 << 10) ? 512 : 256;
  if (rowBytes <= (5 << 10))
    threads = llvm::divideCeil(rowBytes, draft.accessBytes);
  spreadRow(draft, shape, threads, /*ctaThreads=*/128);
}

/// Variants of a kernel that keeps nothing from one row to the next. All
/// figures are of an H200 (H of 128 to 16384, with and without a residual;
/// bench/notes.md).
static void chooseAlone(
    row::KernelOp kernel, const KernelShape &shape, const TargetInfo &target,
    const Draft &vector, bool batchInvariant,
    llvm::function_ref<void(StringRef, int64_t, int64_t, const Draft &)> add) {
  if (batchInvariant) {
    add("vec", 0, allRows, vector);
    return;
  }
  // Once every SM has rows in turn, bandwidth counts: 32 bytes of the rows on
  // the way for each thread, by wide accesses where the chip has them, else by
  // several chunks or inputs (one input, H = 2560: 1.02 against 1.08 of the
  // floor). Short rows have CTAs of several, and stay as they are.
  Draft many = vector;
  many.accessBytes = target.maxAccessBytes;
  many.elements = chunkElements(shape, many.accessBytes);
  spreadAlone(many, shape);
  int64_t chunks = llvm::divideCeil(shape.hiddenSize, many.elements);
  if (many.elements == vector.elements && shape.rowInputs == 1 &&
      many.threadsPerRow >= 160 && chunks <= many.threadsPerRow)
    spreadRow(many, shape, llvm::divideCeil(many.threadsPerRow, 2),
              /*ctaThreads=*/128);
  auto rowsIn = [&](double l2Fraction) {
    return std::max<int64_t>(1, l2Fraction * target.l2Bytes /
                                    std::max<int64_t>(1, shape.bytesPerRow));
  };
  int64_t from = 0;
  auto addUpTo = [&](StringRef name, int64_t maxRows, const Draft &draft) {
    if (maxRows >= from)
      add(name, from, maxRows, draft);
    from = std::max(from, maxRows + 1);
  };
  // Where a row's way through one SM takes longest, other SMs take over a part
  // of it: of the columns' loads, and of the stores (H = 16384, 16 rows: 2.18
  // us in place of 2.62). With more rows than maxRows it gains nothing.
  constexpr int64_t longRow = 4 << 10, veryLongRow = 8 << 10;
  int64_t rowBytes = narrowestRowBytes(shape);
  struct Sharing {
    StringRef name;
    int64_t ctasPerRow, maxRows;
  };
  for (const Sharing &sharing :
       {Sharing{"quarters", 4, target.sms / 8},
        Sharing{"halves", 2, target.sms / (rowBytes < veryLongRow ? 4 : 2)}}) {
    Draft shared = sharingRow(vector, sharing.ctasPerRow);
    if (rowBytes >= longRow && fits(kernel, shared, target))
      addUpTo(sharing.name, sharing.maxRows, shared);
  }
  // Few enough bytes are left in the L2 for the kernel after.
  if (many.elements == vector.elements &&
      many.threadsPerRow == vector.threadsPerRow) {
    addUpTo("vec", rowsIn(0.25), vector);
  } else {
    addUpTo("vec", vector.rowsPerCta * target.sms * 2, vector);
    addUpTo("wide", rowsIn(0.25), many);
  }
  // About as many as the L2 holds: streaming accesses leave the lines of the
  // launches before in the L2, which need not be written back meanwhile (2 to
  // 7% faster; with many more bytes the hints cost as much).
  Draft middle = many;
  middle.loads = middle.stores = row::CachePolicy::Streaming;
  addUpTo("middle", rowsIn(1.1), middle);
  addUpTo("many", allRows, many);
}

SmallVector<Variant> rmsc::chooseVariants(row::KernelOp kernel,
                                          const TargetInfo &target,
                                          const ScheduleRequest &request) {
  KernelShape shape = KernelShape::of(kernel);
  MLIRContext *context = kernel.getContext();
  SmallVector<Variant> variants;
  auto add = [&](StringRef name, int64_t minRows, int64_t maxRows,
                 const Draft &draft) {
    variants.push_back({name.str(), minRows, maxRows, draft.get(context)});
  };

  Draft vector;
  vector.accessBytes = std::min<int64_t>(16, target.maxAccessBytes);
  vector.elements = chunkElements(shape, vector.accessBytes);
  if (shape.accumulators == 0)
    spreadAlone(vector, shape);
  else
    spreadRow(vector, shape, /*maxThreads=*/maxCtaThreads, /*ctaThreads=*/128);

  SmallVector<row::ScheduleAttr> given = request.forced;
  if (request.enumerate)
    given = enumerateSchedules(kernel, target);
  if (!given.empty()) {
    for (auto [number, schedule] : llvm::enumerate(given))
      variants.push_back(
          {given.size() == 1 ? "forced" : "s" + std::to_string(number), 0,
           allRows, schedule});
  } else if (shape.accumulators == 0) {
    chooseAlone(kernel, shape, target, vector, request.batchInvariant, add);
  } else {
    chooseColumnSums(kernel, shape, target, vector, request.batchInvariant,
                     add);
  }

  // The same accesses with row strides from the arguments.
  Draft strided = vector;
  strided.strided = true;
  // Whatever the alignment: neighbouring threads take neighbouring elements.
  Draft any;
  any.strided = true;
  spreadRow(any, shape, /*maxThreads=*/maxCtaThreads, /*ctaThreads=*/128);
  if (shape.accumulators != 0) {
    addPartials(strided, shape, target);
    addPartials(any, shape, target);
  }
  if (vector.elements > 1)
    add("strided", 0, allRows, strided);
  add("any", 0, allRows, any);
  return variants;
}

LogicalResult rmsc::splitIntoVariants(row::KernelOp kernel,
                                      ArrayRef<Variant> variants,
                                      const TargetInfo &target) {
  for (const Variant &variant : variants)
    if (failed(verifySchedule(kernel, variant.schedule, target,
                              [&] { return kernel.emitError(); })))
      return failure();
  OpBuilder builder(kernel);
  for (const Variant &variant : variants) {
    auto clone = cast<row::KernelOp>(builder.clone(*kernel));
    clone.setSymName((kernel.getSymName() + "_" + variant.name).str());
    clone.setVariant(variant.name);
    clone.setMinRows(variant.minRows);
    clone.setMaxRows(variant.maxRows);
    clone.setScheduleAttr(variant.schedule);
  }
  kernel.erase();
  return success();
}

namespace {
/// Cache policies of row loads and row stores.
struct Policies {
  row::CachePolicy loads, stores;
};
} // namespace

static constexpr Policies plain{row::CachePolicy::Plain,
                                row::CachePolicy::Plain},
    streamingStores{row::CachePolicy::Plain, row::CachePolicy::Streaming},
    streaming{row::CachePolicy::Streaming, row::CachePolicy::Streaming};

static Draft withPolicies(Draft draft, const Policies &policies) {
  draft.loads = policies.loads;
  draft.stores = policies.stores;
  return draft;
}

/// Every way to spread a row over threads and rows over CTAs that is worth
/// measuring, for accesses of `minAccessBytes` and more.
static void forEachSpread(const KernelShape &shape, const TargetInfo &target,
                          int64_t minAccessBytes,
                          llvm::function_ref<void(const Draft &)> visit) {
  for (int64_t accessBytes = minAccessBytes;
       accessBytes <= target.maxAccessBytes; accessBytes *= 2)
    for (int64_t maxThreads : {1024, 512, 256, 128, 64})
      for (int64_t ctaThreads : {64, 128, 256, 512, 640}) {
        Draft draft;
        draft.accessBytes = accessBytes;
        draft.elements = chunkElements(shape, accessBytes);
        spreadRow(draft, shape, maxThreads, ctaThreads);
        visit(draft);
        int64_t widest = widestChunkElements(shape, accessBytes);
        if (widest >= draft.elements)
          continue;
        draft.elements = widest;
        spreadRow(draft, shape, maxThreads, ctaThreads);
        visit(draft);
      }
}

/// Schedules of a kernel that keeps nothing from one row to the next. Left out
/// is what never came within 3% of the best on an H200 (H of 128 to 16384):
/// 8-byte accesses, and CTAs that walk rows without one ahead or with long
/// rows.
static void enumerateAlone(const KernelShape &shape, const TargetInfo &target,
                           llvm::function_ref<void(const Draft &)> add) {
  forEachSpread(shape, target, /*minAccessBytes=*/16, [&](const Draft &draft) {
    for (const Policies &policies : {plain, streamingStores, streaming}) {
      Draft oneShot = withPolicies(draft, policies);
      add(oneShot);
      if (draft.threadsPerRow >= 256 && policies.loads == plain.loads)
        for (int64_t ctasPerRow : {2, 4})
          add(sharingRow(oneShot, ctasPerRow));
      if (shape.columnInputs != 0 &&
          elementsHeld(draft, shape) > draft.elements) {
        oneShot.columnLoad = row::ColumnLoad::Late;
        add(oneShot);
      }
    }
    if (elementsHeld(draft, shape) > 16)
      return;
    int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
    for (const Policies &policies : {plain, streaming})
      for (int64_t threadsOfSm : {1024, 1536, 2048}) {
        Draft persistent = withPolicies(draft, policies);
        persistent.grid = row::Grid::Persistent;
        persistent.prefetchRows = 1;
        persistent.ctasPerSm = std::clamp<int64_t>(threadsOfSm / threads, 1, 8);
        add(persistent);
      }
  });
}

/// Schedules of a kernel that sums columns. Left out is what never came within
/// 3% of the best on an H200 (H of 128 to 16384, bf16 and f32): fewer than 384
/// or more than 1280 threads an SM, several long rows a CTA, no row ahead where
/// there are registers for one, three rows and more; column CTAs beside
/// streaming accesses, or of 64 columns. So is what would spill registers by
/// far, and what saves them where there are enough.
static void enumerateColumnSums(const KernelShape &shape,
                                const TargetInfo &target,
                                llvm::function_ref<void(const Draft &)> add) {
  auto addWalks = [&](Draft draft) {
    draft.grid = row::Grid::Persistent;
    draft.columnSum = row::ColumnSum::Partials;
    bool longRow = elementsHeld(draft, shape) > elementsHeldAhead;
    int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
    for (int64_t ctasPerSm : {1, 2, 3, 4, 6})
      for (int64_t prefetchRows : {0, 1, 2})
        for (row::ColumnLoad columnLoad :
             {row::ColumnLoad::Early, row::ColumnLoad::Late})
          for (row::Accumulators accumulators :
               {row::Accumulators::Registers, row::Accumulators::Shared}) {
            draft.ctasPerSm = ctasPerSm;
            draft.prefetchRows = prefetchRows;
            draft.columnLoad = columnLoad;
            draft.accumulators = accumulators;
            Draft roomy = draft;
            roomy.columnLoad = row::ColumnLoad::Early;
            roomy.accumulators = row::Accumulators::Registers;
            bool savesRegisters = columnLoad == row::ColumnLoad::Late ||
                                  accumulators == row::Accumulators::Shared;
            int64_t registers = registersOfThread(draft, target);
            // Rows that share a CTA share no accumulators.
            if (accumulators == row::Accumulators::Shared &&
                draft.rowsPerCta > 1)
              continue;
            if (ctasPerSm * threads < 384 || ctasPerSm * threads > 1280 ||
                (draft.rowsPerCta > 1 && draft.threadsPerRow >= 128) ||
                (prefetchRows == 0 && !longRow) ||
                (prefetchRows == 2 && longRow) ||
                (savesRegisters &&
                 registersNeeded(roomy, shape) <= registers) ||
                4 * registersNeeded(draft, shape) > 5 * registers)
              continue;
            chooseSecondLaunch(draft, shape, target);
            for (const Policies &policies : {streamingStores, streaming})
              add(withPolicies(draft, policies));
          }
  };
  forEachSpread(shape, target, /*minAccessBytes=*/8, [&](const Draft &draft) {
    Draft split = draft;
    split.columnSum = row::ColumnSum::RoleSplit;
    split.sumColumns = std::max<int64_t>(32, split.elements);
    for (int64_t rows : {4, 8})
      for (int64_t ctasPerSm : {0, 2}) {
        split.sumRows = rows;
        split.ctasPerSm = ctasPerSm;
        if (ctasPerSm * split.threadsPerRow * split.rowsPerCta <=
            threadsWithRoom(target))
          add(split);
      }
    addWalks(draft);
  });
}

SmallVector<row::ScheduleAttr>
rmsc::enumerateSchedules(row::KernelOp kernel, const TargetInfo &target) {
  KernelShape shape = KernelShape::of(kernel);
  SmallVector<row::ScheduleAttr> schedules;
  // The rules are judged by what is measured, so their choice is in any case.
  for (const Variant &variant : chooseVariants(kernel, target, {}))
    if (!variant.schedule.getStrided() &&
        !llvm::is_contained(schedules, variant.schedule))
      schedules.push_back(variant.schedule);
  auto add = [&](const Draft &draft) {
    if (!fits(kernel, draft, target))
      return;
    row::ScheduleAttr schedule = draft.get(kernel.getContext());
    if (!llvm::is_contained(schedules, schedule))
      schedules.push_back(schedule);
  };
  (shape.accumulators == 0 ? enumerateAlone : enumerateColumnSums)(shape,
                                                                   target, add);
  return schedules;
}

SmallVector<row::ScheduleAttr> rmsc::floorSchedules(row::KernelOp kernel,
                                                    const TargetInfo &target) {
  KernelShape shape = KernelShape::of(kernel);
  MLIRContext *context = kernel.getContext();
  SmallVector<row::ScheduleAttr> schedules;
  auto add = [&](const Draft &draft) {
    row::ScheduleAttr schedule = draft.get(context);
    if (!llvm::is_contained(schedules, schedule))
      schedules.push_back(schedule);
  };
  for (int64_t accessBytes = 16; accessBytes <= target.maxAccessBytes;
       accessBytes *= 2)
    for (int64_t ctaThreads : {256, 512, 1024}) {
      Draft draft;
      draft.accessBytes = accessBytes;
      draft.elements = chunkElements(shape, accessBytes);
      // A row that is longer than a CTA is wide takes several chunks a thread.
      spreadRow(draft, shape, /*maxThreads=*/ctaThreads, ctaThreads);
      int64_t fit =
          target.threadsPerSm / (draft.threadsPerRow * draft.rowsPerCta);
      int64_t registers = 16 + elementsHeld(draft, shape) *
                                   shape.inputBytesPerRow /
                                   (4 * shape.hiddenSize);
      for (row::CachePolicy policy :
           {row::CachePolicy::Plain, row::CachePolicy::Streaming}) {
        draft.loads = draft.stores = policy;
        Draft oneShot = draft;
        add(oneShot);
        if (policy == row::CachePolicy::Plain) {
          oneShot.loads = row::CachePolicy::NoAllocate;
          add(oneShot);
          oneShot.loads = row::CachePolicy::Plain;
          oneShot.stores = row::CachePolicy::Streaming;
          add(oneShot);
        }
        for (int64_t ctasPerSm : {1, 2, 4, 8}) {
          Draft persistent = draft;
          persistent.grid = row::Grid::Persistent;
          persistent.ctasPerSm = ctasPerSm;
          if (ctasPerSm > fit ||
              registers > registersOfThread(persistent, target))
            break;
          add(persistent);
        }
      }
    }
  return schedules;
}
