#pragma once

#include "tenon/status.h"

#include <string>
#include <string_view>

namespace tenon {

// Makes or replaces a file. FAILED_PRECONDITION, with the path and the system's reason, where that cannot be done.
Status writeFile(const std::string &path, std::string_view contents);

} // namespace tenon
