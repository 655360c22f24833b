// Tensors as the Open Inference Protocol has them, whatever form they travel in: JSON, binary data behind it, or gRPC.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::kserve {

// The protocol's name of a type: "FP32". Empty for types that it has no name for.
std::string_view datatypeOf(program::ElementType type);
// The type of that name. INVALID_ARGUMENT, naming `what`, for others, BYTES among them.
StatusOr<program::ElementType> elementTypeOf(std::string_view datatype, const std::string &what);

struct Tensor {
  std::string name;
  program::Shape shape;
  std::string bytes; // the elements, row-major, little-endian, without gaps
};

// "FP32[2,3]"; sizes that are left open are -1.
std::string describe(program::ElementType type, const std::vector<int64_t> &dims);

// The bytes that an array of these sizes takes. INVALID_ARGUMENT, naming `what`, for sizes below zero, or whose product
// is no number of bytes.
StatusOr<int64_t> checkedByteSize(program::ElementType type, const std::vector<int64_t> &dims, const std::string &what);

// INVALID_ARGUMENT unless the bytes are as many as the shape says and each is one that the type may have: BOOL is 0 or
// 1.
Status checkTensor(const Tensor &tensor);

struct RequestedOutput {
  std::string name;
  bool isBinary = false; // over HTTP: behind the JSON
};

struct InferRequest {
  std::string model;
  std::string version; // empty: the server chooses
  std::string id;
  std::vector<Tensor> inputs;
  std::vector<RequestedOutput> outputs; // empty: all
  bool isBinaryOutput = false;          // of the outputs where none are named
  // When the answer is of no use any more.
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

struct InferResponse {
  std::string model, version, id;
  std::vector<Tensor> outputs;
};

// The version that a request names: 0 for none. INVALID_ARGUMENT for what is no positive number.
StatusOr<int64_t> parseVersion(std::string_view version);

// Puts a limit of so many microseconds from now, which must not be negative, on the request; 0 is none.
Status setTimeout(InferRequest &request, int64_t microseconds);

} // namespace tenon::kserve
