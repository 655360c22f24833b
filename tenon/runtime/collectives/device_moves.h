// Collectives that move arrays between devices with memory of their own, all in this OS process: each copies what it
// gets out of the memory of the others. Of those in several, the host moves copies (collectives.h).
#pragma once

namespace tenon::runtime {

// Makes gather_group, exchange_group and permute such calls of devices.
void registerDeviceMoves();

} // namespace tenon::runtime
