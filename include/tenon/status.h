// Errors as values: every call that can fail returns a Status, or a value or a Status (xla-preview-2017, "Using XLA").
#pragma once

#include "tenon/export.h"

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace tenon {

// The canonical codes that PJRT and gRPC share, with their numbers.
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// Spelling of a code as gRPC prints it ("INVALID_ARGUMENT").
TENON_API const char *statusCodeName(StatusCode code);

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status OK() { return {}; }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string &message() const { return message_; }
  const std::string &error_message() const { return message_; }
  // "INVALID_ARGUMENT: message", or "OK".
  std::string ToString() const { return ok() ? "OK" : statusCodeName(code_) + (": " + message_); }

private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status invalidArgument(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }
inline Status failedPrecondition(std::string message) { return {StatusCode::kFailedPrecondition, std::move(message)}; }
inline Status unimplemented(std::string message) { return {StatusCode::kUnimplemented, std::move(message)}; }
inline Status internalError(std::string message) { return {StatusCode::kInternal, std::move(message)}; }
inline Status notFound(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }

// Prints the status and aborts: what the documents' "OrDie" and CHECK do.
[[noreturn]] TENON_API void dieBecauseOf(const Status &status);

// A value, or the error that prevented it.
template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(Status status) : status_(std::move(status)) { assert(!status_.ok() && "an OK status carries a value"); }

  bool ok() const { return value_.has_value(); }
  const Status &status() const { return status_; }
  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return std::move(*value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

  // The value; aborts with the status where there is none (xla-preview-2017, "Using XLA").
  T &ValueOrDie() & {
    if (!ok())
      dieBecauseOf(status_);
    return *value_;
  }
  const T &ValueOrDie() const & {
    if (!ok())
      dieBecauseOf(status_);
    return *value_;
  }
  T ConsumeValueOrDie() {
    if (!ok())
      dieBecauseOf(status_);
    return std::move(*value_);
  }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace tenon
