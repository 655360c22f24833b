#pragma once

#include "tenon/ir/sdy.h"
#include "tenon/program/program.h"

#include <optional>

namespace tenon::codegen {

// A sharding over that mesh as tiles and their devices. None if it is not one of the mesh, or says that devices hold
// summands of the array.
std::optional<program::Sharding> tiledSharding(sdy::TensorShardingAttr sharding, sdy::MeshAttr mesh);

} // namespace tenon::codegen
