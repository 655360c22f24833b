// Functions that the C library has had only since a version that not every system has, for portable libraries
// (libraries.py). Where the system's library has one, it is taken; otherwise it is made of what there was before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

// --- 2.32 ---

// Whether the process certainly has one thread: then atomic operations may be left out. It is never known here.
HIDDEN char __libc_single_threaded = 0;

// --- 2.33: before, these were parts of each program, which call functions with the number of the structure's version
// ---

extern int __xstat(int version, const char *path, struct stat *result);
extern int __lxstat(int version, const char *path, struct stat *result);
extern int __fxstat(int version, int file, struct stat *result);
extern int __fxstatat(int version, int folder, const char *path, struct stat *result, int flags);

#ifdef __x86_64__
enum { kStatVersion = 1 };
#else
enum { kStatVersion = 0 };
#endif

HIDDEN int stat(const char *path, struct stat *result) { return __xstat(kStatVersion, path, result); }
HIDDEN int lstat(const char *path, struct stat *result) { return __lxstat(kStatVersion, path, result); }
HIDDEN int fstat(int file, struct stat *result) { return __fxstat(kStatVersion, file, result); }
HIDDEN int fstatat(int folder, const char *path, struct stat *result, int flags) {
  return __fxstatat(kStatVersion, folder, path, result, flags);
}
// The same structures, where files have 64 bits anyhow.
HIDDEN int stat64(const char *, struct stat64 *) __attribute__((alias("stat")));
HIDDEN int lstat64(const char *, struct stat64 *) __attribute__((alias("lstat")));
HIDDEN int fstat64(int, struct stat64 *) __attribute__((alias("fstat")));
HIDDEN int fstatat64(int, const char *, struct stat64 *, int) __attribute__((alias("fstatat")));

// Numbers of bytes, in 64 bits since; before they wrap around.
HIDDEN struct mallinfo2 mallinfo2(void) {
  struct mallinfo2 (*newer)(void) = (struct mallinfo2 (*)(void))dlsym(RTLD_DEFAULT, "mallinfo2");
  if (newer)
    return newer();
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo info = mallinfo();
#pragma clang diagnostic pop
  struct mallinfo2 result = {(unsigned)info.arena,   (unsigned)info.ordblks,  (unsigned)info.smblks,
                             (unsigned)info.hblks,   (unsigned)info.hblkhd,   (unsigned)info.usmblks,
                             (unsigned)info.fsmblks, (unsigned)info.uordblks, (unsigned)info.fordblks,
                             (unsigned)info.keepcost};
  return result;
}

// --- 2.30 ---

static int64_t nanosecondsOf(const struct timespec *time) { return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec; }

// By another clock than the one of the condition variable. Without it the time that is left is waited for by the
// system's time, as C++ libraries did then: who changes that changes how long it takes.
HIDDEN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until) {
  typedef int (*Function)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  Function newer = (Function)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (newer)
    return newer(condition, mutex, clock, until);
  if (clock == CLOCK_REALTIME)
    return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now, system;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &system) != 0)
    return EINVAL;
  // A deadline may be as late as a time_t says.
  int64_t left = until->tv_sec - now.tv_sec > 1000000000 ? 1000000000 * INT64_C(1000000000)
                                                         : nanosecondsOf(until) - nanosecondsOf(&now);
  int64_t end = nanosecondsOf(&system) + (left > 0 ? left : 0);
  struct timespec deadline = {end / 1000000000, end % 1000000000};
  return pthread_cond_timedwait(condition, mutex, &deadline);
}

// --- 2.36 ---

HIDDEN uint32_t arc4random(void) {
  uint32_t result = 0;
  for (size_t have = 0; have < sizeof result;) {
    ssize_t got = getrandom((char *)&result + have, sizeof result - have, 0);
    if (got > 0)
      have += (size_t)got;
    else if (errno != EINTR)
      __builtin_trap(); // there is no randomness to go on with, which the function cannot say
  }
  return result;
}
