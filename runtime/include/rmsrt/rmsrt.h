/*===-- rmsrt.h - Loads and launches rmsc packages ------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the rmsc project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The whole interface of the runtime. It needs no CUDA toolkit: the driver   *|
|* (libcuda.so.1, or the library that the environment variable                *|
|* RMSRT_CUDA_DRIVER names) is opened at the first call that needs a GPU, and *|
|* nothing touches it before. Streams are passed as `void *`, so that this    *|
|* header needs no CUDA type; a CUstream or a cudaStream_t is what is meant.  *|
|*                                                                            *|
|* Every function may be called from any thread. A package may be used by any *|
|* number of threads at once; only closing it must be the last call.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef RMSRT_RMSRT_H
#define RMSRT_RMSRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RMSRT_VERSION_MAJOR 0
#define RMSRT_VERSION_MINOR 1

/** The row counts that a kernel takes: 0 to RMSRT_MAX_ROWS. */
#define RMSRT_MAX_ROWS INT64_C(2147483647)

/** What a workspace pointer must be a multiple of, in bytes. Whatever an
 *  allocator of device memory returns is. */
#define RMSRT_WORKSPACE_ALIGNMENT 128

/** What became of a call. `rmsrtLastError` has the sentence that goes with a
 *  status other than RMSRT_SUCCESS: it names the thing and the remedy. */
typedef enum RmsrtStatus {
  /** Done. */
  RMSRT_SUCCESS = 0,
  /** A NULL handle or pointer to a result, an index out of range, an unknown
   *  flag, a wrong number of tensors: a mistake in the calling program. */
  RMSRT_INVALID_ARGUMENT = 1,
  /** The package file cannot be opened or read. */
  RMSRT_IO_ERROR = 2,
  /** The bytes are no rmspkg: not a zip, cut short, a zip of something else, a
   *  compressed or encrypted entry. */
  RMSRT_NOT_A_PACKAGE = 3,
  /** A package of another format version than this library reads. */
  RMSRT_UNSUPPORTED_VERSION = 4,
  /** manifest.json is not JSON, lacks a field, or holds a value that cannot
   *  be. */
  RMSRT_BAD_MANIFEST = 5,
  /** An entry's bytes are not those that were written: its size, CRC or SHA-256
   *  differs, or the entry that the manifest names is missing. */
  RMSRT_CORRUPT = 6,
  /** The package holds no kernel, or no variant, of that name. */
  RMSRT_NOT_FOUND = 7,
  /** No CUDA driver on this machine, or one that is too old. */
  RMSRT_NO_DRIVER = 8,
  /** No CUDA context is current (or the stream has none). */
  RMSRT_NO_CONTEXT = 9,
  /** The package holds no code for this device. */
  RMSRT_NO_CODE = 10,
  /** No variant takes this combination of rows, alignments and strides. */
  RMSRT_NO_VARIANT = 11,
  /** The stream is being captured, and the kernel was not prepared in its
   *  context: loading code now would end the capture. */
  RMSRT_NOT_PREPARED = 12,
  /** rows is negative, or more than RMSRT_MAX_ROWS, or makes a grid that is
   *  larger than a launch can be. */
  RMSRT_BAD_ROWS = 13,
  /** A tensor that the kernel uses has a NULL pointer. */
  RMSRT_NULL_POINTER = 14,
  /** A tensor's pointer is not a multiple of its element's size, or the
   *  workspace's is not one of RMSRT_WORKSPACE_ALIGNMENT. */
  RMSRT_MISALIGNED = 15,
  /** A row stride that is smaller than the hidden size, or one given for a
   *  tensor that has no rows to stride over. */
  RMSRT_BAD_STRIDE = 16,
  /** An output overlaps another buffer, and the program did not declare it as
   *  used in place (or the two are not exactly the same rows). */
  RMSRT_OVERLAP = 17,
  /** The workspace is missing or too small. */
  RMSRT_WORKSPACE_TOO_SMALL = 18,
  /** The CUDA driver returned an error; the message holds its name. */
  RMSRT_DRIVER_ERROR = 19,
  /** The host is out of memory. */
  RMSRT_OUT_OF_MEMORY = 20
} RmsrtStatus;

