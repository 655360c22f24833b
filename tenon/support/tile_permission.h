// AMX's tile registers belong to those processes that ask the system for them.
#pragma once

namespace tenon {

// Whether this process may use them: asks at the first call. False where the processor or the system has none, and
// where a thread has an alternate signal stack that is too small to save them.
bool mayUseTiles();

} // namespace tenon
