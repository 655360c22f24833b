/* What programs compiled ahead of time call for LAPACK's routines; not for users to call. In libtenon_lapack.a, which
 * wants the C++ library, -ldl and -pthread. LAPACK itself is opened when the first routine is called: OpenBLAS,
 * reference LAPACK or MKL, or the library that TENON_LAPACK_LIBRARY names. */
#ifndef TENON_LAPACK_H
#define TENON_LAPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls the routine that `runtimeCall` describes (static data of the program). Any thread. Returns 0, or 1 with the
 * reason in `message`, which has room for `message_bytes`. */
int32_t tenon_lapack_call(const char *runtimeCall, int64_t call_bytes, void *const *operands, void *const *results,
                          char *message, int64_t message_bytes);

#ifdef __cplusplus
}
#endif
#endif
