/*===-- rmsc.h - the compiler for programs in C ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the rmsc project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Compiles an MLIR program in memory to the bytes of a package, which        *|
|* `rmsrtPackageOpenMemory` of the runtime takes as they are.                 *|
|*                                                                            *|
|* Every text is UTF-8 and ends with a NUL; none is kept after a call. Calls  *|
|* with different options objects may be made from several threads at once.   *|
|* Nothing is printed and no signal handler is installed.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef RMSC_C_RMSC_H
#define RMSC_C_RMSC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to compile. A new object holds what the command line has by default. */
typedef struct RmscOptions RmscOptions;

/** The compiler's version, as in "0.1.0". */
const char *rmscVersion(void);

/** The names of all chips that can be compiled for, as in "sm_90, sm_90a". */
const char *rmscTargets(void);

/** Null where there is no memory. To be given to rmscOptionsDestroy. */
RmscOptions *rmscOptionsCreate(void);
/** Null is allowed. */
void rmscOptionsDestroy(RmscOptions *options);

/** Adds a chip, as in "sm_100". Without any, the default chip is taken. */
void rmscOptionsAddChip(RmscOptions *options, const char *chip);
/** A schedule in place of the rules' choice for dense and aligned operands. */
void rmscOptionsSetSchedule(RmscOptions *options, const char *schedule);
/** Not 0: IEEE square root and division in place of the GPU's root. */
void rmscOptionsSetExactRsqrt(RmscOptions *options, int exact);
/** Not 0: one schedule for every row count. */
void rmscOptionsSetBatchInvariant(RmscOptions *options, int invariant);
/** Not 0: PTX too, for chips that no cubin of the package fits. */
void rmscOptionsSetIncludePtx(RmscOptions *options, int include);
/** Tuning table to use before the shipped ones. */
void rmscOptionsSetTuningFile(RmscOptions *options, const char *path);
/** ptxas to call in place of the one that is found. */
void rmscOptionsSetPtxas(RmscOptions *options, const char *path);
/** Threads to compile with; 0: one for each core. */
void rmscOptionsSetThreads(RmscOptions *options, unsigned threads);

/**
 * Compiles `size` bytes of MLIR text or bytecode at `program`.
 *
 * \param name stands for the program in messages, as a file name would.
 * \param options null for the defaults.
 * \param package receives the package's bytes, to be given to rmscFree.
 * \param packageSize receives their number.
 * \param error receives one message that says what is wrong and what to do, to
 *        be given to rmscFree; may be null.
 * \return 0, or 1 after an error. Of `package` and `error` one is null then.
 */
int rmscCompile(const void *program, size_t size, const char *name,
                const RmscOptions *options, void **package, size_t *packageSize,
                char **error);

/** Frees what rmscCompile gave. Null is allowed. */
void rmscFree(void *memory);

#ifdef __cplusplus
}
#endif

#endif /* RMSC_C_RMSC_H */
