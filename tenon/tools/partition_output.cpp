#include "tenon/tools/partition_output.h"

#include "tenon/compiler/partition_report.h"

namespace tenon::tools {
namespace {

struct DeviceMemory {
  int64_t arguments = 0, results = 0, temporary = 0;
};

template <typename Arrays> int64_t bytesOf(const Arrays &arrays) {
  int64_t bytes = 0;
  for (const auto &array : arrays)
    bytes += array.shape.byteSize();
  return bytes;
}

DeviceMemory memoryOf(const program::Program &program) {
  return {bytesOf(program.arguments), bytesOf(program.results), program::temporaryBytes(program)};
}

} // namespace

std::string formatPartition(const passes::PartitionReport &report, const program::Program &program) {
  DeviceMemory memory = memoryOf(program);
  return compiler::partitionReportText(report) + "\nmemory of a device in a process of its own: arguments " +
         std::to_string(memory.arguments) + " B, results " + std::to_string(memory.results) + " B, temporary " +
         std::to_string(memory.temporary) + " B\n";
}

nlohmann::ordered_json partitionJson(const passes::PartitionReport &report, const program::Program &program) {
  DeviceMemory memory = memoryOf(program);
  auto json = nlohmann::ordered_json::parse(compiler::partitionReportJson(report, -1));
  json["memory"] = {
      {"argument_bytes", memory.arguments}, {"result_bytes", memory.results}, {"temporary_bytes", memory.temporary}};
  return json;
}

} // namespace tenon::tools
