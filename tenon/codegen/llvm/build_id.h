// Which build of the compiler this is.
#pragma once

#include <string>

namespace tenon::codegen {

// The bytes of the linker's build ID of the program or shared library that this code is in: different for any two whose
// code differs. Empty if it was linked without one.
const std::string &buildId();

} // namespace tenon::codegen
