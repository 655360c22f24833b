// As newer_functions.c, of 2.34: that a process which is started gets no files of this one's.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

// A process gets the lowest number that is free for what it opens. So behind the last that is open now, what other
// threads open until the child is there needs no more than these.
enum { kOpenedMeanwhile = 1024 };

// Closes each by itself. It is no error to close what is not open, but numbers that no file can have are one.
__attribute__((visibility("hidden"))) int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions,
                                                                                   int from) {
  typedef int (*Function)(posix_spawn_file_actions_t *, int);
  Function newer = (Function)dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
  if (newer)
    return newer(actions, from);
  DIR *open = opendir("/proc/self/fd");
  if (!open)
    return errno;
  long last = from;
  for (struct dirent *entry; (entry = readdir(open));)
    if (strtol(entry->d_name, NULL, 10) > last)
      last = strtol(entry->d_name, NULL, 10);
  closedir(open);
  long end = last + kOpenedMeanwhile < sysconf(_SC_OPEN_MAX) ? last + kOpenedMeanwhile : sysconf(_SC_OPEN_MAX);
  int error = 0;
  for (long file = from; file < end && error == 0; ++file)
    error = posix_spawn_file_actions_addclose(actions, (int)file);
  return error;
}
