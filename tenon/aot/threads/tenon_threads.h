/* Threads for models compiled ahead of time: pass them to MODEL_run_parallel. Link libtenon_threads.a and -pthread.
 *
 * Optional. A model runs without it on one thread, and with any other implementation of TenonThreads. */
#ifndef TENON_THREADS_H
#define TENON_THREADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TENON_THREADS_DEFINED
#define TENON_THREADS_DEFINED
/* Part of a model's work: tasks [begin, end), on worker number `worker`. */
typedef void (*TenonTask)(void *work, int64_t begin, int64_t end, int32_t worker);
/* Threads that a run may use: those of libtenon_threads.a (tenon_threads.h), or the caller's own. `parallel_for` calls
 * `task` until each of [0, extent) has been in one call's range, and returns when all calls have. Calls may run at the
 * same time if their `worker`, below `count`, differs. How the extent is cut has no influence on the results. */
typedef struct TenonThreads {
  void (*parallel_for)(const struct TenonThreads *threads, TenonTask task, void *work, int64_t extent);
  int32_t count;
} TenonThreads;
#endif

/* Makes count - 1 threads, which sleep while no model runs; the thread that runs a model is the one more. Null if
 * `count` is not positive or there is no memory or no thread to be had. */
TenonThreads *tenon_threads_create(int32_t count);

/* Not while a model runs on them. Null is fine. */
void tenon_threads_destroy(TenonThreads *threads);

#ifdef __cplusplus
}
#endif

#endif
