#include "tenon/client/dynamic_program.h"

#include <algorithm>

namespace tenon::client {

DynamicProgram::DynamicProgram(Backend &backend, std::string module, CompileOptions options)
    : DynamicProgram(backend, std::move(module), std::move(options), Limits()) {}

DynamicProgram::DynamicProgram(Backend &backend, std::string module, CompileOptions options, Limits limits)
    : backend_(backend), module_(std::move(module)), options_(std::move(options)), limits_(limits) {}

DynamicProgram::Values DynamicProgram::decidingValues(const std::vector<program::ArgumentValue> &values) const {
  Values result;
  for (const program::ArgumentValue &value : values)
    if (value.always || !deciding_ || deciding_->contains(value.argument))
      result[value.argument] = value.elements;
  return result;
}

StatusOr<std::shared_ptr<Executable>>
DynamicProgram::specialize(const Shapes &argumentShapes, const std::vector<program::ArgumentValue> &argumentValues) {
  std::shared_ptr<Entry> entry;
  Key key;
  {
    std::lock_guard lock(mutex_);
    key = {argumentShapes, decidingValues(argumentValues)};
    std::shared_ptr<Entry> &found = entries_[key];
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
  for (const program::ArgumentValue &value : argumentValues)
    if (key.second.contains(value.argument))
      options.argumentValues.push_back(value);
  auto compiled = backend_.compile(module_, options);
  std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  bool isThere = found != entries_.end() && found->second == entry;
  if (!compiled.ok()) {
    if (isThere)
      entries_.erase(found);
    return compiled;
  }
  if (!deciding_) {
    // Before, the key had all elements: the entry moves to where it is looked for from now on.
    noteDeciding(**compiled, argumentValues);
    if (isThere) {
      entries_.erase(found);
      entries_[{argumentShapes, decidingValues(argumentValues)}] = entry;
    }
  }
  keep(*entry, *compiled);
  return compiled;
}

// It follows from the program alone. What was not known, and compiled, decides nothing.
void DynamicProgram::noteDeciding(const Executable &executable, const std::vector<program::ArgumentValue> &values) {
  deciding_.emplace();
  for (const program::ArgumentValue &value : values)
    if (!value.always && !executable.program().arguments[value.argument].value.empty())
      deciding_->insert(value.argument);
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
  std::vector<std::map<Key, std::shared_ptr<Entry>>::iterator> kept;
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
