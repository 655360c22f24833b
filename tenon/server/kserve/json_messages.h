// Requests and responses in JSON, with the binary data of tensors behind it.
#pragma once

#include "tenon/server/kserve/tensor.h"

#include <string>
#include <string_view>

namespace tenon::kserve {

// What a body holds: JSON of so many bytes, and behind it the tensors that are said to be binary. INVALID_ARGUMENT for
// bodies that are wrong, with the field; shapes and data are still unchecked (checkTensor).
StatusOr<InferRequest> readInferRequest(std::string_view body, size_t jsonBytes);

struct Body {
  std::string text;
  size_t jsonBytes = 0; // as many as `text` has where nothing is binary
};
// INVALID_ARGUMENT for an infinity or NaN in an output that is not asked for as binary data: JSON has none.
StatusOr<Body> writeInferResponse(const InferResponse &response, const InferRequest &request);

} // namespace tenon::kserve
