// Options that JAX users give XLA's compiler (`compiler_options` of jax.jit). A program written for XLA may set them,
// and none of them changes what it computes, so they are checked as XLA does and passed over.
#pragma once

#include "tenon/backend/backend.h"

#include <string_view>

namespace tenon::pjrt {

bool isXlaOption(std::string_view name);

// Whether the value is of the option's type, or a text of one: a number, True or False. The messages are XLA's.
Status checkXlaOption(std::string_view name, const backend::OptionValue &value);

} // namespace tenon::pjrt
