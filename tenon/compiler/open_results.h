// What a program gives, as its source says it.
#pragma once

#include "tenon/compiler/compiler.h"

namespace tenon::compiler {

// The results of main, by themselves or in a tuple or future. A size is -1 where the type leaves it open, which those
// of the arguments may decide. Errors as compile's.
StatusOr<std::vector<OpenArgument>> describeResults(std::string_view source, const CompileOptions &options = {});

} // namespace tenon::compiler
