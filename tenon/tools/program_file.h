// Loading the program that a subcommand works on, with errors as compilers print them.
#pragma once

#include "tenon/compiler/imported_program.h"
#include "tenon/frontend/import/diagnostics.h"
#include "tenon/program/program.h"
#include "tenon/status.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::tools {

// Prints "error: message" to standard error and returns the exit status 1.
int reportError(const Status &status);
int reportError(const std::string &message);

// Prints the context's diagnostics to standard error as long as the result lives; see DiagnosticReader. `source` is the
// program's bytes, which live as long.
std::unique_ptr<frontend::DiagnosticReader> printDiagnostics(mlir::MLIRContext &context, const std::string &fileName,
                                                             std::string_view source);

// A program and what it was read from: source, or what `tenon compile -o` wrote.
struct ProgramFile {
  std::string path;
  std::string bytes;
  std::optional<program::Program> compiled;
  // Only for source.
  std::shared_ptr<compiler::ImportedProgram> imported; // whoever compiles it uses it up
  std::unique_ptr<frontend::DiagnosticReader> diagnostics;

  mlir::ModuleOp module() { return *imported->module; }

  // Those of the function `main`. Dimensions that are not known are -1. Fails on types that are not arrays or tokens.
  StatusOr<std::vector<program::Argument>> arguments();
  // The arguments' shapes, as `texts` ("8x3", or "-" for what the type says) give them; one for each argument. Empty if
  // there are no texts.
  StatusOr<std::vector<std::vector<int64_t>>> argumentShapes(const std::vector<std::string> &texts);
  // The elements that arguments are compiled for: "0=3" and, of a list, "1=8,4".
  StatusOr<std::vector<program::ArgumentValue>> argumentValues(const std::vector<std::string> &texts);
  StatusOr<std::vector<program::Result>> results();
};

// "-" is standard input. `entry` is the function that is the program, see frontend::ImportOptions. On failure
// everything has been printed.
std::unique_ptr<ProgramFile> loadProgram(const std::string &path, const std::string &entry);
// The same, but only source will do. Of both, main takes and gives arrays and tokens only (frontend::flattenMain).
std::unique_ptr<ProgramFile> loadSource(const std::string &path, const std::string &entry);
// Source of any functions, as it was read.
std::unique_ptr<ProgramFile> loadModule(const std::string &path);

// Prints why a program could not be compiled, and returns the exit status 1.
int reportCompileError(const Status &status);

} // namespace tenon::tools
