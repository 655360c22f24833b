// Scripts by which shells complete the command line, and what they and the manual page are made of.
#pragma once

#include <string>
#include <vector>

namespace tenon::tools {

struct CommandSummary {
  std::string name, description;
  // What it takes beside options, with what that is.
  std::vector<std::pair<std::string, std::string>> arguments;
  // The long options, as "--args", with what they are for.
  std::vector<std::pair<std::string, std::string>> options;
};

// The script for a shell: "bash", "zsh" or "fish".
std::string completionScript(const std::string &shell, const std::vector<CommandSummary> &commands);

} // namespace tenon::tools
