//===-- RowAttrs.td - schedules -*- tablegen -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_DIALECT_ROW_ROWATTRS_TD
#define RMSC_DIALECT_ROW_ROWATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "rmsc/Dialect/Row/RowDialect.td"

class Row_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::row";
}

def Row_ReduceKind
    : Row_I32Enum<"ReduceKind", "how the elements of a row are combined",
                  [I32EnumAttrCase<"Sum", 0, "sum">,
                   I32EnumAttrCase<"Max", 1, "max">]> {
  let genSpecializedAttr = 0;
}
def Row_ReduceKindAttr : EnumAttr<Row_Dialect, Row_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Row_Grid
    : Row_I32Enum<"Grid", "how rows are handed to CTAs",
                  [I32EnumAttrCase<"OneShot", 0, "one_shot">,
                   I32EnumAttrCase<"Persistent", 1, "persistent">]>;

def Row_CachePolicy
    : Row_I32Enum<"CachePolicy", "cache policy of row loads or row stores",
                  [I32EnumAttrCase<"Plain", 0, "plain">,
                   I32EnumAttrCase<"Streaming", 1, "streaming">,
                   I32EnumAttrCase<"NoAllocate", 2, "no_allocate">]>;

def Row_ColumnLoad
    : Row_I32Enum<"ColumnLoad", "when column inputs (a weight) are loaded",
                  [I32EnumAttrCase<"Early", 0, "early">,
                   I32EnumAttrCase<"Late", 1, "late">]>;

def Row_ColumnSum
    : Row_I32Enum<"ColumnSum", "how column accumulators are summed over rows",
                  [I32EnumAttrCase<"None", 0, "none">,
                   I32EnumAttrCase<"Partials", 1, "partials">,
                   I32EnumAttrCase<"RoleSplit", 2, "role_split">]>;

def Row_Accumulators
    : Row_I32Enum<"Accumulators", "where a CTA keeps its column accumulators",
                  [I32EnumAttrCase<"Registers", 0, "registers">,
                   I32EnumAttrCase<"Shared", 1, "shared">]>;

def Row_ScheduleAttr : AttrDef<Row_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a row kernel is spread over threads, CTAs and the grid";
  let description = [{
    A row of H elements is cut into chunks of `elements` consecutive elements.
    Chunk c of thread t of a row starts at column (c * threads_per_row + t) *
    elements, so that neighbouring threads touch neighbouring addresses.

    | field | meaning |
    |---|---|
    | `threads_per_row` | threads of a CTA that share a row: a power of two up to 32, or a multiple of 32 |
    | `rows_per_cta` | rows that a CTA works on at once |
    | `ctas_per_row` | CTAs that share a row, 1, 2, 4 or 8, for the latency of few rows: each loads and reduces all of it, and stores the chunks of its own `threads_per_row / ctas_per_row` threads, for which alone it loads early the columns that enter no reduction; `one_shot` without a `column_sum`, one row a CTA, and nothing in place |
    | `elements` | consecutive elements of one chunk; divides H |
    | `access_bytes` | widest global access, 1 to 32; also the alignment that base pointers and rows must have |
    | `grid` | `one_shot`: a CTA, or `ctas_per_row` of them, for every `rows_per_cta` rows; `persistent`: `ctas_per_sm` CTAs for every SM, each walking rows a grid apart |
    | `ctas_per_sm` | CTAs on an SM that the register allocation must allow (0: no promise); with `persistent` also the size of the grid |
    | `prefetch_rows` | rows whose loads are issued ahead of the row that is computed, `persistent` only |
    | `column_load` | column inputs are loaded before the first reduction (`early`) or where they are used (`late`) |
    | `column_sum` | `partials`: each CTA stores partial sums, a dependent second launch adds them; `role_split`: CTAs of their own sum columns from the inputs, in the same launch |
    | `accumulators` | a CTA that stores partial sums (`partials`) keeps its column accumulators in `registers`, or in `shared` memory, which leaves a long row more registers; `shared` needs `rows_per_cta = 1` |
    | `sum_columns` | columns of one CTA that sums columns |
    | `sum_rows` | rows that a thread of a column CTA loads before it adds the first one up (`role_split`) |
    | `sum_threads` | threads of one CTA of the second launch (`partials`) |
    | `loads`, `stores` | cache policy of row loads and row stores: `plain`; `streaming`, first to be evicted; `no_allocate`, for loads only, past the first-level cache |
    | `strided` | row strides are taken from the kernel's arguments; else rows are dense |
    | `dependent_launch` | the first launch waits for the grid before it, so that a caller may overlap the two |
  }];
  let parameters = (ins
    "int64_t":$threads_per_row,
    DefaultValuedParameter<"int64_t", "1">:$rows_per_cta,
    DefaultValuedParameter<"int64_t", "1">:$ctas_per_row,
    "int64_t":$elements,
    "int64_t":$access_bytes,
    DefaultValuedParameter<"::mlir::row::Grid", "::mlir::row::Grid::OneShot">:$grid,
    DefaultValuedParameter<"int64_t", "0">:$ctas_per_sm,
    DefaultValuedParameter<"int64_t", "0">:$prefetch_rows,
    DefaultValuedParameter<"::mlir::row::ColumnLoad", "::mlir::row::ColumnLoad::Early">:$column_load,
    DefaultValuedParameter<"::mlir::row::ColumnSum", "::mlir::row::ColumnSum::None">:$column_sum,
    DefaultValuedParameter<"::mlir::row::Accumulators", "::mlir::row::Accumulators::Registers">:$accumulators,
    DefaultValuedParameter<"int64_t", "0">:$sum_columns,
    DefaultValuedParameter<"int64_t", "0">:$sum_threads,
    DefaultValuedParameter<"int64_t", "4">:$sum_rows,
    DefaultValuedParameter<"::mlir::row::CachePolicy", "::mlir::row::CachePolicy::Plain">:$loads,
    DefaultValuedParameter<"::mlir::row::CachePolicy", "::mlir::row::CachePolicy::Plain">:$stores,
    DefaultValuedParameter<"bool", "false">:$strided,
    DefaultValuedParameter<"bool", "false">:$dependent_launch);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Threads of a CTA.
    int64_t getThreads() const { return getThreadsPerRow() * getRowsPerCta(); }
    /// Chunks of a thread for a row of `hiddenSize` elements.
    int64_t getChunks(int64_t hiddenSize) const {
      int64_t width = getThreadsPerRow() * getElements();
      return (hiddenSize + width - 1) / width;
    }
    /// Bytes of one global access to a chunk of elements of `elementBytes`.
    int64_t getAccessBytes(int64_t elementBytes) const {
      return std::max(elementBytes, std::min(getAccessBytes(),
                                             getElements() * elementBytes));
    }
  }];
}

#endif // RMSC_DIALECT_ROW_ROWATTRS_TD
