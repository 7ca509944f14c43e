//===-- ToolTest.cpp - rms-run on a stand-in GPU --------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace support;

namespace {

struct Result {
  int status;
  std::string output;

  bool has(const std::string &text) const {
    return output.find(text) != std::string::npos;
  }
};

int count(const std::string &text, const std::string &part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++n;
  return n;
}

/// A package that the stand-in GPU can run: a forward and its floor.
json runnable(int64_t hidden) {
  json kernel = forwardKernel();
  kernel["hidden_size"] = hidden;
  for (json &v : kernel["variants"])
    v["launches"][0]["entry"] = "forward_h" + std::to_string(hidden) + "_" +
                                v["name"].get<std::string>();
  json floor = forwardKernel();
  floor["name"] = "forward_floor";
  floor["hidden_size"] = hidden;
  floor["operation"] = {{"kind", "copy"}, {"floor_of", "forward"}};
  floor["parameters"].erase(2);
  floor["parameters"][0].erase("may_alias");
  floor["variants"] = json::array();
  for (const char *name : {"slow", "fast"}) {
    json v = variant(floor, name, "sm_90", false);
    v["launches"][0]["entry"] = "floor_h" + std::to_string(hidden) + "_" + name;
    floor["variants"].push_back(v);
  }
  return document({kernel, floor});
}

class ToolTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("RMSRT_CUDA_DRIVER", RMSRT_STANDIN, 1);
    setenv("RMSRT_CUPTI", RMSRT_STANDIN, 1);
    setenv("RMSRT_STANDIN_COMPUTE", "1", 1);
    unsetenv("RMSRT_STANDIN_FAULT");
    // Tests of one binary may run at once, each in a process of its own.
    folder = ::testing::TempDir() + "rms-run-test-XXXXXX";
    ASSERT_TRUE(mkdtemp(&folder[0]));
    package = write("k.rmspkg", support::package(runnable(8)));
  }
  void TearDown() override {
    unsetenv("RMSRT_STANDIN_COMPUTE");
    unsetenv("RMSRT_STANDIN_FAULT");
    EXPECT_EQ(std::system(("rm -r " + folder).c_str()), 0);
  }

  std::string write(const std::string &name, const std::string &bytes) {
    std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  Result run(const std::string &arguments) {
    return command(std::string(RMS_RUN) + " " + arguments);
  }
  Result command(const std::string &line) {
    std::FILE *pipe = popen((line + " 2>&1").c_str(), "r");
    Result result;
    char buffer[4096];
    while (size_t got = std::fread(buffer, 1, sizeof(buffer), pipe))
      result.output.append(buffer, got);
    int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
  }
  Result withFault(const std::string &fault, const std::string &arguments) {
    setenv("RMSRT_STANDIN_FAULT", fault.c_str(), 1);
    Result result = run(arguments);
    unsetenv("RMSRT_STANDIN_FAULT");
    return result;
  }

  json read(const std::string &name) {
    std::ifstream file(folder + "/" + name);
    return json::parse(file, nullptr, false);
  }

  std::string folder, package;
};

} // namespace

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

