// Programs that several tests compile, in sizes of their own.
#pragma once

#include <string>

namespace tenon::testing {

// The softmax of a matrix of f32: of each of its rows, or of each column.
inline std::string softmax(int rows, int columns, bool ofRows = true) {
  std::string sizes = std::to_string(rows) + "x" + std::to_string(columns);
  std::string array = "tensor<" + sizes + "xf32>", kept = "tensor<" + std::to_string(ofRows ? rows : columns) + "xf32>";
  std::string across = ofRows ? "1" : "0", along = ofRows ? "0" : "1";
  auto reduce = [&](const std::string &result, const std::string &operand, const std::string &op) {
    return result + " = stablehlo.reduce(" + operand + ") applies stablehlo." + op + " across dimensions = [" + across +
           "] : (" + array + ", tensor<f32>) -> " + kept + "\n";
  };
  auto broadcast = [&](const std::string &result, const std::string &operand) {
    return result + " = stablehlo.broadcast_in_dim " + operand + ", dims = [" + along + "] : (" + kept + ") -> " +
           array + "\n";
  };
  return "func.func @main(%a: " + array + ") -> " + array + " {\n" +
         "%m = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n" +
         reduce("%0", "%a init: %m", "maximum") + broadcast("%1", "%0") + "%2 = stablehlo.subtract %a, %1 : " + array +
         "\n%3 = stablehlo.exponential %2 : " + array + "\n" + reduce("%4", "%3 init: %z", "add") +
         broadcast("%5", "%4") + "%6 = stablehlo.divide %3, %5 : " + array + "\nreturn %6 : " + array + "\n}\n";
}

} // namespace tenon::testing
