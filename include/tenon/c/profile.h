/* Where the time of runs goes: each kernel with what it reaches of the machine's limits (tenon/profile.h). */
#ifndef TENON_C_PROFILE_H
#define TENON_C_PROFILE_H

#include "tenon/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records what runs in this process, on all threads. Without one nothing is recorded. */
typedef struct tenon_profiler tenon_profiler;
/* What was recorded, added up. */
typedef struct tenon_profile tenon_profile;

/* Begins to record; TENON_FAILED_PRECONDITION while another one does. What a server runs is not seen. */
TENON_API TENON_MUST_USE tenon_status *tenon_profiler_start(tenon_profiler **profiler);
/* Ends the recording. The first call in the process measures the machine's limits with all threads, which takes about
 * half a second. */
TENON_API TENON_MUST_USE tenon_status *tenon_profiler_stop(tenon_profiler *profiler, tenon_profile **profile);
/* Ends the recording, if it has not ended. NULL is allowed. */
TENON_API void tenon_profiler_destroy(tenon_profiler *profiler);

/* Frees it, with all that it says. NULL is allowed. */
TENON_API void tenon_profile_destroy(tenon_profile *profile);

/* Set struct_size to sizeof(tenon_profile_figures) before the call. */
typedef struct tenon_profile_figures {
  size_t struct_size;
  int64_t runs;       /* of programs */
  int64_t run_ns;     /* in which one or more ran */
  int64_t between_ns; /* of that, in which no kernel or runtime call ran */
  /* The share of the threads' time in runs in which they had no part of a kernel, and no runtime call ran. */
  double waiting;
  int64_t dropped_events; /* beyond what a thread may record: they count nowhere */
  int threads;
  size_t kernels; /* how many there are to ask for */
} tenon_profile_figures;
/* The figures of the whole. */
TENON_API TENON_MUST_USE tenon_status *tenon_profile_get_figures(const tenon_profile *profile,
                                                                 tenon_profile_figures *figures);

/* Calls of a kernel, or of what generated code leaves to the runtime (LAPACK, FFT, custom calls), for one line of the
 * user's program. Set struct_size to sizeof(tenon_kernel_profile) before the call. Texts live as long as the profile.
 */
typedef struct tenon_kernel_profile {
  size_t struct_size;
  const char *program;
  const char *name;          /* as in the compile report */
  const char *kind;          /* "loop", "dot", ..., "library", "custom_call", "copy" */
  const char *ops;           /* that are inside, in order, separated by commas */
  const char *op_name;       /* what the framework calls the result */
  const char *source;        /* "/home/me/train.py:41" */
  const char *other_sources; /* of other operations inside, separated by blanks */
  const char *arithmetic;    /* the type that most of the flops are done in; empty where there are none */
  /* What one call does, as the compiler counts it; 0 for runtime calls. */
  double flops;
  double bytes_accessed;
  double transcendentals;
  int64_t calls;
  int64_t total_ns;    /* of all calls, from their begin to their end */
  int64_t shortest_ns; /* of one call */
  /* The sum over threads, and the most threads that took part in a call. 0 of runtime calls, which share their work
   * among the threads themselves: that is not seen. */
  int64_t busy_ns;
  int threads;
  double bytes_per_second;
  double flops_per_second;
  double limit_ns; /* what a call would take at the machine's limits; 0: not known */
  double share_of_limit;
  bool is_bound_by_memory;
  /* The share of the threads' time in which they have nothing to do while a call runs; 0 where it is not known. */
  double waiting;
} tenon_kernel_profile;
/* A kernel by its number, the one that takes the most time first; TENON_OUT_OF_RANGE beyond the last. */
TENON_API TENON_MUST_USE tenon_status *tenon_profile_get_kernel(const tenon_profile *profile, size_t kernel,
                                                                tenon_kernel_profile *info);

/* As a table; all but the events as JSON; as a page for the browser; the events for Perfetto. */
typedef enum tenon_profile_format TENON_ANY_INT {
  TENON_PROFILE_TEXT = 0,
  TENON_PROFILE_JSON = 1,
  TENON_PROFILE_HTML = 2,
  TENON_PROFILE_TRACE = 3
} tenon_profile_format;
/* Ends in a zero. Free it by tenon_free. */
TENON_API TENON_MUST_USE tenon_status *tenon_profile_to_text(const tenon_profile *profile, tenon_profile_format format,
                                                             char **text);

#ifdef __cplusplus
}
#endif
#endif
