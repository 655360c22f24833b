/* Cases of tests in C: TEST(Suite, Name) { CHECK(...); }. The program runs them all, or those whose name has one of its
 * arguments in it. */
#ifndef TENON_TEST_C_TEST_H
#define TENON_TEST_C_TEST_H

#include "tenon/c/tenon.h"

#include <stdbool.h>

struct c_test {
  const char *name;
  void (*run)(void);
  struct c_test *next;
};
void c_test_add(struct c_test *test);

#define TEST(suite, case)                                                                                              \
  static void suite##_##case (void); __attribute__((constructor)) static void suite##_##case##_add(void){              \
      static struct c_test test = {#suite "." #case, suite##_##case, 0};                                               \
      c_test_add(&test);} static void suite##_##case (void)

/* A case goes on after one that fails. */
void c_test_check(bool holds, const char *what, const char *file, int line);
#define CHECK(condition) c_test_check((condition), #condition, __FILE__, __LINE__)

bool c_test_texts_equal(const char *got, const char *expected);
/* Compares texts; says what they are where they differ. */
#define CHECK_TEXT(got, expected) CHECK(c_test_texts_equal((got), (expected)))

/* Destroys the status. */
bool c_test_ok(tenon_status *status);
bool c_test_error(tenon_status *status, tenon_code code, const char *part_of_message);
#define CHECK_OK(call) CHECK(c_test_ok(call))
#define CHECK_ERROR(call, code, part_of_message) CHECK(c_test_error((call), (code), (part_of_message)))

#endif
