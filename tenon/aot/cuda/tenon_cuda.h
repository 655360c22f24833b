/* What models that are compiled ahead of time for NVIDIA's GPUs call; not for users to call. In libtenon_cuda.a, which
 * wants the C++ library, -ldl and -pthread. The driver, libcuda.so.1, is opened when the first model is loaded. */
#ifndef TENON_CUDA_H
#define TENON_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TenonCudaModel TenonCudaModel;

/* The functions return 0, or 1: tenon_cuda_error says why. Any thread that has the CUDA context. */

/* `bytes`, a model's data, are read during the call alone. */
int32_t tenon_cuda_load(const void *bytes, int64_t size, TenonCudaModel **model);
/* Enqueues a run in the stream: the arrays are the device's. */
int32_t tenon_cuda_run(TenonCudaModel *model, void *stream, const void *const *arguments, void *const *results);
/* All runs have ended. */
int32_t tenon_cuda_unload(TenonCudaModel *model);

/* What was wrong with the last call of this thread. */
const char *tenon_cuda_error(void);

#ifdef __cplusplus
}
#endif

#endif
