// Which functions of a program or a shared library run, at full speed: the first byte of each is a breakpoint until it
// is reached. scripts/function_order.py compiles this and has it loaded before everything else (LD_PRELOAD).
//
// With TRACE_STARTS and TRACE_OUTPUT set the program itself is traced, from before its constructors to its end. Another
// object is traced by traceStart from when it has been loaded, until traceWrite.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static uint64_t *starts; // addresses of functions in the object, in order
static unsigned char *first, *reached;
static size_t count;
static uint64_t base;

static int makeWritable(struct dl_phdr_info *info, size_t size, void *name) {
  if (*(const char *)name ? !strstr(info->dlpi_name, name) : *info->dlpi_name)
    return 0;
  base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uint64_t from = (base + part->p_vaddr) & ~4095ull, to = base + part->p_vaddr + part->p_memsz;
    if (part->p_type == PT_LOAD && part->p_flags & PF_X)
      mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC);
  }
  return 1;
}

static void onBreakpoint(int number, siginfo_t *info, void *context) {
  greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  uint64_t at = (uint64_t)*pc - 1 - base;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (starts[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count || starts[low] != at) {
    signal(SIGTRAP, SIG_DFL); // somebody else's
    return;
  }
  reached[low] = 1;
  *(volatile unsigned char *)(base + at) = first[low];
  --*pc;
}

// `list`: a file with the addresses, in order. An empty name is the program. 0 if all is well.
int traceStart(const char *object, const char *list) {
  FILE *file = fopen(list, "rb");
  if (!file || dl_iterate_phdr(makeWritable, (void *)object) != 1)
    return 1;
  fseek(file, 0, SEEK_END);
  count = (size_t)ftell(file) / sizeof *starts;
  rewind(file);
  starts = malloc(count * sizeof *starts);
  first = malloc(count);
  reached = calloc(count, 1);
  if (fread(starts, sizeof *starts, count, file) != count)
    return 1;
  fclose(file);
  struct sigaction action = {0};
  action.sa_sigaction = onBreakpoint;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGTRAP, &action, NULL);
  for (size_t i = 0; i < count; ++i)
    first[i] = *(unsigned char *)(base + starts[i]);
  for (size_t i = 0; i < count; ++i)
    *(unsigned char *)(base + starts[i]) = 0xcc;
  return 0;
}

// A byte for each function: whether it has run.
void traceWrite(const char *path) {
  FILE *file = fopen(path, "wb");
  fwrite(reached, 1, count, file);
  fclose(file);
}

static const char *output;

static void atEnd(void) {
  traceWrite(output);
  _exit(0);
}

__attribute__((constructor)) static void begin(void) {
  const char *list = getenv("TRACE_STARTS");
  output = getenv("TRACE_OUTPUT");
  if (!list || !output)
    return;
  if (traceStart("", list))
    _exit(1);
  unsetenv("TRACE_STARTS"); // programs that this one starts are not traced
  atexit(atEnd);
}

// A thread that blocks the signal would end the process at a breakpoint.
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
  int (*next)(int, const sigset_t *, sigset_t *) = dlsym(RTLD_NEXT, "pthread_sigmask");
  sigset_t others;
  if (set && how != SIG_UNBLOCK) {
    others = *set;
    sigdelset(&others, SIGTRAP);
    set = &others;
  }
  return next(how, set, before);
}
