// Ahead-of-time output: a compiled program as one relocatable object and a C header, which need libc and libm and
// nothing of ours (but for LAPACK's routines). docs/aot.md shows what a user does with them.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

struct PackageOptions {
  // Prefix of every public name, a C identifier (see identifierFor). Models of different names link into one binary.
  std::string name;
  // The constants go to a file of their own, which the caller loads (or maps) and passes to each run.
  bool externalWeights = false;
};

struct PackageSizes {
  int64_t code = 0, readOnly = 0, writable = 0; // in the object; without the weights
  int64_t weights = 0;                          // in the object or in their own file
  int64_t arena = 0;                            // of a run on one thread
  int64_t scratch = 0;                          // more for each further thread
};

struct Package {
  std::string object;  // relocatable ELF
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
StatusOr<Package> makePackage(const program::Program &program, const PackageOptions &options);

// Writes NAME.o, NAME.h and, unless they are empty, NAME.weights to a folder, which is made where it is missing.
// FAILED_PRECONDITION, with the path, where that cannot be done.
Status writeFiles(const std::string &folder, const std::string &name, std::string_view object, std::string_view header,
                  std::string_view weights);

// A C identifier that resembles `text` ("mobilenet-v2.mlir" without its ending: "mobilenet_v2").
std::string identifierFor(std::string_view text);

} // namespace tenon::aot
