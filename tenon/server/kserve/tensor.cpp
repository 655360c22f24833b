#include "tenon/server/kserve/tensor.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tenon::kserve {

using program::ElementType;

namespace {

struct Datatype {
  std::string_view name;
  ElementType type;
};

// The types of the protocol and, of its extensions, BF16. The others of Tenon have no name there.
constexpr std::array kDatatypes = {
    Datatype{"BOOL", ElementType::kI1},     Datatype{"UINT8", ElementType::kUI8},
    Datatype{"UINT16", ElementType::kUI16}, Datatype{"UINT32", ElementType::kUI32},
    Datatype{"UINT64", ElementType::kUI64}, Datatype{"INT8", ElementType::kI8},
    Datatype{"INT16", ElementType::kI16},   Datatype{"INT32", ElementType::kI32},
    Datatype{"INT64", ElementType::kI64},   Datatype{"FP16", ElementType::kF16},
    Datatype{"BF16", ElementType::kBF16},   Datatype{"FP32", ElementType::kF32},
    Datatype{"FP64", ElementType::kF64},
};

} // namespace

std::string_view datatypeOf(ElementType type) {
  auto found = std::ranges::find(kDatatypes, type, &Datatype::type);
  return found == kDatatypes.end() ? std::string_view() : found->name;
}

StatusOr<ElementType> elementTypeOf(std::string_view datatype, const std::string &what) {
  auto found = std::ranges::find(kDatatypes, datatype, &Datatype::name);
  if (found != kDatatypes.end())
    return found->type;
  if (datatype == "BYTES")
    return invalidArgument(what + " is of the datatype BYTES, and programs compute with numbers only");
  return invalidArgument(what + " has no datatype of the protocol, but '" + std::string(datatype.substr(0, 40)) + "'");
}

std::string describe(ElementType type, const std::vector<int64_t> &dims) {
  std::string_view name = datatypeOf(type);
  std::string text = (name.empty() ? std::string(program::elementTypeName(type)) : std::string(name)) + "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

StatusOr<int64_t> checkedByteSize(ElementType type, const std::vector<int64_t> &dims, const std::string &what) {
  int64_t bytes = program::byteSize(type);
  // An array without elements takes no bytes, whatever its other sizes are.
  bool isEmpty = std::ranges::find(dims, 0) != dims.end();
  for (int64_t size : dims) {
    if (size < 0)
      return invalidArgument(what + " has a size below zero: " + describe(type, dims));
    if (!isEmpty && __builtin_mul_overflow(bytes, size, &bytes))
      return invalidArgument(what + " has more elements than can be counted: " + describe(type, dims));
  }
  return isEmpty ? 0 : bytes;
}

Status checkTensor(const Tensor &tensor) {
  std::string what = "input '" + tensor.name + "'";
  TENON_ASSIGN_OR_RETURN(int64_t bytes, checkedByteSize(tensor.shape.type, tensor.shape.dims, what));
  if (static_cast<int64_t>(tensor.bytes.size()) != bytes)
    return invalidArgument(what + " has " + std::to_string(tensor.bytes.size()) + " bytes of data, and " +
                           describe(tensor.shape.type, tensor.shape.dims) + " takes " + std::to_string(bytes));
  if (tensor.shape.type == ElementType::kI1 &&
      std::ranges::any_of(tensor.bytes, [](char byte) { return byte != 0 && byte != 1; }))
    return invalidArgument(what + " has a byte that is neither 0 nor 1, which no BOOL has");
  return {};
}

StatusOr<int64_t> parseVersion(std::string_view version) {
  int64_t number = 0;
  if (version.empty())
    return number;
  auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size() || number <= 0 || version.front() == '0')
    return invalidArgument("a version is a positive number, and not '" + std::string(version.substr(0, 40)) + "'");
  return number;
}

Status setTimeout(InferRequest &request, int64_t microseconds) {
  if (microseconds < 0)
    return invalidArgument("a timeout is a number of microseconds, and not " + std::to_string(microseconds));
  if (microseconds == 0)
    return {};
  auto now = std::chrono::steady_clock::now();
  std::chrono::microseconds time(microseconds);
  // What is too far away to be named is no limit.
  if (time < std::chrono::duration_cast<std::chrono::microseconds>(decltype(now)::max() - now))
    request.deadline = std::min(request.deadline.value_or(now + time), now + time);
  return {};
}

} // namespace tenon::kserve
