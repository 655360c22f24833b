/* The C interface, for programs in C and for other languages: all of it (C99). docs/c.md is the guide.
 *
 * Errors. A function that can fail returns a tenon_status, which is NULL for success and otherwise the caller's to
 * destroy; what it makes is written through its last parameters, which are left alone after an error. No exception
 * leaves the library, and no error ends the process unless that is asked for (set_die_immediately_on_error). NULL where
 * an object is needed is TENON_INVALID_ARGUMENT.
 *
 * Objects. What a function makes is the caller's, and goes by the tenon_..._destroy of its type, which takes NULL and
 * does nothing; what an accessor returns as a pointer to const belongs to the object it came from. Arguments stay the
 * caller's, and texts are copied, but where a comment says otherwise. Using an object after its end is not noticed.
 *
 * Arrays. A pointer and a number; the pointer may be NULL where the number is 0. Texts are UTF-8 and end in a zero.
 *
 * Threads. Any function may be called from any thread. Objects that are not changed, which are statuses, shapes,
 * computations of both kinds, clients, executables and data, may be used by several at a time; literals while nobody
 * writes to them; a builder with its sub-builders by one at a time. Destroying an object needs it for oneself.
 *
 * Versions. Within a major version functions and enumerators are added, never changed; structs whose first member is
 * struct_size grow at their end. */
#ifndef TENON_C_TENON_H
#define TENON_C_TENON_H

#include "tenon/c/aot.h"
#include "tenon/c/builder.h"
#include "tenon/c/dynamic_computation.h"
#include "tenon/c/executable.h"
#include "tenon/c/ops.h"
#include "tenon/c/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_C_VERSION_MAJOR 0
#define TENON_C_VERSION_MINOR 1

/* The version of the library in use, which may be newer than that of this header: major * 1000 + minor. */
TENON_API int tenon_c_version(void);

#ifdef __cplusplus
}
#endif
#endif
