// The whole PJRT_Api.
#pragma once

#include "tenon/pjrt/client.h"

namespace tenon::pjrt {

// The API, compiling with the backend that `factory` returns, with the extensions `more` after the usual ones. The same
// object every time.
const PJRT_Api *makeApi(BackendFactory factory, PJRT_Extension_Base *more);

} // namespace tenon::pjrt
