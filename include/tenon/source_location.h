// Where in the user's program a call was made, so that errors, reports and profiles can name it.
#pragma once

#include "tenon/xla_namespace.h"

namespace tenon::xla_2017 {

// Not to be made from braces: `{}` as an argument is a list.
struct SourceLocation {
  // A line of a file, whose name must live as long as what is told of it: a literal of the language.
  explicit SourceLocation(const char *file_name, int line_number) : file(file_name), line(line_number) {}
  // As the default of a parameter: the place of the call.
  static SourceLocation current(const char *file_name = __builtin_FILE(), int line_number = __builtin_LINE()) {
    return SourceLocation(file_name, line_number);
  }

  const char *file;
  int line;
};

} // namespace tenon::xla_2017
