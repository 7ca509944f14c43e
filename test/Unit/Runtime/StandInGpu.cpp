//===-- StandInGpu.cpp - The stand-in driver's GPU ------------------------===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What rms-run uses of the driver and of CUPTI beyond the runtime: host memory
// for device memory, and for kernels a few lines of C++ that compute the tests'
// packages (entries "forward_h<hidden size>_..." and "floor_h..."), at once or
// when a captured graph is replayed. RMSRT_STANDIN_FAULT makes them go wrong in
// the way it names. Time is made up: a launch takes as long as its entry says.
//
//===----------------------------------------------------------------------===//

#include "StandInGpu.h"

#include "Gpu.h"
#include "rmscheck/Numbers.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace rmsrt::cuda;
using rmscheck::Dtype;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Launch {
  std::string entry;
  std::vector<uint64_t> arguments;
};

struct GraphContents {
  std::vector<Launch> launches;
};

struct KernelTime {
  uint64_t start, end;
};

bool capturing;
GraphContents captured;
bool recording;
std::vector<KernelTime> times;
uint64_t clockNs = 1000;
int launchCount;
// What makes a launch fast that must not be: buffers of the launch before, and
// a cache that nothing has emptied since.
uint64_t lastOutput;
bool flushed, persistingReset;

bool faulty(const char *fault) {
  const char *named = std::getenv("RMSRT_STANDIN_FAULT");
  return named && std::string(named) == fault;
}

uint64_t duration(const std::string &entry) {
  if (entry.find("floor") != std::string::npos)
    return entry.find("slow") != std::string::npos ? 3000 : 2000;
  return entry.find("vec16") != std::string::npos ? 4000 : 8000;
}

struct Matrix {
  char *data;
  int64_t stride;
  float get(int64_t row, int64_t column) const {
    return rmscheck::loadElement(Dtype::BF16, data, row * stride + column);
  }
  void set(int64_t row, int64_t column, float value) const {
    rmscheck::storeElement(Dtype::BF16, data, row * stride + column, value);
  }
};

char *pointer(uint64_t value) { return reinterpret_cast<char *>(value); }

/// y = norm(x + residual) * weight with epsilon 1e-6.
void forward(const std::string &entry, const std::vector<uint64_t> &a,
             int64_t hidden) {
  const int64_t rows = int64_t(a[4]);
  Matrix x{pointer(a[0]), int64_t(a[5])};
  Matrix residual{pointer(a[1]), int64_t(a[6])};
  Matrix weight{pointer(a[2]), hidden}, y{pointer(a[3]), int64_t(a[7])};
  if (faulty("skip") ||
      (faulty("skip-elem") && entry.find("elem") != std::string::npos))
    return;
  std::vector<float> s(static_cast<size_t>(hidden));
  for (int64_t row = 0; row < rows; ++row) {
    float squares = 0;
    for (int64_t j = 0; j < hidden; ++j) {
      s[size_t(j)] = x.get(row, j) + residual.get(row, j);
      squares += s[size_t(j)] * s[size_t(j)];
    }
    const float rstd = 1 / std::sqrt(squares / float(hidden) + 1e-6f);
    for (int64_t j = 0; j < hidden; ++j)
      y.set(row, j, s[size_t(j)] * rstd * weight.get(0, j));
  }
  if (rows == 0)
    return;
  if (faulty("wrong"))
    y.set(rows - 1, 3, y.get(rows - 1, 3) + 1);
  if (faulty("input"))
    residual.set(0, 0, 7);
  if (faulty("outside"))
    y.set(rows - 1, hidden, 1);
  // One unit in the last place, which is within the bound.
  if (faulty("nondeterministic") && launchCount % 2 == 0) {
    uint16_t bits;
    std::memcpy(&bits, y.data, 2);
    ++bits;
    std::memcpy(y.data, &bits, 2);
  }
}

void floorCopy(const std::vector<uint64_t> &a, int64_t hidden) {
  const int64_t rows = int64_t(a[3]);
  Matrix x{pointer(a[0]), int64_t(a[4])}, y{pointer(a[2]), int64_t(a[6])};
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t j = 0; j < hidden; ++j)
      y.set(row, j, x.get(row, j));
}

