// The whole PJRT_Api.
#pragma once

#include "tenon/pjrt/client.h"

namespace tenon::pjrt {

// The API, compiling with the backend that `factory` returns. The same object every time.
const PJRT_Api *makeApi(BackendFactory factory);

} // namespace tenon::pjrt
