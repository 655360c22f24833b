// Profiles, written as the command line says.
#pragma once

#include "tenon/profile.h"
#include "tenon/tools/commands.h"

#include "tenon/status.h"

namespace tenon::tools {

// kUnimplemented where nothing was recorded, since the target has no kernels of Tenon's.
Status writeProfile(const xla::Profile &profile, const RunOptions &options);

} // namespace tenon::tools
