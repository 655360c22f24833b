#include "tenon/client/dynamic_program.h"

namespace tenon::client {

DynamicProgram::DynamicProgram(Backend &backend, std::string module, CompileOptions options)
    : backend_(backend), module_(std::move(module)), options_(std::move(options)) {}

StatusOr<std::shared_ptr<Executable>>
DynamicProgram::specialize(const std::vector<std::vector<int64_t>> &argumentShapes) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Entry> &found = entries_[argumentShapes];
    if (!found)
      found = std::make_shared<Entry>();
    entry = found;
  }
  std::lock_guard lock(entry->mutex);
  if (entry->executable)
    return entry->executable;
  CompileOptions options = options_;
  options.argumentShapes = argumentShapes;
  auto compiled = backend_.compile(module_, options);
  if (compiled.ok())
    entry->executable = *compiled;
  return compiled;
}

} // namespace tenon::client
