/* What the tests' programs want of <stdlib.h>, where there is no C library. */
#ifndef TENON_FREESTANDING_STDLIB_H
#define TENON_FREESTANDING_STDLIB_H
#include <stddef.h>

void *malloc(size_t bytes); /* nothing is freed */
void exit(int status);
#endif