void execute(const Launch &launch) {
  ++launchCount;
  const size_t h = launch.entry.find("_h");
  const int64_t hidden = std::atoll(launch.entry.c_str() + h + 2);
  if (launch.entry.find("floor_h") != std::string::npos)
    floorCopy(launch.arguments, hidden);
  else
    forward(launch.entry, launch.arguments, hidden);
  uint64_t took = duration(launch.entry);
  const bool second = launch.entry.find("second") != std::string::npos;
  const uint64_t output = launch.arguments[launch.arguments.size() > 8 ? 3 : 2];
  if (!second && (output == lastOutput || !flushed || !persistingReset))
    took -= 1000;
  lastOutput = output;
  flushed = persistingReset = false;
  clockNs += 500;
  if (recording)
    times.push_back({clockNs, clockNs + took});
  clockNs += took;
}

} // namespace

bool standin::computes() { return std::getenv("RMSRT_STANDIN_COMPUTE"); }

bool standin::isCapturing() { return capturing; }

void standin::compute(const std::string &entry, void **parameters) {
  Launch launch;
  launch.entry = entry;
  const bool isFloor = entry.find("floor_h") != std::string::npos;
  for (int i = 0; i < (isFloor ? 8 : 9); ++i)
    launch.arguments.push_back(*static_cast<uint64_t *>(parameters[i]));
  if (capturing)
    captured.launches.push_back(launch);
  else
    execute(launch);
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

EXPORT Result cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
EXPORT Result cuDeviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT Result cuDeviceGetName(char *name, int length, Device) {
  const char *named = std::getenv("RMSRT_STANDIN_NAME");
  std::snprintf(name, size_t(length), "%s", named ? named : "Stand-in GPU");
  return 0;
}
EXPORT void standinSetCurrent(int context);
EXPORT Result cuDevicePrimaryCtxRetain(Context *context, Device) {
  *context = reinterpret_cast<Context>(uintptr_t(1));
  return 0;
}
EXPORT Result cuDevicePrimaryCtxRelease_v2(Device) { return 0; }
EXPORT Result cuCtxSetCurrent(Context context) {
  standinSetCurrent(int(reinterpret_cast<uintptr_t>(context)));
  return 0;
}
EXPORT Result cuCtxSynchronize() { return 0; }
EXPORT Result cuCtxResetPersistingL2Cache() {
  persistingReset = true;
  return 0;
}
EXPORT Result cuMemAlloc_v2(DevicePtr *memory, size_t bytes) {
  *memory = reinterpret_cast<uintptr_t>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return *memory ? 0 : 2;
}
EXPORT Result cuMemFree_v2(DevicePtr memory) {
  std::free(pointer(memory));
  return 0;
}
EXPORT Result cuMemcpyHtoD_v2(DevicePtr to, const void *from, size_t bytes) {
  std::memcpy(pointer(to), from, bytes);
  return 0;
}
EXPORT Result cuMemcpyDtoH_v2(void *to, DevicePtr from, size_t bytes) {
  std::memcpy(to, pointer(from), bytes);
  return 0;
}
EXPORT Result cuMemcpyDtoD_v2(DevicePtr to, DevicePtr from, size_t bytes) {
  std::memcpy(pointer(to), pointer(from), bytes);
  return 0;
}
EXPORT Result cuMemsetD8Async(DevicePtr to, unsigned char value, size_t bytes,
                              Stream) {
  std::memset(pointer(to), value, bytes);
  flushed = bytes >= 2 * 1024; // Twice the L2 cache.
  return 0;
}
EXPORT Result cuStreamCreate(Stream *stream, unsigned) {
  static uintptr_t count;
  *stream = reinterpret_cast<Stream>(1000 + 3 + ++count);
  return 0;
}
EXPORT Result cuStreamDestroy_v2(Stream) { return 0; }
EXPORT Result cuStreamSynchronize(Stream) { return 0; }
EXPORT Result cuStreamBeginCapture_v2(Stream, int) {
  capturing = true;
  captured.launches.clear();
  return 0;
}
EXPORT Result cuStreamEndCapture(Stream, Graph *graph) {
  capturing = false;
  *graph = reinterpret_cast<Graph>(&captured);
  return 0;
}
EXPORT Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph,
                                          unsigned long long) {
  *exec = reinterpret_cast<GraphExec>(graph);
  return 0;
}
EXPORT Result cuGraphLaunch(GraphExec exec, Stream) {
  if (faulty("graph"))
    return 0;
  for (const Launch &launch : reinterpret_cast<GraphContents *>(exec)->launches)
    execute(launch);
  return 0;
}
EXPORT Result cuGraphExecDestroy(GraphExec) { return 0; }
EXPORT Result cuGraphDestroy(Graph) { return 0; }
EXPORT Result cuEventCreate(Event *event, unsigned) {
  *event = reinterpret_cast<Event>(new uint64_t(0));
  return 0;
}
EXPORT Result cuEventDestroy_v2(Event event) {
  delete reinterpret_cast<uint64_t *>(event);
  return 0;
}
EXPORT Result cuEventRecord(Event event, Stream) {
  *reinterpret_cast<uint64_t *>(event) = clockNs;
  return 0;
}
EXPORT Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  *milliseconds = float(*reinterpret_cast<uint64_t *>(end) -
                        *reinterpret_cast<uint64_t *>(start)) /
                  1e6f;
  return 0;
}

