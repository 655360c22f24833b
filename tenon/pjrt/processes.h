// The OS processes that a client's devices are spread over.
#pragma once

#include "tenon/runtime/control/processes.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <memory>

namespace tenon::pjrt {

// Which of the framework's processes this is.
struct ProcessPlace {
  int self = 0, count = 1;
};

// Starts together with the others: those that the framework counts, which find each other by its keys, or else those
// that the environment names (docs/processes.md). Null where this process is alone. `devices`: how many it has.
StatusOr<std::unique_ptr<runtime::Processes>> startProcesses(const PJRT_Client_Create_Args &args, ProcessPlace place,
                                                             int devices);

} // namespace tenon::pjrt
