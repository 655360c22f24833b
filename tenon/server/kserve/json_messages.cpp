#include "tenon/server/kserve/json_messages.h"

#include "tenon/server/kserve/json_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::kserve {
namespace {

using nlohmann::json;
using program::ElementType;

// --- Reading ---

Status wrongField(const std::string &what, const char *field, const char *must) {
  return invalidArgument("the " + std::string(field) + " of " + what + " must be " + must);
}

// A text that may be missing, which gives "".
StatusOr<std::string> textOf(const json &object, const char *field, const std::string &what) {
  auto found = object.find(field);
  if (found == object.end())
    return std::string();
  if (!found->is_string())
    return wrongField(what, field, "a string");
  return found->get<std::string>();
}

StatusOr<std::string> nameOf(const json &object, const std::string &what) {
  if (!object.is_object())
    return invalidArgument(what + " must be an object");
  TENON_ASSIGN_OR_RETURN(auto name, textOf(object, "name", what));
  if (name.empty())
    return invalidArgument(what + " has no name");
  return name;
}

// The parameters of a request or tensor, given one by one to `take`, which says whether it knows the name.
template <typename Take> Status readParameters(const json &object, const std::string &what, Take take) {
  auto parameters = object.find("parameters");
  if (parameters == object.end())
    return {};
  if (!parameters->is_object())
    return wrongField(what, "parameters", "an object");
  for (const auto &[name, value] : parameters->items()) {
    bool isKnown = true;
    TENON_RETURN_IF_ERROR(take(name, value, isKnown));
    if (!isKnown)
      return invalidArgument(what + " has a parameter that the server does not know: '" + name.substr(0, 80) + "'");
  }
  return {};
}

StatusOr<bool> boolOf(const json &value, const std::string &what) {
  if (!value.is_boolean())
    return invalidArgument(what + " must be true or false");
  return value.get<bool>();
}

StatusOr<int64_t> integerOf(const json &value, const std::string &what) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
    return invalidArgument(what + " must be an integer");
  return value.get<int64_t>();
}

// Whether `number` is one of the values of T, which `value` then is.
template <typename T> bool convert(const JsonNumber &number, T &value) {
  return std::visit(
      [&](auto given) {
        using Given = decltype(given);
        if constexpr (std::is_same_v<Given, bool> || std::is_same_v<T, bool>) {
          if constexpr (!std::is_same_v<Given, T>)
            return false;
          else
            value = given;
        } else if constexpr (std::is_floating_point_v<T>) {
          value = static_cast<T>(given);
          return std::isfinite(value);
        } else if constexpr (std::is_floating_point_v<Given>) {
          return false;
        } else {
          value = static_cast<T>(given);
          return std::in_range<T>(given);
        }
        return true;
      },
      number);
}

// Numbers of 16 bits, by way of f64, which holds what JSON has of them.
template <typename Format> bool convertSmall(const JsonNumber &number, const Format &format, uint16_t &value) {
  double wide = 0;
  if (!convert(number, wide))
    return false;
  value = static_cast<uint16_t>(encodeFloat(format, wide));
  return std::isfinite(decodeFloat(format, value));
}

