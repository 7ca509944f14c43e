/*===-- launch.c - Launches a kernel of a package from C
-------------------===*\
|*                                                                            *|
|* Part of the rmsc project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* usage: launch PACKAGE [ROWS]                                               *|
|*                                                                            *|
|* Opens the package, fills every input of its first kernel with ones, calls  *|
|* the kernel and prints the beginning of each output. A program that uses    *|
|* CUDA has device memory and a stream already; this one takes them from the  *|
|* driver itself, so that it needs no CUDA toolkit either.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "rmsrt/rmsrt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The few entries of the CUDA driver that manage memory. */
static struct {
  int (*init)(unsigned);
  int (*retain)(void **context, int device);
  int (*setCurrent)(void *context);
  int (*alloc)(unsigned long long *memory, size_t bytes);
  int (*toDevice)(unsigned long long to, const void *from, size_t bytes);
  int (*toHost)(void *to, unsigned long long from, size_t bytes);
  int (*free)(unsigned long long memory);
} cuda;

static int findEntry(void *library, const char *name, void *entry) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    return 0;
  /* ISO C has no conversion from a pointer to an object to one to a function.
   */
  memcpy(entry, &symbol, sizeof(symbol));
  return 1;
}

static int openDriver(void) {
  const char *named = getenv("RMSRT_CUDA_DRIVER");
  void *library = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
  void *context = NULL;
  if (!library || !findEntry(library, "cuInit", &cuda.init) ||
      !findEntry(library, "cuDevicePrimaryCtxRetain", &cuda.retain) ||
      !findEntry(library, "cuCtxSetCurrent", &cuda.setCurrent) ||
      !findEntry(library, "cuMemAlloc_v2", &cuda.alloc) ||
      !findEntry(library, "cuMemcpyHtoD_v2", &cuda.toDevice) ||
      !findEntry(library, "cuMemcpyDtoH_v2", &cuda.toHost) ||
      !findEntry(library, "cuMemFree_v2", &cuda.free))
    return 0;
  return !cuda.init(0) && !cuda.retain(&context, 0) &&
         !cuda.setCurrent(context);
}

/* Prints what went wrong and gives up: every message says what to do. */
static void check(RmsrtStatus status) {
  if (status == RMSRT_SUCCESS)
    return;
  fprintf(stderr, "launch: %s: %s\n", rmsrtStatusName(status),
          rmsrtLastError());
  exit(1);
}

static void checkCuda(int result, const char *what) {
  if (!result)
    return;
  fprintf(stderr, "launch: CUDA error %d while %s\n", result, what);
  exit(1);
}

static size_t elementBytes(const RmsrtParameter *p) {
  return p->dtype == RMSRT_F32 ? 4 : 2;
}

static size_t elementCount(const RmsrtParameter *p, int64_t rows,
                           int64_t hiddenSize) {
  if (p->kind == RMSRT_SCALARS)
    return (size_t)rows;
  return (size_t)(p->kind == RMSRT_ROWS ? rows * hiddenSize : hiddenSize);
}

static void fillWithOnes(void *values, const RmsrtParameter *p, size_t count) {
  const float one = 1.0f;
  const uint16_t half = p->dtype == RMSRT_BF16 ? 0x3f80 : 0x3c00;
  for (size_t i = 0; i < count; ++i) {
    if (p->dtype == RMSRT_F32)
      memcpy((char *)values + 4 * i, &one, 4);
    else
      memcpy((char *)values + 2 * i, &half, 2);
  }
}

static float bf16ToFloat(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static void printBeginning(const RmsrtParameter *p, const void *values,
                           size_t count) {
  printf("%s:", p->name);
  for (size_t i = 0; i < count && i < 4; ++i) {
    float value;
    uint16_t half;
    memcpy(&value, (const char *)values + (p->dtype == RMSRT_F32 ? 4 * i : 0),
           4);
    memcpy(&half, (const char *)values + 2 * i, 2);
    if (p->dtype == RMSRT_F16)
      printf(" 0x%04x", half);
    else
      printf(" %g", p->dtype == RMSRT_F32 ? value : bf16ToFloat(half));
  }
  printf("\n");
}

int main(int argc, char **argv) {
  RmsrtPackage package = NULL;
  RmsrtKernel kernel = NULL;
  if (argc < 2) {
    fprintf(stderr, "usage: launch PACKAGE [ROWS]\n");
    return 2;
  }
  const int64_t rows = argc > 2 ? atoll(argv[2]) : 4;

  check(rmsrtPackageOpenFile(argv[1], &package));
  check(rmsrtPackageGetKernel(package, 0, &kernel));
  const int64_t hiddenSize = rmsrtKernelHiddenSize(kernel);
  const size_t count = rmsrtKernelParameterCount(kernel);
  printf("kernel %s, hidden size %lld, rows %lld\n", rmsrtKernelName(kernel),
         (long long)hiddenSize, (long long)rows);
  size_t workspaceBytes = 0;
  check(rmsrtKernelWorkspaceBytes(kernel, rows, &workspaceBytes));

  if (!openDriver()) {
    fprintf(stderr, "launch: no CUDA driver, or no GPU, on this machine\n");
    return 1;
  }
  /* Loads the code now; from here on a launch only launches. */
  check(rmsrtKernelPrepare(kernel));

  RmsrtTensor *tensors = calloc(count, sizeof(*tensors));
  for (size_t i = 0; i < count; ++i) {
    RmsrtParameter p;
    check(rmsrtKernelParameter(kernel, i, &p));
    const size_t elements = elementCount(&p, rows, hiddenSize);
    const size_t bytes = elements * elementBytes(&p);
    unsigned long long memory = 0;
    checkCuda(cuda.alloc(&memory, bytes ? bytes : 1), "allocating a tensor");
    if (p.direction == RMSRT_INPUT) {
      void *values = malloc(bytes ? bytes : 1);
      fillWithOnes(values, &p, elements);
      checkCuda(cuda.toDevice(memory, values, bytes), "copying an input");
      free(values);
    }
    tensors[i].data = (void *)(uintptr_t)memory;
    /* A row stride of 0 means dense. */
  }
  unsigned long long workspace = 0;
  if (workspaceBytes)
    checkCuda(cuda.alloc(&workspace, workspaceBytes),
              "allocating the workspace");

  const RmsrtCall call = {.tensors = tensors,
                          .tensorCount = count,
                          .rows = rows,
                          .workspace = (void *)(uintptr_t)workspace,
                          .workspaceBytes = workspaceBytes,
                          .stream = NULL};
  check(rmsrtKernelLaunch(kernel, &call));

  for (size_t i = 0; i < count; ++i) {
    RmsrtParameter p;
    check(rmsrtKernelParameter(kernel, i, &p));
    const size_t elements = elementCount(&p, rows, hiddenSize);
    const size_t bytes = elements * elementBytes(&p);
    const unsigned long long memory = (uintptr_t)tensors[i].data;
    if (p.direction == RMSRT_OUTPUT) {
      void *values = calloc(bytes + 4, 1);
      /* Waits for the kernel: the copy is on the same default stream. */
      checkCuda(cuda.toHost(values, memory, bytes), "copying an output");
      printBeginning(&p, values, elements);
      free(values);
    }
    checkCuda(cuda.free(memory), "freeing a tensor");
  }
  if (workspace)
    checkCuda(cuda.free(workspace), "freeing the workspace");
  free(tensors);
  check(rmsrtPackageClose(package));
  return 0;
}
