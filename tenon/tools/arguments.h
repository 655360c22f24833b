// The arguments of a program that a command runs.
#pragma once

#include "tenon/tools/array.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

namespace tenon::tools {

// "result 1 (loss)", for people.
std::string nameOf(const std::string &kind, size_t index, const std::string &name);

// Read from files, made up, or as `constants` say.
StatusOr<std::vector<Literal>> makeArguments(const InputOptions &options, ProgramFile &file,
                                             const std::vector<program::ArgumentValue> &constants);

// What can be known of the arguments when the program is compiled: constants, and integers that may decide a size.
std::vector<program::ArgumentValue> knownValues(const std::vector<Literal> &arguments,
                                                std::vector<program::ArgumentValue> constants);

} // namespace tenon::tools
