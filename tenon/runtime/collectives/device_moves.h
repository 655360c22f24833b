// Collectives that move arrays between devices with memory of their own, all in this OS process: each copies what it
// gets out of the memory of the others. Of those in several, the host moves copies (collectives.h).
//
// The host waits for no device. Who enqueues the program of a device meets those who enqueue the others', and shows
// where its stream has its operands; the others' streams go on from there with their copies, and its own from where
// theirs have made them. So whatever a stream waits for has been enqueued before, and no two wait for each other.
#pragma once

namespace tenon::runtime {

// Makes gather_group, exchange_group and permute such calls of devices.
void registerDeviceMoves();

} // namespace tenon::runtime
