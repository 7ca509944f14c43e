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
            shape.bytesPerRow += shape.hiddenSize * countElement(type);
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
  int64_t threadsPerRow = 32, rowsPerCta = 1, elements = 1, accessBytes = 1;
  row::Grid grid = row::Grid::OneShot;
  int64_t ctasPerSm = 0, prefetchRows = 0;
  row::ColumnLoad columnLoad = row::ColumnLoad::Early;
  row::ColumnSum columnSum = row::ColumnSum::None;
  row::Accumulators accumulators = row::Accumulators::Registers;
  int64_t sumColumns = 0, sumThreads = 0, sumRows = 4;
  row::CachePolicy loads = row::CachePolicy::Plain,
                   stores = row::CachePolicy::Plain;
  bool strided = false, dependentLaunch = false;

  row::ScheduleAttr get(MLIRContext *context) const {
    return row::ScheduleAttr::get(context, threadsPerRow, rowsPerCta, elements,
                                  accessBytes, grid, ctasPerSm, prefetchRows,
                                  columnLoad, columnSum, accumulators,
                                  sumColumns, sumThreads, sumRows, loads,
                                  stores, strided, dependentLaunch);
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

/// Elements up to which a thread has registers for a row loaded ahead.
static constexpr int64_t elementsHeldAhead = 8;

/// Registers that a thread of a persistent draft needs, roughly. Accumulators
/// and columns loaded early live as long as the CTA, a row as long as it is
/// loaded ahead and computed with; addresses and the rest take about 40.
static int64_t registersNeeded(const Draft &draft, const KernelShape &shape) {
  int64_t columns =
      draft.columnLoad == row::ColumnLoad::Early ? shape.columnInputs : 0;
  return 40 + elementsHeld(draft, shape) *
                  (shape.accumulators + columns +
                   shape.rowInputs * (1 + draft.prefetchRows));
}

/// CTAs of a persistent draft that an SM can hold, at most `wanted`, without
/// spilled registers and without too large a workspace for their partial sums.
static int64_t ctasThatFit(const Draft &draft, const KernelShape &shape,
                           const TargetInfo &target, int64_t wanted) {
  int64_t threads = draft.threadsPerRow * draft.rowsPerCta;
  int64_t partialBytes = 4 * shape.accumulators * shape.hiddenSize;
  int64_t fit = std::min(
      {target.threadsPerSm / threads,
       target.registersPerSm / (threads * registersNeeded(draft, shape)),
       maxPartialBytesPerSm / partialBytes});
  return std::clamp<int64_t>(fit, 1, wanted);
}

/// Whether a schedule can be carried out. One that cannot is no error here.
static bool fits(row::KernelOp kernel, const Draft &draft,
                 const TargetInfo &target) {
  MLIRContext *context = kernel.getContext();
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  auto emitError = [&] { return mlir::emitError(kernel.getLoc()); };
  return succeeded(
      verifySchedule(kernel, draft.get(context), target, emitError));
}

/// Makes a draft walk rows persistently and leave partial sums, with one row
/// ahead where registers allow. Two CTAs an SM are best where they are large
/// (an H200, H = 2560; bench/notes.md); smaller ones are as many as give an SM
/// the same number of threads.
static void addPartials(Draft &draft, const KernelShape &shape,
                        const TargetInfo &target) {
  constexpr int64_t threadsWanted = 640;
  draft.grid = row::Grid::Persistent;
  draft.prefetchRows = elementsHeld(draft, shape) <= elementsHeldAhead ? 1 : 0;
  // A long row leaves no registers for a row ahead, a longer one none to keep
  // the columns in: they come from the cache anew for every row.
  auto spills = [&] {
    return registersNeeded(draft, shape) * draft.threadsPerRow *
               draft.rowsPerCta >
           target.registersPerSm;
  };
  if (spills())
    draft.prefetchRows = 0;
  if (spills() && shape.columnInputs != 0)
    draft.columnLoad = row::ColumnLoad::Late;
  draft.ctasPerSm =
      ctasThatFit(draft, shape, target,
                  std::max<int64_t>(2, threadsWanted / (draft.threadsPerRow *
                                                        draft.rowsPerCta)));
  draft.columnSum = row::ColumnSum::Partials;
  draft.sumColumns = 16;
  // Several rows a CTA leave several partial sums: more threads to add them.
  draft.sumThreads = draft.rowsPerCta > 1 ? 1024 : 512;
}

/// Variants of a kernel that sums columns over the rows. What is best goes by
/// the bytes that a launch moves, against the L2 that they pass through. The
/// fractions are those at which one way overtook the other on an H200 (H =
/// 2560, 25.6 KB a row; bench/notes.md).
static void chooseColumnSums(
    row::KernelOp kernel, const KernelShape &shape, const TargetInfo &target,
    const Draft &vector, bool batchInvariant,
    llvm::function_ref<void(StringRef, int64_t, int64_t, const Draft &)> add) {
  Draft many = vector;
  addPartials(many, shape, target);
  // Loads and stores as wide as the chip has them, where a chunk of the wider
  // streams is as wide.
  many.accessBytes = target.maxAccessBytes;
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
      int64_t maxThreads, ctaThreads, sumRows;
    };
    for (const Split &split : {Split{"split", 0.075, 128, 128, 5},
                               Split{"split256", 0.12, 128, 256, 5},
                               Split{"split480", 0.24, 160, 480, 4},
                               Split{"split640", 0.6, 320, 640, 8}}) {
      Draft draft = vector;
      spreadRow(draft, shape,
                std::clamp<int64_t>(
                    llvm::divideCeil(shape.hiddenSize, draft.elements * 4),
                    split.maxThreads, maxCtaThreads),
                split.ctaThreads);
      draft.columnSum = row::ColumnSum::RoleSplit;
      draft.sumColumns = std::max<int64_t>(32, draft.elements);
      draft.sumRows = split.sumRows;
      // A CTA that sums columns loads so many rows at a time; beyond two such
      // trips, those CTAs, few where the hidden size is small, take longer than
      // all others.
      int64_t rowsOfTrip = draft.threadsPerRow * draft.rowsPerCta *
                           draft.elements / draft.sumColumns * draft.sumRows;
      int64_t maxRows = std::min(rowsIn(split.l2Fraction), 2 * rowsOfTrip);
      // Where many columns are summed at once, shared memory may not hold them.
      if (maxRows >= from && fits(kernel, draft, target))
        addUpTo(split.name, maxRows, draft);
    }
  }
  // Streaming accesses leave the lines of the launches before in the L2, so
  // that those need not be written back while this one runs; once a launch
  // moves several times what the L2 holds, that ends, and the hints only cost.
  Draft middle = many;
  middle.loads = middle.stores = row::CachePolicy::Streaming;
  addUpTo("middle", rowsIn(2.1), middle);
  add("many", from, allRows, many);
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
    // A chip with wider accesses takes them where a launch is bound by
    // bandwidth and not by the latency of one row.
    Draft wide = vector;
    wide.accessBytes = target.maxAccessBytes;
    wide.elements = chunkElements(shape, wide.accessBytes);
    spreadRow(wide, shape, /*maxThreads=*/1024, /*ctaThreads=*/128);
    if (wide.elements > vector.elements && !request.batchInvariant) {
      int64_t few = 8 * target.sms * vector.rowsPerCta;
      add("vec", 0, few, vector);
      add("wide", few + 1, allRows, wide);
    } else {
      add("vec", 0, allRows, vector);
    }
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

