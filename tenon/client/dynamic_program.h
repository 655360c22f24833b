// A program whose argument shapes are open: compiled once for each set of shapes that it is used with.
//
//   DynamicProgram program(defaultBackend(), module);
//   auto executable = program.specialize({{8, 4}, {}});      // any thread, many at a time
#pragma once

#include "tenon/client/client.h"

#include <map>
#include <mutex>

namespace tenon::client {

class DynamicProgram {
public:
  // `module` as Backend::compile takes it.
  DynamicProgram(Backend &backend, std::string module, CompileOptions options = {});

  // The executable for arguments of these shapes, as in CompileOptions::argumentShapes. Compiles where it is the first
  // call for them; calls that want the same wait for it. What failed is tried again by the next call.
  StatusOr<std::shared_ptr<Executable>> specialize(const std::vector<std::vector<int64_t>> &argumentShapes);

private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<Executable> executable;
  };

  Backend &backend_;
  std::string module_;
  CompileOptions options_;
  std::mutex mutex_;
  std::map<std::vector<std::vector<int64_t>>, std::shared_ptr<Entry>> entries_;
};

} // namespace tenon::client
