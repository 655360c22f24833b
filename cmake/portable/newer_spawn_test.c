// newer_spawn.c on a system whose C library has nothing newer. The program starts itself, as the child, which looks at
// what it has got.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kFrom = 4, kLast = 300 };

// In the place of dlsym, which newer_spawn.c asks for the function of the C library.
void *olderSystem(void *library, const char *name) {
  (void)library;
  (void)name;
  return NULL;
}

static int child(void) {
  if (fcntl(kFrom - 1, F_GETFD) < 0) {
    fprintf(stderr, "file %d is closed\n", kFrom - 1);
    return 1;
  }
  for (int file = kFrom; file < 4096; ++file)
    if (fcntl(file, F_GETFD) >= 0) {
      fprintf(stderr, "file %d is open\n", file);
      return 1;
    }
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1)
    return child();
  for (int file = kFrom - 1; file < 20; ++file)
    dup2(0, file);
  dup2(0, kLast);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (posix_spawn_file_actions_addclosefrom_np(&actions, kFrom) != 0) {
    fputs("the files cannot be closed\n", stderr);
    return 1;
  }
  // As other threads may.
  for (int i = 0; i < 500; ++i)
    if (dup(0) < 0)
      return 1;
  char *line[] = {arguments[0], "child", NULL};
  pid_t pid;
  int status = 1;
  if (posix_spawn(&pid, arguments[0], &actions, NULL, line, environ) != 0 || waitpid(pid, &status, 0) != pid)
    fputs("no child has run\n", stderr);
  posix_spawn_file_actions_destroy(&actions);
  return status != 0;
}