/** An open package. */
typedef struct RmsrtPackageImpl *RmsrtPackage;
/** A kernel of an open package; it lives as long as the package. */
typedef const struct RmsrtKernelImpl *RmsrtKernel;

typedef enum RmsrtDirection {
  RMSRT_INPUT = 0,
  RMSRT_OUTPUT = 1
} RmsrtDirection;

typedef enum RmsrtKind {
  /** [rows, hidden size]: a row of `hidden size` elements for each row; leading
   *  dimensions of any rank are flattened into rows. */
  RMSRT_ROWS = 0,
  /** [hidden size], shared by all rows: a weight, or its gradient. */
  RMSRT_COLUMNS = 1,
  /** [rows] (or [rows, 1]): one value a row, always dense. */
  RMSRT_SCALARS = 2
} RmsrtKind;

typedef enum RmsrtDtype {
  RMSRT_BF16 = 0,
  RMSRT_F16 = 1,
  RMSRT_F32 = 2
} RmsrtDtype;

/** One parameter of a kernel, in the order in which tensors are passed. */
typedef struct RmsrtParameter {
  /** The name in the program that was compiled. */
  const char *name;
  /** What it is in the mathematics: x, residual, weight, y, sum, rstd,
   *  normalized, grad_output, grad_sum, dx, dw, or unused. */
  const char *role;
  RmsrtDirection direction;
  RmsrtKind kind;
  RmsrtDtype dtype;
  /** The rank of the tensor in the program. */
  int rank;
  /** 0 when the mathematics does not need it: any pointer will do, NULL too. */
  int used;
  /** The index of the output that may be the very same buffer as this input,
   *  or -1. */
  int mayAlias;
} RmsrtParameter;

/** A buffer in device memory. */
typedef struct RmsrtTensor {
  /** The first element. May be NULL for an unused parameter, and when rows = 0
   *  for all but column parameters. */
  void *data;
  /** The distance between the starts of two rows, in elements; 0 means dense
   *  (the hidden size). Only for parameters of kind RMSRT_ROWS, 0 elsewhere. */
  int64_t rowStride;
} RmsrtTensor;

/** The call follows, on its stream, a kernel that it depends on, and its first
 *  launch may start while that kernel still runs (programmatic dependent
 *  launch); it then waits before any access to memory. Ignored where the
 *  kernel was not compiled to wait. */
#define RMSRT_LAUNCH_DEPENDENT 1u
/** Choose only among variants that serve every row count, so that a row's bits
 *  do not depend on how many rows it came with. */
#define RMSRT_LAUNCH_BATCH_INVARIANT 2u

/** Everything that one call of a kernel needs. Zero-initialise it, then set
 *  what applies. */
typedef struct RmsrtCall {
  /** Inputs in order, then outputs in order; as many as the kernel has
   *  parameters. */
  const RmsrtTensor *tensors;
  size_t tensorCount;
  /** 0 to RMSRT_MAX_ROWS. With 0 nothing but column outputs is written, and
   *  those become all zeros. */
  int64_t rows;
  /** Device memory of at least rmsrtKernelWorkspaceBytes(rows) bytes, which no
   *  other call may use until this one is finished. Its contents need not be
   *  cleared, unless rmsrtKernelWorkspaceZeroedBytes says so. */
  void *workspace;
  size_t workspaceBytes;
  /** A CUstream or cudaStream_t; NULL is the default stream of the current
   *  context. */
  void *stream;
  /** RMSRT_LAUNCH_... or-ed together. */
  uint32_t flags;
  /** The variant to launch whatever the row count, or NULL to have the best one
   *  that fits chosen. It must still take the alignments and strides. */
  const char *variant;
} RmsrtCall;

/** Opens the package at `path`; reads it whole and checks everything in it.
 *  \return RMSRT_SUCCESS and a package to be closed with rmsrtPackageClose, or
 *  RMSRT_IO_ERROR, RMSRT_NOT_A_PACKAGE, RMSRT_UNSUPPORTED_VERSION,
 *  RMSRT_BAD_MANIFEST, RMSRT_CORRUPT. No GPU is needed. */