template <typename T, typename Convert>
Status appendAs(const std::vector<JsonNumber> &numbers, Tensor &tensor, Convert convertOne) {
  tensor.bytes.resize(numbers.size() * sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    T value{};
    if (!convertOne(numbers[i], value))
      return invalidArgument("element " + std::to_string(i) + " of input '" + tensor.name + "' is no value of " +
                             std::string(datatypeOf(tensor.shape.type)));
    std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return {};
}

template <typename T> Status appendNumbers(const std::vector<JsonNumber> &numbers, Tensor &tensor) {
  return appendAs<T>(numbers, tensor, [](const JsonNumber &number, T &value) { return convert(number, value); });
}

Status appendData(const std::vector<JsonNumber> &numbers, Tensor &tensor) {
  switch (tensor.shape.type) {
  case ElementType::kI1:
    return appendNumbers<bool>(numbers, tensor);
  case ElementType::kUI8:
    return appendNumbers<uint8_t>(numbers, tensor);
  case ElementType::kUI16:
    return appendNumbers<uint16_t>(numbers, tensor);
  case ElementType::kUI32:
    return appendNumbers<uint32_t>(numbers, tensor);
  case ElementType::kUI64:
    return appendNumbers<uint64_t>(numbers, tensor);
  case ElementType::kI8:
    return appendNumbers<int8_t>(numbers, tensor);
  case ElementType::kI16:
    return appendNumbers<int16_t>(numbers, tensor);
  case ElementType::kI32:
    return appendNumbers<int32_t>(numbers, tensor);
  case ElementType::kI64:
    return appendNumbers<int64_t>(numbers, tensor);
  case ElementType::kF32:
    return appendNumbers<float>(numbers, tensor);
  case ElementType::kF64:
    return appendNumbers<double>(numbers, tensor);
  default: // FP16 and BF16, the others that elementTypeOf gives
    return appendAs<uint16_t>(numbers, tensor, [&](const JsonNumber &number, uint16_t &value) {
      return convertSmall(number, tenon::floatFormat(tensor.shape.type), value);
    });
  }
}

Status readShape(const json &object, const std::string &what, Tensor &tensor) {
  auto shape = object.find("shape");
  if (shape == object.end() || !shape->is_array())
    return wrongField(what, "shape", "an array of integers");
  for (const json &size : *shape) {
    TENON_ASSIGN_OR_RETURN(int64_t number, integerOf(size, "a size of " + what));
    tensor.shape.dims.push_back(number);
  }
  return {};
}

// `rest`: the binary data that no input has taken yet.
StatusOr<Tensor> readInput(const json &object, JsonRequest &source, std::string_view &rest) {
  Tensor tensor;
  TENON_ASSIGN_OR_RETURN(tensor.name, nameOf(object, "an input"));
  std::string what = "input '" + tensor.name + "'";
  TENON_ASSIGN_OR_RETURN(auto datatype, textOf(object, "datatype", what));
  TENON_ASSIGN_OR_RETURN(tensor.shape.type, elementTypeOf(datatype, what));
  TENON_RETURN_IF_ERROR(readShape(object, what, tensor));
  std::optional<int64_t> binaryBytes;
  TENON_RETURN_IF_ERROR(readParameters(object, what, [&](const std::string &name, const json &value, bool &isKnown) {
    isKnown = name == "binary_data_size";
    if (!isKnown)
      return Status();
    auto size = integerOf(value, "the binary_data_size of " + what);
    if (size.ok())
      binaryBytes = *size;
    return size.status();
  }));
  auto data = object.find("data");
  if ((data != object.end()) == binaryBytes.has_value())
    return invalidArgument(what + " must have either data or the parameter binary_data_size");
  if (binaryBytes) {
    if (*binaryBytes < 0 || static_cast<uint64_t>(*binaryBytes) > rest.size())
      return invalidArgument(what + " is to have " + std::to_string(*binaryBytes) + " bytes of binary data, and " +
                             std::to_string(rest.size()) + " are left of the body");
    tensor.bytes = rest.substr(0, static_cast<size_t>(*binaryBytes));
    rest.remove_prefix(static_cast<size_t>(*binaryBytes));
    return tensor;
  }
  if (!data->is_binary())
    return wrongField(what, "data", "an array of numbers");
  std::vector<JsonNumber> &numbers = source.data[data->get_binary().subtype()];
  TENON_RETURN_IF_ERROR(appendData(numbers, tensor));
  numbers = {}; // which takes more memory than the elements
  return tensor;
}

StatusOr<RequestedOutput> readOutput(const json &object, bool isBinary) {
  RequestedOutput output{{}, isBinary};
  TENON_ASSIGN_OR_RETURN(output.name, nameOf(object, "an output"));
  TENON_RETURN_IF_ERROR(readParameters(object, "output '" + output.name + "'",
                                       [&](const std::string &name, const json &value, bool &isKnown) {
                                         isKnown = name == "binary_data";
                                         if (!isKnown)
                                           return Status();
                                         auto given = boolOf(value, "binary_data of output '" + output.name + "'");
                                         output.isBinary = given.ok() && *given;
                                         return given.status();
                                       }));
  return output;
}

Status readRequestParameters(const json &value, InferRequest &request) {
  return readParameters(value, "the request", [&](const std::string &name, const json &parameter, bool &isKnown) {
    if (name == "binary_data_output") {
      auto given = boolOf(parameter, name);
      request.isBinaryOutput = given.ok() && *given;
      return given.status();
    }
    if (name == "timeout") {
      auto given = integerOf(parameter, name);
      return given.ok() ? setTimeout(request, *given) : given.status();
    }
    isKnown = false;
    return Status();
  });
}

// --- Writing ---

template <typename T> void appendNumber(std::string &out, T value) {
  std::array<char, 32> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// The elements, each converted by `convertOne`; the index of one that is no finite number, or -1.
template <typename T, typename Convert>
int64_t appendElements(std::string &out, const Tensor &tensor, Convert convertOne) {
  size_t count = tensor.bytes.size() / sizeof(T);
  for (size_t i = 0; i < count; ++i) {
    T stored;
    std::memcpy(&stored, tensor.bytes.data() + i * sizeof(T), sizeof(T));
    auto value = convertOne(stored);
    if constexpr (std::is_floating_point_v<decltype(value)>)
      if (!std::isfinite(value))
        return static_cast<int64_t>(i);
    out += i ? "," : "";
    appendNumber(out, value);
    // As an integer it would be read without its sign.
    if constexpr (std::is_floating_point_v<decltype(value)>)
      if (value == 0 && std::signbit(value))
        out += ".0";
  }
  return -1;
}

template <typename T> int64_t appendElements(std::string &out, const Tensor &tensor) {
  return appendElements<T>(out, tensor, [](T value) { return value; });
}

int64_t appendBooleans(std::string &out, const Tensor &tensor) {
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    out += std::string(i ? "," : "") + (tensor.bytes[i] ? "true" : "false");
  return -1;
}

int64_t appendAll(std::string &out, const Tensor &tensor) {
  switch (tensor.shape.type) {
  case ElementType::kI1:
    return appendBooleans(out, tensor);
  case ElementType::kUI8: // not as a letter
    return appendElements<uint8_t>(out, tensor, [](uint8_t value) { return unsigned{value}; });
  case ElementType::kUI16:
    return appendElements<uint16_t>(out, tensor);
  case ElementType::kUI32:
    return appendElements<uint32_t>(out, tensor);
  case ElementType::kUI64:
    return appendElements<uint64_t>(out, tensor);
  case ElementType::kI8:
    return appendElements<int8_t>(out, tensor, [](int8_t value) { return int{value}; });
  case ElementType::kI16:
    return appendElements<int16_t>(out, tensor);
  case ElementType::kI32:
    return appendElements<int32_t>(out, tensor);
  case ElementType::kI64:
    return appendElements<int64_t>(out, tensor);
  case ElementType::kF32:
    return appendElements<float>(out, tensor);
  case ElementType::kF64:
    return appendElements<double>(out, tensor);
  default:
    return appendElements<uint16_t>(
        out, tensor, [&](uint16_t code) { return decodeFloat(tenon::floatFormat(tensor.shape.type), code); });
  }
}

bool isBinary(const InferRequest &request, const std::string &output) {
  for (const RequestedOutput &requested : request.outputs)
    if (requested.name == output)
      return requested.isBinary;
  return request.isBinaryOutput;
}

} // namespace

StatusOr<InferRequest> readInferRequest(std::string_view body, size_t jsonBytes) {
  if (jsonBytes > body.size())
    return invalidArgument("the body has " + std::to_string(body.size()) + " bytes, and its JSON is to have " +
                           std::to_string(jsonBytes));
  TENON_ASSIGN_OR_RETURN(auto source, readJson(body.substr(0, jsonBytes)));
  const json &value = source.value;
  if (!value.is_object())
    return invalidArgument("the request must be an object");
  InferRequest request;
  TENON_ASSIGN_OR_RETURN(request.id, textOf(value, "id", "the request"));
  TENON_RETURN_IF_ERROR(readRequestParameters(value, request));
  auto inputs = value.find("inputs"), outputs = value.find("outputs");
  if (inputs == value.end() || !inputs->is_array())
    return wrongField("the request", "inputs", "an array");
  std::string_view rest = body.substr(jsonBytes);
  for (const json &input : *inputs) {
    TENON_ASSIGN_OR_RETURN(auto tensor, readInput(input, source, rest));
    request.inputs.push_back(std::move(tensor));
  }
  if (!rest.empty())
    return invalidArgument("the body has " + std::to_string(rest.size()) + " bytes more than its inputs take");
  if (outputs == value.end())
    return request;
  if (!outputs->is_array())
    return wrongField("the request", "outputs", "an array");
  for (const json &output : *outputs) {
    TENON_ASSIGN_OR_RETURN(auto requested, readOutput(output, request.isBinaryOutput));
    request.outputs.push_back(std::move(requested));
  }
  return request;
}

StatusOr<Body> writeInferResponse(const InferResponse &response, const InferRequest &request) {
  // The elements are put in by hand: as values of a document they would take many times their size.
  auto quoted = [](const std::string &text) {
    return json(text).dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  };
  Body body;
  std::string &out = body.text;
  std::string binary;
  out = "{\"model_name\":" + quoted(response.model) + ",\"model_version\":" + quoted(response.version);
  if (!response.id.empty())
    out += ",\"id\":" + quoted(response.id);
  out += ",\"outputs\":[";
  const char *comma = "";
  for (const Tensor &output : response.outputs) {
    out += comma + ("{\"name\":" + quoted(output.name)) + ",\"datatype\":\"" +
           std::string(datatypeOf(output.shape.type)) + "\",\"shape\":" + json(output.shape.dims).dump();
    comma = ",";
    if (isBinary(request, output.name)) {
      out += ",\"parameters\":{\"binary_data_size\":" + std::to_string(output.bytes.size()) + "}}";
      binary += output.bytes;
      continue;
    }
    out += ",\"data\":[";
    if (int64_t at = appendAll(out, output); at >= 0)
      return invalidArgument("element " + std::to_string(at) + " of output '" + output.name +
                             "' is an infinity or NaN, which JSON has none of: ask for binary data");
    out += "]}";
  }
  out += "]}";
  body.jsonBytes = out.size();
  out += binary;
  return body;
}

} // namespace tenon::kserve
