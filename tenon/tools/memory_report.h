// The memory plan of a compiled program, for people, for programs and as a picture. docs/debugging.md explains them.
#pragma once

#include "tenon/program/program.h"

#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <string>

namespace tenon::tools {

void printMemory(llvm::raw_ostream &out, const program::Program &program);

nlohmann::ordered_json memoryJson(const program::Program &program);

// A self-contained SVG: the arena's buffers over the steps of the program, and the bytes in use.
std::string memoryPicture(const program::Program &program);

} // namespace tenon::tools
