#include "tenon/pjrt/key_store.h"

#include "tenon/pjrt/error.h"

#include <algorithm>
#include <climits>

namespace tenon::pjrt {
namespace {

// The callbacks take a pointer to a pointer to a function.
PJRT_CallbackError makeError = callbackError;

Status statusOf(PJRT_Error *error) { return error ? takeStatus(error) : Status(); }

Status put(PJRT_KeyValuePutCallback callback, void *userArgument, const std::string &key, const std::string &value) {
  PJRT_KeyValuePutCallback_Args args{};
  args.struct_size = PJRT_KeyValuePutCallback_Args_STRUCT_SIZE;
  args.key = key.data();
  args.key_size = key.size();
  args.value = value.data();
  args.value_size = value.size();
  args.callback_error = &makeError;
  args.user_arg = userArgument;
  return statusOf(callback(&args));
}

StatusOr<std::string> get(PJRT_KeyValueGetCallback callback, void *userArgument, const std::string &key,
                          std::chrono::milliseconds timeout) {
  PJRT_KeyValueGetCallback_Args args{};
  args.struct_size = PJRT_KeyValueGetCallback_Args_STRUCT_SIZE;
  args.key = key.data();
  args.key_size = key.size();
  args.timeout_in_ms = static_cast<int>(std::clamp<int64_t>(timeout.count(), 1, INT_MAX));
  args.callback_error = &makeError;
  args.user_arg = userArgument;
  TENON_RETURN_IF_ERROR(statusOf(callback(&args)));
  if (!args.value)
    return internalError("the framework's store gives no value for '" + key + "'");
  std::string value(args.value, args.value_size);
  if (args.value_deleter_callback)
    args.value_deleter_callback(args.value);
  return value;
}

} // namespace

std::unique_ptr<runtime::KeyStore> keyStoreOf(const PJRT_Client_Create_Args &args) {
  if (!args.kv_get_callback || !args.kv_put_callback)
    return nullptr;
  return std::make_unique<runtime::CallbackKeyStore>(
      [callback = args.kv_put_callback, userArgument = args.kv_put_user_arg](
          const std::string &key, const std::string &value) { return put(callback, userArgument, key, value); },
      [callback = args.kv_get_callback, userArgument = args.kv_get_user_arg](const std::string &key,
                                                                             std::chrono::milliseconds timeout) {
        return get(callback, userArgument, key, timeout);
      });
}

} // namespace tenon::pjrt
