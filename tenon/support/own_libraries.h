// Libraries of Tenon's own that are opened only when they are needed.
#pragma once

#include <string>

namespace tenon {

// Where the library of that file name is: beside the library or program that has this code, where an installation has
// it, or, of the command of a wheel, where the wheel's package has it. If it is in none of these places, the name,
// which the loader then looks for.
std::string findOwnLibrary(const std::string &name);

} // namespace tenon
