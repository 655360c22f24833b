#include "tenon/server/kserve/grpc_messages.h"

#include <cstring>
#include <utility>

namespace tenon::kserve {
namespace {

using inference::InferParameter;
using inference::InferTensorContents;
using inference::ModelInferRequest;
using program::ElementType;

// The elements as they are stored. Integers of fewer bits than the message's must be values of their type.
template <typename T, typename Field> Status appendField(const Field &field, Tensor &tensor) {
  tensor.bytes.resize(static_cast<size_t>(field.size()) * sizeof(T));
  char *to = tensor.bytes.data();
  for (auto value : field) {
    if constexpr (!std::is_floating_point_v<T> && !std::is_same_v<T, bool>)
      if (!std::in_range<T>(value))
        return invalidArgument("input '" + tensor.name + "' has the element " + std::to_string(value) +
                               ", which is no value of " + std::string(datatypeOf(tensor.shape.type)));
    auto stored = static_cast<T>(value);
    std::memcpy(to, &stored, sizeof(T));
    to += sizeof(T);
  }
  return {};
}

// Elements in the field of another type are none of this tensor's: the size of what is taken is then wrong.
Status appendContents(const InferTensorContents &contents, Tensor &tensor) {
  switch (tensor.shape.type) {
  case ElementType::kI1:
    return appendField<bool>(contents.bool_contents(), tensor);
  case ElementType::kI8:
    return appendField<int8_t>(contents.int_contents(), tensor);
  case ElementType::kI16:
    return appendField<int16_t>(contents.int_contents(), tensor);
  case ElementType::kI32:
    return appendField<int32_t>(contents.int_contents(), tensor);
  case ElementType::kI64:
    return appendField<int64_t>(contents.int64_contents(), tensor);
  case ElementType::kUI8:
    return appendField<uint8_t>(contents.uint_contents(), tensor);
  case ElementType::kUI16:
    return appendField<uint16_t>(contents.uint_contents(), tensor);
  case ElementType::kUI32:
    return appendField<uint32_t>(contents.uint_contents(), tensor);
  case ElementType::kUI64:
    return appendField<uint64_t>(contents.uint64_contents(), tensor);
  case ElementType::kF32:
    return appendField<float>(contents.fp32_contents(), tensor);
  case ElementType::kF64:
    return appendField<double>(contents.fp64_contents(), tensor);
  default:
    return invalidArgument("input '" + tensor.name + "' must be in raw_input_contents: contents has no field for " +
                           std::string(datatypeOf(tensor.shape.type)));
  }
}

using Parameters = google::protobuf::Map<std::string, InferParameter>;

// Parameters of tensors and outputs are those of shared memory, classification and the like.
Status checkNoParameters(const Parameters &parameters, const std::string &what) {
  for (const auto &[name, value] : parameters)
    return invalidArgument(what + " has a parameter that the server does not know: '" + name.substr(0, 80) + "'");
  return {};
}

Status readParameters(const Parameters &parameters, InferRequest &request) {
  for (const auto &[name, value] : parameters) {
    if (name != "timeout")
      return invalidArgument("the request has a parameter that the server does not know: '" + name.substr(0, 80) + "'");
    if (value.parameter_choice_case() != InferParameter::kInt64Param)
      return invalidArgument("the parameter timeout must be an int64");
    TENON_RETURN_IF_ERROR(setTimeout(request, value.int64_param()));
  }
  return {};
}

} // namespace

StatusOr<InferRequest> takeInferRequest(ModelInferRequest &message) {
  InferRequest request;
  request.model = message.model_name();
  request.version = message.model_version();
  request.id = message.id();
  TENON_RETURN_IF_ERROR(readParameters(message.parameters(), request));
  bool isRaw = message.raw_input_contents_size() > 0;
  if (isRaw && message.raw_input_contents_size() != message.inputs_size())
    return invalidArgument("the request has " + std::to_string(message.inputs_size()) + " inputs and " +
                           std::to_string(message.raw_input_contents_size()) + " raw_input_contents");
  for (int i = 0; i < message.inputs_size(); ++i) {
    const ModelInferRequest::InferInputTensor &input = message.inputs(i);
    Tensor &tensor = request.inputs.emplace_back();
    tensor.name = input.name();
    if (tensor.name.empty())
      return invalidArgument("an input has no name");
    std::string what = "input '" + tensor.name + "'";
    TENON_ASSIGN_OR_RETURN(tensor.shape.type, elementTypeOf(input.datatype(), what));
    tensor.shape.dims.assign(input.shape().begin(), input.shape().end());
    TENON_RETURN_IF_ERROR(checkNoParameters(input.parameters(), what));
    if (isRaw && input.has_contents())
      return invalidArgument(what + " has contents beside raw_input_contents");
    if (isRaw)
      tensor.bytes = std::move(*message.mutable_raw_input_contents(i));
    else
      TENON_RETURN_IF_ERROR(appendContents(input.contents(), tensor));
  }
  for (const auto &output : message.outputs()) {
    TENON_RETURN_IF_ERROR(checkNoParameters(output.parameters(), "output '" + output.name() + "'"));
    request.outputs.push_back({output.name()});
  }
  return request;
}

void giveInferResponse(InferResponse &&response, inference::ModelInferResponse &message) {
  message.set_model_name(response.model);
  message.set_model_version(response.version);
  message.set_id(response.id);
  for (Tensor &output : response.outputs) {
    auto &tensor = *message.add_outputs();
    tensor.set_name(output.name);
    tensor.set_datatype(std::string(datatypeOf(output.shape.type)));
    tensor.mutable_shape()->Assign(output.shape.dims.begin(), output.shape.dims.end());
    message.add_raw_output_contents(std::move(output.bytes));
  }
}

} // namespace tenon::kserve
