/* One loop at a time: the caller publishes it, every worker takes pieces of what is left of it until nothing is, and
 * the caller waits for the last. Runs from several threads take turns. */
#include "tenon_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A piece is such a part of what is left that all workers could take as many: the last pieces are small, and no worker
 * is idle for long at the end. */
enum { kPiecesPerWorker = 2 };

typedef struct Pool {
  TenonThreads interface; /* the first member: a pool is what users hold */
  pthread_mutex_t turn;   /* held for the whole of a loop */
  pthread_mutex_t mutex;  /* guards what follows, up to `workers` */
  pthread_cond_t start, done;
  int64_t loop; /* how many there have been */
  int32_t busy; /* workers that have not finished it */
  int stop;
  TenonTask task;
  void *work;
  int64_t extent;
  atomic_llong next;
  struct Worker *workers;
} Pool;

typedef struct Worker {
  Pool *pool;
  pthread_t thread;
  int32_t number;
} Worker;

static void take_pieces(Pool *pool, int32_t worker) {
  int64_t pieces = (int64_t)pool->interface.count * kPiecesPerWorker;
  long long begin = atomic_load_explicit(&pool->next, memory_order_relaxed);
  while (begin < pool->extent) {
    int64_t end = begin + (pool->extent - begin - 1) / pieces + 1;
    if (!atomic_compare_exchange_weak_explicit(&pool->next, &begin, end, memory_order_relaxed, memory_order_relaxed))
      continue;
    pool->task(pool->work, begin, end, worker);
    begin = atomic_load_explicit(&pool->next, memory_order_relaxed);
  }
}

static void *work(void *argument) {
  Worker *worker = argument;
  Pool *pool = worker->pool;
  int64_t seen = 0;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (pool->loop == seen && !pool->stop)
      pthread_cond_wait(&pool->start, &pool->mutex);
    if (pool->stop)
      break;
    seen = pool->loop;
    pthread_mutex_unlock(&pool->mutex);
    take_pieces(pool, worker->number);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->busy == 0)
      pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static void parallel_for(const TenonThreads *threads, TenonTask task, void *work, int64_t extent) {
  Pool *pool = (Pool *)threads;
  int32_t count = pool->interface.count;
  if (count == 1 || extent <= 1) {
    if (extent > 0)
      task(work, 0, extent, 0);
    return;
  }
  pthread_mutex_lock(&pool->turn);
  pthread_mutex_lock(&pool->mutex);
  pool->task = task;
  pool->work = work;
  pool->extent = extent;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  pool->busy = count - 1;
  ++pool->loop;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
  take_pieces(pool, 0);
  pthread_mutex_lock(&pool->mutex);
  while (pool->busy > 0)
    pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
  pthread_mutex_unlock(&pool->turn);
}

/* Ends the first `count` workers, and frees the pool. */
static void destroy(Pool *pool, int32_t count) {
  pthread_mutex_lock(&pool->mutex);
  pool->stop = 1;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
  for (int32_t i = 0; i < count; ++i)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->start);
  pthread_cond_destroy(&pool->done);
  pthread_mutex_destroy(&pool->mutex);
  pthread_mutex_destroy(&pool->turn);
  free(pool->workers);
  free(pool);
}

TenonThreads *tenon_threads_create(int32_t count) {
  Pool *pool = count > 0 ? calloc(1, sizeof *pool) : NULL;
  if (!pool)
    return NULL;
  pool->workers = calloc((size_t)count, sizeof *pool->workers);
  if (!pool->workers) {
    free(pool);
    return NULL;
  }
  pool->interface.parallel_for = parallel_for;
  pool->interface.count = count;
  pthread_mutex_init(&pool->turn, NULL);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->start, NULL);
  pthread_cond_init(&pool->done, NULL);
  for (int32_t i = 0; i < count - 1; ++i) {
    Worker *worker = &pool->workers[i];
    worker->pool = pool;
    worker->number = i + 1;
    if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
      destroy(pool, i);
      return NULL;
    }
  }
  return &pool->interface;
}

void tenon_threads_destroy(TenonThreads *threads) {
  if (threads)
    destroy((Pool *)threads, threads->count - 1);
}
