#pragma once

#include "tenon/program/program.h"

#include <string>

namespace tenon::tools {

// What the compiler did, for people and for programs.
std::string formatReport(const program::Program &program);
std::string formatReportJson(const program::Program &program);

} // namespace tenon::tools
