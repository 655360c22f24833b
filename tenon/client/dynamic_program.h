// A program whose argument shapes are open, or whose sizes are arguments: compiled once for each set of shapes, and of
// elements that decide a size, that it is used with.
//
//   DynamicProgram program(defaultBackend(), module);
//   auto executable = program.specialize({{8, 4}, {}});      // any thread, many at a time
//   auto another = program.specialize({{8, 4}, {}}, {{.argument = 1, .elements = {3}}});
#pragma once

#include "tenon/client/client.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>

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

  // The executable for arguments of these shapes, as in CompileOptions::argumentShapes, and with these elements, as in
  // argumentValues: of all arguments that the caller knows, since only those that the program's sizes follow from tell
  // executables apart (and those that are to be constants always). Compiles where it is the first call for them; calls
  // that want the same wait for it. What failed is tried again by the next call.
  StatusOr<std::shared_ptr<Executable>> specialize(const std::vector<std::vector<int64_t>> &argumentShapes,
                                                   const std::vector<program::ArgumentValue> &argumentValues = {});

private:
  using Shapes = std::vector<std::vector<int64_t>>;
  // Of those arguments that an executable is compiled for, by their numbers.
  using Values = std::map<int32_t, std::vector<int64_t>>;
  using Key = std::pair<Shapes, Values>;
  struct Entry {
    std::mutex compiling;
    // Under the program's mutex.
    std::shared_ptr<Executable> executable;
    int64_t bytes = 0;
    uint64_t lastUse = 0;
  };

  // Under the mutex.
  Values decidingValues(const std::vector<program::ArgumentValue> &values) const;
  void noteDeciding(const Executable &executable, const std::vector<program::ArgumentValue> &values);
  std::shared_ptr<Executable> use(Entry &entry);
  void keep(Entry &entry, std::shared_ptr<Executable> executable);
  void trim();

  Backend &backend_;
  std::string module_;
  CompileOptions options_;
  Limits limits_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  // The arguments whose elements decide a size, of the program, whatever it is compiled for; known once it is.
  std::optional<std::set<int32_t>> deciding_;
  uint64_t uses_ = 0;
};

} // namespace tenon::client