//===----------------------------------------------------------------------===//
// CUPTI
//===----------------------------------------------------------------------===//

namespace {

/// As long as CUDA 13's record, of which we fill the beginning.
struct ActivityRecord {
  uint32_t kind = 10, other[3] = {};
  uint64_t start = 0, end = 0;
  char more[200] = {};
};

void (*requestBuffer)(uint8_t **, size_t *, size_t *);
void (*completeBuffer)(void *, uint32_t, uint8_t *, size_t, size_t);

} // namespace

EXPORT int cuptiActivityRegisterCallbacks(
    void (*requested)(uint8_t **, size_t *, size_t *),
    void (*completed)(void *, uint32_t, uint8_t *, size_t, size_t)) {
  requestBuffer = requested;
  completeBuffer = completed;
  return 0;
}
EXPORT int cuptiActivityEnable(int kind) {
  recording = kind == 10;
  times.clear();
  return 0;
}
EXPORT int cuptiActivityDisable(int) {
  recording = false;
  return 0;
}
EXPORT int cuptiActivityFlushAll(uint32_t) {
  // Small buffers, handed back out of order, as CUPTI may.
  const size_t perBuffer = 3;
  for (size_t end = times.size(); end > 0;) {
    const size_t begin = end > perBuffer ? end - perBuffer : 0;
    uint8_t *buffer = nullptr;
    size_t bytes = 0, most = 0;
    requestBuffer(&buffer, &bytes, &most);
    for (size_t i = begin; i < end; ++i) {
      ActivityRecord record;
      record.start = times[i].start;
      record.end = times[i].end;
      std::memcpy(buffer + (i - begin) * sizeof(record), &record,
                  sizeof(record));
    }
    completeBuffer(nullptr, 0, buffer, bytes,
                   (end - begin) * sizeof(ActivityRecord));
    end = begin;
  }
  times.clear();
  return 0;
}
EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes,
                                      void **record) {
  uint8_t *next = *record
                      ? static_cast<uint8_t *>(*record) + sizeof(ActivityRecord)
                      : buffer;
  if (next >= buffer + bytes)
    return 12; // CUPTI_ERROR_MAX_LIMIT_REACHED
  *record = next;
  return 0;
}
EXPORT int cuptiActivityGetNumDroppedRecords(void *, uint32_t,
                                             size_t *dropped) {
  *dropped = faulty("dropped") ? 5 : 0;
  return 0;
}
EXPORT int cuptiGetResultString(int, const char **text) {
  *text = "a CUPTI error";
  return 0;
}
