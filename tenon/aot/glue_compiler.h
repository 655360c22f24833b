// Object code of the functions that a model has around what was compiled of its program. Private to the folder.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/status.h"

#include <string>
#include <utility>
#include <vector>

namespace tenon::aot {

// The text with each of the names replaced by its value, one name after the other.
std::string fillIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

// An object made of LLVM IR, as text.
StatusOr<std::string> compileGlue(const std::string &text, const codegen::CpuTargetOptions &options);

} // namespace tenon::aot
