// Asks a GPU what the emulation cannot say: gpu_hardware [--emulated] conformance|open|loops. One line of JSON for each
// answer, for scripts/gpu.py. Where no GPU is there, the emulation is asked in its place, which shows that the
// questions can be asked.
#include "test/gpu/open_points.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>

using namespace tenon;
using namespace tenon::testing;

namespace {

void say(const std::string &what, const std::string &verdict, const std::string &value) {
  nlohmann::json line = {{"what", what}, {"verdict", verdict}, {"value", value}};
  std::puts(line.dump().c_str());
}

// Each kernel there and in the emulation: the same bits. The emulation itself is asked in two orders of threads.
int conformance(const Machine &asked, const Machine &emulation) {
  int different = 0;
  StatusOr<codegen::GpuTarget> target = asked.target();
  if (!target.ok()) {
    say("a target for the GPU", "failed", target.status().message());
    return 1;
  }
  for (const TestedKernel &kernel : builderKernels(target->chip())) {
    StatusOr<std::string> expected = emulation.run(kernel), found = asked.run(kernel, ThreadOrder::kReverse);
    const Status &status = expected.ok() ? found.status() : expected.status();
    const bool isSame = status.ok() && *expected == *found;
    different += !isSame;
    say(kernel.name, isSame ? "the same" : status.ok() ? "other bits" : "failed", status.message());
  }
  return different;
}

int tell(const std::vector<OpenPoint> &points) {
  int failed = 0;
  for (const OpenPoint &point : points) {
    const bool isUntried =
        point.status.code() == StatusCode::kUnimplemented || point.status.code() == StatusCode::kNotFound;
    failed += !point.status.ok() && !isUntried;
    say(point.what,
        point.status.ok() ? "measured"
        : isUntried       ? "not measured"
                          : "failed",
        point.status.ok() ? point.value : point.status.message());
  }
  return failed;
}

} // namespace

int main(int argc, char **argv) {
  const bool isEmulated = argc > 1 && std::strcmp(argv[1], "--emulated") == 0;
  if (argc != (isEmulated ? 3 : 2)) {
    std::fprintf(stderr, "usage: %s [--emulated] conformance|open|loops\n", argv[0]);
    return 2;
  }
  auto emulation = Machine::emulated();
  auto asked = isEmulated ? Machine::emulated() : Machine::hardware();
  for (const Status &status : {emulation.status(), asked.status()})
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 2;
    }
  const std::string question = argv[argc - 1];
  const int wrong = question == "open"    ? tell(openPoints(**asked))
                    : question == "loops" ? tell(loopTimes(**asked))
                                          : conformance(**asked, **emulation);
  return wrong ? 1 : 0;
}
