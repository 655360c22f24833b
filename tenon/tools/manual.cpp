#include "tenon/tools/manual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

namespace {

// A line of text: without what troff takes for a request or an escape, and with hyphens that can be copied.
std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c == '\n' ? ' ' : c;
  return !result.empty() && (result.front() == '.' || result.front() == '\'') ? "\\&" + result : result;
}

void writeEntries(llvm::raw_ostream &out, const std::vector<std::pair<std::string, std::string>> &entries) {
  for (const auto &[name, description] : entries)
    out << ".TP\n.B " << escaped(name) << "\n" << escaped(description) << "\n";
}

} // namespace

std::string manualPage(const std::vector<CommandSummary> &commands, const std::string &version) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << ".TH TENON 1 \"\" \"" << version << "\" \"User Commands\"\n"
      << ".SH NAME\ntenon \\- compile, run and examine StableHLO programs\n"
      << ".SH SYNOPSIS\n.B tenon\n.I command\n[\\fIoptions\\fR] [\\fIfiles\\fR]\n"
      << ".SH DESCRIPTION\n"
      << "Compiles and runs StableHLO programs in any form, and shows what the compiler makes of them. The commands:\n";
  for (const CommandSummary &command : commands)
    out << ".TP\n.B " << escaped(command.name) << "\n" << escaped(command.description) << ".\n";
  for (const CommandSummary &command : commands) {
    out << ".SH TENON " << escaped(llvm::StringRef(command.name).upper()) << "\n"
        << escaped(command.description) << ".\n";
    writeEntries(out, command.arguments);
    writeEntries(out, command.options);
  }
  out << ".SH EXIT STATUS\n0 where the command did what it was asked for; 1 after an error, which is told on standard "
         "error.\n"
      << ".SH ENVIRONMENT\nVariables that begin with TENON_ are listed in docs/environment.md.\n";
  return text;
}

} // namespace tenon::tools
