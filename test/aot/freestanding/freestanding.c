/* The little of a C library that a test's program and a model want, over Linux's system calls on 64-bit RISC-V. */
#include "stdio.h"
#include "stdlib.h"

#include <stdarg.h>
#include <stdint.h>

enum { kOpenAt = 56, kClose = 57, kRead = 63, kWrite = 64, kExit = 93, kHere = -100, kCreate = 01101 };

static long call(long number, long a, long b, long c, long d) {
  register long a7 __asm__("a7") = number;
  register long a0 __asm__("a0") = a;
  register long a1 __asm__("a1") = b;
  register long a2 __asm__("a2") = c;
  register long a3 __asm__("a3") = d;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
  return a0;
}

void exit(int status) {
  call(kExit, status, 0, 0, 0);
  __builtin_unreachable();
}

void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memmove(void *to, const void *from, size_t bytes) {
  if ((uintptr_t)to <= (uintptr_t)from)
    return memcpy(to, from, bytes);
  while (bytes-- > 0)
    ((char *)to)[bytes] = ((const char *)from)[bytes];
  return to;
}
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((char *)to)[i] = (char)value;
  return to;
}
int memcmp(const void *a, const void *b, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
      return ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
  return 0;
}

void *malloc(size_t bytes) {
  static char memory[256 << 20] __attribute__((aligned(64)));
  static size_t used;
  char *block = memory + used;
  used += (bytes + 63) & ~(size_t)63;
  return used <= sizeof memory ? block : NULL;
}

struct FILE {
  long number;
};
static FILE files[64], errors = {2};
FILE *const stderr = &errors;

FILE *fopen(const char *name, const char *mode) {
  long number = call(kOpenAt, kHere, (long)name, mode[0] == 'w' ? kCreate : 0, 0644);
  if (number < 0 || number >= 64)
    return NULL;
  files[number].number = number;
  return &files[number];
}
int fclose(FILE *file) { return (int)call(kClose, file->number, 0, 0, 0); }

static size_t transfer(long number, char *data, size_t bytes, FILE *file) {
  size_t done = 0;
  while (done < bytes) {
    long part = call(number, file->number, (long)(data + done), (long)(bytes - done), 0);
    if (part <= 0)
      break;
    done += (size_t)part;
  }
  return done;
}
size_t fread(void *data, size_t size, size_t count, FILE *file) {
  return transfer(kRead, (char *)data, size * count, file) / size;
}
size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
  return transfer(kWrite, (char *)(uintptr_t)data, size * count, file) / size;
}

static size_t append(char *text, size_t size, size_t at, char c) {
  if (at + 1 < size)
    text[at] = c;
  return at + 1;
}
static int format_text(char *text, size_t size, const char *format, va_list values) {
  size_t at = 0;
  for (; *format; ++format) {
    if (*format != '%') {
      at = append(text, size, at, *format);
      continue;
    }
    while (*++format == 'l')
      ;
    if (*format == 's') {
      for (const char *s = va_arg(values, const char *); *s; ++s)
        at = append(text, size, at, *s);
      continue;
    }
    long value = va_arg(values, long);
    char digits[24];
    int count = 0;
    unsigned long rest = value < 0 ? 0 - (unsigned long)value : (unsigned long)value;
    do
      digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
      at = append(text, size, at, '-');
    while (count > 0)
      at = append(text, size, at, digits[--count]);
  }
  if (size > 0)
    text[at < size ? at : size - 1] = '\0';
  return (int)at;
}
int snprintf(char *text, size_t size, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = format_text(text, size, format, values);
  va_end(values);
  return length;
}
int fprintf(FILE *file, const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  int length = format_text(text, sizeof text, format, values);
  va_end(values);
  return (int)fwrite(text, 1, length < (int)sizeof text ? (size_t)length : sizeof text - 1, file);
}
void perror(const char *name) { fprintf(stderr, "%s: cannot be read\n", name); }

int main(void);
__attribute__((used)) static void begin(void) { exit(main()); }
__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "  la gp, __global_pointer$\n"
        ".option pop\n"
        "  call begin\n");
