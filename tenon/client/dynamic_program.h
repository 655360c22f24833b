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
  // How many executables are kept, and how many bytes of code and constants; beyond either, those not used for longest
  // are let go. The last one is always kept, and whoever holds one still has it.
  struct Limits {
    size_t executables = 64;
    int64_t bytes = int64_t{1} << 28;
  };

  // `module` as Backend::compile takes it.
  DynamicProgram(Backend &backend, std::string module, CompileOptions options = {});
  DynamicProgram(Backend &backend, std::string module, CompileOptions options, Limits limits);

  // The executable for arguments of these shapes, as in CompileOptions::argumentShapes. Compiles where it is the first
  // call for them; calls that want the same wait for it. What failed is tried again by the next call.
  StatusOr<std::shared_ptr<Executable>> specialize(const std::vector<std::vector<int64_t>> &argumentShapes);

private:
  using Shapes = std::vector<std::vector<int64_t>>;
  struct Entry {
    std::mutex compiling;
    // Under the program's mutex.
    std::shared_ptr<Executable> executable;
    int64_t bytes = 0;
    uint64_t lastUse = 0;
  };

  std::shared_ptr<Executable> use(Entry &entry);
  void keep(Entry &entry, std::shared_ptr<Executable> executable);
  void trim();

  Backend &backend_;
  std::string module_;
  CompileOptions options_;
  Limits limits_;
  std::mutex mutex_;
  std::map<Shapes, std::shared_ptr<Entry>> entries_;
  uint64_t uses_ = 0;
};

} // namespace tenon::client
