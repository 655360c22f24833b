#include "tenon/pjrt/error.h"

#include <utility>

namespace tenon::pjrt {
namespace {

// The framework may read the first word as the function table, or call the slots of PJRT_Api; both work.
struct Error : PJRT_Error {
  explicit Error(Status s);
  Status status;
};

const Error &asError(const PJRT_Error *error) { return *static_cast<const Error *>(error); }

void message(const PJRT_Error *error, const char **text, size_t *size) {
  *text = asError(error).status.message().c_str();
  *size = asError(error).status.message().size();
}

const PJRT_Error_FunctionTable kFunctions = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(Error),
    .extension_start = nullptr,
    .destroy = [](PJRT_Error *error) { delete static_cast<Error *>(error); },
    .message = message,
    .get_code = [](const PJRT_Error *error) { return static_cast<PJRT_Error_Code>(asError(error).status.code()); },
    .for_each_payload = [](const PJRT_Error *, PJRT_Error_PayloadVisitor, void *) {},
};

Error::Error(Status s) : PJRT_Error{&kFunctions}, status(std::move(s)) {}

} // namespace

PJRT_Error *toError(Status status) { return status.ok() ? nullptr : new Error(std::move(status)); }

Status toStatus(PJRT_Error_Code code, const char *text, size_t size) {
  if (code == PJRT_Error_Code_OK)
    return {};
  return {static_cast<StatusCode>(code), std::string(text ? text : "", text ? size : 0)};
}

PJRT_Error *callbackError(PJRT_Error_Code code, const char *text, size_t size) {
  return toError(toStatus(code, text, size));
}

Status takeStatus(PJRT_Error *error) {
  Status status = asError(error).status;
  error->vtable->destroy(error);
  return status;
}

Status checkStructSize(const char *name, size_t expected, size_t actual) {
  return invalidArgument(std::string(name) + ": the framework passes a structure of " + std::to_string(actual) +
                         " bytes where at least " + std::to_string(expected) +
                         " are needed; it was built for an older PJRT API than this plugin supports");
}

void fillErrorSlots(PJRT_Api &api) {
  api.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args *args) {
    if (args->error)
      args->error->vtable->destroy(args->error);
  };
  api.PJRT_Error_Message = [](PJRT_Error_Message_Args *args) {
    message(args->error, &args->message, &args->message_size);
  };
  TENON_PJRT_SLOT(api, PJRT_Error_GetCode, [](PJRT_Error_GetCode_Args &args) -> Status {
    args.code = kFunctions.get_code(args.error);
    return {};
  });
  // Our errors carry no payloads. The framework aborts if this call fails.
  TENON_PJRT_SLOT(api, PJRT_Error_ForEachPayload, [](PJRT_Error_ForEachPayload_Args &) -> Status { return {}; });
}

} // namespace tenon::pjrt
