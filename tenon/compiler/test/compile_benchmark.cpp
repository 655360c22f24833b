// Processor time of compiling programs, on one thread and without the cache of kernels:
//
//   tenon_compile_benchmark [--times N] PROGRAM...
//
// For each the first time, which makes what LLVM needs, then the fastest of N: all stages, and code generation alone.
#include "tenon/compiler/compiler.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace tenon;

namespace {

double processorMilliseconds() {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

struct Times {
  double all = 0, codegen = 0; // milliseconds; codegen as the report has it, by the clock
};

StatusOr<Times> compileOnce(const std::string &source, const std::string &name) {
  compiler::CompileOptions options;
  options.fileName = name;
  options.threads = 1;
  double start = processorMilliseconds();
  TENON_ASSIGN_OR_RETURN(program::Program program, compiler::compile(source, options));
  Times times;
  times.all = processorMilliseconds() - start;
  for (const auto &[stage, seconds] : program.report.stageSeconds)
    if (stage == "codegen")
      times.codegen = 1e3 * seconds;
  return times;
}

Status measure(const std::string &path, int repeats) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return notFound("cannot read '" + path + "': " + file.getError().message());
  std::string source = (*file)->getBuffer().str();
  TENON_ASSIGN_OR_RETURN(Times first, compileOnce(source, path));
  Times best = first;
  for (int i = 0; i < repeats; ++i) {
    TENON_ASSIGN_OR_RETURN(Times times, compileOnce(source, path));
    best = {std::min(best.all, times.all), std::min(best.codegen, times.codegen)};
  }
  std::printf("%-40s first %8.2f ms, then %8.2f, of which code generation %8.2f\n", path.c_str(), first.all, best.all,
              best.codegen);
  return {};
}

} // namespace

int main(int argc, char **argv) {
  setenv("TENON_KERNEL_CACHE", "off", 1);
  int repeats = 20, at = 1;
  if (argc > 2 && std::strcmp(argv[1], "--times") == 0) {
    repeats = std::atoi(argv[2]);
    at = 3;
  }
  for (; at < argc; ++at)
    if (Status status = measure(argv[at], repeats); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
  return 0;
}
