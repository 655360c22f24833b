#pragma once

#include "tenon/aot/package.h"
#include "tenon/program/program.h"

#include <string>

namespace tenon::tools {

// What the compiler did, for people and for programs; with `sizes`, of the ahead-of-time output, too.
std::string formatReport(const program::Program &program, const aot::PackageSizes *sizes = nullptr);
std::string formatReportJson(const program::Program &program, const aot::PackageSizes *sizes = nullptr);

// 1536 -> "1.5 KiB"; 1500 -> "1.5 k".
std::string humanBytes(double bytes);
std::string humanCount(double count);

} // namespace tenon::tools
