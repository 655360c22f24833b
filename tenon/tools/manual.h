// The manual page of the command.
#pragma once

#include "tenon/tools/completion.h"

namespace tenon::tools {

// tenon(1) as man(7) has it: the commands, their arguments and options. `version` is "tenon 0.1.0".
std::string manualPage(const std::vector<CommandSummary> &commands, const std::string &version);

} // namespace tenon::tools