RmsrtStatus rmsrtPackageOpenFile(const char *path, RmsrtPackage *package);

/** The same for the bytes of a package in memory, which are copied. */
RmsrtStatus rmsrtPackageOpenMemory(const void *data, size_t size,
                                   RmsrtPackage *package);

/** Unloads the package's code and frees it, with all kernels it gave out. No
 *  launch of its kernels may still be running. NULL is allowed.
 *  \return RMSRT_DRIVER_ERROR when code could not be unloaded; the package is
 *  gone all the same. */
RmsrtStatus rmsrtPackageClose(RmsrtPackage package);

/** How many kernels the package holds; 0 for NULL. */
size_t rmsrtPackageKernelCount(RmsrtPackage package);

/** The kernel at `index`, in the order of the compiled program. */
RmsrtStatus rmsrtPackageGetKernel(RmsrtPackage package, size_t index,
                                  RmsrtKernel *kernel);

/** The kernel called `name`, or RMSRT_NOT_FOUND with the names there are. */
RmsrtStatus rmsrtPackageFindKernel(RmsrtPackage package, const char *name,
                                   RmsrtKernel *kernel);

/** The kernel's name; "" for NULL. */
const char *rmsrtKernelName(RmsrtKernel kernel);
/** The number of elements in a row; 0 for NULL. */
int64_t rmsrtKernelHiddenSize(RmsrtKernel kernel);
/** How many tensors a call passes; 0 for NULL. */
size_t rmsrtKernelParameterCount(RmsrtKernel kernel);
/** Describes the parameter at `index`; its strings live as long as the
 *  package. */
RmsrtStatus rmsrtKernelParameter(RmsrtKernel kernel, size_t index,
                                 RmsrtParameter *parameter);

/** Loads the code of every variant of the kernel that fits the device of the
 *  current context, and makes it ready to launch in that context. After this a
 *  launch in that context allocates nothing and loads nothing, so it may be
 *  captured into a graph. Cheap when it was done before.
 *  \return RMSRT_NO_DRIVER, RMSRT_NO_CONTEXT, RMSRT_NO_CODE,
 *  RMSRT_DRIVER_ERROR. */
RmsrtStatus rmsrtKernelPrepare(RmsrtKernel kernel);

/** The same for every kernel of the package. */
RmsrtStatus rmsrtPackagePrepare(RmsrtPackage package);

/** The workspace that a call with `rows` rows needs, in bytes, on any device
 *  that the package has code for and with any alignments and strides. No GPU is
 *  needed. */
RmsrtStatus rmsrtKernelWorkspaceBytes(RmsrtKernel kernel, int64_t rows,
                                      size_t *bytes);

/** The workspace that is enough for every row count. It is bounded by the size
 *  of the GPU, not by the rows. */
RmsrtStatus rmsrtKernelMaxWorkspaceBytes(RmsrtKernel kernel, size_t *bytes);

/** How many bytes at the workspace's start must be zero when it is used for the
 *  first time; every call leaves them zero. 0 for most kernels. */
RmsrtStatus rmsrtKernelWorkspaceZeroedBytes(RmsrtKernel kernel, size_t *bytes);

/** Makes every check that a launch makes, and names the variant that it would
 *  take, without launching. */
RmsrtStatus rmsrtKernelSelect(RmsrtKernel kernel, const RmsrtCall *call,
                              const char **variant);

/** Launches the kernel on the call's stream, in the stream's context, and
 *  returns without waiting. The current context is the same afterwards. A
 *  kernel that was not prepared in that context is prepared first, unless the
 *  stream is being captured (RMSRT_NOT_PREPARED). Nothing is launched unless
 *  every check passes. */
RmsrtStatus rmsrtKernelLaunch(RmsrtKernel kernel, const RmsrtCall *call);

/** The message of the last call on this thread that did not return
 *  RMSRT_SUCCESS; "" when there was none. Valid until the thread's next call.
 */
const char *rmsrtLastError(void);

/** The name of a status, as spelt above. */
const char *rmsrtStatusName(RmsrtStatus status);

#ifdef __cplusplus
}
#endif

#endif /* RMSRT_RMSRT_H */
