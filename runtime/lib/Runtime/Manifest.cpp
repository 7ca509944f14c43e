//===-- Manifest.cpp - Reads and checks a manifest ------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsrt/Manifest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using nlohmann::json;

namespace rmsrt {

const char *toString(Dtype dtype) {
  switch (dtype) {
  case Dtype::BF16:
    return "bf16";
  case Dtype::F16:
    return "f16";
  case Dtype::F32:
    return "f32";
  }
  return "?";
}

const char *toString(Kind kind) {
  switch (kind) {
  case Kind::Rows:
    return "rows";
  case Kind::Columns:
    return "columns";
  case Kind::Scalars:
    return "scalars";
  }
  return "?";
}

const char *toString(OperationKind kind) {
  switch (kind) {
  case OperationKind::Norm:
    return "norm";
  case OperationKind::NormBackward:
    return "norm_backward";
  case OperationKind::Copy:
    return "copy";
  }
  return "?";
}

bool parseChip(std::string_view text, Chip &chip) {
  if (text.substr(0, 3) != "sm_")
    return false;
  chip.name = std::string(text);
  std::string_view digits = text.substr(3);
  chip.suffix = 0;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    chip.suffix = digits.back();
    digits.remove_suffix(1);
  }
  if (digits.size() < 2 || digits.size() > 4 || digits[0] == '0')
    return false;
  int number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return false;
    number = number * 10 + (c - '0');
  }
  chip.capability = {number / 10, number % 10};
  return true;
}

int Kernel::find(std::string_view role, Direction direction) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].role == role && parameters[i].direction == direction)
      return int(i);
  return -1;
}

