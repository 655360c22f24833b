#include "test/c_test.h"

#include <stdio.h>
#include <string.h>

static struct c_test *tests;
static int failures;

void c_test_add(struct c_test *test) {
  test->next = tests;
  tests = test;
}

void c_test_check(bool holds, const char *what, const char *file, int line) {
  if (holds)
    return;
  ++failures;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

bool c_test_texts_equal(const char *got, const char *expected) {
  bool equal = got && expected && strcmp(got, expected) == 0;
  if (!equal)
    fprintf(stderr, "is:     %s\nshould: %s\n", got ? got : "NULL", expected ? expected : "NULL");
  return equal;
}

bool c_test_ok(tenon_status *status) {
  bool ok = tenon_status_code(status) == TENON_OK;
  if (!ok)
    fprintf(stderr, "%s: %s\n", tenon_code_name(tenon_status_code(status)), tenon_status_message(status));
  tenon_status_destroy(status);
  return ok;
}

bool c_test_error(tenon_status *status, tenon_code code, const char *part_of_message) {
  bool expected = tenon_status_code(status) == code && strstr(tenon_status_message(status), part_of_message);
  if (!expected)
    fprintf(stderr, "is:     %s: %s\nshould: %s: ...%s...\n", tenon_code_name(tenon_status_code(status)),
            tenon_status_message(status), tenon_code_name(code), part_of_message);
  tenon_status_destroy(status);
  return expected;
}

static bool chosen(const struct c_test *test, int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (strstr(test->name, argv[i]))
      return true;
  return argc == 1;
}

int main(int argc, char **argv) {
  int ran = 0;
  for (const struct c_test *test = tests; test; test = test->next) {
    if (!chosen(test, argc, argv))
      continue;
    int before = failures;
    test->run();
    printf("%s %s\n", failures == before ? "ok    " : "FAILED", test->name);
    ++ran;
  }
  printf("%d cases, %d failures\n", ran, failures);
  return failures != 0 || ran == 0;
}
