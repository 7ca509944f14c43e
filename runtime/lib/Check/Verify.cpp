//===-- Verify.cpp - The float64 reference and its bounds -----------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference is computed row by row and compared at once, so that no second
// copy of the outputs is ever held. The bounds are those of the semantics'
// text, in units of u = 2^-24.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "rmscheck/Case.h"
#include "rmscheck/Numbers.h"

#include <cfloat>
#include <cmath>
#include <limits>

using namespace rmsrt;

namespace rmscheck {

static constexpr double kU = 0x1p-24;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {

/// A tensor in host memory as a matrix.
struct View {
  const uint8_t *data = nullptr;
  int64_t stride = 0;
  Dtype dtype = Dtype::F32;

  explicit operator bool() const { return data; }
  float at(int64_t row, int64_t column) const {
    return loadElement(dtype, data, row * stride + column);
  }
  /// The row's elements as f32.
  void row(int64_t row, int64_t columns, float *values) const {
    const int64_t base = row * stride;
    // One loop a type: the type is decided outside of it.
    switch (dtype) {
    case Dtype::F32:
      std::memcpy(values, data + base * 4, size_t(columns) * 4);
      return;
    case Dtype::BF16:
      for (int64_t j = 0; j < columns; ++j)
        values[j] = loadElement(Dtype::BF16, data, base + j);
      return;
    case Dtype::F16:
      for (int64_t j = 0; j < columns; ++j)
        values[j] = loadElement(Dtype::F16, data, base + j);
      return;
    }
  }
};

/// An output and what one thread found in it.
struct Judge {
  View view;
  OutputReport report;
  Tolerance tolerance;
  /// Units in the last place that a 16-bit result may be further away.
  int slack = 1;
  /// False where poison cannot be told from what was there (in-place use).
  bool poisoned = true;

  bool isPoison(int64_t index) const {
    const uint8_t *at = view.data + index * sizeOf(view.dtype);
    for (int64_t i = 0; i < sizeOf(view.dtype); ++i)
      if (at[i] != 0xFF)
        return false;
    return true;
  }

  /// Compares the element with the reference, which may be off by `bound`.
  void element(int64_t row, int64_t column, double want, double bound) {
    const int64_t index = row * view.stride + column;
    const double got = loadElement(view.dtype, view.data, index);
    ++report.elements;
    if (std::isnan(got) && poisoned && isPoison(index)) {
      ++report.unwritten;
      return;
    }
    report.matched += got == want ||
                      std::fabs(got - want) <=
                          tolerance.atol + tolerance.rtol * std::fabs(want) ||
                      (std::isnan(got) && std::isnan(want));
    const double error = ratio(got, want, bound);
    if (error > 1)
      ++report.wrong;
    if (error > report.worst || report.elements == 1) {
      report.worst = error;
      report.worstRow = row;
      report.worstColumn = column;
      report.worstGot = got;
      report.worstWant = want;
    }
  }

  /// The error in units of what is allowed.
  double ratio(double got, double want, double bound) const {
    if (got == want || (std::isnan(got) && std::isnan(want)))
      return 0;
    if (std::isnan(got) || std::isnan(want) || std::isinf(want))
      return kInfinity;
    if (view.dtype != Dtype::F32)
      bound += slack * ulpOf(view.dtype, want);
    else if (bound > 0)
      // Below the normal range a relative bound means nothing.
      bound += 0x1p-149;
    if (std::isinf(got)) {
      // Right where a value that the bound allows overflows the type.
      double furthest = want + std::copysign(bound, got);
      return roundTo(view.dtype, furthest) == got ? 1 : kInfinity;
    }
    double error = std::fabs(got - want);
    return bound > 0 ? error / bound : kInfinity;
  }
};

void merge(OutputReport &into, const OutputReport &from) {
  if (from.worst > into.worst || !into.elements) {
    into.worst = from.worst;
    into.worstRow = from.worstRow;
    into.worstColumn = from.worstColumn;
    into.worstGot = from.worstGot;
    into.worstWant = from.worstWant;
  }
  into.elements += from.elements;
  into.wrong += from.wrong;
  into.unwritten += from.unwritten;
  into.matched += from.matched;
}

} // namespace

/// Computes the reference of one case and judges the outputs.
class Verifier {
public:
  Verifier(const Case &checked, const Tolerance *tolerance)
      : checked(checked), kernel(checked.subject),
        hiddenSize(kernel.hiddenSize), rows(checked.settings.rows),
        op(kernel.operation) {
    x = input("x");
    residual = input("residual");
    weight = input("weight");
    sum = input("sum");
    rstd = input("rstd");
    normalized = input("normalized");
    gradOutput = input("grad_output");
    gradSum = input("grad_sum");
    if (weight) {
      // Added in f32, as the semantics say.
      scale.resize(size_t(hiddenSize));
      for (int64_t j = 0; j < hiddenSize; ++j)
        scale[size_t(j)] = weight.at(0, j) + float(op.weightOffset);
    }
    report.hasTolerance = tolerance;
    if (tolerance)
      report.tolerance = *tolerance;
    report.hasReference = op.kind != OperationKind::Copy;
  }

