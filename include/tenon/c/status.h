/* Errors of the C interface. tenon/c/tenon.h says what holds for all of it. */
#ifndef TENON_C_STATUS_H
#define TENON_C_STATUS_H

#include "tenon/export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A result that is not looked at is an error that nobody sees, and memory that nobody frees. */
#define TENON_MUST_USE __attribute__((warn_unused_result))

/* Behind an enumeration's name: it holds any int in C++ as well, since a caller may pass a number that has no name. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define TENON_ANY_INT : int
#else
#define TENON_ANY_INT
#endif

/* The canonical codes that PJRT and gRPC share, with their numbers. */
typedef enum tenon_code TENON_ANY_INT {
  TENON_OK = 0,
  TENON_CANCELLED = 1,
  TENON_UNKNOWN = 2,
  TENON_INVALID_ARGUMENT = 3,
  TENON_DEADLINE_EXCEEDED = 4,
  TENON_NOT_FOUND = 5,
  TENON_ALREADY_EXISTS = 6,
  TENON_PERMISSION_DENIED = 7,
  TENON_RESOURCE_EXHAUSTED = 8,
  TENON_FAILED_PRECONDITION = 9,
  TENON_ABORTED = 10,
  TENON_OUT_OF_RANGE = 11,
  TENON_UNIMPLEMENTED = 12,
  TENON_INTERNAL = 13,
  TENON_UNAVAILABLE = 14,
  TENON_DATA_LOSS = 15,
  TENON_UNAUTHENTICATED = 16
} tenon_code;

/* An error. Success is NULL, which every function here takes. */
typedef struct tenon_status tenon_status;

/* Frees an error. */
TENON_API void tenon_status_destroy(tenon_status *status);
/* The kind of the error; TENON_OK if there is none. */
TENON_API tenon_code tenon_status_code(const tenon_status *status);
/* What went wrong, in words, without the code; "" if nothing did. Lives as long as the status. */
TENON_API const char *tenon_status_message(const tenon_status *status);

/* "INVALID_ARGUMENT"; "UNKNOWN" for what is no code. Lives for ever. */
TENON_API const char *tenon_code_name(tenon_code code);

#ifdef __cplusplus
}
#endif
#endif
