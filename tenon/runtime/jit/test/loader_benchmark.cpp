// The cost of loading an object.
#include "tenon/runtime/jit/loader.h"
#include "tenon/runtime/jit/test/loader_testing.h"
#include "tenon/support/testing/stopwatch.h"

#include <cstdio>

using namespace tenon;

int main() {
  constexpr int kObjects = 100;
  program::Program program;
  program.name = "kernels";
  cpuCode(program).entrySymbol = "tenon_main";
  cpuCode(program).objects.push_back(runtime::assemble("entry", R"(
define i32 @tenon_main(ptr %context, ptr %arguments, ptr %results, ptr %arena, ptr %constants) {
  ret i32 0
}
)"));
  for (int i = 0; i < kObjects; ++i) {
    std::string name = "@kernel" + std::to_string(i), text = runtime::kernelText;
    text.replace(text.find("@triple"), 7, name);
    cpuCode(program).objects.push_back(runtime::assemble(name, text));
  }
  Status status;
  double best = testing::bestSecondsOf(5, [&] {
    auto loaded = runtime::loadProgram(program::Program(program));
    status = loaded.status();
  });
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  std::printf("loading an object: %.1f us\n", best * 1e6 / kObjects);
}