  CaseReport run() {
    std::vector<Judge> judges;
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      if (kernel.parameters[i].direction == Direction::Output)
        judges.push_back(judge(i));
    const int64_t grain = std::max<int64_t>(1, (1 << 15) / hiddenSize);
    const unsigned pieces = rangeCount(rows, grain, checked.threads());
    std::vector<std::vector<Judge>> found(pieces, judges);
    std::vector<std::vector<double>> dw(pieces), squares(pieces);
    parallelRanges(rows, grain, checked.threads(),
                   [&](unsigned piece, int64_t begin, int64_t end) {
                     this->rowsOf(begin, end, found[piece], dw[piece],
                                  squares[piece]);
                   });
    for (const std::vector<Judge> &piece : found)
      for (size_t i = 0; i < judges.size(); ++i)
        merge(judges[i].report, piece[i].report);
    columns(judges, dw, squares);
    for (Judge &j : judges) {
      j.report.guardDamage = checked.guardDamage(j.report.parameter);
      report.outputs.push_back(j.report);
    }
    inputs();
    return report;
  }

private:
  View input(const char *role) const {
    View view;
    int i = kernel.find(role, Direction::Input);
    if (i < 0 || !kernel.parameters[i].used)
      return view;
    view.data = checked.inputData(size_t(i));
    view.stride = checked.inputStride(size_t(i));
    view.dtype = kernel.parameters[i].dtype;
    return view;
  }

  Judge judge(size_t i) const {
    Judge j;
    j.view = {checked.images[checked.bufferIndex[i]].data(), checked.stride(i),
              kernel.parameters[i].dtype};
    j.report.parameter = i;
    j.tolerance = report.tolerance;
    j.slack = op.normRounding == Rounding::Storage ? 2 : 1;
    for (size_t k = 0; k < i; ++k)
      if (checked.bufferIndex[k] == checked.bufferIndex[i])
        j.poisoned = false;
    return j;
  }

  const std::string &roleOf(const Judge &j) const {
    return kernel.parameters[j.report.parameter].role;
  }

  void rowsOf(int64_t begin, int64_t end, std::vector<Judge> &judges,
              std::vector<double> &dw, std::vector<double> &squares) {
    switch (op.kind) {
    case OperationKind::Norm:
      return normRows(begin, end, judges);
    case OperationKind::NormBackward:
      return backwardRows(begin, end, judges, dw, squares);
    case OperationKind::Copy:
      return copyRows(begin, end, judges);
    }
  }

