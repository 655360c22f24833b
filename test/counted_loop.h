// For tests of loops.
#pragma once

#include <string>

namespace tenon::testing {

/// The text between what a stablehlo.while carries, %i : i32 among it, and its body: it goes on while %i is below
/// `trips`.
inline std::string countedTo(int trips) {
  return "cond {\n%n = stablehlo.constant dense<" + std::to_string(trips) +
         "> : tensor<i32>\n%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" +
         "stablehlo.return %p : tensor<i1>\n} do {\n";
}

} // namespace tenon::testing
