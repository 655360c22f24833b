#include "tenon/tools/completion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

namespace {

// In single quotes, which the text may not have then.
std::string quoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "" : std::string(1, c);
  return result + "'";
}

std::string firstSentence(llvm::StringRef text) { return text.split(". ").first.split('\n').first.str(); }

// The command first, then its options, or files.
std::string bashScript(const std::vector<CommandSummary> &commands) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "_tenon() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = help ]; }; then\n"
         "    words=\"";
  for (const CommandSummary &command : commands)
    out << command.name << " ";
  out << "--help --version\"\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n";
  for (const CommandSummary &command : commands) {
    out << "  " << command.name << ") words=\"";
    for (const auto &[option, description] : command.options)
      out << option << " ";
    out << "\" ;;\n";
  }
  out << "  esac\n"
         "  case $current in\n"
         "  -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "  *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _tenon tenon\n";
  return text;
}

std::string fishScript(const std::vector<CommandSummary> &commands) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const CommandSummary &command : commands)
    out << "complete -c tenon -f -n __fish_use_subcommand -a " << command.name << " -d "
        << quoted(firstSentence(command.description)) << "\n";
  for (const CommandSummary &command : commands)
    for (const auto &[option, description] : command.options)
      out << "complete -c tenon -n '__fish_seen_subcommand_from " << command.name << "' -l "
          << llvm::StringRef(option).drop_front(2) << " -d " << quoted(firstSentence(description)) << "\n";
  return text;
}

} // namespace

std::string completionScript(const std::string &shell, const std::vector<CommandSummary> &commands) {
  if (shell == "fish")
    return fishScript(commands);
  std::string adapter = shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
  return adapter + bashScript(commands);
}

} // namespace tenon::tools
