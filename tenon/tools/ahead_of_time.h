// What `tenon compile --aot` writes.
#pragma once

#include "tenon/aot/package.h"
#include "tenon/tools/commands.h"

namespace tenon::tools {

aot::PackageOptions aotPackageOptions(const CompileOptions &options);
Status writeAheadOfTime(const aot::Package &package, const CompileOptions &options);

} // namespace tenon::tools
