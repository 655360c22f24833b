// The FFI extension: custom call handlers, their types, and what a run hands to them.
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/executable.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/runtime/cpu/ffi.h"

#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"

#include <optional>
#include <string>

namespace tenon::pjrt {
namespace {

Status registerType(PJRT_FFI_Type_Register_Args &args) {
  XLA_FFI_TypeInfo info{};
  info.struct_size = XLA_FFI_TypeInfo_STRUCT_SIZE;
  if (args.type_info)
    info.deleter = args.type_info->deleter;
  TENON_ASSIGN_OR_RETURN(args.type_id, runtime::registerFfiType({args.type_name, args.type_name_size}, args.type_id,
                                                                args.type_info ? &info : nullptr));
  return {};
}

Status registerHandler(PJRT_FFI_Register_Handler_Args &args) {
  std::string_view name(args.platform_name, args.platform_name_size);
  std::optional<runtime::FfiPlatform> platform = runtime::ffiPlatformOf(name);
  if (!platform)
    return invalidArgument("handlers for platform '" + std::string(name) + "' cannot run on tenon's devices");
  XLA_FFI_Handler_Bundle bundle{};
  bundle.execute = reinterpret_cast<XLA_FFI_Handler *>(args.handler);
  XLA_FFI_Handler_Traits traits = args.traits & PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE
                                      ? XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE
                                      : 0;
  return runtime::registerFfiHandler({args.target_name, args.target_name_size}, bundle, traits, *platform);
}

Status addUserData(PJRT_FFI_UserData_Add_Args &args) {
  std::lock_guard lock(args.context->mutex);
  auto data = args.context->userData ? std::make_shared<std::unordered_map<int64_t, void *>>(*args.context->userData)
                                     : std::make_shared<std::unordered_map<int64_t, void *>>();
  if (!data->emplace(args.user_data.type_id, args.user_data.data).second)
    return {StatusCode::kAlreadyExists,
            "the execute context has user data of type " + std::to_string(args.user_data.type_id) + " already"};
  args.context->userData = std::move(data);
  return {};
}

PJRT_FFI_Extension makeFfi() {
  PJRT_FFI_Extension ffi{};
  ffi.base = {PJRT_FFI_Extension_STRUCT_SIZE, PJRT_Extension_Type_FFI, nullptr};
  ffi.type_register = [](PJRT_FFI_Type_Register_Args *args) -> PJRT_Error * {
    return callSlot("PJRT_FFI_Type_Register", PJRT_FFI_Type_Register_Args_STRUCT_SIZE, args, registerType);
  };
  ffi.user_data_add = [](PJRT_FFI_UserData_Add_Args *args) -> PJRT_Error * {
    return callSlot("PJRT_FFI_UserData_Add", PJRT_FFI_UserData_Add_Args_STRUCT_SIZE, args, addUserData);
  };
  ffi.register_handler = [](PJRT_FFI_Register_Handler_Args *args) -> PJRT_Error * {
    return callSlot("PJRT_FFI_Register_Handler", PJRT_FFI_Register_Handler_Args_STRUCT_SIZE, args, registerHandler);
  };
  return ffi;
}

} // namespace

PJRT_Extension_Base *ffiExtension(PJRT_Extension_Base *next) {
  static PJRT_FFI_Extension extension = makeFfi();
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