const Kernel *Manifest::find(std::string_view name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

namespace {

const char *const kRoles[] = {
    "x",          "residual",    "weight",   "y",  "sum", "rstd",
    "normalized", "grad_output", "grad_sum", "dx", "dw",  "unused"};

/// Walks the document and keeps the first fault; after it every read gives a
/// default, so that the code below reads as the format does.
class Reader {
public:
  Error takeError() { return error; }
  bool failed() const { return bool(error); }

  void fail(const std::string &path, const std::string &what,
            RmsrtStatus status = RMSRT_BAD_MANIFEST) {
    if (!error)
      error = Error(status, "manifest.json: " + path + " " + what +
                                "; rebuild the package with rmsc");
  }

  /// The member `key` of `object`, or null after a failure.
  const json &member(const json &object, const std::string &path,
                     const char *key) {
    static const json null;
    if (failed())
      return null;
    if (!object.is_object()) {
      fail(path, "is not an object");
      return null;
    }
    auto it = object.find(key);
    if (it == object.end()) {
      fail(join(path, key), "is missing");
      return null;
    }
    return *it;
  }

  int64_t integer(const json &object, const std::string &path, const char *key,
                  int64_t lowest, int64_t highest) {
    return integerValue(member(object, path, key), join(path, key), lowest,
                        highest);
  }

  int64_t integerValue(const json &value, const std::string &path,
                       int64_t lowest, int64_t highest) {
    if (failed())
      return lowest;
    // An unsigned value above the range of int64 must not wrap into it.
    bool ok = value.is_number_integer() &&
              (!value.is_number_unsigned() ||
               value.get<uint64_t>() <= uint64_t(INT64_MAX));
    int64_t number = ok ? value.get<int64_t>() : 0;
    if (!ok || number < lowest || number > highest) {
      fail(path, concat("is ", value.dump(), ", not an integer from ", lowest,
                        " to ", highest));
      return lowest;
    }
    return number;
  }

  double number(const json &object, const std::string &path, const char *key) {
    const json &value = member(object, path, key);
    if (failed())
      return 0;
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      fail(join(path, key), "is not a finite number");
      return 0;
    }
    return value.get<double>();
  }

  bool boolean(const json &object, const std::string &path, const char *key) {
    const json &value = member(object, path, key);
    if (failed())
      return false;
    if (!value.is_boolean()) {
      fail(join(path, key), "is not true or false");
      return false;
    }
    return value.get<bool>();
  }

  /// A string; empty ones are refused unless allowed.
  std::string text(const json &object, const std::string &path, const char *key,
                   bool mayBeEmpty = false) {
    const json &value = member(object, path, key);
    if (failed())
      return "";
    if (!value.is_string() ||
        (!mayBeEmpty && value.get_ref<const std::string &>().empty())) {
      fail(join(path, key), mayBeEmpty
                                ? "is not a string"
                                : "is not a string with something in it");
      return "";
    }
    return value.get<std::string>();
  }

  /// The index of the string among `names`.
  template <size_t N>
  size_t choice(const json &object, const std::string &path, const char *key,
                const char *const (&names)[N]) {
    std::string value = text(object, path, key);
    if (failed())
      return 0;
    for (size_t i = 0; i < N; ++i)
      if (value == names[i])
        return i;
    std::string known;
    for (const char *name : names)
      known += (known.empty() ? "" : ", ") + std::string(name);
    fail(join(path, key), "is \"" + value + "\", not one of " + known);
    return 0;
  }

  /// The array `key`, of at least `lowest` and at most `highest` elements.
  const json &array(const json &object, const std::string &path,
                    const char *key, size_t lowest, size_t highest) {
    static const json empty = json::array();
    const json &value = member(object, path, key);
    if (failed())
      return empty;
    if (!value.is_array() || value.size() < lowest || value.size() > highest) {
      fail(join(path, key),
           concat("is not a list of ", lowest, " to ", highest, " elements"));
      return empty;
    }
    return value;
  }

  static std::string join(const std::string &path, const char *key) {
    return path.empty() ? key : path + "." + key;
  }
  static std::string at(const std::string &path, size_t index) {
    return concat(path, "[", index, "]");
  }

  static bool has(const json &object, const char *key) {
    return object.is_object() && object.contains(key);
  }

  Operation operation(const json &object, const std::string &path) {
    Operation op;
    static const char *const kinds[] = {"norm", "norm_backward", "copy"};
    static const char *const roundings[] = {"none", "storage"};
    static const char *const rsqrts[] = {"approx", "exact"};
    op.kind = OperationKind(choice(object, path, "kind", kinds));
    if (op.kind == OperationKind::Norm || has(object, "epsilon"))
      op.epsilon = number(object, path, "epsilon");
    if (op.epsilon < 0)
      fail(join(path, "epsilon"), "is negative");
    if (has(object, "weight_offset"))
      op.weightOffset = number(object, path, "weight_offset");
    if (has(object, "residual_rounding"))
      op.residualRounding =
          Rounding(choice(object, path, "residual_rounding", roundings));
    if (has(object, "norm_rounding"))
      op.normRounding =
          Rounding(choice(object, path, "norm_rounding", roundings));
    if (has(object, "rsqrt"))
      op.rsqrt = Rsqrt(choice(object, path, "rsqrt", rsqrts));
    if (has(object, "floor_of"))
      op.floorOf = text(object, path, "floor_of", /*mayBeEmpty=*/true);
    return op;
  }

  Parameter parameter(const json &object, const std::string &path) {
    static const char *const directions[] = {"input", "output"};
    static const char *const kinds[] = {"rows", "columns", "scalars"};
    static const char *const dtypes[] = {"bf16", "f16", "f32"};
    Parameter p;
    p.name = text(object, path, "name");
    p.role = kRoles[choice(object, path, "role", kRoles)];
    p.direction = Direction(choice(object, path, "direction", directions));
    p.kind = Kind(choice(object, path, "kind", kinds));
    p.dtype = Dtype(choice(object, path, "dtype", dtypes));
    p.rank = int(integer(object, path, "rank", 1, 64));
    p.used = boolean(object, path, "used");
    if (p.direction == Direction::Output && !p.used)
      fail(join(path, "used"), "is false, but the parameter is an output");
    return p;
  }

  /// Resolves `may_alias` once all parameters are known.
  void alias(const json &object, const std::string &path, Kernel &kernel,
             Parameter &p) {
    if (!has(object, "may_alias"))
      return;
    std::string name = text(object, path, "may_alias");
    if (failed())
      return;
    const std::string where = join(path, "may_alias");
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      if (kernel.parameters[i].name == name &&
          kernel.parameters[i].direction == Direction::Output)
        p.mayAlias = int(i);
    if (p.mayAlias < 0)
      return fail(where, "names \"" + name + "\", which is no output");
    const Parameter &output = kernel.parameters[p.mayAlias];
    if (p.direction != Direction::Input)
      return fail(where, "is given for an output; it belongs to the input");
    if (p.kind != output.kind || sizeOf(p.dtype) != sizeOf(output.dtype))
      fail(where, "pairs \"" + p.name + "\" with \"" + name +
                      "\", whose shape or element size differs");
  }

  Launch launch(const json &object, const std::string &path) {
    Launch l;
    const int64_t ctas = INT32_MAX;
    l.entry = text(object, path, "entry");
    l.block = uint32_t(integer(object, path, "block", 1, 1024));
    l.rowsPerCta = uint32_t(integer(object, path, "rows_per_cta", 0, ctas));
    l.ctasPerRow = uint32_t(integer(object, path, "ctas_per_row", 1, 1024));
    l.maxCtas = uint32_t(integer(object, path, "max_ctas", 0, ctas));
    l.extraCtas = uint32_t(integer(object, path, "extra_ctas", 0, ctas));
    l.cluster = uint32_t(integer(object, path, "cluster", 1, 16));
    l.dependent = boolean(object, path, "dependent");
    l.waits = boolean(object, path, "waits");
    l.registers = uint32_t(integer(object, path, "registers", 0, 255));
    const int64_t bytes = int64_t(1) << 24;
    l.spillBytes = uint32_t(integer(object, path, "spill_bytes", 0, bytes));
    l.localBytes = uint32_t(integer(object, path, "local_bytes", 0, bytes));
    // No chip has more than 228 KB of shared memory; the bound leaves room.
    const int64_t shared = int64_t(1) << 20;
    l.sharedStaticBytes =
        uint32_t(integer(object, path, "shared_static_bytes", 0, shared));
    l.sharedDynamicBytes =
        uint32_t(integer(object, path, "shared_dynamic_bytes", 0, shared));
    if (!failed() && l.rowsPerCta == 0 && l.extraCtas == 0)
      fail(path, "would never launch: rows_per_cta and extra_ctas are both 0");
    return l;
  }

  Variant variant(const json &object, const std::string &path,
                  const Kernel &kernel) {
    Variant v;
    v.name = text(object, path, "name");
    std::string chip = text(object, path, "chip");
    if (!failed() && !parseChip(chip, v.chip))
      fail(join(path, "chip"), "is \"" + chip + "\", not a name like sm_90a");
    const json &rows = array(object, path, "rows", 2, 2);
    if (!failed()) {
      const std::string where = join(path, "rows");
      v.firstRows = integerValue(rows[0], at(where, 0), 0, RMSRT_MAX_ROWS);
      v.lastRows =
          integerValue(rows[1], at(where, 1), v.firstRows, RMSRT_MAX_ROWS);
    }
    const size_t count = kernel.parameters.size();
    const json &alignments = array(object, path, "alignments", count, count);
    for (size_t i = 0; i < alignments.size() && !failed(); ++i) {
      const std::string where = at(join(path, "alignments"), i);
      int64_t lowest = sizeOf(kernel.parameters[i].dtype);
      int64_t a = integerValue(alignments[i], where, lowest, 256);
      if (a & (a - 1))
        fail(where, concat("is ", a, ", not a power of two"));
      v.alignments.push_back(uint32_t(a));
    }
    v.strided = boolean(object, path, "strided");
    const int64_t bytes = int64_t(1) << 40;
    std::string where = join(path, "workspace");
    const json &workspace = member(object, path, "workspace");
    v.workspace.bytes = uint64_t(integer(workspace, where, "bytes", 0, bytes));
    v.workspace.bytesPerCta = uint64_t(
        integer(workspace, where, "bytes_per_cta", 0, int64_t(1) << 30));
    if (has(workspace, "zeroed_bytes"))
      v.workspace.zeroedBytes = uint64_t(integer(
          workspace, where, "zeroed_bytes", 0, int64_t(v.workspace.bytes)));
    where = join(path, "image");
    const json &image = member(object, path, "image");
    static const char *const formats[] = {"cubin", "ptx"};
    v.image.file = text(image, where, "file");
    v.image.format = ImageFormat(choice(image, where, "format", formats));
    v.image.bytes = uint64_t(integer(image, where, "bytes", 1, bytes));
    v.image.sha256 = text(image, where, "sha256");
    if (!failed() && (v.image.sha256.size() != 64 ||
                      v.image.sha256.find_first_not_of("0123456789abcdef") !=
                          std::string::npos))
      fail(join(where, "sha256"), "is not 64 lower-case hexadecimal digits");
    const json &launches = array(object, path, "launches", 1, kMaxLaunches);
    for (size_t i = 0; i < launches.size() && !failed(); ++i)
      v.launches.push_back(launch(launches[i], at(join(path, "launches"), i)));
    if (!failed() && v.workspace.bytesPerCta &&
        (!v.launches[0].rowsPerCta || !v.launches[0].maxCtas))
      fail(join(join(path, "workspace"), "bytes_per_cta"),
           "makes a workspace without bound: launches[0] has no rows_per_cta "
           "or no max_ctas");
    v.schedule = text(object, path, "schedule", /*mayBeEmpty=*/true);
    return v;
  }

  Kernel kernel(const json &object, const std::string &path) {
    Kernel k;
    k.name = text(object, path, "name");
    // Bounded so that no offset in bytes of 2^31 rows leaves 63 bits.
    k.hiddenSize = integer(object, path, "hidden_size", 1, 1 << 29);
    k.operation =
        operation(member(object, path, "operation"), join(path, "operation"));
    const json &parameters =
        array(object, path, "parameters", 1, kMaxParameters);
    std::string where = join(path, "parameters");
    std::set<std::string> names;
    bool outputs = false;
    for (size_t i = 0; i < parameters.size() && !failed(); ++i) {
      k.parameters.push_back(parameter(parameters[i], at(where, i)));
      const Parameter &p = k.parameters.back();
      if (!failed() && !names.insert(p.name).second)
        fail(at(where, i), "has the name \"" + p.name + "\" a second time");
      if (p.direction == Direction::Output)
        outputs = true;
      else if (outputs)
        fail(at(where, i), "is an input that follows an output");
    }
    if (!outputs)
      fail(where, "has no output");
    for (size_t i = 0; i < parameters.size() && !failed(); ++i)
      alias(parameters[i], at(where, i), k, k.parameters[i]);
    const json &variants = array(object, path, "variants", 1, 100000);
    where = join(path, "variants");
    std::set<std::pair<std::string, std::string>> variantNames;
    for (size_t i = 0; i < variants.size() && !failed(); ++i) {
      k.variants.push_back(variant(variants[i], at(where, i), k));
      const Variant &v = k.variants.back();
      if (!failed() && !variantNames.insert({v.chip.name, v.name}).second)
        fail(at(where, i), "is a second \"" + v.name + "\" for " + v.chip.name);
    }
    return k;
  }

private:
  Error error;
};

} // namespace

