// How handles of the C interface stand for objects of the C++ interface, and how errors cross between them.
#pragma once

#include "tenon/c/tenon.h"
#include "tenon/computation_builder.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>

struct tenon_status {
  tenon::Status value;
};

struct tenon_computation {
  xla::Computation value;
};

struct tenon_client {
  std::shared_ptr<xla::Client> value;
  std::string platform;
};

struct tenon_data {
  explicit tenon_data(std::unique_ptr<xla::GlobalData> data) : value(std::move(data)) {}
  tenon_data(const tenon_data &) = delete;
  tenon_data &operator=(const tenon_data &) = delete;
  ~tenon_data() {
    value.reset();
    if (release)
      release(memory, context);
  }

  std::unique_ptr<xla::GlobalData> value;
  // Frees memory that the caller shares.
  void (*release)(const void *memory, void *context) = nullptr;
  const void *memory = nullptr;
  void *context = nullptr;
};

namespace tenon::capi {

// What a builder's handle shares with those of its sub-builders, which need it to live.
struct BuilderState {
  std::shared_ptr<BuilderState> parent;
  std::shared_ptr<xla::Client> client;
  std::unique_ptr<xla::ComputationBuilder> builder;
  std::unordered_map<uint64_t, xla::ComputationDataHandle> values;
  std::string file = "(unknown)";
  int line = 0;
  bool dieImmediately = false;
  // An error in arguments that the C++ interface's cannot be called with.
  std::optional<Status> error;

  Status firstError() const { return error ? *error : builder->first_error(); }
  void fail(const char *method, const std::string &message);
};

// Shapes and literals are the C++ interface's own, so that a tuple's elements have handles, too.
inline const xla::Shape &shapeOf(const tenon_shape *shape) { return *reinterpret_cast<const xla::Shape *>(shape); }
inline const tenon_shape *handleOf(const xla::Shape &shape) { return reinterpret_cast<const tenon_shape *>(&shape); }
inline const xla::Literal &literalOf(const tenon_literal *literal) {
  return *reinterpret_cast<const xla::Literal *>(literal);
}
inline const tenon_literal *handleOf(const xla::Literal &literal) {
  return reinterpret_cast<const tenon_literal *>(&literal);
}
inline tenon_shape *release(std::unique_ptr<xla::Shape> shape) {
  return reinterpret_cast<tenon_shape *>(shape.release());
}
inline tenon_literal *release(std::unique_ptr<xla::Literal> literal) {
  return reinterpret_cast<tenon_literal *>(literal.release());
}

inline xla::PrimitiveType typeOf(tenon_element_type type) {
  return static_cast<xla::PrimitiveType>(static_cast<int>(type));
}

// A pointer argument, and its name in messages.
struct Argument {
  template <typename T>
  Argument(T *pointer, const char *name) : pointer(static_cast<const void *>(pointer)), name(name) {}

  const void *pointer;
  const char *name;
};
// An array's pointer, where one of no elements may be null.
template <typename T> Argument array(T *pointer, size_t count, const char *name) {
  return {count == 0 ? static_cast<const void *>(name) : static_cast<const void *>(pointer), name};
}
// INVALID_ARGUMENT, and which, where one is null.
Status checkPresent(std::initializer_list<Argument> arguments);

inline xla::gtl::ArraySlice<xla::int64> slice(const int64_t *values, size_t count) { return {values, count}; }

tenon_status *newStatus(Status status) noexcept;
// The status that the exception which is being caught means.
Status statusOfException() noexcept;

// Calls a function that returns a Status, whatever happens in it.
template <typename Function>
tenon_status *guard(std::initializer_list<Argument> arguments, Function &&function) noexcept {
  try {
    Status status = checkPresent(arguments);
    if (status.ok())
      status = function();
    return newStatus(std::move(status));
  } catch (...) {
    return newStatus(statusOfException());
  }
}

// A struct of the caller's, which may be of an older or a newer version: what it lacks is zero.
template <typename Struct> StatusOr<Struct> structOf(const Struct *given, const char *name) {
  Struct result{};
  if (given && given->struct_size < sizeof(size_t))
    return invalidArgument(std::string(name) + ": struct_size is not set");
  if (given)
    std::memcpy(static_cast<void *>(&result), given, std::min(given->struct_size, sizeof(Struct)));
  return result;
}

// A text for the C interface's user to free; null where there is no memory.
char *newText(const std::string &text) noexcept;

// The same as a result.
Status giveText(const std::string &text, char **out);

// An array with a copy of elements that lie as its shape says; an error where they are not elements of its type.
StatusOr<xla::Literal> copyElements(const xla::Shape &shape, const void *data, size_t size);

} // namespace tenon::capi
