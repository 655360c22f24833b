// `tenon test-target`: runs the programs of target_suite on a target and on the interpreter, and compares.
#include "tenon/support/files.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/executor.h"
#include "tenon/tools/target_suite.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

namespace {

struct SuiteProgram {
  std::string name;  // "elementwise.mlir:12"
  std::string title; // its first line, a comment
  std::string text;
};

// The programs of a file stand between lines "// -----".
std::vector<SuiteProgram> programsOf(const SuiteFile &file) {
  std::vector<SuiteProgram> programs;
  size_t line = 1;
  llvm::StringRef rest(file.text);
  while (!rest.empty()) {
    auto [text, after] = rest.split("// -----\n");
    llvm::StringRef trimmed = text.ltrim();
    size_t first = line + text.drop_back(trimmed.size()).count('\n');
    llvm::StringRef title = trimmed.split('\n').first;
    title.consume_front("// ");
    programs.push_back({file.name + (":" + std::to_string(first)), title.str(), trimmed.str()});
    line += text.count('\n') + 1;
    rest = after;
  }
  return programs;
}

// Empty if they agree.
std::string compareWithReference(const SuiteProgram &program, backend::Backend &target, backend::Backend &reference) {
  auto expected = reference.compile(program.text, {}), actual = target.compile(program.text, {});
  if (!expected.ok())
    return "the interpreter: " + expected.status().message();
  if (!actual.ok())
    return actual.status().message();
  std::vector<Literal> arguments;
  for (const program::Argument &argument : (*expected)->program().arguments)
    arguments.push_back(randomArray(argument.shape, arguments.size() + 1).ConsumeValueOrDie());
  auto expectedResults = runExecutable(**expected, arguments, {}), results = runExecutable(**actual, arguments, {});
  if (!expectedResults.ok())
    return "the interpreter: " + expectedResults.status().message();
  if (!results.ok())
    return results.status().message();
  if (results->size() != expectedResults->size())
    return "the program has another number of results";
  for (size_t i = 0; i < results->size(); ++i)
    if (std::string difference = describeDifference((*results)[i], (*expectedResults)[i]); !difference.empty())
      return "result " + std::to_string(i) + ", " + difference;
  return "";
}

int writeSuite(const std::string &folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return reportError(folder + ": " + error.message());
  for (const SuiteFile &file : targetSuite())
    if (Status status = writeFile(folder + "/" + file.name, file.text); !status.ok())
      return reportError(status);
  return 0;
}

} // namespace

int testTargetCommand(const TestTargetOptions &options) {
  if (!options.suiteFolder.empty())
    return writeSuite(options.suiteFolder);
  if (options.target.empty())
    return reportError("which target?");
  auto target = findTarget(options.target), reference = findTarget("reference");
  if (!target.ok())
    return reportError(target.status());
  size_t count = 0, agreeing = 0;
  for (const SuiteFile &file : targetSuite())
    for (const SuiteProgram &program : programsOf(file)) {
      std::string difference = compareWithReference(program, **target, **reference);
      ++count;
      agreeing += difference.empty();
      llvm::outs() << (difference.empty() ? "ok    " : "FAILED ") << program.name << " " << program.title << "\n";
      if (!difference.empty())
        llvm::outs() << "  " << difference << "\n";
    }
  llvm::outs() << agreeing << " of " << count << " programs agree with the interpreter\n";
  return agreeing == count ? 0 : 1;
}

} // namespace tenon::tools
