// Programs as bytes, for caches and other processes.
#pragma once

#include "tenon/program/device_program.h"
#include "tenon/program/program.h"
#include "tenon/status.h"

#include <string>
#include <string_view>

namespace tenon::program {

std::string serialize(const Program &program);
// What serialize does last: puts the header with length and checksum in front of a program's fields. Fuzzing makes up
// the fields.
std::string sealed(std::string_view fields);

// Refuses other versions and damaged or truncated bytes with INVALID_ARGUMENT; any input is safe. What the program
// needs of the CPU is checked where it is loaded.
StatusOr<Program> deserialize(std::string_view bytes);
// The same of bytes that begin with a program; `rest` is what follows.
StatusOr<Program> deserialize(std::string_view bytes, std::string_view &rest);

// The same of what a device runs, whose arguments, results, constants and calls of the runtime `description` has.
std::string serialize(const DeviceProgram &program);
StatusOr<DeviceProgram> deserializeDeviceProgram(std::string_view bytes, const Program &description,
                                                 std::string_view &rest);

// Whether the bytes begin like a serialised program.
bool isSerializedProgram(std::string_view bytes);

} // namespace tenon::program
