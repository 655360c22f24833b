// Shardings as text, to xla.OpSharding.
#pragma once

#include "tenon/support/status.h"

#include <string>
#include <string_view>

namespace tenon::pjrt {

// `text` is what program::Argument::sharding holds: XLA's notation ("{devices=[2,1]<=[2]}", "{replicated}"), a Shardy
// attribute with its mesh inlined ("#sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}, {}]>"), or empty for replicated.
StatusOr<std::string> shardingToProto(std::string_view text);

} // namespace tenon::pjrt
