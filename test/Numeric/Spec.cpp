//===-- Spec.cpp - a case of the numeric suite as text ----------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Spec.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace rmsc::numeric;
using llvm::StringRef;

namespace {
struct Key {
  const char *name, *fallback;
  /// Whether the code depends on it, and not only the call.
  bool program;
};
} // namespace

static const Key keys[] = {
    {"op", "norm", true},       {"h", "256", true},
    {"x", "bf16", true},        {"r", "none", true},
    {"w", "none", true},        {"y", "bf16", true},
    {"sum", "none", true},      {"norm", "none", true},
    {"rstd", "0", true},        {"go", "bf16", true},
    {"n", "none", true},        {"s", "none", true},
    {"gs", "none", true},       {"dx", "none", true},
    {"dw", "none", true},       {"twice", "0", true},
    {"offset", "0", true},      {"rres", "none", true},
    {"rnorm", "none", true},    {"eps", "1.0e-06", true},
    {"alias", "0", true},       {"chip", "sm_90", true},
    {"rsqrt", "approx", true},  {"schedule", "", true},
    {"invariant", "0", true},   {"inplace", "0", false},
    {"variant", "", false},     {"rows", "1", false},
    {"seed", "1", false},       {"misalign", "0", false},
    {"stride", "0", false},     {"special", "none", false},
    {"order", "random", false},
};

static const Key *findKey(StringRef name) {
  for (const Key &key : keys)
    if (name == key.name)
      return &key;
  return nullptr;
}

llvm::Expected<Spec> Spec::parse(StringRef text) {
  Spec spec;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    const Key *key = findKey(name);
    if (!key)
      return llvm::createStringError("unknown key '" + name +
                                     "' in the case '" + text + "'");
    int64_t number;
    bool isNumber = !StringRef(key->fallback).getAsInteger(10, number);
    if (isNumber && (value.getAsInteger(10, number) || number < 0))
      return llvm::createStringError("'" + part + "' in the case: " + name +
                                     " is a number from 0 up");
    spec.set(name, value);
  }
  return spec;
}

Spec &Spec::set(StringRef key, StringRef value) {
  if (!findKey(key))
    llvm::report_fatal_error("the numeric suite knows no key " + key);
  values[key.str()] = value.str();
  return *this;
}

Spec &Spec::set(StringRef key, int64_t value) {
  return set(key, std::to_string(value));
}

std::string Spec::get(StringRef key) const {
  auto it = values.find(key.str());
  return it == values.end() ? findKey(key)->fallback : it->second;
}

int64_t Spec::getInt(StringRef key) const {
  int64_t number = 0;
  if (StringRef(get(key)).getAsInteger(10, number))
    llvm::report_fatal_error("the value of " + key + " is no number");
  return number;
}

std::string Spec::str() const {
  std::string text;
  for (const Key &key : keys)
    if (std::string value = get(key.name); value != key.fallback)
      text += (text.empty() ? "" : ";") + std::string(key.name) + "=" + value;
  return text;
}

std::string Spec::program() const {
  std::string text;
  for (const Key &key : keys)
    if (key.program)
      text += get(key.name) + ";";
  return text;
}

std::string Spec::toMLIR() const {
  std::string h = get("h");
  auto rowType = [&](StringRef key) {
    return "tensor<?x" + h + "x" + get(key) + ">";
  };
  auto columnType = [&](StringRef key) {
    return "tensor<" + h + "x" + get(key) + ">";
  };
  std::vector<std::string> arguments, results, resultTypes, values;
  std::string op;
  auto argument = [&](StringRef name, const std::string &type,
                      const std::string &more = "") {
    arguments.push_back("%" + name.str() + ": " + type + " {rms.name = \"" +
                        name.str() + "\"" + more + "}");
  };
  auto operand = [&](StringRef clause, StringRef name,
                     const std::string &type) {
    op += " " + clause.str() + "(%" + name.str() + " : " + type + ")";
  };
  auto result = [&](StringRef name, const std::string &type) {
    values.push_back("%" + name.str());
    resultTypes.push_back(type);
    results.push_back(name.str() + "(" + type + ")");
  };
  bool alias = getInt("alias");
  if (get("op") == "norm") {
    argument("x", rowType("x"), alias ? ", rms.may_alias = 0 : index" : "");
    if (has("r"))
      argument("residual", rowType("r"),
               alias && has("sum") ? ", rms.may_alias = 1 : index" : "");
    if (has("w"))
      argument("weight", columnType("w"));
    operand("x", "x", rowType("x"));
    if (has("r"))
      operand("residual", "residual", rowType("r"));
    if (has("w"))
      operand("weight", "weight", columnType("w"));
    op += " epsilon(" + get("eps") + ")";
    if (getInt("offset"))
      op += " weight_offset(1.0)";
    if (has("rres"))
      op += " residual_rounding(" + get("rres") + ")";
    if (has("rnorm"))
      op += " norm_rounding(" + get("rnorm") + ")";
    result("y", rowType("y"));
    if (has("sum"))
      result("sum", rowType("sum"));
    if (getInt("rstd"))
      result("rstd", "tensor<?xf32>");
    if (has("norm"))
      result("normalized", rowType("norm"));
    op = "rms.norm" + op;
  } else {
    argument("grad_output", rowType("go"));
    operand("grad_output", "grad_output", rowType("go"));
    if (has("n")) {
      argument("normalized", rowType("n"));
      operand("normalized", "normalized", rowType("n"));
    } else {
      argument("sum", rowType("s"));
      operand("sum", "sum", rowType("s"));
    }
    argument("rstd", "tensor<?xf32>");
    operand("rstd", "rstd", "tensor<?xf32>");
    if (has("w")) {
      argument("weight", columnType("w"));
      operand("weight", "weight", columnType("w"));
    }
    if (has("gs")) {
      argument("grad_sum", rowType("gs"));
      operand("grad_sum", "grad_sum", rowType("gs"));
    }
    if (getInt("offset"))
      op += " weight_offset(1.0)";
    if (has("dx"))
      result("dx", rowType("dx"));
    if (has("dw"))
      result("dw", columnType("dw"));
    op = "rms.norm_backward" + op;
  }
  std::string definition =
      llvm::join(values, ", ") + " = " + op + " -> " + llvm::join(results, " ");
  if (getInt("twice") && has("dx")) {
    values.insert(values.begin() + 1, "%dx");
    resultTypes.insert(resultTypes.begin() + 1, resultTypes.front());
  }
  return "func.func @kernel(" + llvm::join(arguments, ", ") + ") -> (" +
         llvm::join(resultTypes, ", ") + ") {\n  " + definition +
         "\n  return " + llvm::join(values, ", ") + " : " +
         llvm::join(resultTypes, ", ") + "\n}\n";
}
