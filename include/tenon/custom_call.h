/* Custom calls for programs that use Tenon from C or C++: see XLA's documents for what a target is given. */
#ifndef TENON_CUSTOM_CALL_H
#define TENON_CUSTOM_CALL_H

#include "tenon/export.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a plain C function the target of stablehlo.custom_call ops with this call_target_name. Which form the function
 * has, is for the op to say, by its api_version:
 *
 *   0, 1  void function(void *out, const void **in)
 *   2     void function(void *out, const void **in, XlaCustomCallStatus *status)
 *   3     void function(void *out, const void **in, const char *opaque, size_t opaque_len, XlaCustomCallStatus *status)
 *
 * `in` points to the operands, dense and in the layouts that the op asks for (row-major where it does not). `out` is
 * the result; of an op with a tuple, several results, or none, it points to the results. `opaque` is the op's
 * backend_config. Several threads may call the function at a time. A function registered again under the name is for
 * programs that are compiled from then on. Returns 0, or 1 if an argument is null.
 *
 * Without a registration, a symbol of the process with the target's name is called. */
TENON_API int Tenon_RegisterCustomCall(const char *target_name, void *function);

/* What functions with a status report failures to; a call succeeds unless it does. The message is copied. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
/* The call has succeeded, whatever was reported before. */
TENON_API void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status);
/* The call has failed: the execution returns INTERNAL with the message, `message_len` bytes of any content. */
TENON_API void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status, const char *message, size_t message_len);

#ifdef __cplusplus
}
#endif
#endif
