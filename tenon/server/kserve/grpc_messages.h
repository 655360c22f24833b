// Requests and responses as messages of open_inference.proto.
#pragma once

#include "tenon/open_inference.pb.h"
#include "tenon/server/kserve/tensor.h"

namespace tenon::kserve {

// Takes the tensors' bytes out of the message. INVALID_ARGUMENT for messages that are wrong, with the field; shapes and
// data are still unchecked (checkTensor).
StatusOr<InferRequest> takeInferRequest(inference::ModelInferRequest &message);

// The tensors go into raw_output_contents.
void giveInferResponse(InferResponse &&response, inference::ModelInferResponse &message);

} // namespace tenon::kserve
