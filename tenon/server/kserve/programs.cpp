#include "tenon/server/kserve/programs.h"

#include <algorithm>

namespace tenon::kserve {

StatusOr<Programs::Executable> Programs::compile(const Shapes &shapes) const {
  backend::CompileOptions options;
  options.fileName = name_;
  if (isOpen_)
    options.argumentShapes = shapes;
  TENON_ASSIGN_OR_RETURN(auto executable, backend_.compile(source_, options));
  TENON_RETURN_IF_ERROR(check_(executable->program(), shapes));
  return Executable(std::move(executable));
}

StatusOr<Programs::Executable> Programs::get(const Shapes &shapes) {
  std::promise<StatusOr<Executable>> made;
  {
    std::unique_lock lock(mutex_);
    auto [found, isNew] = entries_.try_emplace(shapes);
    found->second.lastUse = ++uses_;
    if (!isNew) {
      auto executable = found->second.executable;
      lock.unlock();
      return executable.get();
    }
    found->second.executable = made.get_future().share();
    if (entries_.size() > most_)
      entries_.erase(std::ranges::min_element(entries_, {}, [](const auto &entry) { return entry.second.lastUse; }));
  }
  auto executable = compile(shapes);
  made.set_value(executable);
  // What has failed, for want of time say, is tried again when it is asked for again.
  if (!executable.ok()) {
    std::lock_guard lock(mutex_);
    entries_.erase(shapes);
  }
  return executable;
}

} // namespace tenon::kserve
