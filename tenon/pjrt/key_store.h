// The framework's store of keys, by which processes find each other.
#pragma once

#include "tenon/runtime/control/key_store.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <memory>

namespace tenon::pjrt {

// Over the callbacks that a client is created with, which it must not outlive; null where there are none.
std::unique_ptr<runtime::KeyStore> keyStoreOf(const PJRT_Client_Create_Args &args);

} // namespace tenon::pjrt
