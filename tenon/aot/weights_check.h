// Whether weights are those that a model was compiled with: LLVM IR, as text. Private to the folder.
#pragma once

#include "tenon/aot/weights.h"

#include <string>

namespace tenon::aot {

// NAME_check_weights, which looks at all of them and says what is wrong, as a text, or returns null. It refers to the
// text of the weights' first bytes, @weights.header, and to weightsDigestText().
std::string weightsCheckText(const std::string &name, const WeightsFacts &facts, bool is32Bit);

// The function tenon_weights_digest.
const char *weightsDigestText();

} // namespace tenon::aot
