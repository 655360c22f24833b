// Scripts by which shells complete the command line.
#pragma once

#include <string>
#include <vector>

namespace tenon::tools {

struct CommandSummary {
  std::string name, description;
  // The long options, as "--args", with what they are for.
  std::vector<std::pair<std::string, std::string>> options;
};

// The script for a shell: "bash", "zsh" or "fish".
std::string completionScript(const std::string &shell, const std::vector<CommandSummary> &commands);

} // namespace tenon::tools
