#include "test/fuzz/readers/readers.h"

#include <cstdio>
#include <cstdlib>

void tenon::fuzz::fail(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}
