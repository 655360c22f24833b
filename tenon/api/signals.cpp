#include "tenon/signals.h"

#include "tenon/runtime/core/signals.h"

namespace tenon::xla_2017 {

void SetSignalCheck(SignalCheck check) { tenon::runtime::setSignalCheck(check); }

} // namespace tenon::xla_2017
