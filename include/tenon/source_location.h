// Where in the user's program a call was made, so that errors, reports and profiles can name it.
#pragma once

namespace xla {

struct SourceLocation {
  const char *file = "";
  int line = 0;

  // As the default of a parameter: the place of the call.
  static SourceLocation current(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

} // namespace xla
