// Errors as values: every call that can fail returns a Status, or a value or a Status (xla-preview-2017, "Getting
// started").
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

// Success, or an error with a code and a message. (xla-preview-2017, "C++ interface")
class [[nodiscard]] Status {
public:
  Status() = default;
  // An error; success for kOk, whose message says nothing.
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // Success.
  static Status OK() { return {}; }

  // Whether this is success.
  bool ok() const { return code_ == StatusCode::kOk; }
  // The kind of the error; kOk if there is none.
  StatusCode code() const { return code_; }
  // What went wrong, in words, without the code; empty if nothing did.
  const std::string &message() const { return message_; }
  // The same, under its name of 2017.
  const std::string &error_message() const { return message_; }
  // "INVALID_ARGUMENT: message", or "OK".
  std::string ToString() const { return ok() ? "OK" : statusCodeName(code_) + (": " + message_); }

private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// An error: what was asked for cannot be, whatever the state.
inline Status invalidArgument(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }
// An error: not in this state, or not here.
inline Status failedPrecondition(std::string message) { return {StatusCode::kFailedPrecondition, std::move(message)}; }
// An error: it would make sense, but is not there.
inline Status unimplemented(std::string message) { return {StatusCode::kUnimplemented, std::move(message)}; }
// An error: a fault of the library's, or of a function that it calls.
inline Status internalError(std::string message) { return {StatusCode::kInternal, std::move(message)}; }
// An error: there is none of that name or number.
inline Status notFound(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }

// Prints the status and aborts: what the documents' "OrDie" and CHECK do.
[[noreturn]] TENON_API void dieBecauseOf(const Status &status);

// A value, or the error that prevented it.
template <typename T> class [[nodiscard]] StatusOr {
public:
  // The value.
  StatusOr(T value) : value_(std::move(value)) {}
  // The error; OK is none, which an assert checks.
  StatusOr(Status status) : status_(std::move(status)) { assert(!status_.ok() && "an OK status carries a value"); }

  // Whether there is a value.
  bool ok() const { return value_.has_value(); }
  // OK where there is a value, otherwise the error.
  const Status &status() const { return status_; }
  // The value, which there must be.
  T &operator*() & { return *value_; }
  // The same, not to be changed.
  const T &operator*() const & { return *value_; }
  // The same, to be moved from.
  T &&operator*() && { return std::move(*value_); }
  // A member of the value, which there must be.
  T *operator->() { return &*value_; }
  // The same, not to be changed.
  const T *operator->() const { return &*value_; }

  // The value; aborts with the status where there is none (xla-preview-2017, "Getting started").
  T &ValueOrDie() & {
    if (!ok())
      dieBecauseOf(status_);
    return *value_;
  }
  // The same, not to be changed.
  const T &ValueOrDie() const & {
    if (!ok())
      dieBecauseOf(status_);
    return *value_;
  }
  // The value, moved out; aborts with the status where there is none. (xla-preview-2017, "Getting started")
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

// Statement: returns the status that the expression gives, unless it is OK.
#define TENON_RETURN_IF_ERROR(...)                                                                                     \
  do {                                                                                                                 \
    if (::tenon::Status tenonStatus = (__VA_ARGS__); !tenonStatus.ok())                                                \
      return tenonStatus;                                                                                              \
  } while (false)

// Statements: declares a variable, as `auto value`, that takes the value of a StatusOr, or returns its status:
//
//   TENON_ASSIGN_OR_RETURN(auto literal, readLiteral(path));
#define TENON_ASSIGN_OR_RETURN(declaration, ...)                                                                       \
  TENON_ASSIGN_OR_RETURN_IMPL(TENON_STATUS_JOIN(tenonResult, __LINE__), declaration, __VA_ARGS__)
#define TENON_ASSIGN_OR_RETURN_IMPL(result, declaration, ...)                                                          \
  auto result = (__VA_ARGS__);                                                                                         \
  if (!(result).ok())                                                                                                  \
    return (result).status();                                                                                          \
  declaration = *std::move(result)
#define TENON_STATUS_JOIN(a, b) TENON_STATUS_JOIN_IMPL(a, b)
#define TENON_STATUS_JOIN_IMPL(a, b) a##b
