//===-- Spec.h - a case of the numeric suite as text ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a list of `key=value` separated by semicolons, so that a failing
// one can be printed and run again. What is not given has its default:
//
//   op       norm | backward
//   h        hidden size
//   x r w y sum norm      types of forward operands and results, or none
//   go n s w gs dx dw     types of backward operands and results, or none
//   rstd     1: the forward also returns it
//   offset rres rnorm eps weight_offset, residual_rounding, norm_rounding,
//            epsilon
//   alias    1: x may share its buffer with y (sum with the residual);
//            inplace=1: it does
//   twice    1: dx is returned twice
//   chip rsqrt schedule invariant variant   as for rms-emulate; variant=#2 is
//            the third one of those for dense and aligned operands, counted
//            round
//   rows seed misalign stride               as for rms-emulate
//   special  none | nan | inf | zero | denormal | overflow: values put into
//   rows order    reverse | random: the second interleaving
//
//===----------------------------------------------------------------------===//

#ifndef RMSC_TEST_NUMERIC_SPEC_H
#define RMSC_TEST_NUMERIC_SPEC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace rmsc::numeric {

class Spec {
public:
  static llvm::Expected<Spec> parse(llvm::StringRef text);

  Spec &set(llvm::StringRef key, llvm::StringRef value);
  Spec &set(llvm::StringRef key, int64_t value);
  std::string get(llvm::StringRef key) const;
  int64_t getInt(llvm::StringRef key) const;
  bool has(llvm::StringRef key) const { return get(key) != "none"; }

  /// All keys that are not at their default.
  std::string str() const;
  /// The keys that the compiled code depends on.
  std::string program() const;
  /// The program in MLIR.
  std::string toMLIR() const;

private:
  std::map<std::string, std::string> values;
};

} // namespace rmsc::numeric

#endif // RMSC_TEST_NUMERIC_SPEC_H
