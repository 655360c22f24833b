// What the text of an optimized module tells frameworks besides the program.
#pragma once

#include "tenon/pjrt/executable.h"

#include <string>

namespace tenon::pjrt {

// The module's text with the layouts of its arguments and results, where some are not row-major, as attributes that XLA
// knows. jaxlib before 0.10 has no slots of the API for them, and takes them from the module.
std::string withLayouts(std::string text, const CompiledProgram &compiled);

} // namespace tenon::pjrt
