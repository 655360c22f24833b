// Programs that several tests compile, in sizes of their own.
#pragma once

#include <string>

namespace tenon::testing {

// Doubles its argument as long as it is not 7: without end for 1.
inline constexpr const char *kEndless = R"(func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %odd = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.while(%v = %a) : tensor<i32>
    cond { %c = stablehlo.compare NE, %v, %odd : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %n = stablehlo.add %v, %v : tensor<i32>
         stablehlo.return %n : tensor<i32> }
  return %0 : tensor<i32> })";

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
