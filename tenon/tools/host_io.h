// The host of a program that `tenon run` runs: what it feeds, and what it takes and shows.
#pragma once

#include "tenon/runtime/core/device_streams.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/tools/array.h"
#include "tenon/tools/program_file.h"

#include <functional>
#include <optional>

namespace tenon::tools {

// Items for the infeed; each text names its arrays: .npy files, separated by commas. Types that NumPy has no name for
// are those that the program's infeeds have.
StatusOr<std::vector<std::vector<Literal>>> readInfeed(const std::vector<std::string> &texts, ProgramFile &file);

class HostIo {
public:
  struct Options {
    std::vector<std::vector<Literal>> infeed;
    std::string outfeedFolder;     // empty: what comes out is printed
    std::optional<double> timeout; // seconds that a run may wait for data
  };
  explicit HostIo(Options options) : options_(std::move(options)) {}

  // Calls `run` with the host beside it, in threads of its own: it gets all of the infeed, and what it gives out is
  // shown if `show`.
  Status run(bool show, const std::function<Status(const runtime::RunOptions &)> &run);

private:
  Options options_;
};

} // namespace tenon::tools
