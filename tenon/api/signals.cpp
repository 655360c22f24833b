#include "tenon/signals.h"

#include "tenon/runtime/core/signals.h"

namespace xla {

void SetSignalCheck(SignalCheck check) { tenon::runtime::setSignalCheck(check); }

} // namespace xla
