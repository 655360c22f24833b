// How a program was cut into that of one device, in words: docs/partitioning.md says what stands there.
#pragma once

#include <string>
#include <vector>

namespace tenon::passes {
struct PartitionReport;
}

namespace tenon::compiler {

// Whether it was: false of programs that are for one device, or stay whole.
bool isCut(const passes::PartitionReport &report);
std::string partitionReportText(const passes::PartitionReport &report);
// One object, without line breaks if `indent` is negative.
std::string partitionReportJson(const passes::PartitionReport &report, int indent);
// A line for each op that all devices compute of more than 64 MiB of gathered operands.
std::vector<std::string> partitionWarnings(const passes::PartitionReport &report);

} // namespace tenon::compiler
