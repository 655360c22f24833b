// Targets as the rest of Tenon uses them. Private to the folder.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/target.h"

#include <memory>

namespace tenon::backend {

// The interpreter. Programs of known shapes alone; it compiles nothing, and shows programs as they were given.
std::unique_ptr<backend::Backend> makeReferenceBackend();

// Runs the passes that all targets share, and has the target compile what they give.
std::unique_ptr<backend::Backend> makeTargetBackend(std::string name, std::unique_ptr<target::Target> target);

} // namespace tenon::backend
