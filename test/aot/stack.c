/* Prints how much of the stack a run of the model takes, and the header's bound. */
#define MODEL_(name, part) name##part
#define MODEL(name, part) MODEL_(name, part)
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#include TEXT(NAME.h)
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kStackBytes = 8 << 20, kPaint = 0xA5 };
static unsigned char *stack;
static long used;

static void *run(void *model) {
  void **memory = (void **)model;
  unsigned char *top = (unsigned char *)__builtin_frame_address(0), *lowest = stack;
  if (MODEL(NAME, _run)(memory[0], memory[1], memory[2]) != 0)
    abort();
  while (*lowest == kPaint)
    ++lowest;
  used = (long)(top - lowest);
  return NULL;
}

/* Pointers to zeros, as many as any struct has. */
static void *arrays(void) {
  void **pointers = (void **)malloc(16 * sizeof(void *));
  for (int i = 0; i < 16; ++i)
    pointers[i] = calloc(1, 1 << 20);
  return pointers;
}

int main(void) {
  void *memory[3] = {arrays(), arrays(), NULL};
  pthread_attr_t attributes;
  pthread_t thread;
  if (posix_memalign(&memory[2], 64, MODEL(UPPER, _ARENA_BYTES)) || posix_memalign((void **)&stack, 4096, kStackBytes))
    return 1;
  memset(stack, kPaint, kStackBytes);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kStackBytes);
  if (pthread_create(&thread, &attributes, run, memory) || pthread_join(thread, NULL))
    return 1;
  printf("%ld %ld\n", used, (long)MODEL(UPPER, _STACK_BYTES));
  return 0;
}
