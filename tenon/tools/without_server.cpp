// `tenon` for older systems, for which there are no libraries that the server could be linked of.
#include "tenon/tools/commands.h"

#include <cstdio>

namespace tenon::tools {

static int refuse() {
  std::fputs("error: this tenon has no server: it was built for older systems (docs/supported.md); the wheel and the "
             "archive for systems with glibc 2.36 or newer have one\n",
             stderr);
  return 1;
}

int serveCommand(const ServeOptions &) { return refuse(); }

int workerCommand(const WorkerOptions &) { return refuse(); }

} // namespace tenon::tools
