// How a program was cut for its devices, for people, for programs and as a picture. docs/partitioning.md explains them.
#pragma once

#include "tenon/passes/partition/report.h"
#include "tenon/program/program.h"

#include <nlohmann/json.hpp>

#include <string>

namespace tenon::tools {

// What is said of programs that are not for several devices.
inline constexpr char kNothingToCut[] =
    "the program is for one device (mhlo.num_partitions says how many): there is nothing to cut";

// The report, and the memory that a device needs for the program that came of it.
std::string formatPartition(const passes::PartitionReport &report, const program::Program &program);
nlohmann::ordered_json partitionJson(const passes::PartitionReport &report, const program::Program &program);

// A self-contained SVG: each array of the report, and which device has which part of it.
std::string partitionPicture(const passes::PartitionReport &report);

} // namespace tenon::tools
