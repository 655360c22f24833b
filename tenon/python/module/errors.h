// Errors: a Status becomes the exception tenon.Error, which has its code and message.
#pragma once

#include "tenon/status.h"

#include <exception>
#include <string>
#include <type_traits>
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

// What the object is as T; otherwise a TypeError that says what is needed. nb::cast would throw std::bad_cast.
template <typename T> T castTo(nb::handle object, const char *needed) {
  T value;
  if (!nb::try_cast(object, value))
    throw nb::type_error((std::string(needed) + " needed, and not " + nb::repr(object.type()).c_str()).c_str());
  return value;
}

// A str in UTF-8. Throws Python's UnicodeEncodeError where it has halves of characters.
inline std::string utf8Of(nb::handle string) {
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (!text)
    throw nb::python_error();
  return {text, static_cast<size_t>(size)};
}

// Whether a handler of a signal has raised an exception while a computation ran on the first thread, which ends it.
// For xla::SetSignalCheck.
bool handlerRaises();
// Throws that exception, once.
void throwRaised();

// Calls a function without Python's lock: whatever may take long, and touches no Python object.
template <typename Function> auto unlocked(Function &&function) {
  auto run = [&] {
    nb::gil_scoped_release release;
    return function();
  };
  if constexpr (std::is_void_v<decltype(function())>) {
    run(); // runs no computation
  } else {
    auto result = run();
    throwRaised();
    return result;
  }
}

} // namespace tenon::python
