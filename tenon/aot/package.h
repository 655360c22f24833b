// Ahead-of-time output: compiled programs as one relocatable object and a C header, which need libc and libm and
// nothing of ours (but for LAPACK's routines). docs/aot.md shows what a user does with them.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

// A safetensors file that stays as it is, and has some of the arguments.
struct WeightsFile {
  std::string path;
  std::map<std::string, std::string> bindings; // which tensor an argument is; the others go by their names
};

struct PackageOptions {
  // The files' name, a C identifier (see identifierFor).
  std::string name;
  // The constants go to a file of their own, which the caller loads (or maps) and passes to each run.
  bool externalWeights = false;
  // Each run is given its contents, and has the arguments from there that are in it. Not with externalWeights.
  std::optional<WeightsFile> weightsFile;
};

struct PackageSizes {
  int64_t code = 0, readOnly = 0, writable = 0; // in the object; without the weights
  int64_t weights = 0;                          // in the object or in their own file
  int64_t arena = 0;                            // of a run on one thread
  int64_t scratch = 0;                          // more for each further thread
  int64_t stack = 0;                            // that a run takes of a thread's, at most
};

// A program of a package: CompileOptions::bitcode.
struct Model {
  std::string name; // prefix of every public name, a C identifier. Models of different names link into one binary
  const program::Program *program = nullptr;
};

struct Package {
  std::string object;  // relocatable, of the kind that the system has: ELF, Mach-O, COFF, WebAssembly
  std::string header;  // C99 and C++
  std::string weights; // contents of the weights' file; empty where they are embedded
  // What the binary has to bring: functions of libc, libm and the C compiler's support library, and custom calls.
  std::vector<std::string> undefined;
  // The routines of LAPACK that it calls, each with its place in the source: it wants libtenon_lapack.a.
  std::vector<std::string> lapack;
  // The custom calls among the undefined.
  std::vector<std::string> customCalls;
  PackageSizes sizes;
};

// Errors: kInvalidArgument for a name that is no identifier, kUnimplemented for programs that need more than a C
// library and LAPACK: typed custom calls, transfers to the host, several devices. The message names every such op
// with its place in the source.
// The models are compiled for one processor. They share constants and kernels that are equal.
StatusOr<Package> makePackage(const std::vector<Model> &models, const PackageOptions &options);
// A package of one model, which has the package's name.
StatusOr<Package> makePackage(const program::Program &program, const PackageOptions &options);

// INVALID_ARGUMENT if it cannot be a model's name.
Status checkName(const std::string &name);

// Writes NAME.o, NAME.h and, unless they are empty, NAME.weights to a folder, which is made where it is missing.
// FAILED_PRECONDITION, with the path, where that cannot be done.
Status writeFiles(const std::string &folder, const std::string &name, std::string_view object, std::string_view header,
                  std::string_view weights);

// A C identifier that resembles `text` ("mobilenet-v2.mlir" without its ending: "mobilenet_v2").
std::string identifierFor(std::string_view text);

} // namespace tenon::aot
