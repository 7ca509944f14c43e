//===-- Ptxas.cpp - finding and calling ptxas -------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rmsc/Compiler/Ptxas.h"
#include "Error.h"
#include "Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>
#include <map>
#include <mutex>

using namespace llvm;
using namespace rmsc;

static constexpr StringLiteral installHint =
    "install the CUDA toolkit, or run scripts/setup, or set RMSC_PTXAS to the "
    "program";

const PtxasEntry *PtxasReport::find(StringRef name) const {
  auto it = llvm::find_if(
      entries, [&](const PtxasEntry &entry) { return entry.name == name; });
  return it == entries.end() ? nullptr : &*it;
}

int rmsc::maxPtxOfRelease(int major, int minor) {
  // From the PTX ISA's release notes. A newer CUDA still reads what the newest
  // one of this table reads.
  static constexpr struct {
    int major, minor, ptx;
  } releases[] = {{13, 1, 91}, {13, 0, 90}, {12, 9, 88}, {12, 8, 87},
                  {12, 7, 86}, {12, 5, 85}, {12, 4, 84}, {12, 3, 83},
                  {12, 2, 82}, {12, 1, 81}, {12, 0, 80}, {11, 8, 78}};
  for (const auto &release : releases)
    if (std::make_pair(major, minor) >=
        std::make_pair(release.major, release.minor))
      return release.ptx;
  return 0;
}

/// Asks a program for its version.
static Expected<Ptxas> queryVersion(StringRef path) {
  Expected<ProcessResult> result = runProcess({path.str(), "--version"}, {});
  if (!result)
    return result.takeError();
  SmallVector<StringRef> match;
  if (result->exitStatus != 0 ||
      !Regex("release ([0-9]+)\\.([0-9]+), V([0-9.]+)")
           .match(result->standardOutput, &match))
    return makeError(Twine("'") + path +
                     "' does not answer --version like a ptxas; " +
                     installHint);
  Ptxas ptxas;
  ptxas.path = path.str();
  ptxas.version = match[3].str();
  int major = 0, minor = 0;
  match[1].getAsInteger(10, major);
  match[2].getAsInteger(10, minor);
  ptxas.maxPtx = maxPtxOfRelease(major, minor);
  if (ptxas.maxPtx == 0)
    return makeError(Twine("'") + path + "' is ptxas " + ptxas.version +
                     ", which is too old for every chip that rmsc knows; " +
                     "install CUDA 11.8 or newer, or set RMSC_PTXAS to a "
                     "newer ptxas");
  return ptxas;
}

static Expected<Ptxas> queryVersionOnce(StringRef path) {
  // Starting ptxas costs milliseconds, and a process may compile many programs.
  static std::mutex mutex;
  static std::map<std::string, Ptxas> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = known.find(path.str());
  if (it != known.end() && sys::fs::can_execute(path))
    return it->second;
  Expected<Ptxas> ptxas = queryVersion(path);
  if (ptxas)
    known[path.str()] = *ptxas;
  return ptxas;
}

Expected<Ptxas> rmsc::findPtxas(StringRef path) {
  auto queryNamed = [](StringRef named, StringRef by) -> Expected<Ptxas> {
    if (!sys::fs::exists(named))
      return makeError(by + " names '" + named + "', which does not exist; " +
                       "correct it, or leave it out to have ptxas looked for");
    if (!sys::fs::can_execute(named))
      return makeError(by + " names '" + named +
                       "', which is no program that " +
                       "can be run; name the ptxas program itself");
    return queryVersionOnce(named);
  };
  if (!path.empty())
    return queryNamed(path, "the ptxas option");
  if (const char *named = std::getenv("RMSC_PTXAS"); named && *named)
    return queryNamed(named, "RMSC_PTXAS");

  std::vector<std::string> tried = {"PATH"};
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    return queryVersionOnce(*found);
  SmallVector<SmallString<128>> folders;
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    sys::path::append(folders.emplace_back(home), "bin");
  else
    tried.push_back("CUDA_HOME (not set)");
  folders.emplace_back(RMSC_TOOLS_DIR);
  for (SmallString<128> &folder : folders) {
    tried.push_back(folder.str().str());
    sys::path::append(folder, "ptxas");
    if (sys::fs::can_execute(folder))
      return queryVersionOnce(folder);
  }
  return makeError(Twine("ptxas was not found in ") + llvm::join(tried, ", ") +
                   "; " + installHint +
                   "; PTX can be written without it (--emit=ptx)");
}