TEST_F(ToolTest, MistakesAreOneMessage) {
  const std::pair<std::string, const char *> mistakes[] = {
      {"fly", "\"fly\" is not a command of rms-run; use info, check, bench"},
      {"info", "no package given; pass a .rmspkg file"},
      {"check " + package + " --speed=9", "--speed is not an option"},
      {"check " + package + " --rows=5,x", "--rows is \"x\", not a number"},
      {"check " + package + " --rows=-1",
       "--rows is \"-1\", not a number from 0"},
      {"check " + package + " --rows=", "--rows needs a value"},
      {"check " + package + " --seed", "--seed needs a value"},
      {"check " + package + " --graph=1", "--graph takes no value"},
      {"check " + package + " --streams=3", "--streams is \"3\", not a number"},
      {"check " + package + " --suite=none",
       "the suites are forward and backward"},
      {"check " + package + " --suite=forward",
       "no kernel of the package computes"},
      {"check " + package + " --kernel=none",
       "--kernel=none: the package holds forward, forward_floor"},
      {"check " + package + " --variant=none --rows=1",
       "has no variant \"none\" for this chip; it has vec16, elem"},
      {"check " + package + " --device=1", "this machine has 1 GPUs"},
      {"bench " + package + " --rows=0", "--rows=0 launches nothing"},
      {"bench " + package + " --rows=3,0", "--rows=0 launches nothing"},
      {"tune " + package + " --rows=0 --output=" + folder + "/t.json",
       "--rows=0 launches nothing"},
      {"bench " + package + " --runs=0",
       "--runs is \"0\", not a number from 1"},
      {"bench " + package + " --calls=0",
       "--calls is \"0\", not a number from 1"},
      {"bench " + package + " --runs=99999999999999999999",
       "--runs is \"99999999999999999999\", not a number"},
      {"bench " + package + " --rows=2147483648",
       "not a number from 0 to 2147483647"},
      {"bench " + package + " --rows=1,", "--rows is \"\", not a number"},
      {"bench " + package + " --suite=sideways",
       "the suites are forward and backward"},
      {"bench " + package + " --suite=forward --rows=6,12",
       "--rows=12: the forward suite has no such case; it has 1, 6, 34"},
      {"check " + package + " -v", "-v is not an option of rms-run"},
      // What a command does not heed it does not take.
      {"info " + package + " --rows=1", "--rows is not an option of info"},
      {"info " + package + " --seed=1", "--seed is not an option of info"},
      {"check " + package + " --runs=2", "--runs is not an option of check"},
      {"check " + package + " --sass", "--sass is not an option of check"},
      {"bench " + package + " --in-place",
       "--in-place is not an option of bench"},
      {"bench " + package + " --stride=1",
       "--stride is not an option of bench"},
      {"tune " + package + " --output=" + folder + "/t.json --json=" + folder +
           "/j.json",
       "--json is not an option of tune"},
      {"tune " + package + " --output=", "--output needs a value"},
      {"tune " + package, "tune needs --output=FILE"},
      {"info " + folder + "/none.rmspkg", "No such file or directory"},
      {"info " + package + " --kernel=none", "holds no kernel \"none\""},
  };
  for (const auto &[arguments, message] : mistakes) {
    Result r = run(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_TRUE(r.has(message)) << arguments << ": " << r.output;
    EXPECT_EQ(count(r.output, "error: "), 1) << r.output;
  }
  EXPECT_EQ(command("ls -A " + folder).output, "k.rmspkg\n");
}

/// Nothing runs that could not be kept.
TEST_F(ToolTest, WhereNothingCanBeWrittenNothingRuns) {
  for (const std::string &where :
       {"check " + package + " --json=", "bench " + package + " --json=",
        "tune " + package + " -o "})
    for (const auto &[place, reason] :
         {std::pair<std::string, const char *>{folder + "/no/file",
                                               "No such file or directory"},
          {folder, "Is a directory"},
          {package + "/file", "Not a directory"}}) {
      Result r = run(where + place);
      EXPECT_EQ(r.status, 2) << r.output;
      EXPECT_EQ(r.output, "rms-run: error: " + place + ": cannot be written (" +
                              reason +
                              "); check the folder, its rights and its free "
                              "space\n");
    }
  // A run that fails leaves what was there before.
  std::string old = write("old.json", "{\"old\": 1}");
  Result r = withFault("wrong", "bench " + package + " --rows=3 --json=" + old);
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_EQ(read("old.json"), (json{{"old", 1}}));
  EXPECT_EQ(command("ls -A " + folder).output, "k.rmspkg\nold.json\n");
}

/// A device is written to, and not replaced by a file.
TEST_F(ToolTest, ADeviceStaysOne) {
  std::string link = folder + "/null";
  ASSERT_EQ(symlink("/dev/null", link.c_str()), 0);
  Result r = run("bench " + package + " --rows=3 --json=" + link);
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(command("readlink " + link).output, "/dev/null\n");
  r = command(std::string(RMS_RUN) + " bench " + package +
              " --rows=3 --json=/dev/stdout | cat");
  EXPECT_TRUE(r.has("\"geomean_us\": 4.0")) << r.output;
}

/// Linux would end the process without a word.
TEST_F(ToolTest, MoreRowsThanTheMachineHolds) {
  std::string path = write("wide.rmspkg", support::package(runnable(65536)));
  for (const std::string &command :
       {"check " + path, "bench " + path, "tune " + path + " -o t.json"}) {
    Result r = run(command + " --rows=1,2147483647");
    EXPECT_EQ(r.status, 2) << r.output;
    EXPECT_TRUE(r.has("rms-run: error: forward: 2147483647 rows take 844424."))
        << r.output;
    EXPECT_TRUE(r.has(" GB; use fewer --rows\n")) << r.output;
    EXPECT_FALSE(r.has("Stand-in GPU")) << r.output;
  }
}

TEST_F(ToolTest, DamagedPackagesAreSeenBeforeTheGpu) {
  std::string whole = support::package(runnable(8)), flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  write("short.rmspkg", whole.substr(0, whole.size() / 2));
  write("flipped.rmspkg", flipped);
  write("empty.rmspkg", "");
  for (const char *name : {"short", "flipped", "empty"})
    for (const std::string &command :
         {std::string("bench "), "tune -o " + folder + "/t.json "}) {
      // The second of two: the first is not measured either.
      Result r = run(command + package + " " + folder + "/" + name + ".rmspkg");
      EXPECT_EQ(r.status, 2) << r.output;
      EXPECT_EQ(count(r.output, "error: "), 1) << r.output;
      EXPECT_TRUE(r.has(std::string(name) + ".rmspkg: ")) << r.output;
      EXPECT_FALSE(r.has("Stand-in GPU")) << r.output;
      EXPECT_FALSE(std::ifstream(folder + "/t.json").good());
    }
}

TEST_F(ToolTest, Help) {
  for (const char *arguments : {"", "--help", "help", "check --help"}) {
    Result r = run(arguments);
    EXPECT_EQ(r.status, 0);
    EXPECT_TRUE(r.has("usage: rms-run info")) << r.output;
  }
}

//===----------------------------------------------------------------------===//
// info
//===----------------------------------------------------------------------===//

TEST_F(ToolTest, InfoNeedsNoDriver) {
  setenv("RMSRT_CUDA_DRIVER", "/no/such/driver.so", 1);
  Result r = run("info " + package);
  EXPECT_EQ(r.status, 0);
  for (const char *text :
       {"2 kernels, by rmsc 0.1.0 (LLVM 22.1.8, ptxas 13.0.88)",
        "kernel forward: norm, hidden size 8, epsilon 1e-06",
        "kernel forward_floor: copy, hidden size 8, the floor of forward",
        "may be the buffer of y", "i64 rows, i64 stride of x",
        "sm_90  vec16    0+    16", "#row.schedule<elem>"})
    EXPECT_TRUE(r.has(text)) << text << "\n" << r.output;
  EXPECT_EQ(count(r.output, " \n"), 0) << "trailing blanks";
}

TEST_F(ToolTest, InfoShowsSeveralLaunches) {
  json kernel = backwardKernel();
  kernel["operation"]["weight_offset"] = 1.0;
  std::string path = write("b.rmspkg", support::package(document({kernel})));
  Result r = run("info " + path);
  for (const char *text :
       {"norm_backward, hidden size 8, weight offset 1", "never read",
        "min(rows/2, 4)", "<=384", "1 dependent"})
    EXPECT_TRUE(r.has(text)) << text << "\n" << r.output;
}

TEST_F(ToolTest, InfoShowsTheCtasOfARow) {
  json kernel = forwardKernel();
  kernel["variants"][0]["launches"][0]["ctas_per_row"] = 2;
  Result r =
      run("info " + write("c.rmspkg", support::package(document({kernel}))));
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(r.has("rows * 2 ")) << r.output;
  EXPECT_EQ(count(r.output, "rows * "), 1) << r.output;
}

//===----------------------------------------------------------------------===//
// check
//===----------------------------------------------------------------------===//

TEST_F(ToolTest, ARightKernelPasses) {
  Result r = run("check " + package +
                 " --repeat --graph --streams=2 --digest --dependent --json=" +
                 folder + "/c.json");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(count(r.output, "PASS forward rows="), 5) << r.output;
  EXPECT_TRUE(r.has("5 passed, 0 failed"));
  EXPECT_EQ(count(r.output, "digest forward rows="), 5);
  EXPECT_TRUE(r.has("Stand-in GPU"));
  json document = read("c.json");
  EXPECT_EQ(document["passed"], 5);
  EXPECT_EQ(document["gpu"], "Stand-in GPU");
  ASSERT_EQ(document["cases"].size(), 5u);
  EXPECT_EQ(document["cases"][1]["rows"], 1);
  EXPECT_EQ(document["cases"][1]["variant"], "vec16");
  EXPECT_EQ(document["cases"][1]["outputs"][0]["name"], "y");
  EXPECT_EQ(
      document["cases"][1]["outputs"][0]["sha256"].get<std::string>().size(),
      64u);
}

TEST_F(ToolTest, LayoutsChangeTheVariantAndNotTheResult) {
  const std::string rows = "check " + package + " --rows=5 --digest ";
  const auto digest = [&](const std::string &options) {
    Result r = run(rows + options);
    EXPECT_EQ(r.status, 0) << r.output;
    size_t at = r.output.find(" y ", r.output.find("digest"));
    return at == std::string::npos ? r.output : r.output.substr(at + 3, 64);
  };
  const std::string plain = digest("");
  EXPECT_EQ(digest("--misalign=1"), plain);
  EXPECT_EQ(digest("--stride=3"), plain);
  EXPECT_EQ(digest("--in-place"), plain);
  EXPECT_EQ(digest("--variant=elem"), plain);
  EXPECT_EQ(digest("--batch-invariant"), plain);
  EXPECT_NE(digest("--seed=2"), plain);
  EXPECT_TRUE(run(rows + "--misalign=1").has("misalign=1 variant=elem"));
  EXPECT_TRUE(run(rows + "--stride=3").has("stride=+3 variant=elem"));
  EXPECT_TRUE(run(rows + "--in-place").has("in-place variant=vec16"));
}

TEST_F(ToolTest, AllVariants) {
  Result r = run("check " + package + " --rows=5 --variant=all --misalign=1");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(r.has("SKIP forward rows=5 seed=1 misalign=1 variant=vec16"));
  EXPECT_TRUE(r.has("PASS forward rows=5 seed=1 misalign=1 variant=elem"));
  EXPECT_TRUE(r.has("1 passed, 0 failed"));
}

TEST_F(ToolTest, EveryFaultFails) {
  const std::tuple<const char *, const char *, const char *> faults[] = {
      {"skip", "", "40 of 40 elements were never written"},
      {"wrong", "", "1 of 40 elements beyond the bound, worst at [4, 3]"},
      {"input", "", "input residual was written to"},
      {"outside", "", "2 bytes outside the tensor were written"},
      {"nondeterministic", "--repeat", "a second run gave other bits"},
      {"nondeterministic", "--streams=2",
       "beside another call gave other bits"},
      {"graph", "--graph", "a replayed graph gave other bits"}};
  for (const auto &[fault, options, message] : faults) {
    Result r = withFault(fault, "check " + package + " --rows=5 " + options);
    EXPECT_EQ(r.status, 1) << fault << ": " << r.output;
    EXPECT_TRUE(r.has("FAIL forward rows=5")) << r.output;
    EXPECT_TRUE(r.has(message)) << fault << ": " << r.output;
    EXPECT_TRUE(r.has("0 passed, 1 failed"));
  }
}

TEST_F(ToolTest, Suites) {
  std::string path = write("s.rmspkg", support::package(runnable(2048)));
  Result r = run("check " + path + " --suite=forward --rows=1,6,79");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(count(r.output, "(100.00%)"), 3) << r.output;
}

TEST_F(ToolTest, SeveralPackages) {
  std::string other = write("s.rmspkg", support::package(runnable(100)));
  Result r = run("check " + package + " " + other + " --rows=2");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(r.has("2 passed, 0 failed"));
}

TEST_F(ToolTest, FloorsAreCheckedOnRequest) {
  Result r = run("check " + package +
                 " --kernel=forward_floor --variant=all --rows=3");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(
      r.has("PASS forward_floor rows=3 seed=1 variant=slow  y written"));
  EXPECT_TRUE(r.has("2 passed, 0 failed"));
}

//===----------------------------------------------------------------------===//
// bench and tune
//===----------------------------------------------------------------------===//

TEST_F(ToolTest, BenchMeasuresSpansBesideTheFloor) {
  Result r = run("bench " + package + " --rows=3,5 --runs=2 --json=" + folder +
                 "/b.json");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(r.has("clock: cupti"));
  EXPECT_TRUE(r.has("geometric mean of 2 cases: 4.000 us, floor 2.000 us, "
                    "ratio 2.0000"))
      << r.output;
  EXPECT_TRUE(r.has("host cost of a call of forward (1 launch)"));
  json document = read("b.json");
  for (const char *key : {"suite", "gpu", "date", "command", "geomean_us",
                          "floor_geomean_us", "cases", "driver"})
    EXPECT_TRUE(document.contains(key)) << key;
  EXPECT_EQ(document["geomean_us"], 4.0);
  EXPECT_EQ(document["floor_geomean_us"], 2.0);
  EXPECT_EQ(document["clock"], "cupti");
  EXPECT_EQ(document["runs"].size(), 2u);
  ASSERT_EQ(document["cases"].size(), 2u);
  const json &c = document["cases"][0];
  EXPECT_EQ(c["us"], 4.0);
  EXPECT_EQ(c["min_us"], 4.0);
  EXPECT_EQ(c["floor_variant"], "forward_floor/fast");
  EXPECT_EQ(c["percent_of_floor"], 50.0);
  EXPECT_EQ(c["buffer_sets"], 60);
  // x, residual and y of 3 rows, and the weight, of 8 bf16 each.
  EXPECT_EQ(c["bytes"], 160.0);
  EXPECT_EQ(c["gb_per_s"], 0.04);
}

/// The span of a call of two kernels holds both and the gap between.
TEST_F(ToolTest, BenchOfTwoLaunches) {
  json whole = runnable(8);
  json &launches = whole["kernels"][0]["variants"][0]["launches"];
  launches.push_back(launches[0]);
  launches[1]["entry"] = "forward_h8_vec16_second";
  std::string path = write("two.rmspkg", support::package(whole));
  Result r = run("bench " + path + " --rows=3");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(r.has("geometric mean of 1 cases: 8.500 us, floor 2.000 us"))
      << r.output;
  EXPECT_TRUE(r.has("forward (2 launches)")) << r.output;
}

TEST_F(ToolTest, BenchWithoutCuptiSaysSo) {
  setenv("RMSRT_CUPTI", "/no/such/cupti.so", 1);
  Result r = run("bench " + package + " --rows=3");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(r.has("clock: events"));
  EXPECT_TRUE(r.has("note: no CUPTI (looked for /no/such/cupti.so)"));
  // The gap of half a microsecond ahead of the kernel counts here.
  EXPECT_TRUE(r.has("geometric mean of 1 cases: 4.500 us, floor 2.500 us"))
      << r.output;
}

TEST_F(ToolTest, NothingWrongIsTimed) {
  Result r = withFault("wrong", "bench " + package + " --rows=3");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(r.has("wrong results, so nothing is timed")) << r.output;
  EXPECT_FALSE(r.has("geometric mean"));
  r = withFault("dropped", "bench " + package + " --rows=3");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(r.has("CUPTI dropped")) << r.output;
}

TEST_F(ToolTest, BenchOfAllVariants) {
  Result r = run("bench " + package +
                 " --rows=3 --variant=all --json=" + folder + "/b.json");
  EXPECT_EQ(r.status, 0) << r.output;
  json document = read("b.json");
  ASSERT_EQ(document["cases"].size(), 2u);
  EXPECT_EQ(document["cases"][1]["variant"], "elem");
  EXPECT_EQ(document["cases"][1]["us"], 8.0);
  // The results of one variant do not hide that another writes none.
  r = withFault("skip-elem", "bench " + package + " --rows=3 --variant=all");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(r.has("24 of 24 elements were never written")) << r.output;
}

TEST_F(ToolTest, BenchOfASuite) {
  std::string path = write("s.rmspkg", support::package(runnable(2048)));
  Result r = run("bench " + path +
                 " --suite=forward --rows=1,6 --json=" + folder + "/b.json");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(read("b.json")["suite"], "forward");
  EXPECT_FALSE(r.has("score"));
  // The suite's score is for one GPU: 1 / (1 + (4 - 0.4) / (3.264 - 0.4)) and
  // likewise with 3.28 for six rows.
  setenv("RMSRT_STANDIN_NAME", "NVIDIA B200", 1);
  r = run("bench " + path + " --suite=forward --rows=1,6 --json=" + folder +
          "/b.json");
  unsetenv("RMSRT_STANDIN_NAME");
  EXPECT_TRUE(r.has("score of the suite: 0.444")) << r.output;
  EXPECT_NEAR(read("b.json")["score"].get<double>(), 0.4437, 1e-4);
}

TEST_F(ToolTest, TuneWritesATable) {
  Result r =
      run("tune " + package + " --rows=3,40 --output=" + folder + "/t.json");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(r.has("forward rows=3: best vec16, 4.000 us of 2 variants, floor "
                    "2.000 us"))
      << r.output;
  json table = read("t.json");
  EXPECT_EQ(table["format"], "rms-tuning");
  EXPECT_EQ(table["version"], 1);
  EXPECT_EQ(table["chip"], "sm_90");
  ASSERT_EQ(table["entries"].size(), 2u);
  const json &e = table["entries"][1];
  EXPECT_EQ(e["operation"], "norm");
  EXPECT_EQ(e["hidden_size"], 8);
  EXPECT_EQ(e["rows"], 40);
  EXPECT_EQ(e["floor_us"], 2.0);
  EXPECT_EQ(e["best"]["schedule"], "#row.schedule<vec16>");
  EXPECT_EQ(e["parameters"].size(), 4u);
  EXPECT_EQ(e["parameters"][3], (json{{"role", "y"},
                                      {"direction", "output"},
                                      {"kind", "rows"},
                                      {"dtype", "bf16"}}));
  ASSERT_EQ(e["variants"].size(), 2u);
  EXPECT_EQ(e["variants"][1]["us"], 8.0);
  EXPECT_EQ(e["variants"][1]["variant"], "elem");
  // What spills registers is none to choose.
  json spilling = runnable(8);
  spilling["kernels"][0]["variants"][0]["launches"][0]["spill_bytes"] = 8;
  std::string other = write("spilling.rmspkg", support::package(spilling));
  r = run("tune " + other + " --rows=3 --output=" + folder + "/s.json");
  EXPECT_EQ(r.status, 0) << r.output;
  table = read("s.json");
  ASSERT_EQ(table["entries"][0]["variants"].size(), 1u);
  EXPECT_EQ(table["entries"][0]["variants"][0]["variant"], "elem");
  // A wrong variant ends it, and no table is left.
  r = withFault("wrong",
                "tune " + package + " --rows=3 --output=" + folder + "/u.json");
  EXPECT_EQ(r.status, 2);
  EXPECT_FALSE(std::ifstream(folder + "/u.json").good());
}

//===----------------------------------------------------------------------===//
// examples/c
//===----------------------------------------------------------------------===//

TEST_F(ToolTest, TheExampleLaunches) {
  Result r = command(std::string(RMSRT_EXAMPLE) + " " + package + " 3");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(r.has("kernel forward, hidden size 8, rows 3")) << r.output;
  // x + residual = 2 everywhere, so its root mean square is 2.
  EXPECT_TRUE(r.has("y: 1 1 1 1")) << r.output;
  r = command(std::string(RMSRT_EXAMPLE) + " " + folder + "/none.rmspkg");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(r.has("launch: RMSRT_IO_ERROR: ")) << r.output;
  setenv("RMSRT_CUDA_DRIVER", "/no/such/driver.so", 1);
  r = command(std::string(RMSRT_EXAMPLE) + " " + package);
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(r.has("no CUDA driver")) << r.output;
}