  /// A floor kernel's values mean nothing; that it wrote them all does.
  void copyRows(int64_t begin, int64_t end, std::vector<Judge> &judges) {
    for (Judge &j : judges) {
      const size_t i = j.report.parameter;
      if (kernel.parameters[i].kind == Kind::Columns)
        continue;
      for (int64_t row = begin; row < end; ++row)
        for (int64_t c = 0; c < checked.matrixColumns(i); ++c) {
          ++j.report.elements;
          ++j.report.matched;
          j.report.unwritten +=
              j.poisoned && j.isPoison(row * j.view.stride + c);
        }
    }
  }

  void normRows(int64_t begin, int64_t end, std::vector<Judge> &judges) {
    const size_t columns = size_t(hiddenSize);
    std::vector<float> s(columns), r(columns);
    const bool storage = op.normRounding == Rounding::Storage;
    for (int64_t row = begin; row < end; ++row) {
      x.row(row, hiddenSize, s.data());
      if (residual) {
        residual.row(row, hiddenSize, r.data());
        for (size_t j = 0; j < columns; ++j)
          s[j] += r[j];
        if (op.residualRounding == Rounding::Storage)
          for (size_t j = 0; j < columns; ++j)
            s[j] = float(roundTo(residual.dtype, s[j]));
      }
      double squared = 0;
      for (size_t j = 0; j < columns; ++j)
        squared += double(s[j]) * double(s[j]);
      // Squares are summed in f32, whose range is part of the definition.
      if (squared > double(FLT_MAX))
        squared = kInfinity;
      const double reciprocal =
          1 / std::sqrt(squared / double(hiddenSize) + op.epsilon);
      for (Judge &j : judges) {
        const std::string &role = roleOf(j);
        if (role == "rstd") {
          j.element(row, 0, reciprocal, 32 * kU * std::fabs(reciprocal));
        } else if (role == "sum") {
          // Exact: one addition and one rounding, both defined.
          for (size_t c = 0; c < columns; ++c)
            exact(j, row, int64_t(c), s[c]);
        } else if (role == "normalized") {
          for (size_t c = 0; c < columns; ++c) {
            double n = s[c] * reciprocal;
            j.element(row, int64_t(c), n, 32 * kU * std::fabs(n));
          }
        } else if (role == "y") {
          for (size_t c = 0; c < columns; ++c) {
            double n = s[c] * reciprocal, flip = 0;
            const double w = weight ? double(scale[c]) : 1;
            if (storage) {
              // A value this close to the middle of two numbers may round to
              // either, and the weight carries the difference on.
              const double off = 32 * kU * std::fabs(n);
              flip = std::fabs(
                  (roundTo(x.dtype, n + off) - roundTo(x.dtype, n - off)) * w);
              n = roundTo(x.dtype, n);
            }
            const double y = n * w;
            // inf - inf above is no allowance.
            if (std::isnan(flip))
              flip = 0;
            j.element(row, int64_t(c), y, 32 * kU * std::fabs(y) + flip);
          }
        }
      }
    }
  }

  /// An element whose bits follow from the definition.
  void exact(Judge &j, int64_t row, int64_t column, float value) {
    const int slack = j.slack;
    j.slack = 0;
    j.element(row, column, roundTo(j.view.dtype, value), 0);
    j.slack = slack;
  }

