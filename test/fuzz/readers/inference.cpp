// What comes from clients of the Open Inference Protocol.
#include "test/fuzz/readers/readers.h"

#include "tenon/server/kserve/grpc_messages.h"
#include "tenon/server/kserve/json_messages.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>

namespace tenon::fuzz {
namespace {

using namespace kserve;

// What was accepted, written as the outputs of a response and read as the inputs of a request, must be the same.
void checkRoundTrip(const InferRequest &request, bool isBinary) {
  if (!std::ranges::all_of(request.inputs, [](const Tensor &tensor) { return checkTensor(tensor).ok(); }))
    return;
  InferRequest form;
  form.isBinaryOutput = isBinary;
  auto body = writeInferResponse({"m", "1", "", request.inputs}, form);
  if (!body.ok())
    return; // an infinity
  constexpr std::string_view kHead = R"({"model_name":"m","model_version":"1","outputs":)";
  if (!body->text.starts_with(kHead))
    fail("a response begins in another way");
  std::string text = R"({"inputs":)" + body->text.substr(kHead.size());
  auto again = readInferRequest(text, body->jsonBytes - kHead.size() + std::string_view(R"({"inputs":)").size());
  if (!again.ok())
    fail("a response that is written cannot be read: " + again.status().message());
  for (size_t i = 0; i < request.inputs.size(); ++i)
    if (again->inputs[i].shape != request.inputs[i].shape || again->inputs[i].bytes != request.inputs[i].bytes)
      fail("a tensor is read as another than was written");
}

} // namespace

void fuzzInference(std::string_view bytes) {
  static google::protobuf::LogSilencer silencer; // of messages that are none
  inference::ModelInferRequest message;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    if (auto request = takeInferRequest(message); request.ok())
      checkRoundTrip(*request, /*isBinary=*/true);
  if (bytes.size() < 2)
    return;
  size_t jsonBytes = static_cast<uint8_t>(bytes[0]) | static_cast<size_t>(static_cast<uint8_t>(bytes[1])) << 8;
  auto request = readInferRequest(bytes.substr(2), jsonBytes);
  if (!request.ok())
    return;
  checkRoundTrip(*request, true);
  checkRoundTrip(*request, false);
}

} // namespace tenon::fuzz
