//===-- Info.cpp - rms-run info -------------------------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace rmsrt;

namespace rms_run {

namespace {

/// Lines of cells, printed with columns of even width.
class Table {
public:
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  void print(const char *indent) const {
    std::vector<size_t> widths;
    for (const auto &cells : rows)
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i == widths.size())
          widths.push_back(0);
        widths[i] = std::max(widths[i], cells[i].size());
      }
    for (const auto &cells : rows) {
      std::string line = indent;
      for (size_t i = 0; i < cells.size(); ++i) {
        line += cells[i];
        if (i + 1 < cells.size())
          line += std::string(widths[i] - cells[i].size() + 2, ' ');
      }
      line.resize(line.find_last_not_of(' ') + 1);
      std::printf("%s\n", line.c_str());
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

std::string describe(const Kernel &kernel) {
  const Operation &op = kernel.operation;
  std::string text =
      concat(toString(op.kind), ", hidden size ", kernel.hiddenSize);
  if (op.kind == OperationKind::Norm)
    text += ", epsilon " + number(op.epsilon);
  if (op.weightOffset != 0)
    text += ", weight offset " + number(op.weightOffset);
  if (op.residualRounding == Rounding::Storage)
    text += ", residual rounding storage";
  if (op.normRounding == Rounding::Storage)
    text += ", norm rounding storage";
  if (op.rsqrt == Rsqrt::Exact)
    text += ", exact rsqrt";
  if (!op.floorOf.empty())
    text += ", the floor of " + op.floorOf;
  return text;
}

void printAbi(const Kernel &kernel) {
  Table table;
  table.row({"#", "parameter", "role", "direction", "kind", "dtype", "rank",
             "notes"});
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &p = kernel.parameters[i];
    std::string notes;
    if (!p.used)
      notes = "never read";
    if (p.mayAlias >= 0)
      notes = "may be the buffer of " + kernel.parameters[p.mayAlias].name;
    table.row({std::to_string(i), p.name, p.role,
               p.direction == Direction::Input ? "input" : "output",
               toString(p.kind), toString(p.dtype), std::to_string(p.rank),
               notes});
  }
  table.print("  ");
  std::string abi = "pointers in this order, i64 rows";
  for (const Parameter &p : kernel.parameters)
    if (p.kind == Kind::Rows)
      abi += ", i64 stride of " + p.name;
  std::printf("  ABI of every launch: %s, workspace pointer\n", abi.c_str());
}

std::string rowRange(const Variant &v) {
  if (v.lastRows == RMSRT_MAX_ROWS)
    return concat(v.firstRows, "+");
  return concat(v.firstRows, "-", v.lastRows);
}

/// The parameters' alignments: one number when they agree.
std::string alignments(const Variant &v) {
  std::set<uint32_t> different(v.alignments.begin(), v.alignments.end());
  if (different.size() == 1)
    return std::to_string(*different.begin());
  std::string text;
  for (uint32_t a : v.alignments)
    text += (text.empty() ? "" : ",") + std::to_string(a);
  return text;
}

std::string workspace(const Variant &v) {
  uint64_t most = workspaceBytes(v, v.lastRows);
  if (!v.workspace.bytesPerCta)
    return std::to_string(most);
  return concat("<=", most);
}

std::string gridOf(const Launch &l) {
  std::string text;
  if (l.rowsPerCta) {
    text = l.rowsPerCta == 1 ? "rows" : concat("rows/", l.rowsPerCta);
    if (l.ctasPerRow > 1)
      text += concat(" * ", l.ctasPerRow);
    if (l.maxCtas)
      text = concat("min(", text, ", ", l.maxCtas, ")");
  }
  if (l.extraCtas)
    text += concat(text.empty() ? "" : " + ", l.extraCtas);
  if (l.cluster > 1)
    text = concat("(", text, ") * cluster of ", l.cluster);
  return text;
}

void printVariants(const Kernel &kernel) {
  Table table;
  table.row({"chip", "variant", "rows", "align", "strided", "launch", "grid",
             "block", "regs", "spills", "local", "shared", "workspace", "code",
             "schedule"});
  for (const Variant &v : kernel.variants)
    for (size_t i = 0; i < v.launches.size(); ++i) {
      const Launch &l = v.launches[i];
      std::vector<std::string> cells =
          i ? std::vector<std::string>(5)
            : std::vector<std::string>{v.chip.name, v.name, rowRange(v),
                                       alignments(v), v.strided ? "yes" : "no"};
      std::string kind = std::to_string(i);
      if (l.dependent || l.waits)
        kind += l.dependent ? " dependent" : " waits";
      for (const std::string &cell :
           {kind, gridOf(l), std::to_string(l.block),
            std::to_string(l.registers), std::to_string(l.spillBytes),
            std::to_string(l.localBytes),
            l.sharedDynamicBytes
                ? concat(l.sharedStaticBytes, "+", l.sharedDynamicBytes)
                : std::to_string(l.sharedStaticBytes)})
        cells.push_back(cell);
      cells.push_back(i ? "" : workspace(v));
      cells.push_back(
          i ? ""
            : concat(v.image.bytes, " B ",
                     v.image.format == ImageFormat::Cubin ? "cubin" : "PTX"));
      cells.push_back(i ? "" : v.schedule);
      table.row(cells);
    }
  table.print("  ");
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

/// Runs a program found through PATH with its output on ours; its exit status,
/// or 127 when it was not found.
int runProgram(const std::vector<std::string> &command) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    return 127;
  if (child == 0) {
    std::vector<char *> argv;
    for (const std::string &word : command)
      argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
    return 127;
  return WEXITSTATUS(status);
}

/// A file that is gone with the object.
class TemporaryFile {
public:
  Error write(const std::string &bytes) {
    const char *folder = std::getenv("TMPDIR");
    path = concat(folder && *folder ? folder : "/tmp", "/rms-run-XXXXXX");
    int descriptor = mkstemp(&path[0]);
    bool ok = descriptor >= 0;
    if (ok) {
      created = true;
      ok = ::write(descriptor, bytes.data(), bytes.size()) ==
           ssize_t(bytes.size());
      ok = ::close(descriptor) == 0 && ok;
    }
    return ok ? Error()
              : Error(RMSRT_IO_ERROR,
                      path + ": cannot be written; set TMPDIR to a folder "
                             "with room");
  }
  ~TemporaryFile() {
    if (created)
      ::unlink(path.c_str());
  }
  std::string path;

private:
  bool created = false;
};

Error disassemble(const std::string &image) {
  TemporaryFile file;
  if (Error error = file.write(image))
    return error;
  const char *named = std::getenv("RMSC_NVDISASM");
  const char *home = std::getenv("CUDA_HOME");
  std::vector<std::string> folders = {""};
  if (home)
    folders.insert(folders.begin(), std::string(home) + "/bin/");
  folders.push_back("/usr/local/cuda/bin/");
  std::vector<std::vector<std::string>> commands;
  if (named)
    commands.push_back({named, file.path});
  else
    for (const std::string &folder : folders) {
      commands.push_back({folder + "nvdisasm", file.path});
      commands.push_back({folder + "cuobjdump", "-sass", file.path});
    }
  for (const auto &command : commands) {
    int status = runProgram(command);
    if (status == 0)
      return {};
    if (status != 127)
      return Error(RMSRT_IO_ERROR, concat(command[0], " failed with status ",
                                          status, " on the package's code"));
  }
  if (named)
    return Error(RMSRT_NOT_FOUND,
                 concat("--sass needs a disassembler, and ", named,
                        " (from RMSC_NVDISASM) cannot be run; name nvdisasm "
                        "there, or unset it"));
  return Error(RMSRT_NOT_FOUND,
               "--sass needs a disassembler: nvdisasm or cuobjdump were not "
               "found in CUDA_HOME/bin, PATH or /usr/local/cuda/bin; name one "
               "in RMSC_NVDISASM (the wheels nvidia-cuda-nvdisasm and "
               "nvidia-cuda-cuobjdump hold them)");
}

Error printSass(const Package &package, const Kernel &kernel) {
  std::set<std::string> seen;
  for (const Variant &v : kernel.variants) {
    if (!seen.insert(v.image.file).second)
      continue;
    std::printf("\n-- %s %s (%s)\n", kernel.name.c_str(), v.name.c_str(),
                v.chip.name.c_str());
    if (v.image.format == ImageFormat::Ptx) {
      std::printf("%s\n", package.image(v.image).c_str());
      continue;
    }
    if (Error error = disassemble(package.image(v.image)))
      return error;
  }
  return {};
}

} // namespace

Error runInfo(const Options &options) {
  for (const std::string &path : options.packages) {
    Package package;
    if (Error error = Package::openFile(path, package))
      return error;
    const Manifest &manifest = package.manifest();
    if (!options.kernel.empty() && !manifest.find(options.kernel))
      return Error(RMSRT_NOT_FOUND,
                   path + ": holds no kernel \"" + options.kernel + "\"");
    std::printf(
        "%s: %zu kernel%s, by %s %s (LLVM %s, ptxas %s)\n", path.c_str(),
        manifest.kernels.size(), manifest.kernels.size() == 1 ? "" : "s",
        manifest.compiler.name.c_str(), manifest.compiler.version.c_str(),
        manifest.compiler.llvm.c_str(), manifest.compiler.ptxas.c_str());
    for (const Kernel &kernel : manifest.kernels) {
      if (!options.kernel.empty() && kernel.name != options.kernel)
        continue;
      std::printf("\nkernel %s: %s\n", kernel.name.c_str(),
                  describe(kernel).c_str());
      printAbi(kernel);
      printVariants(kernel);
      if (options.sass)
        if (Error error = printSass(package, kernel))
          return error;
    }
  }
  return {};
}

} // namespace rms_run
