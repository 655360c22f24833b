// What `tenon compile --aot` writes.
#pragma once

#include "tenon/aot/package.h"
#include "tenon/tools/commands.h"

namespace tenon::tools {

// One of the programs that are compiled together: a file, a function of it, and the shapes of its arguments.
struct ProgramChoice {
  std::string model; // what it is called ahead of time
  std::string program, entry;
  std::vector<std::string> shapes;
};
// Each program with each entry and each set of shapes.
StatusOr<std::vector<ProgramChoice>> chosenPrograms(const CompileOptions &options);

// With the package's name alone.
aot::PackageOptions aotPackageOptions(const CompileOptions &options);
// Says in the request where the weights are.
Status setWeights(const CompileOptions &options, aot::PackageOptions &request);
Status writeAheadOfTime(const aot::Package &package, const CompileOptions &options);

} // namespace tenon::tools
