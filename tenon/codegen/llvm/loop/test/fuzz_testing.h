// Random fusions for the tests of loop kernels.
#pragma once

#include <string>
#include <vector>

namespace tenon::codegen::testing {

struct RandomFusion {
  std::vector<std::string> inputTypes; // "4x5xf32", named %a, %b, ...
  std::string body, yielded, resultTypes;
};

RandomFusion randomFusion(unsigned seed);

} // namespace tenon::codegen::testing
