// Tells profilers where generated functions are. Off unless asked for in the environment.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tenon::runtime {

struct CodeSymbol {
  std::string name;
  void *address;
  size_t size;
};

// TENON_PERF_MAP=1: appends to /tmp/perf-<pid>.map, which `perf report` reads. TENON_GDB=1: registers the symbols with
// an attached GDB.
class DebugRegistration {
public:
  // Null when nothing was asked for.
  static std::unique_ptr<DebugRegistration> create(const std::string &program, const std::vector<CodeSymbol> &symbols);
  ~DebugRegistration();
  DebugRegistration(const DebugRegistration &) = delete;
  DebugRegistration &operator=(const DebugRegistration &) = delete;

private:
  DebugRegistration() = default;
  struct GdbEntry;
  GdbEntry *gdb_ = nullptr;
};

} // namespace tenon::runtime
