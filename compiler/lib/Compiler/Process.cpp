//===-- Process.cpp - a child process and its files -------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

using namespace llvm;
using namespace rmsc;

namespace {
/// A file in anonymous memory.
class MemoryFile {
public:
  MemoryFile() {
    int file = memfd_create("rmsc", MFD_CLOEXEC);
    if (file < 0)
      return;
    // Above every number that the child is given, so that no dup2 of the spawn
    // closes a file that a later one needs.
    descriptor = fcntl(file, F_DUPFD_CLOEXEC, 16);
    close(file);
  }
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  int get() const { return descriptor; }

  bool fill(StringRef bytes) {
    while (!bytes.empty()) {
      ssize_t count = write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      bytes = bytes.drop_front(count);
    }
    // The child opens the file anew when it opens it by name.
    return lseek(descriptor, 0, SEEK_SET) == 0;
  }

  bool take(std::string &bytes) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
      return false;
    bytes.resize(status.st_size);
    size_t done = 0;
    while (done < bytes.size()) {
      ssize_t count =
          pread(descriptor, &bytes[done], bytes.size() - done, done);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      done += count;
    }
    return true;
  }

private:
  int descriptor = -1;
};
} // namespace

Expected<ProcessResult> rmsc::runProcess(ArrayRef<std::string> command,
                                         const ProcessFiles &files) {
  auto fail = [&](int error) {
    return makeError("cannot run '" + command.front() +
                     "': " + std::strerror(error) +
                     "; mend that, or set RMSC_PTXAS to another ptxas");
  };
  MemoryFile input, output, standardOutput, standardError;
  for (MemoryFile *file : {&input, &output, &standardOutput, &standardError})
    if (file->get() < 0)
      return fail(errno);
  if (!input.fill(files.input))
    return fail(errno);

  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, standardOutput.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, standardError.get(), 2);
  posix_spawn_file_actions_adddup2(&actions, input.get(), 3);
  posix_spawn_file_actions_adddup2(&actions, output.get(), 4);
  pid_t child = 0;
  int error = posix_spawn(&child, command.front().c_str(), &actions, nullptr,
                          arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail(error);

  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return fail(errno);
  if (WIFSIGNALED(status))
    return makeError("'" + command.front() + "' was ended by signal " +
                     Twine(WTERMSIG(status)) + " (" +
                     strsignal(WTERMSIG(status)) + "); try again");

  ProcessResult result;
  result.exitStatus = WEXITSTATUS(status);
  if (!standardOutput.take(result.standardOutput) ||
      !standardError.take(result.standardError) || !output.take(result.output))
    return fail(errno);
  return result;
}