Expected<PtxasReport> rmsc::parsePtxasReport(StringRef text) {
  PtxasReport report;
  // Lines of one entry point follow each other. Functions that are no entry
  // points have properties too, under another name, and are passed over.
  Regex start("Compiling entry function '([^']+)'");
  Regex properties("Function properties for '?([^' ]+)'?");
  Regex stack("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
              "([0-9]+) bytes spill loads");
  Regex used("Used ([0-9]+) registers");
  Regex shared("([0-9]+) bytes smem");
  bool ours = false, haveStack = true, haveRegisters = true;
  auto complete = [&] { return haveStack && haveRegisters; };
  auto number = [](StringRef digits) {
    int64_t value = 0;
    digits.getAsInteger(10, value);
    return value;
  };
  SmallVector<StringRef> lines, match;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    if (start.match(line, &match)) {
      if (!complete())
        break;
      report.entries.emplace_back().name = match[1].str();
      ours = haveStack = haveRegisters = false;
    } else if (properties.match(line, &match)) {
      ours = !report.entries.empty() && match[1] == report.entries.back().name;
    } else if (stack.match(line, &match) && ours) {
      PtxasEntry &entry = report.entries.back();
      entry.stack = number(match[1]);
      entry.spillStores = number(match[2]);
      entry.spillLoads = number(match[3]);
      haveStack = true;
    } else if (used.match(line, &match) && !haveRegisters) {
      PtxasEntry &entry = report.entries.back();
      entry.registers = number(match[1]);
      if (shared.match(line, &match))
        entry.shared = number(match[1]);
      haveRegisters = true;
    }
  }
  if (!complete() || report.entries.empty())
    return makeError("ptxas -v gave no registers and stack frame for " +
                     (report.entries.empty()
                          ? std::string("any entry point")
                          : "'" + report.entries.back().name + "'") +
                     "; it said: " + text.trim());
  return report;
}

Expected<PtxasOutput> rmsc::assemble(const Ptxas &ptxas, StringRef ptx,
                                     StringRef chip, StringRef what) {
  ProcessFiles files;
  files.input = ptx;
  // The kernels' fused multiply-adds are written as such; ptxas makes no
  // others, so that every back end gives the same bits.
  Expected<ProcessResult> result =
      runProcess({ptxas.path, "-v", "-fmad=false", ("-arch=" + chip).str(),
                  ProcessFiles::inputPath, "-o", ProcessFiles::outputPath},
                 files);
  if (!result)
    return joinContext(result.takeError(), what);
  if (result->exitStatus != 0) {
    std::string said = result->standardError;
    size_t at;
    while ((at = said.find(ProcessFiles::inputPath)) != std::string::npos)
      said.replace(at, StringRef(ProcessFiles::inputPath).size(), "PTX");
    return makeError(what + ": ptxas " + ptxas.version +
                     " refused the PTX for " + chip + ": " +
                     StringRef(said).trim() + "; see the PTX with --emit=ptx");
  }
  Expected<PtxasReport> report = parsePtxasReport(result->standardError);
  if (!report)
    return joinContext(report.takeError(), what);
  if (result->output.empty())
    return makeError(what + ": ptxas " + ptxas.version +
                     " reported success and wrote no code");
  return PtxasOutput{std::move(result->output), std::move(*report)};
}

Error rmsc::checkPtx(StringRef ptx, StringRef what) {
  // A function that is called and not held is declared `.extern .func`; its
  // name stands before the parenthesis of its parameters, which may be on the
  // line of the declaration or after a parenthesized result.
  Regex name("([A-Za-z_$][A-Za-z0-9_$]*)[ \t\r\n]*(\\(|;|$)");
  std::vector<std::string> symbols;
  StringRef rest = ptx;
  while (true) {
    size_t at = rest.find(".extern .func");
    if (at == StringRef::npos)
      break;
    rest = rest.drop_front(at + StringRef(".extern .func").size());
    StringRef declaration = rest.ltrim();
    if (declaration.consume_front("("))
      declaration = declaration.drop_front(declaration.find(')') + 1).ltrim();
    SmallVector<StringRef> match;
    if (name.match(declaration.take_until([](char c) { return c == '\n'; }),
                   &match))
      symbols.push_back("'" + match[1].str() + "'");
  }
  if (symbols.empty())
    return Error::success();
  bool libdevice = llvm::any_of(
      symbols, [](StringRef symbol) { return symbol.starts_with("'__nv_"); });
  return makeError(
      what + ": the PTX calls " + llvm::join(symbols, ", ") +
      " and holds no such function; " +
      (libdevice
           ? "__nv_ functions belong to CUDA's libdevice, which rmsc does not "
             "link: this operation has to be lowered to an NVVM intrinsic"
           : "every function that a kernel calls has to be lowered into it"));
}
