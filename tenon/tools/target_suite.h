// The programs that every target is held to: those of the folder target_suite.
#pragma once

#include <span>

namespace tenon::tools {

struct SuiteFile {
  const char *name, *text;
};

std::span<const SuiteFile> targetSuite();

} // namespace tenon::tools
