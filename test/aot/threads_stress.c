/* Two callers at a time run loops on pools of several sizes: each task runs once, on a worker that the pool has. */
#include "tenon_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 1500, kWorkers = 16 };

typedef struct Loop {
  unsigned char runs[kMost];
  int64_t sums[kWorkers]; /* each worker's own: two calls with one number at a time would race */
} Loop;

static void task(void *work, int64_t begin, int64_t end, int32_t worker) {
  Loop *loop = work;
  for (int64_t i = begin; i < end; ++i) {
    ++loop->runs[i];
    loop->sums[worker] += i;
  }
}

static void *call(void *argument) {
  const TenonThreads *threads = argument;
  for (int64_t extent = 0; extent < kMost; extent = extent < 40 ? extent + 1 : extent * 2) {
    Loop loop;
    memset(&loop, 0, sizeof loop);
    threads->parallel_for(threads, task, &loop, extent);
    int64_t sum = 0;
    for (int i = 0; i < kWorkers; ++i)
      sum += i < threads->count || loop.sums[i] == 0 ? loop.sums[i] : -1;
    for (int64_t i = 0; i < kMost; ++i)
      if (loop.runs[i] != (i < extent))
        sum = -1;
    if (sum != extent * (extent - 1) / 2) {
      fprintf(stderr, "extent %d on %d threads\n", (int)extent, (int)threads->count);
      exit(1);
    }
  }
  return NULL;
}

int main(void) {
  if (tenon_threads_create(0))
    return 2;
  tenon_threads_destroy(NULL);
  for (int32_t count = 1; count <= kWorkers; count += count < 4 ? 1 : 6) {
    TenonThreads *threads = tenon_threads_create(count);
    pthread_t other;
    pthread_create(&other, NULL, call, threads);
    call(threads);
    pthread_join(other, NULL);
    tenon_threads_destroy(threads);
  }
  return 0;
}
