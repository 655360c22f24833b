// A program compiled for the shapes that its arguments have, each set of them once.
#pragma once

#include "tenon/backend/backend.h"

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::kserve {

class Programs {
public:
  using Shapes = std::vector<std::vector<int64_t>>;
  using Executable = std::shared_ptr<const backend::Executable>;

  // `most` sets of shapes are kept, those that were asked for last. `isOpen`: the program's types leave sizes open.
  // `check` says whether what was compiled for some shapes may serve.
  Programs(backend::Backend &backend, std::string source, std::string name, bool isOpen, size_t most,
           std::function<Status(const program::Program &program, const Shapes &shapes)> check)
      : backend_(backend), source_(std::move(source)), name_(std::move(name)), isOpen_(isOpen), most_(most),
        check_(std::move(check)) {}

  // Compiles, where that has not been done; others wait for it only if they ask for the same shapes.
  StatusOr<Executable> get(const Shapes &shapes);

private:
  struct Entry {
    std::shared_future<StatusOr<Executable>> executable;
    uint64_t lastUse = 0;
  };
  StatusOr<Executable> compile(const Shapes &shapes) const;

  backend::Backend &backend_;
  const std::string source_, name_;
  const bool isOpen_;
  const size_t most_;
  const std::function<Status(const program::Program &, const Shapes &)> check_;
  std::mutex mutex_;
  std::map<Shapes, Entry> entries_;
  uint64_t uses_ = 0;
};

} // namespace tenon::kserve