  void backwardRows(int64_t begin, int64_t end, std::vector<Judge> &judges,
                    std::vector<double> &dw, std::vector<double> &squares) {
    const size_t columns = size_t(hiddenSize);
    std::vector<float> go(columns), given(columns), direct(columns);
    std::vector<double> n(columns), g(columns);
    bool wantsDw = false, wantsDx = false;
    for (const Judge &j : judges) {
      wantsDw |= roleOf(j) == "dw";
      wantsDx |= roleOf(j) == "dx";
    }
    if (wantsDw) {
      dw.assign(columns, 0);
      squares.assign(columns, 0);
    }
    for (int64_t row = begin; row < end; ++row) {
      gradOutput.row(row, hiddenSize, go.data());
      const double r = rstd ? double(rstd.at(row, 0)) : 0;
      (normalized ? normalized : sum).row(row, hiddenSize, given.data());
      for (size_t j = 0; j < columns; ++j)
        n[j] = normalized ? double(given[j]) : double(given[j]) * r;
      if (wantsDw)
        for (size_t j = 0; j < columns; ++j) {
          const double product = double(go[j]) * n[j];
          dw[j] += product;
          squares[j] += product * product;
        }
      if (!wantsDx)
        continue;
      double mean = 0, magnitude = 0;
      for (size_t j = 0; j < columns; ++j) {
        g[j] = weight ? double(go[j]) * double(scale[j]) : double(go[j]);
        const double product = g[j] * n[j];
        mean += product;
        magnitude += std::fabs(product);
      }
      mean /= double(hiddenSize);
      magnitude /= double(hiddenSize);
      if (gradSum)
        gradSum.row(row, hiddenSize, direct.data());
      for (Judge &j : judges) {
        if (roleOf(j) != "dx")
          continue;
        for (size_t c = 0; c < columns; ++c) {
          double dx = r * (g[c] - mean * n[c]);
          double bound = 8 * kU * std::fabs(r) *
                         (std::fabs(g[c]) + std::fabs(n[c]) * magnitude);
          if (gradSum) {
            dx += double(direct[c]);
            bound += 4 * kU * std::fabs(double(direct[c]));
          }
          j.element(row, int64_t(c), dx, bound);
        }
      }
    }
  }

  /// Judges the column results, for which the pieces' sums come together.
  void columns(std::vector<Judge> &judges,
               const std::vector<std::vector<double>> &dw,
               const std::vector<std::vector<double>> &squares) {
    for (Judge &j : judges) {
      if (kernel.parameters[j.report.parameter].kind != Kind::Columns)
        continue;
      for (int64_t c = 0; c < hiddenSize; ++c) {
        if (op.kind == OperationKind::Copy) {
          ++j.report.elements;
          ++j.report.matched;
          j.report.unwritten += j.isPoison(c);
          continue;
        }
        double total = 0, square = 0;
        for (size_t piece = 0; piece < dw.size(); ++piece)
          if (!dw[piece].empty()) {
            total += dw[piece][size_t(c)];
            square += squares[piece][size_t(c)];
          }
        // sqrt(rows) times the root mean square over the rows.
        j.element(0, c, total, 5e-6 * std::sqrt(square));
      }
    }
  }

  /// Looks for writes where none may be: around inputs and the workspace.
  void inputs() {
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const Parameter &p = kernel.parameters[i];
      if (p.direction != Direction::Input ||
          checked.images[checked.bufferIndex[i]].written)
        continue;
      if (int64_t bytes = checked.guardDamage(i))
        report.damage += concat("  ", p.name, ": ", bytes,
                                " bytes around the input were written\n");
    }
    if (checked.workspaceIndex < 0)
      return;
    const Buffer &image = checked.images[size_t(checked.workspaceIndex)];
    const uint64_t used = checked.settings.workspaceBytes;
    int64_t outside = 0, nonzero = 0;
    for (size_t i = 0; i < image.bytes; ++i) {
      const uint8_t byte = image.memory.get()[i];
      if (i < image.offset || i >= image.offset + used)
        outside += byte != 0xA5;
      else if (i < image.offset + checked.settings.workspaceZeroedBytes)
        nonzero += byte != 0;
    }
    if (outside)
      report.damage += concat("  workspace: ", outside,
                              " bytes outside of it were written\n");
    if (nonzero)
      report.damage += concat("  workspace: ", nonzero,
                              " bytes at its start were not left zero\n");
  }

  const Case &checked;
  const Kernel &kernel;
  const int64_t hiddenSize, rows;
  const Operation &op;
  View x, residual, weight, sum, rstd, normalized, gradOutput, gradSum;
  std::vector<float> scale;
  CaseReport report;
};

CaseReport Case::verify(const Tolerance *tolerance) const {
  return Verifier(*this, tolerance).run();
}

} // namespace rmscheck
