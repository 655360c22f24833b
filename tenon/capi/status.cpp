#include "tenon/capi/handles.h"

#include <cstdlib>
#include <cstring>
#include <exception>

namespace tenon::capi {

namespace {

// For when there is no memory for a status.
tenon_status *statusWithoutMemory() {
  static tenon_status status{Status(StatusCode::kResourceExhausted, "no memory")};
  return &status;
}

} // namespace

Status checkPresent(std::initializer_list<Argument> arguments) {
  for (const Argument &argument : arguments)
    if (!argument.pointer)
      return invalidArgument(std::string(argument.name) + " is NULL");
  return {};
}

tenon_status *newStatus(Status status) noexcept {
  if (status.ok())
    return nullptr;
  auto *result = new (std::nothrow) tenon_status{std::move(status)};
  return result ? result : statusWithoutMemory();
}

Status statusOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return {StatusCode::kResourceExhausted, "no memory"};
  } catch (const std::length_error &) {
    return {StatusCode::kResourceExhausted, "no memory"};
  } catch (const std::exception &exception) {
    return internalError(exception.what());
  } catch (...) {
    return internalError("an exception of no known kind");
  }
}

char *newText(const std::string &text) noexcept {
  auto *result = static_cast<char *>(std::malloc(text.size() + 1));
  if (result)
    std::memcpy(result, text.c_str(), text.size() + 1);
  return result;
}

Status giveText(const std::string &text, char **out) {
  *out = newText(text);
  return *out ? Status() : Status(StatusCode::kResourceExhausted, "no memory for a text");
}

} // namespace tenon::capi

using tenon::capi::statusWithoutMemory;

void tenon_status_destroy(tenon_status *status) {
  if (status != statusWithoutMemory())
    delete status;
}

tenon_code tenon_status_code(const tenon_status *status) {
  return status ? static_cast<tenon_code>(status->value.code()) : TENON_OK;
}

const char *tenon_status_message(const tenon_status *status) { return status ? status->value.message().c_str() : ""; }

const char *tenon_code_name(tenon_code code) { return tenon::statusCodeName(static_cast<tenon::StatusCode>(code)); }

void tenon_free(void *memory) { std::free(memory); }

int tenon_c_version(void) { return TENON_C_VERSION_MAJOR * 1000 + TENON_C_VERSION_MINOR; }
