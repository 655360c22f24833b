#include "tenon/client/dynamic_program.h"

#include <algorithm>

namespace tenon::client {

DynamicProgram::DynamicProgram(Backend &backend, std::string module, CompileOptions options)
    : DynamicProgram(backend, std::move(module), std::move(options), Limits()) {}

DynamicProgram::DynamicProgram(Backend &backend, std::string module, CompileOptions options, Limits limits)
    : backend_(backend), module_(std::move(module)), options_(std::move(options)), limits_(limits) {}

StatusOr<std::shared_ptr<Executable>> DynamicProgram::specialize(const Shapes &argumentShapes) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Entry> &found = entries_[argumentShapes];
    if (!found)
      found = std::make_shared<Entry>();
    entry = found;
    if (auto executable = use(*entry))
      return executable;
  }
  std::lock_guard compiling(entry->compiling);
  {
    std::lock_guard lock(mutex_);
    if (auto executable = use(*entry))
      return executable;
  }
  CompileOptions options = options_;
  options.argumentShapes = argumentShapes;
  auto compiled = backend_.compile(module_, options);
  std::lock_guard lock(mutex_);
  if (compiled.ok())
    keep(*entry, *compiled);
  else if (auto found = entries_.find(argumentShapes); found != entries_.end() && found->second == entry)
    entries_.erase(found);
  return compiled;
}

std::shared_ptr<Executable> DynamicProgram::use(Entry &entry) {
  entry.lastUse = ++uses_;
  return entry.executable;
}

void DynamicProgram::keep(Entry &entry, std::shared_ptr<Executable> executable) {
  entry.bytes = program::contentBytes(executable->program());
  entry.executable = std::move(executable);
  use(entry);
  trim();
}

// What is being compiled does not count yet.
void DynamicProgram::trim() {
  size_t count = 0;
  int64_t bytes = 0;
  std::vector<std::map<Shapes, std::shared_ptr<Entry>>::iterator> kept;
  for (auto it = entries_.begin(); it != entries_.end(); ++it)
    if (it->second->executable) {
      ++count;
      bytes += it->second->bytes;
      kept.push_back(it);
    }
  std::sort(kept.begin(), kept.end(), [](auto a, auto b) { return a->second->lastUse < b->second->lastUse; });
  for (auto it : kept) {
    if (count <= 1 || (count <= limits_.executables && bytes <= limits_.bytes))
      return;
    --count;
    bytes -= it->second->bytes;
    entries_.erase(it);
  }
}

} // namespace tenon::client
