// Fusions that keep values in memory, and random ones.
#include "tenon/codegen/llvm/loop/test/check_testing.h"
#include "tenon/codegen/llvm/loop/test/fuzz_testing.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

TEST(LoopCuts, StencilOfStencils) {
  std::string body =
      "%x0 = stablehlo.negate %a : tensor<40x50xf32>\n%z = stablehlo.constant dense<0.25> : tensor<f32>\n"
      "%k = stablehlo.constant dense<0.25> : tensor<40x50xf32>\n";
  for (int i = 0; i < 12; ++i) {
    std::string n = std::to_string(i), x = "%x" + n, t = " : (tensor<40x50xf32>, tensor<f32>) -> tensor<40x50xf32>\n";
    auto moved = [&](std::string name, std::string low, std::string high) {
      body += "%" + name + n + " = stablehlo.pad " + x + ", %z, low = [" + low + "], high = [" + high +
              "], interior = [0, 0]" + t;
    };
    moved("l", "0, 1", "0, -1");
    moved("r", "0, -1", "0, 1");
    moved("u", "1, 0", "-1, 0");
    moved("d", "-1, 0", "1, 0");
    std::string s = " : tensor<40x50xf32>\n";
    body +=
        "%p" + n + " = stablehlo.add %l" + n + ", %r" + n + s + "%q" + n + " = stablehlo.add %u" + n + ", %d" + n + s;
    body += "%s" + n + " = stablehlo.add %p" + n + ", %q" + n + s;
    body += "%x" + std::to_string(i + 1) + " = stablehlo.multiply %s" + n + ", %k" + s;
  }
  checkFusion("loop", {"40x50xf32"}, body, "%x12", "tensor<40x50xf32>", {.magnitudeUlps = 1});
}

TEST(LoopCuts, ScanInTheMiddle) {
  checkFusion("loop", {"9x200xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.abs %a : tensor<9x200xf32>
                 %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 200>,
                    padding = dense<[[0, 0], [199, 0]]> : tensor<2x2xi64>}> ({
                    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
                      %s = stablehlo.add %p, %q : tensor<f32>
                      stablehlo.return %s : tensor<f32>
                  }) : (tensor<9x200xf32>, tensor<f32>) -> tensor<9x200xf32>
                 %2 = stablehlo.multiply %1, %a : tensor<9x200xf32>)",
              "%2", "tensor<9x200xf32>", {.magnitudeUlps = 4});
}

TEST(LoopFuzz, RandomFusions) {
  const char *first = std::getenv("TENON_FUZZ_SEED"), *many = std::getenv("TENON_FUZZ_COUNT");
  unsigned begin = first ? std::atoi(first) : 1, count = many ? std::atoi(many) : 60;
  for (unsigned seed = begin; seed < begin + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto fusion = randomFusion(seed);
    checkFusion("loop", fusion.inputTypes, fusion.body, fusion.yielded, fusion.resultTypes, {.magnitudeUlps = 8});
  }
}

} // namespace
