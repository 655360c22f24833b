// What a process tells of the programs that it cuts for their devices.
#pragma once

#include "tenon/status.h"

namespace tenon::passes {
struct PartitionReport;
}

namespace tenon::backend {

// Adds a line to the file that TENON_PARTITION_REPORT names, if it does, and warns, on standard error, of each line of
// the user's program of which much is computed whole on every device: once in the process.
Status tellOfPartition(const passes::PartitionReport &report);

} // namespace tenon::backend