Error parseManifest(std::string_view text, Manifest &manifest) {
  json document = json::parse(text.begin(), text.end(), nullptr,
                              /*allow_exceptions=*/false);
  Reader reader;
  if (document.is_discarded()) {
    reader.fail("the text", "is not valid JSON");
    return reader.takeError();
  }
  // The version is looked at before anything else: what follows it may differ.
  std::string format = reader.text(document, "", "format");
  if (!reader.failed() && format != kManifestFormat)
    reader.fail("format", "is \"" + format + "\", not \"rmspkg\"");
  int64_t version = reader.integer(document, "", "version", 0, INT32_MAX);
  if (!reader.failed() && version != kManifestVersion)
    return Error(
        RMSRT_UNSUPPORTED_VERSION,
        concat(
            "manifest.json: version is ", version,
            ", and this library reads version ", kManifestVersion, "; ",
            version > kManifestVersion
                ? "use a newer rmsrt, or build the package with an older rmsc"
                : "rebuild the package with rmsc"));
  Manifest result;
  const json &compiler = reader.member(document, "", "compiler");
  result.compiler.name = reader.text(compiler, "compiler", "name");
  result.compiler.version = reader.text(compiler, "compiler", "version");
  result.compiler.llvm = reader.text(compiler, "compiler", "llvm", true);
  result.compiler.ptxas = reader.text(compiler, "compiler", "ptxas", true);
  const json &kernels = reader.array(document, "", "kernels", 1, 100000);
  std::set<std::string> names;
  for (size_t i = 0; i < kernels.size() && !reader.failed(); ++i) {
    const std::string path = Reader::at("kernels", i);
    result.kernels.push_back(reader.kernel(kernels[i], path));
    const std::string &name = result.kernels.back().name;
    if (!reader.failed() && !names.insert(name).second)
      reader.fail(path, "has the name \"" + name + "\" a second time");
  }
  if (reader.failed())
    return reader.takeError();
  manifest = std::move(result);
  return {};
}

} // namespace rmsrt
