#include "tenon/tools/commands.h"

#include <cstdio>

namespace tenon::tools {

template <typename Options>
static int call(int (*server::Commands::*command)(const Options &), const Options &options) {
  StatusOr<server::Commands> commands = server::openCommands();
  if (!commands.ok()) {
    std::fprintf(stderr, "error: %s\n", commands.status().message().c_str());
    return 1;
  }
  return ((*commands).*command)(options);
}

int serveCommand(const server::ServeOptions &options) { return call(&server::Commands::serve, options); }

int workerCommand(const server::WorkerOptions &options) { return call(&server::Commands::work, options); }

} // namespace tenon::tools
