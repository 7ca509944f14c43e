/*===-- CAPITest.c - the compiler from C ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the rmsc project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "rmsc-c/rmsc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "FAILED: %s\n", what);
  ++failures;
}

static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = malloc(1 << 16);
  if (!file || !text)
    exit(2);
  *size = fread(text, 1, 1 << 16, file);
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  size_t size = 0, packageSize = 0;
  void *package = NULL;
  char *error = NULL;
  RmscOptions *options;
  char *program;
  if (argc != 2)
    return 2;
  program = readFile(argv[1], &size);

  expect(strcmp(rmscVersion(), "") != 0, "a version");
  expect(strstr(rmscTargets(), "sm_90, ") != NULL, "sm_90 is a target");

  options = rmscOptionsCreate();
  rmscOptionsAddChip(options, "sm_90");
  rmscOptionsSetExactRsqrt(options, 1);
  rmscOptionsSetIncludePtx(options, 1);
  rmscOptionsSetThreads(options, 1);
  expect(rmscCompile(program, size, "forward.mlir", options, &package,
                     &packageSize, &error) == 0,
         "the program compiles");
  expect(error == NULL, "no message with a package");
  expect(packageSize > 1000 && package && memcmp(package, "PK", 2) == 0,
         "the package is a zip");
  rmscFree(package);

  rmscOptionsAddChip(options, "sm_7");
  expect(rmscCompile(program, size, "forward.mlir", options, &package,
                     &packageSize, &error) == 1,
         "an unknown chip is an error");
  expect(package == NULL && packageSize == 0, "no package with an error");
  expect(error && strstr(error, "unknown chip 'sm_7'"), "the error names it");
  rmscFree(error);
  rmscOptionsDestroy(options);

  /* Half of a program, with the name that it is given, and no options. */
  expect(rmscCompile(program, size / 2, "half", NULL, &package, &packageSize,
                     &error) == 1,
         "half a program is an error");
  expect(error && strncmp(error, "half:", 5) == 0, "the error has the name");
  rmscFree(error);
  expect(rmscCompile("", 0, NULL, NULL, &package, &packageSize, NULL) == 1,
         "the message may be left out");
  free(program);
  return failures != 0;
}
