/* The C ABI between generated code and the runtime. Generated code, JIT or ahead of time, uses nothing else. */
#ifndef TENON_RUNTIME_CORE_ABI_H
#define TENON_RUNTIME_CORE_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of a program: its workers, scratch memory, runtimeCalls and error. Owned by the runtime. */
typedef struct TenonContext TenonContext;

/* What a context begins with. `trace` stays the same for the whole run; unless it is null, the entry function calls
 * every kernel through tenon_call_kernel. Other threads may set `stop`: the entry function looks at it at each turn of
 * its loops, and once it is not 0 asks tenon_stopped and returns if that is so; then no more kernels and runtimeCalls
 * are called. */
typedef struct TenonContextHead {
  void *trace;
  int32_t stop;
} TenonContextHead;

/* A kernel computes tasks [begin, end) of its extent; any partition gives the same bits. `buffers` holds the operands,
 * then the results, then (if the kernel declared temporary memory) that block. `scratch` belongs to the worker for
 * the duration of the call: program.scratchBytes, 64-byte aligned. */
typedef void (*TenonKernel)(void *const *buffers, int64_t begin, int64_t end, void *scratch);

/* A compiled program. Returns 0, or non-zero after tenon_fail, a failed runtimeCall or a stop. Pointers are 64-byte
 * aligned unless the caller's own memory is not: generated code assumes only the element's natural alignment of
 * arguments and results. Token arguments and results have null pointers. */
typedef int32_t (*TenonEntry)(TenonContext *context, void *const *arguments, void *const *results, void *arena,
                              const void *const *constants);

/* Runs `kernel` over [0, extent) on the context's workers and returns when all is done. `isLong`: that takes much
 * longer than to wake the workers. */
void tenon_parallel_for(TenonContext *context, TenonKernel kernel, void *const *buffers, int64_t extent,
                        int32_t isLong);

/* Whether the workers share a call, and whether it is long. */
enum { TENON_ALONE, TENON_SHARED, TENON_LONG };

/* Runs `kernel` over [0, extent) as `sharing` says, and records it where the run is traced: as call number `call` of
 * the program (program.kernelCalls). */
void tenon_call_kernel(TenonContext *context, int32_t call, TenonKernel kernel, void *const *buffers, int64_t extent,
                       int32_t sharing);

/* Where a buffer of a listed call is: TENON_PLACE(base, index), whose base is a number in `bases`, the table that
 * tenon_call_kernels is given. Of TENON_ARENA the index is a distance in bytes from the base, of the others a number in
 * the table of pointers that the base is. */
enum { TENON_ARENA, TENON_ARGUMENTS, TENON_RESULTS, TENON_CONSTANTS, TENON_LOCALS, TENON_BASES };
#define TENON_PLACE(base, index) ((int64_t)(index) * 8 + (base))

/* One call of a kernel, as tenon_call_kernel makes it, with as many buffers as it has places: 0 for the ones of the
 * call before. `together` is for tenon_call_kernels_together: if it is more than 1, so many calls from this one on do
 * not depend on each other. */
typedef struct TenonKernelCall {
  TenonKernel kernel;
  int64_t extent;
  int32_t call;
  int32_t sharing;
  int32_t places;
  int32_t together;
} TenonKernelCall;

/* Makes `count` calls, one after the other. `places` holds those of all of them; `buffers` has room for the most that
 * one of them has, and is overwritten. */
void tenon_call_kernels(TenonContext *context, const TenonKernelCall *calls, int64_t count, const int64_t *places,
                        void *const *bases, void **buffers);

/* The same, but calls that do not depend on each other are made as one of all their tasks, as the first one's `sharing`
 * says. `buffers` has room for the most that calls made together have. */
void tenon_call_kernels_together(TenonContext *context, const TenonKernelCall *calls, int64_t count,
                                 const int64_t *places, void *const *bases, void **buffers);

/* Copies a large block (they may not overlap, unless they are the same) with the context's workers. */
void tenon_copy(TenonContext *context, void *to, const void *from, int64_t bytes);

/* Scratch memory of the calling thread, for kernels that are called directly. */
void *tenon_scratch(TenonContext *context);

/* Calls runtimeCall number `runtimeCall` of the program. Returns 0 or an error that has been recorded in the context.
 */
int32_t tenon_runtime_call(TenonContext *context, int32_t runtimeCall, void *const *operands, void *const *results);

/* The same for a routine that applies a computation of two arguments: `kernel`, called over [0, extent), computes one
 * block of results from two blocks, elementwise, without scratch memory. How many elements a block has is known to the
 * routine. */
int32_t tenon_runtime_call_with(TenonContext *context, int32_t runtimeCall, void *const *operands, void *const *results,
                                TenonKernel kernel, int64_t extent);

/* Not 0 once the run is to end that the calling thread works for. Kernels that take long ask now and then, and return:
 * what they have not computed is unspecified. */
int32_t tenon_stopped(void);

/* What LDTILECFG loads: each of AMX's tile registers has 16 rows of 64 bytes. Only code that uses these registers
 * refers to it; whoever provides it has asked the system for them. */
extern const uint8_t tenon_tile_configuration[64];

/* Records an error (a static string). */
void tenon_fail(TenonContext *context, const char *message);

#ifdef __cplusplus
}
#endif
#endif
