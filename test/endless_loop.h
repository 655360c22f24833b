// For tests of what ends a run.
#pragma once

#include <string>

namespace tenon::testing {

/// The text of a loop that defines %endless, i32[]. It starts with the value `start` and ends only if that is negative.
inline std::string endlessLoop(const std::string &start) {
  return "%endless = stablehlo.while(%i = " + start + R"() : tensor<i32>
        cond {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %c = stablehlo.compare GE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %mask = stablehlo.constant dense<1023> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %n = stablehlo.add %i, %one : tensor<i32>
          %m = stablehlo.and %n, %mask : tensor<i32>
          stablehlo.return %m : tensor<i32>
        }
)";
}

} // namespace tenon::testing