SmallVector<row::ScheduleAttr>
rmsc::enumerateSchedules(row::KernelOp kernel, const TargetInfo &target) {
  KernelShape shape = KernelShape::of(kernel);
  MLIRContext *context = kernel.getContext();
  SmallVector<row::ScheduleAttr> schedules;
  auto add = [&](const Draft &draft) {
    row::ScheduleAttr schedule = draft.get(context);
    if (fits(kernel, draft, target) && !llvm::is_contained(schedules, schedule))
      schedules.push_back(schedule);
  };
  // The rules are judged by what is measured, so their choice is in any case.
  for (const Variant &variant : chooseVariants(kernel, target, {}))
    if (!variant.schedule.getStrided() &&
        !llvm::is_contained(schedules, variant.schedule))
      schedules.push_back(variant.schedule);
  constexpr row::CachePolicy policies[] = {row::CachePolicy::Plain,
                                           row::CachePolicy::Streaming};
  // What never came within 3% of the best on an H200 (the suites' shapes, at
  // any number of rows) is left out: CTAs that walk rows without one ahead,
  // four of them on an SM with accumulators, one without; column CTAs beside
  // streaming ones, or of 64 columns.
  struct Walk {
    int64_t ctasPerSm, prefetchRows;
  };
  SmallVector<Walk> walks = {{2, 0}, {2, 1}, {3, 1}};
  if (shape.accumulators != 0)
    walks.append({{1, 0}, {1, 1}, {2, 2}});
  else
    walks.append({{4, 0}, {4, 1}});
  for (int64_t accessBytes = 8; accessBytes <= target.maxAccessBytes;
       accessBytes *= 2) {
    for (int64_t maxThreads : {1024, 512, 256, 128}) {
      for (int64_t ctaThreads : {64, 128, 256, 512, 640}) {
        Draft draft;
        draft.accessBytes = accessBytes;
        draft.elements = chunkElements(shape, accessBytes);
        spreadRow(draft, shape, maxThreads, ctaThreads);
        for (row::CachePolicy policy : policies) {
          draft.loads = draft.stores = policy;
          if (shape.accumulators == 0) {
            Draft oneShot = draft;
            add(oneShot);
            oneShot.columnLoad = row::ColumnLoad::Late;
            if (shape.columnInputs != 0)
              add(oneShot);
          } else {
            Draft split = draft;
            split.columnSum = row::ColumnSum::RoleSplit;
            split.sumColumns = std::max<int64_t>(32, split.elements);
            for (int64_t rows : {4, 8}) {
              split.sumRows = rows;
              if (policy == row::CachePolicy::Plain)
                add(split);
            }
            // Partial sums of several rows are several times as many.
            if (draft.rowsPerCta > 1 && draft.threadsPerRow >= 128)
              continue;
          }
          for (const Walk &walk : walks) {
            // A row ahead is worth its registers wherever there are any
            // (1.05 to 1.28 without, at every number of rows).
            if (walk.prefetchRows == 0 &&
                elementsHeld(draft, shape) <= elementsHeldAhead)
              continue;
            Draft persistent = draft;
            persistent.grid = row::Grid::Persistent;
            persistent.ctasPerSm = walk.ctasPerSm;
            persistent.prefetchRows = walk.prefetchRows;
            if (shape.accumulators != 0) {
              persistent.columnSum = row::ColumnSum::Partials;
              for (int64_t columns : {16, 32}) {
                persistent.sumColumns = columns;
                persistent.sumThreads = 32 * columns;
                add(persistent);
              }
            } else {
              add(persistent);
            }
          }
        }
      }
    }
  }
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
          if (ctasPerSm > fit)
            break;
          Draft persistent = draft;
          persistent.grid = row::Grid::Persistent;
          persistent.ctasPerSm = ctasPerSm;
          add(persistent);
        }
      }
    }
  return schedules;
}
