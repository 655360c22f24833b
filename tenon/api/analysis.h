// The compiler's report of a program, as the C++ interface says it.
#pragma once

#include "tenon/program/program.h"
#include "tenon/xla.pb.h"
#include "tenon/xla_namespace.h"

namespace tenon::api {

xla::ExecutableAnalysis analysisOf(const program::Program &program);

} // namespace tenon::api
