/* What the tests' programs want of <stdio.h>, where there is no C library. */
#ifndef TENON_FREESTANDING_STDIO_H
#define TENON_FREESTANDING_STDIO_H
#include <stddef.h>

typedef struct FILE FILE;
extern FILE *const stderr;
FILE *fopen(const char *name, const char *mode); /* "rb" or "wb" */
size_t fread(void *data, size_t size, size_t count, FILE *file);
size_t fwrite(const void *data, size_t size, size_t count, FILE *file);
int fclose(FILE *file);
int fprintf(FILE *file, const char *format, ...); /* of %d and %s */
int snprintf(char *text, size_t size, const char *format, ...);
void perror(const char *name);
#endif
