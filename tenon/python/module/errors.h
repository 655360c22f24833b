// Errors: a Status becomes the exception tenon.Error, which has its code and message.
#pragma once

#include "tenon/status.h"

#include <exception>
#include <utility>

#include <nanobind/nanobind.h>

namespace tenon::python {

namespace nb = nanobind;

class StatusError : public std::exception {
public:
  explicit StatusError(Status status) : status(std::move(status)) {}
  const char *what() const noexcept override { return status.message().c_str(); }

  Status status;
};

inline void check(const Status &status) {
  if (!status.ok())
    throw StatusError(status);
}

template <typename T> T check(StatusOr<T> value) {
  check(value.status());
  return *std::move(value);
}

// Calls a function without Python's lock: whatever may take long, and touches no Python object.
template <typename Function> auto unlocked(Function &&function) {
  nb::gil_scoped_release release;
  return function();
}

} // namespace tenon::python
